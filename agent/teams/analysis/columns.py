"""From the cells of a table to its columns: figures in one unit, periods, names, one row a period; and the totals."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from agent.language.lexicon import earliest, pattern
from agent.teams.analysis import numbers, periods
from agent.teams.analysis.numbers import Number, is_missing
from agent.teams.analysis.periods import A_YEAR, Period
from agent.teams.analysis.table import Row, Table, column_letter, tidy
from agent.teams.analysis.units import BARE, MONEY, PERCENT, Unit, scaled_unit

MOSTLY = 0.6
"""Share of the filled cells that must be figures, or periods, for a column to be one of them."""
_SAMPLE = 200
"""Cells by which it is told what a column may be."""
_BRACKETS = re.compile(r"(?:(?<!\s)\s++)?[(\[]([^()\[\]]{1,24})[)\]]\s*+$|(?:(?<!\s)\s++)?,\s*+([^,()]{1,16})$")
_YEAR_NAME = pattern("teams.year_names")
_PERIOD_NAME = pattern("teams.period_names")
_IDENTITY = pattern("teams.identity_names")
_TOTAL = pattern("teams.total_rows")
_RATE = pattern("teams.rate_names")
_STOCK = pattern("teams.stock_names")
_PARTS = ("month", "quarter", "half")
Kind = Literal["number", "period", "name", "text"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Column:
    """A column; the lists have one entry a row of `Columns.rows`."""

    at: int
    """Its place in the table; below 0 for one that is made of several."""
    name: str
    """Without its unit."""
    kind: Kind
    cells: tuple[str, ...]
    values: tuple[float | None, ...] = ()
    """Of a column of figures, in `unit`."""
    periods: tuple[Period | None, ...] = ()
    unit: Unit = BARE
    decimals: int = 0
    identity: bool = False
    """Whether the figures are numbers of things, which nobody adds up."""

    @property
    def letter(self) -> str:
        """The column as a spreadsheet calls it; empty for one that is made of several."""
        return column_letter(self.at)

    @property
    def additive(self) -> bool:
        """Tell whether a sum of the figures means anything: not for shares, averages, prices, scores."""
        return self.unit.dimension not in ("%", "%p", "temperature", "points") and not _RATE.search(self.name)

    @property
    def flow(self) -> bool:
        """Tell whether figures of different periods may be added up: not those of what is there at a time."""
        return self.additive and self.unit.dimension != "people" and not _STOCK.search(self.name)

    @property
    def missing(self) -> int:
        """How many cells say that there is nothing."""
        return sum(map(is_missing, self.cells))

    @property
    def unread(self) -> int:
        """How many cells say something that is no figure in `unit`, or no period."""
        found = zip(self.values or self.periods, self.cells, strict=False)
        return sum(read is None and not is_missing(cell) for read, cell in found)

    @property
    def distinct(self) -> int:
        """How many different names there are."""
        return len({cell for cell in self.cells if not is_missing(cell)})

    def of_rows(self, rows: Sequence[int]) -> "Column":
        """Return the column with these rows, in this order."""
        return replace(
            self,
            cells=tuple(self.cells[row] for row in rows),
            values=tuple(self.values[row] for row in rows) if self.values else (),
            periods=tuple(self.periods[row] for row in rows) if self.periods else (),
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Columns:
    """All columns of a table, without the rows that are totals of others."""

    table: Table
    rows: tuple[Row, ...]
    columns: tuple[Column, ...]
    totals: tuple[Row, ...] = ()
    """Rows that sum up others: left out."""

    def of(self, *kinds: Kind) -> list[Column]:
        """Return the columns of these kinds, from left to right."""
        return [column for column in self.columns if column.kind in kinds]

    @property
    def measures(self) -> list[Column]:
        """The columns of figures that measure something."""
        return [column for column in self.of("number") if not column.identity]

    def of_rows(self, rows: Sequence[int]) -> "Columns":
        """Return the columns with these rows, in this order."""
        columns = tuple(column.of_rows(rows) for column in self.columns)
        return replace(self, rows=tuple(self.rows[row] for row in rows), columns=columns)


def read_columns(table: Table) -> Columns:
    """Return the columns of a table as they are computed with: one row a period, however the table is laid out."""
    return _joined(_melted(columns_of(tidy(table))))


def columns_of(table: Table) -> Columns:
    """Return the columns of a tidy table."""
    named = []  # columns that are mostly words: a total is named in one of them, or in the first filled cell
    for at in range(len(table.header)):
        filled = [row.cells[at] for row in table.rows[:_SAMPLE] if row.cells[at]]
        if filled and sum(numbers.read(cell) is None for cell in filled) * 2 >= len(filled):
            named.append(at)
    firsts = ((row, next((cell for cell in row.cells if cell.strip()), "")) for row in table.rows)
    totals = tuple(
        row
        for row, first in firsts
        if any(_TOTAL.fullmatch(cell.strip()) for cell in (first, *(row.cells[at] for at in named)))
    )
    if len(totals) == len(table.rows):
        totals = ()
    left = set(map(id, totals))
    rows = tuple(row for row in table.rows if id(row) not in left)
    above = earliest("teams.unit_above", table.above[-200:])
    whole = scaled_unit(above["unit"].strip()) if above else None
    columns = (_column(at, name, tuple(row.cells[at] for row in rows), whole) for at, name in enumerate(table.header))
    return Columns(table=table, rows=rows, columns=tuple(columns), totals=totals)


def total_of(row: Row, column: Column) -> float | None:
    """Return what a total row says for a column, in the column's unit."""
    number = numbers.read(row.cells[column.at])
    if number is None or number.unit.dimension not in ("", column.unit.dimension):
        return None
    return number.value * (number.unit.factor / column.unit.factor if number.unit.dimension else 1.0)


