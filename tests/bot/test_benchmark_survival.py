"""The measure of survival: that it sees what it should, not what it measured."""

from collections import Counter
from datetime import datetime
from itertools import takewhile
from zoneinfo import ZoneInfo

import pytest

from agent.types import ThreadKey
from agent.values.timetable import Timetable
from benchmarks import survival, survival_clock
from benchmarks.survival_clock import DAYS, PLANS, expected
from benchmarks.survival_damage import ANSWER, Run, damages, verdict
from benchmarks.survival_kills import Load, out_of_order

KEY = ThreadKey(platform="slack", workspace_id="T1", channel_id="C1", thread_id="1")


@pytest.mark.parametrize(
    ("zone", "date"), [("Europe/Berlin", DAYS["Europe/Berlin"][1]), ("Australia/Lord_Howe", "2026-10-04")]
)
def test_the_wall_clock_and_the_plans_tell_the_same_times_over_its_changes(zone, date):
    begin = datetime.fromisoformat(date).replace(tzinfo=ZoneInfo(zone)).timestamp() - 3 * 3600
    end = begin + 30 * 3600
    for written in PLANS:
        plan = Timetable.parse(written)
        times = list(takewhile(lambda each: each <= end, plan.times(begin, zone)))
        assert expected(plan, ZoneInfo(zone), begin, end) == times, written


async def test_a_clock_that_asks_twice_or_not_at_all_is_seen(monkeypatch):
    monkeypatch.setattr(survival_clock, "PLANS", ("0 9 * * *",))
    monkeypatch.setattr(survival_clock, "TICK", 7200.0)
    found = await survival_clock.day("Asia/Seoul", "2026-03-29")
    assert found == Counter({"as it should": 1})
    monkeypatch.setattr(survival_clock, "expected", lambda *_: [0.0])
    found = await survival_clock.day("Asia/Seoul", "2026-03-29")
    assert (found["missing"], found["too many"]) == (1, 1)


def test_an_answer_that_comes_before_an_earlier_one_is_seen():
    load = Load(sent={"a": (KEY, 1.0, 2.0), "b": (KEY, 3.0, 4.0)})
    order = [("a", str(KEY)), ("b", str(KEY))]
    answers = {"a": [{"ts": "10.0"}], "b": [{"ts": "11.0"}]}
    assert out_of_order(load, order, answers) == 0
    assert out_of_order(load, order, {**answers, "b": [{"ts": "9.0"}]}) > 0
    # written together they may be taken in either order, but are answered as they were taken
    load.sent["b"] = (KEY, 1.5, 4.0)
    assert out_of_order(load, order[::-1], {**answers, "b": [{"ts": "9.0"}]}) == 0


@pytest.mark.parametrize(
    ("kind", "run", "word"),
    [
        ("ask", Run(code=0, said=f"{ANSWER}", seconds=1.0), "works"),
        ("ask", Run(code=0, said="up to 12 months", seconds=1.0), "WRONG"),
        ("ask", Run(code=1, said="Traceback (most recent call last)", seconds=1.0), "TRACE"),
        ("ask", Run(code=1, said="weft: sorry", seconds=1.0), "UNNAMED"),
        ("ask", Run(code=1, said="weft: inbox.db is damaged", seconds=1.0), "refused"),
        ("serve", Run(code=None, said="", seconds=60.0), "HANGS"),
        ("serve", Run(code=-9, said="inbox.db is empty", seconds=1.0, served=True), "warned"),
        ("doctor", Run(code=0, said="ok  inbox.db  in order", seconds=1.0), "works"),
        ("doctor", Run(code=0, said="warning  inbox.db  is empty", seconds=1.0), "warned"),
    ],
)
def test_what_comes_of_a_damage_is_told_by_what_is_said(kind, run, word):
    assert verdict(kind, "inbox.db", run) == word


def test_a_file_is_damaged_in_all_its_ways_one_at_a_time():
    content = bytes(1000) + b"CREATE TABLE inbox(id)" + bytes(1000)
    found = dict(damages("inbox.db", content, 20))
    flips = [each for name, each in found.items() if name.startswith("flip")]
    assert len(flips) == 22 and sum("schema" in name for name in found) >= 2
    assert all(sum(a != b for a, b in zip(content, each, strict=True)) == 1 for each in flips)
    assert found["empty"] == b"" and len(found["cut"]) == len(content) // 2 and "gone" not in found
    assert dict(damages("inbox.db-wal", content, 3))["gone"] is None


def test_its_parts_are_named_and_told():
    words = survival.__doc__ or ""
    assert all(f"    {name} " in words for name in survival.PARTS)
    given = survival.parser().parse_args(["clock", "kills", "--messages", "10"])
    assert given.parts == ["clock", "kills"] and given.messages == 10
