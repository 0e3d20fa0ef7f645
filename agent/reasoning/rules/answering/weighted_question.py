"""A question as evidence is weighed against it: its terms with what each counts, and what kind of answer it wants."""

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise

from agent.language.lexicon import ordered, pattern
from agent.reasoning.rules.reading import answer_type
from agent.reasoning.rules.reading.answer_type import FAINT, Kind, Term
from agent.reasoning.rules.reading.search_filters import asked_of
from agent.reasoning.rules.reading.trade_synonyms import Named, Synonyms, terms_named
from agent.text import normalise, tokens
from agent.types import Block, Language, TermCounts, WeightedTerm
from agent.values.amounts import Amount, amounts
from agent.word_frequency import ENDING, factor, factors_of, rarities

LONG = 1_000
"""Characters of a question that are read; a longer one is a paste, and its beginning tells what it is about."""
KNOWN = 0.7
"""Up to which factor a term is known as one that people ask with."""
TAKEN = 0.1
"""Of its weight, what a word that is taken from the thread counts where parts of one passage are compared."""
MOST = 3
"""Amounts of a question that rows are held against."""
_HOW_MANY = ordered("values.how_many")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_DIGIT = re.compile(r"\d")
_NAMES = ("month_name", "ordinal")
"""Units of an amount that is a name."""


@dataclass(frozen=True)  # without slots, for what is worked out once
class Asked:
    """What is looked for in the evidence."""

    text: str
    language: Language
    weights: Mapping[str, float]
    """What each index term of the question counts: how rare it is, less for words that people ask with.

    What it inherits from its thread is among them, at less."""
    pairs: frozenset[tuple[str, str]]
    """Terms that stand side by side in the question."""
    numbers: frozenset[str]
    amounts: tuple[Amount, ...]
    """Those that measure something, or are a time of day."""
    denies: bool
    kinds: frozenset[Kind]
    called: tuple[Named, ...] = ()
    """The terms of each thing that the question names, and those of what else the pack calls it."""
    extreme: int = 0
    """1 where it asks which of several things has most of something, -1 for the least."""
    of_price: bool = False
    """Whether what it asks most or least of is the price."""
    taken: frozenset[str] = frozenset()
    """Terms that stand only in what the question takes from its thread, in brackets behind it."""

    @property
    def wants_steps(self) -> bool:
        """Tell whether it asks how something is done."""
        return bool(self.kinds & {Kind.STEPS, Kind.ADVICE})

    @cached_property
    def total(self) -> float:
        """The weight of all terms."""
        return sum(self.weights.values())

    @cached_property
    def rarest(self) -> Sequence[str]:
        """The terms that count most, that one first."""
        return sorted(self.weights, key=lambda term: -self.weights[term])

    def held(self, terms: Set[str]) -> float:
        """Return the weight of its terms that are among these.

        It is summed in the question's order: over a set the last digits would differ from run to run, and what is
        equally good would come first by chance.
        """
        terms = self._named(terms)
        return sum(weight for term, weight in self.weights.items() if term in terms)

    def said(self, terms: Set[str]) -> float:
        """Return the same with less for what it takes from its thread: that tells the matter, and not which part of it.

        After "who feeds the herons", "and the geese?" asks for another row of the same table.
        """
        return self.held(terms) - (1 - TAKEN) * self.held(self.taken & terms)

    def meant(self, text: str) -> Set[str]:
        """Return the index terms of a text, with those of what it calls else."""
        return self._named(terms_in(text))

    def _named(self, terms: Set[str]) -> Set[str]:
        """Return terms with those of the things that they call otherwise: 인상 of "증액"."""
        if not self.called:
            return terms
        return frozenset(terms).union(*(own for own, others in self.called if any(each <= terms for each in others)))

    def share(self, terms: Set[str]) -> float:
        """Return the same as a share of all, 0..1; 0 where the question has no terms."""
        return self.held(terms) / (self.total or 1.0)


