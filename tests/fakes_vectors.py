"""A vector index without an index: every vector is compared."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from agent.types import Audience, SearchFilter
from tests.contracts.vectors import Entry


class BruteForceVectors:
    """Implements `VectorIndex` over entries in memory."""

    def __init__(self, entries: Mapping[int, Entry] | None = None) -> None:
        self.entries = dict(entries or {})

    async def search(
        self, vector: NDArray[np.float32], *, k: int, filter: SearchFilter, audience: Audience
    ) -> Sequence[tuple[int, float]]:
        within = [entry for entry in self.entries.values() if entry.within(filter, audience)]
        scored = [(entry.id, float(entry.vector @ vector)) for entry in within]
        return sorted(scored, key=lambda pair: (-pair[1], pair[0]))[:k]

    async def ready(self) -> bool:
        return bool(self.entries)
