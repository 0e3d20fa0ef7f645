"""The clock: what is due is handed in once, however the clock is treated, and whoever else is one."""

import asyncio
import os
import shutil
import signal
import sys
from dataclasses import replace
from datetime import datetime
from functools import partial
from zoneinfo import ZoneInfo

import pytest

from agent.errors import StorageError, WeftError
from agent.types import ChannelMode, MessageKind
from agent.values.timetable import Timetable
from bot.app import open_engine
from bot.calendar.clock import Clock, due_at
from bot.calendar.sources import Sources, ingesting, report_of
from bot.process_lock import FolderLocks, held, standing_by
from bot.processes.housekeeping import Housekeeping, schedule
from bot.processes.serve import clock
from bot.settings import Settings
from storage.catalogue import versions
from storage.contracts import Place, ScheduleKind
from storage.database import Database
from storage.inbox import SqlInbox
from storage.schedules import SqlSchedules
from storage.schema import WEFT
from tests.contracts.inbox import Time
from tests.contracts.schedules import KEY, standing
from tests.fakes_channels import MemoryChannelModes

MONDAY = datetime.fromisoformat("2026-11-23T09:00+09:00").timestamp()
WEEK = 7 * 86_400.0


class Bench:
    """A data folder with a clock on it, whose time is set."""

    def __init__(self, database, inbox, time) -> None:
        self.database, self.inbox, self.time = database, inbox, time
        self.schedules, self.modes = SqlSchedules(database), MemoryChannelModes()
        self.clock = Clock(
            schedules=self.schedules, inbox=inbox, modes=self.modes, versions=partial(versions, database), now=time
        )

    async def set(self, **changes):
        return await self.schedules.put(replace(standing(), created=self.time.at, since=self.time.at, **changes))

    async def handed_in(self) -> list:
        """Return what was handed in since the last look, and answer it."""
        found = []
        while row := await self.inbox.claim("w", lease=30, platforms=["slack"]):
            found.append(row.message)
            await self.inbox.finish(row)
        return found

    async def at(self, moment: float) -> list:
        self.time.at = moment
        return await self.handed_in() if await self.clock.ask() else []


@pytest.fixture
async def bench(tmp_path):
    time = Time()
    time.at = MONDAY - 3 * 86_400
    inbox = await SqlInbox.open(tmp_path / "inbox.db", now=time)
    database = await Database.open(tmp_path / "weft.db", WEFT)
    yield Bench(database, inbox, time)
    await inbox.close()
    await database.close()


async def test_a_standing_question_is_handed_in_at_its_time_as_a_message_of_the_clock(bench):
    put = await bench.set()
    assert await bench.at(MONDAY - 1) == []
    (message,) = await bench.at(MONDAY + 5)
    assert (message.text, message.kind, message.key, message.locale) == (put.text, MessageKind.SCHEDULED, KEY, "ko")
    assert message.addressed and message.received_at == MONDAY + 5 and message.author == put.owner
    assert await bench.at(MONDAY + 15) == []
    (again,) = await bench.at(MONDAY + WEEK)
    assert again.event_id != message.event_id and again.turn_id != message.turn_id


async def test_however_long_the_clock_stood_still_one_event_comes_of_it(bench):
    await bench.set()
    assert len(await bench.at(MONDAY + 10 * WEEK + 3_600)) == 1
    assert await bench.at(MONDAY + 10 * WEEK + 7_200) == []
    assert len(await bench.at(MONDAY + 11 * WEEK)) == 1


async def test_a_clock_that_dies_between_the_inbox_and_its_note_hands_in_nothing_twice(bench, monkeypatch):
    put = await bench.set()

    async def dies(*_, **__):
        raise StorageError("the disk is full")

    with monkeypatch.context() as patched:
        patched.setattr(bench.schedules, "fired", dies)
        for late in (0, 10, WEEK + 10):  # also where its next time has come meanwhile
            bench.time.at = MONDAY + late
            with pytest.raises(StorageError):
                await bench.clock.ask()
    assert len(await bench.at(MONDAY + WEEK + 20)) == 1
    assert (await bench.schedules.get(put.id)).since == MONDAY + WEEK + 20


