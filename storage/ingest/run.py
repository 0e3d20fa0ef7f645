"""Brings files and URLs into the library: only what is new or changed, and never half of it."""

import asyncio
import os
import time
from collections.abc import Callable, Sequence
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path

from agent.errors import RefusedFileError, UsageError
from storage.ingest.fetched import Arrived, arrived
from storage.ingest.ledger import Ledger, Library
from storage.ingest.parsed import Batch, Limits, Refused
from storage.ingest.readers import read_all
from storage.ingest.report import IngestProgress, IngestReport
from storage.ingest.sources import Found, WorkItem, find, printable
from storage.ingest.urls import Fetch, Stamp, is_url, normalised, shown

__all__ = ["IngestProgress", "IngestReport", "ingest"]

_PAUSE = 0.1
"""Seconds between two reports of progress, so that ten thousand small files do not cost time for it."""
_AT_ONCE = 8
"""URLs that are fetched at once, and lie in the data folder until they are read."""


async def ingest(
    paths: Sequence[str | Path],
    *,
    library: Library,
    collection: str,
    progress: Callable[[IngestProgress], None] | None = None,
    limits: Limits | None = None,
    fetch: Fetch | None = None,
    follow_links: bool = False,
) -> IngestReport:
    """Read files, folders and URLs into a collection. Raises UsageError for a path that is not there.

    `follow_links`: also those that lead out of a folder.

    What was stored stays stored when this is cancelled or fails, and the last progress says how much
    it is; the next run goes on from there.
    """
    urls = [str(path) for path in paths if is_url(path)]
    if urls and fetch is None:
        raise UsageError(f"{shown(urls[0])} is a URL, and there is nothing here that fetches it.")
    files = [path for path in paths if not is_url(path)]
    run = _Run(Ledger(library, collection), limits or Limits(), progress)
    try:
        found = await asyncio.to_thread(find, files, follow_links=follow_links)
        await run.ledger.open()
        await run.read_files(found, beside=len(urls))
        if fetch is not None:
            await run.read_urls(urls, fetch)
        await run.drop_missing(_folders(files), found.items)
    finally:
        run.tell(at_once=True)
    return run.report()


