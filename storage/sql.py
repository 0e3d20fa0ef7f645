"""The port between the stores and their database: statements in the SQL that SQLite and PostgreSQL both know.

A unit of work is a plain function of a `Connection`. Statements have `?` or `:name` where values go; both databases
know `ON CONFLICT`, `RETURNING`, `CASE`, window functions, and what SQLite calls `json_each`, `json_extract` and
`json_valid` (`storage.postgres.schema` gives PostgreSQL the same). Numbers that come as JSON are cast, `user` is
quoted, and truth is 0 or 1.
"""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Protocol, TypeVar

from agent.types import Audience

T = TypeVar("T")

Values = Sequence[Any] | Mapping[str, Any]


class Rows(Protocol):
    """What a statement gave."""

    @property
    def rowcount(self) -> int:
        """How many rows were changed."""
        ...

    def fetchone(self) -> Any:
        """Return the next row, or None."""
        ...

    def fetchall(self) -> list[Any]:
        """Return the rows that are left."""
        ...

    def __iter__(self) -> Iterator[Any]: ...

    def close(self) -> None:
        """Let go of it."""
        ...


class Connection(Protocol):
    """Where statements run, on one thread."""

    def execute(self, statement: str, values: Values = (), /) -> Rows:
        """Run a statement. `BEGIN` and `COMMIT` stand around reads that are to see one moment."""
        ...

    def executemany(self, statement: str, values: Iterable[Sequence[Any]], /) -> Rows:
        """Run a statement for each of these values."""
        ...


Work = Callable[[Connection], T]

EVERYTHING = Audience(principals=frozenset(), operator=True)
"""For reads of passages that serve nobody's eyes: counts, the indexes, what an operator looks after."""


class SqlDatabase(Protocol):
    """A database with one connection on one thread of its own, on which units of work run one after the other."""

    @property
    def path(self) -> Path:
        """Where it is, or where this machine keeps what can be made of it anew."""
        ...

    @property
    def skip_locked(self) -> str:
        """What a `SELECT` of rows to be changed ends with, so that it passes over those that others are changing."""
        ...

    def bytes_of(self, column: str) -> str:
        """Return the expression for the bytes of a text, also of one that is damaged."""
        ...

    @property
    def poll(self) -> float:
        """Seconds after which somebody who waits for others' changes looks for himself."""
        ...

    async def read(self, work: Work[T], *, audience: Audience | None = None) -> T:
        """Run `work` and return its result.

        `audience`: who is to see what comes of it: PostgreSQL itself keeps back passages that they may not read, and
        all of them where nobody is named.
        """
        ...

    async def write(self, work: Work[T], *, alone: str = "", lasting: bool = True) -> T:
        """Run `work` in one transaction: all of it is stored, or nothing.

        `alone` names what only one process may be at: needed where a statement relies on what another one has read.
        What is not `lasting` may be gone after a power cut (not a crash), where that makes it quicker.
        """
        ...

    async def erase(self, work: Work[T]) -> T:
        """Run `work`, which deletes what people said, in one transaction; its words stand in no free page then."""
        ...

    async def widen(self) -> None:
        """Keep more in memory until it is closed, where that helps: for a command that writes much, and ends."""
        ...

    async def scrub(self) -> None:
        """See to it that what was deleted stands nowhere any more, as far as that can be asked of the database."""
        ...

    def moment(self) -> AbstractContextManager[Connection]:
        """Give a connection of its own, in a transaction that sees one moment; `COMMIT` keeps what it changed."""
        ...

    def event(self, topic: str) -> asyncio.Event:
        """Return what is set when another process changed this, where the database tells."""
        ...

    async def close(self) -> None:
        """Close it. Nothing may be running."""
        ...
