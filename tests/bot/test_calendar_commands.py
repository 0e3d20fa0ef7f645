"""`weft schedule`, `weft watch` and the digest of `weft gaps`; what doctor and metrics tell of them."""

import asyncio
import json
import time
from dataclasses import replace
from datetime import datetime

import pytest
from click.testing import CliRunner

from agent.types import Author
from agent.values.timetable import Timetable
from bot.calendar.state import PAUSE, CalendarState
from bot.calendar.words import told_plan
from bot.cli import main
from bot.doctor import data_folder
from bot.platform_state import Standing
from bot.processes.metrics import Metrics
from storage.contracts import ScheduleKind
from storage.database import Database
from storage.schedules import SqlSchedules
from storage.schema import WEFT
from tests.contracts.inbox import Time
from tests.contracts.schedules import standing

CHANNEL = "channel:slack:T1:C1"


@pytest.fixture
def weft(tmp_path, sampled, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WEFT_DATA", str(sampled))

    def run(*arguments: str, code: int = 0) -> str:
        result = CliRunner().invoke(main, list(arguments))
        assert result.exit_code == code, result.output
        return result.stdout or result.stderr

    return run


def entries(tmp_path):
    async def read():
        database = await Database.open(tmp_path / "data" / "weft.db", WEFT)
        try:
            return await SqlSchedules(database).all()
        finally:
            await database.close()

    return asyncio.run(read())


def test_a_question_is_set_listed_paused_resumed_and_removed(weft, tmp_path):
    made = json.loads(
        weft(
            "schedule", "add", "every Monday at 9", "who is on call?", "--in", CHANNEL, "--zone", "Asia/Seoul", "--json"
        )
    )
    assert (made["id"], made["kind"], made["place"], made["plan"]) == (1, "question", CHANNEL, "0 9 * * 1")
    assert made["next"].endswith("T09:00:00+09:00") and not made["paused"]
    weft("schedule", "add", "매주 월요일 9시", "이번 주 당직은 누구야?", "--in", "playground")
    page = entries(tmp_path)[1]
    assert (page.private, page.owner, page.language, page.zone) == (True, Author(id="you"), "ko", "UTC")
    listed = weft("schedule", "list")
    assert "every Monday at 09:00 (Asia/Seoul)" in listed and "이번 주 당직은 누구야?" in listed
    assert weft("schedule", "pause", "1") == "1: paused\n" and "paused" in weft("schedule", "list")
    assert weft("schedule", "resume", "1") == "1: goes on\n"
    assert weft("schedule", "remove", "1") == "1: removed\n"
    assert [each["id"] for each in json.loads(weft("schedule", "list", "--json"))["schedules"]] == [2]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("every second", "who?", "--in", CHANNEL), "too often: at most every 60 minutes"),
        (("*/10 * * * *", "who?", "--in", CHANNEL), "too often"), (("often", "who?", "--in", CHANNEL), "no plan"),
        (("0 9 * * mon", "who?", "--in", "workspace:slack:T1"), "whole workspace"),
        (("0 9 * * mon", "who?", "--in", "#general"), "no place"), (("0 9 * * mon", " ", "--in", CHANNEL), "question"),
        (("0 9 * * mon", "x" * 9000, "--in", CHANNEL), "9000"),
        (("0 9 * * mon", "who?", "--in", CHANNEL, "--zone", "Mars/Base"), "no time zone 'Mars/Base'"),
        (("0 9 30 2 *", "who?", "--in", CHANNEL), "no month has such a day"),
    ],
)  # fmt: skip
def test_what_cannot_be_set_is_told_in_one_line(weft, arguments, words):
    told = weft("schedule", "add", *arguments, code=2)
    assert words in told and told.startswith("weft: ") and told.count("\n") == 1


def test_an_entry_that_there_is_not(weft):
    assert "no entry 7" in weft("schedule", "pause", "7", code=2)
    assert "not watched" in weft("watch", "remove", "/nowhere", code=2)


