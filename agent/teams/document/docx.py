"""Markdown to DOCX: headings, lists, tables, links and code as Word knows them. The same text gives the same bytes."""

import datetime as dt
import io
import re
import zipfile
from collections.abc import Sequence
from typing import Any

import docx
from docx.document import Document
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.shared import Mm, RGBColor
from docx.text.paragraph import Paragraph
from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

from agent.language.registry import profile
from agent.types import Language

MEDIA_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
AUTHOR = "Weft"
_LATIN, _EAST_ASIAN, _CODE = "Calibri", "Malgun Gothic", "Consolas"
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_LINK = re.compile(r"(?:https?://|mailto:)", re.IGNORECASE)
_DEEPEST = 3
"""Levels of lists for which Word has styles."""
_MARKS = {"strong": "bold", "em": "italic", "s": "strike"}


def to_docx(markdown: str, *, title: str, language: Language, at: dt.date) -> bytes:
    """Return the document; `at` is the day on which it was made."""
    made = docx.Document()
    _page(made)
    _properties(made, title, language, at)
    _fonts(made, language)
    reader = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    _Writer(made).write(SyntaxTreeNode(reader.parse(_NOT_XML.sub("", markdown))).children)
    saved = io.BytesIO()
    made.save(saved)
    return _steady(saved.getvalue())


def _element(name: str) -> Any:
    return OxmlElement(name)


def _page(made: Document) -> None:
    page = made.sections[0]
    page.page_width, page.page_height = Mm(210), Mm(297)
    page.left_margin = page.right_margin = page.top_margin = page.bottom_margin = Mm(25)


def _properties(made: Document, title: str, language: Language, at: dt.date) -> None:
    known = made.core_properties
    known.title, known.author, known.last_modified_by = _NOT_XML.sub("", title)[:255], AUTHOR, AUTHOR
    known.language, known.comments = profile(language).locale or language, ""
    known.created = known.modified = dt.datetime(at.year, at.month, at.day)


def _fonts(made: Document, language: Language) -> None:
    """Set the fonts of both scripts, of which Word takes each character's, and the language of the text."""
    styles = made.styles.element
    for fonts in styles.iter(qn("w:rFonts")):
        for name in [name for name in fonts.attrib if name.endswith("Theme")]:  # would win over the named one
            del fonts.attrib[name]
    defaults = styles.find(qn("w:docDefaults")).find(qn("w:rPrDefault")).find(qn("w:rPr"))
    for name, font in (("ascii", _LATIN), ("hAnsi", _LATIN), ("eastAsia", _EAST_ASIAN)):
        defaults.find(qn("w:rFonts")).set(qn(f"w:{name}"), font)
    defaults.find(qn("w:lang")).set(qn("w:val"), profile(language).locale or language)
    defaults.find(qn("w:lang")).set(qn("w:eastAsia"), "ko-KR")


