"""HWPX, the documents of Hangul (KS X 6101, OWPML): headings, paragraphs, lists, tables, boxes and notes in order."""

import io
import re
import zipfile
from collections.abc import Iterable, Iterator
from typing import Any

from agent.errors import RefusedFileError
from agent.language import lexicon
from agent.types import Category
from storage.ingest.dates import day
from storage.ingest.formats import office
from storage.ingest.formats.figures import described
from storage.ingest.formats.grid import Row
from storage.ingest.formats.hwpx_heads import Heads, local, number
from storage.ingest.formats.writer import Writer
from storage.ingest.parsed import NO_TEXT, Extracted, Limits

_SECTION = re.compile(r"Contents/section(\d{1,6})\.xml", re.IGNORECASE)
_HEADER, _ABOUT, _MANIFEST = "Contents/header.xml", "Contents/content.hpf", "META-INF/manifest.xml"
_SPACES = {"lineBreak": "\n", "tab": "\t", "nbSpace": " ", "fwSpace": " ", "hyphen": "-"}
_BLANKS = re.compile(r"[ \t]{2,}")
_NOTES = ("footNote", "endNote")
# What is said of a place and not in it: page headers, comments, fields with what they do, the properties of a section.
_UNSEEN = frozenset(
    ("header", "footer", "hiddenComment", "fieldBegin", "secPr", "masterPage", "parameters", "shapeComment")
)
_COUNTED = ("PICTURE", "TABLE", "EQUATION")
_MOST_COLUMNS = 1_000
_TEMPLATES = ("2025-09-17T04:33:13Z", "2025-09-17T04:32:50Z")
"""Moments that a library puts into every file it makes (python-hwpx, Skeleton.hwpx)."""
_LONGEST_HEADING = 100
"""Characters; with many an outline counts the sentences of the text itself."""


def extract(data: bytes, limits: Limits) -> Extracted:
    """Return what a Hangul document holds. Raises RefusedFileError for one that is encrypted, or has no text."""
    office.check(data, limits)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        names = archive.namelist()
        if _MANIFEST in names and b"encryption-data" in archive.read(_MANIFEST):
            raise RefusedFileError("it is encrypted; save it without a password and try again")
        sections = sorted((int(match[1]), name) for name in names if (match := _SECTION.fullmatch(name)))
        if not sections:
            raise RefusedFileError("it is broken: it has no section; open it in its program and save it anew")
        heads = Heads(office.xml(archive.read(_HEADER)) if _HEADER in names else None)
        writer = Writer()
        for _, name in sections:
            root = office.xml(archive.read(name))
            properties = next((node for node in root.iter() if local(node) == "secPr"), None)
            heads.outline = properties.get("outlineShapeIDRef", "") if properties is not None else ""
            _Blocks(writer, heads, _Deletions(root)).write(root)
        title, date = _about(archive.read(_ABOUT)) if _ABOUT in names else ("", "")
    if not writer.elements:
        raise RefusedFileError(NO_TEXT)
    return Extracted(text=writer.text, elements=writer.elements, title=title, date=date)


class _Deletions:
    """The stretches of a section that were deleted; one without an end deletes nothing."""

    def __init__(self, root: Any) -> None:
        self._ends = {node.get("Id") for node in root.iter() if local(node) == "deleteEnd"}
        self._open = set[str | None]()

    def begin(self, mark: Any) -> None:
        """Note that what follows was deleted."""
        self._open |= {mark.get("Id")} & self._ends

    def end(self, mark: Any) -> None:
        """Note that it ends here."""
        self._open.discard(mark.get("Id"))

    def __bool__(self) -> bool:
        return bool(self._open)


