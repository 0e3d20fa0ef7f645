"""Search by meaning: keeps a vector for every passage, where an embedding model is configured."""

import logging
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from agent.errors import ModelError
from agent.ports import Embeddings, VectorIndex
from agent.types import Passage
from bot.audience import OPERATOR
from bot.settings import Settings
from storage.documents import SqliteLibrary

if TYPE_CHECKING:
    from openai import AsyncOpenAI

    from storage.vectors import VectorFile

logger = logging.getLogger(__name__)

BATCH = 256
"""Passages embedded and stored at once, so that an interruption loses little."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Meanings:
    """The vectors and what makes them; nothing at all where no embedding model is configured."""

    library: SqliteLibrary
    file: "VectorFile | None" = None
    index: VectorIndex | None = None
    embeddings: Embeddings | None = None

    async def follow(self) -> int:
        """Give every new passage its vector and drop those of removed ones; returns how many are new.

        When the endpoint fails, what is missing stays findable by its words and is tried again next time.
        """
        if self.file is None or self.embeddings is None:
            return 0
        wanted, there = await self.library.ids(), await self.file.ids()
        gone, missing = np.setdiff1d(there, wanted), np.setdiff1d(wanted, there)
        if len(gone):
            await self.file.remove(gone)
        done = 0
        try:
            for start in range(0, len(missing), BATCH):
                ids = missing[start : start + BATCH]
                passages = await self.library.get(ids.tolist(), audience=OPERATOR)
                rows = await self.embeddings.embed([_text(passage) for passage in passages])
                await self.file.add(np.array([passage.id for passage in passages], dtype=np.int64), rows)
                done += len(passages)
        except ModelError as error:
            logger.warning(
                "%d passages have no vector yet: %s", len(missing) - done, error, extra={"action": "embedding_failed"}
            )
        if len(gone) or done:
            await self.file.save()
        return done

    async def rebuild(self) -> int:
        """Make every vector anew and then put them in place of the old ones; returns how many there are.

        Raises ModelError when the endpoint fails: the old vectors then stay as they are.
        """
        if self.file is None or self.embeddings is None:
            return 0
        from storage.vectors import VectorFile

        path = self.file.path
        fresh_path = path.with_name(path.name + ".new")
        fresh_path.unlink(missing_ok=True)
        fresh = replace(self, file=VectorFile(fresh_path, embedding=self.embeddings.name))
        assert fresh.file is not None  # noqa: S101 - made above
        try:
            made = await fresh.follow()
            if made < len(await self.library.ids()):
                raise ModelError("the embedding endpoint did not answer for every passage; the old vectors stay")
            await fresh.file.save()
            os.replace(fresh_path, path)
        finally:
            await fresh.file.close()
            fresh_path.unlink(missing_ok=True)
        return made


@asynccontextmanager
async def open_meanings(
    settings: Settings, client: "AsyncOpenAI | None", library: SqliteLibrary
) -> AsyncIterator[Meanings]:
    """Open the vector file, where there is a model to fill it. Raises CorruptError, SettingsError."""
    if client is None or not settings.embedding_model:
        yield Meanings(library=library)
        return
    from adapters.services.embeddings import OpenAIEmbeddings
    from storage.vector_index import VectorIndexOnFile
    from storage.vectors import VectorFile

    embeddings = OpenAIEmbeddings(client, model=settings.embedding_model)
    file = VectorFile(settings.data / "vectors.faiss", embedding=embeddings.name)
    try:
        yield Meanings(
            library=library, file=file, index=VectorIndexOnFile(file, library.admitted), embeddings=embeddings
        )
    finally:
        await file.close()


def _text(passage: Passage) -> str:
    return "\n".join(part for part in (passage.title, passage.section, passage.text) if part)
