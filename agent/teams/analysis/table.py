"""Tables read from rows of Markdown: names for all columns, rows of one width, each row's place in its source."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

from agent.packs.escaping import clean
from agent.text import TABLE_RULER, clipped
from agent.types import Block, Support

MOST_CELLS = 200_000
_LONGEST_NAME = 60
_LINE = re.compile(r"^.*$", re.MULTILINE)
_BORDER = re.compile(r"(?<!\\)\|")


@dataclass(frozen=True, slots=True)
class Row:
    """A row; `number` is its line in the table, as a spreadsheet counts: the header is 1."""

    cells: tuple[str, ...]
    number: int
    support: Support | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Table:
    """A table, and where it comes from."""

    title: str
    """Of its document or file."""
    section: str = ""
    header: tuple[str, ...] = ()
    rows: tuple[Row, ...] = ()
    blocks: tuple[Block, ...] = field(default=(), repr=False)
    """What the supports of the rows speak of."""
    above: str = ""
    """The text right above the table: it often tells the unit of all figures."""
    whole: bool = True
    """False: rows were left out, since there were too many."""
    rank: int = 0
    """Where its passage stands among what was found, from 0."""

    @property
    def name(self) -> str:
        """Return what people call it: the last heading above it, or its title."""
        last = self.section.rpartition(" > ")[2]
        return shown(self.title if not last or last in self.title else f"{self.title} · {last}" if self.title else last)


def shown(text: str, most: int = _LONGEST_NAME) -> str:
    """Return a cell or a name as it may be shown: one line, no control characters, not too long."""
    return clipped(clean(text), most)


def tidy(table: Table) -> Table:
    """Return the table with a name for each column, once each, and every row as wide as the header."""
    rows = [row for row in table.rows if any(cell.strip() for cell in row.cells)]
    width = max([len(table.header), *(len(row.cells) for row in rows)], default=0)
    kept = MOST_CELLS // max(1, width)
    fitted = tuple(replace(row, cells=_widened(row.cells, width)) for row in rows[:kept])
    whole = table.whole and len(rows) <= kept
    return replace(table, header=_once(_widened(table.header, width)), rows=fitted, whole=whole)


def _widened(cells: tuple[str, ...], width: int) -> tuple[str, ...]:
    return (*cells, *[""] * (width - len(cells)))


def _once(header: Sequence[str]) -> tuple[str, ...]:
    """Return the names without doubles; a column without a name is called by its letter."""
    out: dict[str, None] = {}
    for at, cell in enumerate(header):
        name = shown(cell) or column_letter(at)
        out[f"{name} [{column_letter(at)}]" if name in out else name] = None
    return tuple(out)


def column_letter(index: int) -> str:
    """Return the letter of a column as spreadsheets have it, from 0; empty for a column of none."""
    letters = ""
    while index >= 0:
        index, rest = divmod(index, 26)
        letters = chr(65 + rest) + letters
        index -= 1
    return letters


@dataclass(frozen=True, kw_only=True, slots=True)
class _Part:
    """A table as it stands in one passage."""

    block: Block
    header: tuple[str, ...]
    """Empty where the passage does not repeat it."""
    rows: list[tuple[tuple[str, ...], Support]]
    above: str
    opens: bool
    """Whether nothing stands above it in its passage."""
    closes: bool
    """Whether nothing stands below it."""


def tables_of(blocks: Sequence[Block], *, rank: int = 0) -> list[Table]:
    """Return the tables in the passages of one document, which come in its order.

    A table that goes on in the next passage is one: its header is repeated there, or told by the section.
    """
    tables: list[list[_Part]] = []
    for part in (part for block in blocks for part in _parts(block)):
        if tables and _goes_on(tables[-1], part):
            tables[-1].append(part)
        else:
            tables.append([part])
    return [_table(parts, rank) for parts in tables]


def _table(parts: Sequence[_Part], rank: int) -> Table:
    passage, header = parts[0].block.passage, parts[0].header
    label = " | ".join(header)
    rows = enumerate((row for part in parts for row in part.rows), start=1 + bool(header))
    return Table(
        title=passage.title or passage.document_id,
        section=passage.section.removesuffix(label).removesuffix(" > ") if label else passage.section,
        header=header,
        rows=tuple(Row(cells, number, support) for number, (cells, support) in rows),
        blocks=tuple(part.block for part in parts),
        above=parts[0].above,
        rank=rank,
    )


def _goes_on(parts: Sequence[_Part], found: _Part) -> bool:
    """Tell whether the last table goes on in what was found in the next passage."""
    last, passage, header = parts[-1].block.passage, found.block.passage, parts[0].header
    if not (parts[-1].closes and found.opens) or passage.position != last.position + 1:
        return False
    if (passage.collection, passage.document_id) != (last.collection, last.document_id):
        return False
    if found.header:
        return found.header == header and passage.section == last.section
    told = bool(header) and passage.section.endswith(" | ".join(header))
    return told or (passage.section == last.section and len(found.rows[0][0]) == len(parts[-1].rows[-1][0]))


def _parts(block: Block) -> Iterator[_Part]:
    """Yield the tables of one passage that have rows."""
    lines = groupby(_LINE.finditer(block.passage.text), lambda line: bool(_BORDER.search(line[0])))
    runs = [(bordered, list(run)) for bordered, run in lines]
    above, opens = "", True
    for n, (bordered, run) in enumerate(runs):
        rule = next((at for at, line in enumerate(run) if bordered and TABLE_RULER.fullmatch(line[0])), None)
        if not bordered or (rule is None and not all(line[0].strip().startswith("|") for line in run)):
            if said := [text for line in run if (text := line[0].strip())]:
                above, opens = said[-1], False
            continue
        rows = [
            (_cells(line[0]), Support(block=block.n, start=line.start(), end=line.end()))
            for line in (run[2:] if rule == 1 else run)
            if not TABLE_RULER.fullmatch(line[0])
        ]
        header = _cells(run[0][0]) if rule == 1 else ()
        closes = not any(line[0].strip() for _, rest in runs[n + 1 :] for line in rest)
        if rows:
            yield _Part(block=block, header=header, rows=rows, above=above, opens=opens, closes=closes)
        above, opens = "", False


def _cells(line: str) -> tuple[str, ...]:
    inner = line.strip().removeprefix("|")
    inner = inner[:-1] if inner.endswith("|") and not inner.endswith("\\|") else inner
    return tuple(cell.strip().replace("\\|", "|") for cell in _BORDER.split(inner))
