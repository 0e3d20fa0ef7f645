"""What only one process on any machine may be at: advisory locks, each held by an open transaction.

A transaction, and not a session, because a proxy may share connections among sessions; a process that dies takes its
transaction with it. An open transaction that has read nothing keeps no row from being vacuumed.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

import psycopg

from agent.errors import LockedError, StorageError
from agent.task_group import end
from storage.postgres.failures import place_of, translated

logger = logging.getLogger(__name__)

LOOK = 5.0
"""Seconds between two looks at whether a lock is still held."""
_WAITING = {"action": "lock_waited_for"}
_TRY = "SELECT pg_try_advisory_xact_lock(hashtextextended(%s, 1))"
_WAIT = "SELECT pg_advisory_xact_lock(hashtextextended(%s, 1))"


class PostgresLocks:
    """Locks by name. Raises StorageError where the server is away."""

    def __init__(self, url: str, *, look: float = LOOK) -> None:
        self._url = url
        self._place = place_of(url)
        self._look = look

    @asynccontextmanager
    async def ingesting(self, collection: str, *, waiting: Callable[[], None] = lambda: None) -> AsyncIterator[None]:
        """Wait until nobody else brings documents into this collection, and then go in.

        `waiting` is called once if there is something to wait for.
        """
        async with self._transaction() as connection:
            if not await self._taken(connection, f"ingest {collection}"):
                waiting()
                await connection.execute(_WAIT, (f"ingest {collection}",))
            yield

    @asynccontextmanager
    async def held(self, name: str, *, what: str) -> AsyncIterator[None]:
        """Hold a lock while the body runs. Raises LockedError when another process does."""
        async with self._transaction() as connection:
            if not await self._taken(connection, name):
                raise LockedError(f"{what} is already running on {self._place}: wait for it, or stop it")
            yield

    async def lead(self, name: str, work: Callable[[], Any]) -> None:
        """Run work, which does not end, while holding the lock; wait for the lock, and again when it is lost.

        Whoever holds it is looked after every few seconds; where its process dies another one takes over at once.
        """
        while True:
            try:
                async with self._transaction() as connection:
                    if not await self._taken(connection, name):
                        logger.info("Another process has it. It waits for the lock %r.", name, extra=_WAITING)
                        await connection.execute(_WAIT, (name,))
                    await self._looked_after(connection, name, work)
            except StorageError as error:
                logger.warning("The lock %r was lost: %s.", name, error, extra={"action": "lock_lost"})
            await asyncio.sleep(self._look)

    async def _looked_after(self, connection: psycopg.AsyncConnection[Any], name: str, work: Callable[[], Any]) -> None:
        logger.info("This process has the lock %r now.", name, extra={"action": "lock_taken"})
        task = asyncio.create_task(work())
        try:
            while not task.done():
                await asyncio.wait({task}, timeout=self._look)
                await connection.execute("SELECT 1")
            task.result()
        finally:
            await end(task)

    async def _taken(self, connection: psycopg.AsyncConnection[Any], name: str) -> bool:
        row = await (await connection.execute(_TRY, (name,))).fetchone()
        return bool(row and row[0])

    @asynccontextmanager
    async def _transaction(self) -> AsyncIterator[psycopg.AsyncConnection[Any]]:
        try:
            connection = await psycopg.AsyncConnection.connect(
                self._url, autocommit=True, prepare_threshold=None, application_name="weft lock", connect_timeout=5
            )
            try:
                await connection.execute("BEGIN; SET LOCAL tcp_keepalives_idle = 20; SET LOCAL statement_timeout = 0")
                yield connection
            finally:
                with suppress(psycopg.Error):
                    await connection.close()
        except psycopg.Error as error:
            raise translated(self._place, error) from error
