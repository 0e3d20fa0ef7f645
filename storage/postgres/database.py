"""A connection to PostgreSQL on a thread of its own: units of work, retried where the connection was lost.

The shape is that of the SQLite file (`storage.database`), so that every store runs on both. What differs is who keeps
others out: SQLite lets one process write at a time, here `alone` names what must not be done by two at once. No
statement is prepared and nothing is set for longer than a transaction, so that a proxy may share connections.
"""

import asyncio
import json
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Self, TypeVar

import psycopg
from psycopg.pq import TransactionStatus
from psycopg.sql import SQL, Literal

from agent.errors import StorageError
from agent.types import Audience
from storage.postgres.failures import is_lost, is_starting, place_of, translated, unconnected
from storage.postgres.statements import EVERYTHING, Statements, adapters
from storage.sql import Connection, Work

T = TypeVar("T")

PATIENCE = 30.0
"""Seconds for which a lost connection is sought again, as long as a write waits for SQLite."""
_PAUSES = (0.05, 0.1, 0.2, 0.5)
_CONNECT_SECONDS = 5
_BEGIN = SQL(f"BEGIN; {EVERYTHING}")
_ALONE = SQL(f"BEGIN; {EVERYTHING}; SELECT pg_advisory_xact_lock(hashtextextended({{}}, 0))")
POLL = 0.2


class PostgresDatabase:
    """Implements `storage.sql.SqlDatabase`."""

    skip_locked = "FOR UPDATE OF i SKIP LOCKED"
    poll = POLL

    def __init__(
        self,
        url: str,
        *,
        folder: Path,
        name: str = "weft",
        patience: float = PATIENCE,
        events: "Callable[[str], asyncio.Event] | None" = None,
    ) -> None:
        self.place = place_of(url)
        self.path = folder / "weft.db"
        self.url = url
        self._patience = patience
        self._events = events
        self._thread = ThreadPoolExecutor(1, thread_name_prefix=f"postgres-{name}")
        self._connection: psycopg.Connection[Any] | None = None
        self._closed = threading.Event()

    @classmethod
    async def open(
        cls,
        url: str,
        *,
        folder: Path,
        name: str = "weft",
        patience: float = PATIENCE,
        events: "Callable[[str], asyncio.Event] | None" = None,
    ) -> Self:
        """Connect. Raises StorageError, SettingsError."""
        database = cls(url, folder=folder, name=name, patience=patience, events=events)
        try:
            await database._run(database._connected)
        except BaseException:
            await database.close()
            raise
        return database

    def bytes_of(self, column: str) -> str:
        """Return the expression for the bytes of a text."""
        return f"convert_to({column}, 'UTF8')"

    async def read(self, work: Work[T], *, audience: Audience | None = None) -> T:
        """Run `work` and return its result; for an audience in a transaction that knows it."""
        if audience is None:
            return await self._run(lambda: self._trying(lambda c: _plain(c, work)))
        return await self._run(lambda: self._trying(lambda c: _fenced(c, work, audience)))

    async def write(self, work: Work[T], *, alone: str = "", lasting: bool = True) -> T:
        """Run `work` in one transaction: all of it is stored, or nothing, and lasts.

        Tried again where the connection was lost before the end; where it is lost at the very end nobody knows
        whether it was stored, and StorageError is raised.
        """
        return await self._run(lambda: self._trying(lambda c: self._transaction(c, work, alone)))

    async def widen(self) -> None:
        """Do nothing: how much PostgreSQL keeps in memory is the server's own."""

    async def erase(self, work: Work[T]) -> T:
        """Run `work` in one transaction: PostgreSQL's own vacuum frees what it deleted."""
        return await self.write(work)

    async def scrub(self) -> None:
        """Do nothing: it overwrites what was deleted when it vacuums, and keeps its log as it is set up."""

    @contextmanager
    def moment(self) -> Iterator[Connection]:
        """Give a connection of its own, in a transaction that sees one moment; `COMMIT` keeps what it changed."""
        try:
            with connect(self.url, self.place) as connection:
                statements = Statements(connection)
                statements.execute("BEGIN")
                yield statements
                connection.rollback()
        except psycopg.Error as error:
            raise translated(self.place, error) from error

    def event(self, topic: str) -> asyncio.Event:
        """Return what is set when another process changed this."""
        return self._events(topic) if self._events is not None else asyncio.Event()

    async def close(self) -> None:
        """Close the connection. Nothing may be running."""
        self._closed.set()
        connection, self._connection = self._connection, None
        if connection is not None:
            await asyncio.get_running_loop().run_in_executor(self._thread, connection.close)
        self._thread.shutdown(wait=False)

    # --- on the thread

    async def _run(self, work: Callable[[], T]) -> T:
        if self._closed.is_set():
            raise StorageError(f"{self.place} is closed")
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    def _connected(self) -> psycopg.Connection[Any]:
        if self._connection is None or self._connection.closed:
            self._connection = connect(self.url, self.place)
        return self._connection

    def _trying(self, work: Callable[[psycopg.Connection[Any]], T]) -> T:
        """Run work until the connection holds for all of it. Raises StorageError."""
        give_up, tries = time.monotonic() + self._patience, 0
        while True:
            try:
                return work(self._connected())
            except (psycopg.Error, UnreachableServerError) as error:
                told = error.told if isinstance(error, UnreachableServerError) else translated(self.place, error)
                self._tidy()
                if not (isinstance(error, UnreachableServerError) or is_lost(error)) or time.monotonic() >= give_up:
                    raise told from error
            except BaseException:
                self._tidy()
                raise
            if self._closed.wait(_PAUSES[min(tries, len(_PAUSES) - 1)]):
                raise StorageError(f"{self.place} is closed")
            tries += 1

    def _transaction(self, connection: psycopg.Connection[Any], work: Work[T], alone: str) -> T:
        connection.execute(_ALONE.format(Literal(f"weft {alone}")) if alone else _BEGIN)
        result = work(Statements(connection))
        try:
            connection.execute("COMMIT")
        except psycopg.OperationalError as error:
            if isinstance(error, psycopg.errors.SerializationFailure):
                raise
            self._tidy()
            raise StorageError(
                f"the connection to PostgreSQL at {self.place} was lost while something was stored: it may be there"
            ) from error
        return result

    def _tidy(self) -> None:
        """Leave no half of a transaction behind."""
        connection = self._connection
        if connection is None:
            return
        if not connection.closed and connection.info.transaction_status is not TransactionStatus.IDLE:
            with suppress(psycopg.Error):
                connection.execute("ROLLBACK")
        if connection.closed or connection.broken or connection.info.transaction_status is not TransactionStatus.IDLE:
            with suppress(psycopg.Error):
                connection.close()
            self._connection = None


