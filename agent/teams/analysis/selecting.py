"""Which rows and which figures of a table a question is about."""

from collections.abc import Sequence
from dataclasses import dataclass

from agent.language.lexicon import words
from agent.teams.analysis.columns import Column, Columns
from agent.teams.analysis.numbers import is_missing
from agent.teams.analysis.periods import A_YEAR, Period
from agent.teams.analysis.table_question import Asked
from agent.text import tokens

MOST_MEASURES = 4
MOST_SUMMARISED = 6
_MOST_NAMES = 2_000
_TOTALS = words("teams.total_columns")


@dataclass(frozen=True, kw_only=True, slots=True)
class Selected:
    """What a question picks of a table."""

    columns: Columns
    """With the rows alone that are asked about."""
    time: Column | None = None
    by: Column | None = None
    """The names that figures are told for."""
    parts: Column | None = None
    """The names that a trend is told for, one line each."""
    measures: tuple[Column, ...] = ()
    only: tuple[str, ...] = ()
    """Names that the rows were held to."""
    span_missed: bool = False
    """Whether a stretch of time was asked for that the table does not hold: it limits nothing."""


def select(columns: Columns, asked: Asked, *, trend: bool) -> Selected:
    """Return the rows, the names and the figures that are asked for."""
    time = max(columns.of("period"), key=lambda each: (asked.part(each.name), len(set(each.periods))), default=None)
    within = _within_time(columns, time, asked)
    columns = within or columns
    by = _by(columns, asked)
    matched = _named_values(columns, asked)
    only: list[str] = []
    parts = by if trend else None
    for column, values in matched:
        compared = not trend and not (time and asked.kind in ("summary", "distribution"))
        if compared and (by is None or column.at == by.at) and len(values) == 1:
            by = by or column
            continue  # how one compares with the others
        columns = columns.of_rows([row for row, cell in enumerate(_now(column, columns).cells) if cell in values])
        only += values
        if trend and len(values) > 1:
            parts = column
        elif parts is not None and parts.at == column.at:
            parts = None
    by = by or next((each for each in columns.of("name") if each.distinct > 1), None)
    return Selected(
        columns=columns,
        time=_now(time, columns) if time else None,
        by=_now(by, columns) if by else None,
        parts=_now(parts, columns) if parts else None,
        measures=tuple(_measures(columns, asked, trend=trend)),
        only=tuple(only),
        span_missed=within is None,
    )


def _now(column: Column, columns: Columns) -> Column:
    """Return the same column with the rows that are left."""
    return next(each for each in columns.columns if each.at == column.at)


def _within_time(columns: Columns, time: Column | None, asked: Asked) -> Columns | None:
    """Return the rows of the stretch of time that is asked for, all where none is; None where it holds none."""
    if time is None or not (asked.spans or asked.latest or asked.undated):
        return columns
    found = {row: period for row, period in enumerate(time.periods) if period is not None and _fits(period, asked)}
    if asked.latest:
        count, grain = asked.latest
        ends = sorted({period.within(grain) for period in found.values()})[-count:]
        found = {row: period for row, period in found.items() if period.within(grain) in ends}
    return columns.of_rows(list(found)) if found else None


def _fits(period: Period, asked: Asked) -> bool:
    if asked.spans and period.dated:
        return any(first <= period.first_day() and period.last_day() <= last for first, last in asked.spans)
    return not asked.undated or any(
        (longer := period.within(each.grain)).grain == each.grain and (longer.at - each.at) % A_YEAR[each.grain] == 0
        for each in asked.undated
    )


def _by(columns: Columns, asked: Asked) -> Column | None:
    """Return the column of names that the question splits by."""
    names = [each for each in columns.of("name") if each.distinct > 1]
    wanted = set(tokens(asked.by))
    found = [each for each in names if set(tokens(each.name)) & wanted]
    repeated = [each for each in names if wanted and 2 * each.distinct <= len(each.cells)]
    if found or len(repeated) == 1:
        return (found or repeated)[0]
    return next((each for each in names if asked.holds(each.name)), None)


def _named_values(columns: Columns, asked: Asked) -> list[tuple[Column, list[str]]]:
    """Return the names that the question holds, with their columns; not those that are words for the figures."""
    taken = set(tokens(columns.table.title)) | {
        term for each in columns.columns for term in tokens(each.name) if each.kind != "name" or asked.holds(each.name)
    }
    found = []
    for column in columns.of("name"):
        values = list(dict.fromkeys(cell for cell in column.cells if not is_missing(cell)))
        held = [value for value in values if _is_named(value, asked, taken)] if len(values) <= _MOST_NAMES else []
        if held and len(held) < len(values):
            found.append((column, held))
    return found


def _is_named(value: str, asked: Asked, taken: set[str]) -> bool:
    mine = set(tokens(value))
    return len(value) > 1 and bool(mine) and mine <= asked.words and not mine <= taken


def _measures(columns: Columns, asked: Asked, *, trend: bool) -> Sequence[Column]:
    """Return the figures that are asked for, the one that the question names best first."""
    every = [each for each in columns.measures if any(value is not None for value in each.values)]
    named = sorted((each for each in every if asked.holds(each.name)), key=lambda each: -asked.part(each.name))
    if named:
        return named[:MOST_MEASURES]
    every = [each for each in every if not _describes(each, columns)] or every
    if asked.kind in ("summary", "distribution"):
        return every[:MOST_SUMMARISED]
    total = next((each for each in every if each.name.strip().lower() in _TOTALS), None)
    if total or not every:
        return [total] if total else []
    alike = [each for each in every if each.unit.dimension == every[0].unit.dimension]
    return alike[: MOST_MEASURES if trend else 1]


def _describes(measure: Column, columns: Columns) -> bool:
    """Tell whether a figure says something of named things and not of what happens: the floor area of each house.

    It is the same for a name in every one of its rows, of which there are several.
    """
    for names in columns.of("name") if columns.of("period") else ():
        held: dict[str, set[float]] = {}
        for cell, value in zip(names.cells, measure.values, strict=True):
            if value is not None and not is_missing(cell):
                held.setdefault(cell, set()).add(value)
        if held and 2 * len(held) <= len(names.cells) and all(len(values) == 1 for values in held.values()):
            return True
    return False
