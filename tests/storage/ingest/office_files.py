"""Makes presentations and workbooks, and archives that nobody would make by accident."""

import io
import warnings
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import openpyxl
from PIL import Image
from pptx import Presentation

TITLE_AND_BODY, TITLE_ONLY, BLANK = 1, 5, 6
"""Layouts of the default template."""


def picture() -> io.BytesIO:
    out = io.BytesIO()
    Image.new("RGB", (4, 4)).save(out, "PNG")
    out.seek(0)
    return out


def deck() -> Any:
    return Presentation()


def slide(presentation: Any, layout: int, title: str = "") -> Any:
    added = presentation.slides.add_slide(presentation.slide_layouts[layout])
    if title:
        added.shapes.title.text = title
    return added


def saved(document: Any, path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    document.save(str(path))
    return path


def book(sheets: Mapping[str, Sequence[Sequence[object]]]) -> openpyxl.Workbook:
    workbook = openpyxl.Workbook()
    workbook.remove(workbook.worksheets[0])
    for name, rows in sheets.items():
        sheet = workbook.create_sheet(name)
        for row in rows:
            sheet.append(list(row))
    return workbook


def edited(path: Path, part: str, change: Any) -> Path:
    """Change the bytes of one part of an office file."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    parts[part] = change(parts.get(part, b""))
    return zipped(path, parts)


class _Named(zipfile.ZipInfo):
    """An entry whose name is written as these bytes."""

    raw = b""

    def _encodeFilenameFlags(self) -> tuple[bytes, int]:
        return self.raw, 0


def zipped(path: Path, entries: Mapping[str, str | bytes] | Sequence[tuple[Any, str | bytes]]) -> Path:
    """Write an archive; a name may be an entry's whole description, or its bytes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    pairs = entries.items() if isinstance(entries, Mapping) else entries
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about names that are there twice
        for name, content in pairs:
            if isinstance(name, bytes):
                entry = _Named(name.decode("cp437"))
                entry.raw = name
                archive.writestr(entry, content)
            else:
                archive.writestr(name, content)
    return path
