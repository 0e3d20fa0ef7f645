"""Reciprocal rank fusion (Cormack, Clarke, Buettcher 2009): score = sum of weight / (k + rank)."""

from collections.abc import Iterable, Sequence

RRF_K = 60
BOTH_K = 10
"""The same where rankings by words and by meaning come together: what is first in either should be first."""
_SHARPNESS = 1.5
"""How much less a ranking counts whose best is like the others. From 1 to 2 what was measured hardly changes."""
_OTHERS = 10


def fuse(rankings: Iterable[tuple[float, Sequence[int]]], *, k: int = RRF_K) -> list[tuple[int, float]]:
    """Return (id, score), best first, of rankings (weight, ids best first); ranks begin at 1.

    Between equal scores the one seen earlier wins, so a single ranking keeps its order.
    """
    scores: dict[int, float] = {}
    for weight, ids in rankings:
        for rank, identity in enumerate(ids, start=1):
            scores[identity] = scores.get(identity, 0.0) + weight / (k + rank)
    return sorted(scores.items(), key=lambda item: -item[1])


def distinct(ranked: Sequence[tuple[int, float]]) -> float:
    """Return how far the best of a ranking stands out, from 0 (like the tenth) to 1 (there are no others).

    Beside a ranking by meaning, words should decide where they single something out, an error code
    or a name, and should hardly count where they hit many passages alike. Fixed weights do only one of the two.
    """
    if len(ranked) < _OTHERS:
        return 1.0
    best, other = ranked[0][1], ranked[_OTHERS - 1][1]
    return float((1 - max(0.0, other / best)) ** _SHARPNESS) if best > 0 else 0.0
