"""Plain text: paragraphs between blank lines; a title and headings where lines stand as such."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from agent.language.lexicon import mapping, pattern, regex
from agent.types import Category
from storage.ingest.encodings import decode
from storage.ingest.formats.aligned import tabled
from storage.ingest.parsed import Element, Extracted
from storage.ingest.titles import BELOW, is_letter_field, is_title

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")
_UNDERLINE = re.compile(r"(=|-|~)\1{2,}\s*$")
_CHAPTER = pattern("documents.chapter")
_CHAPTER_LEVELS = mapping("documents.chapter_levels")
_BULLET = re.compile(rf"\s*(?:[-*•·▪○●◦□▷▶‣※①-⑳]|\d{{1,3}}[.)]|{regex('documents.list_mark')}\.)\s")
SECTION = BELOW - 1
_SECTION = re.compile(r"\s*(?:[Ⅰ-Ⅻ]\s?[.)]|[■◆▣◈])\s*(?=\S)")
"""What a line begins with that heads a part of a notice: Ⅱ., ■."""
_ROW = re.compile(r"\| .* \|$")
_ITEM = re.compile(r"\s*[-*•]\s")
_NUMBERED = re.compile(r"\s*\d{1,3}[.)]\s")
_LABEL = re.compile(r"\s*\w{1,16}[:：]\s")
"""What a line of fields begins with: who was there, who was not."""
_QUOTED = re.compile(r"\s*>")
_RUN_IN = re.compile(r"(?P<head>[^\W\d_][^\n:：.!?;,]{1,39})[:：][ \t]+(?=\S)")
"""The head of a paragraph that stands in its first line, as in notes of a meeting: what it is about, and a colon."""
_RUN_IN_HEADS = 3
"""Paragraphs with such a head that make it the form of a text."""
_HEAD_LINES = 3
"""Lines at the top of a text that may be its title with its version and date, one below the other."""
_NARROW = 0.6
"""Share of the widest line of a paragraph below which its first one was ended on purpose."""


def extract(data: bytes) -> Extracted:
    """Return the paragraphs, lists and headings of a plain text."""
    text = tabled(decode(data))
    return Extracted(text=text, elements=elements_of(text, titled=True))


def elements_of(text: str, *, titled: bool = False) -> list[Element]:
    """Return the elements of a text; together they hold all that is not white space.

    `titled`: its first line may be its title.
    """
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
        elif _SECTION.match(line) and is_title(line.strip()) and len(line) <= 60:
            _close(text, block, elements)
            elements.append(_heading(text, start, end, SECTION, line))
        elif (chapter := _CHAPTER.match(line)) and len(line) <= 60:
            _close(text, block, elements)
            elements.append(_heading(text, start, end, _CHAPTER_LEVELS[chapter["level"]], line))
        else:
            block.append((start, end))
    _close(text, block, elements)
    elements = _run_in_heads(text, _numbered_heads(text, elements))
    heads = [each.label for each in elements if each.level == BELOW]
    asks = len(heads) > 1 and all(head.endswith("?") for head in heads[:2])
    if titled and len(elements) > 1 and not asks:  # the first of many questions is no title
        elements[:1] = _as_title(text, elements[0])
    return elements


def _numbered_heads(text: str, elements: Sequence[Element]) -> list[Element]:
    """Return the elements, numbered lines alone as headings, where each of them has something below it."""
    alone = [each.category is Category.PARAGRAPH and _is_numbered_title(text, each) for each in elements]
    if any(mine and (below is None or below) for mine, below in zip(alone, [*alone[1:], None], strict=False)):
        return list(elements)
    return [_heading(text, each.start, each.end, BELOW, text[each.start : each.end]) if mine else each
            for each, mine in zip(elements, alone, strict=True)]  # fmt: skip


def _run_in_heads(text: str, elements: Sequence[Element]) -> list[Element]:
    """Return the elements, the heads of paragraphs as headings, where most of several have one, each another."""
    plain = [each for each in elements if each.category is Category.PARAGRAPH]
    heads = {each.start: found for each in plain if (found := _RUN_IN.match(text, each.start, each.end))}
    names = {found["head"].rstrip("0123456789 ").casefold() for found in heads.values()}  # Q1 and Q2 are one
    are_few = len(heads) < max(_RUN_IN_HEADS, len(plain) / 2)
    if are_few or len(names) < len(heads) or any(is_letter_field(found.group()) for found in heads.values()):
        return list(elements)
    out: list[Element] = []
    for each in elements:
        if found := heads.get(each.start):
            out.append(_heading(text, each.start, found.end("head") + 1, BELOW, found["head"]))
            each = replace(each, start=found.end())
        out.append(each)
    return out


def _is_numbered_title(text: str, element: Element) -> bool:
    words = text[element.start : element.end]
    return bool(_NUMBERED.match(words)) and "\n" not in words and is_title(words.strip())


def _is_short(text: str, line: tuple[int, int]) -> bool:
    return line[1] - line[0] <= 100 and not _BULLET.match(text, *line)


def _heading(text: str, start: int, end: int, level: int, words: str) -> Element:
    return Element(category=Category.HEADING, start=start, end=end, level=level, label=" ".join(words.split()))


def _as_title(text: str, first: Element) -> list[Element]:
    """Return the first element of a text with its first line as title, where none of its few lines is a sentence."""
    if first.level == BELOW:
        return [_heading(text, first.start, first.end, 0, text[first.start : first.end])]
    line, _, rest = text[first.start : first.end].partition("\n")
    end = first.start + len(line.rstrip())
    lines = [line, *rest.splitlines()]
    if first.category is not Category.PARAGRAPH or len(lines) > _HEAD_LINES:
        return [first]
    if not _is_title(text, (first.start, end)) or not all(is_title(each.strip()) for each in lines):
        return [first]
    title = _heading(text, first.start, end, 0, line)
    below = first.start + len(line) + 1
    return [title, replace(first, start=below + len(rest) - len(rest.lstrip()))] if rest else [title]


def _is_title(text: str, line: tuple[int, int]) -> bool:
    """Tell whether a line could be a title or a heading by its words alone."""
    words = text[slice(*line)].strip()
    no_words = _BULLET.match(words + " ") or _QUOTED.match(words) or _ROW.match(words)
    return is_title(words) and not (no_words or is_letter_field(words))


def _heads(text: str, block: Sequence[tuple[int, int]]) -> Iterator[bool]:
    """Yield for each line of a block whether it is the heading of what stands below it in the block.

    The first line is, without a label itself, where it asks what the next one answers, leads to a list or to what has
    a label, or ends before the others do; further on, a numbered line over points that are not, or over text where it
    was ended on purpose, and any line over what stands further in.
    """
    widest = max(end - start for start, end in block)
    leading = _leading_further_in(text, block)
    for place, (line, after) in enumerate(pairwise(block)):
        ends_early = line[1] - line[0] < _NARROW * widest and not text[slice(*after)].strip()[:1].islower()
        over_points = _BULLET.match(text, *after) is not None
        if _indent(text, line) in leading and not _ITEM.match(text, *line):
            yield over_points or ends_early
            continue
        ends_early = ends_early and _indent(text, after) <= _indent(text, line)
        if _NUMBERED.match(text, *line):
            leads = not _NUMBERED.match(text, *after) and is_title(text[slice(*line)].strip())
            yield leads and (over_points or ends_early)
        elif place or not _is_title(text, line) or _LABEL.match(text, *line):
            yield False
        elif over_points or _LABEL.match(text, *after):
            yield True
        elif text[slice(*line)].endswith("?"):
            yield not text[slice(*after)].endswith("?")
        else:
            yield ends_early
    yield False


def _leading_further_in(text: str, block: Sequence[tuple[int, int]]) -> set[int]:
    """Return how far in the lines stand of which each is a title by its words over a line that stands further in."""
    leading, others = set[int](), {_indent(text, block[-1])}
    for line, after in pairwise(block):
        indent = _indent(text, line)
        leads = _indent(text, after) > indent and is_title(text[slice(*line)].strip())
        (leading if leads else others).add(indent)
    return leading - others


def _indent(text: str, line: tuple[int, int]) -> int:
    words = text[slice(*line)]
    return len(words) - len(words.lstrip())


def _close(text: str, block: list[tuple[int, int]], elements: list[Element]) -> None:
    """Make elements of the lines gathered so far: headings, and a paragraph or list below each."""
    if not block:
        return
    part: list[tuple[int, int]] = []
    for line, is_heading in zip(block, _heads(text, block), strict=True):
        if is_heading:
            _gather(text, part, elements)
            part = []
            elements.append(_heading(text, *line, BELOW, text[slice(*line)]))
        else:
            part.append(line)
    _gather(text, part, elements)
    block.clear()


def _gather(text: str, lines: list[tuple[int, int]], elements: list[Element]) -> None:
    """Make a paragraph, a list or a table of some lines."""
    if not lines:
        return
    if all(_ROW.match(text, start, end) for start, end in lines):
        elements.append(Element(category=Category.TABLE, start=lines[0][0], end=lines[-1][1]))
        return
    items = tuple(start for start, end in lines if _BULLET.match(text, start, end))
    is_list = len(items) > 1 and items[0] == lines[0][0]
    elements.append(
        Element(
            category=Category.LIST if is_list else Category.PARAGRAPH,
            start=lines[0][0],
            end=lines[-1][1],
            borders=items if is_list else (),
        )
    )
