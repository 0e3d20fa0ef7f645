"""The durable inbox: every accepted message, until it has its answer (`storage.contracts.Inbox`)."""

import asyncio
import dataclasses
import json
import sqlite3
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from pydantic import TypeAdapter
from pydantic_core import PydanticSerializationError

from agent.types import Author, IncomingMessage, ThreadKey
from storage.contracts import InboxRow, Line
from storage.database import Database
from storage.schema import INBOX

MAX_ATTEMPTS = 5
_MESSAGE = TypeAdapter(IncomingMessage)
_TALK = "talk"
"""Stands for an error where a message was none of Weft's."""
_WORDS = {"text": "", "permalink": "", "attachments": []}
"""What is not kept of such a message: its words, and what leads to them."""

# The oldest row that is due and has no earlier unfinished row in its thread.
_CLAIM = """
UPDATE inbox SET status='doing', owner=:owner, lease_until=:now + :lease, attempts=attempts+1 WHERE id=(
  SELECT i.id FROM inbox i
  WHERE i.status IN ('todo','doing')
    AND i.platform IN (SELECT value FROM json_each(:platforms)) AND (:thread IS NULL OR i.thread=:thread)
    AND ((i.status='todo' AND i.run_at<=:now) OR (i.status='doing' AND i.lease_until<:now))
    AND NOT EXISTS(
      SELECT 1 FROM inbox j WHERE j.thread=i.thread AND j.status IN ('todo','doing') AND j.id<i.id)
  ORDER BY i.id LIMIT 1)
RETURNING id, payload, attempts, lease_until"""


