"""What other processes changed, as soon as they did: LISTEN on a connection of its own, where the server allows it.

Nobody depends on it: behind a proxy that shares connections nothing comes, and everybody looks for himself.
"""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import psycopg

from agent.task_group import end

logger = logging.getLogger(__name__)

CHANNEL = "weft"
_PAUSE = 2.0
"""Seconds until a connection that was lost is made anew."""


class Listener:
    """Events by topic, set from the payloads of notifications."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._events: dict[str, list[asyncio.Event]] = {}
        self.heard = asyncio.Event()
        """Set once it listens."""

    def event(self, topic: str) -> asyncio.Event:
        """Return a new event that is set whenever something of this topic changes."""
        event = asyncio.Event()
        self._events.setdefault(topic, []).append(event)
        return event

    async def run(self) -> None:
        """Listen until cancelled, over outages too."""
        while True:
            try:
                await self._listen()
            except psycopg.Error:
                logger.info("PostgreSQL no longer tells of changes; it is asked instead.", extra={"action": "unheard"})
            await asyncio.sleep(_PAUSE)

    async def _listen(self) -> None:
        connection = await psycopg.AsyncConnection.connect(
            self._url, autocommit=True, prepare_threshold=None, application_name="weft listen", connect_timeout=5
        )
        async with connection:
            await connection.execute(f"LISTEN {CHANNEL}")
            self._wake(*self._events)  # whatever happened before
            self.heard.set()
            async for notification in connection.notifies():
                self._wake(notification.payload)

    def _wake(self, *topics: str) -> None:
        for topic in topics:
            for event in self._events.get(topic, ()):
                event.set()


@asynccontextmanager
async def listening(url: str) -> AsyncIterator[Listener]:
    """Give a listener that runs meanwhile."""
    listener = Listener(url)
    task = asyncio.create_task(listener.run())
    try:
        yield listener
    finally:
        await end(task)
