"""When something comes again: at times of the wall clock of a zone, or every so many seconds.

Written as crontab(5) writes it (`30 9 * * 1-5`: Sunday is 0 or 7, two days that are both told are either of them), or
as `every 90m`. Beyond that, `mon#1` is the first Monday of a month and `fri#L` its last Friday, `L` as a day its last
one, and `0 10 * * tue every 2w` comes in every second week, the first time on the first such day after it was set.

The clock of a zone is changed twice a year. A time that it leaves out comes as much later as it is put forward (02:30
is 03:30 then), and one that it has twice comes the first time only; what comes in every hour comes in every hour that
there is.
"""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import lru_cache
from itertools import pairwise
from typing import Self
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

_EVERY = re.compile(r"every\s+(\d{1,7})\s?([smhd])", re.IGNORECASE)
_WEEKS = re.compile(r"(.+)\severy\s(\d{1,2})\s?w(?:eeks?)?", re.IGNORECASE)
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
_DAY_NAMES = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_MONTH_NAMES = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_FIELDS = (("minute", 0, 59), ("hour", 0, 23), ("day", 1, 31), ("month", 1, 12), ("weekday", 0, 7))
_HORIZON = 366 * 41
"""Days without a time after which there is none: the fifth Monday of a February may be forty years away."""
ALL_MINUTES, ALL_HOURS, ALL_DAYS = tuple(range(60)), tuple(range(24)), tuple(range(1, 32))
ALL_MONTHS, ALL_WEEKDAYS = tuple(range(1, 13)), tuple(range(7))
LAST = -1
"""As a day, the last one of its month; as an `nth`, the last such weekday of its month. Comes behind all others."""
_LAST_WRITTEN, _MOST_NTH = "L", 5


@dataclass(frozen=True, kw_only=True, slots=True)
class Timetable:
    """The times of a plan, each field in ascending order. Monday is 0, as everywhere but in its crontab form."""

    minutes: tuple[int, ...] = (0,)
    hours: tuple[int, ...] = (9,)
    days: tuple[int, ...] = ALL_DAYS
    months: tuple[int, ...] = ALL_MONTHS
    weekdays: tuple[int, ...] = ALL_WEEKDAYS
    nth: tuple[int, ...] = ()
    """Which of the weekdays of a month, from 1, or `LAST`; empty: every one."""
    weeks: int = 1
    """Comes in every so manieth week; the first is that of the first time after what it is counted from."""
    every: int = 0
    """Seconds between two times; 0: the fields above tell them."""

    @classmethod
    def parse(cls, written: str) -> Self:
        """Return the plan that is written so, as crontab(5) or as `every 90m`. Raises ValueError, in words."""
        text = " ".join(written.split()).lower()
        if found := _EVERY.fullmatch(text):
            seconds = int(found[1]) * _SECONDS[found[2]]
            if not seconds:
                raise ValueError(f"{written!r}: write how long, such as every 90m")
            return cls(every=seconds)
        found = _WEEKS.fullmatch(text)
        text, weeks = (found[1], int(found[2])) if found else (text, 1)
        if not weeks:
            raise ValueError(f"{written!r}: write of how many weeks it comes in one, such as every 2w")
        parts = text.split(" ")
        if len(parts) != len(_FIELDS):
            raise ValueError(
                f"{written!r} is no plan: write five fields as in a crontab (minute hour day month weekday), such as "
                "0 9 * * mon-fri, or a pause such as every 90m"
            )
        parts[4], nth = _nth(parts[4])
        minutes, hours, days, months, weekdays = (_field(part, *_FIELDS[n]) for n, part in enumerate(parts))
        weekdays = tuple(sorted({(day - 1) % len(_DAY_NAMES) for day in weekdays}))
        made = cls(minutes=minutes, hours=hours, days=days, months=months, weekdays=weekdays, nth=nth, weeks=weeks)
        if next(made._days(date(2024, 1, 1)), None) is None:
            raise ValueError(f"{written!r}: no month has such a day")
        return made

    def __str__(self) -> str:
        if self.every:
            return f"every {self.every}s"
        weekdays = tuple(sorted((day + 1) % 7 for day in self.weekdays))
        told = (self.minutes, self.hours, self.days, self.months, weekdays)
        wholes = (ALL_MINUTES, ALL_HOURS, ALL_DAYS, ALL_MONTHS, ALL_WEEKDAYS)
        fields = [
            "*" if field == whole else ",".join(map(_shown, field)) for field, whole in zip(told, wholes, strict=True)
        ]
        if self.nth:
            fields[4] = ",".join(f"{day}#{_shown(which)}" for which in self.nth for day in weekdays)
        return " ".join(fields) + (f" every {self.weeks}w" if self.weeks > 1 else "")

    @property
    def least_pause(self) -> float:
        """The fewest seconds that lie between two of its times, by a clock that nobody changes."""
        if self.every:
            return self.every
        times = [hour * 60 + minute for hour in self.hours for minute in self.minutes]
        pauses = [after - before for before, after in pairwise(times)]
        on_one_day = len(self.weekdays) == 1 and self.days == ALL_DAYS
        if not on_one_day:
            pauses.append(24 * 60 - times[-1] + times[0])
        return min(pauses, default=24 * 60) * 60.0

    def after(self, moment: float, zone: str = "UTC", *, since: float = 0.0) -> float:
        """Return the first time after a moment; `since`: what a pause is counted from. All in seconds since the epoch.

        Raises ValueError for a zone that there is not.
        """
        return next(self.times(moment, zone, since=since))

    def times(self, after: float, zone: str = "UTC", *, since: float = 0.0) -> Iterator[float]:
        """Yield the times after a moment, in seconds since the epoch, without end. Raises ValueError as `after`."""
        if self.every:
            number = max(0, math.floor((after - since) / self.every)) + 1
            while True:
                yield since + number * self.every
                number += 1
        place = zone_of(zone)
        counted = _week(next(self._dated(since, place))[0]) if self.weeks > 1 else 0
        for day, moment in self._dated(after, place):
            if (_week(day) - counted) % self.weeks == 0:
                yield moment

    def _dated(self, after: float, place: ZoneInfo) -> Iterator[tuple[date, float]]:
        """Yield the times of every week after a moment, each with its day."""
        last = after
        # the day before too: a time that is put forward may fall on the next day
        for day in self._days(datetime.fromtimestamp(after, place).date() - timedelta(days=1)):
            for moment in self._on(day, place):
                if moment > last:
                    last = moment
                    yield day, moment

    def _days(self, first: date) -> Iterator[date]:
        """Yield the days from one on, until there are none."""
        idle, day = 0, first
        while idle < _HORIZON:
            if self._has(day):
                idle = 0
                yield day
            idle += 1
            day += timedelta(days=1)

    def _has(self, day: date) -> bool:
        if day.month not in self.months:
            return False
        ends = (day + timedelta(days=1)).day == 1
        by_date = day.day in self.days or (ends and LAST in self.days)
        by_week = day.weekday() in self.weekdays and (not self.nth or not _nth_of(day).isdisjoint(self.nth))
        both = self.days != ALL_DAYS and self.weekdays != ALL_WEEKDAYS
        return by_date or by_week if both else by_date and by_week

    def _on(self, day: date, zone: ZoneInfo) -> list[float]:
        """Return the times of a day, in order."""
        hourly, found = self.hours == ALL_HOURS, set()
        for hour in self.hours:
            for minute in self.minutes:
                local = datetime.combine(day, time(hour, minute), zone)
                if not hourly:
                    found.add(local.timestamp())
                    continue
                for fold in (0, 1):
                    moment = local.replace(fold=fold).timestamp()
                    if datetime.fromtimestamp(moment, zone).replace(fold=0) == local:  # else the clock leaves it out
                        found.add(moment)
        return sorted(found)


