"""What the library holds of a collection, and what is about to change in it: in batches, each document whole."""

import asyncio
import hashlib
import os
from collections.abc import Awaitable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from storage.ingest.parsed import ParsedDocument
from storage.ingest.sources import ARCHIVE, WorkItem

_BATCH = 1_000
"""Passages that are stored at once; a document is never parted."""
_NOTES = 200
"""Files that are noted at once."""

_PATIENCE = 5.0
"""Seconds that a transaction may take to end when all is cancelled; the database may be waiting for somebody else."""


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


class Ledger:
    """Compares what is read with what is there, and stores the difference."""

    def __init__(self, library: Library, collection: str) -> None:
        self._library = library
        self._collection = collection
        self._hashes: dict[str, str] = {}
        self._origins: dict[str, str] = {}
        self._ids: dict[str, set[str]] = {}
        """The documents of each file, by its origin."""
        self._seen: dict[str, set[str]] = {}
        """Those that were found in it this time."""
        self._stamps: dict[str, str] = {}
        self._gone: list[str] = []
        self._waiting: list[ParsedDocument] = []
        self._heap = 0
        """Passages of those that wait."""
        self._noted: dict[str, str] = {}
        self.added = self.updated = self.unchanged = self.removed = self.passages = 0
        self.stored = 0
        """Of those added and updated, how many are in the library by now."""

    async def open(self) -> None:
        """Read what the library holds."""
        self._hashes = dict(await self._library.fingerprints(self._collection))
        self._origins = dict(await self._library.sources(self._collection))
        self._stamps = dict(await self._library.stamps(self._collection))
        for document_id, origin in self._origins.items():
            self._ids.setdefault(origin, set()).add(document_id)

    def stamp_of(self, origin: str) -> str:
        """Return what was noted when all of a file was stored."""
        return self._stamps.get(origin, "")

    def known_within(self, archive: str) -> int:
        """Return how many files of an archive are noted as stored."""
        inside = _beginnings([archive])
        return sum(1 for origin, stamp in self._stamps.items() if stamp and origin.startswith(inside))

    def documents_within(self, place: str) -> int:
        """Return how many documents there are of the files of a folder or an archive."""
        inside = _beginnings([place])
        return sum(len(ids) for origin, ids in self._ids.items() if origin.startswith(inside))

    def keep(self, origin: str) -> None:
        """Count the documents of a file that need not be read, an archive perhaps."""
        ids = self._ids.get(origin)
        self.unchanged += self.documents_within(origin) if ids is None else len(ids)

    async def take(self, item: WorkItem, documents: Sequence[ParsedDocument]) -> None:
        """Take documents that were read in a file."""
        origin = item.origin
        seen = self._seen.setdefault(origin, set())
        for document in documents:
            document_id = self._free_id(item, origin, document.document_id)
            seen.add(document_id)
            before = self._hashes.get(document_id)
            if before == document.content_hash:
                self.unchanged += 1
                continue
            self.added, self.updated = self.added + (before is None), self.updated + (before is not None)
            self.passages += len(document.passages)
            self._heap += len(document.passages)
            if (holder := self._origins.get(document_id)) is not None:
                self._ids[holder].discard(document_id)
            self._hashes[document_id], self._origins[document_id] = document.content_hash, document.origin
            self._ids.setdefault(document.origin, set()).add(document_id)
            if document_id != document.document_id:
                document = replace(document, document_id=document_id)
            self._waiting.append(document)
            if self._heap >= _BATCH:
                await self.flush()

    async def end(self, item: WorkItem, *, whole: bool) -> None:
        """Note that a file is done. Was all of it read, what it no longer holds is removed."""
        seen = self._seen.pop(item.origin, set())
        if not whole:
            return
        self._remove(self._ids.get(item.origin, set()) - seen)
        await self.note(item.origin, item.stamp)

    async def note(self, origin: str, stamp: str) -> None:
        """Note, when all before it is stored, that a file is in the library as this stamp says."""
        self._noted[origin] = stamp
        if len(self._noted) >= _NOTES:
            await self.flush()

    async def drop_missing(
        self, folders: Sequence[str], archives: Mapping[str, Collection[str]], present: Collection[str]
    ) -> None:
        """Remove the documents of files that are gone from these folders, or from archives that hold only these."""
        kept = {origin for origins in archives.values() for origin in origins}.union(present)
        absent = [origin for origin in self._ids if origin not in kept]
        inside, packed = _beginnings(folders), _beginnings(archives)
        gone = [origin for origin in absent if origin.startswith(packed)]
        gone += await asyncio.to_thread(lambda: [each for each in absent if each.startswith(inside) and _is_gone(each)])
        for origin in dict.fromkeys(gone):
            # Before its documents go: a file that comes back as it was must be read again.
            await self._library.stamp(self._collection, origin, "")
            self._remove(self._ids.get(origin, set()))
        await self.flush()

    async def flush(self) -> None:
        """Store what waits; only then the files that it came from are known as read."""
        await _to_the_end(self._flush())

    async def _flush(self) -> None:
        if self._gone:
            gone, self._gone = self._gone, []
            await self._library.drop(self._collection, gone)
        if self._waiting:
            waiting, self._waiting, self._heap = self._waiting, [], 0
            await self._library.put(self._collection, waiting)
            self.stored += len(waiting)
        noted, self._noted = self._noted, {}
        for origin, stamp in noted.items():
            await self._library.stamp(self._collection, origin, stamp)

    def _remove(self, document_ids: Collection[str]) -> None:
        gone = sorted(document_ids)
        for document_id in gone:
            self._ids[self._origins.pop(document_id)].discard(document_id)
            del self._hashes[document_id]
        self._gone += gone
        self.removed += len(gone)

    def _free_id(self, item: WorkItem, origin: str, wanted: str) -> str:
        """Return the id under which a document of this file is stored, so that it takes no other file's place."""
        own = self._ids.get(origin, set())
        if wanted in own:
            return wanted
        if wanted == item.document_id and len(own) == 1 and not item.url:
            return next(iter(own))  # it stays the document it is, whichever folder it is found through
        digest = hashlib.sha256(origin.encode()).hexdigest()
        suffixed = [f"{wanted}~{digest[:length]}" for length in (6, 12, 64)]
        for document_id in suffixed:
            if document_id in own:
                return document_id
        for document_id in (wanted, *suffixed):
            holder = self._origins.get(document_id)
            if holder is None or _is_gone(holder):
                return document_id
        return suffixed[-1]


async def _to_the_end(work: Awaitable[None]) -> None:
    """Finish what has begun, also when this is cancelled: then it is known what was stored."""
    task = asyncio.ensure_future(work)
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task], timeout=_PATIENCE)
        task.cancel()
        raise


def _beginnings(places: Iterable[str]) -> tuple[str, ...]:
    """Return how the origins begin of what is in these folders and archives."""
    return tuple(place.rstrip("/") + "/" for place in places)


def _is_gone(origin: str) -> bool:
    """Tell whether a document's file is not where it was; one that cannot be looked for may be there."""
    if not os.path.isabs(origin):
        return False
    try:
        os.stat(origin)
    except FileNotFoundError:
        return True
    except NotADirectoryError:  # an archive stands there, which has been looked into, or could not be; or just a file
        return f"{ARCHIVE}/" not in origin.lower()
    except OSError:
        return False
    return False
