"""Numbers, amounts, dates and limits: what is written in any form is read back."""

import datetime as dt
import json
import subprocess
import sys
from fractions import Fraction

import pytest
from hypothesis import given as any_of
from hypothesis import settings
from hypothesis import strategies as st

from agent.language.lexicon import mapping
from agent.values import dates, names
from agent.values.amounts import amounts
from agent.values.codes import codes_in
from agent.values.limits import NOT_OF_IT, distance, limits

SMALL = {value: word for word, value in mapping("values.numerals", "en").items()}
SCALES = ((10**9, "billion"), (10**6, "million"), (1000, "thousand"))
DIGITS = {value: digit for digit, value in mapping("values.digits", "ko").items()}
TENS = {value: word for word, value in mapping("values.counting_tens", "ko").items() if word != "스무"}
ONES = {1: "한", 2: "두", 3: "세", 4: "네", 5: "다섯", 6: "여섯", 7: "일곱", 8: "여덟", 9: "아홉"}
DAYS = st.dates(min_value=dt.date(1900, 1, 1), max_value=dt.date(2099, 12, 31))

GERMAN = r"""
numerals:
  about: Numbers in words.
  map: {zwei: 2, drei: 3, dreizehn: 13}
word_forms:
  about: Values that begin with a letter.
  map: {words: '\b«numerals»\b'}
date_forms:
  about: Dates.
  patterns: ['(?P<d>\d{1,2})\.\s(?P<name>{month})(?:\s(?P<y>\d{4}))?']
low_before:
  about: What stands before the least.
  words: mindestens
"""
READ_GERMAN = """
import json, sys
from pathlib import Path
from agent.language import registry
registry.ROOTS.append(Path(sys.argv[1]))
from agent.values.amounts import amounts
from agent.values.codes import codes_in
from agent.values.dates import dates, weekdays
from agent.values.limits import limits

found = amounts("28 Tage, dreizehn Wochen, 5 Euro und im März 2 Stunden")
json.dump({
    "amounts": [[str(each.value), each.unit] for each in found],
    "dates": [each.iso for each in dates("am 5. März 2026 und am 6. Mai")],
    "days": sorted(weekdays("Montag, donnerstags")),
    "limits": [[str(each.value), each.low] for each in limits("mindestens drei Tage")],
}, sys.stdout)
"""


def given(*values):
    """Try many values; how long one takes tells only how busy the machine is."""
    return lambda test: settings(deadline=None)(any_of(*values)(test))


def in_words(number: int) -> str:
    for scale, word in SCALES:
        if number >= scale:
            rest = number % scale
            return f"{in_words(number // scale)} {word}" + (f" {in_words(rest)}" if rest else "")
    if number >= 100:
        return f"{SMALL[number // 100]} hundred" + (f" and {in_words(number % 100)}" if number % 100 else "")
    if number in SMALL:
        return str(SMALL[number])
    return f"{SMALL[number - number % 10]}-{SMALL[number % 10]}"


