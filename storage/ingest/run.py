"""Brings files into the library: only what is new or changed, in batches, each document whole."""

import asyncio
import hashlib
import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

from storage.ingest.parsed import Batch, Limits, ParsedDocument, Refused
from storage.ingest.readers import read_all
from storage.ingest.sources import WorkItem, find, printable

_BATCH = 200
"""Documents that are stored at once."""
_PAUSE = 0.1
"""Seconds between two reports of progress, so that ten thousand small files do not cost time for it."""


class Library(Protocol):
    """What ingest needs of the place where documents are kept."""

    async def fingerprints(self, collection: str) -> Mapping[str, str]:
        """Return the content hash of every document, by document id."""
        ...

    async def sources(self, collection: str) -> Mapping[str, str]:
        """Return the file that every document came from (`ParsedDocument.origin`), by document id."""
        ...

    async def stamps(self, collection: str) -> Mapping[str, str]:
        """Return what `stamp` noted, by origin; nothing for a file of which a document was removed since."""
        ...

    async def put(self, collection: str, documents: Sequence[ParsedDocument]) -> None:
        """Store documents, each replacing the one of its id: all of it or nothing of it."""
        ...

    async def drop(self, collection: str, document_ids: Sequence[str]) -> None:
        """Remove documents."""
        ...

    async def stamp(self, collection: str, source: str, value: str) -> None:
        """Note that this file, as its stamp says it is, is in the library with all its documents."""
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class IngestProgress:
    """How far ingest is."""

    files_done: int
    files_total: int
    bytes_done: int
    bytes_total: int
    documents: int
    passages: int
    seconds: float

    @property
    def rate(self) -> float:
        """Passages a second."""
        return self.passages / self.seconds if self.seconds > 0 else 0.0

    @property
    def seconds_left(self) -> float | None:
        """An estimate by the size of what is left; None before anything was read."""
        if not self.bytes_done:
            return None
        return self.seconds * (self.bytes_total - self.bytes_done) / self.bytes_done


@dataclass(frozen=True, kw_only=True, slots=True)
class IngestReport:
    """What came of it; the counts are documents."""

    added: int = 0
    updated: int = 0
    unchanged: int = 0
    removed: int = 0
    """Documents whose files are no longer in a folder that was read."""
    refused: tuple[Refused, ...] = ()
    skipped: tuple[str, ...] = ()
    """Files of an unknown type, and lines without a text."""
    passages: int = 0
    """Of the documents added and updated."""
    seconds: float = 0.0

    def as_json(self) -> dict[str, Any]:
        """Return the report as `weft ingest --json` prints it."""
        return {
            "added": self.added,
            "updated": self.updated,
            "unchanged": self.unchanged,
            "removed": self.removed,
            "refused": [{"path": each.path, "reason": each.reason} for each in self.refused],
            "skipped": list(self.skipped),
            "passages": self.passages,
            "seconds": round(self.seconds, 3),
        }


async def ingest(
    paths: Sequence[str | Path],
    *,
    library: Library,
    collection: str,
    progress: Callable[[IngestProgress], None] | None = None,
    limits: Limits | None = None,
) -> IngestReport:
    """Read files and folders into a collection. Raises UsageError for a path that is not there.

    What was stored stays stored when this is cancelled or fails; the next run goes on from there.
    """
    run = _Run(library, collection, progress)
    found = await asyncio.to_thread(find, paths)
    run.refused += found.refused
    run.skipped += found.skipped
    items = await run.begin(found.items)
    async with aclosing(read_all(items, limits or Limits())) as reads:
        async for item, read in reads:
            if isinstance(read, Batch):
                await run.take(item, read)
            else:
                if read is not None:
                    run.refuse(item, str(read))
                await run.end(item)
    await run.flush()
    if found.items:  # a folder with nothing in it may be a share that is not mounted: then nothing is removed
        await run.drop_missing(await asyncio.to_thread(_folders, paths))
    return run.report()


