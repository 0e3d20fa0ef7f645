"""Markdown: markdown-it tells which lines are what, the passages are slices of the text without its markup."""

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace
from functools import lru_cache

from markdown_it import MarkdownIt
from markdown_it.token import Token

from agent.types import Category
from storage.ingest.dates import told
from storage.ingest.encodings import decode
from storage.ingest.formats import asked_as, containers, html
from storage.ingest.formats.code_parts import Code
from storage.ingest.formats.escapes import unescaped
from storage.ingest.formats.figures import described
from storage.ingest.formats.long_tables import with_headers
from storage.ingest.formats.markup import stripped
from storage.ingest.formats.references import resolved
from storage.ingest.parsed import Element, Extracted
from storage.ingest.passages import language_of_document
from storage.ingest.titles import BELOW, is_title

_LINE_END = re.compile(r"\r\n?|\n")  # as markdown-it counts lines
_FRONT_MATTER = re.compile(r"---[ \t]*\r?\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)
_NUMBER = re.compile(r"^([ \t]*\d{1,3})\\([.)][ \t])", re.MULTILINE)
"""A number that is not to begin a list reads as one of a list all the same, as the numbers of a statute do."""
_ONE = re.compile(r"^([ \t>]*(?:[-*+][ \t]+)?)1([.)](?:[ \t]|$))", re.MULTILINE)
_ONE_DIGIT = 9
"""Items of a list up to which their numbers are as wide as 1; what stands below an item is put as far to the right."""
_MYST = re.compile(r"^[ \t>]*(?:`{3,}|~{3,})\{[A-Za-z]|^\([\w .:/-]+\)=[ \t]*$", re.MULTILINE)
"""A directive or a target of MyST."""
_BOLD_BEHIND_ITEM = re.compile(
    r"^([ \t]*+(?:[-*+]|\d{1,3}[.)])[ \t]\S[^\n]*+\n)(?=(?:\*\*|__)[^*_\n]{2,80}(?:\*\*|__):?[ \t]*+$)", re.MULTILINE
)
"""A line in bold and at the margin right behind an item: read as part of it, but written to head what follows."""
_INDENTED = re.compile(r"(?:\A|\n)(?: {4}|[ ]{0,3}\t)")
_INDENT = 4
"""Columns from which a line is code (commonmark.org, "Indented code blocks")."""
_TICKS = re.compile(r"`{3,}+")
_OPEN_RULER = re.compile(r"^ {0,3}:?-++:?[ \t]*+\|[ \t:|-]*+$", re.MULTILINE)
"""The line below the header of a table whose rows have no outer bars."""
_COMMENT = re.compile(r"(?:\s*+<!--(?:(?!-->).)*+-->)++\s*+", re.DOTALL)
_LINK = re.compile(r"!?\[([^\]]{0,500}+)\](?:\([^)]{0,2000}+\)|\[[^\]]{0,500}+\])")
_MARK = re.compile(r"[*`]|(?<!\w)_|_(?!\w)|\\(?=[^\w\s])|<[^>]{1,1000}+>")
# Pictures alone, each perhaps a link, with a caption in italics below them.
_PICTURES = re.compile(
    r"(?:\s*\[?!\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])(?:\]\([^)]*\))?)+\s*+(?:[*_][^\n]{1,300}[*_]\s*+)?"
    r"|\s*<(?:figure|img|picture)\b.*",
    re.DOTALL | re.IGNORECASE,
)
_ALT = re.compile(r"!\[([^\]]*)\]|\balt\s*=\s*[\"']([^\"']*)|<figcaption[^>]*>([^<]*)", re.IGNORECASE)
_PICTURED = ("paragraph_open", "html_block")
_BOLD_LINE = re.compile(r"[ \t]*(\*\*|__)(?P<words>[^*_\n]{2,100})\1[ \t]*(?=\n|\Z)")
_LINE_MARK = re.compile(r"([^\W\d_]{1,3})\s?\d{0,3}[.:)]\s")
_CATEGORIES = {
    "paragraph_open": Category.PARAGRAPH,
    "blockquote_open": Category.PARAGRAPH,
    "html_block": Category.PARAGRAPH,
    "bullet_list_open": Category.LIST,
    "ordered_list_open": Category.LIST,
    "table_open": Category.TABLE,
    "fence": Category.CODE,
    "code_block": Category.CODE,
}


def extract(data: bytes) -> Extracted:
    """Return the blocks of a Markdown file."""
    text = decode(data)
    matter = _FRONT_MATTER.match(text)
    metadata = _front_matter(matter[1]) if matter else None
    begin = matter.end() if matter and metadata is not None else 0
    title = (metadata or {}).get("title")
    body = _without_markup(text[begin:])
    body, elements, asked = asked_as.taken(*with_headers(*unescaped(body, elements_of(body))))
    return Extracted(
        text=body,
        elements=elements,
        title=str(title) if title else "",
        metadata={key: value for key, value in (metadata or {}).items() if key != "title"},
        date=told(metadata or {}),
        asked=asked,
    )


def _without_markup(text: str) -> str:
    """Return the Markdown that is text; what is left of dialects is what every reader of Markdown knows."""
    text = _LINE_END.sub("\n", text)
    if _MYST.search(text):
        from storage.ingest.formats import myst  # brings docutils, which few texts need

        text = myst.opened(text, language_of_document(text))
    text = _fenced(_parted(containers.opened(text)))
    return _counted(_bordered(_NUMBER.sub(r"\1\2", resolved(stripped(text, html.table)))))


def _parted(text: str) -> str:
    """Return a text with an empty line before each line in bold that stands right behind an item, but for code."""
    if not _BOLD_BEHIND_ITEM.search(text):
        return text
    code = Code(text)
    return _BOLD_BEHIND_ITEM.sub(lambda item: item[0] if code.covers(item.start()) else f"{item[0]}\n", text)


def _fenced(text: str) -> str:
    """Return a text whose code is all between fences: in a part of a text none sees what is only indented."""
    if not _INDENTED.search(text):
        return text
    lines = text.split("\n")
    for token in reversed(_parser().parse(text)):  # the last first: lines are put in
        if token.type != "code_block" or not token.map:
            continue
        first, end = token.map
        while not lines[end - 1].strip():
            end -= 1
        code = token.content.rstrip("\n").split("\n")
        margin = " " * max(0, _indent(lines[first]) - _indent(code[0]) - _INDENT)
        fence = "`" * max(3, 1 + max(map(len, _TICKS.findall(token.content)), default=0))
        lines[first:end] = [f"{margin}{line}" if line.strip() else "" for line in (fence, *code, fence)]
    return "\n".join(lines)


def _indent(line: str) -> int:
    line = line.expandtabs(_INDENT)
    return len(line) - len(line.lstrip())


def _bordered(text: str) -> str:
    """Return a text whose tables all have a bar before and behind each row: many are written without."""
    if not _OPEN_RULER.search(text):
        return text
    lines = text.split("\n")
    for token in _parser().parse(text):
        if token.type == "table_open" and token.level == 0 and token.map:
            for n in range(*token.map):
                row = lines[n].strip()
                before = "" if row.startswith("|") else "| "
                behind = "" if row.endswith("|") and not row.endswith("\\|") else " |"
                lines[n] = f"{before}{row}{behind}"
    return "\n".join(lines)


def _counted(text: str) -> str:
    """Return a text whose lists that are all numbered 1 are numbered as they are shown: 1, 2, 3."""
    if len(_ONE.findall(text)) < 2:
        return text
    lines = text.split("\n")
    open_lists: list[list[tuple[int, int]]] = []
    for token in _parser().parse(text):
        if token.type == "ordered_list_open":
            open_lists.append([])
        elif token.type == "list_item_open" and token.markup in (".", ")") and token.map:
            open_lists[-1].append((token.map[0], token.map[1]))
        elif token.type == "ordered_list_close":
            items = open_lists.pop()
            keeps = len(items) <= _ONE_DIGIT or all(end - line == 1 for line, end in items)
            if keeps and all(_ONE.match(lines[line]) for line, _ in items):
                for n, (line, _) in enumerate(items, 1):
                    lines[line] = _ONE.sub(rf"\g<1>{n}\2", lines[line], count=1)
    return "\n".join(lines)


def elements_of(text: str) -> list[Element]:
    """Return the top-level blocks."""
    starts = [0, *(match.end() for match in _LINE_END.finditer(text)), len(text)]
    tokens = _parser().parse(text)
    found = (
        _element(text, starts, tokens, number) for number, token in enumerate(tokens) if token.level == 0 and token.map
    )
    elements = [each for each in found if each]
    bold = [line for each in elements if (line := _bold_line(text, each))]
    marks = {_mark(line) for line in bold if is_title(plain(line["words"]))} - {""}
    return [part for each in elements for part in _headed(text, each, marks)]


def _bold_line(text: str, element: Element) -> re.Match[str] | None:
    """Return the line in bold that a paragraph begins with."""
    return _BOLD_LINE.match(text, element.start, element.end) if element.category is Category.PARAGRAPH else None


def _mark(line: re.Match[str]) -> str:
    """Return what a line is marked with, without its number: the Q of "Q3. …"."""
    mark = _LINE_MARK.match(plain(line["words"]))
    return mark.group(1) if mark else ""


def _headed(text: str, element: Element, marks: Set[str]) -> Iterator[Element]:
    """Yield a paragraph without the bold line that it begins with, and that line as a heading; all else as it is.

    A sentence is one where it has the mark of a line that is: `marks`.
    """
    line = _bold_line(text, element)
    words = plain(line["words"]) if line else ""
    if line is None or not (is_title(words) or _mark(line) in marks):
        yield element
        return
    yield Element(category=Category.HEADING, start=element.start, end=line.end(), level=BELOW, label=words)
    rest = text[line.end() : element.end]
    if rest.strip():
        yield replace(element, start=line.end() + len(rest) - len(rest.lstrip()))


def _element(text: str, starts: Sequence[int], tokens: Sequence[Token], number: int) -> Element | None:
    token = tokens[number]
    first, last = token.map or (0, 0)
    start, end = starts[first], starts[last]
    end = start + len(text[start:end].rstrip())
    if token.type == "heading_open":
        words = plain(tokens[number + 1].content)
        return Element(category=Category.HEADING, start=start, end=end, level=int(token.tag[1:]), label=words)
    category = _CATEGORIES.get(token.type)
    if category is None or start >= end:
        return None
    if token.type == "html_block" and _COMMENT.fullmatch(text, start, end):
        return None
    if token.type in _PICTURED and (pictures := _PICTURES.fullmatch(text, start, end)):
        if not any(described(alt) for found in _ALT.findall(pictures.group()) for alt in found):
            return None
        category = Category.FIGURE
    label, lines = "", list[int]()
    if category is Category.CODE:
        lines = list(range(first, last))
    elif category in (Category.LIST, Category.TABLE):
        opening, level = ("tr_open", 2) if category is Category.TABLE else ("list_item_open", 1)
        lines = [
            each.map[0] for each in _inside(tokens, number) if each.type == opening and each.level == level and each.map
        ]
    if category is Category.TABLE:
        label = plain(
            " | ".join(cell.strip() for cell in text[start : starts[first + 1]].strip().strip("|").split("|"))
        )
    return Element(category=category, start=start, end=end, label=label, borders=tuple(starts[line] for line in lines))


def _inside(tokens: Sequence[Token], number: int) -> Sequence[Token]:
    """Return the tokens up to the one that closes this block."""
    for after in range(number + 1, len(tokens)):
        if tokens[after].level == 0:
            return tokens[number + 1 : after]
    return tokens[number + 1 :]


def plain(text: str) -> str:
    """Return a line of Markdown without its marks."""
    return " ".join(_MARK.sub("", _LINK.sub(r"\1", text)).split())


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark").enable("table")
    # Which words are bold is not asked; only the blocks are.
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser


def _front_matter(block: str) -> Mapping[str, object] | None:
    """Return the plain values of a front matter; None when the lines between the rules are none."""
    import yaml

    try:
        values = yaml.safe_load(block)
    except yaml.YAMLError:
        return None
    if not isinstance(values, dict):
        return None
    return {
        str(key): value if isinstance(value, str | int | float | bool) else str(value) for key, value in values.items()
    }
