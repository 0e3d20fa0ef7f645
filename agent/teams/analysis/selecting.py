"""Which rows and which figures of a table a question is about."""

from collections.abc import Sequence
from dataclasses import dataclass

from agent.language.lexicon import words
from agent.teams.analysis import numbers
from agent.teams.analysis.columns import Column, Columns
from agent.teams.analysis.periods import Period
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
    span: str = ""
    """`kept`: a stretch of time was asked for and found; `none`: it was not found, so it limits nothing."""
    named: bool = False
    """Whether the question names what is measured."""


def select(columns: Columns, asked: Asked, *, trend: bool) -> Selected:
    """Return the rows, the names and the figures that are asked for."""
    time = _time(columns, asked)
    columns, span = _within_time(columns, time, asked)
    by = _by(columns, asked)
    matched = _named_values(columns, asked)
    only: list[str] = []
    parts: Column | None = by if trend and by is not None else None
    for column, values in matched:
        compared = not trend and not (time and asked.kind in ("summary", "distribution"))
        if compared and (by is None or column.at == by.at) and len(values) == 1:
            by = by or column
            continue  # how one compares with the others
        kept = [at for at, cell in enumerate(column.cells) if cell in values]
        columns = columns.within(kept)
        only += values
        if trend and len(values) > 1:
            parts = column
        elif parts is not None and parts.at == column.at:
            parts = None
    current = {column.at: column for column in columns.columns}
    measures, named = _measures(columns, asked, trend=trend)
    return Selected(
        columns=columns,
        time=current[time.at] if time else None,
        by=current[by.at] if by else _first_names(columns),
        parts=current[parts.at] if parts else None,
        measures=tuple(measures),
        only=tuple(only),
        span=span,
        named=named,
    )


def _time(columns: Columns, asked: Asked) -> Column | None:
    found = columns.of("period")
    return max(found, key=lambda each: (asked.part(each.name), len(set(each.periods))), default=None)


def _within_time(columns: Columns, time: Column | None, asked: Asked) -> tuple[Columns, str]:
    """Return the rows of the stretch of time that is asked for; all rows where it holds none."""
    if time is None or not (asked.spans or asked.latest or asked.undated):
        return columns, ""
    kept = [at for at, period in enumerate(time.periods) if period is not None and _asked_for(period, asked)]
    if asked.latest and kept:
        count, grain = asked.latest
        places = {at: time.periods[at] for at in kept}
        ends = sorted({each.within(grain) for each in places.values() if each is not None})[-count:]
        kept = [at for at, each in places.items() if each is not None and each.within(grain) in ends]
    return (columns.within(kept), "kept") if kept else (columns, "none")


def _asked_for(period: Period, asked: Asked) -> bool:
    if asked.spans and period.dated:
        return any(first <= period.first_day() and period.last_day() <= last for first, last in asked.spans)
    if asked.undated:
        return any((period.grain == each.grain and (period.at - each.at) % _CYCLE[each.grain] == 0)
                   or period.within(each.grain).at % _CYCLE[each.grain] == each.at % _CYCLE[each.grain]
                   for each in asked.undated)  # fmt: skip
    return True


_CYCLE = {"month": 12, "quarter": 4, "half": 2, "week": 53, "year": 1, "day": 1}


def _by(columns: Columns, asked: Asked) -> Column | None:
    """Return the column of names that the question splits by."""
    names = [each for each in columns.of("name") if each.distinct > 1]
    wanted = set(tokens(asked.by))
    if wanted:
        found = [each for each in names if set(tokens(each.name)) & wanted]
        repeated = [each for each in names if 2 * each.distinct <= len(each.cells)]
        if found or len(repeated) == 1:
            return (found or repeated)[0]
    named = [each for each in names if asked.holds(each.name)]
    return named[0] if named else None


def _first_names(columns: Columns) -> Column | None:
    """Return the column of names to tell figures for, where none is asked for: the first."""
    names = [each for each in columns.of("name") if each.distinct > 1]
    return names[0] if names else None


def _named_values(columns: Columns, asked: Asked) -> list[tuple[Column, list[str]]]:
    """Return the names that the question holds, with their columns; not those that are words for the figures."""
    taken = set(tokens(columns.table.title)) | {
        term for each in columns.columns for term in tokens(each.name) if each.kind != "name" or asked.holds(each.name)
    }
    out = []
    for column in columns.of("name"):
        values = list(dict.fromkeys(cell for cell in column.cells if not numbers.is_missing(cell)))
        if len(values) > _MOST_NAMES or len(values) < 2:
            continue
        held = [value for value in values if _is_named(value, asked, taken)]
        if held and len(held) < len(values):
            out.append((column, held))
    return out


def _is_named(value: str, asked: Asked, taken: set[str]) -> bool:
    mine = set(tokens(value))
    return len(value) > 1 and bool(mine) and mine <= asked.words and not mine <= taken


def _measures(columns: Columns, asked: Asked, *, trend: bool) -> tuple[list[Column], bool]:
    """Return the figures that are asked for, the one that the question names best first."""
    every = [each for each in columns.measures if any(value is not None for value in each.values)]
    named: Sequence[Column] = sorted((e for e in every if asked.holds(e.name)), key=lambda e: -asked.part(e.name))
    if named:
        return list(named[:MOST_MEASURES]), True
    every = [each for each in every if not _describes(each, columns)] or every
    if asked.kind in ("summary", "distribution"):
        return every[:MOST_SUMMARISED], False
    first = next((each for each in every if _sums_up(each.name)), every[0] if every else None)
    if first is None:
        return [], False
    alike = [each for each in every if each.unit.dimension == first.unit.dimension and not _sums_up(each.name)]
    if _sums_up(first.name) or first not in alike:
        return [first], False
    return alike[: MOST_MEASURES if trend else 1], False


def _describes(measure: Column, columns: Columns) -> bool:
    """Tell whether a figure says something of named things and not of what happens: the floor area of each house.

    It is the same for a name in every one of its rows, of which there are several.
    """
    for names in columns.of("name") if columns.of("period") else ():
        held: dict[str, set[float]] = {}
        for cell, value in zip(names.cells, measure.values, strict=True):
            if value is not None and not numbers.is_missing(cell):
                held.setdefault(cell, set()).add(value)
        if held and 2 * len(held) <= len(names.cells) and all(len(values) == 1 for values in held.values()):
            return True
    return False


def _sums_up(name: str) -> bool:
    return name.strip().lower() in _TOTALS
