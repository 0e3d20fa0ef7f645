"""What stands on a PDF page, as PDFium places it: its words, and the lines that are drawn."""

import ctypes
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pypdfium2.raw as pdfium

from storage.ingest.formats.inline import is_code_font
from storage.ingest.formats.pdf_rules import Grid, Rules

_REPLACED = str.maketrans(
    {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "\u00ad": None, "\x02": "-"}
    | dict.fromkeys("\uf0a7\uf0a8\uf0b7\uf0d8\uf06c\uf06e\uf06f\uf076\uf0fc", "•")
)
"""Ligatures, the hyphen at the end of a line, which PDFium marks, and the marks of lists of Symbol and Wingdings."""
_BOLD = 600
"""Weight of a font from which on it is bold (`font-weight` of CSS: 600 is semi-bold)."""
_FORCE_BOLD = 1 << 18
_BOLD_NAMES = ("bold", "black", "heavy", "demi", "cmbx", "sfbx", "ecbx")
_FIXED_PITCH = 1
"""Flags of a font: bold, and with letters that are all as wide (ISO 32000-1, table 123)."""
_DOT = (1.5, 9.0)
"""Points that the mark of an item is wide."""
_MOST_LINKS = 1_000
_MOST_PATHS = 20_000
"""Drawn lines and areas of a page; more make a drawing."""
_DEEPEST = 4
"""Forms within forms; a broken file makes them go round."""
_STRAIGHT = (pdfium.FPDF_SEGMENT_MOVETO, pdfium.FPDF_SEGMENT_LINETO)

Box = tuple[float, float, float, float]
"""Left, low, right, high."""
Matrix = tuple[float, float, float, float, float, float]
_IDENTITY: Matrix = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Piece:
    """A word or what one command draws of it, or several of one line, with the place where it stands; in points."""

    text: str
    """With a space at its end where the page has one there."""
    x: float
    y: float
    """Of the line that it is written on."""
    size: float
    """Of its type."""
    end: float
    first: float = 0.0
    """How wide its first word is."""
    bold: bool = False
    code: bool = False
    """All of it is set as code is, in letters that are all as wide."""
    link: str = ""
    """Where its last word leads, with the bracket behind it."""
    breaks: bool = False
    """The page ends a line behind it."""


@dataclass(frozen=True, slots=True)
class Content:
    """What stands on a page."""

    pieces: Sequence[Piece] = ()
    """Its words in the order in which they are written down; code is told as such, not marked."""
    links: Sequence[tuple[Box, str]] = ()
    """Where links lead out of the file, each with its address."""
    grids: Sequence[Grid] = ()
    """The tables that its lines part."""
    dots: Sequence[tuple[float, float]] = ()
    """The middles of its dots, which may mark items of a list."""


def content_of(page: Any) -> Content:
    """Return what stands on a page (a `pypdfium2.PdfPage`)."""
    text = page.get_textpage()
    try:
        pieces = list(_words(text.raw))
    finally:
        text.close()
    grids, dots = _drawn(page)
    return Content(pieces, _links(page), grids, dots)


def _words(text: Any) -> Iterator[Piece]:
    letters: list[str] = []
    start = last = 0
    space, breaks = "", False
    drawn = None
    for at in range(pdfium.FPDFText_CountChars(text)):
        letter = _letter(pdfium.FPDFText_GetUnicode(text, at))
        if not letter.isspace():
            before, drawn = drawn, _address(pdfium.FPDFText_GetTextObject(text, at))
            if letters and (space or breaks or drawn != before):
                yield _piece(text, "".join(letters) + space, start, last, breaks)
                letters.clear()
            if not letters:
                start, space, breaks = at, "", False
            letters.append(letter)
            last = at
        elif letter in "\r\n":
            breaks = True
        elif not breaks:
            space = " "
    if letters:
        yield _piece(text, "".join(letters) + space, start, last, breaks)


def _address(drawn: Any) -> int | None:
    return ctypes.cast(drawn, ctypes.c_void_p).value


def _letter(code: int) -> str:
    return chr(code) if code and not 0xD800 <= code < 0xE000 else "\ufffd"


def _piece(text: Any, word: str, start: int, last: int, breaks: bool) -> Piece:
    x, y = ctypes.c_double(), ctypes.c_double()
    matrix, box = pdfium.FS_MATRIX(), pdfium.FS_RECTF()
    pdfium.FPDFText_GetCharOrigin(text, start, x, y)
    pdfium.FPDFText_GetMatrix(text, start, matrix)
    pdfium.FPDFText_GetLooseCharBox(text, last, box)
    size = pdfium.FPDFText_GetFontSize(text, start) * math.sqrt(abs(matrix.a * matrix.d - matrix.b * matrix.c))
    end = max(float(box.right), x.value)
    bold, code = _face(text, start)
    return Piece(
        text=word.translate(_REPLACED),
        x=x.value,
        y=y.value,
        size=round(size, 1),
        end=end,
        first=end - x.value,
        bold=bold,
        code=code,
        breaks=breaks,
    )


def _face(text: Any, at: int) -> tuple[bool, bool]:
    """Tell whether a letter is bold, and whether it is set as code is."""
    buffer, flags = ctypes.create_string_buffer(128), ctypes.c_int()
    pdfium.FPDFText_GetFontInfo(text, at, buffer, len(buffer), flags)
    name = buffer.value.decode("utf-8", "replace").lower()
    bold = pdfium.FPDFText_GetFontWeight(text, at) >= _BOLD or bool(flags.value & _FORCE_BOLD)
    bold = bold or any(each in name for each in _BOLD_NAMES)
    return bold, is_code_font(name, fixed_pitch=bool(flags.value & _FIXED_PITCH))


