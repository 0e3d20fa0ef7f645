"""All variations of a question, by words and by meaning, side by side, as one ranking."""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from agent.errors import WeftError
from agent.ports import Embeddings, LexicalIndex, Passages, VectorIndex, Vectors
from agent.retrieval.fuse import BOTH_K, RRF_K, distinct, fuse
from agent.retrieval.word_ranking import READ, Scored, best_first, by_phrases, stems, supported, without_records
from agent.task_group import end, together
from agent.types import Audience, Passage, SearchRequest
from agent.word_frequency import weighed

logger = logging.getLogger(__name__)

CANDIDATES = 50
"""Passages that one variation brings to the fusion."""
_THREAD = 0.4
"""What the meaning of a message behind the questions of its thread counts at least, of 1. On four sets of documents
the first two passages tell 36 of 49 follow-ups instead of 21, and 73 of 109 questions that turn to something else
instead of 76; at .2, 34 and 78."""
_CLOSER = 0.4
"""How much nearer a document that the turns before rest on counts, of the way from the nearest passage to the
furthest; from .3 to .6 what was measured hardly changes."""
PATIENCE = 2.0
"""Seconds that a search waits for the meaning of its question; the words are found long before."""

BY_WORDS = 2.0
"""What a ranking by words counts beside one by meaning, where its best stands out (`distinct`) and nothing is like it.

With the published ranks of BGE-base and ELSER on MTRAG, whole and in random halves, the two together find more than
either alone."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Ranked:
    """Passages by id with their fused scores, best first."""

    order: Scored = ()
    read: dict[int, Passage] = field(default_factory=dict)
    """Those of them that were read for it."""
    meanings: Mapping[int, float] = field(default_factory=dict)
    """How near the nearest are to the first query in meaning, by id; empty where meanings were not compared."""
    words: Mapping[int, float] = field(default_factory=dict)
    """Scores by words for the first query, by id."""

    def near(self, identity: int) -> float | None:
        """Return how near a passage is to the first query; one that is not among the nearest is no nearer than they."""
        return self.meanings.get(identity, min(self.meanings.values())) if self.meanings else None


@dataclass(frozen=True, kw_only=True, slots=True)
class Ranking:
    """The indexes that a question is looked up in."""

    lexical: LexicalIndex
    passages: Passages
    vectors: VectorIndex | None = None
    embeddings: Embeddings | None = None

    async def of(self, request: SearchRequest, *, k: int, audience: Audience) -> Ranked:
        """Return what the queries find, at least `k` passages each where there are as many.

        Passages of the documents in `before` count more.
        """
        queries = request.queries
        comparing = asyncio.create_task(self._by_meaning(request, k, audience))
        try:
            found, read = await self._by_words(request, k, audience)
            by_meaning = await comparing
        finally:
            await end(comparing)
        alone = not any(pairs for _, pairs in by_meaning)
        nearest = [(weight, [identity for identity, _ in pairs]) for weight, pairs in by_meaning]
        rankings = [
            (query.weight * BY_WORDS * (1.0 if alone else distinct(scored)), [identity for identity, _ in scored])
            for query, scored in zip(queries, found, strict=True)
        ]
        meanings = dict(max(by_meaning, key=lambda ranking: ranking[0])[1]) if by_meaning else {}
        order = fuse([*rankings, *nearest], k=RRF_K if alone else BOTH_K)
        return Ranked(order=order, read=read, meanings=meanings, words=dict(found[0]) if found else {})

    async def embedded(self, request: SearchRequest) -> Vectors | None:
        """Return a row for each text that is searched by its meaning (`_meant`); None where none is.

        `PATIENCE` bounds the wait for the model alone. Raises TimeoutError, ModelError, StorageError.
        """
        texts = [text for text, _ in _meant(request)]
        if not texts or self.vectors is None or self.embeddings is None or not await self.vectors.ready():
            return None
        async with asyncio.timeout(PATIENCE):
            return await self.embeddings.embed(texts)

    async def _by_words(
        self, request: SearchRequest, k: int, audience: Audience
    ) -> tuple[list[Scored], dict[int, Passage]]:
        search, queries, filter = self.lexical.search, request.queries, request.filter
        found: Sequence[Scored] = await together(
            *(search(weighed(query), k=k, filter=filter, audience=audience) for query in queries)
        )
        looked_at = dict.fromkeys(identity for pairs in found for identity, _ in pairs[:CANDIDATES])
        read = {passage.id: passage for passage in await self.passages.get(list(looked_at), audience=audience)}
        supporting = [supported(pairs, read) for pairs in found]
        found = [without_records(query.text, each, read) for query, each in zip(queries, supporting, strict=True)]
        best = dict.fromkeys(identity for pairs in found for identity, _ in pairs[:READ])
        order = {i: stems(f"{p.title}\n{p.section}\n{p.text}") for i in best if (p := read.get(i)) is not None}
        ranked = [by_phrases(query.text, pairs, order) for query, pairs in zip(queries, found, strict=True)]
        more = _more(read, request.before)
        return [favoured(pairs, more) for pairs in ranked] if more else ranked, read

    async def _by_meaning(self, request: SearchRequest, k: int, audience: Audience) -> list[tuple[float, Scored]]:
        try:
            rows = await self.embedded(request)
            if rows is None or self.vectors is None:
                return []
            search = self.vectors.search
            found = await together(*(search(row, k=k, filter=request.filter, audience=audience) for row in rows))
            if request.before:
                nearest = dict.fromkeys(identity for pairs in found for identity, _ in pairs[:CANDIDATES])
                read = {passage.id: passage for passage in await self.passages.get(list(nearest), audience=audience)}
                more = _more(read, request.before)
                found = [favoured(pairs, more, _CLOSER * _width(pairs)) for pairs in found]
        except TimeoutError:
            logger.warning("Searching by words only: the embedding came too late", extra={"action": "embedding_late"})
            return []
        except WeftError as error:  # a model that is down, a damaged file: words still find most
            logger.warning("Searching by words only: %s", error, extra={"action": "vector_search_failed"})
            return []
        return [(weight, pairs) for (_, weight), pairs in zip(_meant(request), found, strict=True)]


def _meant(request: SearchRequest) -> list[tuple[str, float]]:
    """Return the texts that are searched by their meaning, each with its weight.

    A message in a thread is compared by itself and behind the questions before it: what it leaves out stands there,
    but one that turns to something else is better found alone.
    """
    texts = [(query.text, query.weight) for query in request.queries if query.by_meaning]
    if not texts or not request.thread:
        return texts
    (first, weight), *rest = texts
    share = _THREAD + (1 - _THREAD) * request.leans
    return [(first, weight * (1 - share)), (request.thread, weight * share), *rest]


def favoured(ranked: Scored, more: Mapping[int, float], unit: float | None = None) -> Scored:
    """Return a ranking in which passages count more by these shares, of their score or of a unit, best first."""
    return best_first([(i, score + (abs(score) if unit is None else unit) * more.get(i, 0.0)) for i, score in ranked])


def _more(read: Mapping[int, Passage], before: Mapping[str, float]) -> dict[int, float]:
    """Return how much more passages count for the document that they are of."""
    return {i: before[p.document_id] for i, p in read.items() if p.document_id in before}


def _width(ranked: Scored) -> float:
    """Return how far the nearest is from the furthest of those that are looked at."""
    return ranked[0][1] - ranked[min(CANDIDATES, len(ranked)) - 1][1] if ranked else 0.0
