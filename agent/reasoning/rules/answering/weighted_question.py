"""A question as evidence is weighed against it: its terms with what each counts, and what kind of answer it wants."""

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from agent.language.lexicon import pattern
from agent.reasoning.rules.reading import answer_type
from agent.reasoning.rules.reading.answer_type import Kind
from agent.reasoning.rules.reading.search_filters import asked_of
from agent.text import normalise, tokens
from agent.types import Block, Language, TermCounts, WeightedTerm
from agent.values.amounts import amounts
from agent.word_frequency import factor, rarities

LONG = 1_000
"""Characters of a question that are read; a longer one is a paste, and its beginning tells what it is about."""
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_DIGIT = re.compile(r"\d")
_NAMES = ("month_name", "ordinal")
"""Units of an amount that is a name."""


@dataclass(frozen=True, slots=True)
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
    denies: bool
    kinds: frozenset[Kind]

    @property
    def total(self) -> float:
        """The weight of all terms."""
        return sum(self.weights.values())

    def held(self, terms: Set[str]) -> float:
        """Return the weight of its terms that are among these.

        It is summed in the question's order: over a set the last digits would differ from run to run, and what is
        equally good would come first by chance.
        """
        return sum(weight for term, weight in self.weights.items() if term in terms)

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
) -> Asked:
    """Return a question with its terms weighed by how rare they are, by the blocks alone where `rarity` has none."""
    text = asked_of(normalise(text[:LONG]))
    order = tokens(text)
    handed = [(term, each.weight) for each in inherited for term in tokens(each.text[:LONG])]
    known = dict(rarity or {})
    known |= _among([term for term in (*order, *(term for term, _ in handed)) if term not in known], blocks)
    weights = {term: known[term] * factor(term) for term in order}
    for term, weight in handed:
        weights.setdefault(term, weight * known[term] * factor(term))
    return Asked(
        text=text,
        language=language,
        weights={term: weight for term, weight in weights.items() if weight > 0},
        pairs=frozenset(pair for pair in pairwise(order) if pair[0] != pair[1]),
        numbers=numbers_in(text),
        denies=denies(text),
        kinds=answer_type.read(text, language).kinds,
    )


def denies(text: str) -> bool:
    """Tell whether a text denies something."""
    return bool(pattern("answering.denials").search(text))


@lru_cache(maxsize=2048)
def numbers_in(text: str) -> frozenset[str]:
    """Return the numbers of a text as they are written in digits; one, once and parts say more often something else."""
    worded = (each for each in amounts(text) if not _DIGIT.search(each.written) and each.unit not in _NAMES)
    spelt = {str(each.value) for each in worded if each.value > 1 and each.value.denominator == 1}
    return frozenset(spelt).union(_NUMBER.findall(text))


@lru_cache(maxsize=2048)
def terms_in(text: str) -> frozenset[str]:
    """Return the index terms of a text."""
    return frozenset(tokens(text))


def _among(terms: Sequence[str], blocks: Sequence[Block]) -> Mapping[str, float]:
    """Return how rare terms are among the blocks."""
    if not terms:
        return {}
    held = [terms_in(f"{b.passage.title} {b.passage.section} {b.passage.text}") for b in blocks]
    holding = {term: sum(term in each for each in held) for term in terms}
    return rarities(TermCounts(passages=len(held), holding=holding))