class _Blocks:
    """Writes down the paragraphs of a section, of a cell, of a box."""

    def __init__(self, writer: Writer, heads: Heads, deleted: _Deletions, *, flat: bool = False) -> None:
        self._writer = writer
        self._flattened = flat
        self._heads = heads
        self._deleted = deleted
        self._items: list[str] = []

    def write(self, *parents: Any) -> None:
        """Write what stands below these."""
        for parent in parents:
            self._blocks(parent)
        self._end_list()

    def _blocks(self, parent: Any) -> None:
        for node in parent:
            if local(node) == "p":
                self._paragraph(node)

    def _paragraph(self, node: Any) -> None:
        objects: list[Any] = []
        text = self._words(node, objects)
        if text:
            self._text(node, text)
        for each in objects:
            self._object(each)

    def _text(self, node: Any, text: str) -> None:
        head = self._heads.of(node)
        if head.is_contents:
            return  # the table of contents says nothing that the headings do not
        if head.level is not None and len(text) <= _LONGEST_HEADING and not text.endswith("."):
            self._end_list()
            self._writer.add(Category.HEADING, " ".join(f"{head.mark}{text}".split()), level=head.level)
        elif head.mark:
            self._items.append(head.mark + text)
        else:
            self._end_list()
            self._writer.add(Category.PARAGRAPH, text)

    def _end_list(self) -> None:
        self._writer.add(Category.LIST, *self._items)
        self._items.clear()

    def _words(self, paragraph: Any, objects: list[Any]) -> str:
        """Return the words of a paragraph without what was deleted; what is set into it is put to the objects."""
        parts: list[str] = []

        def say(text: str | None) -> None:
            if text and not self._deleted:
                parts.append(text)

        def walk(node: Any) -> None:
            for child in node:
                match local(child):
                    case "run" | "ctrl":
                        walk(child)
                    case "t":
                        say(child.text)
                        walk(child)
                    case "deleteBegin":
                        self._deleted.begin(child)
                    case "deleteEnd":
                        self._deleted.end(child)
                    case "autoNum":
                        say(child.get("num") if child.get("numType") in _COUNTED else "")
                    case "compose":
                        say(child.get("composeText"))
                    case "dutmal":
                        say("".join(each.text or "" for each in child if local(each) == "mainText"))
                    case "equation":
                        say(_script(child))
                    case name if name in _SPACES:
                        say(_SPACES[name])
                    case "switch":
                        walk(_chosen(child))
                    case name if name and name not in _UNSEEN and len(child) and not self._deleted:
                        objects.append(child)
                if local(node) == "t":
                    say(child.tail)

        walk(paragraph)
        return "\n".join(_BLANKS.sub(" ", line).strip() for line in "".join(parts).split("\n")).strip()

    def _object(self, node: Any) -> None:
        """Write what is set into a paragraph: a table, a picture, a box of text, a note, or several of them."""
        kind = local(node)
        if kind in _NOTES:
            self._end_list()
            self._writer.add(Category.PARAGRAPH, self._flat(node))
        elif kind == "tbl":
            self._end_list()
            self._writer.add(Category.PARAGRAPH, self._flat(_caption(node)))
            self._table(node)
        elif kind == "pic":
            self._end_list()
            comment = next((each.text for each in node if local(each) == "shapeComment"), "")
            self._writer.add(Category.FIGURE, self._flat(_caption(node)) or described(comment))
        elif kind in ("subList", "drawText"):
            self._blocks(node)
            for each in node:
                if local(each) == "subList":
                    self._blocks(each)
        elif kind == "caption":
            self._end_list()
            self._writer.add(Category.FIGURE, self._flat(node))
        elif kind not in _UNSEEN:
            for each in _chosen(node) if kind == "switch" else node:
                self._object(each)

    def _table(self, node: Any) -> None:
        rows = [row for row in node if local(row) == "tr"]
        cells = [cell for row in rows for cell in row if local(cell) == "tc"]
        if len(cells) == 1 or self._flattened:  # a frame around a part of the text; a table within a cell
            for each in (part for cell in cells for part in cell):
                self._object(each)
            self._end_list()
            return
        headed = bool(rows) and any(cell.get("header") == "1" for cell in rows[0])
        self._writer.add_table(self._rows(rows), header=headed or None)

    def _rows(self, rows: Iterable[Any]) -> Iterator[Row]:
        """Yield the rows of a table, each cell at its address; what reaches over several rows is told in each."""
        reaching: dict[int, tuple[int, str | None]] = {}
        for row in rows:
            line = {at: text for at, (_, text) in reaching.items()}
            below = {at: (left - 1, text) for at, (left, text) in reaching.items()}
            free = 0
            for cell in (each for each in row if local(each) == "tc"):
                about = {local(each): each for each in cell}
                address, span = about.get("cellAddr"), about.get("cellSpan")
                at = number(address, "colAddr", _MOST_COLUMNS, free) if address is not None else free
                while at in line and at < _MOST_COLUMNS:
                    at += 1
                wide = max(1, number(span, "colSpan", _MOST_COLUMNS, 1)) if span is not None else 1
                high = number(span, "rowSpan", 1_000_000, 1) if span is not None else 1
                text = self._flat(cell)
                if at >= _MOST_COLUMNS:  # nowhere to be: it stands behind all others
                    at, wide = max(line) + 1, 1
                for over in range(at, at + min(wide, max(1, _MOST_COLUMNS - at))):
                    line[over] = None if over > at else text
                    below[over] = (high - 1, line[over])
                free = at + wide
            reaching = {at: reach for at, reach in below.items() if reach[0] > 0}
            yield [line.get(at, "") for at in range(max(line, default=-1) + 1)]

    def _flat(self, parents: Iterable[Any]) -> str:
        """Return all that stands in a cell, a note or a caption as one line."""
        writer = Writer()
        inner = _Blocks(writer, self._heads, self._deleted, flat=True)
        inner.write(*(each for each in parents if local(each) == "subList"))
        return " ".join(writer.text.split())


def _caption(node: Any) -> Iterator[Any]:
    return (part for each in node if local(each) == "caption" for part in each)


def _script(equation: Any) -> str:
    return next((f" {each.text.strip()} " for each in equation if local(each) == "script" and each.text), "")


def _chosen(switch: Any) -> Any:
    """Return what an old program would show, which is plain; the first case where there is nothing else."""
    plain = next((each for each in switch if local(each) == "default" and len(each)), None)
    return plain if plain is not None else next(iter(switch), ())


def _about(data: bytes) -> tuple[str, str]:
    """Return the title and the date of the last change, or of the making, as the document tells them."""
    try:
        root = office.xml(data)
    except SyntaxError:
        return "", ""  # a document whose properties are broken is read all the same
    told = {each.get("name", ""): (each.text or "").strip() for each in root.iter() if local(each) == "meta"}
    title = next((" ".join((each.text or "").split()) for each in root.iter() if local(each) == "title"), "")
    moments = [told.get(name, "") for name in ("ModifiedDate", "CreatedDate")]
    date = next((found for moment in moments if moment not in _TEMPLATES and (found := day(moment))), "")
    return "" if title in lexicon.words("documents.new_document") else title, date
