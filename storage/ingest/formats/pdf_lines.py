"""Where the words of a PDF page stand, and the lines that this makes of them.

A PDF knows no words and no tables; it places pieces of text. How wide a piece is must be guessed.
"""

import math
from bisect import insort
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from storage.ingest.formats.pdf_rules import Grid, Rules

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
SAME_LINE = 0.35
"""Pieces whose heights differ by less stand on one line."""
_PARAGRAPH = 1.35
"""Times the usual distance of two lines that a paragraph keeps from the next."""
_EDGE = 0.9
"""Share of the lines of a column that end before its right edge; beyond are lines that run across several."""
_UNSURE = 0.1
"""Of the width of a column, by how much the estimate of a line's end may be wrong."""
_MIDDLE = 0.3
"""Share of the type's size by which the middle of a piece stands above the line that it is written on."""
_INDENT = 0.8
"""How far inside of its column an indented line begins, as a share of the type's size."""


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
    closes: bool = False
    """It ends there on purpose: the first word of the line below would have stood on it, or it is a row."""
    indented: bool = False
    """It begins clearly inside of its column."""
    table: int = 0
    """Which of the page's ruled tables it is a row of, with a cell for each column; 0: none."""

    @property
    def left(self) -> float:
        """Where it begins."""
        return self.cells[0].x

    @property
    def right(self) -> float:
        """Where it ends, by estimate."""
        return self.cells[-1].end


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

    rules = Rules()
    text = page.extract_text(visitor_text=visit, visitor_operand_before=rules.visit)
    if "".join(told) != text:
        return [Line(line) for line in text.translate(_LIGATURES).split("\n")]
    return list(_with_tables(pieces, rules.grids()))


def _with_tables(pieces: Sequence[Piece], grids: Sequence[Grid]) -> Iterator[Line]:
    """Yield the lines, and in place of the pieces within a ruled table its rows, where it was begun."""
    cells: list[dict[tuple[int, int], list[Piece]]] = [{} for _ in grids]
    where: list[tuple[int, tuple[int, int]] | None] = []
    for piece in pieces:  # white space belongs to what it follows
        where.append(_cell(piece, grids) if piece.text.strip() else where[-1] if where else None)
    for piece, place in zip(pieces, where, strict=True):
        if place:
            cells[place[0]].setdefault(place[1], []).append(piece)
    tables = {n for n, held in enumerate(cells) if all(len({place[axis] for place in held}) > 1 for axis in (0, 1))}
    loose: list[Piece] = []
    told: set[int] = set()
    for piece, place in zip(pieces, where, strict=True):
        if place is None or place[0] not in tables:
            loose.append(piece)
        elif place[0] not in told:
            yield from _lines(loose)
            loose.clear()
            yield from _rows(grids[place[0]], cells[place[0]], place[0] + 1)
            told.add(place[0])
    yield from _lines(loose)


def _cell(piece: Piece, grids: Sequence[Grid]) -> tuple[int, tuple[int, int]] | None:
    """Return in which ruled table a piece stands, and in which cell; None where it stands in none."""
    lead = Piece(piece.text[: len(piece.text) - len(piece.text.lstrip())], 0.0, 0.0, piece.size).end
    cells = (grid.cell(piece.x + lead + 1, piece.y + _MIDDLE * piece.size) for grid in grids)
    return next(((n, cell) for n, cell in enumerate(cells) if cell), None)


