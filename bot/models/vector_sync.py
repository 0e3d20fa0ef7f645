"""Search by meaning: keeps a vector for every passage, where an embedding model is configured."""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from adapters.services.embedding_texts import Usage
from agent.errors import CorruptError, ModelError, SettingsError, StorageError, WeftError
from agent.ports import Embeddings, TokenMatching, VectorIndex
from agent.reasoning.rules.answering.quotes import pieces_of
from agent.types import Passage
from bot.audience import OPERATOR
from bot.models.embedders import Embedders, is_local, open_embedders, wants_embeddings
from bot.models.reasoners import embedding_price, open_ledger
from bot.models.vector_report import Followed
from bot.settings import Settings
from bot.stores import Locks, database_url, open_database
from storage.contracts import VectorStore
from storage.documents import SqlLibrary

if TYPE_CHECKING:
    from openai import AsyncOpenAI

    from bot.models.usage_embeddings import EmbeddingMeter
logger = logging.getLogger(__name__)

FILE = "vectors.faiss"
STEP = 32
"""Passages embedded and stored at once to begin with, and always by a model on this machine."""
MOST = 256
"""The same of a fast endpoint: each step is twice the one before it, as long as that took less than `STEP_SECONDS`."""
STEP_SECONDS = 5.0
"""What is made in it is lost at most when it is broken off; a step that takes longer than twice that is halved."""
FIRST_PAUSE, LONGEST_PAUSE = 60.0, 3600.0
"""Seconds until an embedding that failed in the background is tried again."""
_ROUNDS = 5
"""How often what was ingested meanwhile is fetched up before the next call does it."""

