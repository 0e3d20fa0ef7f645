"""English follow-ups written out: pronouns replaced, the swapped word put in place, what was left out added."""

import re
from collections.abc import Sequence

from agent.reasoning.offline import focus, followup, lexicon, points
from agent.reasoning.offline.english_swap import ASIDE, ASKED, LEADS, PREPOSITION, SLOT, corrected, swapped
from agent.reasoning.offline.focus import Past, Topic
from agent.reasoning.offline.leaning import Leaning
from agent.reasoning.offline.topic import Phrase, phrases_of
from agent.reasoning.offline.wordclasses import ADJECTIVES, RELATIONAL, verbs
from agent.text import tokens

_DO_THAT = re.compile(
    r"(?:(?<=\bi )|(?<=\bwe )|(?<=\byou )|(?<=\bto )|(?<=\bthey )|(?<=\balso ))do (?:it|that|this|so|"
    r"the same)(?: thing)?\b|\b(?:doing|done) (?:it|that|this|so)\b",
    re.IGNORECASE,
)
_VERB_PHRASE = re.compile(
    r"\b(?:do|does|can|could|should|must|may|would|will|did) (?:i|we|you|they|one|people|"
    r"employees?)\s+(?:need to |have to |be able to )?(?P<vp>.+?)\W*$|\bhow to (?P<vp2>.+?)\W*$",
    re.IGNORECASE,
)
_YES_NO = re.compile(
    r"^\W*(?:can|could|may|must|should|do|does|did|is|are|was|were|will|would|has|have) (?P<rest>(?!it\b|"
    r"there\b).+?)\W*$",
    re.IGNORECASE,
)
_WHICH = re.compile(
    rf"^\W*{LEADS}(?:so )?(?:which|what)(?: one| of (?:them|those|these))? (?:is|are|was|would|should|do|does|"
    rf"has|costs?|takes?|works?)\b",
    re.IGNORECASE,
)
_WHY = re.compile(
    rf"^\W*{LEADS}(?:why|how come|what if|what happens if|are you sure|really|since when|says who)\b", re.IGNORECASE
)
_HAVING = frozenset({"get", "have", "need", "receive", "be", "know", "find"})
_POINTING = re.compile(r"\b(?:this|that|these|those|such|the same) (?P<noun>[a-z][\w-]*)", re.IGNORECASE)
_AFTER_A_PRONOUN = frozenset(
    """is are was were do does did can could will would should has have had mean means work works happen
    happens affect apply on in for with to from at by of and or but not about when if so called take cost need than as
    be""".split()
)
_PARTICIPLES = frozenset("paid free allowed mandatory optional taxable transferable refundable insured".split())
_QUALITY = re.compile(rf"^\W*{LEADS}(?P<x>[a-z]+)\W*$", re.IGNORECASE)
_WITHOUT_OBJECT = frozenset("from at to in on".split())
_MOVING = re.compile(r"\b(?:get|go|come|fly|travel|drive|move|walk|bring|send|take)(?: \w+){0,2} $", re.IGNORECASE)
_ASIDE_WORDS = 6
ALIKE = 0.75
"""Share of the best phrase's score from which a second one joins it."""


def rewrite(question: str, past: Sequence[Past], lean: Leaning) -> str:
    """Return the follow-up with what it left out, from earlier turns (oldest first)."""
    numbered = points.meant(question, past, korean=False)
    if numbered:
        return _numbered(question, numbered, past)
    last = ASIDE.sub("", past[-1].told)
    if lean.kind == "short":
        return _in_full(question, past)
    put_in = corrected(question, past) or swapped(question, past)
    if put_in:
        return put_in
    if _DO_THAT.search(question):
        done = _do_that(question, last)
        if done:
            return done
    if lean.kind in ("ellipsis", "fragment", "reference") and not followup.pointing(question):
        done = _verb_phrase(last) or (_clause(last) if _WHY.match(question) else "")
        if done:
            return f"{question} ({done})"
    compared = focus.compared(past) if _WHICH.match(question) else []
    if compared:
        return f"{question} ({', '.join(compared)})"
    for mark in followup.pointing(question):
        replaced = _replaced(question, mark, past)
        if replaced:
            return replaced
    fresh = _fresh(question, focus.ranked(past, lean.mark))
    if not fresh:
        return question
    if lean.kind in ("named", "class"):
        fresh = [found for found in fresh if found.phrase.named]
        if not fresh:
            return question
    if lean.kind == "class":
        return _with_aside(question, fresh[:1])
    if lean.kind in ("ellipsis", "fragment") and ASKED.match(question):
        nouns = [phrase for phrase in phrases_of(question) if phrase.relational]
        if nouns and not question[nouns[-1].end :].strip(" ?.!"):
            lean = Leaning("noun", nouns[-1].text, nouns[-1].start)  # "what about the cons?"
    quality = _QUALITY.match(question)
    if quality and lean.kind in ("fragment", "ellipsis") and _is_quality(quality.group("x").lower()):
        best = fresh[0].phrase
        return f"{'are' if best.plural else 'is'} {best.article}{best.text} {quality.group('x')}?"
    if lean.kind in ("noun", "named"):
        return _of_what(question, lean, fresh[0].phrase)
    return _with_aside(question, fresh)


