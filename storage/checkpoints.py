"""The conversations' checkpoints: LangGraph's SQLite saver, strict about what it reads, and pruned.

The saver writes the whole state with every checkpoint, so a thread would grow with its square;
only the latest checkpoint of a thread is kept. A row that names a type outside `CHECKPOINTED` is
not turned into an object: the default serializer would run code from a tampered row.
"""

import logging
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Self, cast

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import ChannelVersions, Checkpoint, CheckpointMetadata, CheckpointTuple
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite import SqliteSaver

from agent.errors import StorageError, where
from agent.types import CHECKPOINTED, TurnRecord
from storage.database import Database
from storage.sql import Connection

logger = logging.getLogger(__name__)

_PRUNE = (
    """DELETE FROM checkpoints WHERE thread_id=:thread AND checkpoint_ns='' AND checkpoint_id<
      (SELECT max(checkpoint_id) FROM checkpoints WHERE thread_id=:thread AND checkpoint_ns='')""",
    "DELETE FROM checkpoints WHERE thread_id=:thread AND checkpoint_ns<>''",
    "DELETE FROM writes WHERE thread_id=:thread",  # what a run that was cut off had in hand, document text included
    "INSERT OR REPLACE INTO used VALUES(:thread, :now)",
)
_FORGET = tuple(f"DELETE FROM {table} WHERE thread_id=:thread" for table in ("checkpoints", "writes", "used"))
_PRAGMAS = ("secure_delete=ON", "wal_autocheckpoint=1000")  # so that what was deleted leaves the log soon as well


class _Saver(SqliteSaver):
    """The saver on the thread of its file: a call of the graph is one unit of work there, transaction and all."""

    def __init__(self, database: Database, connection: sqlite3.Connection, serde: JsonPlusSerializer) -> None:
        super().__init__(connection, serde=serde)
        self._database = database

    @contextmanager
    def cursor(self, transaction: bool = True) -> Iterator[sqlite3.Cursor]:
        """Give a cursor in the transaction of the unit of work."""
        with closing(self.conn.cursor()) as cursor:
            yield cursor

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Return the latest checkpoint of a thread. Raises StorageError."""
        return await self._database.read(lambda _: self.get_tuple(config))

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Store a checkpoint. Raises StorageError."""
        return await self._database.write(lambda _: self.put(config, checkpoint, metadata, new_versions))

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Store what a step of a run that was cut off had in hand. Raises StorageError."""
        await self._database.write(lambda _: self.put_writes(config, writes, task_id, task_path))


class SqliteCheckpoints:
    """The saver in a file of its own. Call `prune` and `forget` only while the thread's lane is held."""

    def __init__(self, database: Database, saver: SqliteSaver) -> None:
        self.database = database
        self.saver = saver

    @classmethod
    async def open(cls, path: Path) -> Self:
        """Open or create the file. Raises StorageError, or CorruptError for a damaged file."""
        database = await Database.open(path, ())

        def prepare(connection: Connection) -> SqliteSaver:
            own = cast(sqlite3.Connection, connection)
            saver = _Saver(database, own, JsonPlusSerializer(allowed_msgpack_modules=CHECKPOINTED))
            saver.setup()
            for pragma in _PRAGMAS:
                connection.execute(f"PRAGMA {pragma}").close()
            connection.execute("CREATE TABLE IF NOT EXISTS used(thread_id TEXT PRIMARY KEY, at REAL NOT NULL)")
            return saver

        try:
            return cls(database, await database.read(prepare))
        except BaseException:
            await database.close()
            raise

    async def close(self) -> None:
        """Close the file."""
        await self.database.close()

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
        await self._run(_PRUNE, {"thread": thread, "now": time.time()})

    async def idle(self, *, since: float) -> list[str]:
        """Return the threads that were not used after this time (seconds since the epoch). Raises StorageError."""
        sql = "SELECT thread_id FROM used WHERE at<?"
        return [row[0] for row in await self.database.read(lambda c: c.execute(sql, (since,)).fetchall())]

    async def forget(self, thread: str) -> None:
        """Delete what a thread has kept. Raises StorageError."""
        await self._run(_FORGET, {"thread": thread})

    async def _run(self, statements: Sequence[str], values: dict[str, Any]) -> None:
        def work(connection: Connection) -> None:
            for statement in statements:
                connection.execute(statement, values).close()

        await self.database.write(work)


def is_whole(found: CheckpointTuple, version: int) -> bool:
    """Tell whether a checkpoint holds what it should, and is of this version of the state or an earlier one."""
    values = found.checkpoint["channel_values"]
    kept = values.get("version", version)
    whole = all(isinstance(turn, TurnRecord) for turn in values.get("turns", ()))
    return whole and isinstance(kept, int) and kept <= version
