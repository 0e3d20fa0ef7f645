"""Where the code of a Markdown text stands, in which nothing is markup, and changes to what is around it."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache

from markdown_it import MarkdownIt
from markdown_it.token import Token

from storage.ingest.parsed import Element

Span = tuple[int, int]
Edit = tuple[int, int, str]
"""What stands at `start:end` becomes this."""

_LONGEST_SPAN = 4_000
"""Characters within which inline code must end; a lone backtick is a character."""
_TICKS = re.compile(r"\\.|`+", re.DOTALL)


def line_starts(text: str) -> list[int]:
    """Return where the lines of a text begin, and its end."""
    return [0, *(match.end() for match in re.finditer("\n", text)), len(text)]


@lru_cache(maxsize=1)
def parser() -> MarkdownIt:
    """Return what finds blocks where tags are text: a tag must not hide the code that follows it."""
    found = MarkdownIt("commonmark", {"html": False}).enable("table")
    found.core.ruler.enableOnly(["normalize", "block"])
    return found


class Code:
    """Tells what of a text is code."""

    def __init__(self, text: str, tokens: Sequence[Token] | None = None) -> None:
        self._text = text
        starts = line_starts(text)
        self.blocks = [
            (starts[token.map[0]], starts[token.map[1]])
            for token in (parser().parse(text) if tokens is None else tokens)
            if token.type in ("fence", "code_block") and token.map
        ]
        self._starts = [start for start, _ in self.blocks]

    def end_of_block(self, at: int) -> int:
        """Return where the block ends that this place is in; 0 where it is in none."""
        return _end(self.blocks, self._starts, at)

    def covers(self, at: int) -> bool:
        """Tell whether this place is in a block of code or in inline code."""
        return bool(self.end_of_block(at) or _end(self._spans, self._span_starts, at))

    def end_of_span(self, at: int) -> int:
        """Return where the inline code ends that the backticks here begin; where they end if it is none."""
        text, stop = self._text, at
        while text.startswith("`", stop):
            stop += 1
        last = min(at + _LONGEST_SPAN, len(text))
        paragraph = text.find("\n\n", stop, last)
        for match in re.compile("`+").finditer(text, stop, last if paragraph < 0 else paragraph):
            if match.end() - match.start() == stop - at:
                return match.end()
        return stop

    @cached_property
    def _spans(self) -> list[Span]:
        spans, at = list[Span](), 0
        while match := _TICKS.search(self._text, at):
            at = self.end_of_block(match.start()) or match.end()
            if at == match.end() and match.group()[0] == "`":
                at = self.end_of_span(match.start())
                spans.append((match.start(), at))
        return spans

    @cached_property
    def _span_starts(self) -> list[int]:
        return [start for start, _ in self._spans]


def _end(spans: Sequence[Span], starts: Sequence[int], at: int) -> int:
    number = bisect_right(starts, at) - 1
    return spans[number][1] if number >= 0 and at < spans[number][1] else 0


class Edited:
    """A text after some changes, and where its places went."""

    def __init__(self, text: str, edits: Iterable[Edit]) -> None:
        parts, at, self._ends, self._moved, moved = list[str](), 0, list[int](), [0], 0
        for start, end, new in sorted(edits):
            if start < at:
                continue  # within what was changed already
            parts += (text[at:start], new)
            at = end
            moved += len(new) - (end - start)
            self._ends.append(end)
            self._moved.append(moved)
        parts.append(text[at:])
        self.text = "".join(parts)

    def place(self, at: int) -> int:
        """Return where a place that is not within a change has gone."""
        return at + self._moved[bisect_right(self._ends, at)]

    def moved(self, element: Element) -> Element:
        """Return an element where it has gone."""
        borders = tuple(map(self.place, element.borders))
        return replace(element, start=self.place(element.start), end=self.place(element.end), borders=borders)
