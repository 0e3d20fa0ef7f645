"""A day of simulated time over each change of the clock: what is handed in, beside what a calendar on the wall says.

Two clocks on the same files look every half minute, and a third one that dies each time before it notes what it handed
in. What should come is counted minute by minute from the wall clock alone, without Weft's plans.
"""

import asyncio
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Sequence
from contextlib import AsyncExitStack, closing
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from agent.errors import StorageError
from agent.types import Author, ThreadKey
from agent.values.timetable import Timetable
from benchmarks.report import Report
from bot.calendar.clock import Clock
from bot.calendar.watching import Versions
from storage.channels import SqlChannelModes
from storage.contracts import Schedule, ScheduleKind
from storage.database import Database
from storage.inbox import SqlInbox
from storage.schedules import SqlSchedules
from storage.schema import INBOX, WEFT

DAYS = {
    "Europe/Berlin": ("2026-03-29", "2026-10-25"),
    "America/New_York": ("2026-03-08", "2026-11-01"),
    "Australia/Lord_Howe": ("2026-10-04", "2026-04-05"),
    "Asia/Seoul": ("2026-03-29", "2026-10-25"),
}
"""By zone, the days on which its clock is put forward and back; Seoul's is never changed."""
PLANS = (
    "30 2 * * *",
    "0 9 * * *",
    "30 1 * * *",
    "5 3 * * *",
    "0 * * * *",
    "*/20 * * * *",
    "30 2 * * sun",
    "0 12 L * *",
)
TICK = 30.0


def expected(plan: Timetable, zone: ZoneInfo, begin: float, end: float) -> list[float]:
    """Return the times of a plan, from the minutes of a wall clock: what is skipped comes as much later, once."""
    hourly = plan.hours == tuple(range(24))
    found, seen, moment = set(), set(), begin - 86_400
    before = datetime.fromtimestamp(moment - 60, zone).replace(tzinfo=None)
    while moment <= end:
        wall = datetime.fromtimestamp(moment, zone).replace(tzinfo=None)
        skipped = wall - before - timedelta(minutes=1)
        if skipped > timedelta():  # the minutes left out stand for those that follow, one after the other
            gap = [before + timedelta(minutes=n + 1) for n in range(int(skipped.total_seconds() // 60))]
            found |= {
                moment + 60 * n for n, each in enumerate(gap)
                if not hourly and _says(plan, each) and each not in seen
            }  # fmt: skip
            seen |= set(gap)
        if _says(plan, wall) and (hourly or wall not in seen):
            found.add(moment)
        seen.add(wall)
        before = wall
        moment += 60
    return sorted(each for each in found if begin < each <= end)


def _says(plan: Timetable, wall: datetime) -> bool:
    """Tell whether a crontab names this minute of the wall clock."""
    last = (wall + timedelta(days=1)).day == 1
    return (
        wall.minute in plan.minutes
        and wall.hour in plan.hours
        and (wall.day in plan.days or (last and -1 in plan.days))
        and wall.weekday() in plan.weekdays
    )


class Dying(SqlSchedules):
    """A calendar whose clock dies each time before it can note what it handed in."""

    async def fired(self, id: int, *, since: float) -> None:
        raise StorageError("killed")


async def day(zone: str, date: str) -> Counter[str]:
    """Run the clocks over a day and what lies around it; returns how many times came as they should, and how not."""
    begin = datetime.fromisoformat(date).replace(tzinfo=ZoneInfo(zone)).timestamp() - 3 * 3600
    end, now = begin + 30 * 3600, begin
    with tempfile.TemporaryDirectory(prefix="survival-") as place:
        async with AsyncExitStack() as stack:
            clocks = []
            for store in (SqlSchedules, SqlSchedules, Dying):
                database = await Database.open(Path(place) / "weft.db", WEFT)
                stack.push_async_callback(database.close)
                inbox = SqlInbox(await Database.open(Path(place) / "inbox.db", INBOX), now=lambda: now)
                stack.push_async_callback(inbox.close)
                modes, schedules = SqlChannelModes(database), store(database)
                clocks.append(Clock(schedules=schedules, inbox=inbox, modes=modes, versions=_none, now=lambda: now))
            entries = [await schedules.put(_entry(plan, zone, begin, number)) for number, plan in enumerate(PLANS)]
            while now < end:
                now += TICK
                await asyncio.gather(*(clock.ask() for clock in clocks), return_exceptions=True)
        with closing(sqlite3.connect(Path(place) / "inbox.db")) as inbox_file:
            rows = inbox_file.execute("SELECT event_id FROM inbox WHERE kind='scheduled'").fetchall()
    events = Counter(event for (event,) in rows)
    found: Counter[str] = Counter()
    for entry, written in zip(entries, PLANS, strict=True):
        should = {
            f"plan:{entry.id}:{moment:.0f}" for moment in expected(Timetable.parse(written), ZoneInfo(zone), begin, end)
        }
        came = {event for event in events if event.startswith(f"plan:{entry.id}:")}
        found["as it should"] += len(should & came)
        found["missing"] += len(should - came)
        found["too many"] += len(came - should)
    found["twice"] += sum(count - 1 for count in events.values())
    return found


def _entry(plan: str, zone: str, now: float, number: int) -> Schedule:
    return Schedule(
        kind=ScheduleKind.QUESTION,
        key=ThreadKey(platform="slack", workspace_id="T1", channel_id="C1", thread_id=""),
        owner=Author(id="U1", name="Alice"),
        plan=Timetable.parse(plan),
        zone=zone,
        text="Who is on call?",
        origin=f"t{number}",
        created=now,
        since=now,
    )


async def _none(names: Sequence[tuple[str, str]]) -> Versions:
    return {}


async def measure(report: Report) -> None:
    """Run every day in its zone, and count."""
    found: Counter[str] = Counter()
    for zone, dates in DAYS.items():
        for date in dates:
            found += await day(zone, date)
    report.add("times that came as they should", found["as it should"], "")
    for name in ("missing", "too many", "twice"):
        report.add(f"times {name}", found[name], "", "0")
