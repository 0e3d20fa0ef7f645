"""The calendar, in `weft.db` (`storage.contracts.Schedules`): plans are data, so that no row can run code."""

import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from agent.language.registry import registered
from agent.types import Author, ThreadKey
from agent.values.timetable import Timetable, zone_of
from storage.contracts import Schedule, ScheduleKind
from storage.sql import Connection, SqlDatabase

logger = logging.getLogger(__name__)

_NAMES = (
    'kind, origin, thread, "user", owner, private, guests, plan, zone, text, language, created, since, paused, '
    "failures, problem, answered, answered_before, details"
)
_COLUMNS = tuple(_NAMES.replace('"', "").split(", "))
_CHANGED = ", ".join(f"{name}=excluded.{name}" for name in _NAMES.split(", ") if name != "created")
_SELECT = f"SELECT id, {_NAMES} FROM schedules"
_PUT = f"""INSERT INTO schedules({_NAMES}) VALUES({", ".join("?" * len(_COLUMNS))})
ON CONFLICT(origin) DO UPDATE SET {_CHANGED}
RETURNING id, created"""


class SqlSchedules:
    """The entries of the calendar; read anew each time, so that a change acts at once in every process."""

    def __init__(self, database: SqlDatabase) -> None:
        self._database = database
        self._told: set[int] = set()
        """Entries whose damage was logged."""

    async def put(self, schedule: Schedule) -> Schedule:
        """Store an entry, in place of the one of the same origin, and return it as it stands, with its number."""
        values = (
            schedule.kind.value, schedule.origin or None, str(schedule.key), schedule.user, _author(schedule.owner),
            schedule.private, schedule.guests, str(schedule.plan or ""), schedule.zone, schedule.text,
            schedule.language, schedule.created, schedule.since, schedule.paused, schedule.failures, schedule.problem,
            schedule.answered, schedule.answered_before, json.dumps(dict(schedule.details), ensure_ascii=False),
        )  # fmt: skip
        number, created = await self._database.write(lambda c: c.execute(_PUT, values).fetchone())
        return replace(schedule, id=number, created=float(created))

    async def get(self, id: int) -> Schedule | None:
        """Return an entry, or None."""
        found = await self._select("WHERE id=?", id)
        return found[0] if found else None

    async def all(self) -> Sequence[Schedule]:
        """Return every entry in the order of their numbers."""
        return await self._select("ORDER BY id")

    async def fired(self, id: int, *, since: float) -> None:
        """Note that all its times until then have been seen to."""
        await self._database.write(lambda c: c.execute("UPDATE schedules SET since=? WHERE id=?", (since, id)).close())

    async def failed(self, id: int, problem: str, *, most: int) -> Schedule | None:
        """Note a failure and return the entry, paused where it is the `most`th one after the other."""
        sql = """UPDATE schedules SET failures=failures+1, problem=?,
        paused=CASE WHEN failures+1>=? THEN 1 ELSE paused END WHERE id=?"""
        await self._database.write(lambda c: c.execute(sql, (problem, most, id)).close())
        return await self.get(id)

    async def went_well(self, id: int, *, turn_id: str = "", details: Mapping[str, Any] | None = None) -> None:
        """Note that it was done, by which turn, and what its kind keeps of it (None: what it kept)."""
        kept = None if details is None else json.dumps(dict(details), ensure_ascii=False)

        def work(connection: Connection) -> None:
            sql = "UPDATE schedules SET failures=0, problem='', details=coalesce(?, details) WHERE id=?"
            connection.execute(sql, (kept, id))
            if turn_id:
                sql = "UPDATE schedules SET answered_before=answered, answered=? WHERE id=? AND answered<>?"
                connection.execute(sql, (turn_id, id, turn_id))

        await self._database.write(work)

    async def pause(self, id: int, *, paused: bool, now: float) -> None:
        """Pause an entry; or let it go on, from now, its failures forgotten."""
        sql = "UPDATE schedules SET paused=1 WHERE id=?"
        values: tuple[float, ...] = (id,)
        if not paused:
            sql, values = "UPDATE schedules SET paused=0, failures=0, problem='', since=? WHERE id=?", (now, id)
        await self._database.write(lambda c: c.execute(sql, values).close())

    async def remove(self, id: int) -> bool:
        """Delete an entry; False where there is none."""
        return await self._delete("id=?", id) > 0

    async def drop(self, origin: str) -> bool:
        """Delete the entry that a turn set; False where it set none."""
        return await self._delete("origin=?", origin) > 0

    async def forget(self, user: str) -> int:
        """Delete all entries of somebody; returns how many."""
        return await self._delete('"user"=?', user) if user else 0

    async def prune(self, *, older_than: float) -> int:
        """Delete entries that failures paused, and that were due last before this time; returns how many."""
        return await self._delete("paused<>0 AND failures>0 AND since<?", older_than)

    async def damaged(self) -> Sequence[int]:
        """Return the numbers of the entries that cannot be read."""
        return (await self._database.read(read_entries))[1]

    async def _delete(self, condition: str, value: object) -> int:
        sql = f"DELETE FROM schedules WHERE {condition}"
        return await self._database.write(lambda c: c.execute(sql, (value,)).rowcount)

    async def _select(self, condition: str, *values: object) -> list[Schedule]:
        found, damaged = await self._database.read(lambda c: read_entries(c, condition, *values))
        for id in set(damaged) - self._told:
            self._told.add(id)
            about = {"action": "schedule_unreadable"}
            logger.error("Entry %s of the calendar cannot be read: `weft schedule list`.", id, extra=about)
        return found


def read_entries(
    connection: Connection, condition: str = "ORDER BY id", *values: object
) -> tuple[list[Schedule], list[int]]:
    """Return the entries that can be read, and the numbers of those that cannot."""
    found, damaged = [], []
    for id, *columns in connection.execute(f"{_SELECT} {condition}", values).fetchall():
        try:
            found.append(_schedule(id, dict(zip(_COLUMNS, columns, strict=True))))
        except (ValueError, TypeError, KeyError):  # its words quote the row
            damaged.append(id)
    return found, damaged


def _author(author: Author) -> str:
    return json.dumps({"id": author.id, "name": author.name}, ensure_ascii=False)


def _schedule(id: int, row: Mapping[str, Any]) -> Schedule:
    """Return the entry of a row. Raises ValueError, TypeError or KeyError for one that is damaged."""
    owner, details, kind = json.loads(row["owner"]), json.loads(row["details"]), ScheduleKind(row["kind"])
    plan = Timetable.parse(row["plan"]) if row["plan"] else None
    if not isinstance(details, dict) or (plan is None) != (kind is ScheduleKind.ANSWER):
        raise ValueError("the plan or the details are not those of its kind")
    zone_of(row["zone"])
    return Schedule(
        id=id,
        kind=kind,
        key=ThreadKey.parse(row["thread"]),
        owner=Author(id=str(owner["id"]), name=str(owner["name"])),
        private=bool(row["private"]),
        guests=bool(row["guests"]),
        plan=plan,
        zone=row["zone"],
        text=row["text"],
        language=registered(row["language"]),
        origin=row["origin"] or "",
        created=float(row["created"]),
        since=float(row["since"]),
        paused=bool(row["paused"]),
        failures=int(row["failures"]),
        problem=row["problem"],
        answered=row["answered"],
        answered_before=row["answered_before"],
        details=details,
    )
