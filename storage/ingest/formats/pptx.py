"""PPTX: a slide is a page; its title, texts, tables, charts, pictures and notes in reading order."""

import io
from collections.abc import Iterator
from itertools import groupby
from typing import Any

from lxml import etree
from pptx import Presentation
from pptx.enum.shapes import PP_PLACEHOLDER
from pptx.oxml.ns import qn
from pptx.shapes.group import GroupShape

from agent.errors import RefusedFileError
from agent.types import Category
from storage.ingest.formats import office
from storage.ingest.formats.figures import described
from storage.ingest.formats.grid import Row
from storage.ingest.formats.inline import linked
from storage.ingest.formats.writer import Writer
from storage.ingest.parsed import Extracted, Limits

_RUNNING = frozenset({PP_PLACEHOLDER.SLIDE_NUMBER, PP_PLACEHOLDER.FOOTER, PP_PLACEHOLDER.DATE, PP_PLACEHOLDER.HEADER})
_BODY = frozenset({PP_PLACEHOLDER.BODY, PP_PLACEHOLDER.OBJECT, PP_PLACEHOLDER.VERTICAL_BODY})
_BAND = 250_000
"""Shapes whose upper edges differ by less (a quarter of an inch, in EMU) stand side by side."""
_DEEPEST = 50
_INK = qn("p:contentPart")
_DIAGRAM = "http://schemas.openxmlformats.org/drawingml/2006/diagram"


def extract(data: bytes, limits: Limits) -> Extracted:
    """Return what is on the slides."""
    office.check(data, limits)
    deck = Presentation(io.BytesIO(data))
    count = len(deck.slides)
    if count > limits.pages:
        raise RefusedFileError(f"it has {count:,} slides; the limit is {limits.pages:,}")
    writer = Writer()
    for number, slide in enumerate(deck.slides, start=1):
        _Slide(writer, slide, number).write()
    properties = deck.core_properties
    return Extracted(
        text=writer.text,
        elements=writer.elements,
        title=office.title_of(properties),
        date=office.day_of(data),
        metadata={"slides": count},
    )


class _Slide:
    """Writes down one slide."""

    def __init__(self, writer: Writer, slide: Any, number: int) -> None:
        self._writer = writer
        self._slide = slide
        self._number = number

    def write(self) -> None:
        """Write its title, what is on it from above to below, and its notes."""
        title = self._slide.shapes.title
        words = " ".join(title.text_frame.text.split()) if title is not None else ""
        if words:
            self._add(Category.HEADING, words, level=1)
        else:
            self._writer.end_section(1)
        for shape in _in_order(self._slide.shapes):
            if title is None or shape.shape_id != title.shape_id:
                self._shape(shape)
        if self._slide.has_notes_slide and (frame := self._slide.notes_slide.notes_text_frame) is not None:
            self._add(Category.PARAGRAPH, *_lines(frame.text))

    def _add(self, category: Category, *parts: str, level: int = 0) -> None:
        self._writer.add(category, *parts, level=level, page=self._number)

    def _shape(self, shape: Any, depth: int = 0) -> None:
        if shape.is_placeholder and shape.placeholder_format.type in _RUNNING:
            return
        if isinstance(shape, GroupShape):
            if depth < _DEEPEST:
                for each in _in_order(shape.shapes):
                    self._shape(each, depth + 1)
        elif getattr(shape, "has_table", False):
            self._writer.add_table(list(_rows(shape.table)), header=shape.table.first_row or None, page=self._number)
        elif getattr(shape, "has_chart", False):
            self._chart(shape.chart._chartSpace)
        elif shape.has_text_frame:
            self._text(shape)
        else:
            self._diagram(shape)
        name = shape._element._nvXxPr.cNvPr
        if alt := described(name.get("descr")):
            self._add(Category.FIGURE, alt)

    def _text(self, shape: Any) -> None:
        body = shape.is_placeholder and shape.placeholder_format.type in _BODY
        paragraphs = [each for each in shape.text_frame.paragraphs if each.text.strip()]
        items: list[str] = []
        numbers: dict[int, int] = {}
        for paragraph in paragraphs:
            mark = _mark(paragraph, numbers, usual="- " if body and len(paragraphs) > 1 else "")
            lines = _lines(_told(paragraph))
            if mark:
                items.append("  " * paragraph.level + mark + " ".join(lines))
                continue
            self._add(Category.LIST, *items)
            items.clear()
            self._add(Category.PARAGRAPH, *lines)
        self._add(Category.LIST, *items)

    def _chart(self, chart: Any) -> None:
        title = chart.find(f"{qn('c:chart')}/{qn('c:title')}")
        if title is not None:
            self._add(Category.PARAGRAPH, "".join(node.text or "" for node in title.iter(qn("a:t"))))
        columns: list[tuple[str, dict[str, str]]] = []
        names: dict[str, str] = {}
        for series in chart.iter(qn("c:ser")):
            told = series.find(qn("c:tx"))
            name = " ".join(_points(told).values()) if told is not None else ""
            for tag in ("c:cat", "c:xVal"):
                names = names or _points(series.find(qn(tag)))
            values = _points(series.find(qn("c:val"))) or _points(series.find(qn("c:yVal")))
            columns.append((name, values))
        places = dict.fromkeys((*names, *(place for _, values in columns for place in values)))
        rows: list[Row] = [["", *(name for name, _ in columns)]]
        rows += [[names.get(place, place), *(values.get(place, "") for _, values in columns)] for place in places]
        if columns:
            self._writer.add_table(rows, header=True, page=self._number)

    def _diagram(self, shape: Any) -> None:
        """Write the words of SmartArt, which lie in a part of their own."""
        relation = next(shape._element.iter(f"{{{_DIAGRAM}}}relIds"), None)
        if relation is None:
            return
        part = self._slide.part.related_part(relation.get(qn("r:dm")))
        try:
            root = office.xml(part.blob)
        except etree.XMLSyntaxError:
            return  # the slide itself can be read
        texts = ("".join(node.text or "" for node in words.iter(qn("a:t"))) for words in root.iter(qn("a:p")))
        self._add(Category.LIST, *(f"- {text}" for text in texts if text.strip()))


