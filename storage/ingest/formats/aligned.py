"""Tables of plain text: lines whose fields stand below each other, parted by spaces or tabs, as rows of Markdown."""

import re
from collections.abc import Callable, Sequence
from unicodedata import east_asian_width

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
        if run and not _stand_below(fields, run[0][1]):
            out += _rows(run)
            run = []
        if fields:
            run.append((line, fields))
        else:
            out.append(line)
    return "\n".join(out[:-1])


def _stand_below(fields: Sequence[re.Match[str]], first: Sequence[re.Match[str]]) -> bool:
    """Tell whether the fields of two lines begin at the same places, by characters or by columns on a screen."""
    places = range(len(first))
    return len(fields) == len(first) and any(
        all(_stands_below(n, fields, first, place) for n in places) for place in (_character, _column)
    )


def _stands_below(
    n: int, fields: Sequence[re.Match[str]], first: Sequence[re.Match[str]], place: Callable[[str, int], int]
) -> bool:
    """Tell whether a field begins where that of the first line does, or behind one that is too long for its column."""
    at = place(first[n].string, first[n].start())
    before = fields[n - 1]
    return place(fields[n].string, fields[n].start()) == at or (n > 1 and place(before.string, before.end()) >= at)


def _character(line: str, at: int) -> int:
    return at


def _column(line: str, at: int) -> int:
    """Return the column of a character, where Hangul and other wide ones take two (Unicode Standard Annex 11)."""
    return at + sum(east_asian_width(character) in "WF" for character in line[:at])


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
