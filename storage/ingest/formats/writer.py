"""Collects the text of a format whose own text cannot be shown: HTML, DOCX, PDF."""

import re
from collections.abc import Sequence

from agent.types import Category
from storage.ingest.parsed import Element

_UNWANTED = re.compile(r"[\x00-\x08\x0b\x0e-\x1f\x7f\ud800-\udfff]")


def clean(text: str) -> str:
    """Return a text without control characters and halves of characters, which no database takes."""
    return _UNWANTED.sub("", text)


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

    def add_table(self, rows: Sequence[Sequence[str]], *, page: int | None = None) -> None:
        """Write a table, a row a line as `a | b`; the first row tells what the columns are."""
        lines = [" | ".join(" ".join(cell.split()) for cell in row) for row in rows if any(map(str.strip, row))]
        self.add(Category.TABLE, *lines, page=page, label=clean(lines[0]) if lines else "")

    def _write(self, text: str) -> None:
        self._parts.append(text)
        self._length += len(text)
