"""Cells as numbers, units and periods, English and Korean."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.teams.analysis import numbers, periods
from agent.teams.analysis.units import scaled_unit, unit_of, written


@pytest.mark.parametrize(
    ("cell", "value", "dimension"),
    [
        ("1,234.5", 1234.5, ""),
        ("(1,234)", -1234, ""),
        ("−3.2", -3.2, ""),
        ("△1,200", -1200, ""),
        ("12%", 12, "%"),
        ("3.2%p", 3.2, "%p"),
        ("₩12,000", 12_000, "KRW"),
        ("3만 5천원", 35_000, "KRW"),
        ("1억 2,000만 원", 120_000_000, "KRW"),
        ("1.2억원", 120_000_000, "KRW"),
        ("1,200백만원", 1_200_000_000, "KRW"),
        ("$1.2M", 1_200_000, "USD"),
        ("-$5", -5, "USD"),
        ("USD 1,200", 1200, "USD"),
        ("5 million USD", 5_000_000, "USD"),
        ("1.2k", 1200, ""),
        ("12 kg", 12, "mass"),
        ("약 1,200명", 1200, "people"),
        ("2시간 30분", 150, "time"),
        ("1 234 567", 1_234_567, ""),
        ("120 [3]", 120, ""),
        ("1,234*", 1234, ""),
        ("1e5", 100_000, ""),
        ("１２", 12, ""),
    ],
)
def test_a_number_is_read_in_the_form_that_people_write(cell, value, dimension):
    number = numbers.read(cell)
    assert number is not None and (number.value, number.unit.dimension) == (value, dimension)


@pytest.mark.parametrize(
    "cell",
    ["", "-", "n/a", "해당 없음", "NaN", "inf", "1e400", "=1+1", "=cmd|' /C calc'!A0", "@sum", "A12", "3rd",
     "12 Main Street", "2026-03", "3-5", "010-1234-5678", "10:30", "3월", "1,23", "1.234,5", "1만 5억", "9" * 500,
     "1" + ",000" * 30],
)  # fmt: skip
def test_what_is_no_number_to_compute_with_is_none(cell):
    assert numbers.read(cell) is None


@given(st.integers(-(10**12), 10**12), st.integers(0, 4))
def test_what_is_written_is_read_again(number, places):
    value = number / 10**places
    for language in ("en", "ko"):
        for name in ("$", "%", "kg", "원"):
            unit = unit_of(name)
            read = numbers.read(written(value, unit, language, places))
            assert read is not None and read.unit.dimension == unit.dimension
            assert read.value == pytest.approx(value, abs=10**-places / 2)


@given(st.text(max_size=80))
def test_no_cell_breaks_the_readers(text):
    number = numbers.read(text)
    assert number is None or abs(number.value) <= numbers.LARGEST
    period = periods.read(text, years=True)
    assert period is None or period.first_day() <= period.last_day()


@pytest.mark.parametrize(
    ("heading", "dimension", "factor"),
    [("천원", "KRW", 1e3), ("백만원", "KRW", 1e6), ("단위: 억원", "KRW", 1e8), ("USD million", "USD", 1e6),
     ("$M", "USD", 1e6), ("in thousands of USD", "USD", 1e3), ("%", "%", 1), ("명", "people", 1),
     ("in millions", "", 1e6)],
)  # fmt: skip
def test_a_heading_tells_the_unit_of_its_column(heading, dimension, factor):
    unit = scaled_unit(heading)
    assert unit is not None and (unit.dimension, unit.factor) == (dimension, factor)


@pytest.mark.parametrize("heading", ["Budget", "k", "", "2026"])
def test_other_headings_tell_none(heading):
    assert scaled_unit(heading) is None


@pytest.mark.parametrize(
    ("cell", "first", "last"),
    [
        ("2026-03-05", "2026-03-05", "2026-03-05"),
        ("2026. 3. 5.", "2026-03-05", "2026-03-05"),
        ("March 5, 2026", "2026-03-05", "2026-03-05"),
        ("2026-03", "2026-03-01", "2026-03-31"),
        ("Mar 2026", "2026-03-01", "2026-03-31"),
        ("Mar-26", "2026-03-01", "2026-03-31"),
        ("2026년 3월", "2026-03-01", "2026-03-31"),
        ("202603", "2026-03-01", "2026-03-31"),
        ("Q1 2026", "2026-01-01", "2026-03-31"),
        ("1Q26", "2026-01-01", "2026-03-31"),
        ("2026년 1분기", "2026-01-01", "2026-03-31"),
        ("2026년 하반기", "2026-07-01", "2026-12-31"),
        ("FY26", "2026-01-01", "2026-12-31"),
        ("2026", "2026-01-01", "2026-12-31"),
        ("2026-W05", "2026-01-26", "2026-02-01"),
    ],
)
def test_a_period_is_read_with_its_first_and_last_day(cell, first, last):
    period = periods.read(cell, years=True)
    assert period is not None and period.dated
    assert (date.fromordinal(period.first_day()), date.fromordinal(period.last_day())) == (
        date.fromisoformat(first), date.fromisoformat(last),
    )  # fmt: skip


@pytest.mark.parametrize("cell", ["2026-13-05", "2026-02-30", "13월", "Q5", "hello", "12", "5,000", "later"])
def test_what_is_no_period_is_none(cell):
    assert periods.read(cell, years=True) is None


def test_a_bare_year_is_a_period_only_where_years_are_meant():
    assert periods.read("2026") is None and periods.read("1,950") is None


def test_the_other_cells_tell_whether_the_day_comes_first():
    for other, day in (("25/4/2026", date(2026, 4, 3)), ("4/25/2026", date(2026, 3, 4))):
        day_first = periods.day_first(["3/4/2026", other])
        assert periods.read("3/4/2026", day_first=day_first).at == day.toordinal()
