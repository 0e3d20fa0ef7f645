"""Every finished turn: what was asked, what came out (for a second delivery, a trace, to forget it)."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import TypeAdapter, ValidationError

from agent.errors import where
from agent.types import Response
from storage.schema import ASKED_BACK
from storage.sql import SqlDatabase

logger = logging.getLogger(__name__)

_RESPONSE = TypeAdapter(Response)


@dataclass(frozen=True, kw_only=True, slots=True)
class StoredTurn:
    """A finished turn; `at` in seconds since the epoch."""

    thread: str
    message_id: str
    asked_by: str
    at: float
    response: Response


class SqlTurns:
    """The turns in `weft.db`."""

    def __init__(self, database: SqlDatabase) -> None:
        self._database = database

    async def put(self, turn: StoredTurn) -> None:
        """Store a turn; one with the same id is replaced."""
        sql = """INSERT INTO turns(turn_id, thread, message_id, at, asked_by, response) VALUES(?,?,?,?,?,?)
        ON CONFLICT(turn_id) DO UPDATE SET thread=excluded.thread, message_id=excluded.message_id, at=excluded.at,
        asked_by=excluded.asked_by, response=excluded.response"""
        body = _RESPONSE.dump_json(turn.response).decode()
        values = (turn.response.turn_id, turn.thread, turn.message_id, turn.at, turn.asked_by, body)
        await self._database.write(lambda c: c.execute(sql, values).close())

    async def get(self, turn_id: str) -> StoredTurn | None:
        """Return a turn, or None."""
        found = await self._select("turn_id=?", turn_id)
        return found[0] if found else None

    async def response(self, turn_id: str) -> Response | None:
        """Return what came of a turn, or None (`agent.ports.Answers`)."""
        found = await self.get(turn_id)
        return found.response if found is not None else None

    async def thread(self, thread: str) -> Sequence[StoredTurn]:
        """Return the turns of a thread, oldest first."""
        return await self._select("thread=?", thread)

    async def asking_back(self, thread: str, *, but: str) -> StoredTurn | None:
        """Return the latest turn of a thread, but this one, that came to a question back and nothing else."""
        asked = f"thread=? AND turn_id<>? AND {ASKED_BACK}"
        found = await self._select(asked, thread, but, order="at DESC, rowid DESC LIMIT 1")
        return found[0] if found else None

    async def last(self, thread: str, *, but: str) -> StoredTurn | None:
        """Return the latest turn of a thread, but this one."""
        found = await self._select("thread=? AND turn_id<>?", thread, but, order="at DESC, rowid DESC LIMIT 1")
        return found[0] if found else None

    async def last_at(self, thread: str) -> float | None:
        """Return when the last turn of a thread ended, in seconds since the epoch; None where there is none."""
        sql = "SELECT max(at) FROM turns WHERE thread=?"
        found: float | None = (await self._database.read(lambda c: c.execute(sql, (thread,)).fetchone()))[0]
        return found

    async def forget(self, turn_id: str) -> None:
        """Delete a turn."""
        await self._database.write(lambda c: c.execute("DELETE FROM turns WHERE turn_id=?", (turn_id,)).close())

    async def prune(self, *, older_than: float) -> int:
        """Delete turns finished before this time (seconds since the epoch); returns how many.

        The last answers of standing questions stay: the next one is compared with them.
        """
        sql = """DELETE FROM turns WHERE at<? AND turn_id NOT IN (
          SELECT answered FROM schedules UNION SELECT answered_before FROM schedules)"""
        return await self._database.write(lambda c: c.execute(sql, (older_than,)).rowcount)

    async def _select(self, condition: str, *values: str, order: str = "at, rowid") -> list[StoredTurn]:
        sql = f"SELECT thread, message_id, asked_by, at, response FROM turns WHERE {condition} ORDER BY {order}"

        rows = await self._database.read(lambda c: c.execute(sql, values).fetchall())
        return [
            StoredTurn(thread=thread, message_id=message, asked_by=by, at=at, response=response)
            for thread, message, by, at, body in rows
            if (response := _response(body)) is not None
        ]


def _response(body: str) -> Response | None:
    """Return a stored response; None for a row that is damaged, or of a later version: it counts as not there."""
    try:
        return _RESPONSE.validate_json(body)
    except ValidationError as error:  # its words quote the row
        logger.warning("A stored turn cannot be read: %s", where(error), extra={"action": "turn_unreadable"})
        return None
