"""Plans and their times: crontabs as crontab(5) means them, and clocks that are changed twice a year."""

from datetime import UTC, datetime, timedelta
from itertools import islice, pairwise
from zoneinfo import ZoneInfo

import pytest

from agent.values.timetable import Timetable, zone_of


def at(written: str) -> float:
    return datetime.fromisoformat(written).timestamp()


def times(plan: str, zone: str, after: str, count: int) -> list[str]:
    found = Timetable.parse(plan).times(at(after), zone, since=at(after))
    return [datetime.fromtimestamp(moment, ZoneInfo(zone)).isoformat() for moment in islice(found, count)]


@pytest.mark.parametrize(
    ("plan", "days"),
    [
        ("0 9 * * 1-5", {0, 1, 2, 3, 4}), ("0 9 * * mon-fri", {0, 1, 2, 3, 4}), ("0 9 * * 0", {6}),
        ("0 9 * * 7", {6}), ("0 9 * * sun", {6}), ("0 9 * * 5-7", {4, 5, 6}), ("0 9 * * */2", {6, 1, 3, 5}),
    ],
)  # fmt: skip
def test_weekdays_are_those_of_a_crontab(plan, days):
    found = islice(Timetable.parse(plan).times(at("2026-11-23T00:00Z")), 14)
    assert {datetime.fromtimestamp(moment, UTC).weekday() for moment in found} == days


def test_a_time_that_the_clock_leaves_out_comes_as_much_later_and_one_that_it_has_twice_comes_once():
    assert times("30 2 * * *", "Europe/Berlin", "2026-03-28T12:00Z", 2) == [
        "2026-03-29T03:30:00+02:00", "2026-03-30T02:30:00+02:00"
    ]  # fmt: skip
    assert times("30 2 * * *", "Europe/Berlin", "2026-10-24T12:00Z", 2) == [
        "2026-10-25T02:30:00+02:00", "2026-10-26T02:30:00+01:00"
    ]  # fmt: skip
    # the two that fall together are one
    assert times("30 2,3 * * *", "Europe/Berlin", "2026-03-28T12:00Z", 2) == [
        "2026-03-29T03:30:00+02:00", "2026-03-30T02:30:00+02:00"
    ]  # fmt: skip


@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Seoul"])
@pytest.mark.parametrize("day", ["2026-03-08", "2026-03-29", "2026-10-04", "2026-10-25", "2026-11-01"])
def test_what_comes_every_hour_comes_in_each_hour_that_there_is(zone, day):
    begin = at(f"{day}T00:00Z") - 86_400
    found = list(islice(Timetable.parse("0 * * * *").times(begin, zone), 72))
    local = [datetime.fromtimestamp(moment, ZoneInfo(zone)) for moment in found]
    assert all(each.minute == 0 for each in local) and found == sorted(set(found))
    apart = {b - a for a, b in pairwise(found)}
    assert apart <= {3600.0} | ({1800.0, 5400.0} if zone == "Australia/Lord_Howe" else set())  # its clock: half an hour


@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/New_York", "Pacific/Apia", "Asia/Seoul", "UTC"])
def test_a_daily_plan_comes_once_on_every_day_of_ten_years(zone):
    begin, days = at("2020-01-01T12:00Z"), 3653
    found = list(islice(Timetable.parse("15 2 * * *").times(begin, zone), days))
    dates = [datetime.fromtimestamp(moment, ZoneInfo(zone)).date() for moment in found]
    assert dates == [dates[0] + timedelta(days=n) for n in range(days)]


def test_the_next_time_is_after_the_moment_and_the_same_from_anywhere_between():
    plan = Timetable.parse("0 9 * * mon")
    monday = at("2026-11-23T09:00Z")
    assert plan.after(monday - 1) == monday and plan.after(monday) == monday + 7 * 86_400
    assert {plan.after(monday + second) for second in range(0, 7 * 86_400, 3_600)} == {monday + 7 * 86_400}


def test_a_pause_is_counted_from_its_beginning():
    plan = Timetable.parse("every 90m")
    assert [plan.after(after, since=1_000.0) for after in (0.0, 1_000.0, 6_399.0, 6_400.0)] == [
        6_400.0, 6_400.0, 6_400.0, 11_800.0
    ]  # fmt: skip
    assert Timetable.parse("every 1 d").every == 86_400


def test_days_that_are_both_told_are_either_of_them_and_a_leap_day_is_eight_years_away():
    assert times("0 9 13 * 5", "UTC", "2026-11-11T00:00Z", 3) == [
        "2026-11-13T09:00:00+00:00", "2026-11-20T09:00:00+00:00", "2026-11-27T09:00:00+00:00"
    ]  # fmt: skip
    assert times("0 9 29 2 *", "UTC", "2096-03-01T00:00Z", 1) == ["2104-02-29T09:00:00+00:00"]


