"""A plan and its times in words."""

from datetime import datetime

from agent.language import say
from agent.types import Language
from agent.values.names import weekday_name
from agent.values.timetable import ALL_DAYS, ALL_HOURS, ALL_MONTHS, ALL_WEEKDAYS, LAST, Timetable, zone_of

_WORKDAYS = (0, 1, 2, 3, 4)
_HOUR = 3600


def told_plan(plan: Timetable, language: Language) -> str:
    """Return how often something comes, in words; a plan that is not in everybody's words as it is written."""
    if plan.every:
        if plan.every % _HOUR == 0:
            return _every_hours(plan.every // _HOUR, language)
        return say("when_minutes", language, count=f"{plan.every / 60:g}")
    usual = plan.months == ALL_MONTHS and len(plan.minutes) == 1
    time = f"{plan.hours[0]:02}:{plan.minutes[0]:02}"
    if usual and len(plan.hours) == 1 and (said := _at_one_time(plan, time, language)):
        return said
    step = len(ALL_HOURS) // len(plan.hours)
    if usual and plan.minutes == (0,) and plan.hours == ALL_HOURS[::step] and _is_each_day(plan):
        return _every_hours(step, language)
    return say("when_planned", language, plan=str(plan))


def _at_one_time(plan: Timetable, time: str, language: Language) -> str:
    """Return in words what comes at one time of its days; empty for what nobody says."""
    days = ", ".join(weekday_name(day, language) for day in plan.weekdays)
    of_month, of_week = plan.days != ALL_DAYS, plan.weekdays != ALL_WEEKDAYS
    if of_month and not of_week and plan.weeks == 1 and not plan.nth:
        if plan.days == (LAST,):
            return say("when_month_end", language, time=time)
        dates = ", ".join(map(str, plan.days))
        return say("when_monthly", language, dates=dates, time=time) if LAST not in plan.days else ""
    if of_month or (plan.nth and (plan.weeks > 1 or not of_week)) or (plan.weeks > 1 and not of_week):
        return ""
    if plan.nth:
        which = ", ".join(say(f"when_nth_{'last' if each == LAST else each}", language) for each in plan.nth)
        return say("when_nth", language, which=which, days=days, time=time)
    if plan.weeks > 1:
        return say("when_weeks", language, count=plan.weeks, days=days, time=time)
    if not of_week:
        return say("when_daily", language, time=time)
    if plan.weekdays == _WORKDAYS:
        return say("when_workdays", language, time=time)
    return say("when_weekly", language, days=days, time=time)


def told_moment(moment: float, zone: str) -> str:
    """Return a time of the wall clock of a zone: 2026-03-30 09:00."""
    return datetime.fromtimestamp(moment, zone_of(zone)).strftime("%Y-%m-%d %H:%M")


def told_day(moment: float, zone: str) -> str:
    """Return the day of a time in a zone: 2026-03-30."""
    return told_moment(moment, zone)[:10]


def _every_hours(count: int, language: Language) -> str:
    return say("when_hourly", language) if count == 1 else say("when_hours", language, count=count)


def _is_each_day(plan: Timetable) -> bool:
    return plan.days == ALL_DAYS and plan.weekdays == ALL_WEEKDAYS and plan.weeks == 1 and not plan.nth
