"""The conversations' checkpoints on PostgreSQL: LangGraph's saver, strict about what it reads, and pruned."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any, Self, TypeVar

import psycopg
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import ChannelVersions, Checkpoint, CheckpointMetadata, CheckpointTuple
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from psycopg import AsyncConnection
from psycopg.rows import DictRow, dict_row
from psycopg_pool import AsyncConnectionPool, PoolClosed, PoolTimeout

from agent.errors import StorageError, where
from agent.types import CHECKPOINTED
from storage.checkpoints import is_whole
from storage.postgres.database import PATIENCE
from storage.postgres.failures import is_lost, place_of, translated

logger = logging.getLogger(__name__)

_WAIT_SECONDS = 30.0
_PAUSE = 0.05
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
T = TypeVar("T")


class _Patient:
    """Tries again where the connection was lost in the middle: whatever is done here may be done twice."""

    def __init__(self, place: str) -> None:
        self._place = place

    async def trying(self, work: Callable[[], Awaitable[T]]) -> T:
        """Return what work returns. Raises StorageError."""
        give_up = time.monotonic() + PATIENCE
        while True:
            try:
                return await work()
            except PoolTimeout as error:
                raise StorageError(
                    f"PostgreSQL at {self._place} gave no connection for {_WAIT_SECONDS:.0f} seconds: "
                    "see whether it runs, and takes enough of them"
                ) from error
            except psycopg.Error as error:
                if not is_lost(error) or isinstance(error, PoolClosed) or time.monotonic() >= give_up:
                    raise translated(self._place, error) from error
            await asyncio.sleep(_PAUSE)


class _Saver(AsyncPostgresSaver):
    """The saver, patient; it is the graph that calls these three."""

    def __init__(self, pool: Pool, patient: _Patient, serde: JsonPlusSerializer) -> None:
        super().__init__(pool, serde=serde)
        self._patient = patient

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        return await self._patient.trying(partial(super().aget_tuple, config))

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        return await self._patient.trying(partial(super().aput, config, checkpoint, metadata, new_versions))

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        await self._patient.trying(partial(super().aput_writes, config, writes, task_id, task_path))


class PostgresCheckpoints:
    """The saver on a connection that is made anew when it was lost. `prune` and `forget` belong to a thread's lane."""

    def __init__(self, pool: Pool, saver: AsyncPostgresSaver, patient: _Patient) -> None:
        self.saver = saver
        self._pool = pool
        self._patient = patient

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
        patient = _Patient(place_of(url))
        return cls(pool, _Saver(pool, patient, JsonPlusSerializer(allowed_msgpack_modules=CHECKPOINTED)), patient)

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
        except StorageError:
            raise
        except Exception as error:  # whatever the serializer makes of damaged bytes
            logger.warning("A checkpoint cannot be read: %s", where(error), extra={"action": "checkpoint_unreadable"})
            return False

    async def prune(self, thread: str) -> None:
        """Keep only the latest checkpoint of a thread, and note that the thread was used. Raises StorageError."""
        await self._run(_PRUNE, thread)

    async def idle(self, *, since: float) -> list[str]:
        """Return the threads that were not used after this time (seconds since the epoch). Raises StorageError."""

        async def work() -> list[str]:
            async with self._pool.connection() as connection:
                cursor = await connection.execute("SELECT thread FROM conversations WHERE at<%s", (since,))
                return [row["thread"] for row in await cursor.fetchall()]

        return await self._patient.trying(work)

    async def forget(self, thread: str) -> None:
        """Delete what a thread has kept. Raises StorageError."""
        await self._run(_FORGET, thread)

    async def _run(self, statements: tuple[str, ...], thread: str) -> None:
        async def work() -> None:
            async with self._pool.connection() as connection, connection.transaction():
                for statement in statements:
                    await connection.execute(statement.encode(), {"thread": thread, "now": time.time()})

        await self._patient.trying(work)
