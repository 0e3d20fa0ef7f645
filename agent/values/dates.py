"""Dates in a text: 2026-03-01 = March 1, 2026 = 1 Mar 2026 = 2026년 3월 1일, parts of one, and the days of the week."""

import re
from calendar import monthrange
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import lru_cache
from itertools import pairwise

from agent.language.lexicon import alternatives, words
from agent.values.amounts import amounts
from agent.values.forms import joined, kind_of, parts_of
from agent.values.names import calendar_words, month_number, month_numbers, month_pattern, weekday_numbers

NO_DOTTED_DAY = r"(?!(?:0?[1-9]|1[0-2])\.\s?(?:0?[1-9]|[12]\d|3[01])\.(?!\d))"
"""Stands in a pattern before what numbers the items of a list: `10. 5.` is a day, and no tenth item."""
_WORDS_TOO = words("values.month_words")
_LEAP_YEAR = 2024
"""Stands in where no year is told."""
_FORMS = [
    r"(?<!\d)(?P<y>\d{4})\s?[-./]\s?(?P<m>\d{1,2})\s?[-./]\s?(?P<d>\d{1,2})(?!\d)",
    r"(?<![\d-])(?P<y>\d{4})\s?[-./]\s?(?P<m>\d{1,2})(?!\d|\s?[-./]\s?\d)",
]
"""Those that all languages share."""
_QUICK_FORMS = [
    r"(?<![\w/.,])(?P<m>0?[1-9]|1[0-2])/(?P<d>0?[1-9]|[12]\d|3[01])(?:/(?P<y>[12]\d{3}))?(?![\d/]|[.,]\d)",
    r"(?<![\w/.,])(?P<d>1[3-9]|2\d|3[01])/(?P<m>0?[1-9]|1[0-2])(?:/(?P<y>[12]\d{3}))?(?![\d/]|[.,]\d)",
    r"(?<![\w/.,-])(?P<m>0[1-9])-(?P<d>0[1-9]|[12]\d|3[01])(?![\d-]|[.,]\d)",
    r"(?<![\w/.,-])(?P<m>1[0-2])-(?P<d>0[1-9])(?![\d-]|[.,]\d)",
]
"""What else is a date where people write quickly: 9/9, 09-09; 9/16 and 16/9 are one day, 9/8 is in September."""


def _date_pattern() -> str:
    """Return every form of a date; those that begin with the name of a month are tried at its first letters only."""
    month = month_pattern(prose=False)
    digits = [("date", form) for form in (*_FORMS, *alternatives("values.date_forms"))]
    named = [("date", form) for form in alternatives("values.date_word_forms")]
    gates = {
        "(?=\\d)": [*digits, *(("quick", form) for form in _QUICK_FORMS)],
        f"(?<![^\\W\\d_])(?=[{_INITIALS}])": named,
    }
    out, number = [], 0
    for gate, own in gates.items():
        out.append(f"{gate}(?:{joined(((kind, form.replace('{month}', month)) for kind, form in own), number)})")
        number += len(own)
    return "|".join(out)


_INITIALS = "".join(sorted({name[0] for name in month_numbers()}))
_DATE = re.compile(_date_pattern(), re.IGNORECASE)
_LAST_DAYS = tuple(
    re.compile(form.replace("{month}", f"(?:{month_pattern(prose=False)})"), re.IGNORECASE)
    for form in alternatives("values.last_day")
)
_FIRST_DAYS = tuple(re.compile(form, re.IGNORECASE) for form in alternatives("values.first_day"))
_BEFORE = 24
"""Characters before a date in which the first day of its range is looked for."""
_MONTHS = {"month": 1, "year": 12}
_LAST_YEAR = 9000
_MOST_DAYS = 31
"""Days of a range up to which each of them is named by it."""
_TERM = re.compile("|".join(alternatives("values.term_before")), re.IGNORECASE)
_BETWEEN = re.compile("|".join(alternatives("values.range_between")), re.IGNORECASE)
_TO = re.compile(f"{_BETWEEN.pattern}|{_TERM.pattern}", re.IGNORECASE)


