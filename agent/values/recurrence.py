"""How often something is to come, in people's words: every Monday at 9, 매주 월요일 오전 9시에, every two hours.

A clock time from 1 to 6 without its half of the day and without minutes is one of the afternoon: nobody plans for the
night so. Nothing told: 9:00.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from agent.language.lexicon import alternatives as patterns_of
from agent.language.lexicon import has, mapping, ordered
from agent.values.names import weekday_numbers
from agent.values.numerals import from_counting
from agent.values.timetable import ALL_HOURS, ALL_MINUTES, LAST, Timetable

_USUAL_HOUR = 9
_WORKDAYS = (0, 1, 2, 3, 4)
_AFTERNOON_UNTIL = 6
_NOON, _MIDNIGHT = 12, 24
_HALVES = mapping("schedules.recurring_halves")
_NAMED = mapping("schedules.recurring_named")
_FIRST = ordered("schedules.recurring_first")
_WHICH, _WEEKS = mapping("schedules.recurring_which"), mapping("schedules.recurring_weeks")
_LETTERS = mapping("schedules.recurring_days") if has("schedules.recurring_days") else {}
_DAYS = {**weekday_numbers(), **_LETTERS}
_DAY = re.compile("|".join(re.escape(name) for name in sorted(_DAYS, key=len, reverse=True)), re.IGNORECASE)
_NUMBER = re.compile(r"\d+")
_BETWEEN = re.compile(r"[\s,]*")


@dataclass(frozen=True, slots=True)
class Recurrence:
    """What a text says about how often; `start:end` is where."""

    plan: Timetable
    start: int
    end: int
    timed: bool = False
    """Whether a time of the day is told."""
    any_day: bool = False
    """Whether it is once a week, on a day that is not told."""

    def on(self, weekday: int) -> Timetable:
        """Return the plan, of a week without its day on this one, Monday 0."""
        return replace(self.plan, weekdays=(weekday,)) if self.any_day else self.plan


def _compiled(entry: str) -> tuple[re.Pattern[str], ...]:
    one, which, weeks = (_any(names) for names in (_DAYS, _WHICH, _WEEKS))
    filled = (
        each.replace("{weekday}", rf"{one}s?(?![A-Za-z])")
        .replace("{weekdays}", f"{one}s")
        .replace("{which}", which)
        .replace("{weeks}", rf"(?:{weeks}|\d{{1,2}})")
        for each in patterns_of(f"schedules.{entry}")
    )
    return tuple(re.compile(each, re.IGNORECASE) for each in filled)


def _any(names: Iterable[str]) -> str:
    """Return a pattern of any of these names, blanks in them left out or not."""
    found = "|".join(re.escape(name).replace(r"\ ", r"\s?") for name in sorted(names, key=len, reverse=True))
    return f"(?:{found})"


_WHICH_ONE = re.compile(_any(_WHICH), re.IGNORECASE)
_RECURRING, _AT = _compiled("recurring"), _compiled("recurring_at")


def recurrence(text: str) -> Recurrence | None:
    """Return what a text says about how often something is to come, the first that it says; None where it does not."""
    found = [match for pattern in _RECURRING for match in pattern.finditer(text)]
    found = [match for match in found if not text[: match.start()][-1:].isalnum()]  # no word goes on before it
    if not found:
        return None
    core = min(found, key=lambda match: (match.start(), -match.end()))
    at = _time_beside(text, core)
    start, end = (min(core.start(), at.start()), max(core.end(), at.end())) if at else core.span()
    told = {name: value for name, value in core.groupdict().items() if value}
    time = _time_of(at.groupdict()) if at else _named(told.get("part", ""))
    plan = _plan(told, time)
    if plan is None:
        return None
    return Recurrence(plan, start, end, timed=time is not None, any_day="weekly" in told)


def _time_beside(text: str, core: re.Match[str]) -> re.Match[str] | None:
    """Return the time that stands behind it or, with nothing between, before it."""
    behind = _BETWEEN.match(text, core.end())
    at = behind.end() if behind else core.end()
    if found := next(filter(None, (pattern.match(text, at) for pattern in _AT)), None):
        return found
    before = [match for pattern in _AT for match in pattern.finditer(text, 0, core.start())]
    return next((match for match in before if not text[match.end() : core.start()].strip(" ,")), None)


def _plan(told: dict[str, str], time: tuple[int, int] | None) -> Timetable | None:
    """Return the plan; None for a day or a pause that there is not."""
    hour, minute = time or (_USUAL_HOUR, 0)
    if hour not in ALL_HOURS or minute not in ALL_MINUTES:
        return None
    plan, count = Timetable(minutes=(minute,), hours=(hour,)), int(told.get("count", 1))
    weeks = _number(told["weeks"], _WEEKS) if "weeks" in told else 1
    if not count or not weeks:
        return None
    if "seconds" in told or "minutes" in told:
        return Timetable(every=count * (1 if "seconds" in told else 60))
    if "hours" in told:
        whole = len(ALL_HOURS) % count == 0
        return Timetable(hours=ALL_HOURS[::count]) if whole else Timetable(every=count * 3600)
    if "workdays" in told:
        return replace(plan, weekdays=_WORKDAYS)
    if "days" in told:
        which = {_number(each, _WHICH) for each in _WHICH_ONE.findall(told.get("nth", ""))}
        nth = (*sorted(which - {LAST}), *(which & {LAST}))
        days = sorted({_DAYS[each.lower()] for each in _DAY.findall(told["days"])})
        return replace(plan, weekdays=tuple(days), nth=nth, weeks=weeks)
    if "month_end" in told:
        return replace(plan, days=(LAST,))
    if "dates" in told:
        dates = {int(each) for each in _NUMBER.findall(told["dates"])}
        dates |= {1} if any(word in told["dates"].lower() for word in _FIRST) else set()
        return replace(plan, days=tuple(sorted(dates))) if dates and max(dates) <= 31 and min(dates) else None
    return replace(plan, weeks=weeks)


def _number(word: str, names: Mapping[str, int]) -> int:
    """Return the number of a word, whichever blanks it is written with."""
    joined = "".join(word.lower().split())
    return next((number for name, number in names.items() if "".join(name.split()) == joined), 0) or int(word)


def _time_of(told: dict[str, str | None]) -> tuple[int, int] | None:
    if name := told.get("named"):
        return _named(name)
    written, half = told.get("h"), _HALVES.get((told.get("half") or "").replace(".", "").lower())
    hour = int(written) if written else from_counting(told.get("counted") or "")
    minute = int(told.get("mi") or (30 if told.get("mid") else 0))
    if half == "early":
        return hour % _NOON if hour <= _NOON else hour, minute
    if half in ("late", "night"):
        late = hour % _NOON + _NOON if hour <= _NOON else hour
        return (late + _NOON) % _MIDNIGHT if half == "night" and hour in (_NOON, 1, 2, 3) else late, minute
    plain = not told.get("mi") and not (written or "").startswith("0")
    return hour + _NOON if plain and 1 <= hour <= _AFTERNOON_UNTIL else hour, minute


def _named(word: str) -> tuple[int, int] | None:
    written = _NAMED.get(word.lower())
    return (int(written[:2]), int(written[3:])) if written else None
