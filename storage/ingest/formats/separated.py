"""CSV and TSV: one table, its separator found by trying which one gives even rows."""

import csv
import io
from collections import Counter
from collections.abc import Iterator
from itertools import chain, islice
from typing import Literal

from agent.errors import RefusedFileError
from agent.types import Category
from storage.ingest.encodings import decode
from storage.ingest.formats.writer import Writer
from storage.ingest.parsed import Extracted

_SEPARATORS = ",;\t|"
_SAMPLE = 20_000
"""Characters, and below rows, by which the separator is chosen."""
_SAMPLE_ROWS = 100
_LONGEST_CELL = 100_000
_MOST_COLUMNS = 2_000


def extract(data: bytes) -> Extracted:
    """Return the table in a file."""
    text = decode(data)
    separator = _told(text)
    if separator:
        text = text.partition("\n")[2]
    try:
        writer = _written(_rows(text, separator or _likely(text)))
    except csv.Error:
        # A quotation mark that is never closed swallows the rest of the file.
        writer = _written(_rows(text, separator or _likely(text, quoted=False), quoted=False))
    return Extracted(text=writer.text, elements=writer.elements)


def _written(rows: Iterator[list[str]]) -> Writer:
    writer, above = Writer(), list[str]()
    for row in rows:
        if sum(map(bool, row)) > 1:
            writer.add(Category.PARAGRAPH, *above)  # a title, the date of the export
            writer.add_table(chain((row,), rows))
            return writer
        above += filter(None, row)
    writer.add(Category.PARAGRAPH, *above)
    return writer


def _told(text: str) -> str:
    """Return the separator that the first line names for Excel (`sep=;`)."""
    first = text.partition("\n")[0].strip().lower()
    return first[4:] if first.startswith("sep=") and len(first) == 5 else ""


def _likely(text: str, *, quoted: bool = True) -> str:
    """Return the separator that gives most rows the same number of columns, and the most of those."""
    sample = text[:_SAMPLE]
    if len(sample) < len(text):
        sample = sample[: sample.rfind("\n") + 1] or sample
    best, most = ",", (0.0, 0)
    for separator in _SEPARATORS:
        rows = islice(_rows(sample, separator, quoted=quoted), _SAMPLE_ROWS)
        widths = Counter(len(row) for row in rows if len(row) > 1)
        if widths:
            width, count = max(widths.items(), key=lambda pair: (pair[1], pair[0]))
            score = (count / max(1, min(_SAMPLE_ROWS, sample.count("\n"))), width)
            if (round(score[0], 1), score[1]) > (round(most[0], 1), most[1]):
                best, most = separator, score
    return best


def _rows(text: str, separator: str, *, quoted: bool = True) -> Iterator[list[str]]:
    """Yield the rows with something in them. Raises csv.Error for a cell that is none."""
    csv.field_size_limit(_LONGEST_CELL if quoted else len(text) + 1)
    quoting: Literal[0, 3] = csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE
    lines = io.StringIO(text, newline="")
    for row in csv.reader(lines, delimiter=separator, quoting=quoting, skipinitialspace=True):
        cells = [cell.strip() for cell in row]
        if len(cells) > _MOST_COLUMNS:
            raise RefusedFileError(f"it has rows of {len(cells):,} columns; the limit is {_MOST_COLUMNS:,}")
        if any(cells):
            yield cells