def _is_quality(word: str) -> bool:
    """Tell whether a word alone asks whether something is so: "paid?", "free?"."""
    return word in ADJECTIVES or word in _PARTICIPLES or (word.endswith("ed") and word in verbs())


def _fresh(question: str, ranked: Sequence[Topic]) -> list[Topic]:
    known = set(tokens(question))
    return [
        found for found in ranked if not known.issuperset(tokens(found.phrase.text)) and not found.phrase.relational
    ]


# --- what was to be done ------------------------------------------------------------------------


def _do_that(question: str, last: str) -> str:
    """Spell out `do that` by what the last question wanted done."""
    phrase = _verb_phrase(last)
    mark = _DO_THAT.search(question)
    if not phrase or mark is None:
        return ""
    rest = question[mark.end() :].strip(" ?.!")
    piece = re.match(rf"^({PREPOSITION})\b", rest, re.IGNORECASE)
    if piece:
        phrase = re.sub(rf"\s{piece.group(1)} {SLOT}$", "", phrase, flags=re.IGNORECASE)
    start = re.sub(r"^\W*(?:and|but|so|or|then|ok|okay)\b[ ,]*", "", question[: mark.start()], flags=re.IGNORECASE)
    told = f"{start}{phrase}{f' {rest}' if rest else ''}".strip()
    return told[0].upper() + told[1:] + ("?" if question.rstrip().endswith("?") else "")


def _verb_phrase(last: str) -> str:
    """Return what the last question wanted done: `set up the VPN on macOS`; empty when it asked for no doing."""
    found = _VERB_PHRASE.search(last)
    phrase = (found.group("vp") or found.group("vp2") or "").rstrip(" ?.!") if found else ""
    said = phrase.lower().split()
    return phrase if 1 < len(said) <= 10 and said[0] not in _HAVING else ""


def _clause(last: str) -> str:
    """Return what the last question wanted to know whether it is so: `contractors work from home`."""
    found = _YES_NO.match(last)
    said = found.group("rest").split() if found else []
    points = any(mark.start == 0 for mark in followup.pointing(found.group("rest"))) if found else False
    return " ".join(said) if 1 < len(said) <= 10 and not points else ""


# --- a word that points -------------------------------------------------------------------------


def _replaced(question: str, mark: Leaning, past: Sequence[Past]) -> str:
    """Put a phrase in the place of a word that points back; empty where that word is not the one to replace."""
    low = mark.mark.lower()
    end = mark.start + len(mark.mark)
    before, after = question[: mark.start], question[end:]
    found = _fresh(question, focus.ranked(past, mark.mark))
    pointed = _POINTING.match(question, mark.start)
    if pointed and not _is_verb(pointed.group("noun").lower()):
        return _that_noun(question, pointed, past, found)
    last = ASIDE.sub("", past[-1].told)
    done = (_verb_phrase(last) or _clause(last)) if low in ("this", "that") else ""
    if done:
        return f"{question} ({done})"  # what was to be done, not a thing
    if low in ("such", "neither") or low.startswith(("the same", "either", "both")):
        return ""
    person = focus.person_in(past[-1]) if low in focus.PERSON or low in ("they", "them", "their") else ""
    if person and low in focus.PERSON:
        owns = low != "her" or re.match(r" (?!(?:in|on|at|for|to|from|with|about|if|when|and|or|please)\b)\w", after)
        return _joined(before, _as(person, low if owns else "him"), after)
    if not found:
        return ""
    best = found[0].phrase
    if low in focus.PERSON and not (best.person or best.named):
        return ""
    doing = _verb_phrase(last) if low == "it" and best.before in _WITHOUT_OBJECT else ""
    if doing and best.text in doing:
        return before + doing + after  # "can I work from home": it is the working, not the home
    if low in ("they", "them") and not (best.plural or best.person) and _later_thing(after):
        return ""  # "will they replace it?": they are those who do it
    if mark.kind == "ones":
        return _one(before, after, found)
    name = best.article + best.text
    if mark.kind == "place":
        return before + ("to " if _MOVING.search(before) else "in ") + name + after
    return _joined(before, _as(name, low), after)


