"""DOCX: headings by their style, paragraphs, lists, tables, pictures and notes in the order of the document."""

import io
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import docx
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.oxml.ns import qn
from docx.text.paragraph import Paragraph
from lxml import etree

from agent.errors import RefusedFileError
from agent.types import Category
from storage.ingest.formats import office
from storage.ingest.formats.docx_lists import Numbering
from storage.ingest.formats.figures import described
from storage.ingest.formats.grid import Row
from storage.ingest.formats.inline import coded, is_code_font, linked
from storage.ingest.formats.writer import Writer, fenced
from storage.ingest.parsed import NO_TEXT, Extracted, Limits
from storage.ingest.titles import BELOW, is_title

_HEADING = re.compile(r"heading (\d)", re.IGNORECASE)
_SPACES = {qn("w:tab"): "\t", qn("w:br"): "\n", qn("w:cr"): "\n", qn("w:noBreakHyphen"): "-"}
_PARAGRAPH, _TABLE, _TEXT = qn("w:p"), qn("w:tbl"), qn("w:t")
_LINK, _FIELD, _INSTRUCTION = qn("w:hyperlink"), qn("w:fldChar"), qn("w:instrText")
_SIMPLE_FIELD, _RUN = qn("w:fldSimple"), qn("w:r")
_CODE = "`"
"""Stands for an address where a run is code."""
_TWO_CODES = re.compile(r"(?<=[^`])`(\s?)`(?=[^`])")
"""Between two runs of one piece of code."""
_CODE_STYLE = re.compile(r"verbatim|source ?code|html ?code|preformatted", re.IGNORECASE)
"""Styles of code: pandoc's, Word's and LibreOffice's."""
_ADDRESS = re.compile(r"\s*HYPERLINK\s+\"([^\"]+)\"")
"""A field that is a link (ECMA-376, 17.16.5.25)."""
_CONTAINERS = frozenset({qn("w:sdt"), qn("w:sdtContent"), qn("w:customXml"), qn("w:ins"), qn("w:moveTo")})
# What was deleted or moved away, and the second copy of a text box for old versions of Word.
_DROPPED = frozenset(
    {qn("w:del"), qn("w:moveFrom"), "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"}
)
_NOTES = {
    qn("w:footnoteReference"): RELATIONSHIP_TYPE.FOOTNOTES,
    qn("w:endnoteReference"): RELATIONSHIP_TYPE.ENDNOTES,
}
_CONTENTS = re.compile(r"toc \d|table of figures", re.IGNORECASE)
_MOST_COLUMNS = 1_000
_DEEPEST_STYLE = 20
"""Styles that a style may rest on, one on another; a broken file makes them go round."""
_DEEPEST = 6
"""Levels of an outline; Word has nine, and the last are for other things."""


def extract(data: bytes, limits: Limits) -> Extracted:
    """Return what a Word document holds."""
    office.check(data, limits)
    document = docx.Document(io.BytesIO(data))
    writer = Writer()
    _Body(writer, document).write()
    if not writer.elements:
        raise RefusedFileError(NO_TEXT)
    properties = document.core_properties
    return Extracted(
        text=writer.text,
        elements=writer.elements,
        title=office.title_of(properties),
        date=office.day_of(data),
    )


@dataclass(frozen=True, slots=True)
class _Marks:
    """What is marked in the text of a document."""

    links: Mapping[str, str]
    """Addresses by the names of their relations."""
    code: bool
    """What is set as code is; not where most of the text is set so."""


def _marks_of(document: Any) -> _Marks:
    links = {
        name: relation.target_ref
        for name, relation in document.part.rels.items()
        if relation.is_external and relation.reltype == RELATIONSHIP_TYPE.HYPERLINK
    }
    letters: Counter[bool] = Counter()
    for run in document.element.body.iter(_RUN):
        letters[_is_code(run)] += len(_text(run))
    return _Marks(links, 2 * letters[True] < letters.total())