async def test_two_clocks_at_once_hand_in_one_event(bench, tmp_path):
    await bench.set()
    database, inbox = await Database.open(tmp_path / "weft.db", WEFT), await SqlInbox.open(tmp_path / "inbox.db")
    other = Clock(
        schedules=SqlSchedules(database), inbox=inbox, modes=bench.modes, versions=partial(versions, database),
        now=bench.time,
    )  # fmt: skip
    bench.time.at = MONDAY
    await asyncio.gather(*(clock.ask() for clock in (bench.clock, other) for _ in range(5)))
    assert len(await bench.handed_in()) == 1
    await inbox.close()
    await database.close()


async def test_a_clock_that_is_set_back_by_hours_asks_nothing_again_and_by_months_does_not_stand_still(bench, caplog):
    put = await bench.set()
    assert len(await bench.at(MONDAY)) == 1
    assert await bench.at(MONDAY - 7_200) == [] and await bench.at(MONDAY + 1) == []
    await bench.at(MONDAY + 50 * WEEK + 10)  # a wrong date
    assert await bench.at(MONDAY + 2 * 86_400) == [] and "set back" in caplog.text
    assert (await bench.schedules.get(put.id)).since == MONDAY + 2 * 86_400
    assert await bench.at(MONDAY + WEEK) == []  # this time was seen to under the wrong date: it names the same event
    assert len(await bench.at(MONDAY + 2 * WEEK)) == 1


async def test_what_is_paused_is_left_out_and_not_made_up_for(bench):
    put = await bench.set()
    await bench.schedules.pause(put.id, paused=True, now=bench.time.at)
    assert await bench.at(MONDAY + WEEK) == []
    await bench.schedules.pause(put.id, paused=False, now=bench.time.at)
    assert await bench.at(MONDAY + WEEK + 10) == [] and len(await bench.at(MONDAY + 2 * WEEK)) == 1


async def test_in_a_channel_that_is_switched_off_nothing_is_asked(bench):
    place = Place(platform="slack", workspace="T1", channel="C1")
    await bench.set()
    await bench.modes.set(place, ChannelMode.OFF)
    assert await bench.at(MONDAY) == []
    await bench.modes.set(place, None)
    assert await bench.at(MONDAY + 60) == [] and len(await bench.at(MONDAY + WEEK)) == 1


@pytest.mark.parametrize("day", ["2026-03-29", "2026-10-25"])
async def test_over_both_changes_of_the_clock_everything_comes_as_it_should(bench, day):
    """Three days in steps of ten seconds would take long: it is looked every five minutes."""
    zone = ZoneInfo("Europe/Berlin")
    begin = datetime.fromisoformat(f"{day}T00:00+00:00").timestamp() - 86_400
    bench.time.at = begin
    plans = {"daily": "30 2 * * *", "hourly": "0 * * * *", "noon": "0 12 * * *", "pause": "every 6h"}
    put = {
        name: await bench.set(text=name, zone="Europe/Berlin", plan=Timetable.parse(plan))
        for name, plan in plans.items()
    }
    heard = {name: [] for name in plans}
    for step in range(1, 3 * 24 * 12 + 1):
        for message in await bench.at(begin + step * 300):
            heard[message.text].append(datetime.fromtimestamp(bench.time.at, zone))
    assert [each.strftime("%d %H:%M") for each in heard["noon"]] == [f"{int(day[-2:]) + n} 12:00" for n in (-1, 0, 1)]
    nights = [each.strftime("%H:%M %z") for each in heard["daily"]]
    if day == "2026-03-29":  # begins at 01:00 local time of the day before
        assert nights == ["02:30 +0100", "03:30 +0200", "02:30 +0200"]
    else:
        assert nights == ["02:30 +0200", "02:30 +0200", "02:30 +0100"]
    assert len(heard["hourly"]) == 72 and len(heard["pause"]) == 12  # hours that there are
    assert len({each.id for each in put.values()}) == 4