def _rows(grid: Grid, held: Mapping[tuple[int, int], Sequence[Piece]], number: int) -> Iterator[Line]:
    """Yield the rows of a ruled table, each with all its cells; what reaches over several rows is told in each."""
    above: list[str] = []
    size = max(piece.size for pieces in held.values() for piece in pieces)
    for row in range(len(grid.rows) - 1):
        texts = ["\n".join(line.text.strip() for line in _lines(held.get((row, column), ())))
                 for column in range(len(grid.columns) - 1)]  # fmt: skip
        if above:
            texts = [text or (before if grid.goes_on(row, n) else "")
                     for n, (text, before) in enumerate(zip(texts, above, strict=True))]  # fmt: skip
        above = texts
        if any(texts):
            y = grid.rows[len(grid.rows) - 1 - row]
            spans = zip(texts, grid.columns, grid.columns[1:], strict=False)
            yield replace(line_of([Stretched(text, x, y, size, end) for text, x, end in spans]), table=number)


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
            elif abs(last.y - fresh.y) > SAME_LINE * max(last.size, fresh.size, 1.0) or number > 0:
                yield line_of(cells)
                cells = [fresh]
            elif fresh.x - last.end > (_BROKEN_GAP if broken else _GAP) * max(last.size, fresh.size):
                cells.append(fresh)
            elif broken and fresh.x <= last.x:
                yield line_of(cells)
                cells = [fresh]
            else:
                cells[-1] = _longer(last, f" {part}" if broken and not part.startswith(" ") else part, fresh)
            broken = False
    if cells:
        yield line_of(cells)


def _longer(piece: Piece, more: str, by: Piece | None = None) -> Piece:
    """Return a piece with another one behind it; it begins so that it ends where that one does."""
    text = piece.text + more
    size = max(piece.size, by.size) if by else piece.size
    whole = Piece(text, piece.x, piece.y, size)
    if by is None:
        return whole
    return Stretched(text, piece.x, piece.y, size, by.end)


@dataclass(frozen=True, slots=True)
class Stretched(Piece):
    """A piece made of several, whose last one tells where it ends."""

    stop: float = 0.0

    @property
    def end(self) -> float:
        """Where it ends."""
        return self.stop


def line_of(cells: Sequence[Piece]) -> Line:
    """Return the line that some pieces make, one cell each."""
    text = " ".join(" ".join(cell.text.split("\n")).strip() for cell in cells) + " " * cells[-1].text[-1:].isspace()
    return Line(text, max(cell.size for cell in cells), tuple(cells), cells[0].y)


def marked(lines: Iterable[Line]) -> list[Line]:
    """Return the lines with what their distances tell: which open a paragraph or close one, which are indented."""
    return _closed(_spaced(list(lines)))


def _spaced(found: Sequence[Line]) -> list[Line]:
    gaps = [above.y - line.y for above, line in pairwise(found) if above.size == line.size]
    steps = sorted(gap for gap in gaps if gap > 0)
    usual = steps[len(steps) // 4] if steps else 0.0
    out = list(found[:1])
    for above, line in pairwise(found):
        opens = bool(usual) and above.y - line.y > _PARAGRAPH * max(usual, line.size)
        out.append(replace(line, opens=opens))
    return out


def _closed(lines: Sequence[Line]) -> list[Line]:
    """Return the lines, those marked that end on purpose, and those that are indented."""
    columns: list[tuple[list[Line], list[float]]] = []
    for line in sorted((line for line in lines if line.cells), key=lambda line: line.left):
        if not columns or line.left >= _edge(columns[-1][1]):
            columns.append(([], []))
        columns[-1][0].append(line)
        insort(columns[-1][1], line.right)
    spans = {id(line): (mine[len(mine) // 10].left, _edge(ends)) for mine, ends in columns for line in mine}
    return [
        _measured(line, below, *spans[id(line)]) if line.cells else line
        for line, below in zip(lines, [*lines[1:], None], strict=False)
    ]


def _edge(ends: Sequence[float]) -> float:
    """Return where the lines of a column end, by where each of them does, in order."""
    return ends[min(len(ends) - 1, int(_EDGE * len(ends)))]


def _measured(line: Line, below: Line | None, left: float, right: float) -> Line:
    first = below.text.split()[:1] if below else []
    wanted = Piece(f" {first[0]}", 0.0, 0.0, line.size).end if first else 0.0
    closes = len(line.cells) > 1 or right - line.right > wanted + _UNSURE * (right - left)
    return replace(line, closes=closes, indented=line.left - left > _INDENT * line.size)
