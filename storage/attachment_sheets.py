"""The tables of a file, put together again from its passages, which hold them as rows of Markdown."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from agent.types import Sheet
from storage.ingest.parsed import ParsedPassage

_ROW = re.compile(r"\|.*\|")
_RULE = re.compile(r"\|(?: --- \|)+")
_BORDER = re.compile(r"(?<!\\)\|")


@dataclass(slots=True)
class _Table:
    name: str
    header: tuple[str, ...]
    width: int
    rows: list[tuple[str, ...]] = field(default_factory=list)
    whole: bool = True


class Sheets:
    """Takes the passages of a file in order and keeps at most so many cells."""

    def __init__(self, cells: int) -> None:
        self._left = cells
        self._tables: list[_Table] = []
        self.cut = False
        """Whether rows were left out."""

    def take(self, passage: ParsedPassage, *, default: str) -> None:
        """Take the rows of a passage. `default` names a table that stands under no heading."""
        name = passage.section.partition(" > ")[0] or default
        lines = passage.text.split("\n")
        table: _Table | None = None
        at = 0
        while at < len(lines):
            line = lines[at]
            if _ROW.fullmatch(line) is None:
                table = None
                at += 1
                continue
            cells = _cells(line)
            if at + 1 < len(lines) and _RULE.fullmatch(lines[at + 1]):
                table = self._table(name, cells, len(cells))
                at += 2
                continue
            if table is None or table.width != len(cells):
                table = self._table(name, (), len(cells))
            self._add(table, cells)
            at += 1

    def all(self) -> Iterator[Sheet]:
        """Yield the tables that have rows, in order."""
        for table in self._tables:
            if table.rows:
                yield Sheet(name=table.name, header=table.header, rows=tuple(table.rows), whole=table.whole)

    def _table(self, name: str, header: tuple[str, ...], width: int) -> _Table:
        """Return the table that goes on here, or a new one: a long table repeats its header in every passage."""
        last = self._tables[-1] if self._tables else None
        if last is not None and (last.name, last.header, last.width) == (name, header, width):
            return last
        self._tables.append(_Table(name, header, width))
        return self._tables[-1]

    def _add(self, table: _Table, cells: tuple[str, ...]) -> None:
        if len(cells) > self._left:
            table.whole, self.cut = False, True
            self._left = 0  # a row that is left out is followed by none
            return
        self._left -= len(cells)
        table.rows.append(cells)


def _cells(line: str) -> tuple[str, ...]:
    return tuple(cell.strip().replace("\\|", "|") for cell in _BORDER.split(line[1:-1]))