def _links(page: Any) -> list[tuple[Box, str]]:
    found: list[tuple[Box, str]] = []
    at, link, box = ctypes.c_int(), pdfium.FPDF_LINK(), pdfium.FS_RECTF()
    while len(found) < _MOST_LINKS and pdfium.FPDFLink_Enumerate(page.raw, at, link):
        action = pdfium.FPDFLink_GetAction(link)
        if not action or pdfium.FPDFAction_GetType(action) != pdfium.PDFACTION_URI:
            continue
        size = pdfium.FPDFAction_GetURIPath(page.pdf.raw, action, None, 0)
        address = ctypes.create_string_buffer(size)
        pdfium.FPDFAction_GetURIPath(page.pdf.raw, action, address, size)
        if pdfium.FPDFLink_GetAnnotRect(link, box):
            across, up = sorted((box.left, box.right)), sorted((box.bottom, box.top))
            found.append(((across[0], up[0], across[1], up[1]), address.value.decode("utf-8", "replace")))
    return found


def _drawn(page: Any) -> tuple[list[Grid], list[tuple[float, float]]]:
    rules, dots = Rules(), list[tuple[float, float]]()
    paths = _paths(page.raw, _IDENTITY, 0, pdfium.FPDFPage_CountObjects, pdfium.FPDFPage_GetObject)
    for number, (path, matrix) in enumerate(paths):
        if number == _MOST_PATHS:
            return [], []
        _draw(rules, path, matrix)
        dots += _dot(path)
    return rules.grids(), dots


def _paths(parent: Any, outer: Matrix, depth: int, count: Any, child: Any) -> Iterator[tuple[Any, Matrix]]:
    for at in range(count(parent)):
        found = child(parent, at)
        kind = pdfium.FPDFPageObj_GetType(found)
        if kind == pdfium.FPDF_PAGEOBJ_PATH:
            yield found, _within(_matrix(found), outer)
        elif kind == pdfium.FPDF_PAGEOBJ_FORM and depth < _DEEPEST:
            inner = _within(_matrix(found), outer)
            yield from _paths(found, inner, depth + 1, pdfium.FPDFFormObj_CountObjects, pdfium.FPDFFormObj_GetObject)


def _matrix(found: Any) -> Matrix:
    matrix = pdfium.FS_MATRIX()
    if not pdfium.FPDFPageObj_GetMatrix(found, matrix):
        return _IDENTITY
    return matrix.a, matrix.b, matrix.c, matrix.d, matrix.e, matrix.f


def _within(inner: Matrix, outer: Matrix) -> Matrix:
    a, b, c, d, e, f = inner
    left, top = _place((e, f), outer)
    return (
        a * outer[0] + b * outer[2], a * outer[1] + b * outer[3],
        c * outer[0] + d * outer[2], c * outer[1] + d * outer[3], left, top,
    )  # fmt: skip


def _place(at: tuple[float, float], matrix: Matrix) -> tuple[float, float]:
    x, y = at
    return x * matrix[0] + y * matrix[2] + matrix[4], x * matrix[1] + y * matrix[3] + matrix[5]


def _draw(rules: Rules, path: Any, matrix: Matrix) -> None:
    fill, stroke = ctypes.c_int(), ctypes.c_int()
    pdfium.FPDFPath_GetDrawMode(path, fill, stroke)
    if not (fill.value or stroke.value):
        return  # it only clips
    for shape in _shapes(path, matrix):
        if stroke.value:
            rules.stroke(shape)
        if fill.value:
            rules.fill(shape)


def _dot(path: Any) -> Iterator[tuple[float, float]]:
    """Yield the middle of a path that is as high as wide, and no larger than a letter."""
    left, low, right, high = (ctypes.c_float() for _ in range(4))
    if not pdfium.FPDFPageObj_GetBounds(path, left, low, right, high):
        return
    width, height = right.value - left.value, high.value - low.value
    if _DOT[0] <= width <= _DOT[1] and abs(width - height) < 1:
        yield (left.value + right.value) / 2, (low.value + high.value) / 2


def _shapes(path: Any, matrix: Matrix) -> Iterator[list[tuple[float, float]]]:
    """Yield the corners of the shapes that a path consists of, of those that have no curve."""
    shape: list[tuple[float, float]] = []
    is_straight = True
    x, y = ctypes.c_float(), ctypes.c_float()
    for at in range(pdfium.FPDFPath_CountSegments(path)):
        segment = pdfium.FPDFPath_GetPathSegment(path, at)
        kind = pdfium.FPDFPathSegment_GetType(segment)
        if kind == pdfium.FPDF_SEGMENT_MOVETO:
            if is_straight and len(shape) > 1:
                yield shape
            shape, is_straight = [], True
        is_straight = is_straight and kind in _STRAIGHT
        pdfium.FPDFPathSegment_GetPoint(segment, x, y)
        shape.append(_place((x.value, y.value), matrix))
        if pdfium.FPDFPathSegment_GetClose(segment):
            shape.append(shape[0])
    if is_straight and len(shape) > 1:
        yield shape
