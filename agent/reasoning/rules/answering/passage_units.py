"""A passage cut into the pieces that an answer can quote: sentences, list items, table rows, code blocks.

Places are offsets into the passage's own text, so that every quote is verbatim.
"""

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from agent.language.lexicon import pattern, regex
from agent.text import TABLE_RULER, sentences
from agent.types import Category, Passage
from agent.values.dates import NO_DOTTED_DAY


class Shape(StrEnum):
    """What a unit is in its document."""

    SENTENCE = "sentence"
    ITEM = "item"
    ROW = "row"
    CODE = "code"
    HEADING = "heading"


@dataclass(frozen=True, slots=True)
class Unit:
    """A quotable piece; `group` is equal for the units of one paragraph, list, table or code block."""

    shape: Shape
    start: int
    end: int
    group: int
    heading: int = -1
    """Which unit is the nearest heading above it; -1: none in this passage."""
    header: int = -1
    """A table row's header row, as a unit; -1: none."""
    ordered: bool = False


_FENCE = re.compile(r"^\s*(?:(?:[-*+]|\d{1,3}[.)])\s+)?(`{3,}(?=[^`]*$)|~{3,})")
"""Code begins or ends: in a list perhaps as all that an item is."""
_HEADING = re.compile(r"^\s{0,3}#{1,6}\s+\S")
_BOLD_LINE = re.compile(r"^\s*(?:\*\*|__)[^*_]{2,80}(?:\*\*|__):?\s*$")
_ITEM = re.compile(
    rf"^\s*(?:[-*+•·‣▪○●◦]\s+|(?P<n>{NO_DOTTED_DAY}\d{{1,3}}[.)]|\(\d{{1,2}}\)|[①-⑳])\s*(?=\S)|"
    rf"(?P<k>{regex('documents.list_letters')}[.)])\s+)"
)
_FIELD = re.compile(r"^\s*(?:[^\W\d_][^.!?:：|]{0,24}?[:：]|[^\W\d_a-z][^.!?:：|]{0,24}?\s[–—-])\s+\S(?!.*\?\s*$)")
"""A line that begins with a label: who was there, what it costs; a question with one is none."""
_SETTING = re.compile(
    r"[^\W\d_][^:：]{0,40}[:：]\s*(?:[`\"'“\[{<].*|[-+]?\d\S*(?:\s\S+)?|(?i:true|false|none|null)\b.*)$"
)
"""A name with a value as it is typed: `Default: 16`; what has words there may be a heading."""
_ITEM_NUMBER = re.compile(r"^\s*\d+[.)]\S")
_ROW = re.compile(r"^\s*\|.*\|\s*$|^(?!\t+[^\t]*$)[^|\t]*(?:\t[^\t]*)+$|^[^|]+(?:\s\|\s[^|]+){2,}$")
_UNDERLINE = re.compile(r"^\s*(?:={3,}|-{3,})\s*$")
_TERMINAL = re.compile(r"[.!?。:;,…][\"'”’)\]]*$")
_NOTE = re.compile(rf"(?:{regex('documents.amendment_notes')})$")
_LONG_WORD = re.compile(r"\S{40,}")
NOTE = 200
"""Characters of a note of when a provision was changed."""


@dataclass(frozen=True, slots=True)
class _Line:
    text: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)


def units_of(passage: Passage) -> tuple[Unit, ...]:
    """Return the units of a passage in document order."""
    return _cut(passage.text, passage.category, passage.section)


@lru_cache(maxsize=4096)
def _cut(text: str, category: Category, section: str) -> tuple[Unit, ...]:
    if category == Category.CODE and not any(map(_FENCE.match, text.splitlines())):
        span = _trim(text, 0, len(text))
        return (Unit(Shape.CODE, *span, group=0),) if span else ()
    return tuple(_Cutter(text, category, section).run())