def in_sino(number: int) -> str:
    """Return a number below 100,000,000 in the words of Korean."""
    if number >= 10_000:
        above = in_sino(number // 10_000)
        return ("만" if above == "일" else above + "만") + (in_sino(number % 10_000) if number % 10_000 else "")
    out = ""
    for scale, sign in ((1000, "천"), (100, "백"), (10, "십")):
        if digit := number // scale:
            out += ("" if digit == 1 else DIGITS[digit]) + sign
        number %= scale
    return out + (DIGITS[number] if number else "")


def only(text: str):
    (found,) = amounts(text)
    return found.value, found.unit


@given(st.integers(2, 10**12 - 1))
def test_a_number_in_english_words(number):
    assert only(f"There are {in_words(number)} of them.") == (number, "")


@given(st.integers(11, 10**8 - 1).filter(lambda number: number % 10 == 0 or number > 20))
def test_a_number_in_korean_words(number):
    assert only(f"모두 {in_sino(number)}원을 낸다") == (number, "won")


@given(st.integers(1, 99))
def test_a_number_that_things_are_counted_with(number):
    tens, ones = number - number % 10, number % 10
    assert only(f"의자 {TENS.get(tens, '')}{ONES.get(ones, '')} 개") == (number, "")


@given(st.integers(0, 10**12 - 1))
def test_a_number_in_digits(number):
    assert only(f"about {number} of them") == only(f"about {number:,} of them") == (number, "")


@given(st.integers(1, 9999), st.integers(0, 9999))
def test_a_number_with_korean_scales(millions, thousands):
    written = f"{millions}만" + (f" {thousands:,}" if thousands else "")
    assert only(f"예산은 {written}원") == (millions * 10_000 + thousands, "won")


@given(st.integers(0, 200))
def test_a_percentage(number):
    ways = [f"{number}%", f"{number} percent", f"{number} per cent", f"{number}퍼센트", f"{in_words(number)} percent"]
    assert {only(way) for way in ways} == {(Fraction(number, 100), "")}


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("십 퍼센트", "1/10"),
        ("이 퍼센트 인상", "1/50"), ("이 퍼센트로", "1/50"), ("이 퍼센트만 올려", "1/50"),
        ("이 퍼센트 올려도 돼?", "1/50"), ("이 퍼센트 이하", "1/50"), ("삼 프로", "3/100"), ("오 퍼센트", "1/20"),
        ("오십오 퍼센트", "11/20"), ("1할", "1/10"), ("3할을", "3/10"), ("절반", "1/2"),
        ("two thirds", "2/3"), ("a quarter", "1/4"), ("20분의 1", "1/20"), ("1/20", "1/20"), ("three halves", "3/2"),
        ("이십분의 일", "1/20"), ("백 분의 오를", "1/20"), ("삼 할", "3/10"), ("10 pct", "1/10"), ("10％", "1/10"),
        ("a ten-percent raise", "1/10"), ("half a percent", "1/200"), ("two and a half percent", "1/40"),
        ("five point two five per cent", "21/400"), ("오 점 오 퍼센트", "11/200"), ("영점오프로", "1/200"),
        ("일 퍼센트", "1/100"), ("이프로", "1/50"), ("한 퍼센트", "1/100"), ("아홉 프로만", "9/100"), ("십 %", "1/10"),
    ],
)  # fmt: skip
def test_a_share(written, value):
    assert only(written) == (Fraction(value), "")


@given(st.integers(3, 200).filter(lambda number: number % 10 or number > 10))
def test_a_percentage_in_korean_words(number):
    tens, ones = number - number % 10, number % 10
    ways = [f"{in_sino(number)}{space}{rate} 인상" for space in ("", " ") for rate in ("퍼센트", "프로", "퍼", "%")]
    if 4 < number < 100:
        ways += [f"{TENS.get(tens, '')}{ONES.get(ones, '')} {rate}를" for rate in ("퍼센트", "프로")]
    read = {only(way) for way in ways if way[0] not in "구일" or len(in_sino(number)) > 1}
    assert read == {(Fraction(number, 100), "")}


@pytest.mark.parametrize(
    "text",
    [
        "이 퍼센트", "이 퍼센트가 맞아?", "이 퍼센트는 무슨 뜻이야?", "이 퍼센트 어디서 나왔어?",
        "you may ask", "the second is Mayday", "안 한다", "할당", "이 프로 재미있다", "두 프로를 봤다",
        "구 프로젝트", "삼프로TV", "오프로드", "일 프로세스", "집을 구할 때", "일 할 사람", "네 할 일", "at this point",
    ],
)  # fmt: skip
def test_what_is_no_number(text):
    assert amounts(text) == []


@pytest.mark.parametrize(
    ("written", "unit"),
    [
        ("5 €", "euro"), ("€5", "euro"), ("5 euros", "euro"), ("5유로", "euro"), ("EUR 5", "euro"), ("5달러", "dollar"),
        ("$5", "dollar"), ("5 wks", "week"), ("5주", "week"), ("5주년", ""), ("5 working days", "day"), ("5일차", ""),
        ("5km까지", "kilometre"), ("5 kilometres", "kilometre"), ("5킬로미터", "kilometre"), ("5 GB", "gigabyte"),
        ("5개월", "month"), ("5달", "month"), ("5월", "month_name"), ("5명", "people"), ("5 persons", "people"),
    ],
)  # fmt: skip
def test_a_unit_in_both_languages(written, unit):
    assert only(written) == (5, unit)


