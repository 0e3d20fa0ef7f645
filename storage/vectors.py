"""Vectors by passage id in one FAISS file and the log of its changes, found by inner product.

The file is mapped into memory and never changed; a save adds to its log, and writes the file anew
when the log has grown large. Several processes may share both: a search notices what others saved,
and a save joins its changes to what others saved before it.
"""

import asyncio
import fcntl
import os
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np

from agent.errors import CorruptError, SettingsError, StorageError
from storage import vector_format
from storage.vector_format import Header, Ids, Rows
from storage.vector_log import Change, Log
from storage.vector_state import VectorState

T = TypeVar("T")


class Stamp(NamedTuple):
    """What tells one state of a file from another."""

    inode: int
    size: int
    time: int


@dataclass(frozen=True, kw_only=True, slots=True)
class _Seen:
    """What of the files is in memory."""

    file: Stamp | None = None
    log: Stamp | None = None
    header: Header | None = None
    offset: int = 0
    """Where the log's next frame goes."""


class VectorFile:
    """The vectors of all passages. Every row has length 1; nothing is read before it is needed.

    `dimensions` None: as the file has them, or the first vectors that are added. Raises
    CorruptError for a damaged file and SettingsError for one of another embedding.
    """

    def __init__(self, path: Path, *, embedding: str, dimensions: int | None = None) -> None:
        if len(embedding) > vector_format.NAME_CHARACTERS:
            raise SettingsError(f"The name of an embedding has at most {vector_format.NAME_CHARACTERS} characters.")
        self.path = path
        self._embedding = embedding
        self._given = dimensions
        self._state = VectorState()
        self._seen: _Seen | None = None
        self._written = ""
        """The id of the file that this object wrote last."""
        self._changes: dict[int, Rows | None] = {}
        """By id, what `save` has to write; None: removed."""
        self._anew = False
        # One thread: FAISS must not search while it is changed, and its thread count is set per thread.
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="vectors")

    @property
    def log(self) -> Path:
        """Where the changes since the file was written stand."""
        return self.path.with_name(self.path.name + ".log")

    async def count(self) -> int:
        """Return how many vectors there are."""
        return await self._run(lambda: self._current().count)

    async def ids(self) -> Ids:
        """Return the ids that have a vector, ascending."""
        return await self._run(lambda: self._current().ids())

    async def add(self, ids: Ids, vectors: Rows) -> None:
        """Set the vectors of these ids, replacing those that are there; `save` makes it last."""
        await self._run(lambda: self._add(_ids(ids), np.ascontiguousarray(vectors, dtype=np.float32)))

    async def remove(self, ids: Ids) -> int:
        """Drop the vectors of these ids; returns how many there were. `save` makes it last."""
        return await self._run(lambda: self._change(dict.fromkeys(_ids(ids).tolist())))

    async def clear(self) -> None:
        """Begin anew without reading the file, whatever it holds; `save` replaces it."""
        await self._run(self._clear)

    async def search(self, vector: Rows, k: int, allowed: Ids | None = None) -> Sequence[tuple[int, float]]:
        """Return at most `k` pairs (id, inner product), best first, among the allowed ids (None: all)."""
        return await self._run(lambda: self._search(np.ascontiguousarray(vector, dtype=np.float32), k, allowed))

    async def save(self, *, whole: bool = False) -> None:
        """Write the changes durably; `whole`: into the file itself, which leaves no log.

        After a crash there is the state before it or the one after it.
        """
        await self._run(lambda: self._save(whole=whole))

    def beside(self) -> "VectorFile":
        """Return a file beside this one, for vectors that are made anew; it may hold what a call that failed left."""
        return VectorFile(self.path.with_name(self.path.name + ".new"), embedding=self._embedding)

    async def take(self, other: "VectorFile") -> None:
        """Put another file, saved whole, in place of this one, in one step; none there: there is none any more."""
        await self._run(lambda: self._take(other.path))

    async def parts(self) -> Sequence[tuple[Ids, Rows]]:
        """Return all vectors, ascending by id, some at a time."""
        return await self._run(lambda: list(self._current().parts()))

    async def close(self) -> None:
        """Let go of the index and its thread; changes that were not saved are lost."""
        await self._run(self._clear)
        self._thread.shutdown(wait=False)

    async def _run(self, work: Callable[[], T]) -> T:
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, work)
        except OSError as error:
            raise StorageError(f"{self.path} cannot be used: {error.strerror or error}.") from error

    # --- what runs on the thread

    def _current(self) -> VectorState:
        """Return the vectors as the files have them now, with the unsaved changes on top."""
        if self._anew:
            return self._state
        seen, now = self._seen, (_stamp(self.path), _stamp(self.log))
        if seen is not None and (seen.file, seen.log) == now:
            return self._state
        self._seen = None  # what follows may fail, and must fail again next time
        while seen is None or (seen.file, seen.log) != now:
            file, log = now
            try:
                if seen is None or seen.file != file or (log.size if log else 0) < seen.offset:
                    seen = self._open(file)
                seen = self._follow(seen, log)
            except (CorruptError, FileNotFoundError):
                seen = None
                if _stamp(self.path) == file:
                    raise
            now = (_stamp(self.path), _stamp(self.log))  # either may have been replaced in between
        self._apply(self._changes)
        self._seen = seen
        return self._state

    def _open(self, stamp: Stamp | None) -> _Seen:
        self._state = VectorState()
        if stamp is None:
            return _Seen()
        with self.path.open("rb") as file:
            header = self._checked(vector_format.read_header(file, self.path, trusted=self._written))
        self._state = VectorState(vector_format.map_index(self.path, header))
        return _Seen(file=stamp, header=header)

    def _checked(self, header: Header) -> Header:
        if header.embedding != self._embedding:
            raise SettingsError(
                f"{self.path} was made by the embedding {header.embedding!r}, but the settings name "
                f"{self._embedding!r}: set it back, or run `{vector_format.REPAIR}`."
            )
        if self._given not in (None, header.dimensions):
            raise self._wrong_length(header.dimensions, self._given)
        return header

    def _follow(self, seen: _Seen, log: Stamp | None) -> _Seen:
        """Apply what the log has and we have not."""
        if seen.header is None or log is None:
            return replace(seen, log=log)
        changes, offset = self._log(seen.header).read(seen.offset)
        for change in changes:
            self._state.apply(removed=change.removed, ids=change.ids, rows=change.rows)
        return replace(seen, log=log, offset=offset)

    def _log(self, header: Header) -> Log:
        return Log(path=self.log, base=header.id, dimensions=header.dimensions)

    def _apply(self, changes: Mapping[int, Rows | None]) -> int:
        if not changes:
            return 0
        change = _packed(changes, self._state.dimensions or 0)
        return self._state.apply(removed=change.removed, ids=change.ids, rows=change.rows)

    def _add(self, ids: Ids, vectors: Rows) -> None:
        if vectors.ndim != 2 or len(ids) != len(vectors):
            raise ValueError(f"{len(ids)} ids do not go with vectors of shape {vectors.shape}")
        if not np.isfinite(vectors).all():
            raise ValueError("a vector holds something that is not a number")
        if not len(ids):
            return
        expected = self._current().dimensions or self._given
        if expected not in (None, vectors.shape[1]):
            raise self._wrong_length(expected, vectors.shape[1])
        self._change(dict(zip(ids.tolist(), vectors.copy(), strict=True)))

    def _change(self, changes: Mapping[int, Rows | None]) -> int:
        self._current()
        went = self._apply(changes)
        self._changes |= changes
        return went

    def _clear(self) -> None:
        self._state, self._seen, self._anew = VectorState(), None, True
        self._changes.clear()

    def _search(self, vector: Rows, k: int, allowed: Ids | None) -> Sequence[tuple[int, float]]:
        state = self._current()
        if state.dimensions not in (None, len(vector)):
            raise self._wrong_length(state.dimensions, len(vector))
        return state.search(vector, k, None if allowed is None else _ids(allowed))

    def _save(self, *, whole: bool) -> None:
        if not self._changes and not self._anew and not (whole and self._current().changed):
            return
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self._locked():
            state, seen = self._current(), self._seen
            if self._anew or seen is None or seen.header is None or whole or state.unwieldy:
                self._write(state)
            else:
                change = _packed(self._changes, seen.header.dimensions)
                offset = self._log(seen.header).append(change, seen.offset)
                self._seen = replace(seen, log=_stamp(self.log), offset=offset)
        self._changes.clear()
        self._anew = False

    def _write(self, state: VectorState) -> None:
        """Write the file anew; the log that is there then is one of another file."""
        if state.count:
            self._written = secrets.token_hex(16)
            vector_format.write(
                self.path,
                state.parts(),
                Header(
                    id=self._written,
                    embedding=self._embedding,
                    dimensions=state.dimensions or 0,
                    vectors=state.count,
                ),
            )
        else:  # nothing was there, or nothing is to be there any more
            self.path.unlink(missing_ok=True)
        self.log.unlink(missing_ok=True)
        self._seen = None

    def _take(self, path: Path) -> None:
        with self._locked():
            if path.exists():
                os.replace(path, self.path)
            else:
                self.path.unlink(missing_ok=True)
            self.log.unlink(missing_ok=True)
            path.with_name(path.name + ".lock").unlink(missing_ok=True)
            vector_format.sync_folder(self.path)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Keep other processes from saving at the same time."""
        with self.path.with_name(self.path.name + ".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def _wrong_length(self, there: int | None, given: int | None) -> SettingsError:
        return SettingsError(
            f"{self.path} and the embedding {self._embedding!r} do not go together ({there} and {given} dimensions): "
            f"set the embedding back, or run `{vector_format.REPAIR}`."
        )


def embedding_of(path: Path) -> str:
    """Return the embedding that made a file. Raises CorruptError."""
    with path.open("rb") as file:
        return vector_format.read_header(file, path, trusted="").embedding


def _packed(changes: Mapping[int, Rows | None], dimensions: int) -> Change:
    rows = {id: row for id, row in changes.items() if row is not None}
    removed = [id for id, row in changes.items() if row is None]
    return Change(
        removed=np.array(removed, dtype=np.int64),
        ids=np.fromiter(rows, dtype=np.int64),
        rows=np.stack(list(rows.values())) if rows else np.empty((0, dimensions), dtype=np.float32),
    )


def _ids(ids: Ids) -> Ids:
    return np.ascontiguousarray(ids, dtype=np.int64)


def _stamp(path: Path) -> Stamp | None:
    try:
        status = path.stat()
    except FileNotFoundError:
        return None
    return Stamp(inode=status.st_ino, size=status.st_size, time=status.st_mtime_ns)
