"""Lines of a PDF page that are the rows of a table, or columns of text."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from storage.ingest.formats.pdf_lines import SAME_LINE, Line, line_of
from storage.ingest.formats.pdf_page import Piece

_NEXT = 2.0
"""How far below a line of a cell its next one stands at most, as a share of the type's size."""
_PROSE = 25
"""Characters of a cell on average, from which two columns of cells are two columns of text."""
_COLUMN = 6
"""Lines that such columns have at least."""


@dataclass(frozen=True, slots=True)
class Table:
    """Lines that are the rows of a table."""

    rows: tuple[tuple[str, ...], ...]
    """Their cells, each with its lines."""


def parts_of(lines: Sequence[Line]) -> Iterator[Line | Table]:
    """Yield the lines, runs of rows as tables, and columns of text that were written line by line one after another."""
    at = 0
    while at < len(lines):
        run = at
        while run < len(lines) and len(lines[run].cells) > 1 and lines[run].table == lines[at].table:
            run += 1
        rows = lines[at:run]
        if rows and rows[0].table:
            yield Table(tuple(tuple(cell.text for cell in row.cells) for row in rows))
            at = run
            continue
        if len(rows) > 1 and (columns := _columns(rows)):
            yield from _as_text(rows, columns) if _is_prose(rows, columns) else [_table(rows, columns)]
            at = run
        else:
            yield lines[at]
            at += 1


def in_rows(lines: Iterable[Line]) -> Iterator[Line]:
    """Yield the lines; cells that were written one after the other, each with all of its lines, as one row."""
    row: list[list[Line]] = []
    for line in lines:
        if len(line.cells) == 1 and row and _is_beside(line, row[-1]):
            row.append([line])
        elif len(line.cells) == 1 and row and _is_below(line, row):
            row[-1].append(line)
        else:
            yield from _row(row)
            row = [[line]]
    yield from _row(row)


def _is_beside(line: Line, cell: Sequence[Line]) -> bool:
    """Tell whether a line begins the cell to the right: it stands higher than what was written last."""
    above = line.y > cell[-1].y + SAME_LINE * line.size
    return above and len(cell) < _COLUMN and all(each.cells and each.right <= line.left for each in cell)


def _is_below(line: Line, row: Sequence[Sequence[Line]]) -> bool:
    """Tell whether a line goes on in the last cell of a row."""
    last = row[-1][-1]
    if not last.cells or not 0 < last.y - line.y < _NEXT * line.size:
        return False
    if len(row) > 1:
        return all(each.right <= line.left for each in row[-2])
    return abs(line.left - last.left) < SAME_LINE * line.size


def _row(cells: Sequence[Sequence[Line]]) -> Iterator[Line]:
    if len(cells) < 2:
        yield from (line for cell in cells for line in cell)
        return
    pieces = []
    for cell in cells:
        text, right = "\n".join(line.text for line in cell), max(line.right for line in cell)
        pieces.append(Piece(text, cell[0].left, cell[0].y, cell[0].size, right))
    yield replace(line_of(pieces), y=max(piece.y for piece in pieces))


def _columns(rows: Sequence[Line]) -> list[tuple[float, float]]:
    """Return the columns that the cells of these rows stand in; none where a row has two cells in one of them."""
    spans = sorted((cell.x, max(cell.end, cell.x + 1)) for row in rows for cell in row.cells)
    columns: list[tuple[float, float]] = []
    for start, end in spans:
        if columns and start < columns[-1][1]:
            columns[-1] = columns[-1][0], max(columns[-1][1], end)
        else:
            columns.append((start, end))
    if len(columns) < 2 or any(len({_place(cell, columns) for cell in row.cells}) < len(row.cells) for row in rows):
        return []
    return columns


def _place(cell: Piece, columns: Sequence[tuple[float, float]]) -> int:
    return next(at for at, (start, end) in enumerate(columns) if start <= cell.x < end)


def _is_prose(rows: Sequence[Line], columns: Sequence[object]) -> bool:
    cells = [cell.text for row in rows for cell in row.cells]
    if any("\n" in cell for cell in cells):
        return False
    return len(columns) == 2 and len(rows) >= _COLUMN and sum(map(len, cells)) > _PROSE * len(cells)


def _as_text(rows: Sequence[Line], columns: Sequence[tuple[float, float]]) -> Iterator[Line]:
    """Yield the lines of one column after the other."""
    for number in range(len(columns)):
        for at, row in enumerate(rows):
            for cell in row.cells:
                if _place(cell, columns) == number:
                    line = line_of([cell])
                    yield replace(line, opens=row.opens or (at == 0 and number > 0))


def _table(rows: Sequence[Line], columns: Sequence[tuple[float, float]]) -> Table:
    lines = []
    for row in rows:
        cells = [""] * len(columns)
        for cell in row.cells:
            cells[_place(cell, columns)] = cell.text.strip()
        lines.append(tuple(cells))
    return Table(tuple(lines))
