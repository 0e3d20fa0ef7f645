"""A table as the analysis works on it: names for all columns, rows of one width, each row's place in its source."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from agent.text import clipped
from agent.types import Block, Support

MOST_CELLS = 200_000
_BIDI = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
_LONGEST_NAME = 60


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
