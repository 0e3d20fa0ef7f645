"""When something comes again: at times of the wall clock of a zone, or every so many seconds.

Written as crontab(5) writes it (`30 9 * * 1-5`: Sunday is 0 or 7, two days that are both told are either of them), or
as `every 90m`. The clock of a zone is changed twice a year. A time that it leaves out comes as much later as it is put
forward (02:30 is 03:30 then), and one that it has twice comes the first time only; what comes in every hour comes in
every hour that there is.
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
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
_DAY_NAMES = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_MONTH_NAMES = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_FIELDS = (("minute", 0, 59), ("hour", 0, 23), ("day", 1, 31), ("month", 1, 12), ("weekday", 0, 7))
_HORIZON = 366 * 8 + 3
"""Days without a time after which there is none: February 29 may be eight years away."""
ALL_MINUTES, ALL_HOURS, ALL_DAYS = tuple(range(60)), tuple(range(24)), tuple(range(1, 32))
ALL_MONTHS, ALL_WEEKDAYS = tuple(range(1, 13)), tuple(range(7))


@dataclass(frozen=True, kw_only=True, slots=True)
class Timetable:
    """The times of a plan, each field in ascending order. Monday is 0, as everywhere but in its crontab form."""

    minutes: tuple[int, ...] = (0,)
    hours: tuple[int, ...] = (9,)
    days: tuple[int, ...] = ALL_DAYS
    months: tuple[int, ...] = ALL_MONTHS
    weekdays: tuple[int, ...] = ALL_WEEKDAYS
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
        parts = text.split(" ")
        if len(parts) != len(_FIELDS):
            raise ValueError(
                f"{written!r} is no plan: write five fields as in a crontab (minute hour day month weekday), such as "
                "0 9 * * mon-fri, or a pause such as every 90m"
            )
        fields = [_field(part, *_FIELDS[number]) for number, part in enumerate(parts)]
        weekdays = sorted({(day - 1) % 7 for day in fields[4]})
        made = cls(minutes=fields[0], hours=fields[1], days=fields[2], months=fields[3], weekdays=tuple(weekdays))
        if next(made._days(date(2024, 1, 1)), None) is None:
            raise ValueError(f"{written!r}: no month has such a day")
        return made

    def __str__(self) -> str:
        if self.every:
            return f"every {self.every}s"
        weekdays = tuple(sorted((day + 1) % 7 for day in self.weekdays))
        told = (self.minutes, self.hours, self.days, self.months, weekdays)
        wholes = (ALL_MINUTES, ALL_HOURS, ALL_DAYS, ALL_MONTHS, ALL_WEEKDAYS)
        return " ".join(
            "*" if field == whole else ",".join(map(str, field)) for field, whole in zip(told, wholes, strict=True)
        )

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
        last = after
        # the day before too: a time that is put forward may fall on the next day
        for day in self._days(datetime.fromtimestamp(after, place).date() - timedelta(days=1)):
            for moment in self._on(day, place):
                if moment > last:
                    last = moment
                    yield moment

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
        by_date, by_week = day.day in self.days, day.weekday() in self.weekdays
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


def _field(part: str, name: str, low: int, high: int) -> tuple[int, ...]:
    """Return the numbers of a field of a crontab. Raises ValueError."""
    found: set[int] = set()
    for piece in part.split(","):
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
    return tuple(sorted(found))


def _number(written: str, name: str, low: int, high: int) -> int:
    names = {"weekday": _DAY_NAMES, "month": _MONTH_NAMES}.get(name, ())
    if written in names:
        return names.index(written) + low
    if not written.isdecimal() or not written.isascii() or not low <= int(written) <= high:
        raise ValueError(f"{written!r} is no {name}: write {low} to {high}")
    return int(written)