Tell = Callable[[int, int], None]
"""Is told how many passages are done, and of how many."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Meanings:
    """The vectors and what makes them; nothing at all where no embedding model is configured."""

    library: SqlLibrary
    locks: Locks
    file: VectorStore | None = None
    index: VectorIndex | None = None
    embedders: Embedders | None = None
    price: float = 0.0

    @property
    def embeddings(self) -> Embeddings | None:
        """What turns questions into vectors."""
        return self.embedders.questions if self.embedders else None

    @property
    def matching(self) -> TokenMatching | None:
        """What compares texts with a question token by token, where the model can."""
        return self.embedders.matching if self.embedders else None

    @property
    def slow(self) -> bool:
        """Tell whether nobody should wait for the vectors: each passage takes this machine a while."""
        return self.embedders is not None and self.embedders.local

    async def follow(
        self, tell: Tell = lambda done, total: None, *, waiting: Callable[[], None] = lambda: None
    ) -> Followed:
        """Give every new passage its vector and drop those of removed ones; `waiting`: another process is at it.

        When that fails, what is missing stays findable by its words and is tried again next time.
        """
        if self.file is None or self.embedders is None:
            return Followed()
        before, made, problem, missing = self.embedders.passages.usage, 0, "", 0
        try:
            async with self.locks.ingesting("\1vectors", waiting=waiting):  # else two would pay for the same texts
                made, error, missing = await self._fill(self.file, tell)
                problem = str(error or "")
        except (SettingsError, StorageError) as error:  # a damaged file, or one of another embedding
            problem, missing = str(error), len(await self.library.ids())
        if problem:
            logger.warning("%d passages have no vector yet: %s", missing, problem, extra={"action": "embedding_failed"})
        return self._followed(before, made=made, missing=missing, problem=problem)

    async def complete(self, tell: Tell = lambda done, total: None) -> None:
        """Make the vectors that an ingest did not come to, in the background of what answers; ends when none is left.

        What stops it is logged, and it goes on from there after a pause, which grows.
        """
        pause = FIRST_PAUSE
        while (await self.follow(tell)).missing:
            await asyncio.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)

    async def rebuild(self, tell: Tell = lambda done, total: None, *, forget: bool = False) -> Followed:
        """Make every vector anew beside the ones in use, and then put them in their place.

        What is ingested meanwhile is not lost. `forget`: without what the cache knows. Raises
        ModelError when the endpoint fails: the old vectors stay, and the next call goes on from
        there. Raises LockedError when another process is at it.
        """
        if self.file is None or self.embedders is None:
            return Followed()
        before = self.embedders.passages.usage
        async with self.locks.held("reindex", what="weft reindex"):
            fresh = self.file.beside()
            try:
                await self._begin(fresh, forget=forget)
                _, error, missing = await self._fill(fresh, tell)
                if error is not None:
                    raise _stopped(error, await fresh.count(), missing) from error
                await fresh.save(whole=True)
                async with self.locks.ingesting("\1vectors"):
                    await self.file.take(fresh)
            finally:
                await fresh.close()
            last = await self.follow()  # what was ingested while the files changed places
        return self._followed(before, made=await self.file.count(), missing=last.missing, problem=last.problem)

    async def _begin(self, fresh: VectorStore, *, forget: bool) -> None:
        """Take up what a call that failed has left, where that can be used."""
        if forget:
            await fresh.clear()
            if self.embedders is not None and self.embedders.cache is not None:
                await self.embedders.cache.clear()
        try:
            await fresh.count()
        except (CorruptError, SettingsError):
            await fresh.clear()

    async def _fill(self, file: VectorStore, tell: Tell) -> tuple[int, ModelError | None, int]:
        """Bring a file up to date; returns how many passages got a vector, what stopped it, how many have none."""
        made = 0
        for _ in range(_ROUNDS):
            wanted, there = await self.library.ids(), await file.ids()
            gone, missing = np.setdiff1d(there, wanted), np.setdiff1d(wanted, there)
            if len(gone):
                await file.remove(gone)
                await file.save()
            if not len(missing):
                return made, None, 0
            start, step = 0, STEP
            while start < len(missing):
                tell(start, len(missing))
                begun = time.monotonic()
                try:
                    made += await self._embed(file, missing[start : start + step].tolist())
                except ModelError as error:
                    return made, error, len(missing) - start
                start, step = start + step, self._next(step, time.monotonic() - begun)
            tell(len(missing), len(missing))
        return made, None, 0

    def _next(self, step: int, seconds: float) -> int:
        """Return the size of the step after one that took so long."""
        if self.slow:
            return STEP
        if seconds > 2 * STEP_SECONDS:
            return max(1, step // 2)
        return min(MOST, 2 * step) if seconds < STEP_SECONDS else step

    async def _embed(self, file: VectorStore, ids: list[int]) -> int:
        assert self.embedders is not None  # noqa: S101 - the callers looked
        passages = await self.library.get(ids, audience=OPERATOR)
        if passages:
            rows = await self.embedders.passages.embed([_text(passage) for passage in passages])
            if self.embedders.matching is not None:
                await self.embedders.matching.prepare([text for passage in passages for text in pieces_of(passage)])
            await file.add(np.array([passage.id for passage in passages], dtype=np.int64), rows)
            await file.save()
        return len(passages)

    def _followed(self, before: Usage, *, made: int, missing: int, problem: str) -> Followed:
        usage = self.embedders.passages.usage - before if self.embedders else Usage()
        return Followed(made=made, missing=missing, usage=usage, price=self.price, problem=problem)


@asynccontextmanager
async def open_meanings(
    settings: Settings, client: "AsyncOpenAI | None", library: SqlLibrary, locks: Locks
) -> AsyncIterator[Meanings]:
    """Open the vectors, where there is a model to fill it; its calls are counted. Raises SettingsError."""
    async with _counting(settings, client) as meter, open_embedders(settings, client, meter=meter) as embedders:
        if embedders is None:
            yield Meanings(library=library, locks=locks)
            return
        async with _vectors(settings, library, embedders.passages.name) as (vectors, index):
            yield Meanings(
                library=library,
                locks=locks,
                file=vectors,
                index=index,
                embedders=embedders,
                price=embedding_price(settings, settings.embedding_model),
            )


@asynccontextmanager
async def _vectors(
    settings: Settings, library: SqlLibrary, embedding: str
) -> AsyncIterator[tuple[VectorStore, VectorIndex]]:
    """Give the vectors, and the index that searches them: in a file, or on PostgreSQL."""
    if not database_url(settings):
        from storage.vector_index import VectorIndexOnFile
        from storage.vectors import VectorFile

        file = VectorFile(vector_path(settings), embedding=embedding)
        try:
            yield file, VectorIndexOnFile(file, library.admitted)
        finally:
            await file.close()
        return
    from storage.postgres.vectors import PostgresVectorIndex, PostgresVectors

    async with open_database(settings) as database:
        vectors = PostgresVectors(database, embedding=embedding)
        yield vectors, PostgresVectorIndex(vectors, library.admitted)


@asynccontextmanager
async def _counting(settings: Settings, client: "AsyncOpenAI | None") -> AsyncIterator["EmbeddingMeter | None"]:
    """Give what counts the calls of the embedding endpoint, where there is one.

    What belongs to no turn is stored over a connection of its own, so that no search waits for it.
    """
    if client is None or not wants_embeddings(settings) or is_local(settings):
        yield None
        return
    from bot.models.usage_embeddings import EmbeddingMeter

    async with open_database(settings) as database, open_ledger(settings, database) as ledger:
        yield EmbeddingMeter(ledger)


def vector_path(settings: Settings) -> Path:
    """Return where the vectors are."""
    return settings.data / FILE


def _stopped(error: WeftError, kept: int, missing: int) -> ModelError:
    return ModelError(
        f"{str(error).rstrip('.')}: {kept:,} new vectors are kept and {missing:,} are missing, the old vectors stay in "
        "use: run `weft reindex` again to go on from there"
    )


def _text(passage: Passage) -> str:
    return "\n".join(part for part in (passage.title, passage.section, *passage.asked, passage.text) if part)
