"""Messages that the inbox has given up, for the operator: what they are, another try, or their end.

A message is given up when it took down every process that ran it (`deadly`), or cannot be read (`unreadable`).
"""

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

from storage.database import Database
from storage.overlap import forget_lines

_COLUMNS = "id, status, thread, kind, created, attempts, deaths, error"


@dataclass(frozen=True, kw_only=True, slots=True)
class Letter:
    """A message in the inbox, without its words."""

    id: int
    status: str
    """`todo`, `doing` or `dead`."""
    thread: str
    kind: str
    at: float
    """When it was accepted, in seconds since the epoch."""
    attempts: int
    """Turns of it that failed."""
    deaths: int
    """Processes that died while they held it."""
    error: str


class DeadLetters:
    """What is in the inbox of a data folder."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def list(self, *, waiting: bool = False) -> Sequence[Letter]:
        """Return the messages that were given up, oldest first; `waiting`: also those that wait or are worked on."""
        among = "('todo','doing','dead')" if waiting else "('dead')"
        sql = f"SELECT {_COLUMNS} FROM inbox WHERE status IN {among} ORDER BY id"
        rows = await self._database.read(lambda c: c.execute(sql).fetchall())
        names = ("id", "status", "thread", "kind", "at", "attempts", "deaths", "error")
        return [Letter(**dict(zip(names, row, strict=True))) for row in rows]

    async def retry(self, ids: Sequence[int] | None) -> Sequence[int]:
        """Let these messages, or all, be claimed again as if they were new; returns which there were."""
        change = "status='todo', attempts=0, deaths=0, run_at=0, stop=0, slot=0, owner=NULL, lease_until=NULL, error=''"
        return await self._change(change, ids)

    async def drop(self, ids: Sequence[int] | None) -> Sequence[int]:
        """Forget these messages, or all, and their words; returns which there were."""
        return await self._change("status='done', payload='', error='dropped'", ids)

    async def _change(self, change: str, ids: Sequence[int] | None) -> Sequence[int]:
        wanted = "" if ids is None else "AND id IN (SELECT value FROM json_each(?))"
        sql = f"UPDATE inbox SET {change} WHERE status='dead' {wanted} RETURNING id, turn, payload"
        values = () if ids is None else (json.dumps(list(ids)),)

        def work(connection: sqlite3.Connection) -> list[int]:
            found = connection.execute(sql, values).fetchall()
            for _, turn, payload in found:
                if not payload and turn:
                    forget_lines(connection, turn, error="dropped")
            return sorted(identity for identity, _, _ in found)

        return await self._database.write(work)