def asked(
    text: str,
    language: Language,
    blocks: Sequence[Block],
    *,
    rarity: Mapping[str, float] | None = None,
    inherited: Sequence[WeightedTerm] = (),
    synonyms: Synonyms = (),
) -> Asked:
    """Return a question with its terms weighed by how rare they are, by the blocks alone where `rarity` has none."""
    text = asked_of(normalise(text[:LONG]))
    order = tokens(text)
    handed = [(term, each.weight * factor) for each in inherited for term, factor in _asking(each.text[:LONG])]
    known = dict(rarity or {})
    known |= _among([term for term in (*order, *(term for term, _ in handed)) if term not in known], blocks)
    read = answer_type.read(text, language)
    faint = _faint(read.terms)
    weights = {term: known[term] * min(factor, faint.get(term, 1.0)) for term, factor in _asking(text)}
    for term, weight in handed:
        weights.setdefault(term, weight * known[term])
    weights = weights or {term: known[term] for term in order}
    return Asked(
        text=text,
        language=language,
        weights={term: weight for term, weight in weights.items() if weight > 0},
        pairs=frozenset(pair for pair in pairwise(order) if pair[0] != pair[1]),
        numbers=numbers_in(text),
        amounts=tuple(each for each in amounts(text) if each.unit not in ("", "decade", *_NAMES))[:MOST],
        denies=denies(text),
        kinds=read.kinds,
        called=tuple(terms_named(text, synonyms)),
        extreme=bool(pattern("answering.the_most").search(text)) - bool(pattern("answering.the_least").search(text)),
        of_price=bool(pattern("answering.by_price").search(text)),
        taken=frozenset(weights).difference(tokens(answer_type.without_aside(text))),
    )


def _asking(text: str) -> list[tuple[str, float]]:
    """Return the terms that a question is about, each with what it counts."""
    return [(term, factor) for term, factor in factors_of(text).items() if factor > ENDING]


def _faint(terms: Sequence[Term]) -> Mapping[str, float]:
    """Return what index terms count that stand in Korean words of asking alone: 뭐예 of 뭐예요, 몇마 of 몇마리.

    These have more endings than the frequencies of words know, and what is counted is written together with 몇.
    """
    held = {term for each in terms if each.tells for term in tokens(each.word)}
    asking = {term for each in terms if each.hangul for term in tokens(each.word)}
    return {term: FAINT for term in asking if term.startswith(_HOW_MANY) or (term not in held and factor(term) > KNOWN)}


def denies(text: str) -> bool:
    """Tell whether a text denies something."""
    return bool(pattern("answering.denials").search(text))


@lru_cache(maxsize=2048)
def numbers_in(text: str) -> frozenset[str]:
    """Return the numbers of a text in digits, 09 as 9; one, once and parts say more often something else."""
    worded = (each for each in amounts(text) if not _DIGIT.search(each.written) and each.unit not in _NAMES)
    spelt = {str(each.value) for each in worded if each.value > 1 and each.value.denominator == 1}
    return frozenset(spelt).union(each.lstrip("0") for each in _NUMBER.findall(text))


@lru_cache(maxsize=2048)
def tokens_in(text: str) -> tuple[str, ...]:
    """Return the index terms of a text in their order, as often as they stand there."""
    return tuple(tokens(text))


@lru_cache(maxsize=2048)
def terms_in(text: str) -> frozenset[str]:
    """Return the index terms of a text."""
    return frozenset(tokens_in(text))


def _among(terms: Sequence[str], blocks: Sequence[Block]) -> Mapping[str, float]:
    """Return how rare terms are among the blocks."""
    if not terms:
        return {}
    held = [terms_in(f"{b.passage.title} {b.passage.section} {b.passage.text}") for b in blocks]
    holding = {term: sum(term in each for each in held) for term in terms}
    return rarities(TermCounts(passages=len(held), holding=holding))