def test_a_damaged_entry_is_named_and_can_be_removed(weft, tmp_path):
    weft("schedule", "add", "every Monday at 9", "who is on call?", "--in", CHANNEL)
    execute(tmp_path, "UPDATE schedules SET plan='now and then'")
    report = json.loads(weft("schedule", "list", "--json"))
    assert report == {"schedules": [], "damaged": [1]}
    (check,) = data_folder.calendar(tmp_path / "data")
    assert check.status == "warning" and "not readable: 1" in check.detail and "weft schedule remove" in check.advice
    weft("schedule", "remove", "1")
    assert list(data_folder.calendar(tmp_path / "data")) == []


def execute(tmp_path, sql: str) -> None:
    async def write():
        database = await Database.open(tmp_path / "data" / "weft.db", WEFT)
        await database.write(lambda c: c.execute(sql).close())
        await database.close()

    asyncio.run(write())


def test_a_folder_and_a_url_are_watched_once_each(weft, tmp_path):
    (tmp_path / "notes").mkdir()
    made = json.loads(weft("watch", "add", "notes", "--every", "30m", "--collection", "team", "--json"))
    assert (made["source"], made["collection"], made["plan"]) == (str(tmp_path / "notes"), "team", "every 1800s")
    again = CliRunner().invoke(main, ["watch", "add", "notes", "--every", "every day at 3am", "--collection", "team"])
    assert "as soon as a clock runs: `weft serve`, or `weft clock`" in again.stderr
    weft("watch", "add", "https://example.org/handbook", "--every", "0 3 * * *")
    first, second = json.loads(weft("watch", "list", "--json"))["sources"]
    assert (first["id"], first["plan"], second["source"]) == (1, "0 3 * * *", "https://example.org/handbook")
    assert "not ingested yet" in weft("watch", "list") and "weft schedule add" in weft("schedule", "list")
    weft("watch", "remove", "notes")
    weft("watch", "remove", "https://example.org/handbook")
    assert entries(tmp_path) == []


def test_how_often_a_source_failed_is_told(weft, tmp_path):
    weft("watch", "add", ".")

    async def fail():
        database = await Database.open(tmp_path / "data" / "weft.db", WEFT)
        try:
            await SqlSchedules(database).failed(1, "it is not there", most=9)
        finally:
            await database.close()

    for told in ("failed once: it is not there", "failed 2 times: it is not there"):
        asyncio.run(fail())
        assert told in weft("watch", "list")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("nowhere",), "no such file"), ((".", "--every", "1m"), "too often"), ((".", "--every", "often"), "no plan"),
        ((".", "--collection", "web"), "choose another name"), (("http://",), "http"),
    ],
)  # fmt: skip
def test_what_cannot_be_watched_is_told(weft, arguments, words):
    told = weft("watch", "add", *arguments, code=2)
    assert words in told and told.count("\n") == 1


def test_a_digest_is_an_entry_of_the_calendar(weft, tmp_path):
    weft("gaps", "--digest-to", CHANNEL, "--zone", "Europe/Berlin")
    (entry,) = entries(tmp_path)
    assert (entry.kind, str(entry.plan), entry.zone) == (ScheduleKind.DIGEST, "0 9 * * 1", "Europe/Berlin")
    assert "what was not answered there" in weft("schedule", "list")


async def test_doctor_and_metrics_tell_what_fails_and_what_is_late(tmp_path):
    (tmp_path / "weft.db").parent.mkdir(exist_ok=True)
    database = await Database.open(tmp_path / "weft.db", WEFT)
    schedules, now = SqlSchedules(database), time.time()
    put = await schedules.put(replace(standing(plan="every 1h"), created=now - 7200, since=now - 7200))
    await schedules.pause((await schedules.put(standing())).id, paused=True, now=now)
    (late,) = data_folder.calendar(tmp_path)
    assert late.status == "warning" and "2 entries, 1 paused; one has been due for 60 minutes" in late.detail

    async def figures() -> str:
        return await Metrics().text(
            standing=Standing(), waiting={}, oldest=0.0, database=database, connections=0, closed={},
            schedules=await schedules.all(), now=now,
        )  # fmt: skip

    told = await figures()
    assert 'weft_schedules{kind="question",state="on"} 1' in told and "weft_schedules_late_seconds 3600" in told
    await schedules.failed(put.id, "channel_not_found", most=9)
    await schedules.fired(put.id, since=now)
    (failing,) = data_folder.calendar(tmp_path)
    assert "1 fail: 1: channel_not_found" in failing.detail
    told = await figures()
    assert 'weft_schedules{kind="question",state="failing"} 1' in told and "late_seconds 0" in told
    assert 'weft_schedules{kind="question",state="paused"} 1' in told and "on call" not in told
    await schedules.went_well(put.id)
    (fine,) = data_folder.calendar(tmp_path)
    assert fine.status == "ok"
    await database.close()


