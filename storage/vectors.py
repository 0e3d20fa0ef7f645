"""Vectors by passage id in one FAISS file, found by inner product.

Several processes may share the file: a search notices that it was replaced and reads it anew, and
a save joins its changes to what others saved before it.
"""

import asyncio
import fcntl
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import numpy as np
from numpy.typing import NDArray

from agent.errors import SettingsError, StorageError
from storage import vector_format

T = TypeVar("T")
Ids = NDArray[np.int64]
Rows = NDArray[np.float32]
Stamp = tuple[int, int, int]
"""Inode, size and time of the file that was read: different for every save."""


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
        self._index: Any = None
        self._stamp: Stamp | None = None
        self._changes: dict[int, Rows | None] = {}
        """By id, what `save` has to write; None: removed."""
        self._anew = False
        # One thread: FAISS must not search while it is changed, and its thread count is set per thread.
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="vectors")

    async def count(self) -> int:
        """Return how many vectors there are."""
        return await self._run(lambda: int(getattr(self._current(), "ntotal", 0)))

    async def ids(self) -> Ids:
        """Return the ids that have a vector."""
        return await self._run(self._ids)

    async def add(self, ids: Ids, vectors: Rows) -> None:
        """Set the vectors of these ids, replacing those that are there; `save` makes it last."""
        await self._run(lambda: self._add(_ids(ids), np.ascontiguousarray(vectors, dtype=np.float32)))

    async def remove(self, ids: Ids) -> int:
        """Drop the vectors of these ids; returns how many there were. `save` makes it last."""
        return await self._run(lambda: self._remove(_ids(ids)))

    async def clear(self) -> None:
        """Begin anew without reading the file, whatever it holds; `save` replaces it."""
        await self._run(self._clear)

    async def search(self, vector: Rows, k: int, allowed: Ids | None = None) -> Sequence[tuple[int, float]]:
        """Return at most `k` pairs (id, inner product), best first, among the allowed ids (None: all)."""
        return await self._run(lambda: self._search(np.ascontiguousarray(vector, dtype=np.float32), k, allowed))

    async def save(self) -> None:
        """Write the changes durably: after a crash there is the old file or the new one."""
        await self._run(self._save)

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

    def _current(self) -> Any:
        """Return the index as the file has it now, with the changes on top; None when there is nothing."""
        if self._anew:
            return self._index
        stamp = self._stamp_now()
        if stamp == self._stamp:
            return self._index
        self._index = self._stamp = None
        if stamp is not None:
            with self.path.open("rb") as file:  # from here on the same file, even when it is replaced meanwhile
                self._index = self._read(file)
                self._stamp = _stamp(os.fstat(file.fileno()))
        self._apply(self._changes)
        return self._index

    def _stamp_now(self) -> Stamp | None:
        try:
            return _stamp(self.path.stat())
        except FileNotFoundError:
            return None

    def _read(self, file: BinaryIO) -> Any:
        header = vector_format.read_header(file, self.path)
        if header.embedding != self._embedding:
            raise SettingsError(
                f"{self.path} was made by the embedding {header.embedding!r}, but the settings name "
                f"{self._embedding!r}: set it back, or run `{vector_format.REPAIR}`."
            )
        if self._given not in (None, header.dimensions):
            raise self._wrong_length(header.dimensions, self._given)
        return vector_format.read_index(file, header, self.path)

    def _apply(self, changes: dict[int, Rows | None]) -> None:
        rows = {id: row for id, row in changes.items() if row is not None}
        if self._index is None and rows:
            self._index = vector_format.new_index(len(next(iter(rows.values()))))
        if self._index is not None and changes:
            self._index.remove_ids(np.fromiter(changes, dtype=np.int64))  # FAISS would keep both of an id added twice
        if rows:
            self._index.add_with_ids(np.stack(list(rows.values())), np.fromiter(rows, dtype=np.int64))

    def _add(self, ids: Ids, vectors: Rows) -> None:
        if vectors.ndim != 2 or len(ids) != len(vectors):
            raise ValueError(f"{len(ids)} ids do not go with vectors of shape {vectors.shape}")
        if not np.isfinite(vectors).all():
            raise ValueError("a vector holds something that is not a number")
        if not len(ids):
            return
        index = self._current()
        expected = self._given if index is None else int(index.d)
        if expected not in (None, vectors.shape[1]):
            raise self._wrong_length(expected, vectors.shape[1])
        changes: dict[int, Rows | None] = dict(zip(ids.tolist(), vectors.copy(), strict=True))
        self._apply(changes)
        self._changes |= changes

    def _remove(self, ids: Ids) -> int:
        index = self._current()
        before = int(getattr(index, "ntotal", 0))
        changes: dict[int, Rows | None] = dict.fromkeys(ids.tolist())
        self._apply(changes)
        self._changes |= changes
        return before - int(getattr(index, "ntotal", 0))

    def _clear(self) -> None:
        self._index, self._stamp, self._anew = None, None, True
        self._changes.clear()

    def _ids(self) -> Ids:
        index = self._current()
        if index is None:
            return np.empty(0, dtype=np.int64)
        return _ids(vector_format.library().vector_to_array(index.id_map))

    def _search(self, vector: Rows, k: int, allowed: Ids | None) -> Sequence[tuple[int, float]]:
        index = self._current()
        if index is None or not index.ntotal or k < 1 or (allowed is not None and not len(allowed)):
            return []
        query = vector.reshape(1, -1)
        if query.shape[1] != index.d:
            raise self._wrong_length(index.d, query.shape[1])
        among = None
        if allowed is not None:
            faiss = vector_format.library()
            among = faiss.SearchParameters(sel=faiss.IDSelectorBatch(_ids(allowed)))
        scores, ids = index.search(query, min(k, int(index.ntotal)), params=among)
        found = [(int(id), float(score)) for id, score in zip(ids[0], scores[0], strict=True) if id >= 0]
        return sorted(found, key=lambda pair: (-pair[1], pair[0]))

    def _save(self) -> None:
        if not self._changes and not self._anew:
            return
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self._locked():
            index = self._current()
            if index is not None:
                vector_format.write(self.path, index, embedding=self._embedding)
            else:  # nothing was there, or nothing is to be there any more
                self.path.unlink(missing_ok=True)
            self._stamp = self._stamp_now()
        self._changes.clear()
        self._anew = False

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


def _ids(ids: Ids) -> Ids:
    return np.ascontiguousarray(ids, dtype=np.int64)


def _stamp(status: os.stat_result) -> Stamp:
    return status.st_ino, status.st_size, status.st_mtime_ns
