"""The knowledge base: every variation of a question, by words and by meaning, fused."""

import asyncio
import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from agent.errors import WeftError
from agent.ports import Embeddings, LexicalIndex, Passages, VectorIndex
from agent.retrieval.fuse import fuse
from agent.types import Audience, Hit, Query, SearchFilter, SearchRequest, SearchResult

logger = logging.getLogger(__name__)

CANDIDATES = 50
"""Passages that one variation brings to the fusion."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Fusion:
    """How much a ranking by words and a ranking by meaning count."""

    lexical: float = 1.0
    vector: float = 1.0


class KnowledgeBase:
    """Search over what the team knows."""

    def __init__(
        self,
        *,
        lexical: LexicalIndex,
        passages: Passages,
        vectors: VectorIndex | None = None,
        embeddings: Embeddings | None = None,
        fusion: Fusion | None = None,
    ) -> None:
        self._lexical = lexical
        self._passages = passages
        self._vectors = vectors
        self._embeddings = embeddings
        self._fusion = fusion or Fusion()

    async def search(self, request: SearchRequest, audience: Audience) -> SearchResult:
        """Return the best passages that all of the audience may read.

        A filter that leaves nothing is dropped, but for its collections, and the result says so.
        """
        started = time.perf_counter()
        ranked = await self._ranked(request, request.filter, audience)
        warnings: tuple[str, ...] = ()
        relaxed = SearchFilter(collections=request.filter.collections)
        if not ranked and request.filter != relaxed:
            ranked = await self._ranked(request, relaxed, audience)
            warnings = ("filter_dropped",) if ranked else ()
        best = ranked[: request.k]
        passages = {p.id: p for p in await self._passages.get([i for i, _ in best], audience=audience)}
        hits = [Hit(passage=passages[i], rank=0, score=score) for i, score in best if i in passages]
        return SearchResult(
            hits=tuple(replace(hit, rank=rank) for rank, hit in enumerate(hits, start=1)),
            warnings=warnings,
            total_ms=(time.perf_counter() - started) * 1000,
        )

    async def empty(self, audience: Audience, filter: SearchFilter) -> bool:
        """Tell whether there is nothing to search for this audience."""
        return await self._passages.empty(audience=audience, collections=filter.collections)

    async def _ranked(
        self, request: SearchRequest, filter: SearchFilter, audience: Audience
    ) -> Sequence[tuple[int, float]]:
        async def by_words(query: Query) -> tuple[float, list[int]]:
            found = await self._lexical.search(query, k=max(CANDIDATES, request.k), filter=filter, audience=audience)
            return query.weight * self._fusion.lexical, [identity for identity, _ in found]

        lexical = asyncio.gather(*(by_words(query) for query in request.queries))
        rankings, by_meaning = await asyncio.gather(lexical, self._by_meaning(request, filter, audience))
        return fuse([*rankings, *by_meaning])

    async def _by_meaning(
        self, request: SearchRequest, filter: SearchFilter, audience: Audience
    ) -> list[tuple[float, list[int]]]:
        if self._vectors is None or self._embeddings is None:
            return []
        try:
            return await self._nearest(self._vectors, self._embeddings, request, filter, audience)
        except WeftError as error:  # a model that is down, a damaged file: words still find most
            logger.warning("Searching by words only: %s", error, extra={"action": "vector_search_failed"})
            return []

    async def _nearest(
        self,
        vectors: VectorIndex,
        embeddings: Embeddings,
        request: SearchRequest,
        filter: SearchFilter,
        audience: Audience,
    ) -> list[tuple[float, list[int]]]:
        if not await vectors.ready():
            return []
        rows = await embeddings.embed([query.text for query in request.queries])
        k = max(CANDIDATES, request.k)
        found = await asyncio.gather(*(vectors.search(row, k=k, filter=filter, audience=audience) for row in rows))
        return [
            (query.weight * self._fusion.vector, [identity for identity, _ in pairs])
            for query, pairs in zip(request.queries, found, strict=True)
        ]
