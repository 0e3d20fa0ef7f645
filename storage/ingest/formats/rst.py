"""reStructuredText: docutils reads it into a tree, which is written down block by block; no other file is opened."""

import re
from collections.abc import Callable, Iterator, Sequence

from docutils import nodes
from docutils.core import publish_doctree

from agent.types import Category
from storage.ingest.dates import told
from storage.ingest.encodings import decode
from storage.ingest.formats import counted
from storage.ingest.formats.figures import described as worded
from storage.ingest.formats.grid import Row
from storage.ingest.formats.rst_dialect import REF, described, labels, understood
from storage.ingest.formats.writer import Writer, fenced
from storage.ingest.parsed import Extracted
from storage.ingest.passages import language_of_document

_LONGEST_LINE = 10_000
"""Characters of a line, and of what a substitution may grow to (docutils, `line_length_limit`)."""
_LONG = re.compile(rf"^([ \t]*)(?=\S)([^\n]{{{_LONGEST_LINE // 2},}})", re.MULTILINE)
_SETTINGS = {
    "_disable_config": True,
    "file_insertion_enabled": False,
    "raw_enabled": False,
    "halt_level": 5,
    "report_level": 5,
    "warning_stream": False,
    "doctitle_xform": False,
    "docinfo_xform": False,
    "sectsubtitle_xform": False,
    "syntax_highlight": "none",
    "smart_quotes": False,
    "line_length_limit": _LONGEST_LINE,
}
_UNSEEN = (
    nodes.Invisible,  # comments, targets, definitions of substitutions
    nodes.title,
    nodes.raw,
    nodes.meta,
    nodes.decoration,
    nodes.transition,
    nodes.caption,
    nodes.legend,
)
_CODE = (nodes.literal_block, nodes.doctest_block, nodes.math_block)
_UNRESOLVED = re.compile(r"(?::[\w:+.-]+:)?`([^`]+)`_{0,2}|\|([^|]+)\|_{0,2}|(\w(?:[\w .:+-]*\w)?)_{1,2}")
_TAG = re.compile(r"</?\w[^<>]*>|<!--.*-->", re.DOTALL)
_OPTION = re.compile(r":[\w-]+:")
_ADDRESS = re.compile(r"(?:https?|ftp|mailto):", re.IGNORECASE)
_FORMS: dict[str, Callable[[int], str]] = {
    "loweralpha": counted.letter,
    "upperalpha": lambda number: counted.letter(number).upper(),
    "lowerroman": counted.roman,
    "upperroman": lambda number: counted.roman(number).upper(),
}


def extract(data: bytes) -> Extracted:
    """Return the sections of a text and what is in them."""
    text = _LONG.sub(_broken, decode(data))
    label = labels(language_of_document(text))
    with understood(label):
        document = publish_doctree(text, settings_overrides=_SETTINGS)
    metadata = _fields_above(document)
    writer = Writer()
    _Blocks(writer, document, label).write(document.children, 0)
    return Extracted(
        text=writer.text,
        elements=writer.elements,
        title=metadata.pop("title", "") or str(document.get("title") or ""),
        metadata=metadata,
        date=told(metadata or _fields(_first_list(document))),
    )


