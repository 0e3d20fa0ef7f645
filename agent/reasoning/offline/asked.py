"""A question as evidence is weighed against it: its terms with what each counts, and what kind of answer it wants."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from agent.reasoning.offline import question
from agent.reasoning.offline.question import Kind
from agent.text import normalise, tokens
from agent.types import Block, Language, WeightedTerm
from agent.usual import factor

LONG = 1_000
"""Characters of a question that are read; a longer one is a paste, and its beginning tells what it is about."""
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_DENIES = re.compile(
    r"\b(?:not|no|never|without|cannot|can't|don't|doesn't|isn't|won't|except)\b|않|없|못|안 |아닌|제외", re.IGNORECASE
)


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


def asked(
    text: str,
    language: Language,
    blocks: Sequence[Block],
    *,
    rarity: Mapping[str, float] | None = None,
    inherited: Sequence[WeightedTerm] = (),
) -> Asked:
    """Return a question with its terms weighed by how rare they are, by the blocks alone where `rarity` has none."""
    text = normalise(text[:LONG])
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
        numbers=frozenset(_NUMBER.findall(text)),
        denies=bool(_DENIES.search(text)),
        kinds=question.read(text, language).kinds,
    )


def denies(text: str) -> bool:
    """Tell whether a text denies something."""
    return bool(_DENIES.search(text))


def numbers_in(text: str) -> frozenset[str]:
    """Return the numbers of a text as they are written."""
    return frozenset(_NUMBER.findall(text))


def _among(terms: Sequence[str], blocks: Sequence[Block]) -> dict[str, float]:
    """Return how rare terms are among the blocks: the inverse document frequency that BM25 uses, never below 0."""
    if not terms:
        return {}
    held = [set(tokens(f"{b.passage.title} {b.passage.section} {b.passage.text}")) for b in blocks]
    out = {}
    for term in terms:
        n = sum(term in each for each in held)
        out[term] = math.log(1 + (len(held) - n + 0.5) / (n + 0.5))
    return out
