"""When to ask back: the evidence answers about equally well for several things, and the question names none of them.

Two passages speak of different things when their headings (title and section) are made alike and
differ in words that the question does not hold: "VPN setup (Windows)" and "VPN setup (macOS)", or
"Notice period" in two guides. That alone asks nobody back: what they say must differ as well. Where one of
them is likelier than the others it is answered for, and the others are offered below the answer.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from agent.language import say
from agent.language.lexicon import pattern
from agent.packs.pack import Pack
from agent.packs.slots import Words
from agent.reasoning.brief import Brief
from agent.reasoning.rules.answering import composition, versions
from agent.reasoning.rules.answering.quotes import Quote
from agent.reasoning.rules.answering.ranked_quotes import Found, Rated
from agent.reasoning.rules.answering.weighted_question import Asked
from agent.reasoning.rules.planning import steps
from agent.reasoning.rules.planning.wants import parts_of
from agent.reasoning.rules.reading.answer_type import Kind, read
from agent.retrieval.pack import narrowed
from agent.text import clipped, tokens, words
from agent.types import Choice, Language, Split, Understood
from agent.values.amounts import amounts

MOST = 4
AS_WELL = 0.5
"""Share of the best quote's likelihood from which another passage may be meant."""
EQUALLY = 0.9
"""Share of it from which there is nothing to assume, and the asker is asked first."""
WHOLLY = 0.9
"""Share of what a question tells that the headings above two sections hold, where each tells one way to do it."""
ALIKE = 0.5
"""Share of their heading words that two headings made alike have in common."""
SAME = 0.75
"""Share of common words from which two pieces say the same, where their numbers do too."""
LABEL = 70
"""Characters of a choice: Slack's buttons hold 75 (docs.slack.dev, button element), Discord's 80."""
_VALUED = frozenset({Kind.NUMBER, Kind.TIME, Kind.PERSON, Kind.PLACE})
_ASKED_SLOT = 4


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A passage that answers, with the words of its heading."""

    quote: Quote
    title: str
    section: str
    """The innermost heading."""
    words: frozenset[str]


def split(understood: Understood, brief: Brief) -> Split | None:
    """Return what to ask back, or None where it can be answered."""
    language, pack, blocks = understood.language, brief.pack, brief.blocks
    if understood.missing_slot:
        return _for_slot(understood.missing_slot, pack, language)
    if not pack.flags.clarification_enabled:
        return None
    if understood.route == "clarify":
        return _for_intent(understood, pack)
    if pack.cases_for(understood.intent.name) is not None:
        return _unnamed_cases(brief.question, understood, pack)
    if not blocks:
        return None
    wants = steps.wants_of(brief.question, pack)
    text = " ".join(want.text for want in wants if want.order is None)  # what is to be written chooses for itself
    if not text or _wants_all(text):
        return None
    asking = replace(brief, question=text, of_asker=())
    found = composition.found_for(text, asking)
    best = _best(found)
    choices = _choices([_candidate(each.quote) for each in best], found.asked) if best else []
    if len(choices) < 2:
        return None
    named = {document for choice in choices[1:] for document in choice.documents} - {*choices[0].documents}
    rivals = [
        each.likely
        for each in best[1:]
        if each.quote.block.passage.document_id in named
        and _said_alike(best[0].quote, each.quote)
        and not versions.are_of_one(best[0].quote, each.quote)  # the newest is in force
    ]  # what is said in other words is seldom the same thing of another: it is only offered
    meant = named | {*choices[0].documents}
    resumed = any(block.resumed and block.passage.document_id in meant for block in blocks)  # it is answered for these
    equal = found.sure and not resumed and max(rivals, default=0.0) >= EQUALLY * best[0].likely
    shown = tuple(choices[:MOST])
    left = narrowed(blocks, shown[0], shown)
    if not equal and not composition.found_for(text, replace(asking, blocks=left)).near:
        return None  # without the others there is nothing to tell of the likeliest
    return Split(question=say("which_one", language), choices=shown, first=equal)


def _unnamed_cases(text: str, understood: Understood, pack: Pack) -> Split | None:
    """Return what to ask where cases are looked up, and nothing tells which."""
    spec = pack.cases_for(understood.intent.name)
    every = pattern("answering.wants_all").search(text)
    if spec is None or every or any(slot.filter and understood.slots.get(slot.name) for slot in pack.slots):
        return None
    terms = [term for term in read(text, understood.language).terms if term.tells and not term.aside]
    if any(not spec.is_common(term.word) and not spec.is_common(term.stem) for term in terms):
        return None
    return _of_pack(spec.ask, spec.choices, understood.language)


def _for_intent(understood: Understood, pack: Pack) -> Split | None:
    """Return what the pack asks back for an intent."""
    spec = next((intent for intent in pack.intents if intent.name == understood.intent.name), None)
    return _of_pack(spec.ask, spec.choices, understood.language) if spec is not None and spec.ask is not None else None


def _of_pack(ask: Words, choices: Sequence[Words], language: Language) -> Split:
    return Split(question=ask.of(language), choices=tuple(Choice(label=choice.of(language)) for choice in choices))


def _for_slot(name: str, pack: Pack, language: Language) -> Split | None:
    spec = next((slot for slot in pack.slots if slot.name == name), None)
    if spec is None:
        return None
    choices = tuple(Choice(label=choice.names[0] if choice.names else choice.value) for choice in spec.choices)
    asking = spec.ask.of(language) if spec.ask else say("which_slot", language, slot=spec.title.of(language))
    return Split(question=asking, choices=choices if len(choices) <= _ASKED_SLOT else (), slot=name)


def _wants_all(text: str) -> bool:
    return bool(pattern("answering.wants_all").search(text)) or len(parts_of(text)) > 1


def _best(found: Found) -> list[Rated]:
    """Return the likeliest quote of every block that may be meant as well as the likeliest one, that one first."""
    if not found.near or Kind.LIST in found.asked.kinds:
        return []
    best: dict[int, Rated] = {}
    for each in found.rated:
        if each.quote.block.passage.language == found.told[0].block.passage.language:  # what is translated is one thing
            best.setdefault(each.quote.block.n, each)
    fair = {n: replace(each, likely=_as_first(each, found)) for n, each in best.items()}
    first = next(iter(fair.values()))
    return [
        each
        for each in fair.values()
        if each is first or each.likely >= AS_WELL * first.likely or _is_other_way(first.quote, each.quote, found.asked)
    ]


def _is_other_way(one: Quote, other: Quote, asked: Asked) -> bool:
    """Tell whether two pieces tell how to do what is asked, on one system and on another: sections side by side."""
    passage = one.block.passage
    is_way = Kind.STEPS in asked.kinds and one.is_procedure and other.is_procedure
    if not (is_way and passage.is_beside(other.block.passage)):
        return False
    telling = (term.stem if term.hangul else term.word for term in read(asked.text, asked.language).terms if term.tells)
    said = {each for word in telling for each in tokens(word)}
    matter = replace(asked, weights={term: weight for term, weight in asked.weights.items() if term in said})
    return matter.share(matter.meant(f"{passage.title}\n{passage.section.removesuffix(passage.innermost)}")) >= WHOLLY


def _as_first(rated: Rated, found: Found) -> float:
    """Return how likely a quote would be if it had been found first: which of two alike comes first is chance."""
    return found.model.quote.of({**rated.figures, "rank": 0.0, "first": 1.0, "score": 1.0, "words_behind": 0.0})


def _candidate(quote: Quote) -> _Candidate:
    passage = quote.block.passage
    section = passage.innermost.strip()
    heading = f"{passage.title}\n{passage.section}"
    return _Candidate(quote, passage.title.strip(), section, frozenset(_own(heading)))


def _own(text: str) -> set[str]:
    """Return the words of a text as they are told apart: without stop words, but with every letter and number."""
    return set(tokens(text)) | {word for word, _, _ in words(text) if len(word) == 1 and word.isascii()}


def _choices(candidates: Sequence[_Candidate], asked: Asked) -> list[Choice]:
    """Return the things that the first of some candidates is one of, as choices; newest version first."""
    first = candidates[0]
    labelled: dict[str, list[_Candidate]] = {}
    for other in candidates[1:]:
        mine, theirs = _told_apart(first, other, asked)
        if not mine or (_own(mine) ^ _own(theirs)) & _own(asked.text):
            continue  # what the question names itself is not assumed
        labelled.setdefault(mine, [first])
        labelled.setdefault(theirs, []).append(other)
    ordered = sorted(labelled.items(), key=lambda item: _newness(*item), reverse=True)
    return [_choice(label, found) for label, found in ordered]


def _choice(label: str, found: Sequence[_Candidate]) -> Choice:
    passages = [candidate.quote.block.passage for candidate in found]
    sections = [passage.section for passage in passages] if label == found[0].section else []
    return Choice(
        label=clipped(label, LABEL),
        documents=tuple(dict.fromkeys(passage.document_id for passage in passages)),
        sections=tuple(dict.fromkeys(sections)),
    )


def _told_apart(first: _Candidate, other: _Candidate, asked: Asked) -> tuple[str, str]:
    """Return by which names two candidates differ; empty names where they do not speak of parallel things."""
    mine, theirs = first.words - other.words, other.words - first.words
    said = _own(asked.text)
    if not mine or not theirs or (mine | theirs) & said:
        return "", ""
    titles, sections = (first.title, other.title), (first.section, other.section)
    if _is_other_way(first.quote, other.quote, asked):
        return sections
    if _agree(first.quote, other.quote) or not (first.words & other.words) & said:
        return "", ""
    if titles[0] != titles[1] and sections[0] and sections[0].casefold() == sections[1].casefold():
        # Guides that have a section of one name in common: they answer otherwise where a value is asked for.
        valued = asked.kinds & _VALUED or (_values(first.quote) and _values(other.quote))
        return titles if valued or _made_alike(titles) else ("", "")
    names = titles if titles[0] != titles[1] else sections
    # Sections of one document speak of its one topic: they are a choice only where they say the same sort of thing.
    alike = _made_alike(names) and (names is titles or _said_alike(first.quote, other.quote))
    return names if alike else ("", "")


def _made_alike(names: tuple[str, str]) -> bool:
    """Tell whether two names have most of their words in common."""
    mine, theirs = map(_own, names)
    return len(mine & theirs) >= ALIKE * max(1, min(len(mine), len(theirs)))


def _values(quote: Quote) -> frozenset[tuple[Fraction, str]]:
    return frozenset((amount.value, amount.unit) for amount in amounts(quote.text))


def _said_alike(a: Quote, b: Quote) -> bool:
    """Tell whether two pieces are put in the same words, their values apart."""
    left, right = (set(tokens(re.sub(r"\d+", " ", each.text))) for each in (a, b))
    return len(left & right) >= ALIKE * max(1, len(left), len(right))


def _agree(a: Quote, b: Quote) -> bool:
    """Tell whether two pieces say the same: then there is nothing to choose between."""
    left, right = set(tokens(a.text)), set(tokens(b.text))
    shared = len(left & right) / max(1, min(len(left), len(right)))
    return shared >= SAME and _values(a) == _values(b)


def _newness(label: str, found: Sequence[_Candidate]) -> tuple[int, ...]:
    """Return what orders versions: by the years and numbers of their names, and first by their dates where known."""
    date = max(versions.date_of(each.quote.block.passage) for each in found)
    return tuple(int(number) for number in re.findall(r"\d{1,4}", f"{date} {label}"))