def _weekday_pattern() -> str:
    """Return the names of days as a pattern: short ones of letters that have a capital need it."""
    names = sorted(weekday_numbers(), key=len, reverse=True)
    full = [name for name in names if name in calendar_words()]
    short = [name.capitalize() for name in names if name not in full]
    return rf"(?<![^\W_])(?:(?P<full>(?i:{'|'.join(full)}))(?i:s)?|(?P<short>{'|'.join(short)}))(?![A-Za-z])"


_WEEKDAY = re.compile(_weekday_pattern())


@dataclass(frozen=True, slots=True)
class Date:
    """A date as far as it is told: `year`, `month` and `day` are 0 where they are not."""

    year: int
    month: int
    day: int
    written: str
    start: int = 0
    end: int = 0

    @property
    def exists(self) -> bool:
        """Whether a calendar has it; of a day without its year, that of any year."""
        try:
            date(self.year or _LEAP_YEAR, self.month or 1, self.day or 1)
        except ValueError:
            return False
        return True

    @property
    def weekday(self) -> int | None:
        """The day of the week, Monday 0; None where it is not a whole date that exists."""
        return date(self.year, self.month, self.day).weekday() if self.year and self.day and self.exists else None

    @property
    def iso(self) -> str:
        """What is told as 2024-03-05, 2024-03, 03-05 or 2024."""
        told = [f"{self.year:04}"] if self.year else []
        return "-".join(told + [f"{part:02}" for part in (self.month, self.day) if part])

    def meets(self, other: "Date") -> bool:
        """Tell whether both may be the same day."""
        same_year = not self.year or not other.year or self.year == other.year
        return same_year and (self.month, self.day) == (other.month, other.day)


@lru_cache(maxsize=512)
def dates(text: str, *, informal: bool = False) -> tuple[Date, ...]:
    """Return the dates of a text in their order, also those that no calendar has.

    A day of a range is of the month and the year that the other tells: 8월 3일부터 5일까지, August 3 to 5, 2027.
    `informal`: people write it quickly, so that a month which is a word too (5 may) needs no capital, and 9/9 is a day.
    """
    found = ((match, parts_of(match)) for match in _DATE.finditer(text))
    told = [
        _date(match, parts)
        for match, parts in found
        if informal or not (kind_of(match) == "quick" or parts.get("name") in _WORDS_TOO)
    ]
    for n, (first, last) in enumerate(pairwise(list(told))):
        half_told = first.day and last.day and not (first.year and last.year)
        if half_told and _BETWEEN.fullmatch(text, first.end, last.start):
            later = _turns(first, last)
            told[n] = replace(first, year=first.year or max(0, last.year - later))
            told[n + 1] = replace(last, year=last.year or (first.year and first.year + later))
    taken = {place for date in told for place in range(date.start, date.end)}
    return tuple(
        each for date in told for each in _range(date, text) if each.start == date.start or each.start not in taken
    )


def first_dated(text: str) -> str:
    """Return the first date of a text that tells its year, `2025`, `2025-03` or whole; empty for none."""
    return next((each.iso for each in dates(text) if each.year), "")


def _turns(first: Date, last: Date) -> bool:
    """Tell whether a year ends between the first day of a range and the last."""
    return (last.month, last.day) < (first.month, first.day)


