"""Passages of one document support each other: where several are found, the document is about what was asked.

A passage of a few hundred characters often leaves out what it is about, because the one before it said so.
"""

from collections import defaultdict
from collections.abc import Mapping
from math import log1p

from agent.retrieval.phrases import Scored
from agent.types import Passage

# In shares of the best score. Half and twice as much found about as many on the sets that were measured.
NEIGHBOUR = 0.05
"""What a passage has of the scores of those right before and after it."""
DOCUMENT = 0.1
"""What it has of the logarithm of all that else was found of its document."""


def supported(ranked: Scored, read: Mapping[int, Passage]) -> list[tuple[int, float]]:
    """Return a ranking by words with what the passages of a document add to each other, best first.

    Only those that were `read` support and are supported; they are the best ones, so the others stay behind them.
    """
    best = max((score for _, score in ranked), default=0.0)
    if best <= 0:
        return list(ranked)
    shares = {identity: score / best for identity, score in ranked if identity in read}
    places = {(read[i].collection, read[i].document_id, read[i].position): share for i, share in shares.items()}
    totals: defaultdict[tuple[str, str], float] = defaultdict(float)
    for identity, share in shares.items():
        totals[read[identity].collection, read[identity].document_id] += share
    out = []
    for identity, score in ranked:
        more = 0.0
        if identity in shares:
            passage = read[identity]
            where = passage.collection, passage.document_id
            around = sum(places.get((*where, passage.position + step), 0.0) for step in (-1, 1))
            more = NEIGHBOUR * around + DOCUMENT * log1p(max(0.0, totals[where] - shares[identity]))
        out.append((identity, score + best * more))
    return sorted(out, key=lambda pair: -pair[1])
