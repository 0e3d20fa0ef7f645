"""A table as the analysis works on it: names for all columns, rows of one width, each row's place in its source."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from agent.teams.analysis import numbers, periods
from agent.teams.analysis.units import scaled_unit
from agent.text import clipped
from agent.types import Block, Support

MOST_CELLS = 200_000
_BIDI = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
_LONGEST_NAME = 60
_DEEPEST = 2
"""Rows below a header that may still belong to it."""


@dataclass(frozen=True, slots=True)
class Row:
    """A row; `number` is its line in the table, as a spreadsheet counts: the header is 1."""

    cells: tuple[str, ...]
    number: int
    support: Support | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Table:
    """A table, and where it comes from."""

    title: str
    """Of its document or file."""
    section: str = ""
    header: tuple[str, ...] = ()
    rows: tuple[Row, ...] = ()
    blocks: tuple[Block, ...] = field(default=(), repr=False)
    """What the supports of the rows speak of."""
    above: str = ""
    """The text right above the table: it often tells the unit of all figures."""
    whole: bool = True
    """False: rows were left out, since there were too many."""
    rank: int = 0
    """Where its passage stands among what was found, from 0."""

    @property
    def name(self) -> str:
        """Return what people call it: the last heading above it, or its title."""
        last = self.section.rpartition(" > ")[2]
        return shown(self.title if not last or last in self.title else f"{self.title} · {last}" if self.title else last)


def shown(text: str, most: int = _LONGEST_NAME) -> str:
    """Return a cell or a name as it may be shown: one line, no control characters, not too long."""
    if text.isascii() and text.isprintable() and len(text) <= most and "  " not in text:
        return text.strip()
    plain = _BIDI.sub("", unicodedata.normalize("NFC", text))
    plain = " ".join("".join(c if c.isprintable() else " " for c in plain).split())
    return clipped(plain, most)


def tidy(table: Table) -> Table:
    """Return the table with a name for each column, once each, and every row as wide as the header."""
    rows = [row for row in table.rows if any(cell.strip() for cell in row.cells)]
    header = table.header
    if not any(header) and len(rows) > 1 and _names(rows[0].cells, [row.cells for row in rows[1:]]):
        header, rows = rows[0].cells, rows[1:]
    for _ in range(_DEEPEST):
        if len(rows) < 2 or not _goes_on(header, rows[0].cells, rows[1].cells):
            break
        header, rows = _joined(header, rows[0].cells), rows[1:]
    width = max([len(header), *(len(row.cells) for row in rows)], default=0)
    kept = MOST_CELLS // max(1, width)
    fitted = tuple(replace(row, cells=(*row.cells, *[""] * (width - len(row.cells)))) for row in rows[:kept])
    return replace(
        table, header=_once([*header, *[""] * (width - len(header))]), rows=fitted,
        whole=table.whole and len(rows) <= kept,
    )  # fmt: skip


def column_letter(index: int) -> str:
    """Return the letter of a column as spreadsheets have it, from 0."""
    letters = ""
    while index >= 0:
        index, rest = divmod(index, 26)
        letters = chr(65 + rest) + letters
        index -= 1
    return letters


def _is_figure(cell: str) -> bool:
    return numbers.read(cell) is not None


def _names(first: Sequence[str], rest: Sequence[Sequence[str]]) -> bool:
    """Tell whether a first row names the columns: it has no figures but years, and the rows below have some."""
    filled = [cell for cell in first if cell]
    if len(filled) * 2 <= len(first) or any(_is_figure(cell) and not _is_year(cell) for cell in filled):
        return False
    return any(_is_figure(cell) for cells in rest[:20] for cell in cells)


def _is_year(cell: str) -> bool:
    return periods.read(cell, years=True) is not None


def _goes_on(header: Sequence[str], row: Sequence[str], below: Sequence[str]) -> bool:
    """Tell whether a row belongs to the header: it holds units, or names what a wide name reaches over."""
    filled = [cell for cell in row if cell.strip()]
    units = [cell for cell in filled if _is_unit(cell)]
    if filled and len(units) == len(filled):
        return True
    named = [name for name in header if name]
    wide = len(named) < len(header) or len(set(named)) < len(named)
    return (
        bool(named) and wide and not any(_is_figure(cell) and not _is_year(cell) for cell in row)
        and len(filled) * 2 >= len(row) and any(_is_figure(cell) for cell in below)
    )  # fmt: skip


def _is_unit(cell: str) -> bool:
    inner = cell.strip()
    return inner[:1] in "([" and inner[-1:] in ")]" and scaled_unit(inner[1:-1]) is not None


def _joined(header: Sequence[str], row: Sequence[str]) -> tuple[str, ...]:
    out, last = [], ""
    for at in range(max(len(header), len(row))):
        above = header[at] if at < len(header) else ""
        below = row[at] if at < len(row) else ""
        last = above or (last if below and not _is_unit(below) else "")
        out.append(" ".join(dict.fromkeys(part for part in (last, below) if part)))
    return tuple(out)


def _once(header: Sequence[str]) -> tuple[str, ...]:
    """Return the names without doubles; a column without a name is called by its letter."""
    out: list[str] = []
    taken: set[str] = set()
    for at, cell in enumerate(header):
        name = shown(cell) or column_letter(at)
        if name in taken:
            name = f"{name} [{column_letter(at)}]"
        taken.add(name)
        out.append(name)
    return tuple(out)
