"""XLSX: every sheet's tables, numbers and dates as they are shown, formulas by their stored results."""

import io
import re
import warnings
import zipfile
from collections.abc import Iterator, Sequence
from typing import Any

from openpyxl import load_workbook
from openpyxl.styles.numbers import BUILTIN_FORMATS, BUILTIN_FORMATS_MAX_SIZE
from openpyxl.worksheet._reader import FORMULA_TAG, WorkSheetParser

from agent.errors import RefusedFileError
from agent.types import Category
from storage.ingest.formats import office
from storage.ingest.formats.grid import Row, names_columns
from storage.ingest.formats.numbers import shown
from storage.ingest.formats.writer import Writer
from storage.ingest.parsed import Extracted, Limits

_UNKNOWN = " (not calculated)"
"""Follows a formula that stands where its result was not stored; the program that wrote the file had none."""
_CELL = re.compile(rb"<(?:\w+:)?c[ >/]")
_STEP = 1 << 20
_LONGEST_FORMULA = 200
_LARGEST_MERGE = 100_000
"""Rows over which one cell may reach."""

_Cells = dict[int, str]
"""The text of a row's cells by column."""


def extract(data: bytes, limits: Limits) -> Extracted:
    """Return the tables of a workbook, a section a sheet."""
    office.check(data, limits)
    _count(data, limits.cells)
    writer = Writer()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about styles and extensions that do not matter here
        book = load_workbook(io.BytesIO(data), read_only=True, data_only=True, keep_links=False)
        try:
            sheets = [_Sheet(sheet) for sheet in book.worksheets if sheet.sheet_state == "visible"]
            for sheet in sheets:
                _write(writer, sheet)
            title, date = office.title_of(book.properties), office.day_of(data)
        finally:
            book.close()
    metadata = {"sheets": len(sheets), "formulas_without_result": sum(sheet.unknown for sheet in sheets)}
    return Extracted(
        text=writer.text,
        elements=writer.elements,
        title=title,
        date=date,
        metadata={key: count for key, count in metadata.items() if count},
    )


def _count(data: bytes, most: int) -> None:
    """Refuse a workbook with more cells than can be read in good time, before any of them is parsed."""
    cells = 0
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for part in archive.infolist():
            if not part.filename.startswith("xl/worksheets/"):
                continue
            with archive.open(part) as file:
                rest = b""
                while block := file.read(_STEP):
                    block = rest + block
                    cut = block.rfind(b"<")
                    block, rest = (block[:cut], block[cut:]) if cut > 0 else (block, b"")
                    cells += len(_CELL.findall(block))
                    if cells > most:
                        raise RefusedFileError(f"it has more than {most:,} cells, the limit; export the data as .csv")


class _Sheet(WorkSheetParser):
    """Reads a sheet row by row, and knows which formulas have no result and which cells are merged."""

    def __init__(self, sheet: Any) -> None:
        self.title: str = sheet.title
        self._book = book = sheet.parent
        self._file = sheet._get_source()
        super().__init__(
            self._file,
            sheet._shared_strings,
            data_only=True,
            epoch=book.epoch,
            date_formats=book._date_formats,
            timedelta_formats=book._timedelta_formats,
        )
        self._codes: dict[int, str] = {}
        self.unknown = 0
        """How many formulas have no result."""

    def parse_cell(self, element: Any) -> dict[str, Any]:
        """Return a cell with its text as the value."""
        cell: dict[str, Any] = super().parse_cell(element)
        value = cell["value"]
        if value is None:
            formula = element.find(FORMULA_TAG)
            if formula is not None:
                value = f"={(formula.text or '…')[:_LONGEST_FORMULA]}{_UNKNOWN}"
                self.unknown += 1
        elif not isinstance(value, str):
            value = shown(value, self._code(cell["style_id"]))
        cell["value"] = value
        return cell

    def rows(self) -> Iterator[tuple[int, _Cells]]:
        """Yield the number and the cells of every row with something in it."""
        with self._file:
            for number, row in self.parse():
                self.row_dimensions.clear()  # of no use here, and as long as the sheet
                if cells := {cell["column"]: cell["value"] for cell in row if cell["value"] and cell["value"].strip()}:
                    yield number, cells

    def merges(self) -> Sequence[tuple[int, int, int, int]]:
        """Return the merged cells as first and last row, first and last column; known when all rows were read."""
        ranges = self.merged_cells.mergeCell if self.merged_cells else ()
        return [(each.min_row, each.max_row, each.min_col, each.max_col) for each in ranges]

    def _code(self, style: int) -> str:
        if style not in self._codes:
            number = self._book._cell_styles[style].numFmtId
            if number < BUILTIN_FORMATS_MAX_SIZE:
                self._codes[style] = BUILTIN_FORMATS.get(number, "General")
            else:
                self._codes[style] = self._book._number_formats[number - BUILTIN_FORMATS_MAX_SIZE]
        return self._codes[style]


def _write(writer: Writer, sheet: _Sheet) -> None:
    rows = dict(sheet.rows())
    if not rows:
        return
    wide = _merge(rows, sheet.merges())
    writer.add(Category.HEADING, sheet.title, level=1)
    for block in _blocks(rows):
        _write_block(writer, [(rows[number], wide.get(number, frozenset())) for number in block])


def _merge(rows: dict[int, _Cells], merges: Sequence[tuple[int, int, int, int]]) -> dict[int, set[int]]:
    """Repeat what reaches over several rows in each; returns the columns that are reached over from the left."""
    wide: dict[int, set[int]] = {}
    for top, bottom, left, right in merges:
        text = rows.get(top, {}).get(left)
        if text is None or bottom - top > _LARGEST_MERGE:
            continue
        for number in range(top, bottom + 1):
            if number not in rows:
                continue
            rows[number][left] = text
            wide.setdefault(number, set()).update(range(left + 1, min(right, left + 1000) + 1))
    return wide


def _blocks(rows: dict[int, _Cells]) -> Iterator[list[int]]:
    """Yield the numbers of the rows between empty rows; rows of numbers go on with the table above the gap."""
    block: list[int] = []
    columns: set[int] = set()
    for number in sorted(rows):
        cells = rows[number]
        if block and number > block[-1] + 1:
            goes_on = len(cells) > 1 and columns.issuperset(cells) and not names_columns(list(cells.values()))
            if not goes_on:
                yield block
                block, columns = [], set()
        block.append(number)
        columns.update(cells)
    if block:
        yield block


def _write_block(writer: Writer, rows: Sequence[tuple[_Cells, set[int] | frozenset[int]]]) -> None:
    """Write a table, and the lines above and below it that stand alone in their row."""
    first = next((at for at, (cells, _) in enumerate(rows) if len(cells) > 1), len(rows))
    last = next((at for at in range(len(rows), first, -1) if len(rows[at - 1][0]) > 1), first)
    columns = sorted({column for cells, _ in rows[first:last] for column in cells})
    table: list[Row] = [
        [cells.get(column) or (None if column in wide else "") for column in columns]
        for cells, wide in rows[first:last]
    ]
    _lines(writer, rows[:first])
    writer.add_table(table)
    _lines(writer, rows[last:])


def _lines(writer: Writer, rows: Sequence[tuple[_Cells, object]]) -> None:
    writer.add(Category.PARAGRAPH, *(text for cells, _ in rows for text in cells.values()))
