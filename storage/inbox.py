"""The durable inbox: every accepted message, until it has its answer (`storage.contracts.Inbox`)."""

import asyncio
import dataclasses
import json
import logging
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from agent.types import Author, IncomingMessage, MessageKind, ThreadKey
from storage import overlap
from storage.arrivals import ARRIVALS, DELETED, EARLY_SECONDS, TALK, How, arrive, is_known, note
from storage.contracts import InboxRow, Interrupt, Line, Rates, Waiting
from storage.database import Database
from storage.payloads import clean, readable, written
from storage.queue import TELLING_SECONDS, next_waiting
from storage.schema import INBOX
from storage.sql import Connection, SqlDatabase

logger = logging.getLogger(__name__)

MOST_DEATHS = 6
"""Processes that died with a message; it ran alone in the last of them (`bot.turns.worker`): it was its doing."""
_WORDS: Mapping[str, Any] = {"text": "", "permalink": "", "attachments": (), "points_at": ()}
"""What is not kept of a message that was none of Weft's: its words, and what leads to them."""

_ENDED = "status=CASE WHEN changed=0 THEN 'done' ELSE 'todo' END"
_WRITTEN = (
    MessageKind.MENTION, MessageKind.DIRECT, MessageKind.THREAD_REPLY, MessageKind.CHANNEL, MessageKind.EDIT,
)  # fmt: skip
"""Kinds of what somebody wrote, as opposed to clicks and commands."""
_SERVED = "SELECT value FROM json_each(?)"

LONGEST_PAUSE = 3600.0
"""Seconds: a message due later than that was given back before the clock was set back; it is due now."""
LONGEST_LEASE = 600.0
"""The same of a claim: as long as the settings allow. Who holds it renews it, else it is free after a lease."""
LOOK_SECONDS = 1.0
"""Between two looks for such claims, while there are none."""

# The oldest row that is due, whose thread is free and has no earlier unfinished row; deletions go before all others.
# What waits for its author to go on, or over its rate, holds up nobody else.
_CLAIM = """
UPDATE inbox SET status='doing', owner=:owner, lease_until=:now + :lease,
  deaths=deaths+CASE WHEN status='doing' THEN 1 ELSE 0 END, changed=0
WHERE id=(
  SELECT i.id FROM inbox i
  WHERE i.status IN ('todo','doing')
    AND i.platform IN (SELECT value FROM json_each(:platforms)) AND (:thread='' OR i.thread=:thread)
    AND ((i.status='todo' AND (i.run_at<=:now OR i.run_at>:now+:longest OR i.created>:now+1))
      OR (i.status='doing' AND (i.lease_until<:now
        OR i.id IN (SELECT CAST(value AS BIGINT) FROM json_each(:left)))))
    AND (i.telling<=:now OR i.telling>:now+:telling)
    AND NOT EXISTS(
      SELECT 1 FROM inbox j
      WHERE j.thread=i.thread AND j.id<>i.id AND j.status IN ('todo','doing') AND (j.status='doing'
        OR (i.status='todo' AND j.status='todo' AND j.slot<=:now AND j.open_until<=:now
          AND CASE WHEN i.kind='delete' THEN j.kind='delete' AND j.id<i.id ELSE j.kind='delete' OR j.id<i.id END)))
  ORDER BY i.id LIMIT 1 {skip_locked})
RETURNING id, payload, attempts, deaths, lease_until, stop,
  EXISTS(SELECT 1 FROM inbox l WHERE l.head<>'' AND l.head=inbox.turn)"""

# Whether anybody waits in the thread whose turn ended, be it this message again.
_BEHIND = """RETURNING status='todo' OR EXISTS(
  SELECT 1 FROM inbox w WHERE w.thread=inbox.thread AND w.status='todo')"""