class UnreachableServerError(StorageError):
    """PostgreSQL gives no connection now, and may in a while."""

    def __init__(self, told: StorageError) -> None:
        super().__init__(str(told))
        self.told = told


def connect(url: str, place: str) -> psycopg.Connection[Any]:
    """Return a new connection, which commits each statement. Raises StorageError."""
    try:
        return psycopg.connect(
            url,
            autocommit=True,
            prepare_threshold=None,
            connect_timeout=_CONNECT_SECONDS,
            application_name="weft",
            keepalives_idle=30,
            context=adapters(),
        )
    except psycopg.OperationalError as error:
        told = unconnected(place, error)
        if is_starting(error) or "cannot be reached" in str(told) or "no more connections" in str(told):
            raise UnreachableServerError(told) from error
        raise told from error


def _plain(connection: psycopg.Connection[Any], work: Work[T]) -> T:
    return work(Statements(connection))


def _fenced(connection: psycopg.Connection[Any], work: Work[T], audience: Audience) -> T:
    """Run work where PostgreSQL itself shows only the passages that the audience may read."""
    connection.execute("BEGIN")
    statements = Statements(connection)
    if audience.operator:
        connection.execute(EVERYTHING)
    else:
        principals = json.dumps(sorted(audience.principals))
        statements.execute("SELECT set_config('weft.principals', ?, true)", (principals,))
    result = work(statements)
    connection.execute("COMMIT")
    return result
