"""Words that a page parts at the end of a line, whole again: with a hyphen, or as Korean is set, without one."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from agent.language.ko.line_ends import LineEnds
from agent.language.lexicon import regex
from storage.ingest.formats.pdf_lines import Line

_BROKEN = re.compile(r"(?<![\w\-./@=`])([^\W\d_]*[a-zà-öø-ÿ])-$")
_REST = re.compile(r"([a-zà-öø-ÿ][^\W\d_]*)(\S*)\s?")
_WORD = re.compile(r"\S+\s?")
_HYPHENATED = re.compile(r"(?<![^\W\d_])[^\W\d_]++-[^\W\d_]+")
_BULLET = re.compile(rf"\s*(?:[•·▪●○■□◦‣–-]|\d{{1,2}}[.)]|{regex('documents.list_mark')}\.|\([0-9a-z]\))\s+\S")


def is_item(line: str) -> bool:
    """Tell whether a line begins with the mark of a list."""
    return _BULLET.match(line) is not None


class PartedWords:
    """What the lines of a document tell about the words at their ends."""

    def __init__(self, pages: Sequence[Sequence[Line]]) -> None:
        lines = [line.text for page in pages for line in page]
        self._hyphenated = frozenset(word.lower() for line in lines for word in _HYPHENATED.findall(line))
        self._korean = LineEnds([pair for page in pages for pair in _followed(page)])

    def joined(self, lines: Iterable[str]) -> Iterator[str]:
        """Yield the lines of a paragraph with such words whole, on the line that they begin on."""
        before = ""
        for line in lines:
            whole, rest = self._completed(before, line)
            if whole and rest:
                yield whole.rstrip()
            before = rest or whole
        if before:
            yield before.rstrip()

    def _completed(self, before: str, line: str) -> tuple[str, str]:
        """Return a line with the rest of its last word, and what that leaves of the line below it."""
        broken, rest = _BROKEN.search(before.rstrip()), _REST.match(line)
        if broken and rest:
            hyphen = "-" if f"{broken[1]}-{rest[1]}".lower() in self._hyphenated else ""
            return before.rstrip()[:-1] + hyphen + rest[1] + rest[2], line[rest.end() :]
        if _may_go_on(before, line) and self._korean.is_inside(before, line):
            first = _WORD.match(line)
            if first:
                return before + first.group(), line[first.end() :]
        return before, line


def _followed(page: Sequence[Line]) -> Iterator[tuple[str, str]]:
    """Yield the lines of a page whose last word may go on in the next, each with that."""
    for line, after in pairwise(page):
        plain = (
            len(line.cells) == len(after.cells) == 1 and line.size == after.size and not (line.closes or after.opens)
        )
        if plain and _may_go_on(line.text, after.text):
            yield line.text, after.text


def _may_go_on(before: str, line: str) -> bool:
    """Tell whether there is neither a space nor the mark of a list between two lines."""
    return bool(before.strip()) and not before[-1].isspace() and not is_item(line)
