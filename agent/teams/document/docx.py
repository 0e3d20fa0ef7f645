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
from markdown_it.token import Token

from agent.language.registry import profile
from agent.types import Language

MEDIA_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
AUTHOR = "Weft"
_LATIN, _EAST_ASIAN, _CODE = "Calibri", "Malgun Gothic", "Consolas"
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_LINK = re.compile(r"(?:https?://|mailto:)", re.IGNORECASE)
_DEEPEST = 3
"""Levels of lists for which Word has styles."""
_MARKS = {"strong_open": "bold", "em_open": "italic", "s_open": "strike"}


def to_docx(markdown: str, *, title: str, language: Language, at: dt.date) -> bytes:
    """Return the document; `at` is the day on which it was made."""
    made = docx.Document()
    _page(made)
    _properties(made, title, language, at)
    _fonts(made, language)
    tokens = (
        MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"]).parse(_NOT_XML.sub("", markdown))
    )
    _Writer(made).write(tokens)
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
    """Writes the tokens of a Markdown text into a document, in their order."""

    def __init__(self, made: Document) -> None:
        self._made = made
        self._lists: list[tuple[bool, int]] = []
        """The lists that are open: whether each is numbered, and the number of its numbering."""
        self._quoted = 0
        self._item_begins = False

    def write(self, tokens: Sequence[Token]) -> None:
        """Write all of it."""
        at = 0
        while at < len(tokens):
            at = self._block(tokens, at)

    def _block(self, tokens: Sequence[Token], at: int) -> int:
        """Write the block that begins here; returns where the next one does."""
        token = tokens[at]
        match token.type:
            case "heading_open":
                paragraph = self._made.add_heading(level=min(int(token.tag[1]), 6))
                self._inline(paragraph, tokens[at + 1])
                return at + 3
            case "paragraph_open":
                self._inline(self._paragraph(), tokens[at + 1])
                return at + 3
            case "table_open":
                end = next(n for n in range(at, len(tokens)) if tokens[n].type == "table_close")
                self._table(tokens[at:end])
                return end + 1
            case "bullet_list_open" | "ordered_list_open":
                ordered = token.type == "ordered_list_open"
                start = int(token.attrGet("start") or 1) if ordered else 1
                self._lists.append((ordered, self._numbering(start, len(self._lists)) if ordered else 0))
            case "bullet_list_close" | "ordered_list_close":
                self._lists.pop()
            case "list_item_open":
                self._item_begins = True
            case "blockquote_open":
                self._quoted += 1
            case "blockquote_close":
                self._quoted -= 1
            case "fence" | "code_block":
                self._code(token.content)
            case "hr":
                self._rule()
            case "inline":
                self._inline(self._paragraph(), token)
        return at + 1

    def _paragraph(self) -> Paragraph:
        if not self._lists:
            return self._made.add_paragraph(style="Quote" if self._quoted else None)
        ordered, number = self._lists[-1]
        depth = min(len(self._lists), _DEEPEST)
        kind = ("List Number" if ordered else "List Bullet") if self._item_begins else "List Continue"
        paragraph = self._made.add_paragraph(style=kind if depth == 1 else f"{kind} {depth}")
        if self._item_begins and ordered:
            properties: Any = paragraph._p.get_or_add_pPr()
            numbered = properties.get_or_add_numPr()
            numbered.get_or_add_ilvl().val = 0
            numbered.get_or_add_numId().val = number
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

    def _table(self, tokens: Sequence[Token]) -> None:
        rows: list[list[Token]] = []
        heads = 0
        for token in tokens:
            if token.type == "tr_open":
                rows.append([])
            elif token.type == "inline":
                rows[-1].append(token)
            elif token.type == "thead_close":
                heads = len(rows)
        table = self._made.add_table(rows=len(rows), cols=max(len(row) for row in rows), style="Table Grid")
        for n, row in enumerate(rows):
            for cell, token in zip(table.rows[n].cells, row, strict=False):
                self._inline(cell.paragraphs[0], token, bold=n < heads)
            if n < heads:
                properties = table.rows[n]._tr.get_or_add_trPr()
                properties.append(_element("w:tblHeader"))
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

    def _inline(self, paragraph: Paragraph, token: Token, *, bold: bool = False) -> None:
        state = {"bold": int(bold), "italic": 0, "strike": 0}
        link: Any = None
        for child in token.children or ():
            opening = child.type if child.type in _MARKS else child.type.replace("_close", "_open")
            if opening in _MARKS:
                state[_MARKS[opening]] += 1 if child.type == opening else -1
            elif child.type == "link_open":
                link = _link(paragraph, str(child.attrGet("href") or ""))
            elif child.type == "link_close":
                link = None
            elif child.type == "hardbreak":
                paragraph.add_run().add_break()
            else:
                run = paragraph.add_run(" " if child.type == "softbreak" else child.content)
                run.bold, run.italic = state["bold"] > 0 or None, state["italic"] > 0 or None
                run.font.strike = state["strike"] > 0 or None
                if child.type == "code_inline":
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