class _Run:
    def __init__(self, ledger: Ledger, limits: Limits, progress: Callable[[IngestProgress], None] | None) -> None:
        self.ledger = ledger
        self.refused: list[Refused] = []
        self.skipped: list[str] = []
        self._limits = limits
        self._progress = progress
        self._flawed: set[str] = set()
        """Origins with something refused: they are read again next time, to be named again."""
        self._shaken: set[str] = set()
        """Origins of files that changed while they were read."""
        self._places: dict[str, str] = {}
        """Where URLs were found, if not where they said."""
        self._present: set[str] = set()
        """Origins of all files that are there, read or not."""
        self._archives: dict[str, frozenset[str]] = {}
        """All that is in the archives."""
        self._emptied: dict[str, int] = {}
        self._files_done = self._files_total = 0
        self._bytes_done = self._bytes_total = 0
        self._bytes_before = 0
        """Of the files that are done, by their size."""
        self._unfetched = 0
        self._current = ""
        self._started = time.monotonic()
        self._told = 0.0

    async def read_files(self, found: Found, *, beside: int) -> None:
        """Read the files that are not in the library as they are; `beside` them so many URLs will come."""
        self._files_total = len(found.items) + beside
        self._unfetched = beside
        await self._read(found)

    async def read_urls(self, urls: Sequence[str], fetch: Fetch) -> None:
        """Fetch URLs, a few at once, and read what they gave."""
        wanted: list[str] = []
        for url in urls:
            try:
                wanted.append(normalised(url))
            except RefusedFileError as error:
                self._refuse(shown(url), str(error))
                self._files_done += 1
        unique = list(dict.fromkeys(wanted))
        self._files_total -= len(wanted) - len(unique)
        self._unfetched = len(unique)
        for start in range(0, len(unique), _AT_ONCE):
            self._current = unique[start]
            self.tell(at_once=True)
            some = unique[start : start + _AT_ONCE]
            fetched = await asyncio.gather(*(self._fetched(url, fetch) for url in some), return_exceptions=True)
            arrivals: list[Arrived] = []
            for url, each in zip(some, fetched, strict=True):
                if isinstance(each, RefusedFileError):
                    self._refuse(url, str(each))
                    self._files_done += 1
                elif isinstance(each, BaseException):
                    raise each
                else:
                    arrivals.append(each)
            self._unfetched -= len(some)
            for arrival in arrivals:
                self._files_total += len(arrival.found.items) - 1 if arrival.path else 0
            await self._read(*(arrival.found for arrival in arrivals))
            for arrival in arrivals:
                arrival.remove()
                flawed = arrival.found.refused or any(item.origin in self._flawed for item in arrival.found.items)
                for archive in arrival.found.archives:
                    if not flawed:
                        await self.ledger.note(archive, arrival.stamp)

    async def drop_missing(self, folders: Sequence[str], items: Sequence[WorkItem]) -> None:
        """Remove what is no longer in the folders and archives that were read.

        A folder with nothing in it may be a share that is not mounted: its documents stay, and are told.
        """
        full = [folder for folder in folders if any(item.origin.startswith(os.path.join(folder, "")) for item in items)]
        await self.ledger.flush()
        await self.ledger.drop_missing(full, self._archives, self._present)
        kept = {folder: self.ledger.documents_within(folder) for folder in folders if folder not in full}
        self._emptied = {folder: count for folder, count in kept.items() if count}

    def tell(self, *, at_once: bool = False) -> None:
        """Report how far it is."""
        now = time.monotonic()
        if self._progress is None or (now - self._told < _PAUSE and not at_once):
            return
        self._told = now
        ledger = self.ledger
        self._progress(
            IngestProgress(
                files_done=self._files_done,
                files_total=self._files_total,
                bytes_done=self._bytes_done,
                bytes_total=self._bytes_total,
                documents=ledger.added + ledger.updated + ledger.unchanged,
                passages=ledger.passages,
                seconds=now - self._started,
                stored=ledger.stored,
                refused=len(self.refused),
                current=self._current,
                unfetched=self._unfetched,
            )
        )

    def report(self) -> IngestReport:
        """Return what came of it."""
        ledger = self.ledger
        return IngestReport(
            added=ledger.added,
            updated=ledger.updated,
            unchanged=ledger.unchanged,
            removed=ledger.removed,
            refused=tuple(self.refused),
            skipped=tuple(self.skipped),
            emptied=self._emptied,
            passages=ledger.passages,
            seconds=time.monotonic() - self._started,
        )

    async def _read(self, *found: Found) -> None:
        items: list[WorkItem] = []
        for each in found:
            self.refused += each.refused
            self.skipped += each.skipped
            self._archives |= each.archives
            for item in each.items:
                self._present.add(item.origin)
                if self.ledger.stamp_of(item.origin) == item.stamp:
                    self.ledger.keep(item.origin)
                    self._files_done += 1
                else:
                    items.append(item)
        self._bytes_total += sum(item.size for item in items)
        looked = await asyncio.to_thread(lambda: {item.path: _look(item.path) for item in items})
        names = iter([*(item.origin for item in items), ""])
        self._current = next(names)
        self.tell(at_once=True)
        async with aclosing(read_all(items, self._limits)) as reads:
            async for item, read in reads:
                if isinstance(read, Batch):
                    await self._take(item, read, looked[item.path])
                    continue
                if read is not None:
                    self._refuse(item.origin, str(read))
                await self.ledger.end(item, whole=item.origin not in self._flawed)
                self._files_done += 1
                self._bytes_before += item.size
                self._bytes_done = self._bytes_before
                self._current = next(names)
                self.tell()

    async def _take(self, item: WorkItem, batch: Batch, looked: tuple[int, ...]) -> None:
        """Take what came out of a file, as long as the file is the one that reading began with."""
        if item.origin in self._shaken:
            return
        if (now := _look(item.path)) != looked:
            self._shaken.add(item.origin)
            self._refuse(item.origin, f"it {'changed' if now else 'disappeared'} while it was read: ingest it again")
            return
        self.refused += batch.refused
        self.skipped += batch.skipped
        if batch.refused:
            self._flawed.add(item.origin)
        documents = batch.documents
        if place := self._places.get(item.url):
            documents = tuple(replace(d, metadata={**d.metadata, "redirected_to": place}) for d in documents)
        await self.ledger.take(item, documents)
        self._bytes_done += batch.bytes_read
        self.tell()

    def _refuse(self, path: str, reason: str) -> None:
        self.refused.append(Refused(path=path, reason=reason))
        self._flawed.add(path)

    async def _fetched(self, url: str, fetch: Fetch) -> Arrived:
        """Return what a URL gave; nothing where there is nothing new. Raises RefusedFileError."""
        known = Stamp.parse(self.ledger.stamp_of(url))
        if known.entries > self.ledger.known_within(url):
            known = Stamp()  # something of the archive was removed since
        page = await fetch.fetch(url, known=known.validator)
        if page is not None and Stamp.of(page).digest != known.digest:
            if page.url != url:
                self._places[url] = page.url
            return await asyncio.to_thread(arrived, page, url)
        self.ledger.keep(url)
        if page is not None:
            await self.ledger.note(url, str(Stamp.of(page, entries=known.entries)))
            await asyncio.to_thread(os.unlink, page.path)
        self._files_done += 1
        return Arrived()


def _folders(paths: Sequence[str | Path]) -> list[str]:
    """Return the folders among these, as the origins of their files begin."""
    return [printable(os.path.abspath(path)) for path in paths if os.path.isdir(path)]


def _look(path: str) -> tuple[int, ...]:
    """Return what changes when a file does; nothing where there is none."""
    try:
        status = os.stat(path)
    except OSError:
        return ()
    return status.st_ino, status.st_size, status.st_mtime_ns
