"""Dates in a text: 2026-03-01 = March 1, 2026 = 1 Mar 2026 = 2026년 3월 1일, parts of one, and the days of the week."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache

from agent.language.lexicon import alternatives, words
from agent.values.forms import joined, parts_of
from agent.values.names import calendar_words, month_number, month_numbers, month_pattern, weekday_numbers

_WORDS_TOO = words("values.month_words")
_LEAP_YEAR = 2024
"""Stands in where no year is told."""
_FORMS = [
    r"(?<!\d)(?P<y>\d{4})\s?[-./]\s?(?P<m>\d{1,2})\s?[-./]\s?(?P<d>\d{1,2})(?!\d)",
    r"(?<![\d-])(?P<y>\d{4})\s?[-./]\s?(?P<m>\d{1,2})(?!\d|\s?[-./]\s?\d)",
]
"""Those that all languages share."""


def _date_pattern() -> str:
    """Return every form of a date; those that begin with the name of a month are tried at its first letters only."""
    month = month_pattern(prose=False)
    digits = [*_FORMS, *alternatives("values.date_forms")]
    gates = {"(?=\\d)": digits, f"(?<![^\\W\\d_])(?=[{_INITIALS}])": alternatives("values.date_word_forms")}
    out, number = [], 0
    for gate, own in gates.items():
        out.append(f"{gate}(?:{joined((('date', form.replace('{month}', month)) for form in own), number)})")
        number += len(own)
    return "|".join(out)


_INITIALS = "".join(sorted({name[0] for name in month_numbers()}))
_DATE = re.compile(_date_pattern(), re.IGNORECASE)
_LAST_DAYS = tuple(
    re.compile(form.replace("{month}", f"(?:{month_pattern(prose=False)})"), re.IGNORECASE)
    for form in alternatives("values.last_day")
)


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

    The last day of a range may be told by its number alone, and is in the month of the first: 8월 3일부터 5일까지.
    `informal`: people write it quickly, so that a month which is a word too (5 may) needs no capital.
    """
    found = ((match, parts_of(match)) for match in _DATE.finditer(text))
    told = [_date(match, parts) for match, parts in found if informal or parts.get("name") not in _WORDS_TOO]
    starts = {date.start for date in told}
    return tuple(
        each for date in told for each in (date, *_last_of(date, text)) if each is date or each.start not in starts
    )


def _last_of(first: Date, text: str) -> Iterator[Date]:
    """Yield the last day of a range that begins with a date, where it has no month of its own and is later."""
    if not first.day or not any(letter.isalpha() for letter in first.written):
        return  # 2024-03-05-07 is a number of something
    match = next((match for form in _LAST_DAYS if (match := form.match(text, first.end))), None)
    if match is not None and int(match["d"]) > first.day:
        yield replace(
            first, day=int(match["d"]), written=match.group().strip(), start=match.start("d"), end=match.end("d")
        )


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
