"""Days that are told by how far they are from today: tomorrow, next Tuesday, 다음 주 화요일."""

import re
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache

from agent.language.lexicon import mapping
from agent.values.names import calendar_words, weekday_numbers

_DAYS, _WEEKS = "values.days_from_today", "values.weeks_from_this"


@dataclass(frozen=True, slots=True)
class RelativeDay:
    """Such a day where it is named in a text."""

    day: date
    start: int
    end: int
    """The characters `start:end` are its last word, which stands for it."""
    begin: int
    """Where its first word begins."""
    named: bool
    """Whether its day of the week is named."""


@cache
def _pattern() -> re.Pattern[str]:
    """Return the words of a day: one that stands for it, or a day of the week with the week that it is in."""

    def either(words: list[str]) -> str:
        return "|".join(re.escape(word).replace(r"\ ", r"\s?") for word in sorted(words, key=len, reverse=True))

    weekdays = [name for name in weekday_numbers() if name in calendar_words()]
    return re.compile(
        rf"(?<![^\W_])(?:(?:{either([*mapping(_WEEKS)])})\s?(?P<weekday>{either(weekdays)})|(?P<day>{either([*mapping(_DAYS)])}))"
        r"(?![A-Za-z])",
        re.IGNORECASE,
    )


def relative_days(text: str, today: date) -> list[RelativeDay]:
    """Return the days that a text names so, in its order."""
    return [_read(match, today) for match in _pattern().finditer(text)]


def _read(match: re.Match[str], today: date) -> RelativeDay:
    name = "weekday" if match["weekday"] else "day"
    start, end = match.span(name)
    start = max(start, match.string.rfind(" ", start, end) + 1)
    if name == "day":
        return RelativeDay(today + timedelta(days=_number(_DAYS, match["day"])), start, end, match.start(), named=False)
    weeks = _number(_WEEKS, match.string[match.start() : start])
    monday = today - timedelta(days=today.weekday()) + timedelta(weeks=weeks)
    return RelativeDay(
        monday + timedelta(days=weekday_numbers()[match["weekday"].lower()]), start, end, match.start(), named=True
    )


def _number(entry: str, written: str) -> int:
    """Return what words stand for, however they are spaced."""
    known = {"".join(key.split()): int(value) for key, value in mapping(entry).items()}
    return known["".join(written.lower().split())]
