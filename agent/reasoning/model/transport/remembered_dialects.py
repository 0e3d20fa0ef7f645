"""What an endpoint takes, remembered over restarts: read once, and written down in its own time.

A store that cannot be read or written costs a warning: what it would have told is found out anew.
"""

import asyncio
import json
import logging
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import fields
from typing import Protocol

from pydantic import TypeAdapter, ValidationError

from agent.errors import StorageError
from agent.reasoning.model.transport.dialect import Dialect, Dialects, Learnt

logger = logging.getLogger(__name__)

_FORM: TypeAdapter[Dialect] = TypeAdapter(Dialect)
_FIELDS = {field.name for field in fields(Dialect)}


class DialectStore(Protocol):
    """What was learnt of the models of one endpoint. Of two that learn of one model at once the last one wins."""

    async def load(self) -> Mapping[str, tuple[str, float]]:
        """Return, by model, the text that was kept, and its end (seconds since the epoch). Raises StorageError."""
        ...

    async def keep(self, model: str, text: str, until: float) -> None:
        """Keep a text about a model in the place of the one before. Raises StorageError."""
        ...


@asynccontextmanager
async def remembered(store: DialectStore, *, clock: Callable[[], float] = time.time) -> AsyncIterator[Dialects]:
    """Give what was learnt before; what is learnt from now on is stored at the latest when this ends."""
    writer = _Writer(store)
    try:
        yield Dialects(await _known(store), clock=clock, told=writer.write)
    finally:
        await writer.close()


def as_text(dialect: Dialect) -> str:
    """Return a dialect as it is stored."""
    return _FORM.dump_json(dialect).decode()


def from_text(text: str) -> Dialect | None:
    """Return a stored dialect; None for what this Weft would not have written."""
    try:
        values = json.loads(text)
        if not isinstance(values, dict) or values.keys() != _FIELDS:
            return None
        return _FORM.validate_json(text, strict=True)
    except (ValidationError, ValueError, RecursionError):
        return None


async def _known(store: DialectStore) -> list[Learnt]:
    try:
        kept = await store.load()
    except StorageError as error:
        logger.warning("What the model's endpoint takes is found out anew: %s", error, extra={"action": "dialect_lost"})
        return []
    read = [(model, from_text(text), until) for model, (text, until) in kept.items()]
    return [Learnt(model=model, dialect=dialect, until=until) for model, dialect, until in read if dialect is not None]


class _Writer:
    """Stores what is learnt, one entry at a time; of a model only the latest."""

    def __init__(self, store: DialectStore) -> None:
        self._store = store
        self._pending: dict[str, Learnt] = {}
        self._writing: asyncio.Task[None] | None = None

    def write(self, learnt: Learnt) -> None:
        """Note what is to be stored; returns at once."""
        self._pending[learnt.model] = learnt
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write())

    async def close(self) -> None:
        """Return when all is stored, or was found impossible to store."""
        if self._writing is not None:
            await self._writing

    async def _write(self) -> None:
        while self._pending:
            learnt = self._pending.pop(next(iter(self._pending)))
            try:
                await self._store.keep(learnt.model, as_text(learnt.dialect), learnt.until)
            except StorageError as error:
                logger.warning(
                    "What the model's endpoint takes could not be stored: %s", error, extra={"action": "dialect_lost"}
                )