class _Writer:
    """Writes a Markdown text into a document."""

    def __init__(self, made: Document) -> None:
        self._made = made
        self._item_begins = False

    def write(self, nodes: Sequence[SyntaxTreeNode], lists: tuple[int, ...] = (), *, quoted: bool = False) -> None:
        """Write blocks in their order; `lists` are those around them: the numbering of each, 0 for bullets."""
        for node in nodes:
            match node.type:
                case "heading":
                    self._inline(self._made.add_heading(level=int(node.tag[1])), node)
                case "paragraph":
                    self._inline(self._paragraph(lists, quoted=quoted), node)
                case "bullet_list" | "ordered_list":
                    ordered = node.type == "ordered_list"
                    number = self._numbering(int(node.attrs.get("start", 1)), len(lists)) if ordered else 0
                    for item in node.children:
                        self._item_begins = True
                        self.write(item.children, (*lists, number), quoted=quoted)
                case "blockquote":
                    self.write(node.children, lists, quoted=True)
                case "table":
                    self._table([row.children for part in node.children for row in part.children])
                case "fence" | "code_block":
                    self._code(node.content)
                case "hr":
                    self._rule()

    def _paragraph(self, lists: Sequence[int], *, quoted: bool) -> Paragraph:
        if not lists:
            return self._made.add_paragraph(style="Quote" if quoted else None)
        depth = min(len(lists), _DEEPEST)
        kind = ("List Number" if lists[-1] else "List Bullet") if self._item_begins else "List Continue"
        paragraph = self._made.add_paragraph(style=kind if depth == 1 else f"{kind} {depth}")
        if self._item_begins and lists[-1]:
            properties: Any = paragraph._p.get_or_add_pPr()
            numbered = properties.get_or_add_numPr()
            numbered.get_or_add_ilvl().val = 0
            numbered.get_or_add_numId().val = lists[-1]
        self._item_begins = False
        return paragraph

    def _numbering(self, start: int, depth: int) -> int:
        """Return a numbering of its own for a list: Word would go on counting from the list before."""
        style = self._made.styles["List Number" if depth == 0 else f"List Number {min(depth + 1, _DEEPEST)}"]
        known = self._made.part.numbering_part.element
        used = style.element.pPr.numPr.numId.val
        number = known.add_num(known.num_having_numId(used).abstractNumId.val)
        number.add_lvlOverride(ilvl=0).add_startOverride(start)
        return int(number.numId)

    def _table(self, rows: Sequence[Sequence[SyntaxTreeNode]]) -> None:
        table = self._made.add_table(rows=len(rows), cols=max(map(len, rows)), style="Table Grid")
        for row, written in zip(rows, table.rows, strict=True):
            is_head = row[0].type == "th"
            for node, cell in zip(row, written.cells, strict=False):
                self._inline(cell.paragraphs[0], node, bold=is_head)
            if is_head:
                written._tr.get_or_add_trPr().append(_element("w:tblHeader"))
        self._made.add_paragraph()

    def _code(self, text: str) -> None:
        paragraph = self._made.add_paragraph(style="No Spacing")
        for n, line in enumerate(text.rstrip("\n").split("\n")):
            run = paragraph.add_run(line)
            if n:
                run._r.insert(0, _element("w:br"))
            run.font.name = _CODE

    def _rule(self) -> None:
        borders, line = _element("w:pBdr"), _element("w:bottom")
        for name, value in (("val", "single"), ("sz", "6"), ("space", "1"), ("color", "auto")):
            line.set(qn(f"w:{name}"), value)
        borders.append(line)
        self._made.add_paragraph()._p.get_or_add_pPr().append(borders)

    def _inline(self, paragraph: Paragraph, node: SyntaxTreeNode, link: Any = None, **marks: bool) -> None:
        """Write what stands in a block, or within marks there, into a paragraph."""
        for child in node.children:
            match child.type:
                case "inline":
                    self._inline(paragraph, child, **marks)
                case "strong" | "em" | "s":
                    self._inline(paragraph, child, link, **{**marks, _MARKS[child.type]: True})
                case "link":
                    self._inline(paragraph, child, _link(paragraph, str(child.attrs.get("href", ""))), **marks)
                case "hardbreak":
                    paragraph.add_run().add_break()
                case kind:
                    run = paragraph.add_run(" " if kind == "softbreak" else child.content)
                    run.bold, run.italic = marks.get("bold") or None, marks.get("italic") or None
                    run.font.strike = marks.get("strike") or None
                    if kind == "code_inline":
                        run.font.name = _CODE
                    if link is not None:
                        run.font.underline, run.font.color.rgb = True, RGBColor(0x05, 0x63, 0xC1)
                        link.append(run._r)


def _link(paragraph: Paragraph, address: str) -> Any:
    """Return an element that runs are put into to lead somewhere; None for an address that no document should open."""
    if not _LINK.match(address):
        return None
    link = _element("w:hyperlink")
    link.set(qn("r:id"), paragraph.part.relate_to(address, RELATIONSHIP_TYPE.HYPERLINK, is_external=True))
    paragraph._p.append(link)
    return link


def _steady(saved: bytes) -> bytes:
    """Return the file with one and the same time on all of its parts."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(saved)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            part = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
            part.compress_type = zipfile.ZIP_DEFLATED
            new.writestr(part, old.read(name))
    return out.getvalue()