class _Blocks:
    """Writes down the blocks of a tree."""

    def __init__(self, writer: Writer, document: nodes.document, label: Callable[[str], str]) -> None:
        self._writer = writer
        self._document = document
        self._label = label
        self._items: list[str] = []
        """Of described things that follow one another."""
        self._figures: list[str] = []

    def write(self, blocks: Sequence[nodes.Node], depth: int) -> None:
        """Write blocks that stand so many sections deep."""
        for block in blocks:
            if isinstance(block, described):
                self._described(block, depth)
            elif not isinstance(block, (nodes.Text, nodes.system_message, *_UNSEEN)):
                self._end_items()
                self._block(block, depth)
            elif isinstance(block, nodes.system_message):
                self._misread(block)
        self._end_items()

    def _block(self, node: nodes.Node, depth: int) -> None:
        add = self._writer.add
        match node:
            case nodes.section():
                add(Category.HEADING, self._title(node), level=depth + 1)
                self.write(node.children, depth + 1)
            case nodes.paragraph() | nodes.rubric() | nodes.attribution():
                add(Category.PARAGRAPH, self._words(node))
            case nodes.bullet_list() | nodes.enumerated_list():
                add(Category.LIST, *self._listed(node))
            case nodes.definition_list() | nodes.field_list() | nodes.option_list() | nodes.docinfo():
                add(Category.LIST, *(self._item("- ", self._term(each), each.children[-1]) for each in _entries(node)))
            case _ if isinstance(node, _CODE):
                add(Category.CODE, *fenced(node.astext()))
            case nodes.line_block():
                add(Category.PARAGRAPH, "\n".join(self._poem(node)))
            case nodes.table():
                self._table(node)
            case nodes.image():
                add(Category.FIGURE, worded(node.get("alt")))
            case nodes.figure():
                self._figure(node, depth)
            case nodes.footnote() | nodes.citation():
                label, *rest = node.children
                self._led(f"[{label.astext()}]", " ", rest, depth)
            case nodes.Element() if isinstance(node, (nodes.Admonition, nodes.sidebar, nodes.topic)):
                title = self._title(node) or self._label(node.tagname)
                self._led(title, ": ", [each for each in node.children if not isinstance(each, nodes.title)], depth)
            case nodes.Element():
                self.write(node.children, depth)
        for alt in self._figures:
            add(Category.FIGURE, alt)
        self._figures.clear()

    def _led(self, lead: str, joint: str, blocks: Sequence[nodes.Node], depth: int) -> None:
        """Write blocks whose first paragraph is led by a title or a mark."""
        if blocks and isinstance(blocks[0], nodes.paragraph):
            self._writer.add(Category.PARAGRAPH, f"{lead}{joint}{self._words(blocks[0])}")
            blocks = blocks[1:]
        else:
            self._writer.add(Category.PARAGRAPH, lead)
        self.write(blocks, depth)

    def _described(self, node: described, depth: int) -> None:
        """Write a described thing: as a section, or where little is said of it as an item of a list."""
        name, body = ", ".join(node["signatures"]), node.children
        shown = f"`{name}`" if "*" in name and "`" not in name else name  # stars are no emphasis
        if len(body) < 2 and all(isinstance(each, nodes.paragraph) for each in body):
            words = " ".join(map(self._words, body))
            self._items.append(f"- {shown}: {words}" if words else f"- {shown}")
            return
        self._end_items()
        self._writer.add(Category.HEADING, shown, level=depth + 1, label=name)
        self.write(body, depth + 1)
        self._writer.end_section(depth + 1)

    def _end_items(self) -> None:
        self._writer.add(Category.LIST, *self._items)
        self._items.clear()

    def _misread(self, message: nodes.system_message) -> None:
        """Write what docutils could not make sense of as it stands: a table out of shape, say."""
        for block in message.children:
            text = block.astext() if isinstance(block, nodes.literal_block) else ""
            if text.startswith(".."):
                first, *rest = map(str.strip, text.split("\n"))
                kept = (line for line in rest if not _OPTION.match(line))
                self._writer.add(Category.PARAGRAPH, first.partition("::")[2].strip(), *kept)
            else:
                self._writer.add(Category.CODE, *fenced(text))

    def _table(self, node: nodes.table) -> None:
        self._writer.add(Category.PARAGRAPH, self._title(node))
        rows = [row for row in node.findall(nodes.row) if _table_of(row) is node]
        headed = any(isinstance(row.parent, nodes.thead) for row in rows)
        self._writer.add_table(self._rows(rows), header=headed or None)

    def _rows(self, rows: Sequence[nodes.row]) -> Iterator[Row]:
        """Yield the rows of a table; what reaches over several rows is told in each."""
        reaching: dict[int, tuple[int, str | None]] = {}
        for row in rows:
            line: list[str | None] = []
            below: dict[int, tuple[int, str | None]] = {}
            for entry in (*row.children, None):
                while (at := len(line)) in reaching:
                    left, text = reaching[at]
                    line.append(text)
                    below[at] = (left - 1, text)
                if not isinstance(entry, nodes.entry):
                    break
                words = " ".join(self._lines(entry.children))
                for over in range(int(entry.get("morecols", 0)) + 1):
                    below[len(line)] = (int(entry.get("morerows", 0)), None if over else words)
                    line.append(None if over else words)
            reaching = {at: reach for at, reach in below.items() if reach[0] > 0}
            yield line

    def _figure(self, node: nodes.figure, depth: int) -> None:
        """Write a figure: its caption, or its alternative text, and what else is said below it."""
        caption = next((self._words(each) for each in node.children if isinstance(each, nodes.caption)), "")
        image = next(node.findall(nodes.image), None)
        self._writer.add(Category.FIGURE, caption or worded(image.get("alt") if image is not None else ""))
        for each in node.children:
            if isinstance(each, nodes.legend):
                self.write(each.children, depth)

    def _listed(self, node: nodes.Element) -> Iterator[str]:
        """Yield the items of a list with their marks."""
        form = _FORMS.get(str(node.get("enumtype")), str)
        for number, item in enumerate(node.children, int(node.get("start", 1))):
            if isinstance(item, nodes.list_item):
                numbered = f"{node.get('prefix', '')}{form(number)}{node.get('suffix', '.')} "
                yield self._item("- " if isinstance(node, nodes.bullet_list) else numbered, "", item)

    def _item(self, mark: str, term: str, body: nodes.Node) -> str:
        """Return an item; what follows its first line is indented."""
        lines = self._lines(body.children)
        if term:
            starts = bool(body.children) and isinstance(body.children[0], nodes.paragraph)
            lines = [f"{term}: {lines[0]}", *lines[1:]] if lines and starts else [term, *lines]
        return "\n".join((mark + (lines[0] if lines else ""), *(f"  {line}" for line in lines[1:]))) if lines else ""

    def _lines(self, blocks: Sequence[nodes.Node]) -> list[str]:
        """Return blocks within an item or a cell as lines."""
        writer = Writer()
        _Blocks(writer, self._document, self._label).write(blocks, 0)
        return [line for line in writer.text.split("\n") if line.strip()]

    def _term(self, entry: nodes.Element) -> str:
        """Return what a list explains: a term with its classifiers, a field, an option with its spellings."""
        if isinstance(entry, nodes.option_list_item):
            return ", ".join(each.astext() for each in entry.findall(nodes.option))
        return " : ".join(self._words(each) for each in entry.children[:-1] if isinstance(each, nodes.TextElement))

    def _poem(self, node: nodes.line_block, indent: str = "") -> Iterator[str]:
        for each in node.children:
            if isinstance(each, nodes.line_block):
                yield from self._poem(each, f"{indent}  ")
            elif words := self._words(each):
                yield indent + words

    def _title(self, node: nodes.Element) -> str:
        title = next((each for each in node.children if isinstance(each, nodes.title)), None)
        return self._words(title, marked=False) if title is not None else ""

    def _words(self, node: nodes.Node, *, marked: bool = True) -> str:
        """Return the words of a paragraph; `marked` keeps code and links as Markdown writes them."""
        return " ".join("".join(self._inline(each, marked=marked) for each in node.children).split())

    def _inline(self, node: nodes.Node, *, marked: bool) -> str:
        match node:
            case nodes.Text():
                return node.astext()
            case nodes.raw() | nodes.system_message() | nodes.Invisible():
                return ""
            case nodes.image():
                self._figures += filter(None, (worded(node.get("alt")),))
                return ""
            case nodes.problematic():
                return _unresolved(node.astext())
            case nodes.footnote_reference() | nodes.citation_reference():
                return f"[{node.astext()}]"
            case nodes.literal() if marked and "`" not in node.astext():
                return f"`{node.astext()}`"
        words = "".join(self._inline(each, marked=marked) for each in node.children)
        if isinstance(node, nodes.inline) and REF in node:
            target = self._document.ids.get(self._document.nameids.get(node[REF]) or "")
            return (self._title(target) if isinstance(target, nodes.Element) else "") or words
        if isinstance(node, nodes.superscript) and words.isdecimal():
            return f"^{words}"
        if marked and isinstance(node, nodes.reference):
            address = str(node.get("refuri") or "")
            if _ADDRESS.match(address) and words.strip() and address not in (words, f"mailto:{words}"):
                return f"[{words}]({address})"
        return words