@pytest.mark.parametrize(
    ("plan", "days"),
    [
        ("0 9 * * mon#1", ["2026-02-02", "2026-03-02", "2026-04-06"]),
        ("0 9 * * mon#1,mon#3", ["2026-02-02", "2026-02-16", "2026-03-02"]),
        ("0 9 * * tue#5", ["2026-03-31", "2026-06-30", "2026-09-29"]),  # months that have no fifth are left out
        ("0 9 * * fri#l", ["2026-02-27", "2026-03-27", "2026-04-24"]),
        ("0 9 * 2 thu#5", ["2052-02-29", "2080-02-29"]),
        ("0 9 L * *", ["2026-01-31", "2026-02-28", "2026-03-31"]),
        ("0 9 l 2 *", ["2026-02-28", "2027-02-28", "2028-02-29"]),
        ("0 9 15,L * *", ["2026-01-31", "2026-02-15", "2026-02-28"]),
        ("0 9 31 * *", ["2026-01-31", "2026-03-31", "2026-05-31"]),
    ],
)  # fmt: skip
def test_days_of_a_month_by_their_week_and_its_end(plan, days):
    found = times(plan, "Asia/Seoul", "2026-01-30T12:00+09:00", len(days))
    assert found == [f"{day}T09:00:00+09:00" for day in days]


def test_a_last_sunday_on_which_the_clock_changes_comes_once():
    assert times("30 2 * * sun#L", "Europe/Berlin", "2026-03-01T00:00Z", 2) == [
        "2026-03-29T03:30:00+02:00", "2026-04-26T02:30:00+02:00"
    ]  # fmt: skip
    assert times("30 2 * * sun#L", "Europe/Berlin", "2026-10-01T00:00Z", 2) == [
        "2026-10-25T02:30:00+02:00", "2026-11-29T02:30:00+01:00"
    ]  # fmt: skip


def test_every_second_week_begins_with_the_next_such_day_and_is_the_same_from_anywhere():
    begun = at("2026-03-18T12:00Z")  # a Wednesday
    plan = Timetable.parse("0 10 * * mon,thu every 2w")
    found = list(islice(plan.times(begun, "Europe/Berlin", since=begun), 5))
    days = [datetime.fromtimestamp(each, ZoneInfo("Europe/Berlin")).isoformat() for each in found]
    assert days == [
        "2026-03-19T10:00:00+01:00", "2026-03-30T10:00:00+02:00", "2026-04-02T10:00:00+02:00",
        "2026-04-13T10:00:00+02:00", "2026-04-16T10:00:00+02:00",
    ]  # fmt: skip
    year = list(islice(plan.times(begun, "Europe/Berlin", since=begun), 53))
    assert all(b - a in (3 * 86_400, 11 * 86_400, 11 * 86_400 - 3600, 11 * 86_400 + 3600) for a, b in pairwise(year))
    for moment in (begun, begun + 86_400, begun + 20 * 86_400, begun + 200 * 86_400):
        following = plan.after(moment, "Europe/Berlin", since=begun)
        assert following == next(each for each in year if each > moment)


@pytest.mark.parametrize(
    ("plan", "minutes"),
    [
        ("0 9 * * mon", 24 * 60), ("0,30 9 * * mon", 30), ("50 23,0 * * *", 60), ("50 23 * * mon", 24 * 60),
        ("0 0,23 * * *", 60), ("0 0,23 * * mon", 23 * 60), ("*/5 * * * *", 5), ("* * * * *", 1), ("every 45m", 45),
        ("0,30 9 * * mon#1", 30), ("0 0,23 * * mon every 2w", 23 * 60), ("0 0,23 L * *", 60),
    ],
)  # fmt: skip
def test_the_least_pause(plan, minutes):
    assert Timetable.parse(plan).least_pause == minutes * 60


@pytest.mark.parametrize(
    "plan",
    [
        "0 9 * * mon#1,wed#1",
        "0 9 L * *",
        "0 9 * * fri#L,fri#2",
        "5 9 * * 2 every 3w",
        "0 9 * * 1,3",
        "*/15 8-18 * * *",
        "0 0 1,15 1-6 *",
        "every 90s",
        "* * * * *",
    ],
)
def test_a_plan_is_written_so_that_it_is_read_again(plan):
    read = Timetable.parse(plan)
    assert Timetable.parse(str(read)) == read


@pytest.mark.parametrize(
    ("plan", "words"),
    [
        ("", "five fields"), ("0 9 * *", "five fields"), ("0 9 * * * *", "five fields"), ("60 9 * * *", "no minute"),
        ("0 24 * * *", "no hour"), ("0 9 0 * *", "no day"), ("0 9 * 13 *", "no month"), ("0 9 * * 8", "no weekday"),
        ("0 9 * * mo", "no weekday"), ("5-1 9 * * *", "range"), ("*/0 9 * * *", "no step"),
        ("0 9 * * mon#0", "mon#1 to mon#5"), ("0 9 * * mon#6", "mon#1 to mon#5"), ("0 9 * * mon#1,tue", "mon#1 to"),
        ("0 9 * * mon#1,tue#2", "two plans"), ("0 9 * * xx#1", "no weekday"),
        ("0 9 * * mon every 0w", "how many weeks"),
        ("0 9 30 2 *", "no month has"), ("every 0m", "how long"), ("0 ９ * * *", "no hour"),
        ("x" * 10_000, "five fields"),
    ],
)  # fmt: skip
def test_what_is_no_plan_is_told(plan, words):
    with pytest.raises(ValueError, match=words):
        Timetable.parse(plan)


@pytest.mark.parametrize("name", ["Mars/Base", "", "../../etc/passwd", "/etc/localtime", "a\0b"])
def test_a_zone_that_there_is_not(name):
    with pytest.raises(ValueError, match="no time zone"):
        zone_of(name)