def _in_order(shapes: Any) -> list[Any]:
    """Return shapes as one reads them; those without a place of their own keep theirs."""
    known = (shape for shape in shapes if shape._element.tag != _INK)
    return sorted(known, key=lambda shape: ((shape.top or 0) // _BAND, shape.left or 0))


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.replace("\v", "\n").split("\n") if line.strip()]


def _mark(paragraph: Any, numbers: dict[int, int], *, usual: str) -> str:
    """Return what stands before a list item; nothing for a paragraph."""
    properties, level = paragraph._p.pPr, paragraph.level
    for deeper in [each for each in numbers if each > level]:
        del numbers[deeper]
    if properties is not None:
        if properties.find(qn("a:buAutoNum")) is not None:
            numbers[level] = numbers.get(level, 0) + 1
            return f"{numbers[level]}. "
        if properties.find(qn("a:buNone")) is not None:
            return ""
        if properties.find(qn("a:buChar")) is not None:
            return "- "
    return usual


def _rows(table: Any) -> Iterator[Row]:
    """Yield the rows; what reaches over several rows is told in each."""
    above: list[str | None] = []
    for row in table.rows:
        cells: list[str | None] = []
        for at, cell in enumerate(row.cells):
            if cell._tc.hMerge:
                cells.append(None)
            elif cell._tc.vMerge and at < len(above):
                cells.append(above[at])
            else:
                cells.append(" ".join(_lines("\n".join(map(_told, cell.text_frame.paragraphs)))))
        above = cells
        yield cells


def _told(paragraph: Any) -> str:
    """Return the text of a paragraph, its links with their addresses."""
    addresses = {run._r: address for run in paragraph.runs if (address := run.hyperlink.address)}
    if not addresses:
        return str(paragraph.text)
    parts = [(addresses.get(node, ""), "\v" if node.tag == qn("a:br") else node.findtext(qn("a:t")) or "")
             for node in paragraph._p]  # fmt: skip
    return "".join(linked("".join(text for _, text in run), address) for address, run in groupby(parts, lambda p: p[0]))


def _points(parent: Any) -> dict[str, str]:
    """Return the values below a part of a series, by their places."""
    if parent is None:
        return {}
    points = [(point.get("idx", ""), point.findtext(qn("c:v")) or "") for point in parent.iter(qn("c:pt"))]
    if not points and (text := parent.findtext(qn("c:v"))):
        return {"": text}
    return dict(points)
