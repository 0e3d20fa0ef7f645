"""Tables in the text of passages: rows of Markdown."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from agent.teams.analysis.table import MOST_CELLS, Row, Table
from agent.types import Block, Passage, Support

_RULE = re.compile(r"\s*+(?:\|\s*+)?:?-{2,}+:?\s*+(?:\|\s*+:?-{2,}+:?\s*+)*+\|?\s*+")
_BORDER = re.compile(r"(?<!\\)\|")


@dataclass(slots=True)
class _Found:
    """A table as it stands in one passage."""

    header: tuple[str, ...] | None
    rows: list[Row] = field(default_factory=list)
    above: str = ""
    opens: bool = False
    """Whether nothing stands above it in its passage."""
    closes: bool = False
    """Whether nothing stands below it."""


class _Building:
    """A table whose rows may go on in the next passage."""

    def __init__(self, passage: Passage, found: _Found, block: Block) -> None:
        self.header = found.header or ()
        self.rows: list[Row] = []
        self.whole = True
        self._passage = passage
        self._above = found.above
        self._blocks: list[Block] = []
        self.add(found, block)

    def add(self, found: _Found, block: Block) -> None:
        """Take the rows of one passage."""
        first = len(self.rows) + 1 + bool(self.header)
        self.rows += [replace(row, number=number) for number, row in enumerate(found.rows, start=first)]
        self._blocks.append(block)

    def table(self, rank: int) -> Table:
        """Return the table."""
        return Table(
            title=self._passage.title or self._passage.document_id,
            section=_section(self._passage.section, self.header),
            header=self.header,
            rows=tuple(self.rows),
            blocks=tuple(self._blocks),
            above=self._above,
            whole=self.whole,
            rank=rank,
        )


def tables_of(blocks: Sequence[Block], *, rank: int = 0) -> list[Table]:
    """Return the tables in the passages of one document, which come in its order.

    A table that goes on in the next passage is one: its header is repeated there, or told by the section.
    """
    out: list[_Building] = []
    last: Passage | None = None
    cells = 0
    for block in blocks:
        passage = block.passage
        for found in _found(block):
            cells += max(len(row.cells) for row in found.rows) * len(found.rows)
            if cells > MOST_CELLS and out:
                out[-1].whole = False
                return [each.table(rank) for each in out]
            if last is not None and found.opens and _goes_on(last, out[-1], passage, found):
                out[-1].add(found, block)
            else:
                out.append(_Building(passage, found, block))
            last = passage if found.closes else None
    return [each.table(rank) for each in out]


def rows_by_cells(tables: Sequence[Table]) -> dict[tuple[str, ...], Support]:
    """Return where each row stands, by its cells that are not empty."""
    found: dict[tuple[str, ...], Support] = {}
    for table in tables:
        for row in table.rows:
            if row.support is not None:
                found.setdefault(tuple(cell for cell in row.cells if cell), row.support)
    return found


def _goes_on(last: Passage, before: "_Building", passage: Passage, found: _Found) -> bool:
    if (passage.collection, passage.document_id) != (last.collection, last.document_id):
        return False
    if passage.position != last.position + 1:
        return False
    if found.header is not None:
        return found.header == before.header and passage.section == last.section
    label = " | ".join(before.header)
    told = bool(label) and passage.section.endswith(label)
    return told or (passage.section == last.section and len(found.rows[0].cells) == len(before.rows[-1].cells))


def _section(section: str, header: tuple[str, ...]) -> str:
    label = " | ".join(header)
    return section.removesuffix(label).removesuffix(" > ") if label else section


def _found(block: Block) -> Iterator[_Found]:
    """Yield the tables of one passage that have rows."""
    lines = _lines(block.passage.text)
    at = 0
    last_text = ""
    opens = True
    while at < len(lines):
        found, after = _bordered(lines, at, block.n)
        if found is None:
            if lines[at][2].strip():
                last_text, opens = lines[at][2].strip(), False
            at += 1
            continue
        if found.rows:
            found.above, found.opens = last_text, opens
            found.closes = not any(text.strip() for _, _, text in lines[after:])
            yield found
        at, last_text, opens = after, "", False


def _lines(text: str) -> list[tuple[int, int, str]]:
    out, start = [], 0
    for line in text.split("\n"):
        out.append((start, start + len(line), line))
        start += len(line) + 1
    return out


def _bordered(lines: Sequence[tuple[int, int, str]], at: int, n: int) -> tuple[_Found | None, int]:
    """Return the rows of Markdown that begin here, and where they end."""
    stop = at
    while stop < len(lines) and _BORDER.search(lines[stop][2]):
        stop += 1
    ruled = next((i for i in range(at, stop) if _RULE.fullmatch(lines[i][2])), None)
    bare = not all(line[2].strip().startswith("|") for line in lines[at:stop])
    if stop == at or (bare and ruled is None):
        return None, at
    found = _Found(header=None)
    if ruled == at + 1:
        found.header = _cells(lines[at][2])
    for i in range(at if found.header is None else at + 2, stop):
        start, end, line = lines[i]
        if not _RULE.fullmatch(line):
            found.rows.append(Row(_cells(line), 0, Support(block=n, start=start, end=end)))
    return found, stop


def _cells(line: str) -> tuple[str, ...]:
    inner = line.strip().removeprefix("|")
    inner = inner[:-1] if inner.endswith("|") and not inner.endswith("\\|") else inner
    return tuple(cell.strip().replace("\\|", "|") for cell in _BORDER.split(inner))
