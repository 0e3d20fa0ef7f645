"""PDF: the text of every page; a line set in larger type is a heading."""

import io
import logging
import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pypdf import PdfReader
from pypdf.errors import DependencyError, FileNotDecryptedError, PdfReadError

from agent.errors import RefusedFileError
from agent.types import Category
from storage.ingest.formats.writer import Writer, clean
from storage.ingest.parsed import Extracted

# pypdf remarks on every oddity of a file; what matters comes as an exception.
logging.getLogger("pypdf").setLevel(logging.CRITICAL)

_ENCRYPTED = "it is encrypted; save it without a password and try again"
_LARGER = 1.15
"""How much larger than the body's type a heading is set."""
_LONGEST_HEADING = 120
_PAGE = "\f"
"""Stands for the page number where lines of several pages are compared."""


@dataclass(frozen=True, slots=True)
class _Line:
    text: str
    size: float


def extract(data: bytes) -> Extracted:
    """Return the paragraphs and headings of every page."""
    try:
        reader = PdfReader(io.BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            raise RefusedFileError(_ENCRYPTED)
        pages = [_lines(page) for page in reader.pages]
        title = clean(reader.metadata.title or "") if reader.metadata else ""
    except (FileNotDecryptedError, DependencyError) as error:
        raise RefusedFileError(_ENCRYPTED) from error
    except PdfReadError as error:
        raise RefusedFileError("it is no PDF, or its end is missing; open it in a viewer and save it anew") from error
    if not any(line.text.strip() for page in pages for line in page):
        raise RefusedFileError(f"it has no text (pages: {len(pages)}; scanned pictures?); run a text recognition on it")
    writer = Writer()
    body = _body_size(pages)
    levels = _levels(pages, body)
    for number, page in enumerate(_without_running_lines(pages, body), start=1):
        _write(writer, page, levels, number)
    return Extracted(
        text=writer.text, elements=writer.elements, title=" ".join(title.split()), metadata={"pages": len(pages)}
    )


def _lines(page: Any) -> list[_Line]:
    """Return the lines of a page, each with the size of its type; 0 where it cannot be told."""
    pieces: list[tuple[str, float]] = []

    def visit(text: str, cm: Sequence[float], tm: Sequence[float], _font: object, size: float | None) -> None:
        if text:
            scale = math.sqrt(abs(tm[0] * tm[3] - tm[1] * tm[2]) * abs(cm[0] * cm[3] - cm[1] * cm[2]))
            pieces.append((text, round((size or 0.0) * scale, 1)))

    text = page.extract_text(visitor_text=visit)
    if "".join(piece for piece, _ in pieces) != text:
        return [_Line(line, 0.0) for line in text.split("\n")]
    lines: list[_Line] = []
    parts: list[str] = []
    size = 0.0
    for piece, piece_size in pieces:
        for number, part in enumerate(piece.split("\n")):
            if number:
                lines.append(_Line("".join(parts), size))
                parts, size = [], 0.0
            if part.strip():
                size = max(size, piece_size)
            parts.append(part)
    lines.append(_Line("".join(parts), size))
    return lines


def _body_size(pages: Sequence[Sequence[_Line]]) -> float:
    """Return the size that most of the text is set in."""
    sizes: Counter[float] = Counter()
    for page in pages:
        for line in page:
            sizes[line.size] += len(line.text.strip())
    return max(sizes, key=lambda size: sizes[size])


def _levels(pages: Sequence[Sequence[_Line]], body: float) -> dict[float, int]:
    """Return the heading level of each size that is larger than the body's, the largest first."""
    sizes = {line.size for page in pages for line in page if line.text.strip()}
    larger = sorted((size for size in sizes if size > body * _LARGER and body), reverse=True)
    return {size: min(level, 6) for level, size in enumerate(larger, start=1)}


def _without_running_lines(pages: Sequence[Sequence[_Line]], body: float) -> Iterator[Sequence[_Line]]:
    """Yield the pages without the first or last line that most of them share, page numbers apart.

    At the top its first appearance stays if it is no page number: it may be the title.
    """
    edges = [
        {at: _form(page[at].text, number) for at in _edge(page) if page[at].size <= body}
        for number, page in enumerate(pages, start=1)
    ]
    seen = Counter(form for edge in edges for form in set(edge.values()))
    running = {form for form, count in seen.items() if count > 1 and count * 2 > len(pages)}
    told: set[str] = set()
    for page, edge in zip(pages, edges, strict=True):
        top = _edge(page)[:1]
        kept = {at for at, form in edge.items() if form not in running}
        kept.update(at for at in top if at in edge and _PAGE not in edge[at] and edge[at] not in told)
        told.update(edge.values())
        yield [line for at, line in enumerate(page) if at not in edge or at in kept]


def _edge(page: Sequence[_Line]) -> list[int]:
    """Return where the first and the last line of a page are."""
    filled = [at for at, line in enumerate(page) if line.text.strip()]
    return [*filled[:1], *filled[1:][-1:]]


def _form(text: str, page: int) -> str:
    return re.sub(rf"(?<!\d){page}(?!\d)", _PAGE, " ".join(text.split()), count=1)


def _write(writer: Writer, page: Sequence[_Line], levels: dict[float, int], number: int) -> None:
    paragraph: list[str] = []

    def end() -> None:
        if paragraph:
            writer.add(Category.PARAGRAPH, "\n".join(paragraph), page=number)
            paragraph.clear()

    for line in page:
        level = levels.get(line.size)
        if not line.text.strip():
            end()
        elif level and len(line.text) <= _LONGEST_HEADING and any(map(str.isalpha, line.text)):
            end()
            writer.add(Category.HEADING, line.text, level=level, page=number)
        else:
            paragraph.append(line.text.rstrip())
    end()
