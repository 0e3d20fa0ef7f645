"""What turns texts into vectors, as the settings name it: an endpoint, or a model on this machine."""

import asyncio
import logging
import os
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agent.errors import SettingsError, StorageError
from bot.settings import Settings

if TYPE_CHECKING:
    from openai import AsyncOpenAI

    from adapters.services.bundled_matching import BundledMatching
    from adapters.services.embedding_texts import EmbeddingCall, TextEmbeddings
    from bot.models.usage_embeddings import EmbeddingMeter
    from storage.embedding_cache import SqliteEmbeddingCache

logger = logging.getLogger(__name__)

BUNDLED = "local"
"""The embedding model that the extra `local` brings."""
CACHE = "embeddings.db"
_GIVES_WAY = 10
"""Of the process that embeds passages: its niceness."""
_TEXTS = 2_000
"""Of which the tokens are kept in memory where there is no cache: some 8 MB."""
QUESTION_SECONDS = 5.0
"""How long an asker waits for a vector; after it the search goes by words."""
REST = 30.0
"""Seconds for which an endpoint that failed is not asked about questions."""
PASSAGE_SECONDS = 60.0
PATIENCE = 300.0
"""Seconds until an ingest gives up on a batch that the endpoint puts off again and again."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Embedders:
    """One model with its two sides: a question may want another prefix than a passage."""

    questions: "TextEmbeddings"
    passages: "TextEmbeddings"
    cache: "SqliteEmbeddingCache | None" = None
    """Of the passages; None where it could not be opened."""
    local: bool = False
    matching: "BundledMatching | None" = None
    """What compares texts with a question token by token, where the model can."""


def wants_embeddings(settings: Settings) -> bool:
    """Tell whether the settings name an embedding model that can be asked."""
    return bool(settings.embedding_model) and (settings.model_configured or is_local(settings))


def is_local(settings: Settings) -> bool:
    """Tell whether the embedding model is on this machine, which costs nothing to ask: a folder, or the bundled one."""
    from adapters.services.embedding_folder import is_folder

    return settings.embedding_model == BUNDLED or is_folder(settings.embedding_model)


@asynccontextmanager
async def open_embedders(
    settings: Settings, client: "AsyncOpenAI | None", *, cached: bool = True, meter: "EmbeddingMeter | None" = None
) -> AsyncIterator[Embedders | None]:
    """Make what the settings name, nothing where they name nothing. Raises SettingsError.

    `cached`: passages go through the cache in the data folder. `meter` counts the calls of an endpoint.
    """
    async with AsyncExitStack() as stack:
        if not wants_embeddings(settings):
            yield None
            return
        cache = await _cache(settings, stack) if cached else None
        if settings.embedding_model == BUNDLED:
            yield _bundled(settings, cache, stack)
        elif is_local(settings):
            yield await _local(settings, cache, stack)
        elif client is not None:
            yield _remote(settings, client, cache, meter)
        else:
            yield None


def _remote(
    settings: Settings,
    client: "AsyncOpenAI",
    cache: "SqliteEmbeddingCache | None",
    meter: "EmbeddingMeter | None",
) -> Embedders:
    from adapters.services.embedding_texts import RecentVectors
    from adapters.services.embeddings import OpenAIEmbeddings

    return Embedders(
        questions=OpenAIEmbeddings(
            client,
            model=settings.embedding_query_model or settings.embedding_model,
            prefix=settings.embedding_query_prefix or "",
            dimensions=settings.embedding_dimensions,
            timeout=QUESTION_SECONDS,
            patience=QUESTION_SECONDS,
            tries=2,
            rest=REST,
            cache=RecentVectors(),
            told=meter.question if meter else _uncounted,
        ),
        passages=OpenAIEmbeddings(
            client,
            model=settings.embedding_model,
            prefix=settings.embedding_document_prefix or "",
            dimensions=settings.embedding_dimensions,
            timeout=PASSAGE_SECONDS,
            patience=PATIENCE,
            cache=cache,
            told=meter.passages if meter else _uncounted,
        ),
        cache=cache,
    )


def _uncounted(call: "EmbeddingCall") -> None:
    """Forget a call."""


def _bundled(settings: Settings, cache: "SqliteEmbeddingCache | None", stack: AsyncExitStack) -> Embedders:
    """Return the bundled model in two processes: a question does not wait for passages, which give way to all else."""
    from adapters.services.bundled_embeddings import BundledEmbeddings, BundledModel
    from adapters.services.bundled_matching import BundledMatching
    from adapters.services.embedding_texts import RecentVectors

    given = ("embedding_query_model", "embedding_query_prefix", "embedding_document_prefix", "embedding_dimensions")
    if known := [name for name in given if getattr(settings, name)]:
        raise SettingsError(f"{known[0]} goes with another embedding model than {BUNDLED!r}: leave it out")
    cores = os.cpu_count() or 1
    asking, storing = BundledModel(threads=cores), BundledModel(threads=cores, nice=_GIVES_WAY)
    for model in (asking, storing):
        stack.push_async_callback(model.close)
    return Embedders(
        questions=BundledEmbeddings(asking, question=True, cache=RecentVectors()),
        passages=BundledEmbeddings(storing, question=False, cache=cache),
        cache=cache,
        local=True,
        matching=BundledMatching(asking=asking, storing=storing, cache=cache or RecentVectors(_TEXTS)),
    )


async def _local(settings: Settings, cache: "SqliteEmbeddingCache | None", stack: AsyncExitStack) -> Embedders:
    from pathlib import Path

    from adapters.services.embedding_folder import ModelFolder
    from adapters.services.embedding_texts import RecentVectors
    from adapters.services.local_embeddings import LocalEmbeddings, LocalModel

    if settings.embedding_query_model:
        raise SettingsError(
            "embedding_query_model goes with an endpoint; a folder has one model for both: leave it out"
        )
    folder = await asyncio.to_thread(ModelFolder.read, Path(settings.embedding_model))
    model = LocalModel(folder)
    stack.callback(model.close)
    asking, stored = settings.embedding_query_prefix, settings.embedding_document_prefix
    return Embedders(
        questions=LocalEmbeddings(
            model, prefix=folder.query_prefix if asking is None else asking, cache=RecentVectors()
        ),
        passages=LocalEmbeddings(model, prefix=folder.document_prefix if stored is None else stored, cache=cache),
        cache=cache,
        local=True,
    )


async def _cache(settings: Settings, stack: AsyncExitStack) -> "SqliteEmbeddingCache | None":
    from storage.embedding_cache import SqliteEmbeddingCache

    path = settings.data / CACHE
    try:
        cache = await SqliteEmbeddingCache.open(path, size=settings.embedding_cache_bytes)
    except StorageError as error:
        logger.warning(
            "Embedding without its cache, which only saves money (%s): delete %s to begin a new one",
            error,
            path,
            extra={"action": "embedding_cache_failed"},
        )
        return None
    stack.push_async_callback(cache.close)
    return cache
