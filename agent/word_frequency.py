"""What a term of a question counts: by how rare it is, and less where people ask with it than where they ask about it.

How usual a term is in a team's documents the index knows; how usual it is where people ask it cannot: in a statute
`tell` is rarer than any name. `usual.tsv` holds what a term counts of its weight, made of public utterances by
`benchmarks/usual.py`; a term that it does not hold counts in full.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from agent.text import tokens
from agent.types import Query, TermCounts

FILE = Path(__file__).with_name("word_frequency.tsv")


def factor(term: str) -> float:
    """Return what a term of `agent.text.tokens` counts of its weight: 1, or less where people ask with it."""
    return _factors().get(term, 1.0)


def weighed(query: Query) -> Query:
    """Return a query whose usual terms count less; one of usual terms alone stays as it is, in effect."""
    return replace(query, factors=_of(dict.fromkeys(tokens(query.text))))


def _of(terms: Iterable[str]) -> tuple[tuple[str, float], ...]:
    known = _factors()
    return tuple((term, known[term]) for term in terms if term in known)


@lru_cache(maxsize=1)
def _factors() -> Mapping[str, float]:
    lines = FILE.read_text(encoding="utf-8").splitlines()
    return {term: float(weight) for term, _, weight in (line.partition("\t") for line in lines)}


def rarities(counts: TermCounts) -> Mapping[str, float]:
    """Return log(1 + (N - n + .5) / (n + .5)) for each term that n of N passages hold; never below 0."""
    return {term: math.log(1 + (counts.passages - held + 0.5) / (held + 0.5)) for term, held in counts.holding.items()}
