"""Reciprocal rank fusion (Cormack, Clarke, Buettcher 2009): score = sum of weight / (k + rank)."""

from collections.abc import Iterable, Sequence

RRF_K = 60


def fuse(rankings: Iterable[tuple[float, Sequence[int]]], *, k: int = RRF_K) -> list[tuple[int, float]]:
    """Return (id, score), best first, of rankings (weight, ids best first); ranks begin at 1.

    Between equal scores the one seen earlier wins, so a single ranking keeps its order.
    """
    scores: dict[int, float] = {}
    for weight, ids in rankings:
        for rank, identity in enumerate(ids, start=1):
            scores[identity] = scores.get(identity, 0.0) + weight / (k + rank)
    return sorted(scores.items(), key=lambda item: -item[1])
