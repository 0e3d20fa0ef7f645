"""One process at a time: lock files in the data folder, let go of by the system when the process ends."""

import asyncio
import fcntl
import hashlib
import logging
import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from pathlib import Path

from agent.errors import LockedError

logger = logging.getLogger(__name__)

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


class FolderLocks:
    """The locks of a data folder: for all processes of this machine that share it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def ingesting(
        self, collection: str, *, waiting: Callable[[], None] = lambda: None
    ) -> AbstractAsyncContextManager[None]:
        """Wait until no other process brings documents into this collection, and then go in."""
        return ingesting(self._folder, collection, waiting=waiting)

    @asynccontextmanager
    async def held(self, name: str, *, what: str) -> AsyncIterator[None]:
        """Hold a lock while the body runs. Raises LockedError when another process does."""
        with held(self._folder / f"{name}.lock", what=what):
            yield

    async def lead(self, name: str, work: Callable[[], Awaitable[None]]) -> None:
        """Run work once no other process holds the lock, and hold it meanwhile."""

        def waiting() -> None:
            logger.info("Another process is the %s; this one stands by.", name, extra={"action": f"{name}_stands_by"})

        async with standing_by(self._folder / f"{name}.lock", waiting=waiting):
            logger.info("This process is the %s.", name, extra={"action": f"{name}_taken"})
            await work()


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