@given(st.integers(0, 23), st.integers(0, 59))
def test_a_time_of_day(hour, minute):
    half, of_twelve = ("오전", "am") if hour < 12 else ("오후", "pm"), hour % 12 or 12
    ways = [
        f"{hour}:{minute:02}", f"{of_twelve}:{minute:02} {half[1]}", f"{of_twelve}:{minute:02}{half[1][0]}.m.",
        f"{half[0]} {of_twelve}시 {minute}분", f"{hour}시 {minute}분",
    ]  # fmt: skip
    assert {only(way) for way in ways} == {(hour + Fraction(minute, 60), "clock")}


@given(DAYS)
def test_a_date_in_any_form(day):
    full, short = names.month_name(day.month, "en"), names.period_name(day, "month", "en", dated=False)
    ways = [
        day.isoformat(), f"{day:%Y/%m/%d}", f"{day.year}. {day.month}. {day.day}.", f"{day.day} {full} {day.year}",
        f"{full} {day.day}, {day.year}", f"{short}. {day.day}, {day.year}", f"the {day.day}th of {full} {day.year}",
        f"{day.day}-{short}-{day.year}", f"{day.year}년 {day.month}월 {day.day}일까지", f"{day.isoformat()}T10:00:00Z",
    ]  # fmt: skip
    for way in ways:
        (found,) = dates.dates(f"It is {way}")
        assert (found.year, found.month, found.day) == (day.year, day.month, day.day), way
        assert found.iso == day.isoformat() and found.weekday == day.weekday() and found.exists


@given(DAYS)
def test_a_part_of_a_date(day):
    full = names.month_name(day.month, "en")
    for way in (f"{full} {day.year}", f"{day.year}-{day.month:02}", f"{day.year}년 {day.month}월"):
        assert [each.iso for each in dates.dates(way)] == [f"{day:%Y-%m}"], way
    for way in (f"{full} {day.day}", f"{day.day} {full}", f"{day.month}월 {day.day}일"):
        assert [each.iso for each in dates.dates(way)] == [f"{day:%m-%d}"], way


@pytest.mark.parametrize(
    "written", ["2027-02-30", "2027-13-01", "30 February", "2월 30일", "2027년 2월 30일", "June 31"]
)
def test_a_date_that_no_calendar_has(written):
    (found,) = dates.dates(written)
    assert not found.exists and found.weekday is None and found.written == written


@pytest.mark.parametrize(
    "text", ["Market 5", "marathon 2024", "Mayor 3", "decade 12", "Decker 2020", "1.2.3", "v2024.1.99.3"]
)
def test_what_is_no_date(text):
    assert not [each for each in dates.dates(text) if each.month and each.day and each.exists]