async def test_a_damaged_entry_stops_no_other(bench):
    bad, _ = await bench.set(), await bench.set(text="the other")
    await bench.database.write(lambda c: c.execute("UPDATE schedules SET plan='{}' WHERE id=?", (bad.id,)).close())
    assert [message.text for message in await bench.at(MONDAY)] == ["the other"]


async def test_the_scheduler_neither_drops_nor_doubles_a_look_at_the_calendar(bench):
    begun, go_on, looks = asyncio.Event(), asyncio.Event(), []

    async def slow() -> int:
        looks.append(1)
        begun.set()
        await go_on.wait()
        return 0

    housekeeping = Housekeeping(inbox=None, checkpoints=None, deliveries=None, turns=None, keep_days=1)
    housekeeping.__class__ = type("Idle", (Housekeeping,), {"jobs": {}})
    scheduler = schedule(housekeeping, often={"calendar": slow}, often_seconds=0.01)
    scheduler.start()
    (job,) = scheduler.get_jobs()
    assert job.coalesce and job.misfire_grace_time is None and job.max_instances == 1
    async with asyncio.timeout(60):
        await begun.wait()
        go_on.set()
        while len(looks) < 3:
            await asyncio.sleep(0.01)
    scheduler.shutdown(wait=False)


async def test_who_stands_by_takes_over_from_a_clock_that_is_killed(tmp_path):
    lock = tmp_path / "clock.lock"
    holds = """import fcntl, os, sys
file = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT); fcntl.flock(file, fcntl.LOCK_EX); print("held", flush=True)
sys.stdin.read()"""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", holds, str(lock), stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    assert await process.stdout.readline() == b"held\n"
    waiting, taken = asyncio.Event(), asyncio.Event()

    async def stand_by():
        async with standing_by(lock, waiting=waiting.set):
            taken.set()
            await asyncio.Event().wait()

    task = asyncio.create_task(stand_by())
    async with asyncio.timeout(60):
        await waiting.wait()
        assert not taken.is_set()
        process.send_signal(signal.SIGKILL)
        await taken.wait()
    assert lock.read_text() == str(os.getpid())
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    await process.wait()


# --- watched sources


async def source(bench, text: str, plan: str = "every 1h", **details):
    entry = standing(text)
    details = {"collection": "docs", **details}
    return await bench.schedules.put(
        replace(
            entry, kind=ScheduleKind.SOURCE, plan=Timetable.parse(plan), details=details, created=bench.time.at,
            since=bench.time.at, origin=f"source\t{text}",
        )
    )  # fmt: skip


async def test_a_source_is_ingested_at_once_and_then_by_its_plan_and_failures_are_noted(bench):
    put, calls = await source(bench, "/data/a"), []
    reports = [
        {"added": 2, "updated": 0, "unchanged": 0, "removed": 0, "refused": []},
        WeftError("/data/a is not there"),
        {"added": 0, "refused": [{"path": "/data/a/b.pdf", "reason": "it is broken"}]},
        {"unchanged": 2, "refused": [{"path": "/data/a/b.pdf", "reason": "it is broken"}]},
    ]

    async def ingest(entry):
        calls.append(bench.time.at)
        report = reports[len(calls) - 1]
        if isinstance(report, Exception):
            raise report
        return report

    sources, begin = Sources(bench.schedules, bench.clock, ingest, now=bench.time), bench.time.at
    assert await sources.refresh() == 1 and await sources.refresh() == 0
    assert (await bench.schedules.get(put.id)).details["report"]["added"] == 2
    bench.time.at += 3_600
    await sources.refresh()
    entry = await bench.schedules.get(put.id)
    assert (entry.failures, entry.problem, entry.paused) == (1, "/data/a is not there", False)
    bench.time.at += 3_600
    await sources.refresh()
    assert (await bench.schedules.get(put.id)).problem == "/data/a/b.pdf: it is broken"
    bench.time.at += 3_600
    await sources.refresh()
    entry = await bench.schedules.get(put.id)
    assert (entry.failures, entry.problem, entry.details["refused"]) == (0, "", 1)
    assert calls == [begin + hours * 3_600 for hours in range(4)] and due_at(entry, bench.time.at) is None