class _Cutter:
    """One walk over the lines of a text."""

    def __init__(self, text: str, category: Category, section: str) -> None:
        self.text = text
        self.sections = {name.strip("#* ") for name in section.split(" > ")}
        self.table = category == Category.TABLE
        self.lines: list[_Line] = []
        at = 0
        for raw in text.split("\n"):
            self.lines.append(_Line(raw, at))
            at += len(raw) + 1
        self.units: list[Unit] = []
        self.group = 0
        self.heading = -1

    def run(self) -> list[Unit]:
        i = 0
        while i < len(self.lines):
            line = self.lines[i].text
            if not line.strip() or TABLE_RULER.fullmatch(line) or _UNDERLINE.match(line):
                i += 1
                self.group += 1
            elif _FENCE.match(line):
                i = self._code(i)
            elif self._is_heading(i):
                self._add_heading(self.lines[i])
                i += 1
            elif _is_row(line) and (self.table or self._row_run(i) > 1):
                i = self._rows(i)
            elif self._is_item(line):
                i = self._items(i)
            elif self._fields(i) > 1:
                i = self._add_fields(i)
            else:
                i = self._paragraph(i)
        return self.units

    def _is_item(self, line: str) -> bool:
        return bool(_ITEM.match(line)) and not (_ITEM_NUMBER.match(line) or _FENCE.match(line))

    def _is_heading(self, i: int) -> bool:
        line = self.lines[i].text
        if _HEADING.match(line) or _BOLD_LINE.match(line) or line.strip() in self.sections:
            return True
        following = self.lines[i + 1].text if i + 1 < len(self.lines) else ""
        if _UNDERLINE.match(following) and not _UNDERLINE.match(line):
            return True
        if not self._stands_alone(i):
            return False
        if line.strip().endswith("?"):
            return True
        below = next((n for n in range(i + 1, len(self.lines)) if self.lines[n].text.strip()), None)
        if below is None or _FENCE.match(self.lines[below].text):
            return False  # what stands right above code leads to it
        return not (_HEADING.match(self.lines[below].text) or self._stands_alone(below))

    def _stands_alone(self, i: int) -> bool:
        """Tell whether a line stands between empty ones and is put like a heading: short, and no sentence."""
        line = self.lines[i].text
        bare = line.strip()
        above, following = (self.lines[n].text if 0 <= n < len(self.lines) else "" for n in (i - 1, i + 1))
        if above.strip() or following.strip() or self._is_item(line) or len(bare) > 90 or len(bare.split()) > 14:
            return False
        if "http" in bare or "](" in bare or _SETTING.match(bare):
            return False
        if bare.endswith("?"):
            return True
        stated = _TERMINAL.search(bare) or pattern("answering.statement_ends").search(bare)
        return not stated and len(list(sentences(bare))) == 1

    def _add_heading(self, line: _Line) -> None:
        span = _trim(self.text, line.start, line.end)
        if span:
            self.group += 1
            self.heading = len(self.units)
            self.units.append(Unit(Shape.HEADING, *span, group=self.group))
            self.group += 1

    def _code(self, i: int) -> int:
        mark = _FENCE.match(self.lines[i].text)
        close = i + 1
        while close < len(self.lines) and not (mark and self.lines[close].text.strip().startswith(mark.group(1))):
            close += 1
        last = min(close, len(self.lines) - 1)
        start = self.lines[i].start + (mark.start(1) if mark else 0)
        span = _trim(self.text, start, self.lines[last].end)
        if span:
            self.group += 1
            self.units.append(Unit(Shape.CODE, *span, group=self.group, heading=self.heading))
        return last + 1

    def _row_run(self, i: int) -> int:
        n = 0
        while i + n < len(self.lines) and (_is_row(line := self.lines[i + n].text) or TABLE_RULER.fullmatch(line)):
            n += 1
        return n

    def _rows(self, i: int) -> int:
        self.group += 1
        header = -1
        first = len(self.units)
        count = self._row_run(i)
        for line in self.lines[i : i + count]:
            if TABLE_RULER.fullmatch(line.text):
                if len(self.units) == first + 1:
                    header = first
                continue
            span = _trim(self.text, line.start, line.end)
            if span:
                self.units.append(Unit(Shape.ROW, *span, group=self.group, heading=self.heading, header=header))
        return i + count

    def _items(self, i: int) -> int:
        self.group += 1
        group = self.group
        while i < len(self.lines) and self._is_item(self.lines[i].text):
            mark = _ITEM.match(self.lines[i].text)
            last = i
            while last + 1 < len(self.lines) and self._continues(last + 1, i):
                last += 1
            span = _trim(self.text, self.lines[i].start, self.lines[last].end)
            if span:
                ordered = bool(mark and (mark.group("n") or mark.group("k")))
                self.units.append(Unit(Shape.ITEM, *span, group=group, heading=self.heading, ordered=ordered))
            i = last + 1
            ahead = i
            while ahead < len(self.lines) and not self.lines[ahead].text.strip():
                ahead += 1
            if ahead < len(self.lines) and ahead - i <= 1 and self._is_item(self.lines[ahead].text):
                i = ahead  # one blank line between two items does not end a list
        self.group += 1
        return i

    def _fields(self, i: int) -> int:
        """Return how many lines one below the other begin with a label."""
        n = 0
        while i + n < len(self.lines) and _FIELD.match(self.lines[i + n].text) and self._flows(i + n):
            n += 1
        return n

    def _add_fields(self, i: int) -> int:
        """Add lines with labels, each an item of a list: in running text nobody finds the one that they look for."""
        self.group += 1
        count = self._fields(i)
        for line in self.lines[i : i + count]:
            if span := _trim(self.text, line.start, line.end):
                self.units.append(Unit(Shape.ITEM, *span, group=self.group, heading=self.heading))
        self.group += 1
        return i + count

    def _continues(self, i: int, first: int) -> bool:
        line = self.lines[i].text
        if not line.strip() or self._is_item(line) or _HEADING.match(line) or _FENCE.match(line) or _is_row(line):
            return False
        indented = len(line) - len(line.lstrip()) > len(self.lines[first].text) - len(self.lines[first].text.lstrip())
        return indented or not _TERMINAL.search(self.lines[i - 1].text.rstrip())

    def _paragraph(self, i: int) -> int:
        self.group += 1
        last = i
        while last + 1 < len(self.lines) and self._flows(last + 1):
            last += 1
        block = self.lines[i : last + 1]
        width = max(_width(line.text) for line in block)
        start = block[0].start
        for line, following in zip(block, [*block[1:], None], strict=True):
            if following is not None and not self._breaks(line.text, following.text, width):
                continue
            piece = self.text[start : line.end]
            for a, b in sentences(piece):
                if span := _trim(self.text, start + a, start + b):
                    self.units.append(Unit(Shape.SENTENCE, *span, group=self.group, heading=self.heading))
            start = line.end + 1
        return last + 1

    def _flows(self, i: int) -> bool:
        line = self.lines[i].text
        return bool(line.strip()) and not (
            self._is_item(line)
            or _HEADING.match(line)
            or _FENCE.match(line)
            or TABLE_RULER.fullmatch(line)
            or (_is_row(line) and (self.table or self._row_run(i) > 1))
        )

    @staticmethod
    def _breaks(line: str, following: str, width: int) -> bool:
        """Tell whether a line break ends a thought: the text was not wrapped at this width there."""
        return _width(line) < 0.6 * width and not following.strip()[:1].islower()


def _is_row(line: str) -> bool:
    """Tell whether a line is a row of a table; a bar within brackets parts no cells: `[-p | --patch] [-k]`."""
    if not _ROW.match(line):
        return False
    cells = [] if line.lstrip().startswith("|") else line.split(" | ")
    return len(cells) < 2 or all(cell.count("[") == cell.count("]") for cell in cells)


def _width(line: str) -> int:
    """Return how wide a line was wrapped: a long word, such as an address, cannot be, and counts as a short one."""
    return len(_LONG_WORD.sub("", line))


def _trim(text: str, start: int, end: int) -> tuple[int, int] | None:
    """Return where a piece begins and ends without space around it, and without notes of when it was changed."""
    while start < end and text[start].isspace():
        start += 1
    while start < end:
        if text[end - 1].isspace():
            end -= 1
        elif note := _NOTE.search(text, max(start, end - NOTE), end):
            end = note.start()
        else:
            return start, end
    return None