def test_may_is_a_month_with_its_capital_or_in_a_message():
    assert dates.dates("Section 32 may apply, up to 5 may attend.") == ()
    assert [each.iso for each in dates.dates("from 5 may on", informal=True)] == ["05-05"]
    assert [each.iso for each in dates.dates("May 5 and 6 May 2026")] == ["05-05", "2026-05-06"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("9/9", ["09-09"]),
        ("8/3부터 8/5까지", ["08-03", "08-05"]),
        ("8/3~8/5", ["08-03", "08-05"]),
        ("16/9 and 9/16/2026", ["09-16", "2026-09-16"]),
        ("09-09 to 12-01", ["09-09", "12-01"]),
        ("2026/9/9", ["2026-09-09"]),
        ("BP 120/80, page 3/40, 3-5 days, 10-12 people, v1/2, 02-345-6789, 0/5", []),
    ],
)
def test_a_day_is_written_quickly_in_a_message(text, told):
    assert [each.iso for each in dates.dates(text, informal=True)] == told
    assert [each.iso for each in dates.dates(text)] == [iso for iso in told if "2026/9/9" in text]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("2027년 8월 3일부터 5일까지", ["2027-08-03", "2027-08-05"]),
        ("8월 3일~5일", ["08-03", "08-05"]),
        ("from August 3 to 5 for leave", ["08-03", "08-05"]),
        ("3 August until the 5th", ["08-03", "08-05"]),
        ("8월 3일부터 5일간", ["08-03"]),  # how long, and not until when
        ("August 3 to 5 pm", ["08-03"]),
        ("off from 3 to 5 August 2027", ["2027-08-03", "2027-08-05"]),
        ("the 3rd to 5th of August", ["08-03", "08-05"]),
        ("8월 3~5일", ["08-03", "08-05"]),
        ("rooms 8 to 5 August", ["08-05"]),
        ("level 1.3 to 5 August", ["08-05"]),
        ("August 3 to 5 September", ["08-03", "09-05"]),
        ("8월 30일부터 2일까지", ["08-30"]),  # in which month is not told
        ("2024-03-05-07", ["2024-03-05"]),
        ("August 3-5, 2027", ["2027-08-03", "2027-08-05"]),
        ("from 3 to 5 August", ["08-03", "08-05"]),
        ("1 March to 5 April 2027", ["2027-03-01", "2027-04-05"]),
        ("from March 1, 2027 to April 5", ["2027-03-01", "2027-04-05"]),
        ("30 December until 2 January 2028", ["2027-12-30", "2028-01-02"]),
        ("2027년 12월 30일부터 1월 2일까지", ["2027-12-30", "2028-01-02"]),
        ("2027.8.3~5일", ["2027-08-03", "2027-08-05"]),
        ("2027.8.3.~8.5.", ["2027-08-03", "2027-08-05"]),
        ("2027.12.30~1.2", ["2027-12-30", "2028-01-02"]),
        ("May 5 and 6 May 2026", ["05-05", "2026-05-06"]),  # two days, and no range
        ("2024.3.5~2025.4.6", ["2024-03-05", "2025-04-06"]),
        ("3월 5일~4월", ["03-05"]),
    ],
)
def test_a_day_of_a_range_is_of_the_month_and_the_year_of_the_other(text, told):
    assert [each.iso for each in dates.dates(text)] == told


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("2027년 1월 1일부터 2년", ["2028-12-31"]),
        ("2027.3.1부터 24개월간", ["2029-02-28"]),
        ("from 1 May 2027 for two years", ["2029-04-30"]),
        ("from 31 January 2027 for one month", ["2027-02-28"]),  # there is no 31 February
        ("from 1 May 2027 for a term of 18 months", ["2028-10-31"]),
        ("1월 1일부터 2년", []),  # of which year is not told
        ("2027-02-30 for two years", []),
        ("from 1 May 9999 for two years", []),
    ],
)
def test_a_term_ends_on_the_day_before_its_first_day_comes_again(text, ends):
    assert [each.iso for each in dates.term_ends(text)] == ends


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("연차 2027.8.3~5일", ("2027-08-03", "2027-08-05")),
        ("2027.3.1~2029.2.28", ("2027-03-01", "2029-02-28")),
        ("2027.8.3.~8.5.", ("2027-08-03", "2027-08-05")),
        ("2027년 3월 1일부터 2년", ("2027-03-01", "2029-02-28")),
        ("from 1 March 2027 for two months", ("2027-03-01", "2027-04-30")),
        ("on 3 August, not on 5 August", None),
        ("3 August", None),
    ],
)
def test_a_range_has_a_first_and_a_last_day(text, told):
    found = dates.range_in(text)
    assert (found and (found[0].iso, found[1].iso)) == told


def test_the_days_of_the_week_are_those_of_the_calendar():
    told = dates.weekdays("Mondays and tuesday, Wed, not 목요일 or Sat; Month, Friend")
    assert told == {0: "Mondays", 1: "tuesday", 2: "Wed", 3: "목요일"}


def side(text: str):
    return [(limit.value, limit.unit, "least" if limit.low else "most", limit.strict) for limit in limits(text)]