def _column(at: int, name: str, cells: tuple[str, ...], whole: Unit | None) -> Column:
    filled = [cell for cell in cells if not is_missing(cell)]
    plain = Column(at=at, name=name, kind="text", cells=cells)
    if not filled:
        return plain
    found = _periods(plain, filled)
    if any(found):
        return replace(plain, kind="period", periods=found)
    known = {cell: numbers.read(cell) for cell in set(filled)}
    read = [known.get(cell) for cell in cells]
    figures = sum(number is not None for number in read)
    if figures and figures + sum(map(numbers.is_beyond, filled)) >= MOSTLY * len(filled):
        return _figures(plain, read, whole)
    is_name = len(set(filled)) <= max(20, len(filled) // 2) or max(map(len, filled)) <= 60
    return replace(plain, kind="name") if is_name else plain


def _periods(column: Column, filled: Sequence[str]) -> tuple[Period | None, ...]:
    """Return the periods of a column, all of one grain; none where it is no column of periods."""
    is_year = bool(_YEAR_NAME.search(column.name))
    years = (
        is_year
        or bool(_PERIOD_NAME.fullmatch(column.name.strip()))
        or (column.at == 0 and len(set(filled)) == len(filled) > 1 and all(cell.isdigit() for cell in filled))
    )
    day_first = periods.day_first(filled)
    sample = filled[:_SAMPLE]
    if sum(periods.read(cell, years=years, day_first=day_first) is not None for cell in sample) < MOSTLY * len(sample):
        return ()
    known = {cell: periods.read(cell, years=years, day_first=day_first) for cell in set(filled)}
    found = [known.get(cell) for cell in column.cells]
    read = [each for each in found if each is not None]
    grain, _ = Counter(each.grain for each in read).most_common(1)[0]
    dated = 2 * sum(each.dated for each in read) >= len(read)
    # A year among months is their sum, or another table's.
    kept = tuple(each if each is not None and each.grain == grain and each.dated == dated else None for each in found)
    count = len(kept) - kept.count(None)
    enough = count >= MOSTLY * len(filled) and (count > 1 or not years or is_year or grain != "year")
    return kept if enough else ()


def _figures(column: Column, read: Sequence[Number | None], whole: Unit | None) -> Column:
    """Return a column in the unit that most of its cells have: what cannot be converted to it is left out."""
    name, told = _unit_in_name(column.name)
    used = {number.unit for number in read if number is not None and number.unit != BARE}
    usual = next(iter(used)) if len(used) == 1 else BARE  # a currency is often written in the first row alone
    default = told or (None if _RATE.search(column.name) else whole) or (usual if usual.dimension in MONEY else None)
    if default is not None:
        read = [replace(each, unit=default) if each and not each.unit.dimension else each for each in read]
    dimension, _ = Counter(each.unit.dimension for each in read if each).most_common(1)[0]
    alike = [each if each and each.unit.dimension == dimension else None for each in read]
    unit, _ = Counter(each.unit for each in alike if each).most_common(1)[0]
    values = tuple(each.value * (each.unit.factor / unit.factor) if each else None for each in alike)
    known = [f"{value:.4f}".rstrip("0").partition(".")[2] for value in values if value is not None]
    decimals = min(4, max(*map(len, known), *(each.decimals for each in alike if each)))  # more where it was converted
    identity = bool(_IDENTITY.search(column.name)) and unit == BARE
    return replace(column, name=name, kind="number", values=values, unit=unit, decimals=decimals, identity=identity)


def _unit_in_name(name: str) -> tuple[str, Unit | None]:
    match = _BRACKETS.search(name)
    unit = scaled_unit(match[1] or match[2]) if match else None
    if match and unit is not None:
        return name[: match.start()].strip() or name, unit
    return name, PERCENT if name.rstrip().endswith("%") else None


def _melted(columns: Columns) -> Columns:
    """Return the columns with one row for each figure, where the columns of figures are called by periods.

    A table of departments by months becomes: department, month, figure. Figures keep the unit of their column; columns
    of other figures are left out.
    """
    wide = _wide(columns)
    if len(wide) < 2 or columns.of("period"):
        return columns
    order = [(row, column) for row in range(len(columns.rows)) for column in range(len(wide))]
    unit = wide[0][0].unit
    factors = [column.unit.factor / unit.factor for column, _ in wide]
    values = [wide[c][0].values[r] for r, c in order]
    figure = Column(
        at=-1,
        name=columns.table.name,
        kind="number",
        cells=tuple(wide[c][0].cells[r] for r, c in order),
        values=tuple(v if v is None else v * factors[c] for v, (_, c) in zip(values, order, strict=True)),
        unit=unit,
        decimals=max(column.decimals for column, _ in wide),
    )
    labels = tuple(columns.table.header[wide[c][0].at] for _, c in order)
    time = Column(at=-2, name="", kind="period", cells=labels, periods=tuple(wide[c][1] for _, c in order))
    long = columns.of_rows([row for row, _ in order])
    return replace(long, columns=(*long.of("name", "text"), time, figure), totals=())


def _joined(columns: Columns) -> Columns:
    """Return the columns with a year and a month in two columns made one period."""
    firsts = [(each, next(filter(None, each.periods))) for each in columns.of("period") if any(each.periods)]
    year = next((each for each, first in firsts if first.grain == "year"), None)
    part = next((each for each, first in firsts if first.grain in _PARTS and not first.dated), None)
    if year is None or part is None:
        return columns
    joined = tuple(
        Period(p.grain, y.at * A_YEAR[p.grain] + p.at % A_YEAR[p.grain]) if y is not None and p is not None else None
        for y, p in zip(year.periods, part.periods, strict=True)
    )
    one = replace(part, periods=joined, cells=tuple(f"{y} {p}" for y, p in zip(year.cells, part.cells, strict=True)))
    return replace(
        columns, columns=tuple(one if each is part else each for each in columns.columns if each is not year)
    )


def _wide(columns: Columns) -> list[tuple[Column, Period]]:
    """Return the columns of figures that are called by periods of one grain, in one dimension."""
    header = columns.table.header
    named = [(each, periods.read(header[each.at], years=True) or periods.read(each.name)) for each in columns.measures]
    found = [(each, period) for each, period in named if period is not None]
    if not found or 2 * len(found) < len(columns.measures):
        return []
    kinds = [(period.grain, period.dated, each.unit.dimension) for each, period in found]
    usual, _ = Counter(kinds).most_common(1)[0]
    return [each for each, kind in zip(found, kinds, strict=True) if kind == usual]