async def test_health_tells_how_many_are_on_and_late_and_when_the_next_comes(tmp_path):
    database, moment = await Database.open(tmp_path / "weft.db", WEFT), Time()
    schedules, clock = SqlSchedules(database), Time()
    state = CalendarState(schedules, now=moment, clock=clock)
    assert await state.told() == {"on": 0, "paused": 0, "overdue": 0, "next": None}
    moment.at = datetime.fromisoformat("2026-11-20T12:00Z").timestamp()
    put = await schedules.put(replace(standing(), created=moment.at, since=moment.at))
    other = await schedules.put(replace(standing(origin="t2"), created=moment.at, since=moment.at))
    await schedules.pause(other.id, paused=True, now=moment.at)
    assert (await state.told())["on"] == 0  # it was read just now
    clock.at += PAUSE
    assert await state.told() == {"on": 1, "paused": 1, "overdue": 0, "next": "2026-11-23T00:00:00+00:00"}
    moment.at, clock.at = datetime.fromisoformat("2026-11-23T00:02Z").timestamp(), clock.at + PAUSE
    assert await state.told() == {"on": 1, "paused": 1, "overdue": 1, "next": "2026-11-30T00:00:00+00:00"}
    await schedules.fired(put.id, since=moment.at)
    clock.at += PAUSE
    assert (await state.told())["overdue"] == 0
    await database.close()
    clock.at += PAUSE
    assert await state.told() is None  # whoever looks whether Weft lives is answered all the same


@pytest.mark.parametrize(
    ("plan", "en", "ko"),
    [
        ("0 9 * * 1", "every Monday at 09:00", "매주 월요일 09:00"),
        ("30 9 * * 1-5", "every weekday at 09:30", "평일 09:30"),
        ("0 9 * * *", "every day at 09:00", "매일 09:00"), ("0 * * * *", "every hour", "매시간"),
        ("0 9 1,15 * *", "on day 1, 15 of every month at 09:00", "매월 1, 15일 09:00"),
        ("0 */6 * * *", "every 6 hours", "6시간마다"), ("every 90m", "every 90 minutes", "90분마다"),
        ("every 2h", "every 2 hours", "2시간마다"), ("0 9 1 1 *", "by the plan “0 9 1 1 *”", "“0 9 1 1 *” 계획대로"),
        ("0 9 * * 1#1", "on the first Monday of every month at 09:00", "매월 첫째 월요일 09:00"),
        ("0 9 * * 5#L", "on the last Friday of every month at 09:00", "매월 마지막 금요일 09:00"),
        ("0 9 L * *", "on the last day of every month at 09:00", "매월 말일 09:00"),
        ("0 10 * * 2 every 2w", "every 2 weeks on Tuesday at 10:00", "2주마다 화요일 10:00"),
        ("0 9 1,L * *", "by the plan “0 9 1,L * *”", "“0 9 1,L * *” 계획대로"),
        ("0 9 * * * every 2w", "by the plan “0 9 * * * every 2w”", "“0 9 * * * every 2w” 계획대로"),
        ("0 9,11 * * 1", "by the plan “0 9,11 * * 1”", "“0 9,11 * * 1” 계획대로"),
    ],
)  # fmt: skip
def test_a_plan_in_words(plan, en, ko):
    assert (told_plan(Timetable.parse(plan), "en"), told_plan(Timetable.parse(plan), "ko")) == (en, ko)