def _range(first: Date, text: str) -> tuple[Date, ...]:
    """Return a date, and behind it the last day of the range that it begins, where that has no date of its own."""
    match = next((match for form in _LAST_DAYS if (match := form.match(text, first.end))), None)
    if not first.day:
        return (first,)
    if match is None:
        return _behind_its_first(first, text)
    told = match.groupdict()
    if not told.get("m") and not any(letter.isalpha() for letter in first.written + match.group()):
        return (first,)  # 2024-03-05-07 is a number of something
    first = replace(first, year=first.year or int(told.get("y") or 0))
    month, day = int(told.get("m") or first.month), int(match["d"])
    begin = match.start("m" if told.get("m") else "d")
    last = Date(first.year, month, day, match.group().strip(), begin, match.end("d"))
    if _turns(first, last) and told.get("m"):
        last = replace(last, year=first.year and first.year + 1)
    elif (month, day) <= (first.month, first.day):
        return (first,)
    return (first, last)


def _behind_its_first(last: Date, text: str) -> tuple[Date, ...]:
    """Return a date, and before it the first day of its range, where the month is told once: 3 to 7 March."""
    before = max(0, last.start - _BEFORE)
    match = next((match for form in _FIRST_DAYS if (match := form.search(text[before : last.start]))), None)
    if match is None or not last.written[0].isdigit() or not any(map(str.isalpha, last.written)):
        return (last,)
    day = int(match["d"])
    if not 0 < day < last.day:
        return (last,)
    return (Date(last.year, last.month, day, match["day"], before + match.start(), before + match.end("day")), last)


def term_ends(text: str) -> Iterator[Date]:
    """Yield the last day of each term that is told by its length in months or years, where that stands.

    2027년 1월 1일부터 2년 ends on 31 December 2028.
    """
    lengths = [amount for amount in amounts(text) if amount.unit in _MONTHS]
    for first in dates(text, informal=True):
        between = _TERM.match(text, first.end)
        length = next((each for each in lengths if between and each.start == between.end()), None)
        if length is None or not (first.year and first.day and first.exists) or length.value.denominator > 1:
            continue
        year, month = divmod(first.year * 12 + first.month - 1 + int(length.value) * _MONTHS[length.unit], 12)
        if year > _LAST_YEAR:
            continue
        day = min(first.day, monthrange(year, month + 1)[1])
        last = date(year, month + 1, day) - timedelta(days=first.day == day)
        yield Date(last.year, last.month, last.day, length.written, length.start, length.end)


def range_in(text: str) -> tuple[Date, Date] | None:
    """Return the first and the last day of the range that a text tells first; None where it tells none."""
    found = dates(text, informal=True)
    ends = [*pairwise(found), *((first, last) for last in term_ends(text) for first in found)]
    return next((each for each in ends if _TO.fullmatch(text, each[0].end, each[1].start)), None)


def days_between(text: str, found: Sequence[Date]) -> list[date]:
    """Return the days inside the ranges of a text, of which these are the dates: 25 December of 24 to 26 December.

    Without a year they are those of any. A range of more than a month has none.
    """
    out: list[date] = []
    for first, last in pairwise(found):
        whole = first.day and last.day and first.exists and last.exists and max(first.year, last.year) < _LAST_YEAR
        if not whole or not _TO.fullmatch(text, first.end, last.start):
            continue
        begin = date(first.year or _LEAP_YEAR, first.month, first.day)
        end = date(last.year or begin.year + _turns(first, last), last.month, last.day)
        if (end - begin).days <= _MOST_DAYS:
            out += [begin + timedelta(days=n) for n in range(1, (end - begin).days)]
    return out


@lru_cache(maxsize=512)
def weekdays(text: str) -> Mapping[int, str]:
    """Return the days of the week that a text names, Monday 0, as they are written there."""
    return {
        weekday_numbers()[(match["full"] or match["short"]).lower()]: match.group() for match in _WEEKDAY.finditer(text)
    }


def _date(match: re.Match[str], parts: Mapping[str, str]) -> Date:
    return Date(
        year=int(parts.get("y", 0)),
        month=month_number(parts["name"]) if "name" in parts else int(parts.get("m", 0)),
        day=int(parts.get("d", 0)),
        written=match.group().strip(),
        start=match.start(),
        end=match.end(),
    )