def _is_verb(word: str) -> bool:
    return word in _AFTER_A_PRONOUN or (word in verbs() and word not in RELATIONAL)


def _later_thing(after: str) -> bool:
    return any(mark.mark.lower() in ("it", "that", "this", "one", "ones") for mark in followup.pointing(after))


def _as(name: str, low: str) -> str:
    return name + ("'" if name.endswith("s") else "'s") if low in {"its", "their", "his", "her"} else name


def _joined(before: str, name: str, after: str) -> str:
    """Put a name between two pieces; what was drawn together with the pronoun is written out: it's, they're."""
    for short, full in (("'s ", " is "), ("’s ", " is "), ("'re ", " are "), ("’re ", " are ")):
        if after.startswith(short):
            after = full + after[len(short) :]
    return before + name + after


def _that_noun(question: str, pointed: re.Match[str], past: Sequence[Past], found: Sequence[Topic]) -> str:
    """Name what `this process`, `those codes` are, by a phrase that ends with the noun; else by the topic."""
    stem = lexicon.stem(pointed.group("noun").lower())
    said = [phrase for turn in reversed(past[-3:]) for phrase in (*focus.mentions(turn), *phrases_of(turn.answer))]
    for phrase in said:
        if phrase.stems[-1] == stem and len(phrase.stems) > 1:
            return question[: pointed.start()] + phrase.article + phrase.text + question[pointed.end() :]
    return _with_aside(question, found[:1]) if found else ""


def _one(before: str, after: str, found: Sequence[Topic]) -> str:
    """Say what kind of thing "the dental one", "important ones", "which one" is."""
    word = before.split()[-1].lower() if before.split() else ""
    if word in ("which", "what", "this", "that", "the", "these", "those", "of", "other", "another", ""):
        return ""
    return f"{before}{found[0].phrase.text}{after}"


# --- what was left out --------------------------------------------------------------------------


def _of_what(question: str, lean: Leaning, phrase: Phrase) -> str:
    """Say what a noun belongs to, behind it; one that ends the phrase itself is said in full."""
    end = lean.start + len(lean.mark)
    if phrase.stems[-1] == lexicon.stem(lean.mark.split()[-1].lower()):
        return f"{question[: lean.start]}{phrase.text}{question[end:]}"
    return f"{question[:end]} of {phrase.article}{phrase.text}{question[end:]}"


def _in_full(question: str, past: Sequence[Past]) -> str:
    """Say in full what a question names by its last word alone: `the permit` for the parking permit."""
    found = focus.in_full(question, past)
    if found is None:
        return question
    short, full = found
    return question[: short.start] + full.text + question[short.end :]


def _numbered(question: str, numbered: Sequence[points.Mention], past: Sequence[Past]) -> str:
    """Name the points that were told by their number, and say in brackets what they are points of."""
    out, at = "", 0
    for mention in numbered:
        out += question[at : mention.start] + mention.label
        at = mention.end
    out += question[at:]
    known = set(tokens(out))
    above = [found for found in focus.ranked(past) if not known & set(tokens(found.phrase.text))]
    labels = {token for mention in numbered for token in tokens(mention.label)}
    listed = {token for point in points.options(past) for token in tokens(point)} - labels
    heads = [found for found in above if not listed & set(tokens(found.phrase.text)) and not found.phrase.relational]
    heads = [found for found in heads if not found.phrase.weak]
    return _with_aside(out, heads[:1]) if heads else out


def _with_aside(question: str, found: Sequence[Topic]) -> str:
    """Append the topic in brackets: readable, and counted as an aside by whoever answers."""
    chosen = [found[0].phrase]
    for other in found[1:3]:
        size = sum(len(phrase.stems) for phrase in chosen) + len(other.phrase.stems)
        apart = not {stem for phrase in chosen for stem in phrase.stems} & set(other.phrase.stems)
        if other.score >= ALIKE * found[0].score and size <= _ASIDE_WORDS and apart:
            chosen.append(other.phrase)
    return f"{question} ({', '.join(phrase.text for phrase in chosen)})"
