"""Tables whose columns are periods, and periods in two columns, brought to one row a period."""

from collections import Counter
from dataclasses import replace

from agent.teams.analysis import periods
from agent.teams.analysis.columns import Column, Columns
from agent.teams.analysis.periods import Period

_FEWEST = 2
_PARTS = {"month": 12, "quarter": 4, "half": 2}


def melted(columns: Columns) -> Columns:
    """Return the columns with one row for each figure, where the columns of figures are called by periods.

    A table of departments by months becomes: department, month, figure. Figures keep the unit of their column; columns
    of other figures are left out.
    """
    wide = _wide(columns)
    if len(wide) < _FEWEST or columns.of("period"):
        return columns
    rows = len(columns.rows)
    times = len(wide)
    order = [(row, column) for row in range(rows) for column in range(times)]
    unit = wide[0][0].unit
    factors = [column.unit.factor / unit.factor for column, _ in wide]
    values = tuple(
        None if (value := wide[c][0].values[r]) is None else value * factors[c] if factors[c] != 1 else value
        for r, c in order
    )
    labels = [columns.table.header[column.at] for column, _ in wide]
    kept = [
        replace(
            each,
            cells=tuple(each.cells[r] for r, _ in order),
            values=tuple(each.values[r] for r, _ in order) if each.values else (),
            missing=each.missing * times,
            unread=each.unread * times,
        )
        for each in columns.of("name", "text")
    ]
    figure = Column(
        at=-1,
        name=columns.table.name,
        kind="number",
        cells=tuple(wide[c][0].cells[r] for r, c in order),
        values=values,
        unit=unit,
        decimals=max(column.decimals for column, _ in wide),
        missing=sum(column.missing for column, _ in wide),
        unread=sum(column.unread for column, _ in wide),
    )
    time = Column(
        at=-2,
        name="",
        kind="period",
        cells=tuple(labels[c] for _, c in order),
        periods=tuple(wide[c][1] for _, c in order),
    )
    return replace(columns, rows=tuple(columns.rows[r] for r, _ in order), columns=(*kept, time, figure), totals=())


def joined_periods(columns: Columns) -> Columns:
    """Return the columns with a year and a month in two columns made one period."""
    found = columns.of("period")
    year = next((each for each in found if _grain(each) == "year"), None)
    part = next((each for each in found if _grain(each) in _PARTS and not _dated(each)), None)
    if year is None or part is None:
        return columns
    joined = tuple(
        Period(p.grain, y.at * _PARTS[p.grain] + p.at % _PARTS[p.grain]) if y is not None and p is not None else None
        for y, p in zip(year.periods, part.periods, strict=True)
    )
    one = replace(part, periods=joined, cells=tuple(f"{y} {p}" for y, p in zip(year.cells, part.cells, strict=True)))
    rest = tuple(one if each is part else each for each in columns.columns if each is not year)
    return replace(columns, columns=rest)


def _wide(columns: Columns) -> list[tuple[Column, Period]]:
    """Return the columns of figures that are called by periods of one grain, in one dimension."""
    header = columns.table.header
    named = [(each, periods.read(header[each.at], years=True) or periods.read(each.name)) for each in columns.measures]
    found = [(each, period) for each, period in named if period is not None]
    if not found or 2 * len(found) < len(columns.measures):
        return []
    usual, _ = Counter((period.grain, period.dated, each.unit.dimension) for each, period in found).most_common(1)[0]
    return [(each, period) for each, period in found if (period.grain, period.dated, each.unit.dimension) == usual]


def _grain(column: Column) -> str:
    return next((each.grain for each in column.periods if each is not None), "")


def _dated(column: Column) -> bool:
    return next((each.dated for each in column.periods if each is not None), True)
