"""All of a data folder in one file, taken while Weft runs, and put back.

Every database is copied as it was at one moment, the same for all: their writers are held back for the milliseconds in
which a reader of each begins, and what is copied then is what these readers see (SQLite's online backup). Index files
are copied after: an index follows the documents, whichever of the two is ahead.
"""

import fcntl
import hashlib
import io
import json
import os
import shutil
import sqlite3
import tarfile
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

from agent.errors import CorruptError, StorageError, UsageError

DATABASES = ("inbox.db", "weft.db", "checkpoints.db", "people.db", "board.db", "embeddings.db")
LEFT_OUT = ("installations.db",)
"""Tokens of workspaces, which are no part of a backup."""
INDEXES = ("lexical.idx", "vectors.faiss", "vectors.faiss.log")
FILES = "files"
"""The folder of what was made for answers."""
MANIFEST = "weft-backup.json"
_FORMAT = 1
_BUSY_SECONDS = 30.0
_CHUNK = 1 << 20


def backup(folder: Path, target: Path) -> int:
    """Write all of a data folder into one file; returns its length in bytes.

    The file appears when it is whole. Raises UsageError where there is nothing to copy, StorageError.
    """
    if not any((folder / name).exists() for name in DATABASES):
        raise UsageError(f"{folder} holds no data of Weft: name the folder with --data")
    try:
        with tempfile.TemporaryDirectory(prefix=".weft-backup-", dir=target.absolute().parent) as place:
            stage = Path(place)
            _copy_databases(folder, stage)
            _copy_indexes(folder, stage)
            _copy_files(folder / FILES, stage / FILES)
            whole = stage / "whole"
            _pack(stage, whole, compressed=target.suffix in (".gz", ".tgz"))
            size = whole.stat().st_size
            whole.replace(target)
            return size
    except sqlite3.Error as error:
        raise StorageError(f"{folder} cannot be copied: {error}") from error
    except OSError as error:
        raise StorageError(f"{target} cannot be written ({error.strerror or error}): choose another place") from error


def restore(source: Path, folder: Path) -> int:
    """Fill an empty data folder from a backup; returns how many files it holds.

    Nothing is there before all of it was verified. Raises UsageError where the folder holds data, CorruptError for a
    file that is no whole backup, StorageError.
    """
    if any((folder / name).exists() for name in (*DATABASES, *INDEXES)):
        raise UsageError(f"{folder} holds data already: choose an empty folder with --data, or move that one away")
    folder.parent.mkdir(parents=True, exist_ok=True)
    try:
        with tempfile.TemporaryDirectory(prefix=".weft-restore-", dir=folder.absolute().parent) as place:
            stage = Path(place) / "data"
            stage.mkdir(mode=0o700)
            names = _unpack(source, stage)
            folder.mkdir(mode=0o700, exist_ok=True)
            for each in stage.iterdir():
                shutil.move(each, folder / each.name)
            return len(names)
    except (tarfile.TarError, EOFError, ValueError, KeyError, TypeError) as error:
        raise CorruptError(f"{source} is no whole backup of Weft's ({error}): take another one") from error
    except OSError as error:
        raise StorageError(f"{source} cannot be restored: {error.strerror or error}") from error


def _copy_databases(folder: Path, stage: Path) -> None:
    names = [name for name in DATABASES if (folder / name).exists()]
    with ExitStack() as readers:
        with ExitStack() as writers:
            for name in names:
                writers.enter_context(_connected(folder / name)).execute("BEGIN IMMEDIATE")
            sources = [readers.enter_context(_connected(folder / name)) for name in names]
            for source in sources:
                source.execute("BEGIN")
                source.execute("SELECT count(*) FROM sqlite_master").fetchone()  # from here on it sees this moment
        for name, source in zip(names, sources, strict=True):
            with closing(sqlite3.connect(stage / name)) as copy:
                source.backup(copy)


@contextmanager
def _connected(path: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(path, timeout=_BUSY_SECONDS, isolation_level=None)) as connection:
        yield connection


def _copy_indexes(folder: Path, stage: Path) -> None:
    """Copy the index files; who saves vectors waits, so that file and log belong together."""
    with ExitStack() as stack:
        if (folder / "vectors.faiss").exists():
            lock = stack.enter_context((folder / "vectors.faiss.lock").open("a"))
            fcntl.flock(lock, fcntl.LOCK_EX)
        for name in INDEXES:
            if (folder / name).exists():
                shutil.copyfile(folder / name, stage / name)


def _copy_files(folder: Path, stage: Path) -> None:
    for path in sorted(folder.rglob("*")) if folder.is_dir() else ():
        if path.is_file() and not path.is_symlink():
            copy = stage / path.relative_to(folder)
            copy.parent.mkdir(parents=True, exist_ok=True)
            try:
                shutil.copyfile(path, copy)
            except FileNotFoundError:  # forgotten with its turn meanwhile
                copy.unlink(missing_ok=True)


def _pack(stage: Path, whole: Path, *, compressed: bool) -> None:
    paths = [path for path in sorted(stage.rglob("*")) if path.is_file()]
    files = {str(path.relative_to(stage)): _sha256(path) for path in paths}
    manifest = json.dumps({"format": _FORMAT, "at": time.time(), "files": files}, indent=1).encode()
    descriptor = os.open(whole, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as out:
        with tarfile.open(fileobj=out, mode="w:gz" if compressed else "w") as tar:
            entry = tarfile.TarInfo(MANIFEST)
            entry.size, entry.mode = len(manifest), 0o600
            tar.addfile(entry, io.BytesIO(manifest))
            for path in paths:
                tar.add(path, arcname=str(path.relative_to(stage)), recursive=False)
        out.flush()
        os.fsync(out.fileno())


def opened(source: Path) -> tarfile.TarFile:
    """Open a backup for reading. Raises ValueError for what is no archive: of it tarfile lists all that it tried."""
    try:
        return tarfile.open(source, "r:*")
    except tarfile.ReadError:
        raise ValueError("it is no tar archive") from None


def _unpack(source: Path, stage: Path) -> Sequence[str]:
    """Write the files of a backup, each verified; nothing of it but what its own list names."""
    with opened(source) as tar:
        first = tar.next()
        listed = tar.extractfile(first) if first is not None and first.name == MANIFEST else None
        if listed is None:
            raise ValueError("it does not begin with its list")
        manifest = json.loads(listed.read())
        if manifest["format"] != _FORMAT:
            raise ValueError("it is of another version")
        expected: dict[str, str] = dict(manifest["files"])
        for entry in tar:
            if entry.name == MANIFEST:
                continue
            if entry.name not in expected or not entry.isreg() or not _is_ours(entry.name):
                raise ValueError("it holds what Weft did not write")
            content = tar.extractfile(entry)
            path = stage / entry.name
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with path.open("wb") as out:
                shutil.copyfileobj(content, out, _CHUNK)  # type: ignore[arg-type]  # a regular file has content
            path.chmod(0o600)
            if _sha256(path) != expected.pop(entry.name):
                raise ValueError(f"{entry.name} is damaged in it")
        if expected:
            raise ValueError(f"it lacks {min(expected)}")
        return list(manifest["files"])


def _is_ours(name: str) -> bool:
    parts = Path(name).parts
    if ".." in parts or name.startswith("/"):
        return False
    return name in DATABASES or name in INDEXES or (parts[0] == FILES and len(parts) > 1)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
