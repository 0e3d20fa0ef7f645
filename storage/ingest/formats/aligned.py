"""Tables of plain text: lines whose fields stand below each other, parted by spaces or tabs, as rows of Markdown."""

import re
from collections.abc import Sequence

from storage.ingest.formats import grid

LEAST = 3
"""Lines that make a table; two are enough where they have as many fields."""
_GAP = re.compile(r"[^\S\n]{2,}|\t")
_FIELD = re.compile(r"\S+(?:[^\S\n\t]\S+)*")
_RULE = re.compile(r"\s*+[-=─━][-=─━\s]*+")
_DIGIT = re.compile(r"\d")
_Line = tuple[str, list[re.Match[str]]]
_MARKED = re.compile(r"\s*(?:[-*•·▪○●◦□▷▶‣※|+=#]|\d{1,3}[.)]\s|\(\w{1,3}\)\s)")
_CELL = re.compile(r"[\w\"'“(£€₩¥+~-][^|]*$|\$\d")
"""What stands in a table that people write; commands, comments and drawings begin otherwise."""


def tabled(text: str) -> str:
    """Return a text with its aligned lines as rows of a table; fields with a label before a colon are none."""
    out: list[str] = []
    run: list[_Line] = []
    for line in [*text.split("\n"), ""]:
        if len(run) == 1 and _RULE.fullmatch(line):
            run.append((line, []))  # what stands above it is a header
            continue
        parted = _GAP.search(line.strip()) and not _MARKED.match(line)
        fields = list(_FIELD.finditer(line.expandtabs())) if parted else []
        if run and (not fields or _columns(fields) != _columns(run[0][1])):
            out += _rows(run)
            run = []
        if fields:
            run.append((line, fields))
        else:
            out.append(line)
    return "\n".join(out[:-1])


def _columns(fields: Sequence[re.Match[str]]) -> list[int]:
    """Return where the fields of a line begin."""
    return [field.start() for field in fields]


def _rows(run: Sequence[_Line]) -> list[str]:
    """Return lines as rows where they are enough for a table, and as they are otherwise."""
    cells = [[field.group() for field in fields] for _, fields in run if fields]
    labels = all(row[0].endswith((":", "：")) for row in cells)
    written = all(_CELL.match(cell) for row in cells for cell in row)
    if labels or not written or len(cells) < 2 or max(len(cells), len(cells[0])) < LEAST:
        return [line for line, _ in run]
    table = grid.grid_of(cells, header=len(cells) < len(run) or _heads(cells))
    head = [grid.line(table.header), grid.line(["---"] * table.width)] if table.header else []
    return ["", *head, *map(grid.line, table.rows), ""]


def _heads(cells: Sequence[Sequence[str]]) -> bool:
    """Tell whether the first row has no figure, and a column figures alone below it."""
    figures = [all(_DIGIT.search(row[at]) for row in cells[1:]) for at in range(len(cells[0]))]
    return any(figures) and not any(map(_DIGIT.search, cells[0]))