class SqliteInbox:
    """The inbox in a SQLite file of its own, which waits for the disk at each commit."""

    def __init__(self, database: Database, *, now: Callable[[], float] = time.time, poll: float = 0.2) -> None:
        self._database = database
        self._now = now
        self._poll = poll
        self._wake = asyncio.Event()

    @classmethod
    async def open(cls, path: Path, *, now: Callable[[], float] = time.time) -> Self:
        """Open or create the file. Raises StorageError."""
        return cls(await Database.open(path, INBOX, durable=True), now=now)

    async def close(self) -> None:
        """Close the file."""
        await self._database.close()

    async def add(self, message: IncomingMessage) -> bool:
        """Store a message; False when its event id is already there. Durable when it returns."""
        added = await self._insert(message, "todo")
        if added:
            self._wake.set()
        return added

    async def note(self, message: IncomingMessage) -> bool:
        """Remember an event that needs no answer, so that its redelivery is known; False when it was known."""
        return await self._insert(message, "done")

    async def _insert(self, message: IncomingMessage, status: str) -> bool:
        payload = _payload(message) if status == "todo" else ""
        created = self._now()

        def work(connection: sqlite3.Connection) -> bool:
            cursor = connection.execute(
                "INSERT OR IGNORE INTO inbox(event_id, platform, thread, payload, created, status) VALUES(?,?,?,?,?,?)",
                (_clean(message.event_id), message.key.platform, _lane(message), payload, created, status),
            )
            return cursor.rowcount == 1

        return await self._database.write(work)

    async def claim(
        self, owner: str, *, lease: float, platforms: Collection[str], thread: ThreadKey | None = None
    ) -> InboxRow | None:
        """Take the oldest message of these platforms (or of this thread) whose thread is free, for `lease` seconds."""
        scope = {"platforms": json.dumps(sorted(platforms)), "thread": str(thread) if thread else None}

        def work(connection: sqlite3.Connection) -> InboxRow | None:
            while True:
                values = {"owner": owner, "now": self._now(), "lease": lease, **scope}
                row = connection.execute(_CLAIM, values).fetchone()
                if row is None:
                    return None
                identity, payload, attempts, lease_until = row
                if attempts > MAX_ATTEMPTS:  # it took its process down again and again: it must not block its thread
                    connection.execute("UPDATE inbox SET status='dead' WHERE id=?", (identity,))
                    continue
                message = _MESSAGE.validate_json(payload)
                return InboxRow(id=identity, message=message, attempts=attempts, owner=owner, lease_until=lease_until)

        return await self._database.write(work)

    async def renew(self, row: InboxRow, *, lease: float) -> bool:
        """Keep a claim; False when it was lost."""
        return await self._update(row, "lease_until=?", self._now() + lease)

    async def finish(self, row: InboxRow, *, heard: bool = True) -> bool:
        """Note the answer as given; False when the claim was lost. What was not heard leaves none of its words."""
        if heard:
            kept = await self._update(row, "status='done', error=?", "")
        else:
            forgotten = json.dumps(_WORDS)
            change = "status='done', error=?, payload=json_patch(payload, ?)"
            kept = await self._update(row, change, _TALK, forgotten)
        self._wake.set()
        return kept

    async def release(self, row: InboxRow, *, error: str, retry_in: float, charge: bool = True) -> None:
        """Give a message back, to be tried again in `retry_in` seconds; without `charge` the attempt does not count."""
        change = "status='todo', owner=NULL, attempts=attempts-?, error=?, run_at=?"
        await self._update(row, change, int(not charge), error, self._now() + retry_in)
        self._wake.set()

    async def move(self, row: InboxRow, key: ThreadKey) -> InboxRow:
        """Give a claimed message the thread that was opened for it."""
        message = dataclasses.replace(row.message, key=key)
        await self._update(row, "thread=?, payload=?", str(key), _MESSAGE.dump_json(message).decode())
        return dataclasses.replace(row, message=message)

    async def lines(self, message: IncomingMessage, *, most: int = 50) -> Sequence[Line]:
        """Return the last that were written before this message in its thread, oldest first; edits are none."""
        sql = """SELECT json_extract(payload,'$.author.id'), json_extract(payload,'$.author.name'), created FROM inbox
        WHERE thread=? AND payload<>'' AND json_extract(payload,'$.kind') NOT IN ('edit','delete','button')
          AND id<coalesce((SELECT id FROM inbox WHERE event_id=?), 9e18) ORDER BY id DESC LIMIT ?"""
        values = (str(message.key), _clean(message.event_id), most)
        found = await self._database.read(lambda c: c.execute(sql, values).fetchall())
        return [Line(author=Author(id=id, name=name), at=at) for id, name, at in reversed(found)]

    async def knows(self, key: ThreadKey) -> bool:
        """Tell whether a message of this thread was ever accepted that was heard, or still waits."""
        sql = "SELECT 1 FROM inbox WHERE thread=? AND error<>? LIMIT 1"
        return await self._database.read(lambda c: c.execute(sql, (str(key), _TALK)).fetchone()) is not None

    async def stop(self, key: ThreadKey) -> int:
        """Ask for the running turn of a thread and those waiting behind it to stop; returns how many.

        Edits and deletions go on: they are never sent again.
        """
        sql = """UPDATE inbox SET stop=1, run_at=0 WHERE thread=? AND status IN ('todo','doing')
        AND json_extract(payload,'$.kind') NOT IN ('edit','delete')"""
        return await self._database.write(lambda c: c.execute(sql, (str(key),)).rowcount)

    async def withdraw(self, message: IncomingMessage) -> None:
        """Take back a message that is not answered yet."""
        sql = "UPDATE inbox SET status='done', error='withdrawn' WHERE event_id=? AND status IN ('todo','doing')"
        await self._database.write(lambda c: c.execute(sql, (message.event_id,)).close())
        self._wake.set()

    async def finished(self, message: IncomingMessage) -> bool:
        """Tell whether nobody works on this message any more, nor will."""
        sql = "SELECT 1 FROM inbox WHERE event_id=? AND status IN ('todo','doing')"
        return await self._database.read(lambda c: c.execute(sql, (message.event_id,)).fetchone()) is None

    async def stopping(self, *rows: InboxRow) -> Collection[int]:
        """Return the ids of those among the rows whose turns somebody asked to stop."""
        sql = "SELECT id FROM inbox WHERE id IN (SELECT value FROM json_each(?)) AND stop=1"
        asked = json.dumps([row.id for row in rows])
        return {identity for (identity,) in await self._database.read(lambda c: c.execute(sql, (asked,)).fetchall())}

    async def wait(self, timeout: float) -> None:
        """Return when there may be something to claim, at the latest after `timeout` seconds.

        Additions of this process wake at once; those of other processes are seen by polling.
        """
        try:
            async with asyncio.timeout(min(timeout, self._poll)):
                await self._wake.wait()
        except TimeoutError:
            return
        self._wake.clear()

    async def counts(self) -> dict[str, int]:
        """Return how many rows have which status: todo, doing, done, dead."""
        sql = "SELECT status, count(*) FROM inbox GROUP BY status"
        found = dict(await self._database.read(lambda c: c.execute(sql).fetchall()))
        return {status: int(found.get(status, 0)) for status in ("todo", "doing", "done", "dead")}

    async def prune(self, *, older_than: float) -> int:
        """Blank answered rows accepted before this time; returns how many.

        The row stays as the proof that Weft takes part in the thread, without the words that were said.
        """
        sql = "UPDATE inbox SET payload='' WHERE status IN ('done','dead') AND created<? AND payload<>''"
        left = """UPDATE inbox SET status='done', error='left', payload='' WHERE platform='console'
        AND status IN ('todo','doing') AND created<?"""  # nobody waits at a console for so long

        def work(connection: sqlite3.Connection) -> int:
            return sum(connection.execute(statement, (older_than,)).rowcount for statement in (sql, left))

        return await self._database.write(work)

    async def _update(self, row: InboxRow, assignments: str, *values: object) -> bool:
        sql = f"UPDATE inbox SET {assignments} WHERE id=? AND owner=? AND status='doing'"
        parameters = (*values, row.id, row.owner)
        return await self._database.write(lambda c: c.execute(sql, parameters).rowcount == 1)


def _payload(message: IncomingMessage) -> str:
    try:
        return _MESSAGE.dump_json(message).decode()
    except PydanticSerializationError:  # half of a surrogate pair somewhere: text that no encoding can hold
        return json.dumps(_clean(_MESSAGE.dump_python(message, mode="python")), ensure_ascii=False)


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, Mapping):
        return {key: _clean(item) for key, item in value.items()}
    return [_clean(item) for item in value] if isinstance(value, list | tuple) else value


def _lane(message: IncomingMessage) -> str:
    """Return the lane of a message; one whose thread is still to be opened has a lane of its own."""
    if message.key.thread_id:
        return str(message.key)
    return f"{message.key}@{message.event_id}"
