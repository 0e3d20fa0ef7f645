"""The conversations' checkpoints on PostgreSQL: LangGraph's saver, strict about what it reads, and pruned."""

import logging
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Self

import psycopg
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from psycopg import AsyncConnection
from psycopg.rows import DictRow, dict_row
from psycopg_pool import AsyncConnectionPool, PoolTimeout

from agent.errors import StorageError, where
from agent.types import CHECKPOINTED
from storage.checkpoints import is_whole
from storage.postgres.failures import place_of, translated

logger = logging.getLogger(__name__)

_WAIT_SECONDS = 30.0
_PRUNE = (
    """DELETE FROM checkpoints c WHERE thread_id=%(thread)s AND (checkpoint_ns<>'' OR checkpoint_id<
      (SELECT max(checkpoint_id) FROM checkpoints WHERE thread_id=%(thread)s AND checkpoint_ns=''))""",
    """DELETE FROM checkpoint_blobs b WHERE thread_id=%(thread)s AND NOT EXISTS(
      SELECT 1 FROM checkpoints c WHERE c.thread_id=b.thread_id AND c.checkpoint_ns=b.checkpoint_ns
      AND c.checkpoint->'channel_versions'->>b.channel=b.version)""",
    "DELETE FROM checkpoint_writes WHERE thread_id=%(thread)s",  # what a run that was cut off had in hand
    """INSERT INTO conversations(thread, at) VALUES(%(thread)s, %(now)s)
      ON CONFLICT(thread) DO UPDATE SET at=excluded.at""",
)
_FORGET = tuple(
    f"DELETE FROM {table} WHERE {column}=%(thread)s"
    for table, column in (
        ("checkpoints", "thread_id"),
        ("checkpoint_blobs", "thread_id"),
        ("checkpoint_writes", "thread_id"),
        ("conversations", "thread"),
    )
)

Pool = AsyncConnectionPool[AsyncConnection[DictRow]]


class PostgresCheckpoints:
    """The saver on a connection that is made anew when it was lost. `prune` and `forget` belong to a thread's lane."""

    def __init__(self, pool: Pool, saver: AsyncPostgresSaver, place: str) -> None:
        self.saver = saver
        self._pool = pool
        self._place = place

    @classmethod
    async def open(cls, url: str) -> Self:
        """Connect. Raises StorageError."""
        # The saver uses one connection at a time, whatever it is given; a second one serves the rest.
        pool: Pool = AsyncConnectionPool(
            url,
            min_size=1,
            max_size=2,
            timeout=_WAIT_SECONDS,
            open=False,
            kwargs={
                "autocommit": True,
                "prepare_threshold": None,
                "row_factory": dict_row,
                "application_name": "weft checkpoints",
            },
            check=AsyncConnectionPool.check_connection,
        )
        await pool.open()
        saver = AsyncPostgresSaver(pool, serde=JsonPlusSerializer(allowed_msgpack_modules=CHECKPOINTED))
        return cls(pool, saver, place_of(url))

    async def close(self) -> None:
        """Close the connections."""
        await self._pool.close()

    async def readable(self, thread: str, *, version: int) -> bool | None:
        """Tell whether what a thread has kept can be read, and is of this version of the state or an earlier one.

        None where there is nothing. Raises StorageError.
        """
        config: RunnableConfig = {"configurable": {"thread_id": thread}}
        try:
            found = await self.saver.aget_tuple(config)
            return None if found is None else is_whole(found, version)
        except (psycopg.Error, PoolTimeout) as error:
            raise self._told(error) from error
        except Exception as error:  # whatever the serializer makes of damaged bytes
            logger.warning("A checkpoint cannot be read: %s", where(error), extra={"action": "checkpoint_unreadable"})
            return False

    async def prune(self, thread: str) -> None:
        """Keep only the latest checkpoint of a thread, and note that the thread was used. Raises StorageError."""
        await self._run(_PRUNE, thread)

    async def idle(self, *, since: float) -> list[str]:
        """Return the threads that were not used after this time (seconds since the epoch). Raises StorageError."""
        async with self._connected() as connection:
            cursor = await connection.execute("SELECT thread FROM conversations WHERE at<%s", (since,))
            return [row["thread"] for row in await cursor.fetchall()]

    async def forget(self, thread: str) -> None:
        """Delete what a thread has kept. Raises StorageError."""
        await self._run(_FORGET, thread)

    async def _run(self, statements: tuple[str, ...], thread: str) -> None:
        async with self._connected() as connection, connection.transaction():
            for statement in statements:
                await connection.execute(statement.encode(), {"thread": thread, "now": time.time()})

    @asynccontextmanager
    async def _connected(self) -> AsyncIterator[AsyncConnection[DictRow]]:
        try:
            async with self._pool.connection() as connection:
                yield connection
        except (psycopg.Error, PoolTimeout) as error:
            raise self._told(error) from error

    def _told(self, error: Any) -> StorageError:
        return translated(self._place, error)
