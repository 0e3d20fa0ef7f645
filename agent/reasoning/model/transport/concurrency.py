"""How many calls an endpoint gets at once."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from agent.reasoning.model.transport.failures import NotAskedError


class Gate:
    """Lets `places` calls through at once; the others wait in the order in which they came.

    Nobody waits longer than `patience` seconds, and no more than `queue` calls wait at all.
    """

    def __init__(self, *, places: int = 16, queue: int = 64, patience: float = 10.0) -> None:
        self._places = asyncio.Semaphore(places)
        self._queue = queue
        self._patience = patience
        self._waiting = 0

    @asynccontextmanager
    async def place(self) -> AsyncIterator[None]:
        """Hold one place. Raises NotAskedError when none becomes free in time."""
        if self._places.locked() and self._waiting >= self._queue:
            raise NotAskedError("The model has too many calls waiting.")
        self._waiting += 1
        try:
            async with asyncio.timeout(self._patience):
                await self._places.acquire()
        except TimeoutError:
            raise NotAskedError("The model was busy with other calls for too long.") from None
        finally:
            self._waiting -= 1
        try:
            yield
        finally:
            self._places.release()
