"""The columns of a table: figures in one unit, periods, names."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from agent.language.lexicon import pattern
from agent.teams.analysis import numbers
from agent.teams.analysis.periods import Period
from agent.teams.analysis.table import Row, Table, column_letter
from agent.teams.analysis.units import BARE, Unit

_RATE = pattern("teams.rate_names")
_STOCK = pattern("teams.stock_names")
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
    missing: int = 0
    """Cells that say that there is nothing."""
    unread: int = 0
    """Cells with something that is no figure in `unit` (of a column of figures), or no period."""
    identity: bool = False
    """Whether the figures are numbers of things, which nobody adds up."""

    @property
    def letter(self) -> str:
        """The column as a spreadsheet calls it; empty for one that is made of several."""
        return column_letter(self.at)

    @property
    def additive(self) -> bool:
        """Tell whether a sum of the figures means anything: not for shares, averages, prices, scores."""
        return self.unit.dimension not in ("%", "%p", "temperature", "points") and not is_rate(self.name)

    @property
    def flow(self) -> bool:
        """Tell whether figures of different periods may be added up: not those of what is there at a time."""
        return self.additive and self.unit.dimension != "people" and not _STOCK.search(self.name)

    @property
    def distinct(self) -> int:
        """How many different names there are."""
        return len({cell for cell in self.cells if not numbers.is_missing(cell)})


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

    def within(self, kept: Sequence[int]) -> "Columns":
        """Return the columns with these rows alone."""
        return replace(
            self,
            rows=tuple(self.rows[at] for at in kept),
            columns=tuple(_with_rows(column, kept) for column in self.columns),
        )


def is_rate(name: str) -> bool:
    """Tell whether a column of this name holds shares, averages, prices or scores, which nobody adds up."""
    return _RATE.search(name) is not None


def total_of(row: Row, column: Column) -> float | None:
    """Return what a total row says for a column, in the column's unit."""
    number = numbers.read(row.cells[column.at])
    if number is None or number.unit.dimension not in ("", column.unit.dimension):
        return None
    return number.value * (number.unit.factor / column.unit.factor if number.unit.dimension else 1.0)


def _with_rows(column: Column, kept: Sequence[int]) -> Column:
    cells = tuple(column.cells[at] for at in kept)
    values = tuple(column.values[at] for at in kept) if column.values else ()
    found = tuple(column.periods[at] for at in kept) if column.periods else ()
    missing = sum(map(numbers.is_missing, cells))
    read = sum(each is not None for each in (values or found))
    unread = len(cells) - missing - read if column.kind in ("number", "period") else column.unread
    return replace(column, cells=cells, values=values, periods=found, missing=missing, unread=max(0, unread))
