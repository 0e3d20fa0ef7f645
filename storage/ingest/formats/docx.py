"""DOCX: headings by their style, paragraphs, lists and tables in the order of the document."""

import io
import re
import zipfile
from collections.abc import Iterator
from typing import Any

import docx
from docx.oxml.ns import qn
from docx.table import Table
from docx.text.paragraph import Paragraph

from agent.errors import RefusedFileError
from agent.types import Category
from storage.ingest.formats.writer import Writer
from storage.ingest.parsed import Extracted

_HEADING = re.compile(r"heading (\d)", re.IGNORECASE)
_SPACES = {qn("w:tab"): "\t", qn("w:br"): "\n", qn("w:cr"): "\n", qn("w:noBreakHyphen"): "-"}
_PARAGRAPH, _TABLE, _TEXT = qn("w:p"), qn("w:tbl"), qn("w:t")
_CONTAINERS = frozenset({qn("w:sdt"), qn("w:sdtContent"), qn("w:customXml"), qn("w:ins"), qn("w:moveTo")})
# What was deleted or moved away, and the second copy of a text box for old versions of Word.
_DROPPED = frozenset(
    {qn("w:del"), qn("w:moveFrom"), "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"}
)


def extract(data: bytes, most: int) -> Extracted:
    """Return what a Word document holds; `most` bytes may come out of the archive."""
    _check(data, most)
    document = docx.Document(io.BytesIO(data))
    writer = Writer()
    items: list[str] = []
    for block in _blocks(document.element.body):
        if block.tag == _TABLE:
            _end_list(writer, items)
            writer.add_table(list(_rows(Table(block, document))))
            continue
        text = _words(block)
        if not text.strip():
            continue
        paragraph = Paragraph(block, document._body)
        level = _level(paragraph)
        if level is not None:
            _end_list(writer, items)
            writer.add(Category.HEADING, text, level=level)
        elif _is_item(paragraph):
            items.append(f"- {text}")
        else:
            _end_list(writer, items)
            writer.add(Category.PARAGRAPH, text)
    _end_list(writer, items)
    if not writer.elements:
        raise RefusedFileError("it has no text")
    title = document.core_properties.title
    return Extracted(text=writer.text, elements=writer.elements, title=" ".join(title.split()))


def _check(data: bytes, most: int) -> None:
    """Refuse what is no Word document, and an archive that would grow out of all bounds."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = archive.namelist()
            size = sum(each.file_size for each in archive.infolist())
    except zipfile.BadZipFile as error:
        kind = "an old .doc file, or encrypted" if data.startswith(b"\xd0\xcf\x11\xe0") else "no DOCX file, or broken"
        raise RefusedFileError(f"it is {kind}; save it as .docx without a password") from error
    if size > most:
        raise RefusedFileError(f"it unpacks to {size:,} bytes; the limit is {most:,}")
    if "[Content_Types].xml" not in names:
        raise RefusedFileError("it is no DOCX file, but some other archive")


def _blocks(parent: Any) -> Iterator[Any]:
    """Yield paragraphs and tables, also those within content controls and insertions."""
    for child in parent:
        if child.tag in (_PARAGRAPH, _TABLE):
            yield child
        elif child.tag in _CONTAINERS:
            yield from _blocks(child)


def _words(element: Any) -> str:
    """Return the text of a paragraph as it reads with all changes accepted."""
    parts: list[str] = []
    stack = [element]
    while stack:
        node = stack.pop()
        if node.tag in _DROPPED:
            continue
        if node.tag == _TEXT:
            parts.append(node.text or "")
        elif node.tag in _SPACES:
            parts.append(_SPACES[node.tag])
        elif node.tag == _PARAGRAPH and parts:
            parts.append("\n")  # of a text box
        if node.tag != qn("w:pPr"):
            stack.extend(reversed(node))
    return "".join(parts).strip()


def _rows(table: Table) -> Iterator[list[str]]:
    """Yield the rows; a cell that spans several columns is told once."""
    for row in table.rows:
        cells, last = [], None
        for cell in row.cells:
            if cell._tc is not last:
                last = cell._tc
                cells.append(" ".join(part for part in map(_words, _blocks_within(cell._tc)) if part))
        yield cells


def _blocks_within(cell: Any) -> Iterator[Any]:
    for block in _blocks(cell):
        if block.tag == _TABLE:
            yield from block.iter(_PARAGRAPH)
        else:
            yield block


def _level(paragraph: Paragraph) -> int | None:
    """Return the heading level of a paragraph, None where it is no heading."""
    style: Any = paragraph.style
    while style is not None:
        name = style.name or ""
        if name == "Title":
            return 0
        if match := _HEADING.fullmatch(name):
            return int(match[1])
        outline = style.element.find(f".//{qn('w:outlineLvl')}")
        if outline is not None and int(outline.get(qn("w:val"), "9")) < 6:
            return int(outline.get(qn("w:val"))) + 1
        style = style.base_style
    return None


def _is_item(paragraph: Paragraph) -> bool:
    style: Any = paragraph.style
    properties = paragraph._p.pPr
    numbered = properties is not None and properties.numPr is not None
    return numbered or (style is not None and (style.name or "").startswith("List"))


def _end_list(writer: Writer, items: list[str]) -> None:
    if items:
        writer.add(Category.LIST, *items)
        items.clear()
