"""The shape of a table: which rows are its header, and every cell under its column."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from agent.language.lexicon import regex

Row = Sequence[str | None]
"""None: the cell to the left reaches over this one."""

_DEEPEST = 3
"""Rows of a header."""
_YEAR_SIGN = regex("documents.year_sign")
_FIGURE = re.compile(
    rf"[-+−(]?\s?(?:[A-Z]{{3}}\s)?[$€£¥₩]?\s?\d[\d,. ]*\s?"
    rf"(?:%|{regex('documents.units_in_cells')}|[KMB]|[kmgtKMGT]?[bB])?\)?|"
    rf"\d{{1,4}}(?:[-./]|{_YEAR_SIGN})\s?\d{{1,2}}(?:[-./]|{regex('documents.month_sign')})?"
    rf"(?:\s?\d{{1,4}}(?:\.|{regex('documents.day_sign')})?)?(?:[ T]\d{{1,2}}:\d{{2}}(?::\d{{2}})?)?"
)
_YEAR = re.compile(rf"(?:FY|')?(?:19|20)\d\d(?:{regex('documents.behind_year')}|E|F)?")


@dataclass(frozen=True, slots=True)
class Grid:
    """A table without empty rows and columns, every row as wide as the others."""

    header: tuple[str, ...]
    """Empty where there is none."""
    rows: Iterator[tuple[str, ...]]
    width: int = 0


def grid_of(rows: Iterable[Row], *, header: bool | None = None) -> Grid:
    """Return the table that these rows are; where nothing tells whether there is a header, the cells do."""
    tidy = ([cell and " ".join(cell.split()) for cell in row] for row in rows)
    cells = [row for row in tidy if any(row)]
    used = sorted({at for row in cells for at, cell in enumerate(row) if cell})
    if not cells:
        return Grid((), iter(()))

    def fitted(row: Row) -> Row:
        return [row[at] if at < len(row) else "" for at in used]

    top = list(map(fitted, cells[:_DEEPEST]))
    if header is None:
        header = len(cells) > 1 and names_columns([cell or "" for cell in top[0]])
    depth = int(header)
    # A cell over several columns is explained by the row below it.
    while (
        0 < depth < min(_DEEPEST, len(cells) - 1) and None in top[depth - 1] and _explains(top[depth - 1], top[depth])
    ):
        depth += 1
    rest = (tuple(cell or "" for cell in fitted(row)) for row in islice(cells, depth, None))
    return Grid(tuple(_joined(top[:depth])) if depth else (), rest, len(used))


def line(row: Sequence[str]) -> str:
    """Return a row as a line of Markdown."""
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |"


def names_columns(row: Row) -> bool:
    """Tell whether these cells name columns: they are words, or years beside words."""
    filled = [cell for cell in row if cell]
    words = [cell for cell in filled if not _FIGURE.fullmatch(cell)]
    return (
        len(filled) * 2 > len(row)
        and bool(words)
        and all(_YEAR.fullmatch(cell) for cell in filled if cell not in words)
    )


def _explains(above: Row, row: Row) -> bool:
    """Tell whether a row names the columns under the wide cells of the row above it."""
    wide = [at for at, cell in enumerate(above) if cell is None or (at + 1 < len(above) and above[at + 1] is None)]
    under = [row[at] for at in wide]
    return all(under) and names_columns([cell or "" for cell in under])


def _joined(rows: Sequence[Row]) -> Iterator[str]:
    """Yield the name of each column, the wider one before the narrower."""
    spread = []
    for row in rows:
        names, last = [], ""
        for cell in row:
            last = last if cell is None else cell
            names.append(last)
        spread.append(names)
    for column in zip(*spread, strict=True):
        yield " ".join(dict.fromkeys(name for name in column if name))
