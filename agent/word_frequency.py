"""What a term of a question counts: by how rare it is, and less where people ask with it than where they ask about it.

How usual a term is in a team's documents the index knows; how usual it is where people ask it cannot: in a statute
`tell` is rarer than any name. `word_frequency.tsv` holds what a term counts of its weight, made of public utterances by
`benchmarks/usual.py`; a term that it does not hold counts in full.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from agent.language.ko.letters import SYLLABLES, is_hangul
from agent.language.ko.stems import meant_of
from agent.text import ENGLISH_STOP_WORDS, days_apart, days_of, indexed_words, lowered, term_of_day, terms_of
from agent.types import Query, TermCounts

ENDING = 0.05
"""What a term counts that a question ends with and does not ask about."""
_KOREAN = re.compile(f"(?<![{SYLLABLES}])[{SYLLABLES}]+$")
FILE = Path(__file__).with_name("word_frequency.tsv")


def factor(term: str) -> float:
    """Return what a term of `agent.text.tokens` counts of its weight: 1, or less where people ask with it."""
    return _factors().get(term, 1.0)


def factors_of(text: str) -> Mapping[str, float]:
    """Return what each term of a question counts, those at the end of a Korean predicate next to nothing.

    나요 of 취소되나요 is what people ask with, and 되나 what two syllables make there that are no word together.
    Of a day counts the term that it is found by, not how it is written: a document writes it otherwise.
    """
    days = days_of(text)
    written = {term: ENDING for day in days for word in indexed_words(day.written) for term in terms_of(word)}
    ends: dict[str, bool] = {}
    for word in indexed_words(days_apart(text, days, shown=False)):
        korean = _KOREAN.search(word)  # also behind a name in Latin letters: 는요 of MIT는요
        meant = meant_of(korean[0]) if korean else ""
        asked = {meant[at : at + 2] for at in range(max(1, len(meant) - 1))}
        head, mark, _ = word.replace("’", "'").partition("'")
        is_contraction = bool(mark) and lowered(head) in ENGLISH_STOP_WORDS  # we're is no were, I'll no ill
        for term in terms_of(word):
            is_end = is_contraction or (is_hangul(term) and term not in asked)
            ends[term] = ends.get(term, True) and is_end
    counted = {term: ENDING if is_end else factor(term) for term, is_end in ends.items()}
    named = [*map(term_of_day, days), *(str(day.year) for day in days if day.year)]
    return written | counted | dict.fromkeys(named, 1.0)


def weighed(query: Query) -> Query:
    """Return a query whose usual terms count less; one of usual terms alone stays as it is, in effect."""
    return replace(query, factors=tuple((term, each) for term, each in factors_of(query.text).items() if each < 1))


@lru_cache(maxsize=1)
def _factors() -> Mapping[str, float]:
    lines = FILE.read_text(encoding="utf-8").splitlines()
    return {term: float(weight) for term, _, weight in (line.partition("\t") for line in lines)}


def rarities(counts: TermCounts) -> Mapping[str, float]:
    """Return log(1 + (N - n + .5) / (n + .5)) for each term that n of N passages hold; never below 0."""
    return {term: math.log(1 + (counts.passages - held + 0.5) / (held + 0.5)) for term, held in counts.holding.items()}
