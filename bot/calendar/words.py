"""A plan and its times in words."""

from datetime import datetime

from agent.language import say
from agent.types import Language
from agent.values.names import weekday_name
from agent.values.timetable import ALL_DAYS, ALL_HOURS, ALL_MONTHS, ALL_WEEKDAYS, Timetable, zone_of

_WORKDAYS = (0, 1, 2, 3, 4)
_HOUR = 3600


def told_plan(plan: Timetable, language: Language) -> str:
    """Return how often something comes, in words; a plan that is not in everybody's words as it is written."""
    if plan.every:
        if plan.every % _HOUR == 0:
            return _every_hours(plan.every // _HOUR, language)
        return say("when_minutes", language, count=f"{plan.every / 60:g}")
    usual = plan.months == ALL_MONTHS and len(plan.minutes) == 1
    if usual and len(plan.hours) == 1:
        time = f"{plan.hours[0]:02}:{plan.minutes[0]:02}"
        if plan.weekdays == ALL_WEEKDAYS and plan.days == ALL_DAYS:
            return say("when_daily", language, time=time)
        if plan.weekdays == ALL_WEEKDAYS:
            return say("when_monthly", language, dates=", ".join(map(str, plan.days)), time=time)
        if plan.days == ALL_DAYS and plan.weekdays == _WORKDAYS:
            return say("when_workdays", language, time=time)
        if plan.days == ALL_DAYS:
            days = ", ".join(weekday_name(day, language) for day in plan.weekdays)
            return say("when_weekly", language, days=days, time=time)
    step = len(ALL_HOURS) // len(plan.hours)
    if usual and plan.minutes == (0,) and plan.hours == ALL_HOURS[::step] and _is_each_day(plan):
        return _every_hours(step, language)
    return say("when_planned", language, plan=str(plan))


def told_moment(moment: float, zone: str) -> str:
    """Return a time of the wall clock of a zone: 2026-03-30 09:00."""
    return datetime.fromtimestamp(moment, zone_of(zone)).strftime("%Y-%m-%d %H:%M")


def told_day(moment: float, zone: str) -> str:
    """Return the day of a time in a zone: 2026-03-30."""
    return told_moment(moment, zone)[:10]


def _every_hours(count: int, language: Language) -> str:
    return say("when_hourly", language) if count == 1 else say("when_hours", language, count=count)


def _is_each_day(plan: Timetable) -> bool:
    return plan.days == ALL_DAYS and plan.weekdays == ALL_WEEKDAYS
