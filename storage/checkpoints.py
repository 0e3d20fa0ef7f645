"""The conversations' checkpoints: LangGraph's SQLite saver, strict about what it reads, and pruned.

The saver writes the whole state with every checkpoint, so a thread would grow with its square;
only the latest checkpoint of a thread is kept. A row that names a type outside `CHECKPOINTED` is
not turned into an object: the default serializer would run code from a tampered row.
"""

import asyncio
import logging
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Self

import aiosqlite
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import ChannelVersions, Checkpoint, CheckpointMetadata, CheckpointTuple
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from agent.errors import StorageError, where
from agent.types import CHECKPOINTED, TurnRecord
from storage import damage
from storage.database import BUSY_SECONDS, keep_wal

logger = logging.getLogger(__name__)

_PRUNE = (
    """DELETE FROM checkpoints WHERE thread_id=:thread AND checkpoint_ns='' AND checkpoint_id<
      (SELECT max(checkpoint_id) FROM checkpoints WHERE thread_id=:thread AND checkpoint_ns='')""",
    "DELETE FROM checkpoints WHERE thread_id=:thread AND checkpoint_ns<>''",
    "DELETE FROM writes WHERE thread_id=:thread",  # what a run that was cut off had in hand, document text included
)


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """Raise what SQLite says about a file as an error that names it."""
    try:
        yield
    except sqlite3.Error as error:
        raise damage.translated(path, error) from error


class _Saver(AsyncSqliteSaver):
    """The saver, whose errors name its file; it is the graph that calls these three."""

    def __init__(self, connection: aiosqlite.Connection, path: Path, serde: JsonPlusSerializer) -> None:
        super().__init__(connection, serde=serde)
        self._path = path

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        with _named(self._path):
            return await super().aget_tuple(config)

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        with _named(self._path):
            return await super().aput(config, checkpoint, metadata, new_versions)

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        with _named(self._path):
            await super().aput_writes(config, writes, task_id, task_path)


class SqliteCheckpoints:
    """The saver in a file of its own. Call `prune` and `forget` only while the thread's lane is held."""

    def __init__(self, saver: AsyncSqliteSaver, path: Path) -> None:
        self.saver = saver
        self._path = path

    @classmethod
    async def open(cls, path: Path) -> Self:
        """Open or create the file. Raises StorageError, or CorruptError for a damaged file."""
        damage.look(path)
        connection: aiosqlite.Connection | None = None
        try:
            await asyncio.to_thread(damage.check_log, path)
            await asyncio.to_thread(_prepare, path)
            connection = await aiosqlite.connect(path, timeout=BUSY_SECONDS)
            saver = _Saver(connection, path, JsonPlusSerializer(allowed_msgpack_modules=CHECKPOINTED))
            await saver.setup()
            for pragma in ("synchronous=NORMAL", "journal_size_limit=67108864", "secure_delete=ON"):
                await (await connection.execute(f"PRAGMA {pragma}")).close()
            await connection.execute("CREATE TABLE IF NOT EXISTS used(thread_id TEXT PRIMARY KEY, at REAL NOT NULL)")
            await connection.commit()
        except BaseException as error:
            if connection is not None:
                await connection.close()  # its thread would keep the process from ending
            if isinstance(error, sqlite3.Error | UnicodeDecodeError):
                raise damage.translated(path, error) from error
            raise
        return cls(saver, path)

    async def close(self) -> None:
        """Close the file."""
        await self.saver.conn.close()

    async def readable(self, thread: str, *, version: int) -> bool | None:
        """Tell whether what a thread has kept can be read, and is of this version of the state or an earlier one.

        None where there is nothing. Raises StorageError, and CorruptError for a damaged file.
        """
        config: RunnableConfig = {"configurable": {"thread_id": thread}}
        try:
            found = await self.saver.aget_tuple(config)
            if found is None:
                return None
            return is_whole(found, version)
        except StorageError:
            raise
        except Exception as error:  # whatever the serializer makes of damaged bytes
            logger.warning("A checkpoint cannot be read: %s", where(error), extra={"action": "checkpoint_unreadable"})
            return False

    async def prune(self, thread: str) -> None:
        """Keep only the latest checkpoint of a thread, and note that the thread was used. Raises StorageError."""
        with _named(self._path):
            async with self.saver.lock:
                for statement in _PRUNE:
                    await self.saver.conn.execute(statement, {"thread": thread})
                await self.saver.conn.execute("INSERT OR REPLACE INTO used VALUES(?,?)", (thread, time.time()))
                await self.saver.conn.commit()

    async def idle(self, *, since: float) -> list[str]:
        """Return the threads that were not used after this time (seconds since the epoch). Raises StorageError."""
        with _named(self._path):
            async with self.saver.lock:
                rows = await self.saver.conn.execute_fetchall("SELECT thread_id FROM used WHERE at<?", (since,))
        return [row[0] for row in rows]

    async def forget(self, thread: str) -> None:
        """Delete what a thread has kept. Raises StorageError."""
        with _named(self._path):
            await self.saver.adelete_thread(thread)
            async with self.saver.lock:
                await self.saver.conn.execute("DELETE FROM used WHERE thread_id=?", (thread,))
                await self.saver.conn.commit()


def is_whole(found: CheckpointTuple, version: int) -> bool:
    """Tell whether a checkpoint holds what it should, and is of this version of the state or an earlier one."""
    values = found.checkpoint["channel_values"]
    kept = values.get("version", version)
    whole = all(isinstance(turn, TurnRecord) for turn in values.get("turns", ()))
    return whole and isinstance(kept, int) and kept <= version


def _prepare(path: Path) -> None:
    """Create the file as the saver wants it; the saver itself gives up where another process does so just now."""
    with closing(sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)) as connection:
        keep_wal(connection)