@lru_cache(maxsize=64)
def zone_of(name: str) -> ZoneInfo:
    """Return a time zone by its name. Raises ValueError for one that there is not."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ValueError(f"there is no time zone {name!r}: write a name like Asia/Seoul, or UTC") from None


def _week(day: date) -> int:
    """Return the number of the week, from Monday to Sunday, that a day is in."""
    return (day.toordinal() - 1) // 7


def _nth_of(day: date) -> set[int]:
    """Return which weekday of its month a day is: the first, and maybe the last."""
    which = (day.day - 1) // 7 + 1
    return {which, LAST} if (day + timedelta(days=7)).month != day.month else {which}


def _shown(number: int) -> str:
    return _LAST_WRITTEN if number == LAST else str(number)


def _nth(part: str) -> tuple[str, tuple[int, ...]]:
    """Return the weekdays of a field such as `mon#1,mon#3`, and which of a month they are. Raises ValueError."""
    if "#" not in part:
        return part, ()
    days: dict[str, set[int]] = {}
    for piece in part.split(","):
        day, _, which = piece.partition("#")
        last = which == _LAST_WRITTEN.lower()
        if not last and not (which.isdecimal() and which.isascii() and 1 <= int(which) <= _MOST_NTH):
            raise ValueError(f"{piece!r}: write which one of its month, such as mon#1 to mon#5, or mon#L")
        days.setdefault(day, set()).add(LAST if last else int(which))
    nth, *others = days.values()
    if any(each != nth for each in others):
        raise ValueError(f"{part!r}: each day must be the same of its month; make two plans of it")
    return ",".join(days), tuple(sorted(nth, key=_last_behind))


def _last_behind(number: int) -> int:
    return number if number != LAST else max(ALL_DAYS) + 1


def _field(part: str, name: str, low: int, high: int) -> tuple[int, ...]:
    """Return the numbers of a field of a crontab. Raises ValueError."""
    found: set[int] = set()
    for piece in part.split(","):
        if name == "day" and piece == _LAST_WRITTEN.lower():
            found.add(LAST)
            continue
        span, _, step = piece.partition("/")
        if step and not (step.isdecimal() and int(step)):
            raise ValueError(f"{piece!r}: {step!r} is no step of a {name}")
        if span == "*":
            first, last = low, 6 if name == "weekday" else high
        else:
            begins, dash, ends = span.partition("-")
            first = _number(begins, name, low, high)
            last = _number(ends, name, low, high) if dash else (high if step else first)
        if first > last:
            raise ValueError(f"{piece!r}: a range of {name}s begins with the lower one")
        found |= set(range(first, last + 1, int(step or 1)))
    return tuple(sorted(found, key=_last_behind))


def _number(written: str, name: str, low: int, high: int) -> int:
    names = {"weekday": _DAY_NAMES, "month": _MONTH_NAMES}.get(name, ())
    if written in names:
        return names.index(written) + low
    if not written.isdecimal() or not written.isascii() or not low <= int(written) <= high:
        raise ValueError(f"{written!r} is no {name}: write {low} to {high}")
    return int(written)
