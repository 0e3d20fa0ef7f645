from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.values.dates import dates
from agent.values.names import day_name
from agent.values.relative_days import relative_days

WEDNESDAY = date(2026, 3, 4)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("Who is in tomorrow?", date(2026, 3, 5)),
        ("the day after tomorrow", date(2026, 3, 6)),
        ("This Friday", date(2026, 3, 6)),
        ("next monday please", date(2026, 3, 9)),
        ("내일모레 누가 근무해?", date(2026, 3, 6)),
        ("이번 주 금요일에", date(2026, 3, 6)),
        ("다음주 월요일은?", date(2026, 3, 9)),
        ("다다음 주 월요일", date(2026, 3, 16)),
    ],
)
def test_a_day_is_told_by_how_far_it_is_from_today(text, day):
    assert [each.day for each in relative_days(text, WEDNESDAY)] == [day]


@pytest.mark.parametrize("text", ["on Fridays", "금요일에 뭐 해?", "tomorrowland", "next month", "2026-03-05", ""])
def test_what_stands_without_its_week_is_no_one_day(text):
    assert relative_days(text, WEDNESDAY) == []


@given(st.dates(date(2020, 1, 1), date(2040, 1, 1)), st.sampled_from(["en", "ko"]))
def test_the_name_of_a_day_is_read_as_that_day(day, language):
    (read,) = dates(day_name(day, language))
    assert (read.month, read.day) == (day.month, day.day)


@given(st.dates(date(2020, 1, 1), date(2040, 1, 1)))
def test_next_monday_is_in_the_week_after_this_one(today):
    (found,) = relative_days("next Monday", today)
    assert found.day.weekday() == 0 and timedelta(0) < found.day - today <= timedelta(days=7)
