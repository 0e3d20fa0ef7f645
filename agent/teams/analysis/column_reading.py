"""From the cells of a table to its columns: what each holds, in which unit, and which rows are totals."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from agent.language.lexicon import earliest, pattern
from agent.teams.analysis import numbers, periods
from agent.teams.analysis.columns import Column, Columns, Kind, is_rate
from agent.teams.analysis.numbers import Number
from agent.teams.analysis.table import Row, Table
from agent.teams.analysis.units import BARE, MONEY, PERCENT, Unit, scaled_unit

MOSTLY = 0.6
"""Share of the filled cells that must be figures, or periods, for a column to be one of them."""
_BRACKETS = re.compile(r"(?:(?<!\s)\s++)?[(\[]([^()\[\]]{1,24})[)\]]\s*+$|(?:(?<!\s)\s++)?,\s*+([^,()]{1,16})$")
_YEAR_NAME = pattern("teams.year_names")
_PERIOD_NAME = pattern("teams.period_names")
_IDENTITY = pattern("teams.identity_names")
_TOTAL = pattern("teams.total_rows")


def columns_of(table: Table) -> Columns:
    """Return the columns of a tidy table."""
    named = _label_columns(table)
    totals = [row for row in table.rows if _is_total(row, named)]
    if len(totals) == len(table.rows):
        totals = []
    left = set(map(id, totals))
    rows = tuple(row for row in table.rows if id(row) not in left)
    whole = _unit_above(table.above)
    found = tuple(
        _column(at, name, tuple(row.cells[at] for row in rows), whole) for at, name in enumerate(table.header)
    )
    return Columns(table=table, rows=rows, columns=found, totals=tuple(totals))


def _is_total(row: Row, named: Sequence[int]) -> bool:
    """Tell whether a row says that it sums up others: in its first filled cell, or in a column of names."""
    first = next((cell for cell in row.cells if cell.strip()), "")
    return any(_TOTAL.fullmatch(cell.strip()) for cell in (first, *(row.cells[at] for at in named)))


def _label_columns(table: Table) -> list[int]:
    """Return the columns whose cells are mostly words: a total is named in one of them."""
    out = []
    for at in range(len(table.header)):
        sample = [row.cells[at] for row in table.rows[:200] if row.cells[at]]
        if sample and sum(numbers.read(cell) is None for cell in sample) * 2 >= len(sample):
            out.append(at)
    return out


def _column(at: int, name: str, cells: tuple[str, ...], whole: Unit | None) -> Column:
    filled = [cell for cell in cells if not numbers.is_missing(cell)]
    missing = len(cells) - len(filled)
    if not filled:
        return Column(at=at, name=name, kind="text", cells=cells, missing=missing)
    column = _period_column(at, name, cells, filled, missing)
    if column is not None:
        return column
    known = {cell: numbers.read(cell) for cell in set(filled)}
    read = [known.get(cell) for cell in cells]
    figures = [number for number in read if number is not None]
    beyond = sum(numbers.is_beyond(cell) for cell in filled)
    if not figures or len(figures) + beyond < MOSTLY * len(filled):
        different = len(set(filled))
        kind: Kind = "name" if different <= max(20, len(filled) // 2) or max(map(len, filled)) <= 60 else "text"
        return Column(at=at, name=name, kind=kind, cells=cells, missing=missing)
    return _figure_column(at, name, cells, read, missing=missing, whole=whole)


def _period_column(at: int, name: str, cells: tuple[str, ...], filled: Sequence[str], missing: int) -> Column | None:
    years = bool(_YEAR_NAME.search(name) or _PERIOD_NAME.fullmatch(name.strip())) or (
        at == 0 and len(set(filled)) == len(filled) > 1 and all(cell.isdigit() for cell in filled)
    )
    reader = periods.reader_for(filled, years=years)
    if sum(reader(cell) is not None for cell in filled[:200]) < MOSTLY * len(filled[:200]):
        return None
    known = {cell: reader(cell) for cell in set(filled)}
    found = [known.get(cell) for cell in cells]
    grain, _ = Counter(each.grain for each in found if each is not None).most_common(1)[0]
    dated = 2 * sum(each.dated for each in found if each is not None) >= sum(each is not None for each in found)
    # A year among months is their sum, or another table's.
    kept = tuple(each if each is not None and each.grain == grain and each.dated == dated else None for each in found)
    read = sum(each is not None for each in kept)
    if read < MOSTLY * len(filled) or (years and not _YEAR_NAME.search(name) and grain == "year" and read < 2):
        return None
    return Column(
        at=at, name=name, kind="period", cells=cells, periods=kept, missing=missing, unread=len(filled) - read
    )


def _figure_column(
    at: int, name: str, cells: tuple[str, ...], read: Sequence[Number | None], *, missing: int, whole: Unit | None
) -> Column:
    """Return a column in the unit that most of its cells have: what cannot be converted to it is left out."""
    bare_name, told = _unit_in_name(name)
    default = told or (whole if whole is not None and not is_rate(name) else None) or _usual(read)
    if default is not None:
        read = [replace(each, unit=default) if each and not each.unit.dimension else each for each in read]
    dimension, _ = Counter(each.unit.dimension for each in read if each).most_common(1)[0]
    alike = [each if each and each.unit.dimension == dimension else None for each in read]
    unit, _ = Counter(each.unit for each in alike if each).most_common(1)[0]
    values = tuple(each.value * (each.unit.factor / unit.factor) if each else None for each in alike)
    return Column(
        at=at,
        name=bare_name,
        kind="number",
        cells=cells,
        values=values,
        unit=unit,
        decimals=_decimals(values, max(each.decimals for each in alike if each)),
        missing=missing,
        unread=sum(value is None for value in values) - missing,
        identity=bool(_IDENTITY.search(name)) and unit == BARE,
    )


def _decimals(values: Sequence[float | None], written: int) -> int:
    """Return how many places the values need: as many as were written, or more where they were converted; at most 4."""
    needed = max(
        (len(f"{value:.4f}".rstrip("0").partition(".")[2]) for value in values if value is not None), default=0
    )
    return min(4, max(written, needed) if needed > written else written)


def _usual(read: Sequence[Number | None]) -> Unit | None:
    """Return the currency of a column, for its cells without one: it is often written in the first row alone."""
    found = {number.unit for number in read if number is not None and number.unit != BARE}
    return next(iter(found)) if len(found) == 1 and next(iter(found)).dimension in MONEY else None


def _unit_in_name(name: str) -> tuple[str, Unit | None]:
    match = _BRACKETS.search(name)
    unit = scaled_unit(match[1] or match[2]) if match else None
    if match and unit is not None:
        return name[: match.start()].strip() or name, unit
    return (name, PERCENT) if name.rstrip().endswith("%") else (name, None)


def _unit_above(text: str) -> Unit | None:
    match = earliest("teams.unit_above", text[-200:])
    return scaled_unit(match["unit"].strip()) if match else None
