"""Plain text: paragraphs between blank lines; headings only where they are unmistakable."""

import re

from agent.language.lexicon import mapping, pattern, regex
from agent.types import Category
from storage.ingest.encodings import decode
from storage.ingest.parsed import Element, Extracted

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")
_UNDERLINE = re.compile(r"(=|-|~)\1{2,}\s*$")
_CHAPTER = pattern("documents.chapter")
_CHAPTER_LEVELS = mapping("documents.chapter_levels")
_BULLET = re.compile(rf"\s*(?:[-*•·▪]|\d{{1,3}}[.)]|{regex('documents.list_mark')}\.)\s")


def extract(data: bytes) -> Extracted:
    """Return the paragraphs, lists and headings of a plain text."""
    text = decode(data)
    return Extracted(text=text, elements=elements_of(text))


def elements_of(text: str) -> list[Element]:
    """Return the elements of a text; together they hold all that is not white space."""
    elements: list[Element] = []
    block: list[tuple[int, int]] = []
    for match in _LINE.finditer(text):
        start, end = match.start(), match.start() + len(match.group().rstrip())
        line = text[start:end]
        if not line.strip():
            _close(text, block, elements)
        elif len(block) == 1 and _UNDERLINE.fullmatch(line) and _is_short(text, block[0]):
            # Two lines, a title and its underline.
            first = block.pop()
            elements.append(_heading(text, first[0], end, 1 if line[0] == "=" else 2, text[slice(*first)]))
        elif (chapter := _CHAPTER.match(line)) and len(line) <= 60:
            _close(text, block, elements)
            elements.append(_heading(text, start, end, _CHAPTER_LEVELS[chapter["level"]], line))
        else:
            block.append((start, end))
    _close(text, block, elements)
    return elements


def _is_short(text: str, line: tuple[int, int]) -> bool:
    return line[1] - line[0] <= 100 and not _BULLET.match(text, *line)


def _heading(text: str, start: int, end: int, level: int, words: str) -> Element:
    return Element(category=Category.HEADING, start=start, end=end, level=level, label=" ".join(words.split()))


def _close(text: str, block: list[tuple[int, int]], elements: list[Element]) -> None:
    """Make an element of the lines gathered so far."""
    if not block:
        return
    items = tuple(start for start, end in block if _BULLET.match(text, start, end))
    is_list = len(items) > 1 and items[0] == block[0][0]
    elements.append(
        Element(
            category=Category.LIST if is_list else Category.PARAGRAPH,
            start=block[0][0],
            end=block[-1][1],
            borders=items if is_list else (),
        )
    )
    block.clear()
