"""Opens what is to be read: a file, or an entry of an archive."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

from agent.errors import RefusedFileError
from storage.ingest import archives
from storage.ingest.sources import WorkItem


@contextmanager
def opened(item: WorkItem) -> Iterator[IO[bytes]]:
    """Open it for reading."""
    if not item.inner:
        with open(item.path, "rb") as file:
            yield file
        return
    status = os.stat(item.path)
    with archives.entry(item.path, item.inner, (status.st_ino, status.st_size, status.st_mtime_ns)) as member:
        yield member


def content(item: WorkItem, most: int) -> bytes:
    """Return all of it. Raises RefusedFileError where that is more than `most` bytes, or nothing."""
    with opened(item) as file:
        size = item.size if item.inner else os.fstat(file.fileno()).st_size
        data = file.read(most + 1) if size <= most else b""
    size = max(size, len(data))
    if size > most:
        raise RefusedFileError(f"it is too large: {size:,} bytes; the limit is {most:,}")
    if not data.strip():
        raise RefusedFileError("it is empty")
    return data
