"""Words that stand side by side in a question and in a passage: `annual leave` is not `leave` and `annual`.

BM25 knows nothing of order. That a passage keeps a question's words together was worth more on
every set that was measured than any choice of BM25's parameters.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise

from agent.text import indexed_words, stems_of

READ = 20
"""The best passages of a ranking by words that are read; reading 50 changed nothing."""
WEIGHT = 0.5
"""What a question's phrases, all found, add to a score, in shares of the best score; from .3 on little changes."""

Scored = Sequence[tuple[int, float]]


@lru_cache(maxsize=1_024)
def stems(text: str) -> tuple[str, ...]:
    """Return the words of a text that carry meaning, by stem, in order. The passages that many ask for are known."""
    return tuple(stem for word in indexed_words(text) for stem in stems_of(word))


def by_phrases(question: str, ranked: Scored, read: Mapping[int, Sequence[str]]) -> list[tuple[int, float]]:
    """Return a ranking by words with scores that count phrases too, best first, 1 for what the best had without.

    `read` holds the stems of the best passages; the others keep their scores.
    """
    best = max((abs(score) for _, score in ranked), default=0.0) or 1.0
    words = stems(question)
    pairs = {pair for pair in pairwise(words) if pair[0] != pair[1]}
    share = WEIGHT / max(1, len(words))
    scored = [
        (identity, score / best + (share * _together(pairs, read[identity]) if identity in read else 0.0))
        for identity, score in ranked
    ]
    return sorted(scored, key=lambda pair: -pair[1])


def _together(pairs: set[tuple[str, str]], order: Sequence[str]) -> int:
    """Return how many of the pairs stand side by side in a text, or are written together: 육아 휴직 as 육아휴직."""
    if not pairs:
        return 0
    found = pairs & set(pairwise(order))
    known = set(order)
    return len(found) + sum("".join(pair) in known for pair in pairs - found)
