"""What an endpoint takes, remembered over restarts: read once, and written down at the end.

A store that cannot be read or written costs a warning: what it would have told is found out anew.
"""

import logging
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Protocol

from pydantic import TypeAdapter, ValidationError

from agent.errors import StorageError
from agent.reasoning.model.transport.dialect import Dialect, Dialects, Learnt

logger = logging.getLogger(__name__)

_FORM: TypeAdapter[Dialect] = TypeAdapter(Dialect)


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
    """Give what was learnt before; what is learnt from now on is stored when this ends."""
    dialects = Dialects(await _known(store), clock=clock)
    try:
        yield dialects
    finally:
        try:
            for each in dialects.learnt.values():
                await store.keep(each.model, as_text(each.dialect), each.until)
        except StorageError as error:
            logger.warning(
                "What the model's endpoint takes could not be stored: %s", error, extra={"action": "dialect_lost"}
            )


def as_text(dialect: Dialect) -> str:
    """Return a dialect as it is stored."""
    return _FORM.dump_json(dialect).decode()


def from_text(text: str) -> Dialect | None:
    """Return a stored dialect; None for what this Weft would not have written."""
    try:
        return _FORM.validate_json(text, strict=True)
    except ValidationError:
        return None


async def _known(store: DialectStore) -> list[Learnt]:
    try:
        kept = await store.load()
    except StorageError as error:
        logger.warning("What the model's endpoint takes is found out anew: %s", error, extra={"action": "dialect_lost"})
        return []
    read = [(model, from_text(text), until) for model, (text, until) in kept.items()]
    return [Learnt(model=model, dialect=dialect, until=until) for model, dialect, until in read if dialect is not None]