@dataclass(slots=True)
class _Run:
    library: Library
    collection: str
    progress: Callable[[IngestProgress], None] | None
    refused: list[Refused] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    _hashes: dict[str, str] = field(default_factory=dict)
    _origins: dict[str, str] = field(default_factory=dict)
    _ids: dict[str, str] = field(default_factory=dict)
    """The document that a file of one document is, by its origin."""
    _waiting: list[ParsedDocument] = field(default_factory=list)
    _read_whole: list[WorkItem] = field(default_factory=list)
    _flawed: set[str] = field(default_factory=set)
    """Origins with refused lines: they are read again next time, to be named again."""
    _added: int = 0
    _updated: int = 0
    _unchanged: int = 0
    _passages: int = 0
    _files_done: int = 0
    _files_total: int = 0
    _bytes_done: int = 0
    _bytes_before: int = 0
    """Of the files that are done, by their size."""
    _bytes_total: int = 0
    _removed: int = 0
    _started: float = field(default_factory=time.monotonic)
    _told: float = 0.0

    async def begin(self, items: Sequence[WorkItem]) -> list[WorkItem]:
        """Return the files that have to be read: the others are in the library as they are."""
        self._hashes = dict(await self.library.fingerprints(self.collection))
        self._origins = dict(await self.library.sources(self.collection))
        stamps = await self.library.stamps(self.collection)
        counts: dict[str, int] = {}
        for document_id, origin in self._origins.items():
            counts[origin] = counts.get(origin, 0) + 1
            self._ids[origin] = document_id
        changed = [item for item in items if stamps.get(item.origin) != item.stamp]
        self._unchanged = sum(counts.get(item.origin, 0) for item in items if stamps.get(item.origin) == item.stamp)
        self._files_total, self._files_done = len(items), len(items) - len(changed)
        self._bytes_total = sum(item.size for item in changed)
        self._tell(at_once=True)
        return changed

    async def take(self, item: WorkItem, batch: Batch) -> None:
        """Take what came out of a file."""
        if batch.refused:
            self.refused += batch.refused
            self._flawed.add(item.origin)
        self.skipped += batch.skipped
        for document in batch.documents:
            document_id = self._free_id(item, document.document_id)
            before = self._hashes.get(document_id)
            if before == document.content_hash:
                self._unchanged += 1
                continue
            self._added, self._updated = self._added + (before is None), self._updated + (before is not None)
            self._hashes[document_id], self._origins[document_id] = document.content_hash, document.origin
            self._passages += len(document.passages)
            self._waiting.append(replace(document, document_id=document_id))
            if len(self._waiting) >= _BATCH:
                await self.flush()
        self._bytes_done += batch.bytes_read
        self._tell()

    def refuse(self, item: WorkItem, reason: str) -> None:
        """Note that a file cannot be read."""
        self.refused.append(Refused(path=item.origin, reason=reason))
        self._flawed.add(item.origin)

    async def end(self, item: WorkItem) -> None:
        """Note that a file is done."""
        self._files_done += 1
        self._bytes_before += item.size
        self._bytes_done = self._bytes_before
        if item.origin not in self._flawed:
            self._read_whole.append(item)
        if len(self._read_whole) >= _BATCH:
            await self.flush()
        self._tell(at_once=self._files_done == self._files_total)

    async def flush(self) -> None:
        """Store what waits; only then the files that it came from are known as read."""
        if self._waiting:
            await self.library.put(self.collection, self._waiting)
            self._waiting = []
        for item in self._read_whole:
            await self.library.stamp(self.collection, item.origin, item.stamp)
        self._read_whole = []

    async def drop_missing(self, folders: Sequence[str]) -> None:
        """Remove the documents of files that were in these folders and are gone."""
        gone = [
            document_id
            for document_id, origin in self._origins.items()
            if _is_gone(origin) and any(origin.startswith(os.path.join(folder, "")) for folder in folders)
        ]
        if gone:
            await self.library.drop(self.collection, gone)
        self._removed = len(gone)

    def report(self) -> IngestReport:
        """Return what came of it."""
        return IngestReport(
            added=self._added,
            updated=self._updated,
            unchanged=self._unchanged,
            removed=self._removed,
            refused=tuple(self.refused),
            skipped=tuple(self.skipped),
            passages=self._passages,
            seconds=time.monotonic() - self._started,
        )

    def _free_id(self, item: WorkItem, wanted: str) -> str:
        """Return the id under which a document of this file is stored, so that it takes no other file's place."""
        if item.format != "JSONL" and item.origin in self._ids:
            return self._ids[item.origin]  # it stays the document it is, whichever folder it is found through
        digest = hashlib.sha256(item.origin.encode()).hexdigest()
        suffixed = [f"{wanted}~{digest[:length]}" for length in (6, 12, 64)]
        for document_id in suffixed:
            if self._origins.get(document_id) == item.origin:
                return document_id
        for document_id in (wanted, *suffixed):
            holder = self._origins.get(document_id)
            if holder is None or holder == item.origin or _is_gone(holder):
                return document_id
        return suffixed[-1]

    def _tell(self, *, at_once: bool = False) -> None:
        now = time.monotonic()
        if self.progress is None or (now - self._told < _PAUSE and not at_once):
            return
        self._told = now
        self.progress(
            IngestProgress(
                files_done=self._files_done,
                files_total=self._files_total,
                bytes_done=self._bytes_done,
                bytes_total=self._bytes_total,
                documents=self._added + self._updated + self._unchanged,
                passages=self._passages,
                seconds=now - self._started,
            )
        )


def _folders(paths: Sequence[str | Path]) -> list[str]:
    return [printable(os.path.abspath(path)) for path in paths if os.path.isdir(path)]


def _is_gone(origin: str) -> bool:
    """Tell whether a document's file is not where it was: a folder that moved brings its documents along."""
    return os.path.isabs(origin) and not os.path.exists(origin)
