"""A follow-up turned into a question that stands alone, and what its search inherits."""

import re
from collections.abc import Sequence

from agent.reasoning.offline import korean, korean_followup, lexicon, topic
from agent.reasoning.offline.followup import Leaning, leaning
from agent.reasoning.offline.question import COMMON, read
from agent.reasoning.offline.topic import Phrase
from agent.text import language_of, normalise, tokens, words
from agent.types import Standalone, WeightedTerm

LEANING = 0.35
"""Weight of the last turn's terms in a follow-up's search, and of terms in a question that seems to stand alone.
Measured on MTRAG's two public domains: R@5 .233 -> .293 and .258 -> .275 against the bare last turn."""
FAINTLY = 0.18
FADE = 0.7
"""What inherited terms keep with every turn that passes."""
REMEMBERED = 8
"""Turns that terms are inherited from."""
_ASIDE_WORDS = 6

_SUBJECT = re.compile(r"\b(?:it|they|them|he|she|him|this|these|those|that)\b", re.IGNORECASE)
_POSSESSIVE = re.compile(r"\b(?:its|their|his|her)\b", re.IGNORECASE)
_POINTING = re.compile(r"\b(?:this|that|these|those|such|the same) (?=[a-z])", re.IGNORECASE)
_DO_THAT = re.compile(
    r"(?:(?<=\bi )|(?<=\bwe )|(?<=\byou )|(?<=\bto )|(?<=\bthey )|(?<=\balso ))do (?:it|that|this|so|"
    r"the same)(?: thing)?\b"
    r"|\b(?:doing|done) (?:it|that|this|so)\b",
    re.IGNORECASE,
)
_WHAT_ABOUT = re.compile(r"^\W*(?:and |but |so |or |ok(?:ay)?,? )*(?:what|how) about (?P<x>.+?)\W*$", re.IGNORECASE)
_AND_X = re.compile(
    r"^\W*(?:and|or|but|also)\s+(?P<x>(?!(?:how|what|when|where|who|why|which|is|are|do|does|can|could|"
    r"should|will|did|was|were|if|then)\b)\S+(?: \S+){0,4}?)\W*$",
    re.IGNORECASE,
)
_PREPOSITION = r"(?:on|in|for|with|from|at|to|under|without|during|after|before|by|as|via|using|about|of)"
_WHERE_X = re.compile(rf"^\W*(?P<x>{_PREPOSITION} \S+(?: \S+){{0,3}}?)\W*$", re.IGNORECASE)
_VERB_PHRASE = re.compile(
    r"\b(?:do|does|can|could|should|must|may|would|will|did) (?:i|we|you|they|one|people|"
    r"employees?)\s+(?:need to |have to |be able to )?(?P<vp>.+?)\W*$|\bhow to (?P<vp2>.+?)\W*$",
    re.IGNORECASE,
)
_PERSONS = re.compile(
    r"^(?:the |our |all )?(?:[\w-]+ )?(?:[\w-]+(?:ers|ors|ees|ants|ists|ents|terns)|people|staff|temps|"
    r"new hires|guests|women|men|children)$",
    re.IGNORECASE,
)
_ASKER = re.compile(r"\b(?P<aux>do|can|could|should|must|may|will|would|did|am|have) (?:i|we)\b", re.IGNORECASE)


def standalone(text: str, earlier: Sequence[str], asked: Sequence[str] | None = None) -> Standalone:
    """Return the question with what it takes from earlier ones, oldest first.

    `earlier` are their standalone forms, which the rewriting builds on; `asked` are their own words, which the
    search inherits: a wrong rewriting then cannot grow from turn to turn.
    """
    question = normalise(text)
    if not earlier:
        return Standalone(text=question)
    lean = depends(question)
    terms = inherited(question, asked or earlier, LEANING if lean else FAINTLY)
    if lean is None:
        return Standalone(text=question, terms=terms)
    told = [re.sub(r"\s\([^()]*\)\s*$", "", normalise(turn)) for turn in earlier]
    rewritten = (
        korean_followup.rewrite(question, told) if language_of(question) == "ko" else _english(question, told, lean)
    )
    if rewritten != question:
        kept = set(tokens(rewritten))
        replaced = set(tokens(told[-1])) - kept
        if kept & set(tokens(told[-1])) and "(" not in rewritten:  # what gave way is not searched for any more
            terms = tuple(term for term in terms if not replaced.intersection(tokens(term.text)))
    return Standalone(text=rewritten, terms=terms, changed=rewritten != question)


