"""How well the pieces of what was found match the question, token by token (late interaction)."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import replace

from agent.errors import ModelError
from agent.ports import TokenMatching, Vectors
from agent.retrieval.fuse import BOTH_K, fuse
from agent.types import Hit, Passage, SearchRequest, SearchResult

logger = logging.getLogger(__name__)

COMPARED = 11
"""Passages whose pieces are compared: as many as an answer may rest on."""
PATIENCE = 2.0
"""Seconds that an answer waits for it."""


class Matching:
    """Compares what was found with its question; `pieces` cuts a passage into what is compared."""

    def __init__(self, model: TokenMatching, pieces: Callable[[Passage], Sequence[str]]) -> None:
        self._model = model
        self._pieces = pieces
        self._late: asyncio.Task[Vectors] | None = None

    async def of(self, request: SearchRequest, result: SearchResult) -> SearchResult:
        """Return what was found with how well its pieces match; as it is where nothing is compared by meaning."""
        first = next((query.text for query in request.queries if query.by_meaning), "")
        if not first:
            return result
        cut = {hit.passage.id: tuple(self._pieces(hit.passage)) for hit in result.hits[:COMPARED]}
        further = (hit.passage for hit in result.hits[COMPARED:] if hit.resumed or hit.told)
        cut |= {passage.id: tuple(self._pieces(passage)) for passage in further}
        texts = list(dict.fromkeys(text for pieces in cut.values() for text in pieces))
        rows = await self._rows([first, request.thread] if request.thread else [first], texts)
        if rows is None:
            return result
        of_text = dict(zip(texts, zip(rows[0].tolist(), rows[-1].tolist(), strict=True), strict=True))

        def matched(hit: Hit) -> Hit:
            return replace(hit, matched=tuple(of_text[text] for text in cut.get(hit.passage.id, ())))

        hits = [matched(hit) for hit in result.hits]
        return replace(result, hits=(*_both_ways(hits[:COMPARED]), *hits[COMPARED:]))

    async def _rows(self, questions: Sequence[str], texts: Sequence[str]) -> Vectors | None:
        """Return what the model says in time; None where it fails, or is still at what came too late before.

        What comes too late is not broken off: the model knows these texts the next time.
        """
        if self._late is not None and not self._late.done():
            return None
        comparing = asyncio.ensure_future(self._model.match(questions, texts))
        try:
            await asyncio.wait({comparing}, timeout=PATIENCE)
        finally:
            if not comparing.done():
                self._late = comparing
                comparing.add_done_callback(_heard)
        if not comparing.done():
            logger.warning("Quotes are not compared by meaning: it takes too long", extra={"action": "matching_late"})
            return None
        try:
            return comparing.result()
        except ModelError as error:
            logger.warning("Quotes are not compared by meaning: %s", error, extra={"action": "matching_failed"})
            return None


def _both_ways(hits: Sequence[Hit]) -> list[Hit]:
    """Return the hits in the order that their search and their best pieces make together, best first.

    Over nine sets of documents the first three tell 447 of 586 questions instead of 420, the first five 473 instead of
    456, the first alone 312 instead of 316.
    """
    best = sorted(hits, key=lambda hit: -max(map(sum, hit.matched), default=0.0))
    found = {hit.passage.id: hit for hit in hits}
    order = fuse([(1.0, list(found)), (1.0, [hit.passage.id for hit in best])], k=BOTH_K)
    return [replace(found[identity], score=hit.score) for (identity, _), hit in zip(order, hits, strict=True)]


def _heard(late: asyncio.Task[Vectors]) -> None:
    """Take what a late one raised, which nobody waits for."""
    if not late.cancelled():
        late.exception()
