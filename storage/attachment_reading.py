"""Reads a file that came with a question, in the reader process of ingest, within narrower bounds."""

import asyncio
import contextlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from agent.errors import RefusedFileError
from agent.types import ATTACHED, AttachedFile, Passage
from storage.attachment_names import display_name, suffix_of
from storage.attachment_sheets import Sheets
from storage.attachments import numbered
from storage.ingest.parsed import Batch, Limits, ParsedDocument
from storage.ingest.readers import Reader
from storage.ingest.sources import ARCHIVE, FORMATS, WorkItem, find

PASSAGES = 2_000
TEXT = 20_000_000
"""Characters of one file."""
CELLS = 200_000
TABLE_BYTES = 8_000_000
"""Of a table written as text: as many cells of 40 bytes each."""
ENTRIES = 200
"""Files in an archive."""
LIMITS = Limits(seconds=60.0, memory_bytes=2_000_000_000, cells=1_000_000, pages=2_000, readers=1)
_LINES = (".csv", ".tsv", ".jsonl", ".ndjson")
_PLAIN = (*_LINES, ".txt", ".text", ".md", ".markdown")


class UnknownTypeError(RefusedFileError):
    """This type of file is not known."""


async def read_attachment(
    data: bytes, *, name: str, media_type: str, key: str, folder: Path, limits: Limits = LIMITS
) -> AttachedFile:
    """Return what a file holds, at most its first 2,000 passages, 20 million characters and 200,000 cells.

    `key` tells its documents from those of other files of the same name. `folder` takes the file while it is read.
    Raises RefusedFileError for one that cannot be read, StorageError.
    """
    check_type(name, media_type)
    shown, suffix = display_name(name), suffix_of(name, media_type)
    kept = _beginning(data, suffix)
    path = folder / f"attached{suffix}"
    await asyncio.to_thread(path.write_bytes, kept)
    items = await asyncio.to_thread(_items, path)
    reading = _Reading(name=shown, key=key, whole=len(kept) == len(data) and len(items) <= ENTRIES)
    refused: RefusedFileError | None = None
    clock = asyncio.get_running_loop().time
    end = clock() + limits.seconds
    async with contextlib.aclosing(Reader(limits)) as reader:
        for item in items[:ENTRIES]:
            try:
                await _read(reader, item, reading)
            except RefusedFileError as error:
                refused = error
            reading.over = reading.over or clock() > end
            if reading.over:
                break
    if not reading.passages:
        raise refused or RefusedFileError("it has no text")
    return reading.file()


def check_type(name: str, media_type: str) -> None:
    """Raise UnknownTypeError for a file that need not be fetched: nothing reads it."""
    suffix = suffix_of(name, media_type)
    if suffix not in FORMATS and suffix != ARCHIVE:
        raise UnknownTypeError


async def _read(reader: Reader, item: WorkItem, reading: "_Reading") -> None:
    inner = reading.inner(item)
    async with contextlib.aclosing(reader.read(replace(item, document_id=inner))) as batches:
        async for batch in batches:
            reading.take(batch, item, inner)
            if reading.over:
                return


def _beginning(data: bytes, suffix: str) -> bytes:
    """Return as much of a text as is read, up to the end of a line: what follows would be parsed for nothing."""
    most = TABLE_BYTES if suffix in _LINES else TEXT
    if suffix not in _PLAIN or len(data) <= most:
        return data
    return data[: data.rfind(b"\n", most // 2, most) + 1] or data[:most]


def _items(path: Path) -> list[WorkItem]:
    found = find([path])
    if found.items:
        return found.items
    raise RefusedFileError(found.refused[0].reason if found.refused else "it has no text")


class _Reading:
    """What was read of a file so far."""

    def __init__(self, *, name: str, key: str, whole: bool) -> None:
        self._name = name
        self._key = key
        self._whole = whole
        self._characters = 0
        self._sheets = Sheets(CELLS)
        self.passages: list[Passage] = []

        self.over = False
        """Whether there was more than is kept."""

    def inner(self, item: WorkItem) -> str:
        """Return the name of a file, or of one in an archive, as people see it."""
        return f"{self._name}/{display_name(item.inner)}" if item.inner else self._name

    def take(self, batch: Batch, item: WorkItem, inner: str) -> None:
        """Keep what came out of a stretch of a file."""
        for document in batch.documents:
            if item.format in ("CSV", "XLSX"):
                for part in document.passages:
                    self._sheets.take(part, default=inner)
            for passage in self._passages(document, inner):
                if len(self.passages) >= PASSAGES or self._characters >= TEXT:
                    self.over = True
                    break
                self._characters += len(passage.text)
                self.passages.append(passage)

    def _passages(self, document: ParsedDocument, inner: str) -> Iterator[Passage]:
        for part in document.passages:
            yield Passage(
                id=-1,
                document_id=f"{self._key}/{document.document_id}",
                collection=ATTACHED,
                title=document.title,
                text=part.text,
                section=part.section,
                page=part.page,
                position=part.position,
                category=part.category,
                language=part.language,
                source=inner,
                entities=part.entities,
                kind=part.kind,
                date=document.date,
            )

    def file(self) -> AttachedFile:
        """Return all that was kept."""
        sheets = tuple(self._sheets.all())
        if not self._whole and sheets:
            sheets = (*sheets[:-1], replace(sheets[-1], whole=False))
        whole = self._whole and not self.over and not self._sheets.cut
        (numbers,) = numbered([AttachedFile(name=self._name, passages=tuple(self.passages))])
        return replace(numbers, sheets=sheets, whole=whole)