def _broken(match: re.Match[str]) -> str:
    """Return a line of which docutils would refuse the whole text as several, each with its indent."""
    indent, rest, lines = match[1], match[2], list[str]()
    width = max(_LONGEST_LINE // 2 - len(indent), 100)
    while len(rest) > width:
        cut = rest.rfind(" ", 0, width) + 1 or width
        lines.append(indent + rest[:cut].rstrip())
        rest = rest[cut:]
    return "\n".join((*lines, indent + rest))


def _fields_above(document: nodes.document) -> dict[str, str]:
    """Take out the fields before everything else: they are told of a page, not on it (Sphinx, File-wide metadata)."""
    first = next((each for each in document.children if not isinstance(each, _UNSEEN)), None)
    if not isinstance(first, nodes.field_list):
        return {}
    document.remove(first)
    return _fields(first)


def _first_list(document: nodes.document) -> nodes.Element | None:
    """Return the fields right below the title."""
    section = next((each for each in document.children if isinstance(each, nodes.section)), None)
    first = next((each for each in section.children if not isinstance(each, _UNSEEN)), None) if section else None
    return first if isinstance(first, nodes.field_list) else None


def _fields(fields: nodes.Element | None) -> dict[str, str]:
    pairs = [(each.children[0].astext(), each.children[1].astext()) for each in (fields or ())]
    return {name: " ".join(value.split()) for name, value in pairs if value.strip()}


def _entries(node: nodes.Element) -> Iterator[nodes.Element]:
    for each in node.children:
        if isinstance(each, nodes.Element) and len(each.children) > 1:
            yield each


def _table_of(row: nodes.Node) -> nodes.Node | None:
    node: nodes.Node | None = row
    while node is not None and not isinstance(node, nodes.table):
        node = node.parent
    return node


def _unresolved(text: str) -> str:
    """Return the words of a link or a substitution that leads nowhere."""
    if match := _UNRESOLVED.fullmatch(text):
        text = next(part for part in match.groups() if part is not None)
    return "" if _TAG.fullmatch(text.strip()) else text
