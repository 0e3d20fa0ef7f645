"""Where the words of a PDF page stand, and what that makes of them: lines, rows of a table, columns of text.

A PDF knows no words and no tables; it places pieces of text. How wide a piece is must be guessed.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

_LIGATURES = str.maketrans({"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "\u00ad": None, "\u00a0": " "})
# Of a character, as a share of its type's size: about as in Helvetica, the widest of the usual faces.
_WIDTHS = (
    dict.fromkeys(" iljtfrI.,:;'|!()[]/-", 0.28)
    | dict.fromkeys("abcdeghknopqsuvxyz0123456789", 0.53)
    | dict.fromkeys("ABCDEFGHJKLNOPQRSTUVXYZ", 0.69)
    | dict.fromkeys("mwMW%@", 0.85)
)
_WIDE = 0.95
"""Of Hangul and Chinese characters."""
_GAP = 1.3
"""Spaces at least so wide, as a share of the type's size, part two cells; justified text stays below."""
_BROKEN_GAP = 0.3
"""The same where the file itself ended a line between them."""
_SAME_LINE = 0.35
"""Pieces whose heights differ by less stand on one line."""
_PARAGRAPH = 1.35
"""Times the usual distance of two lines that a paragraph keeps from the next."""
_PROSE = 25
"""Characters of a cell on average, from which two columns of cells are two columns of text."""
_COLUMN = 6
"""Lines that such columns have at least."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of text with the place where it begins."""

    text: str
    x: float
    y: float
    size: float
    """Of its type; 0 where it cannot be told."""

    @property
    def end(self) -> float:
        """Where it ends, by estimate."""
        return self.x + self.size * sum(_WIDTHS.get(each, _WIDE if each > "ᄀ" else 0.55) for each in self.text)


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text, or a row of a table."""

    text: str
    """With a space at its end where the page has one there."""
    size: float = 0.0
    cells: tuple[Piece, ...] = ()
    """More than one where wide gaps part them."""
    y: float = 0.0
    opens: bool = False
    """It keeps a distance from the line above, as a new paragraph does."""


@dataclass(frozen=True, slots=True)
class Table:
    """Lines that are the rows of a table."""

    rows: tuple[tuple[str, ...], ...]


def lines_of(page: Any) -> list[Line]:
    """Return the lines of a page in the order in which they are written down."""
    pieces: list[Piece] = []
    told: list[str] = []

    def visit(text: str, cm: Sequence[float], tm: Sequence[float], _font: object, size: float | None) -> None:
        told.append(text)
        if not text:
            return
        scale = math.sqrt(abs(tm[0] * tm[3] - tm[1] * tm[2]) * abs(cm[0] * cm[3] - cm[1] * cm[2]))
        x, y = tm[4] * cm[0] + tm[5] * cm[2] + cm[4], tm[4] * cm[1] + tm[5] * cm[3] + cm[5]
        pieces.append(Piece(text.translate(_LIGATURES), x, y, round((size or 0.0) * scale, 1)))

    text = page.extract_text(visitor_text=visit)
    if "".join(told) != text:
        return [Line(line) for line in text.translate(_LIGATURES).split("\n")]
    return _spaced(_lines(pieces))


def parts_of(lines: Sequence[Line]) -> Iterator[Line | Table]:
    """Yield the lines, runs of rows as tables, and columns of text that were written line by line one after another."""
    at = 0
    while at < len(lines):
        run = at
        while run < len(lines) and len(lines[run].cells) > 1:
            run += 1
        rows = lines[at:run]
        if len(rows) > 1 and (columns := _columns(rows)):
            yield from _as_text(rows, columns) if _is_prose(rows, columns) else [_table(rows, columns)]
            at = run
        else:
            yield lines[at]
            at += 1


def _lines(pieces: Iterable[Piece]) -> Iterator[Line]:
    cells: list[Piece] = []
    broken = False
    for piece in pieces:
        for number, part in enumerate(piece.text.split("\n")):
            broken = broken or number > 0
            if not part.strip():
                if cells and part and not broken:
                    cells[-1] = _longer(cells[-1], part)
                continue
            fresh = Piece(part, piece.x, piece.y, piece.size)
            last = cells[-1] if cells else None
            if last is None:
                cells = [fresh]
            elif abs(last.y - fresh.y) > _SAME_LINE * max(last.size, fresh.size, 1.0) or number > 0:
                yield _line(cells)
                cells = [fresh]
            elif fresh.x - last.end > (_BROKEN_GAP if broken else _GAP) * max(last.size, fresh.size):
                cells.append(fresh)
            elif broken and fresh.x <= last.x:
                yield _line(cells)
                cells = [fresh]
            else:
                cells[-1] = _longer(last, f" {part}" if broken and not part.startswith(" ") else part, fresh)
            broken = False
    if cells:
        yield _line(cells)


def _longer(piece: Piece, more: str, by: Piece | None = None) -> Piece:
    """Return a piece with another one behind it; it begins so that it ends where that one does."""
    text = piece.text + more
    size = max(piece.size, by.size) if by else piece.size
    whole = Piece(text, piece.x, piece.y, size)
    if by is None:
        return whole
    return _Stretched(text, piece.x, piece.y, size, by.end)


@dataclass(frozen=True, slots=True)
class _Stretched(Piece):
    """A piece made of several, whose last one tells where it ends."""

    stop: float = 0.0

    @property
    def end(self) -> float:
        return self.stop


def _line(cells: Sequence[Piece]) -> Line:
    text = " ".join(cell.text.strip() for cell in cells) + " " * cells[-1].text[-1:].isspace()
    return Line(text, max(cell.size for cell in cells), tuple(cells), cells[0].y)


def _spaced(lines: Iterator[Line]) -> list[Line]:
    """Return the lines, those marked that keep a distance from the one above."""
    found = list(lines)
    gaps = [above.y - line.y for above, line in pairwise(found) if above.size == line.size]
    steps = sorted(gap for gap in gaps if gap > 0)
    usual = steps[len(steps) // 4] if steps else 0.0
    out = found[:1]
    for above, line in pairwise(found):
        opens = bool(usual) and above.y - line.y > _PARAGRAPH * max(usual, line.size)
        out.append(Line(line.text, line.size, line.cells, line.y, opens))
    return out


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
    return len(columns) == 2 and len(rows) >= _COLUMN and sum(map(len, cells)) > _PROSE * len(cells)


def _as_text(rows: Sequence[Line], columns: Sequence[tuple[float, float]]) -> Iterator[Line]:
    for number in range(len(columns)):
        for at, row in enumerate(rows):
            for cell in row.cells:
                if _place(cell, columns) == number:
                    line = _line([cell])
                    yield replace(line, opens=row.opens or (at == 0 and number > 0))


def _table(rows: Sequence[Line], columns: Sequence[tuple[float, float]]) -> Table:
    lines = []
    for row in rows:
        cells = [""] * len(columns)
        for cell in row.cells:
            cells[_place(cell, columns)] = cell.text.strip()
        lines.append(tuple(cells))
    return Table(tuple(lines))