class SqlInbox:
    """The inbox in a SQLite file of its own. What is accepted, and every change of it, waits for the disk.

    Who works on a message does not, nor that it was answered: after a power cut it may be claimed once more, and an
    answer that is there is found.
    """

    def __init__(
        self,
        database: SqlDatabase,
        *,
        now: Callable[[], float] = time.time,
        clock: Callable[[], float] = time.monotonic,
        poll: float = 0.0,
    ) -> None:
        self._database = database
        self._now = now
        self._clock = clock
        self._ahead: dict[tuple[int, float], float] = {}
        """Claims that end later than any that is made now, as (row, end): since when they are seen, by the clock."""
        self._looked = -LOOK_SECONDS
        """When they were looked for last; after that only where the clock was set back, or after `LOOK_SECONDS`."""
        self._poll = poll or database.poll
        self._claim = _CLAIM.format(skip_locked=database.skip_locked)
        self._wake = database.event("inbox")

    @classmethod
    async def open(cls, path: Path, *, now: Callable[[], float] = time.time) -> Self:
        """Open or create the file. Raises StorageError."""
        return cls(await Database.open(path, INBOX, durable=True), now=now)

    async def close(self) -> None:
        """Close the file."""
        await self._database.close()

    async def add(
        self,
        message: IncomingMessage,
        *,
        hold: float = 0.0,
        burst: float = 0.0,
        joins_only: bool = False,
        replaces: bool = False,
        rates: Rates | None = None,
    ) -> bool:
        """Store a message; False when its event id is already there. Durable when it returns."""
        now = self._now()
        due = now + min(hold, LONGEST_PAUSE) if hold else 0.0
        how = How(due=due, burst=burst, joins_only=joins_only, replaces=replaces, rates=rates)
        added = await self._database.write(lambda c: arrive(c, message, now, how), alone=ARRIVALS)
        if added:
            self._wake.set()
        return added

    async def let_go(self, message: IncomingMessage) -> None:
        """Let a message that is held be claimed now."""
        sql = "UPDATE inbox SET run_at=slot WHERE event_id=? AND status='todo'"
        await self._database.write(lambda c: c.execute(sql, (message.event_id,)).close())
        self._wake.set()

    async def is_typing(self, message: IncomingMessage) -> bool:
        """Tell whether the author of a message is typing a question which it may be a line of."""
        now = self._now()
        return await self._database.read(lambda c: overlap.typing(c, message, now)) is not None

    async def note(self, message: IncomingMessage) -> bool:
        """Remember an event that needs no answer, so that its redelivery is known; False when it was known."""
        now = self._now()
        return await self._database.write(lambda c: note(c, message, now), alone=ARRIVALS)

    async def claim(
        self, owner: str, *, lease: float, platforms: Collection[str], thread: ThreadKey | None = None
    ) -> InboxRow | None:
        """Take the oldest message of these platforms (or of this thread) whose thread is free, for `lease` seconds."""
        scope = {"platforms": json.dumps(sorted(platforms)), "thread": str(thread) if thread else ""}

        def work(connection: Connection) -> InboxRow | None:
            while True:
                now = self._now()
                values = {"owner": owner, "now": now, "lease": lease, "longest": LONGEST_PAUSE, **scope}
                values["telling"] = TELLING_SECONDS
                values["left"] = json.dumps(self._left(connection, now, lease))
                row = connection.execute(self._claim, values).fetchone()
                if row is None:
                    return None
                identity, payload, attempts, deaths, lease_until, stop, has_lines = row
                if stop == DELETED:  # whoever ran it did not come back to say so
                    connection.execute("UPDATE inbox SET status='done', payload='' WHERE id=?", (identity,))
                    continue
                if deaths > MOST_DEATHS:  # it must not block its thread
                    connection.execute("UPDATE inbox SET status='dead', error='deadly' WHERE id=?", (identity,))
                    continue
                message = readable(payload)
                if message is None:
                    logger.error("A message in the inbox cannot be read.", extra={"action": "row_unreadable"})
                    change = "UPDATE inbox SET status='dead', error='unreadable' WHERE id=?"
                    connection.execute(change, (identity,))
                    continue
                return InboxRow(
                    id=identity,
                    message=overlap.whole(connection, message) if has_lines else message,
                    attempts=attempts,
                    deaths=deaths,
                    owner=owner,
                    lease_until=lease_until,
                )

        return await self._database.write(work, alone="claims", lasting=False)

    async def renew(self, row: InboxRow, *, lease: float) -> bool:
        """Keep a claim; False when it was lost."""
        return await self._update(row, "lease_until=?", self._now() + lease)

    async def finish(self, row: InboxRow, *, heard: bool = True, error: str = "") -> bool:
        """Note the answer as given, or give back a message that was edited meanwhile; False when the claim was lost.

        What was not heard leaves none of its words. `error`: why the answer is nowhere, for whoever looks into it.
        """
        change, values = f"{_ENDED}, error=?", [error]
        if not heard:
            change = f"""{_ENDED}, error=CASE WHEN changed=0 THEN ? ELSE '' END,
            payload=CASE WHEN changed=0 THEN ? ELSE payload END"""
            values = [TALK, written(dataclasses.replace(row.message, **_WORDS))]
        sql, parameters = _change_of(row, change, values)

        def work(connection: Connection) -> tuple[bool] | None:
            ended: tuple[bool] | None = connection.execute(f"{sql} {_BEHIND}", parameters).fetchone()
            if ended is not None and not heard:
                overlap.forget_lines(connection, row.message.turn_id, error=TALK)
            return ended

        ended = await self._database.write(work, lasting=False)
        if ended is None:
            return False
        (waits,) = ended
        if waits:  # an end frees its thread, and nothing else
            self._wake.set()
        return True

    async def release(self, row: InboxRow, *, error: str, retry_in: float, charge: bool = True) -> None:
        """Give a message back, to be tried again in `retry_in` seconds; without `charge` no turn of it failed."""
        change = """status=CASE WHEN stop=? THEN 'done' ELSE 'todo' END, owner=NULL,
        attempts=CASE WHEN changed=0 THEN attempts+? ELSE 0 END, deaths=CASE WHEN changed=0 THEN deaths ELSE 0 END,
        error=?, run_at=CASE WHEN changed=0 THEN ? ELSE 0 END"""
        await self._update(row, change, DELETED, int(charge), error, self._now() + min(retry_in, LONGEST_PAUSE))
        self._wake.set()

    async def move(self, row: InboxRow, key: ThreadKey) -> InboxRow:
        """Give a claimed message the thread that was opened for it."""

        def work(connection: Connection) -> None:
            (payload,) = connection.execute("SELECT payload FROM inbox WHERE id=?", (row.id,)).fetchone()
            kept = readable(payload)  # what was edited since the claim stays
            if kept is not None:
                payload = written(dataclasses.replace(kept, key=key))
            connection.execute(*_change_of(row, "thread=?, payload=?", (str(key), payload)))

        await self._database.write(work, alone=ARRIVALS)
        return dataclasses.replace(row, message=dataclasses.replace(row.message, key=key))

    async def lines(self, message: IncomingMessage, *, most: int = 50) -> Sequence[Line]:
        """Return the last that were written before this message in its thread, oldest first; edits are none."""
        sql = """SELECT json_extract(payload,'$.author.id'), json_extract(payload,'$.author.name'), created FROM inbox
        WHERE thread=? AND id<coalesce((SELECT id FROM inbox WHERE event_id=?), 9223372036854775807)
          AND CASE WHEN json_valid(payload) THEN json_extract(payload,'$.kind') ELSE 'edit' END
            NOT IN ('edit','delete','button')
        ORDER BY id DESC LIMIT ?"""
        values = (str(message.key), clean(message.event_id), most)
        found = await self._database.read(lambda c: c.execute(sql, values).fetchall())
        return [Line(author=Author(id=id, name=name), at=at) for id, name, at in reversed(found)]

    async def knows(self, key: ThreadKey) -> bool:
        """Tell whether a message of this thread was ever accepted."""
        return await self._database.read(lambda c: is_known(c, str(key)))

    async def words_in(self, key: ThreadKey) -> Mapping[str, str]:
        """Return what each question of a thread says now, by its turn, oldest first; only what is still kept."""
        sql = """SELECT payload FROM inbox WHERE thread=? AND head='' AND payload<>'' AND kind<>'delete' AND error<>?
        ORDER BY id"""

        def work(connection: Connection) -> dict[str, str]:
            said: dict[str, IncomingMessage] = {}
            for (payload,) in connection.execute(sql, (str(key), TALK)).fetchall():
                message = readable(payload)
                if message is not None and message.edited >= (said.get(message.turn_id) or message).edited:
                    said[message.turn_id] = message
            return {turn: overlap.whole(connection, message).text for turn, message in said.items()}

        return await self._database.read(work)

    async def thread_of(self, turn_id: str) -> ThreadKey | None:
        """Return the thread of a turn whose message was accepted."""
        sql = """SELECT coalesce((SELECT h.thread FROM inbox h WHERE i.head<>'' AND h.turn=i.head LIMIT 1), i.thread)
        FROM inbox i WHERE i.turn=? AND i.thread NOT LIKE '%@%' LIMIT 1"""
        found = await self._database.read(lambda c: c.execute(sql, (turn_id,)).fetchone())
        return ThreadKey.parse(found[0]) if found else None

    async def accepted_in(self, place: ThreadKey, *, since: float) -> Sequence[IncomingMessage]:
        """Return what was written in a channel and accepted since, each message once and none that was deleted."""
        channel = str(dataclasses.replace(place, thread_id=""))
        sql = """SELECT payload FROM inbox i WHERE thread>=? AND thread<? AND created>=? AND payload<>''
        AND kind IN (SELECT value FROM json_each(?))
        AND NOT EXISTS(SELECT 1 FROM inbox d WHERE d.turn=i.turn AND d.kind='delete') ORDER BY id"""
        # a colon ends the channel's name in its lanes, and a semicolon is the sign behind it
        values = (channel, f"{channel[:-1]};", since, json.dumps([kind.value for kind in _WRITTEN]))
        rows = await self._database.read(lambda c: c.execute(sql, values).fetchall())
        found = [message for (payload,) in rows if (message := readable(payload)) is not None]
        return list({message.turn_id: message for message in found}.values())

    async def stop(self, key: ThreadKey, *, only: Author | None = None) -> int:
        """Ask for the running turn of a thread and those waiting behind it, or those of one person, to stop.

        Returns how many. Deletions go on, and edits of what was answered: they are never sent again.
        """
        sql = """UPDATE inbox SET stop=1, run_at=0, slot=0, open_until=0 WHERE thread=? AND status IN ('todo','doing')
        AND stop<>? AND kind NOT IN ('edit','delete') AND (?='' OR person=?)"""
        person = clean(f"{key.platform}:{key.workspace_id}:{only.id}") if only is not None else ""
        values = (str(key), DELETED, person, person)
        return await self._database.write(lambda c: c.execute(sql, values).rowcount)

    async def open_of(self, platform: str, workspace: str, user: str) -> Sequence[ThreadKey]:
        """Return the threads in which questions of somebody wait or are worked on, the oldest question's first."""
        sql = """SELECT thread FROM inbox
        WHERE status IN ('todo','doing') AND platform=? AND kind NOT IN ('edit','delete') AND thread NOT LIKE '%@%'
          AND CASE WHEN json_valid(payload) THEN json_extract(payload,'$.author.id') ELSE '' END=? ORDER BY id"""
        found = await self._database.read(lambda c: c.execute(sql, (platform, user)).fetchall())
        keys = [ThreadKey.parse(thread) for (thread,) in dict.fromkeys(found)]
        return [key for key in keys if key.workspace_id == workspace]

    async def withdraw(self, message: IncomingMessage) -> None:
        """Take back a message that is not answered yet."""
        sql = "UPDATE inbox SET status='done', error='withdrawn' WHERE event_id=? AND status IN ('todo','doing')"
        await self._database.write(lambda c: c.execute(sql, (message.event_id,)).close())
        self._wake.set()

    async def finished(self, message: IncomingMessage) -> bool:
        """Tell whether nobody works on this message any more, nor will."""
        sql = "SELECT 1 FROM inbox WHERE event_id=? AND status IN ('todo','doing')"
        return await self._database.read(lambda c: c.execute(sql, (message.event_id,)).fetchone()) is None

    async def interrupted(self, *rows: InboxRow) -> Mapping[int, Interrupt]:
        """Return, by id, which of these claimed rows are to be cut off, and why."""
        sql = """SELECT id, stop FROM inbox WHERE (stop<>0 OR changed<>0)
        AND id IN (SELECT CAST(value AS BIGINT) FROM json_each(?))"""
        asked = json.dumps([row.id for row in rows])
        why = {0: Interrupt.EDITED, 1: Interrupt.STOP, DELETED: Interrupt.DELETED, overlap.REPLACED: Interrupt.REPLACED,
               overlap.REFUSED: Interrupt.REFUSED}  # fmt: skip
        found = await self._database.read(lambda c: c.execute(sql, (asked,)).fetchall())
        return {identity: why[stop] for identity, stop in found}

    async def next_waiting(self, platforms: Collection[str], *, after: float, every: float) -> Waiting | None:
        """Return a message whose author is to be told that it waits, held until `told`; None: there is none."""
        now, served = self._now(), json.dumps(sorted(platforms))
        sql = f"SELECT 1 FROM inbox WHERE status='todo' AND platform IN ({_SERVED}) LIMIT 1"
        if await self._database.read(lambda c: c.execute(sql, (served,)).fetchone()) is None:
            return None
        return await self._database.write(
            lambda c: next_waiting(c, served, now, after=after, every=every), alone="claims"
        )

    async def told(self, waiting: Waiting) -> None:
        """Let a message whose author was told that it waits be claimed again."""
        sql = "UPDATE inbox SET telling=0 WHERE id=?"
        await self._database.write(lambda c: c.execute(sql, (waiting.id,)).close())
        self._wake.set()

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

    async def oldest(self) -> float:
        """Return how many seconds the oldest message that waits or is worked on has been there; 0.0: there is none."""
        sql = "SELECT min(created) FROM inbox WHERE status IN ('todo','doing')"
        (since,) = await self._database.read(lambda c: c.execute(sql).fetchone())
        return max(0.0, self._now() - since) if since is not None else 0.0

    async def prune(self, *, older_than: float) -> int:
        """Blank answered rows accepted before this time; returns how many.

        The row stays as the proof that Weft takes part in the thread, without the words that were said.
        """
        sql = """UPDATE inbox SET payload='', person='', slot=0 WHERE status IN ('done','dead') AND created<?
        AND payload<>''"""
        left = """UPDATE inbox SET status='done', error='left', payload='' WHERE platform='console'
        AND status IN ('todo','doing') AND created<?"""  # nobody waits at a console for so long
        early = self._now() - EARLY_SECONDS

        def work(connection: Connection) -> int:
            connection.execute("DELETE FROM inbox WHERE status='early' AND created<?", (early,))
            return sum(connection.execute(statement, (older_than,)).rowcount for statement in (sql, left))

        return await self._database.write(work, alone=ARRIVALS)

    def _left(self, connection: Connection, now: float, lease: float) -> list[int]:
        """Return the rows whose claim was made before the clock was set back, and which nobody has renewed since."""
        if not self._ahead and self._looked <= now < self._looked + LOOK_SECONDS:
            return []
        self._looked = now
        sql = "SELECT id, lease_until FROM inbox WHERE status='doing' AND lease_until>?"
        found = connection.execute(sql, (now + LONGEST_LEASE,)).fetchall()
        moment = self._clock()
        self._ahead = {(row, end): self._ahead.get((row, end), moment) for row, end in found}
        left = [row for (row, _), since in self._ahead.items() if moment - since > lease]
        if left:
            about = {"action": "clock_set_back"}
            logger.warning("The clock was set back: %d messages that were claimed are free.", len(left), extra=about)
        return left

    async def _update(self, row: InboxRow, assignments: str, *values: object) -> bool:
        sql, parameters = _change_of(row, assignments, values)
        return await self._database.write(lambda c: c.execute(sql, parameters).rowcount == 1, lasting=False)


def _change_of(row: InboxRow, assignments: str, values: Sequence[object]) -> tuple[str, tuple[object, ...]]:
    return f"UPDATE inbox SET {assignments} WHERE id=? AND owner=? AND status='doing'", (*values, row.id, row.owner)
