"""What one turn asks of the embedding model: the same text only once, also while it is under way.

What is embedded before the message is read (`nodes/early_search.py`) is what the search after it asks for. The index of
words is not asked ahead: it answers in some milliseconds.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Sequence
from typing import Any

import numpy as np

from agent.ports import Embeddings, Vectors
from agent.task_group import end


class Asking:
    """One call that everybody shares who wants its texts: given up with the last who waits for it, and not before.

    It stands in `known` under each of its texts, until it fails or is given up: who asks then asks anew.
    """

    def __init__(self, ask: Callable[[], Awaitable[Vectors]], texts: Sequence[str], known: "dict[str, Asking]") -> None:
        self.texts = tuple(texts)
        self._known = known
        self._waiting = 0
        self._task = asyncio.create_task(self._run(ask))
        self._task.add_done_callback(_heard)
        known.update(dict.fromkeys(texts, self))

    @property
    def answer(self) -> Vectors:
        """The vectors, a row for each text, once it was waited for. Raises what the asking raised."""
        return self._task.result()

    @staticmethod
    async def wait(askings: "Collection[Asking]") -> None:
        """Wait until these are done, whatever comes of them."""
        for each in askings:
            each._waiting += 1
        try:
            await asyncio.wait([each._task for each in askings])
        finally:
            for each in askings:
                each._waiting -= 1
            await end(*(each._given_up() for each in askings if not each._waiting and not each._task.done()))

    def _given_up(self) -> "asyncio.Task[Vectors]":
        self._forget()
        return self._task

    async def _run(self, ask: Callable[[], Awaitable[Vectors]]) -> Vectors:
        try:
            return await ask()
        except BaseException:
            self._forget()  # before anybody hears of it
            raise

    def _forget(self) -> None:
        for text in self.texts:
            if self._known.get(text) is self:
                del self._known[text]


def _heard(task: "asyncio.Task[Any]") -> None:
    """Take note of an error that came when nobody waited any more: it is none of anybody's."""
    if not task.cancelled():
        task.exception()


class RememberedEmbeddings:
    """Implements `Embeddings` for one turn: every text is embedded once."""

    def __init__(self, embeddings: Embeddings) -> None:
        self._embeddings = embeddings
        self._known: dict[str, Asking] = {}

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
        return np.stack([each.answer[each.texts.index(text)] for each, text in zip(askings, texts, strict=True)])