def depends(question: str) -> Leaning | None:
    """Return how the question leans on earlier ones: by a word that points back, or by naming nothing itself."""
    lean = leaning(question)
    if lean is not None:
        return lean
    terms = read(question).terms
    if all(term.weight <= COMMON for term in terms) and sum(term.weight == COMMON for term in terms) < 2:
        return Leaning("bare")
    return None


def inherited(question: str, earlier: Sequence[str], weight: float) -> tuple[WeightedTerm, ...]:
    """Return the words of earlier questions that this one lacks, weaker with every turn."""
    seen = set(tokens(question))
    out: list[WeightedTerm] = []
    for age, turn in enumerate(reversed(earlier[-REMEMBERED:])):
        for word, _, _ in words(turn):
            mine = tokens(word)
            if word in lexicon.FAINT_ENGLISH or _is_korean_filler(word):
                continue
            if mine and not seen.issuperset(mine):
                seen.update(mine)
                out.append(WeightedTerm(text=word, weight=round(weight * FADE**age, 4)))
    return tuple(out)


def _is_korean_filler(word: str) -> bool:
    if not "가" <= word[0] <= "힣":
        return False
    stem = korean.stem_of(word)
    return korean.is_ending(word) or word in lexicon.FAINT_KOREAN or stem in lexicon.FAINT_KOREAN


def _english(question: str, told: Sequence[str], lean: Leaning) -> str:
    last = told[-1]
    asked = _WHAT_ABOUT.match(question) or _AND_X.match(question) or _WHERE_X.match(question)
    new = asked.group("x").strip(" ?.!,") if asked else question.strip(" ?.!,") if lean.kind == "fragment" else ""
    points = _SUBJECT.search(new) or _POSSESSIVE.search(new)
    if new and not points:
        swapped = _swap(new, last)
        if swapped:
            return swapped
    if _DO_THAT.search(question):
        done = _do_that(question, last)
        if done:
            return done
    phrases = topic.ranked(told, pronoun=lean.mark)
    known = set(tokens(question))
    fresh = [phrase for phrase in phrases if not known.issuperset(tokens(phrase.text))]
    if not fresh:
        return question
    done = _verb_phrase(last)
    if lean.kind in ("ellipsis", "fragment") and done and not points:
        return f"{question} ({done})"
    if lean.kind == "pronoun":
        replaced = _replace(question, fresh[0], lean.mark)
        if replaced:
            return replaced
    return _with_aside(question, fresh)


def _swap(new: str, last: str) -> str:
    """Put the new phrase where its counterpart stands in the last question; empty when there is none."""
    piece = re.match(rf"^({_PREPOSITION}) (?:the |an? )?(.+)$", new, re.IGNORECASE)
    if piece:
        preposition = piece.group(1)
        slot = re.search(
            rf"\b{preposition} (?:the |an? |my |our )?[^\s?,.]+(?: [A-Z0-9][^\s?,.]*)*", last, re.IGNORECASE
        )
        if slot:
            return last[: slot.start()] + new + last[slot.end() :]
        return f"{last.rstrip(' ?.!')} {new}?"
    asker = _ASKER.search(last)
    if asker and _PERSONS.match(new):
        verb = {"am": "are", "do": "do"}.get(asker.group("aux").lower(), asker.group("aux"))
        return f"{last[: asker.start()]}{verb} {new}{last[asker.end() :]}"
    mine = topic.phrases_of(new)
    theirs = topic.phrases_of(last)
    if not mine or not theirs:
        return ""
    stems = {stem for phrase in mine for stem in phrase.stems}
    for phrase in theirs:  # "sick leave" gives way to "parental leave", by the word they share
        alike = len(phrase.stems) == len(mine[-1].stems) > 1
        if alike and phrase.stems[-1] == mine[-1].stems[-1] and set(phrase.stems) != stems:
            return _put(last, phrase, new)
    if all(phrase.named for phrase in mine):
        for phrase in reversed(theirs):
            if phrase.named:
                return _put(last, phrase, new)
    return ""


