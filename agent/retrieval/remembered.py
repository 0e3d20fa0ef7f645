"""What one turn asks of the word index and of the embedding model: the same only once, also while it is under way.

A search that begins before the message is read (`nodes/early_search.py`) asks for what the search after it asks for.
Filter and audience are part of what is asked: nothing that was found for one audience ever serves another.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Hashable, Mapping, Sequence
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from agent.ports import Embeddings, LexicalIndex, Vectors
from agent.task_group import end
from agent.types import Audience, Query, SearchFilter, TermCounts

Answer = TypeVar("Answer")
Found = Sequence[tuple[int, float]]


class Asking(Generic[Answer]):
    """One asking that everybody shares who wants the same: given up with the last who waits for it, and not before.

    It stands in `known` under each of its keys, until it fails or is given up: who asks then asks anew.
    """

    def __init__(
        self, ask: Callable[[], Awaitable[Answer]], keys: Sequence[Hashable], known: "dict[Any, Asking[Answer]]"
    ) -> None:
        self.keys = tuple(keys)
        self._known = known
        self._waiting = 0
        self._task = asyncio.create_task(self._run(ask))
        self._task.add_done_callback(_heard)
        known.update(dict.fromkeys(keys, self))

    @property
    def answer(self) -> Answer:
        """What came of it, once it was waited for. Raises what the asking raised."""
        return self._task.result()

    @staticmethod
    async def wait(askings: "Collection[Asking[Answer]]") -> None:
        """Wait until these are done, whatever comes of them."""
        for each in askings:
            each._waiting += 1
        try:
            await asyncio.wait([each._task for each in askings])
        finally:
            for each in askings:
                each._waiting -= 1
            await end(*(each._given_up() for each in askings if not each._waiting and not each._task.done()))

    def _given_up(self) -> "asyncio.Task[Answer]":
        self._forget()
        return self._task

    async def _run(self, ask: Callable[[], Awaitable[Answer]]) -> Answer:
        try:
            return await ask()
        except BaseException:
            self._forget()  # before anybody hears of it
            raise

    def _forget(self) -> None:
        for key in self.keys:
            if self._known.get(key) is self:
                del self._known[key]


def _heard(task: "asyncio.Task[Any]") -> None:
    """Take note of an error that came when nobody waited any more: it is none of anybody's."""
    if not task.cancelled():
        task.exception()


class RememberedIndex:
    """Implements `LexicalIndex` for one turn: every search is made once."""

    def __init__(self, index: LexicalIndex) -> None:
        self._index = index
        self._known: dict[tuple[Query, int, SearchFilter, Audience], Asking[Found]] = {}

    async def search(self, query: Query, *, k: int, filter: SearchFilter, audience: Audience) -> Found:
        """Return at most `k` pairs (passage id, BM25 score), best first, all within filter and audience."""
        key = (query, k, filter, audience)
        asking = self._known.get(key) or Asking(
            lambda: self._index.search(query, k=k, filter=filter, audience=audience), [key], self._known
        )
        await Asking.wait([asking])
        return asking.answer

    async def counts(self, terms: Collection[str], *, audience: Audience) -> TermCounts:
        """Return how many readable passages there are, and how many hold each of these terms."""
        return await self._index.counts(terms, audience=audience)

    async def near(self, terms: Collection[str], *, audience: Audience) -> Mapping[str, Sequence[str]]:
        """Return for each of these terms those of readable passages that are a slip of a letter away."""
        return await self._index.near(terms, audience=audience)

    async def documents_holding(
        self, words: Sequence[str], *, filter: SearchFilter, audience: Audience
    ) -> Sequence[NDArray[np.int64]]:
        """Return for each word the documents (`Passage.document`, ascending) in which it stands."""
        return await self._index.documents_holding(words, filter=filter, audience=audience)


class RememberedEmbeddings:
    """Implements `Embeddings` for one turn: every text is embedded once."""

    def __init__(self, embeddings: Embeddings) -> None:
        self._embeddings = embeddings
        self._known: dict[str, Asking[Vectors]] = {}

    @property
    def name(self) -> str:
        """Which model makes the vectors."""
        return self._embeddings.name

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one row a text, in their order; what nobody asked for yet is one call. Raises ModelError."""
        if not texts:
            return await self._embeddings.embed(texts)
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new:
            Asking(lambda: self._embeddings.embed(new), new, self._known)
        askings = [self._known[text] for text in texts]
        await Asking.wait(dict.fromkeys(askings))
        return np.stack([each.answer[each.keys.index(text)] for each, text in zip(askings, texts, strict=True)])