async def test_a_source_that_is_added_again_is_ingested_at_once_again(bench):
    calls = []

    async def ingest(entry):
        calls.append(entry.id)
        return {"unchanged": 1}

    sources = Sources(bench.schedules, bench.clock, ingest, now=bench.time)
    put = await source(bench, "/data/a")
    bench.time.at += 60
    assert (await source(bench, "/data/a")).id == put.id  # before any clock came
    assert await sources.refresh() == 1 and await sources.refresh() == 0
    bench.time.at += 60
    await source(bench, "/data/a", plan="every 1d")
    assert await sources.refresh() == 1 and await sources.refresh() == 0
    assert calls == [put.id] * 2


async def test_a_folder_is_ingested_by_a_process_of_its_own(bench, tmp_path, _sample):
    shutil.copytree(_sample, tmp_path / "data")
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "a.md").write_text("# Leave\n\nThere are 20 days of leave.")
    report = await ingesting(tmp_path / "data", "handbook")(await source(bench, str(folder)))
    assert (report["added"], report["refused"]) == (1, [])


@pytest.mark.parametrize(
    ("out", "err", "code", "words"),
    [
        (b"", b"loading\nweft: /data/a: there is no such file or folder\n", 2, "^/data/a: there is no"),
        (b"", b"", -9, "ended with -9"), (b"{", b"\xff", 1, "\ufffd"),
    ],
)  # fmt: skip
def test_an_ingest_without_a_report_is_told_by_its_last_word(out, err, code, words):
    with pytest.raises(WeftError, match=words):
        report_of(out, err, code)
    assert report_of(b'{"added": 1}', b"", 1) == {"added": 1} and report_of(b"[]", b"", 0) == {}


async def test_an_ingest_that_takes_long_holds_nothing_up_and_ends_with_the_clock(bench):
    await source(bench, "/data/a")
    begun, ended = asyncio.Event(), asyncio.Event()

    async def ingest(entry):
        begun.set()
        try:
            return await asyncio.Event().wait()
        finally:
            ended.set()

    sources = Sources(bench.schedules, bench.clock, ingest, now=bench.time)
    async with asyncio.timeout(60):
        await sources.begin()
        await begun.wait()
        await sources.begin()
        await sources.close()
        await ended.wait()
    assert (await bench.schedules.all())[0].failures == 0  # it is due again at the next start


async def test_the_clock_of_a_folder_asks_what_is_due_once_it_is_its_turn(tmp_path, _sample, caplog):
    caplog.set_level("INFO")
    shutil.copytree(_sample, tmp_path / "data")
    async with open_engine(Settings.load(data=tmp_path / "data")) as engine:
        entry = replace(standing(plan="every 1h"), created=1.0, since=1.0)
        await engine.schedules.put(entry)
        lock = tmp_path / "data" / "clock.lock"
        with held(lock, what="another"):
            waiting = asyncio.create_task(FolderLocks(lock.parent).lead("clock", partial(clock, engine)))
            async with asyncio.timeout(60):
                while "stands by" not in caplog.text:
                    await asyncio.sleep(0)
            assert (await engine.inbox.counts())["todo"] == 0
        async with asyncio.timeout(60):
            while not (await engine.inbox.counts())["todo"]:
                await asyncio.sleep(0.01)
        row = await engine.inbox.claim("w", lease=30, platforms=["slack"])
        assert row.message.text == entry.text
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