def _put(last: str, phrase: Phrase, new: str) -> str:
    at = last.find(phrase.text)
    return last[:at] + new + last[at + len(phrase.text) :] if at >= 0 else ""


def _do_that(question: str, last: str) -> str:
    """Spell out `do that` by what the last question wanted done."""
    phrase = _verb_phrase(last)
    mark = _DO_THAT.search(question)
    if not phrase or mark is None:
        return ""
    rest = question[mark.end() :].strip(" ?.!")
    piece = re.match(rf"^({_PREPOSITION})\b", rest, re.IGNORECASE)
    if piece:
        phrase = re.sub(
            rf"\s{piece.group(1)} (?:the |an? |my )?[^\s?,.]+(?: [A-Z0-9][^\s?,.]*)*$", "", phrase, flags=re.IGNORECASE
        )
    start = re.sub(r"^\W*(?:and|but|so|or|then|ok|okay)\b[ ,]*", "", question[: mark.start()], flags=re.IGNORECASE)
    told = f"{start}{phrase}{f' {rest}' if rest else ''}".strip()
    return told[0].upper() + told[1:] + ("?" if question.rstrip().endswith("?") else "")


_HAVING = frozenset({"get", "have", "need", "receive", "be", "know", "find"})


def _verb_phrase(last: str) -> str:
    """Return what the last question wanted done: `set up the VPN on macOS`; empty when it asked for no doing."""
    found = _VERB_PHRASE.search(last)
    phrase = (found.group("vp") or found.group("vp2") or "").rstrip(" ?.!") if found else ""
    said = phrase.lower().split()
    return phrase if len(said) > 1 and said[0] not in _HAVING else ""


def _replace(question: str, phrase: Phrase, mark: str) -> str:
    """Put the phrase in the place of the first word that points back."""
    low = mark.lower()
    name = phrase.article + phrase.text
    if low in {"its", "their", "his", "her"}:
        owner = name + ("'" if name.endswith("s") else "'s")
        return _POSSESSIVE.sub(lambda _: owner, question, count=1)
    if low in {"it", "they", "them", "he", "she", "him"}:
        return re.sub(rf"\b{re.escape(mark)}\b", lambda _: name, question, count=1)
    if low in {"this", "that", "these", "those"}:
        pointing = re.search(rf"\b{re.escape(mark)}\b(?= [a-z]+)", question)
        after = question[pointing.end() :].split()[0].strip("?.,!").lower() if pointing else ""
        if not after or after in _AFTER_A_PRONOUN:
            return re.sub(rf"\b{re.escape(mark)}\b", lambda _: name, question, count=1)
    return ""


_AFTER_A_PRONOUN = frozenset(
    """is are was were do does did can could will would should has have had mean means work works happen happens
    affect apply
    on in for with to from at by of and or but not about when if so called take cost need than as""".split()
)


def _with_aside(question: str, phrases: Sequence[Phrase]) -> str:
    """Append the topic in brackets: readable, and counted as an aside by whoever answers."""
    best = phrases[0]
    chosen = [best]
    for phrase in phrases[1:3]:
        size = sum(len(p.stems) for p in chosen) + len(phrase.stems)
        if phrase.score >= 0.6 * best.score and size <= _ASIDE_WORDS and not set(phrase.stems) & set(best.stems):
            chosen.append(phrase)
    return f"{question} ({', '.join(phrase.text for phrase in chosen)})"