class _Body:
    """Writes down the body of a document."""

    def __init__(self, writer: Writer, document: Any) -> None:
        self._writer = writer
        self._document = document
        self._numbering = Numbering(document)
        self._marks = _marks_of(document)
        self._notes = {tag: _notes(document, kind) for tag, kind in _NOTES.items()}
        self._items: list[str] = []
        self._code: list[str] = []

    def write(self) -> None:
        """Write it block by block."""
        for block in _blocks(self._document.element.body):
            if block.tag == _TABLE:
                self._end()
                header = _header(block)
                self._writer.add_table(_rows(block, self._marks), header=header)
                self._about(block)
            else:
                self._paragraph(block)
        self._end()

    def _paragraph(self, block: Any) -> None:
        text = _words(block, self._marks)
        if text.strip():
            paragraph = Paragraph(block, self._document._body)
            name = (paragraph.style.name or "") if paragraph.style is not None else ""
            if _CONTENTS.fullmatch(name):
                return  # the table of contents says nothing that the headings do not
            if self._marks.code and _is_all_code(paragraph, name):
                self._end_list()
                self._code.append(_text(block).rstrip())
                return
            self._end_code()
            level = _level(paragraph)
            mark = self._numbering.mark(paragraph)
            if level is None and not mark and _is_bold(paragraph) and is_title(_words(block)):
                level = BELOW
            if level is not None:
                self._end_list()
                text = _words(block)  # without links
                self._writer.add(Category.HEADING, f"{mark.strip().strip('-')} {text}".strip(), level=level)
            elif mark := mark or ("- " if name.startswith("List") else ""):
                self._items.append(mark + text)
            else:
                self._end_list()
                self._writer.add(Category.PARAGRAPH, text)
        self._about(block)

    def _about(self, block: Any) -> None:
        """Write what pictures in a block show, and the notes to it."""
        for node in block.iter(qn("wp:docPr"), *_NOTES):
            if node.tag in _NOTES:
                if note := self._notes[node.tag].get(node.get(qn("w:id"), "")):
                    self._end_list()
                    self._writer.add(Category.PARAGRAPH, note)
            elif alt := described(node.get("descr")):
                self._end_list()
                self._writer.add(Category.FIGURE, alt)

    def _end(self) -> None:
        self._end_list()
        self._end_code()

    def _end_code(self) -> None:
        self._writer.add(Category.CODE, *fenced("\n".join(self._code)))
        self._code.clear()

    def _end_list(self) -> None:
        self._writer.add(Category.LIST, *self._items)
        self._items.clear()


def _blocks(parent: Any) -> Iterator[Any]:
    """Yield paragraphs and tables, also those within content controls and insertions."""
    for child in parent:
        if child.tag in (_PARAGRAPH, _TABLE):
            yield child
        elif child.tag in _CONTAINERS:
            yield from _blocks(child)


def _words(element: Any, marks: _Marks | None = None) -> str:
    """Return the text of a paragraph with all changes accepted, its links and code marked as Markdown does."""
    return _text(element, marks).strip()


def _text(element: Any, marks: _Marks | None = None) -> str:
    parts: list[str] = []
    spans: list[tuple[int, str]] = []
    """Where in the parts a link begins, with its address; or code."""

    def close() -> None:
        if spans:
            start, address = spans.pop()
            words = "".join(parts[start:])
            parts[start:] = [coded(words) if address == _CODE else linked(words, address)]

    stack: list[Any] = [element]
    while stack:
        node = stack.pop()
        if node is None:
            close()
            continue
        if node.tag in _DROPPED:
            continue
        if node.tag == _TEXT:
            parts.append(node.text or "")
        elif node.tag in _SPACES:
            parts.append(_SPACES[node.tag])
        elif node.tag == _PARAGRAPH and parts:
            parts.append("\n")  # of a text box
        elif marks is not None:
            address = _span(node, marks)
            if address is not None:
                spans.append((len(parts), address))
                stack.append(None)
            elif node.tag == _FIELD and node.get(qn("w:fldCharType")) == "begin":
                spans.append((len(parts), ""))
            elif node.tag == _FIELD and node.get(qn("w:fldCharType")) == "end":
                close()
            elif node.tag == _INSTRUCTION and spans and (field := _ADDRESS.match(node.text or "")):
                spans[-1] = (spans[-1][0], field[1])
        if node.tag != qn("w:pPr"):
            stack.extend(reversed(node))
    text = "".join(parts)
    return text if marks is None else _TWO_CODES.sub(r"\1", text)


def _span(node: Any, marks: _Marks) -> str | None:
    """Return where what is in a node leads, or that it is code; None where it is neither."""
    if node.tag == _LINK:
        return marks.links.get(node.get(qn("r:id"), ""), "")
    if node.tag == _SIMPLE_FIELD and (field := _ADDRESS.match(node.get(qn("w:instr"), ""))):
        return field[1]
    return _CODE if marks.code and node.tag == _RUN and _is_code(node) else None


