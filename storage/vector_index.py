"""The vector file as the port that the agent searches."""

from collections.abc import Awaitable, Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from agent.types import Audience, SearchFilter
from storage.vectors import VectorFile

AllowedIds = Callable[[SearchFilter, Audience], Awaitable[NDArray[np.int64] | None]]
"""Returns the ids of the passages within filter and audience; None: every passage there is."""


class VectorIndexOnFile:
    """Implements `VectorIndex`: filter and audience become ids, and only those are compared."""

    def __init__(self, vectors: VectorFile, allowed_ids: AllowedIds) -> None:
        self._vectors = vectors
        self._allowed_ids = allowed_ids

    async def search(
        self, vector: NDArray[np.float32], *, k: int, filter: SearchFilter, audience: Audience
    ) -> Sequence[tuple[int, float]]:
        """Return at most `k` pairs (passage id, similarity), best first, all within filter and audience."""
        return await self._vectors.search(vector, k, await self._allowed_ids(filter, audience))

    async def ready(self) -> bool:
        """Tell whether there is anything to search."""
        return await self._vectors.count() > 0
