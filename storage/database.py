"""One SQLite file: its thread, its transactions, its schema version.

Every database file has one connection on one thread of its own. A unit of work is a plain function
of the connection, run whole on that thread, so no other work of this process comes in between;
other processes are kept out by `BEGIN IMMEDIATE`.
"""

import asyncio
import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Self, TypeVar

from agent.errors import StorageError
from agent.types import Audience
from storage import damage
from storage.sql import Connection, Work

T = TypeVar("T")

BUSY_SECONDS = 30.0
"""How long a write waits for another process; 50 ms was measured to fail under load."""
_BUSY_PAUSE = 0.01
_CACHE = 2_048
"""Of pages, in KiB: a process that serves must not grow with its files, which the system keeps in memory anyway."""
_WIDE_CACHE = 65_536
"""While much is written."""


def keep_wal(connection: sqlite3.Connection) -> None:
    """Put the file into WAL mode, in which it stays.

    Where two processes create one file, SQLite refuses the change to one of them at once, whatever its time limit
    (a lock that is held while another is asked for could wait for ever): so it is asked for again, for that long.
    """
    give_up = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL").close()
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() >= give_up:
                raise
            time.sleep(_BUSY_PAUSE)
        else:
            return


def _text(content: bytes) -> str:
    """Return a text as it is read; one of which a byte was damaged costs its own row, and not every reader of all."""
    return content.decode("utf-8", "replace")


def _keep_private(path: Path) -> None:
    """Make the file where there is none, and let nobody but its owner read it. Raises StorageError."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
        path.chmod(0o600)
    except OSError as error:
        raise StorageError(f"{path} cannot be used: {error.strerror or type(error).__name__}") from error


class Database:
    """A SQLite file in WAL mode (`storage.sql.SqlDatabase`)."""

    skip_locked = ""
    poll = 0.2

    def __init__(self, path: Path) -> None:
        self.path = path
        self._thread = ThreadPoolExecutor(1, thread_name_prefix=f"sqlite-{path.stem}")
        self._connection: sqlite3.Connection | None = None
        self._closed = False
        self._durable = False

    @classmethod
    async def open(cls, path: Path, migrations: Sequence[str], *, durable: bool = False, private: bool = False) -> Self:
        """Open or create the file and bring its schema up to date.

        `durable` waits for the disk at each commit; without it a power cut (not a crash) may lose
        the last commits. `private`: nobody but its owner may read it. Raises StorageError, or CorruptError for a
        damaged file.
        """
        database = cls(path)
        database._durable = durable
        try:
            await database._run(lambda: database._connect(migrations, private=private))
        except BaseException:
            await database.close()
            raise
        return database

    def bytes_of(self, column: str) -> str:
        """Return the expression for the bytes of a text, also of one that is damaged."""
        return f"CAST({column} AS BLOB)"

    async def read(self, work: Work[T], *, audience: Audience | None = None) -> T:
        """Run `work` on the connection and return its result. The stores alone keep to the audience here."""
        return await self._run(lambda: work(self._open()))

    async def write(self, work: Work[T], *, alone: str = "", lasting: bool = True) -> T:
        """Run `work` in one transaction: all of it is stored, or nothing. Nobody else writes meanwhile.

        What is not `lasting` does not wait for the disk in a `durable` file either; the next that does takes it along.
        """
        if lasting or not self._durable:
            return await self._run(lambda: self._transaction(work))
        return await self._run(lambda: self._at_once(work))

    async def erase(self, work: Work[T]) -> T:
        """Run `work`, which deletes what people said, in one transaction; its words stand in no free page then."""

        def overwriting(connection: Connection) -> T:
            connection.execute("PRAGMA secure_delete=ON").close()
            try:
                return work(connection)
            finally:
                connection.execute("PRAGMA secure_delete=OFF").close()

        return await self.write(overwriting)

    async def scrub(self) -> None:
        """Fold the log into the file: until then, what was deleted still stands in it."""
        await self._run(lambda: self._open().execute("PRAGMA wal_checkpoint(TRUNCATE)").close())

    @contextmanager
    def moment(self) -> Iterator[Connection]:
        """Give a connection of its own, in a transaction that sees one moment; `COMMIT` keeps what it changed."""
        try:
            with closing(sqlite3.connect(self.path, timeout=BUSY_SECONDS, isolation_level=None)) as connection:
                connection.execute("BEGIN")
                yield connection
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            raise damage.translated(self.path, error) from error

    def event(self, topic: str) -> asyncio.Event:
        """Return an event of this process alone: SQLite tells nobody of a change."""
        return asyncio.Event()

    async def widen(self) -> None:
        """Keep many more pages in memory, until it is closed: for a command that writes much, and ends."""
        await self._run(lambda: self._open().execute(f"PRAGMA cache_size=-{_WIDE_CACHE}").close())

    async def close(self) -> None:
        """Close the file. Nothing may be running."""
        self._closed = True
        connection, self._connection = self._connection, None
        if connection is not None:
            await asyncio.get_running_loop().run_in_executor(self._thread, connection.close)
        self._thread.shutdown(wait=False)

    async def _run(self, work: Callable[[], T]) -> T:
        if self._closed:
            raise StorageError(f"{self.path} is closed")
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, work)
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            raise damage.translated(self.path, error) from error

    def _connect(self, migrations: Sequence[str], *, private: bool) -> None:
        held = damage.look(self.path)
        damage.check_log(self.path)
        if private:
            _keep_private(self.path)
        # Only the thread of the pool ever touches the connection, close() included.
        connection = sqlite3.connect(
            self.path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False, cached_statements=256
        )
        self._connection = connection
        connection.text_factory = _text
        keep_wal(connection)
        connection.execute(f"PRAGMA synchronous={'FULL' if self._durable else 'NORMAL'}")
        connection.execute("PRAGMA foreign_keys=ON")
        connection.execute("PRAGMA journal_size_limit=67108864")
        # A page is written into the file once for many commits (and looked up in memory, where `widen` was called):
        # twice as fast for an ingest.
        connection.execute("PRAGMA wal_autocheckpoint=16000")
        connection.execute(f"PRAGMA cache_size=-{_CACHE}")
        if held and migrations:
            damage.check_begun(connection, self.path)
        self._migrate(connection, migrations)
        damage.check_schema(connection, self.path, migrations)

    def _migrate(self, connection: sqlite3.Connection, migrations: Sequence[str]) -> None:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if not 0 <= version < damage.MISTAKEN:
            raise damage.damaged(self.path, f"schema {version}")
        if version > len(migrations):
            raise StorageError(f"{self.path} was written by a newer Weft (schema {version}): update Weft")
        for number, script in enumerate(migrations[version:], start=version + 1):
            # Two processes may start at once: the second finds the version raised, and does nothing.
            connection.execute("BEGIN IMMEDIATE")
            try:
                (now,) = connection.execute("PRAGMA user_version").fetchone()
                if now < number:
                    for statement in damage.statements(script):
                        connection.execute(statement)
                    connection.execute(f"PRAGMA user_version={number}")
                connection.execute("COMMIT")
            except BaseException:
                connection.execute("ROLLBACK")
                raise

    def _transaction(self, work: Work[T]) -> T:
        connection = self._open()
        connection.execute("BEGIN IMMEDIATE")
        try:
            result = work(connection)
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
        return result

    def _at_once(self, work: Work[T]) -> T:
        connection = self._open()
        connection.execute("PRAGMA synchronous=NORMAL").close()
        try:
            return self._transaction(work)
        finally:
            connection.execute("PRAGMA synchronous=FULL").close()

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            raise StorageError(f"{self.path} is closed")
        return self._connection
