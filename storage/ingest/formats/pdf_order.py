"""The order in which the lines of a PDF page are read, which is not always the one in which they are written down."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from itertools import chain

from storage.ingest.formats.pdf_lines import SAME_LINE, Line

_APART = 0.7
"""Lines whose heights differ by less, as a share of the type's size, stand beside one another."""


def in_order(lines: Iterable[Line]) -> list[Line]:
    """Return the lines of a page; those that were written later into gaps between others where they stand.

    So browsers print boxes that could be scrolled, and other programs headers and notes. Columns stay one after the
    other: their lines stand beside one another.
    """
    read: list[list[Line]] = []
    for run in _runs(lines):
        for above in read:
            if _fits(run, above):
                above += run
                above.sort(key=lambda line: -line.y)
                break
        else:
            read.append(run)
    return list(chain.from_iterable(read))


def _runs(lines: Iterable[Line]) -> Iterator[list[Line]]:
    """Yield the lines that were written down from above to below."""
    run: list[Line] = []
    for line in lines:
        if run and line.y > run[-1].y + SAME_LINE * max(line.size, 1.0):
            yield run
            run = []
        run.append(line)
    if run:
        yield run


def _fits(run: Iterable[Line], above: Iterable[Line]) -> bool:
    """Tell whether no line of a run stands beside one of those that were written before it."""
    heights = sorted(line.y for line in above)
    for line in run:
        near = _APART * max(line.size, 1.0)
        at = bisect_left(heights, line.y - near)
        if at < len(heights) and heights[at] < line.y + near:
            return False
    return True
