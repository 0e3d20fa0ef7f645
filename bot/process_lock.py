"""One process at a time: lock files in the data folder, let go of by the system when the process ends."""

import asyncio
import fcntl
import hashlib
import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

from agent.errors import LockedError

_LOOK = 0.1
"""Seconds between two tries; a thread that waits in the system's own call could not be cancelled."""
_WORKSPACE = "passing-"


@asynccontextmanager
async def ingesting(
    folder: Path, collection: str, *, waiting: Callable[[], None] = lambda: None
) -> AsyncIterator[None]:
    """Wait until no other process brings documents into this collection, and then go in.

    `waiting` is called once if there is something to wait for.
    """
    name = hashlib.sha256(collection.encode()).hexdigest()[:16]
    descriptor = os.open(folder / f"ingest-{name}.lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        if not _taken(descriptor):
            waiting()
            while not _taken(descriptor):  # noqa: ASYNC110 - no event tells that another process has let go
                await asyncio.sleep(_LOOK)
        yield
    finally:
        os.close(descriptor)


@contextmanager
def held(path: Path, *, what: str) -> Iterator[None]:
    """Hold the lock while the body runs. Raises LockedError when another process does."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        if not _taken(descriptor):
            owner = os.read(descriptor, 32).decode(errors="replace").strip() or "unknown"
            raise LockedError(
                f"{what} is already running on {path.parent} (process {owner}): stop it, or choose another --data"
            )
        os.ftruncate(descriptor, 0)
        os.write(descriptor, str(os.getpid()).encode())
        yield
    finally:
        os.close(descriptor)


@asynccontextmanager
async def standing_by(path: Path, *, waiting: Callable[[], None] = lambda: None) -> AsyncIterator[None]:
    """Wait until no other process holds the lock, however that one ends, and hold it while the body runs.

    `waiting` is called once if there is something to wait for.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        if not _taken(descriptor):
            waiting()
            while not _taken(descriptor):  # noqa: ASYNC110 - no event tells that another process has let go
                await asyncio.sleep(_LOOK)
        os.ftruncate(descriptor, 0)
        os.write(descriptor, str(os.getpid()).encode())
        yield
    finally:
        os.close(descriptor)


@contextmanager
def workspace(folder: Path) -> Iterator[Path]:
    """Make a folder for files that pass through, removed afterwards; so are those that killed processes left."""
    door = os.open(folder / "passing.lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(door, fcntl.LOCK_EX)  # nobody holds it for long
        for left in folder.glob(f"{_WORKSPACE}*"):
            descriptor = os.open(left, os.O_RDONLY)
            try:
                if left.is_dir() and _taken(descriptor):
                    shutil.rmtree(left)
            finally:
                os.close(descriptor)
        place = Path(tempfile.mkdtemp(prefix=_WORKSPACE, dir=folder))
        descriptor = os.open(place, os.O_RDONLY)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
    finally:
        os.close(door)
    try:
        yield place
    finally:
        shutil.rmtree(place, ignore_errors=True)
        os.close(descriptor)


def _taken(descriptor: int) -> bool:
    """Take the lock, if nobody has it."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
