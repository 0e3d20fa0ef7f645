"""Tables in the text of passages: rows of Markdown."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from agent.teams.analysis.table import MOST_CELLS, Row, Table
from agent.types import Block, Support

_RULE = re.compile(r"\s*+(?:\|\s*+)?:?-{2,}+:?\s*+(?:\|\s*+:?-{2,}+:?\s*+)*+\|?\s*+")
_BORDER = re.compile(r"(?<!\\)\|")


@dataclass(slots=True)
class _Found:
    """A table as it stands in one passage."""

    block: Block
    header: tuple[str, ...] | None = None
    rows: list[Row] = field(default_factory=list)
    above: str = ""
    opens: bool = False
    """Whether nothing stands above it in its passage."""
    closes: bool = False
    """Whether nothing stands below it."""


def tables_of(blocks: Sequence[Block], *, rank: int = 0) -> list[Table]:
    """Return the tables in the passages of one document, which come in its order.

    A table that goes on in the next passage is one: its header is repeated there, or told by the section.
    """
    tables: list[list[_Found]] = []
    cells = 0
    for found in (found for block in blocks for found in _found(block)):
        cells += max(len(row.cells) for row in found.rows) * len(found.rows)
        if cells > MOST_CELLS and tables:
            *others, last = (_table(parts, rank) for parts in tables)
            return [*others, replace(last, whole=False)]
        if tables and _goes_on(tables[-1], found):
            tables[-1].append(found)
        else:
            tables.append([found])
    return [_table(parts, rank) for parts in tables]


def _table(parts: Sequence[_Found], rank: int) -> Table:
    first, passage, header = parts[0], parts[0].block.passage, parts[0].header or ()
    label = " | ".join(header)
    rows = enumerate((row for part in parts for row in part.rows), start=1 + bool(header))
    return Table(
        title=passage.title or passage.document_id,
        section=passage.section.removesuffix(label).removesuffix(" > ") if label else passage.section,
        header=header,
        rows=tuple(replace(row, number=number) for number, row in rows),
        blocks=tuple(part.block for part in parts),
        above=first.above,
        rank=rank,
    )


def rows_by_cells(tables: Sequence[Table]) -> dict[tuple[str, ...], Support]:
    """Return where each row stands, by its cells that are not empty."""
    found: dict[tuple[str, ...], Support] = {}
    for table in tables:
        for row in table.rows:
            if row.support is not None:
                found.setdefault(tuple(cell for cell in row.cells if cell), row.support)
    return found


def _goes_on(parts: Sequence[_Found], found: _Found) -> bool:
    """Tell whether the last table goes on in what was found in the next passage."""
    last, passage, header = parts[-1].block.passage, found.block.passage, parts[0].header or ()
    if not (parts[-1].closes and found.opens) or passage.position != last.position + 1:
        return False
    if (passage.collection, passage.document_id) != (last.collection, last.document_id):
        return False
    if found.header is not None:
        return found.header == header and passage.section == last.section
    told = bool(header) and passage.section.endswith(" | ".join(header))
    return told or (passage.section == last.section and len(found.rows[0].cells) == len(parts[-1].rows[-1].cells))


def _found(block: Block) -> Iterator[_Found]:
    """Yield the tables of one passage that have rows."""
    lines = _lines(block.passage.text)
    at = 0
    last_text = ""
    opens = True
    while at < len(lines):
        found, after = _bordered(lines, at, block)
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


def _bordered(lines: Sequence[tuple[int, int, str]], at: int, block: Block) -> tuple[_Found | None, int]:
    """Return the rows of Markdown that begin here, and where they end."""
    stop = at
    while stop < len(lines) and _BORDER.search(lines[stop][2]):
        stop += 1
    ruled = next((i for i in range(at, stop) if _RULE.fullmatch(lines[i][2])), None)
    bare = not all(line[2].strip().startswith("|") for line in lines[at:stop])
    if stop == at or (bare and ruled is None):
        return None, at
    found = _Found(block)
    if ruled == at + 1:
        found.header = _cells(lines[at][2])
    for i in range(at if found.header is None else at + 2, stop):
        start, end, line = lines[i]
        if not _RULE.fullmatch(line):
            found.rows.append(Row(_cells(line), 0, Support(block=block.n, start=start, end=end)))
    return found, stop


def _cells(line: str) -> tuple[str, ...]:
    inner = line.strip().removeprefix("|")
    inner = inner[:-1] if inner.endswith("|") and not inner.endswith("\\|") else inner
    return tuple(cell.strip().replace("\\|", "|") for cell in _BORDER.split(inner))
