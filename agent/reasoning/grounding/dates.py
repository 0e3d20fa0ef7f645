"""Days of the calendar and of the week that a text names and its source does not."""

from agent.values.dates import dates, weekdays


def date_problems(text: str, source: str) -> list[str]:
    """Name the days of a text that its source does not name, or gives another day of the week."""
    told, known = ([date for date in dates(each) if date.day and date.month] for each in (text, source))
    out = [
        f"the date {day.written} is not in its source"
        for day in told
        if known and not any(day.meets(other) for other in known)
    ]
    week = weekdays(text)
    if week:
        possible = set(weekdays(source))
        possible |= {day.weekday for day in (*told, *known) if day.weekday is not None}
        out += [f"the day {written} is not in its source" for number, written in week.items() if number not in possible]
        dated = {day.weekday for day in told if day.weekday is not None}
        if len(week) == 1 and len(told) == 1 and dated and dated.isdisjoint(week):
            written = next(iter(week.values()))
            out.append(f"the day {written} is not the day of {told[0].written}")
    return list(dict.fromkeys(out))
