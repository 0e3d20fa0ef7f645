"""One process at a time: lock files in the data folder, let go of by the system when the process ends."""

import asyncio
import fcntl
import hashlib
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

from agent.errors import LockedError


@asynccontextmanager
async def ingesting(folder: Path, collection: str) -> AsyncIterator[None]:
    """Wait until no other process brings documents into this collection, and then go in."""
    name = hashlib.sha256(collection.encode()).hexdigest()[:16]
    descriptor = os.open(folder / f"ingest-{name}.lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        await asyncio.to_thread(fcntl.flock, descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


@contextmanager
def held(path: Path, *, what: str) -> Iterator[None]:
    """Hold the lock while the body runs. Raises LockedError when another process does."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            owner = os.read(descriptor, 32).decode(errors="replace").strip() or "unknown"
            raise LockedError(
                f"{what} is already running on {path.parent} (process {owner}): stop it, or choose another --data"
            ) from None
        os.ftruncate(descriptor, 0)
        os.write(descriptor, str(os.getpid()).encode())
        yield
    finally:
        os.close(descriptor)