def _is_code(run: Any) -> bool:
    """Tell whether a run is set as code is, by its font or its style."""
    font, style = run.find(f"{qn('w:rPr')}/{qn('w:rFonts')}"), run.find(f"{qn('w:rPr')}/{qn('w:rStyle')}")
    if font is not None and is_code_font(font.get(qn("w:ascii"), "")):
        return True
    return style is not None and _CODE_STYLE.search(style.get(qn("w:val"), "")) is not None


def _rows(table: Any, marks: _Marks) -> Iterator[Row]:
    """Yield the rows of a table; what reaches over several rows is told in each."""
    above: list[str | None] = []
    for row in _inside(table, qn("w:tr")):
        properties = row.find(qn("w:trPr"))
        cells: list[str | None] = [""] * _number(properties, "w:gridBefore")
        for cell in _inside(row, qn("w:tc")):
            about = cell.find(qn("w:tcPr"))
            merge = about.find(qn("w:vMerge")) if about is not None else None
            if merge is not None and merge.get(qn("w:val")) != "restart" and len(cells) < len(above):
                cells.append(above[len(cells)])
            else:
                cells.append(" ".join(part for each in _paragraphs(cell) if (part := _words(each, marks))))
            cells += [None] * (_number(about, "w:gridSpan") - 1)
        above = cells
        yield cells


def _inside(parent: Any, tag: str) -> Iterator[Any]:
    """Yield the rows or cells below a parent, also those within content controls."""
    for child in parent:
        if child.tag == tag:
            yield child
        elif child.tag in _CONTAINERS:
            yield from _inside(child, tag)


def _paragraphs(cell: Any) -> Iterator[Any]:
    for block in _blocks(cell):
        if block.tag == _TABLE:
            yield from block.iter(_PARAGRAPH)
        else:
            yield block


def _number(properties: Any, name: str) -> int:
    node = properties.find(qn(name)) if properties is not None else None
    told = node.get(qn("w:val"), "") if node is not None else ""
    return min(int(told), _MOST_COLUMNS) if told.isdecimal() else 0


def _header(table: Any) -> bool | None:
    """Tell whether the first row is marked as one that is repeated on every page; None where nothing is."""
    return True if table.find(f"{qn('w:tr')}/{qn('w:trPr')}/{qn('w:tblHeader')}") is not None else None


def _notes(document: Any, kind: str) -> dict[str, str]:
    """Return the texts of footnotes or endnotes by their ids."""
    for relation in document.part.rels.values():
        if relation.reltype == kind and not relation.is_external:
            try:
                root = office.xml(relation.target_part.blob)
            except etree.XMLSyntaxError:
                break  # the text itself can be read
            return {
                note.get(qn("w:id"), ""): " ".join(_words(note).split()) for note in root if not note.get(qn("w:type"))
            }
    return {}


def _is_bold(paragraph: Paragraph) -> bool:
    """Tell whether all of a paragraph is marked as bold: what many who know no styles make headings of."""
    runs = [run for run in paragraph.runs if run.text.strip()]
    return bool(runs) and all(run.bold for run in runs)


def _is_all_code(paragraph: Paragraph, style: str) -> bool:
    """Tell whether a paragraph is a line of code, by its style or the fonts of all that is in it."""
    runs = [run for run in paragraph._p.iter(_RUN) if _text(run).strip()]
    return _CODE_STYLE.search(style) is not None or (bool(runs) and all(map(_is_code, runs)))


def _level(paragraph: Paragraph) -> int | None:
    """Return the heading level of a paragraph, None where it is no heading."""
    own = _outline(paragraph._p.pPr)
    if own is not None:
        return own if own <= _DEEPEST else None
    style: Any = paragraph.style
    for _ in range(_DEEPEST_STYLE):
        if style is None:
            break
        name = style.name or ""
        if name == "Title":
            return 0
        if match := _HEADING.fullmatch(name):
            return int(match[1])
        level = _outline(style.element.find(qn("w:pPr")))
        if level is not None and level <= _DEEPEST:
            return level
        style = style.base_style
    return None


def _outline(properties: Any) -> int | None:
    node = properties.find(qn("w:outlineLvl")) if properties is not None else None
    told = node.get(qn("w:val"), "") if node is not None else ""
    return int(told) + 1 if told.isdecimal() else None
