"""The vectors as they are searched: the file as it was written, without what was removed since, and what came since."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from storage.vector_format import Ids, Rows, library

_PART = 4096
"""Vectors that are copied at once when a file is written."""
_FEW = 4096
"""Changes that never make it worth to write the file anew."""
_NO_IDS: Ids = np.empty(0, dtype=np.int64)


class VectorState:
    """Exact search by inner product; `base` is a FAISS index of ascending ids that is only read."""

    def __init__(self, base: Any = None) -> None:
        self._base = base
        self._base_ids = _ids_of(base)
        self._alive: NDArray[np.bool_] = np.ones(len(self._base_ids), dtype=np.bool_)
        self._buried = 0
        self._since: Any = None
        self._since_ids: set[int] = set()

    @property
    def dimensions(self) -> int | None:
        """How long a vector is; None while there is none."""
        index = self._since if self._base is None else self._base
        return None if index is None else int(index.d)

    @property
    def count(self) -> int:
        """How many vectors there are."""
        return len(self._base_ids) - self._buried + len(self._since_ids)

    @property
    def changed(self) -> int:
        """How many vectors are others than those of the file."""
        return self._buried + len(self._since_ids)

    @property
    def unwieldy(self) -> bool:
        """Whether so much has changed that the file should be written anew."""
        return self.changed > max(_FEW, len(self._base_ids) // 8)

    def ids(self) -> Ids:
        """Return the ids that have a vector, ascending."""
        return np.sort(np.concatenate([self._base_ids[self._alive], _ids_of(self._since)]))

    def apply(self, *, removed: Ids, ids: Ids, rows: Rows) -> int:
        """Drop the vectors of `removed`, set those of `ids` (each once); returns how many went."""
        gone = np.concatenate([removed, ids])
        dropped = self._bury(gone)
        again = self._since_ids.intersection(gone.tolist())
        if again:  # FAISS would keep both of an id that is added twice
            self._since.remove_ids(np.fromiter(again, dtype=np.int64))
            self._since_ids -= again
        if len(ids):
            if self._since is None:
                faiss = library()
                self._since = faiss.IndexIDMap2(faiss.IndexFlatIP(rows.shape[1]))
            self._since.add_with_ids(np.ascontiguousarray(rows), np.ascontiguousarray(ids))
            self._since_ids.update(ids.tolist())
        return dropped + len(again)

    def search(self, vector: Rows, k: int, allowed: Ids | None) -> Sequence[tuple[int, float]]:
        """Return at most `k` pairs (id, inner product), best first, among the allowed ids (None: all)."""
        if k < 1 or not self.count or (allowed is not None and not len(allowed)):
            return []
        query = vector.reshape(1, -1)
        found: list[tuple[int, float]] = []
        for index, ids, among in (
            (self._base, self._base_ids, self._alive if self._buried else None),
            (self._since, _ids_of(self._since), None),
        ):
            if allowed is not None:
                within = np.isin(ids, allowed)
                among = within if among is None else among & within
            found += _nearest(index, ids, among, query, k)
        return sorted(found, key=lambda pair: (-pair[1], pair[0]))[:k]

    def parts(self) -> Iterator[tuple[Ids, Rows]]:
        """Yield all vectors, ascending by id, some at a time."""
        width = self.dimensions or 0
        base, since = _rows_of(self._base, width), _rows_of(self._since, width)
        kept = np.flatnonzero(self._alive)
        ids = np.concatenate([self._base_ids[kept], _ids_of(self._since)])
        places = np.concatenate([kept, np.arange(len(since)) + len(base)])
        order = np.argsort(ids)
        for start in range(0, len(order), _PART):
            chosen = order[start : start + _PART]
            place = places[chosen]
            old = place < len(base)
            rows = np.empty((len(chosen), width), dtype=np.float32)
            rows[old], rows[~old] = base[place[old]], since[place[~old] - len(base)]
            yield ids[chosen], rows

    def _bury(self, ids: Ids) -> int:
        if not len(self._base_ids):
            return 0
        rows = np.minimum(np.searchsorted(self._base_ids, ids), len(self._base_ids) - 1)
        rows = np.unique(rows[self._base_ids[rows] == ids])
        rows = rows[self._alive[rows]]
        self._alive[rows] = False
        self._buried += len(rows)
        return len(rows)


def _nearest(index: Any, ids: Ids, among: NDArray[np.bool_] | None, query: Rows, k: int) -> Iterator[tuple[int, float]]:
    """Yield the nearest of these rows (None: all) of an index, by id."""
    count = len(ids) if among is None else int(np.count_nonzero(among))
    if not count:
        return
    faiss = library()
    parameters = None
    if among is not None and count < len(ids):
        bits = np.packbits(among, bitorder="little")  # a bit a row: nothing to hash, nothing to build
        parameters = faiss.SearchParameters(sel=faiss.IDSelectorBitmap(bits))
    scores, rows = faiss.downcast_index(index.index).search(query, min(k, count), params=parameters)
    found = rows[0] >= 0
    yield from zip(ids[rows[0][found]].tolist(), scores[0][found].tolist(), strict=True)


def _ids_of(index: Any) -> Ids:
    if index is None:
        return _NO_IDS
    ids: Ids = library().vector_to_array(index.id_map)
    return ids


def _rows_of(index: Any, width: int) -> Rows:
    """Return the vectors of an index without copying them."""
    if index is None or not index.ntotal:
        return np.empty((0, width), dtype=np.float32)
    faiss = library()
    rows: Rows = faiss.rev_swig_ptr(faiss.downcast_index(index.index).get_xb(), index.ntotal * width)
    return rows.reshape(-1, width)