@given(st.integers(2, 10**6), st.sampled_from(["{} days", "{:,} days"]))
def test_a_limit_in_any_words(number, form):
    english, korean = form.format(number), f"{number}일"
    least = [
        f"at least {english}",
        f"no fewer than {english}",
        f"{english} or more",
        f"최소 {korean}",
        f"적어도 {korean}",
    ]
    most = [
        f"at most {english}",
        f"up to {english}",
        f"{english} or less",
        f"최대 {korean}",
        f"{korean} 이내",
        f"{korean}까지",
    ]
    for text in least:
        assert side(f"It takes {text}.") == [(number, "day", "least", None)], text
    for text in most:
        assert side(f"It takes {text}.") == [(number, "day", "most", None)], text


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("5명 이상", [(5, "people", "least", False)]), ("5명 초과", [(5, "people", "least", True)]),
        ("5명 이하", [(5, "people", "most", False)]), ("5명 미만", [(5, "people", "most", True)]),
        ("5명을 초과하지 않는다", [(5, "people", "most", None)]),
        ("must not exceed 5 people", [(5, "people", "most", None)]),
       
        ("after 5 pm", [(17, "clock", "least", None)]), ("오후 5시 이전", [(17, "clock", "most", None)]),
        ("between 3 and 5 days", [(3, "day", "least", None), (5, "day", "most", None)]),
        ("between $3 and $5", [(3, "dollar", "least", None), (5, "dollar", "most", None)]),
        ("3일에서 5일 사이", [(3, "day", "least", None), (5, "day", "most", None)]),
        ("3일과 5일 사이", [(3, "day", "least", None), (5, "day", "most", None)]),
        ("3 and 5 days", []), ("5 days", []),
    ],
)  # fmt: skip
def test_a_limit_and_whether_the_number_is_within(text, found):
    assert side(text) == found


def test_a_third_language_brings_its_months_and_units_and_needs_few_words(tmp_path):
    folder = tmp_path / "de"
    folder.mkdir()
    (folder / "language.yaml").write_text("{name: German, endonym: Deutsch, script: latin}", "utf-8")
    (folder / "values.yaml").write_text(GERMAN, "utf-8")
    done = subprocess.run(
        [sys.executable, "-c", READ_GERMAN, str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {
        "amounts": [["28", "day"], ["13", "week"], ["5", "euro"], ["3", "month_name"], ["2", "hour"]],
        "dates": ["2026-03-05", "05-06"],
        "days": [0, 3],
        "limits": [["3", True]],
    }


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("the kiln shows K18", {"k18"}), ("내선 204 누구예요?", {"204"}),
        ("ISO-27001 audit, error 0x8007.", {"iso-27001", "0x8007"}),
        ("made in 2018", set()), ("1,000 won or 3.5 GB", set()), ("500원", set()), ("call 555-0117", set()),
    ],
)  # fmt: skip
def test_codes_are_neither_years_nor_amounts(text, codes):
    assert codes_in(text) == codes


@pytest.mark.parametrize(
    ("amount", "text", "unit", "far"),
    [
        ("45 minutes", "up to 10 minutes", "", NOT_OF_IT),
        ("45 minutes", "11–30 minutes", "", NOT_OF_IT),
        ("20 minutes", "11–30 minutes", "", 9),
        ("20 minutes", "11–30", "minute", 9),
        ("20 minutes", "11–30", "", None),
        ("1 hour", "more than 30 minutes", "", 1800),
        ("6 years", "more than 5 years, up to 3 months", "", 1),
        ("6 years", "1–3 years", "", NOT_OF_IT),
        ("1,000만원", "300만 원 이상 1,000만 원 미만", "", NOT_OF_IT),
        ("300만원", "300만 원 이상 1,000만 원 미만", "", 0),
        ("5년", "3년 초과 5년 이하", "", 0),
        ("3 days", "3 days", "", 0),
        ("3 days", "free", "", None),
        ("3 days", "5 euros", "", None),
    ],
)
def test_how_far_an_amount_is_from_what_a_text_tells(amount, text, unit, far):
    assert distance(text, amounts(amount)[0], unit) == far


@any_of(st.integers(1, 500), st.integers(1, 500), st.integers(1, 500))
def test_of_two_neighbouring_ranges_one_holds(wanted, first, last):
    (amount,) = amounts(f"{wanted} kg")
    below, above = (distance(text, amount) for text in (f"under {first} kg", f"{first} kg or more"))
    assert {below >= 0, above >= 0} == {True, False} or wanted == first
    assert (distance(f"{first}-{last} kg", amount) >= 0) is (first <= wanted <= last)
