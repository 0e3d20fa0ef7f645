"""Takes the last marks out of Markdown whose blocks are known: backslashes, entities, rules between sections."""

import html
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from agent.types import Category
from storage.ingest.formats.code_parts import Code, Edit, Edited, line_starts, parser
from storage.ingest.parsed import Element

_MARK = re.compile(
    r"\\(?P<escaped>[!-/:-@\[-`{-~])|\\(?P<broken>\n)|&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z]\w{1,30});"
)


def unescaped(text: str, elements: Sequence[Element]) -> tuple[str, list[Element]]:
    """Return text and elements as a reader sees them. Code stays as it is, and so does an escaped `|` in a table."""
    if "\\" not in text and "&" not in text and not re.search(r"^ {0,3}([-*_])[ \t]*(?:\1[ \t]*){2,}$", text, re.M):
        return text, list(elements)
    edited = Edited(text, _edits(text, elements))
    return edited.text, [replace(edited.moved(each), label=unmarked(each.label)) for each in elements]


def unmarked(line: str) -> str:
    """Return a line without backslashes and entities."""
    return _MARK.sub(lambda match: _shown(match), line)


def _edits(text: str, elements: Sequence[Element]) -> Iterator[Edit]:
    tokens = parser().parse(text)
    code, starts = Code(text, tokens), line_starts(text)
    tables = [(each.start, each.end) for each in elements if each.category is Category.TABLE]
    for token in tokens:
        if token.type == "hr" and token.map and token.level == 0:
            end = starts[token.map[1]]
            yield starts[token.map[0]], end + text.startswith("\n", end), ""
    for match in _MARK.finditer(text):
        shown = _shown(match)
        if code.covers(match.start()) or shown == match.group():
            continue
        if shown == "|" and any(start <= match.start() < end for start, end in tables):
            continue
        yield match.start(), match.end(), shown


def _shown(match: re.Match[str]) -> str:
    if match["escaped"] or match["broken"]:
        return match["escaped"] or match["broken"]
    shown = html.unescape(match.group())
    return " " if shown == "\xa0" else shown
