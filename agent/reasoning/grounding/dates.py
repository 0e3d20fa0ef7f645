"""Days of the calendar: 2026-03-01 = March 1, 2026 = 2026년 3월 1일, and the days of the week."""

import re
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

_NAMES = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_DATE = re.compile(
    r"(?=\d)(?:\b(?P<y1>(?:19|20)\d\d)[-./]\s?(?P<m1>0?[1-9]|1[0-2])[-./]\s?(?P<d1>[0-3]?\d)\b"
    rf"|\b(?P<d2>[0-3]?\d)(?:st|nd|rd|th)?(?:\sof)?\s(?P<m2>{_MONTH})\b\.?(?:,?\s(?P<y2>(?:19|20)\d\d)\b)?"
    r"|(?:(?P<y4>(?:19|20)\d\d)년\s?)?(?<!\d)(?P<m4>1[0-2]|0?[1-9])월\s?(?P<d4>[0-3]?\d)일)"
    rf"|(?<![A-Za-z])(?=[jfmasond])(?P<m3>{_MONTH})\.?\s(?:the\s)?(?P<d3>[0-3]?\d)(?:st|nd|rd|th)?\b(?!:)"
    r"(?:\s?,?\s(?P<y3>(?:19|20)\d\d)\b)?",
    re.IGNORECASE,
)
_WEEKDAY = re.compile(
    r"\b((?i:mon|tues|wednes|thurs|fri|satur|sun))(?i:days?)\b|\b(Mon|Tues?|Wed|Thu(?:rs?)?|Fri)\b|([월화수목금토일])요일"
)
_ENGLISH_DAYS = "mon tue wed thu fri sat sun".split()
_KOREAN_DAYS = "월화수목금토일"


@dataclass(frozen=True, slots=True)
class Day:
    """A day of the calendar; `year` is 0 where none is told."""

    year: int
    month: int
    day: int
    written: str

    def meets(self, other: "Day") -> bool:
        """Tell whether both may be the same day."""
        same_year = not self.year or not other.year or self.year == other.year
        return same_year and (self.month, self.day) == (other.month, other.day)

    def weekday(self) -> int | None:
        """Return the day of the week, Monday 0; None without a year, or where the calendar has no such day."""
        try:
            return date(self.year, self.month, self.day).weekday()
        except ValueError:
            return None


@lru_cache(maxsize=512)
def days_of(text: str) -> tuple[Day, ...]:
    """Return the days that a text names with month and day."""
    out = []
    for match in _DATE.finditer(text):
        form = next(form for form in "1234" if match.group(f"d{form}"))
        month = match.group(f"m{form}")
        out.append(
            Day(
                year=int(match.group(f"y{form}") or 0),
                month=int(month) if month.isdigit() else _NAMES.index(month[:3].lower()) + 1,
                day=int(match.group(f"d{form}")),
                written=match.group().strip(),
            )
        )
    return tuple(out)


@lru_cache(maxsize=512)
def weekdays_of(text: str) -> dict[int, str]:
    """Return the days of the week that a text names, Monday 0, as they are written there."""
    out: dict[int, str] = {}
    for match in _WEEKDAY.finditer(text):
        found = next(group for group in match.groups() if group)
        number = _KOREAN_DAYS.index(found) if len(found) == 1 else _ENGLISH_DAYS.index(found[:3].lower())
        out[number] = match.group()
    return out


def date_problems(text: str, source: str) -> list[str]:
    """Name the days of a text that its source does not name, or gives another day of the week."""
    told, known = days_of(text), days_of(source)
    out = [
        f"the date {day.written} is not in its source"
        for day in told
        if known and not any(day.meets(other) for other in known)
    ]
    week = weekdays_of(text)
    if week:
        possible = set(weekdays_of(source))
        possible |= {number for day in (*told, *known) if (number := day.weekday()) is not None}
        out += [f"the day {written} is not in its source" for number, written in week.items() if number not in possible]
        dated = {number for day in told if (number := day.weekday()) is not None}
        if len(week) == 1 and len(told) == 1 and dated and dated.isdisjoint(week):
            written = next(iter(week.values()))
            out.append(f"the day {written} is not the day of {told[0].written}")
    return list(dict.fromkeys(out))
