"""Collects the text of a format whose own text cannot be shown, such as HTML, DOCX and PDF."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice

from agent.types import Category
from storage.ingest.formats.answer_table import SAMPLE, AnswerColumns, answer_columns
from storage.ingest.formats.grid import Row, grid_of, line
from storage.ingest.parsed import Element
from storage.ingest.passages import LONGEST, LONGEST_WHOLE
from storage.ingest.titles import BELOW

_UNWANTED = re.compile(r"[\x00-\x08\x0b\x0e-\x1f\x7f\ud800-\udfff]")


def clean(text: str) -> str:
    """Return a text without control characters and halves of characters, which no database takes."""
    return _UNWANTED.sub("", text)


def fenced(code: str) -> list[str]:
    """Return the lines of code between fences, as Markdown has them; an empty line stands with the one below it."""
    fence = "~~~" if "```" in code else "```"
    lines = re.findall(r"\n*[^\n]+", code.strip("\n"))
    return [fence, *(line.removeprefix("\n") if at else line for at, line in enumerate(lines)), fence] if lines else []


class Writer:
    """Writes a text element by element."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self.elements: list[Element] = []

    @property
    def text(self) -> str:
        """What was written so far."""
        return "".join(self._parts)

    def add(
        self, category: Category, *parts: str, level: int = 0, page: int | None = None, label: str | None = None
    ) -> None:
        """Write an element; its parts are lines of their own (rows, items), between which it may be cut."""
        kept = [part for part in map(str.rstrip, map(clean, parts)) if part.strip()]
        if not kept:
            return
        if self._length:
            self._write("\n\n")
        start, borders = self._length, []
        for number, part in enumerate(kept):
            if number:
                self._write("\n")
            borders.append(self._length)
            self._write(part)
        if label is None:
            label = " ".join(kept[0].split()) if category is Category.HEADING else ""
        self.elements.append(
            Element(
                category=category,
                start=start,
                end=self._length,
                level=level,
                label=label,
                page=page,
                borders=tuple(borders) if len(borders) > 1 else (),
            )
        )

    def add_table(self, rows: Iterable[Row], *, header: bool | None = None, page: int | None = None) -> None:
        """Write a table as Markdown does. One too long for a passage becomes several, each with the header."""
        grid = grid_of(rows, header=header)
        if grid.width < 2:
            self.add(Category.PARAGRAPH, *grid.header, *(cell for row in grid.rows for cell in row), page=page)
            return
        sample = list(islice(grid.rows, SAMPLE))
        rest_of_rows = chain(sample, grid.rows)
        asked = answer_columns(grid.header, sample)
        if asked is not None:
            self._add_answers(grid.header, rest_of_rows, asked, page)
            return
        head = [line(grid.header), "|" + " --- |" * grid.width] if grid.header else []
        label = clean(" | ".join(grid.header))
        taken = sum(map(len, head))
        lines = map(line, rest_of_rows)
        first, rest = _as_long_as(lines, LONGEST_WHOLE - taken)
        if rest is None:
            self.add(Category.TABLE, *head, *first, page=page, label=label)
            return
        size = min(LONGEST_WHOLE, max(LONGEST, 4 * taken)) - taken
        part, length = list[str](), 0
        for each in chain(first, (rest,), lines):
            if part and length + len(each) > size:
                self.add(Category.TABLE, *head, *part, page=page, label=label)
                part, length = [], 0
            part.append(each)
            length += len(each) + 1
        self.add(Category.TABLE, *head, *part, page=page, label=label)

    def _add_answers(
        self, header: Row, rows: Iterable[Sequence[str]], columns: AnswerColumns, page: int | None
    ) -> None:
        """Write each row as a section: its question, the answer, and what the other columns say."""
        group = ""
        for row in rows:
            if columns.group is not None and row[columns.group] != group:
                group = row[columns.group]
                self.add(Category.HEADING, group, level=BELOW, page=page)
            self.add(Category.HEADING, row[columns.question], level=BELOW + 1, page=page)
            self.add(Category.PARAGRAPH, row[columns.answer], page=page)
            beside = [at for at in range(len(row)) if at not in (columns.question, columns.answer, columns.group)]
            told = (f"{header[at]}: {row[at]}" if header and header[at] else row[at] for at in beside if row[at])
            self.add(Category.PARAGRAPH, " · ".join(filter(None, told)), page=page)
        self.end_section(BELOW)

    def end_section(self, level: int = 1) -> None:
        """Let what follows belong to no section of this level."""
        self.elements.append(Element(category=Category.HEADING, start=self._length, end=self._length, level=level))

    def _write(self, text: str) -> None:
        self._parts.append(text)
        self._length += len(text)


def _as_long_as(lines: Iterator[str], most: int) -> tuple[list[str], str | None]:
    """Return the lines within a length, and the first one beyond it."""
    taken, length = list[str](), 0
    for each in lines:
        length += len(each) + 1
        if length > most:
            return taken, each
        taken.append(each)
    return taken, None
