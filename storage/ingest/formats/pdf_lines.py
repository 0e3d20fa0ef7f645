"""The lines that the words of a PDF page make, and what their distances tell. A PDF knows no lines and no tables."""

from bisect import insort
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from storage.ingest.formats.inline import coded, linked
from storage.ingest.formats.pdf_page import Box, Content, Piece
from storage.ingest.formats.pdf_rules import Grid

_GAP = 1.3
"""Words that are so far apart, as a share of the type's size, stand in two cells; justified text stays below."""
SAME_LINE = 0.35
"""Pieces whose heights differ by less stand on one line."""
_PARAGRAPH = 1.35
"""Times the usual distance of two lines that a paragraph keeps from the next."""
_EDGE = 0.9
"""Share of the lines of a column that end before its right edge; beyond are lines that run across several."""
_UNSURE = 0.02
"""Of the width of a column, by how much lines may end before its edge though the next word had no room."""
_MIDDLE = 0.3
"""Share of the type's size by which the middle of a piece stands above the line that it is written on."""
MARK = "`"
LETTER = 0.6
"""How wide a letter of code is, as a share of the type's size; so in Courier and most others."""
_BEHIND_LINK = ".,;:!?)"
_MOST_SPACES = 40
"""Between two words of code."""
_BEFORE = 2.5
"""How far before its item a mark stands, as a share of the type's size."""
_SPACE = 0.25
"""How wide a space is, as a share of the type's size."""
_INDENT = 0.8
"""How far inside of its column an indented line begins, as a share of the type's size."""


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
        """Where it ends."""
        return self.cells[-1].end

    @property
    def bold(self) -> bool:
        """Whether all of it is set in bold type."""
        return all(cell.bold for cell in self.cells) and bool(self.cells)

    @property
    def code(self) -> bool:
        """Whether all of it is set as code is."""
        return len(self.cells) == 1 and self.cells[0].code


def lines_of(content: Content, *, code: bool) -> list[Line]:
    """Return the lines of a page in the order in which they are written down.

    `code`: what is set in letters that are all as wide is code, between backticks; else it is text as all other.
    """
    pieces = [
        _leading(_as_code(piece) if code else replace(piece, code=False), content.links) for piece in content.pieces
    ]
    return [_item(line, content.dots) for line in _with_tables(pieces, content.grids)]


def _leading(piece: Piece, links: Sequence[tuple[Box, str]]) -> Piece:
    """Return a piece, with the address that it leads to if it stands in a link."""
    x, y = (piece.x + piece.end) / 2, piece.y + _MIDDLE * piece.size
    address = next((to for (left, low, right, high), to in links if left <= x <= right and low <= y <= high), "")
    word = piece.text.rstrip().rstrip(_BEHIND_LINK)
    shown = linked(word, address) if address else word
    if shown == word:
        return piece
    text = shown + piece.text[len(word) :]
    return replace(piece, text=text, code=False, link=shown.rpartition("](")[2])


def _item(line: Line, dots: Sequence[tuple[float, float]]) -> Line:
    """Return a line; behind a dot it is the item of a list."""
    if not line.cells or line.table or not any(_is_mark(dot, line) for dot in dots):
        return line
    first, *rest = line.cells
    return replace(line, text=f"- {line.text}", cells=(replace(first, text=f"- {first.text}"), *rest))


def _is_mark(dot: tuple[float, float], line: Line) -> bool:
    return 0 < line.left - dot[0] < _BEFORE * line.size and -0.2 * line.size < dot[1] - line.y < line.size


def _as_code(piece: Piece) -> Piece:
    if not piece.code or MARK in piece.text:
        return replace(piece, code=False)
    return replace(piece, text=coded(piece.text))


def _with_tables(pieces: Sequence[Piece], grids: Sequence[Grid]) -> Iterator[Line]:
    """Yield the lines, and in place of the pieces within a ruled table its rows, where it was begun."""
    cells: list[dict[tuple[int, int], list[Piece]]] = [{} for _ in grids]
    where = [_cell(piece, grids) for piece in pieces]
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
    cells = (grid.cell(piece.x + 1, piece.y + _MIDDLE * piece.size) for grid in grids)
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
            yield replace(line_of([Piece(text, x, y, size, end) for text, x, end in spans]), table=number)


def _lines(pieces: Iterable[Piece]) -> Iterator[Line]:
    cells: list[Piece] = []
    for piece in pieces:
        last = cells[-1] if cells else None
        if last is None:
            cells = [piece]
            continue
        size = max(last.size, piece.size)
        if abs(last.y - piece.y) > SAME_LINE * max(size, 1.0) or (last.breaks and piece.x <= last.x):
            yield line_of(cells)
            cells = [piece]
        elif piece.x - last.end > _GAP * size and not (piece.code and last.code):
            cells.append(piece)
        else:
            cells[-1] = _joined(last, piece)
    if cells:
        yield line_of(cells)


def _joined(piece: Piece, after: Piece) -> Piece:
    """Return a piece with what goes on in it."""
    gap = piece.text[len(piece.text.rstrip()) :] or (" " if piece.breaks else "")
    if piece.code and after.code and gap:
        gap = " " * max(1, min(_MOST_SPACES, round((after.x - piece.end) / (LETTER * max(piece.size, 1.0)))))
    word, more = piece.text.rstrip(), after.text
    if word.endswith(MARK) and after.code:
        word, more = word[:-1], more[1:]
    elif after.link and word.endswith(f"]({after.link}"):
        word, more = word.removesuffix(f"]({after.link}"), more[1:]
    return replace(
        piece,
        text=word + gap + more,
        size=max(piece.size, after.size),
        end=after.end,
        first=piece.first if " " in piece.text else after.end - piece.x,
        bold=piece.bold and after.bold,
        code=piece.code and after.code,
        breaks=after.breaks,
    )


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
    wanted = below.cells[0].first + _SPACE * line.size if below and below.cells else 0.0
    closes = len(line.cells) > 1 or right - line.right > wanted + _UNSURE * (right - left)
    return replace(line, closes=closes, indented=line.left - left > _INDENT * line.size)
