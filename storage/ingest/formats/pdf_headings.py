"""Which lines of a PDF file are headings: by the size and weight of their type, and by the outline of the file."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

import pypdfium2

from storage.ingest.formats.parted_words import is_item
from storage.ingest.formats.pdf_lines import Line
from storage.ingest.titles import BELOW, is_title

_LARGER = 1.15
"""How much larger than the body's type a heading is set."""
_LONGEST_HEADING = 120
_DEEPEST = 6
"""Levels of an outline."""
_SHORTEST_TITLE = 3
"""Letters and digits of a title that is looked for within a line."""
_MOST_ENTRIES = 20_000
_SET_APART = 0.3
"""Share of the letters below which bold type sets something apart."""


@dataclass(frozen=True, slots=True)
class Levels:
    """Which lines are headings, by their type and by the outline of the file."""

    sizes: Mapping[float, int]
    """The level of each size that is larger than the body's, the largest first."""
    bold: bool
    """A short line in bold is one, too: most of the text is not."""
    outline: Mapping[int, Mapping[str, int]]
    """The level of each title by its page, from 1; empty where the file has no outline."""

    def of(self, line: Line, page: int) -> int:
        """Return the level of a line as a heading; 0 where it is none."""
        text = line.text.strip()
        if not any(map(str.isalpha, text)) or len(text) > _LONGEST_HEADING:
            return 0
        size = self.sizes.get(line.size, 0)
        is_short = self.bold and line.bold and line.closes and not line.code and not is_item(text) and is_title(text)
        if not (size or is_short):
            return 0
        if not self.outline:
            return size or BELOW
        bare, titles = _bare(text), self.outline.get(page, {})
        if bare in titles or len(bare) < _SHORTEST_TITLE:
            return titles.get(bare, BELOW)
        # A line may be a part of the title, or have the number that the outline leaves out.
        return next((level for title, level in titles.items() if bare in title or title in bare), BELOW)


def levels_of(pages: Sequence[Sequence[Line]], outline: Mapping[int, Mapping[str, int]]) -> Levels:
    """Return what tells headings in a file; `outline`: the level of each title by its page, from 1."""
    body = _body_size(pages)
    sizes = {line.size for page in pages for line in page if line.text.strip()}
    larger = sorted((size for size in sizes if size > body * _LARGER and body), reverse=True)
    bold: Counter[bool] = Counter()
    for page in pages:
        for line in page:
            bold[line.bold] += len(line.text)
    levels = {size: min(level, 6) for level, size in enumerate(larger, start=1)}
    found = Levels(levels, bold[True] < _SET_APART * bold.total(), outline)
    if not outline:
        return found
    wanted = sum(map(len, outline.values()))
    met = sum(found.of(line, page) not in (0, BELOW) for page, lines in enumerate(pages, start=1) for line in lines)
    return found if 2 * met >= wanted else replace(found, outline={})


def outline_of(reader: pypdfium2.PdfDocument) -> dict[int, dict[str, int]]:
    """Return the titles of the outline by their pages, from 1, each with its level, 1 the highest."""
    found: dict[int, dict[str, int]] = {}
    for entry in islice(reader.get_toc(max_depth=_DEEPEST), _MOST_ENTRIES):
        target = entry.get_dest()
        page = target.get_index() if target is not None else None
        if page is not None and len(title := _bare(entry.get_title())) >= _SHORTEST_TITLE:
            found.setdefault(page + 1, {})[title] = entry.level + 1
    return found


def _bare(text: str) -> str:
    return "".join(ch for ch in text.casefold() if ch.isalnum())


def _body_size(pages: Sequence[Sequence[Line]]) -> float:
    """Return the size that most of the text is set in."""
    sizes: Counter[float] = Counter()
    for page in pages:
        for line in page:
            sizes[line.size] += len(line.text.strip())
    return max(sizes, key=lambda size: sizes[size])
