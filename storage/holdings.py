"""What a word index holds at one time: segments, which of their passages are gone, and the statistics of the rest.

It follows the database in place and is not safe to share: everything here runs on the database's thread.
"""

from collections import OrderedDict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from agent.types import SearchFilter
from storage.admission import mask
from storage.generation import Generation, generation
from storage.merging import merged
from storage.scoring import Admitted, Mask, Okapi, Ranked, Scorer
from storage.segment import Segment, read_segments
from storage.sql import Connection

LEAST = 2_000
"""Passages that are read so quickly that they need not be in a file."""
_BEHIND = 0.05
"""The file is made anew when this share of all passages is not in it, or the next of those in it is gone."""
_BURIED = 0.2
NEARBY = 2_000
"""So many new or removed passages are taken in between two searches; more are read beside them."""
_TIDY = 32_768
"""Segments are merged in memory up to this size: it takes about 0.1 s."""
_MASKS = 32
"""Filters and audiences of which the masks are kept."""
_RECOUNT = 500
"""From so many removed passages on it is quicker to look their terms up among all postings."""


@dataclass(slots=True)
class Part:
    """A segment and what is still there of it."""

    segment: Segment
    alive: Mask
    buried: int = 0
    """How many are gone."""

    @classmethod
    def whole(cls, segment: Segment) -> "Part":
        """Return a part of which nothing is gone."""
        return cls(segment, np.ones(len(segment), dtype=np.bool_))


@dataclass(frozen=True, slots=True)
class Contents:
    """What was there at a generation, for those who make a file of it."""

    generation: Generation
    parts: Sequence[Part]
    kept: Sequence[Mask]


@dataclass(slots=True)
class Holdings:
    """The passages of a database as of `seen`; the first part is that of the snapshot, where there is one."""

    seen: Generation = field(default_factory=Generation)
    snapshot: str = ""
    """The id of the file that the first part is of; empty where no part is of a file."""
    found: str = ""
    """The id of the file that was there, stale ones too."""
    parts: list[Part] = field(default_factory=list)
    passages: int = 0
    held: bool = False
    """While somebody makes a file of the parts these stay as they are; new ones may join."""
    _length: int = 0
    _frequencies: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """By term: how many passages hold it."""
    _okapi: Okapi | None = None
    _scorers: list[Scorer] = field(default_factory=list)
    _masks: OrderedDict[tuple[SearchFilter, frozenset[int]], list[Admitted]] = field(default_factory=OrderedDict)

    # --- following the database

    def follow(self, connection: Connection, most: int = NEARBY) -> bool:
        """Take in what is new since; False when it is more than `most`, or the database is of an earlier time."""
        if generation(connection) == self.seen:
            return True
        connection.execute("BEGIN")  # passages and removals of the same moment
        try:
            now = generation(connection)
            added, removed = now.passage - self.seen.passage, now.removal - self.seen.removal
            if not (0 <= added <= most and 0 <= removed <= most):
                return False
            for segment in read_segments(connection, self.seen.passage, now.passage):
                self.add(segment)
            self.remove_since(connection, self.seen.removal, now.removal)
            self.seen = now
        finally:
            connection.execute("COMMIT")
        self._tidy()
        return True

    def add(self, segment: Segment) -> None:
        """Take a segment in, whose passages come after all that are here."""
        self._changed()
        self.parts.append(Part.whole(segment))
        self.passages += len(segment)
        self._length += int(segment.columns.lengths.sum())
        if len(segment.terms):
            missing = int(segment.terms[-1]) + 1 - len(self._frequencies)
            if missing > 0:
                self._frequencies = np.append(self._frequencies, np.zeros(missing, dtype=np.int64))
            self._frequencies[segment.terms] += np.diff(segment.offsets)

    def remove_since(self, connection: Connection, after: int, upto: int) -> None:
        """Take out what was removed in this span of removals."""
        if after >= upto:
            return
        few = upto - after <= _RECOUNT
        sql = f"SELECT passage, {'terms' if few else 'NULL'} FROM removed WHERE seq>? AND seq<=?"
        gone: dict[int, bytes | None] = {}
        for passage, terms in connection.execute(sql, (after, upto)):
            gone[passage] = gone.get(passage) if terms is None else terms
        ids = np.array(sorted(gone), dtype=np.int64)
        for part in self.parts:
            rows = part.segment.rows_of(ids)
            rows = rows[part.alive[rows]]
            if len(rows):
                self._bury(part, rows, [gone[i] for i in part.segment.columns.ids[rows].tolist()])

    def _bury(self, part: Part, rows: NDArray[np.int64], blobs: Sequence[bytes | None]) -> None:
        self._changed()
        known = [np.frombuffer(blob, dtype=np.int32) for blob in blobs if blob is not None]
        terms = np.concatenate(known) if len(known) == len(blobs) else part.segment.terms_in(rows)
        np.subtract.at(self._frequencies, terms, 1)
        part.alive[rows] = False
        part.buried += len(rows)
        self.passages -= len(rows)
        self._length -= int(part.segment.columns.lengths[rows].sum())

    def _changed(self) -> None:
        self._okapi = None
        self._scorers = []
        self._masks.clear()

    def _tidy(self) -> None:
        """Merge the newest segments, so that there are never many of them."""
        first = 1 if self.snapshot else 0
        while not self.held and len(self.parts) - first >= 2:
            older, newer = self.parts[-2:]
            if len(older.segment) > 2 * len(newer.segment) or len(older.segment) + len(newer.segment) > _TIDY:
                return
            segment = merged([older.segment, newer.segment], [older.alive, newer.alive])
            self.parts[-2:] = [Part.whole(segment)]
            self._changed()

    # --- becoming a file

    @property
    def behind(self) -> int:
        """How many passages are here besides the snapshot's."""
        return sum(len(part.segment) for part in self._tail())

    @property
    def buried(self) -> int:
        """How many of the snapshot's passages are gone."""
        return self.parts[0].buried if self.snapshot else 0

    @property
    def due(self) -> bool:
        """Tell whether it is time to make the file anew."""
        behind = self.behind > max(LEAST, _BEHIND * self.passages)
        return behind or self.buried > max(LEAST, _BURIED * self.passages)

    def hold(self) -> Contents:
        """Return what is here now, and let its parts be until `held` is unset."""
        self.held = True
        parts = [part for part in self.parts if len(part.segment)]
        return Contents(self.seen, parts, [part.alive.copy() for part in parts])

    def replace(self, contents: Contents, segment: Segment, snapshot: str) -> None:
        """Put one segment, made of these contents, in the place of the parts that it was made of."""
        still = [part.alive[kept] for part, kept in zip(contents.parts, contents.kept, strict=True)]
        alive = np.concatenate([np.empty(0, dtype=np.bool_), *still])
        made_of = {id(part) for part in contents.parts}
        rest = [part for part in self.parts if id(part) not in made_of]
        self.parts = [Part(segment, alive, int(np.count_nonzero(~alive))), *rest]
        self.snapshot = self.found = snapshot
        self._changed()

    def _tail(self) -> Sequence[Part]:
        return self.parts[1:] if self.snapshot else self.parts

    # --- for searches

    def best(self, weights: Mapping[int, float], admitted: Sequence[Admitted], k: int) -> list[tuple[int, float]]:
        """Return the best `k` of the admitted passages that hold any of these terms."""
        okapi = self._statistics()
        if okapi is None:
            return []
        weighted = {
            term: weight * okapi.idf[int(self._frequencies[term])]
            for term, weight in weights.items()
            if term < len(self._frequencies) and self._frequencies[term]
        }
        if not self._scorers:
            self._scorers = [Scorer.of(part.segment, okapi) for part in self.parts]
        return Ranked.best(
            [scorer.best(weighted, each, k) for scorer, each in zip(self._scorers, admitted, strict=True)], k
        )

    def admitted(self, connection: Connection, filter: SearchFilter, collections: frozenset[int]) -> Sequence[Admitted]:
        """Return for each part which passages filter and collections admit, of those that are still there."""
        key = (filter, collections)
        if key not in self._masks:
            self._masks[key] = [
                _admitted(mask(connection, part.segment, filter, collections), part.alive) for part in self.parts
            ]
            if len(self._masks) > _MASKS:
                self._masks.popitem(last=False)
        self._masks.move_to_end(key)
        return self._masks[key]

    def _holding(
        self, terms: Collection[int], admitted: Sequence[Admitted]
    ) -> Iterator[tuple[Segment, NDArray[np.int32]]]:
        """Yield for each part the admitted rows that say all the terms; nothing for no terms."""
        for part, each in zip(self.parts, admitted, strict=True):
            segment = part.segment
            places = [segment.postings(term) for term in terms]
            lists = [segment.rows[place][segment.counts[place] > 0] for place in places]
            rows, *others = sorted(lists, key=len) or [np.empty(0, dtype=np.int32)]
            if not len(rows):
                continue
            for among in others:
                found = np.minimum(np.searchsorted(among, rows), len(among) - 1)
                rows = rows[among[found] == rows]
            yield segment, each.among(rows)

    def count(self, term: int, admitted: Sequence[Admitted]) -> int:
        """Return how many admitted passages hold a term."""
        if all(each.mask is None for each in admitted):
            return int(self._frequencies[term]) if term < len(self._frequencies) else 0
        segments = [part.segment for part in self.parts]
        lists = [segment.rows[segment.postings(term)] for segment in segments]
        return sum(len(each.among(rows)) for rows, each in zip(lists, admitted, strict=True))

    def count_all(self, admitted: Sequence[Admitted]) -> int:
        """Return how many passages are admitted."""
        rows = zip(self.parts, admitted, strict=True)
        return sum(len(part.segment) - each.shut for part, each in rows)

    def documents_of(self, terms: Collection[int], admitted: Sequence[Admitted]) -> NDArray[np.int64]:
        """Return the documents, ascending, with an admitted passage that says all the terms."""
        documents = [segment.columns.documents[rows] for segment, rows in self._holding(terms, admitted)]
        every = np.concatenate([np.empty(0, dtype=np.int64), *documents])
        there = np.zeros(int(every.max(initial=-1)) + 1, dtype=np.bool_)
        there[every] = True
        return np.flatnonzero(there)

    def ids(self, admitted: Sequence[Admitted]) -> NDArray[np.int64] | None:
        """Return the ids of the admitted passages, ascending; None: every passage there is."""
        if self.passages and all(each.mask is None for each in admitted):
            return None
        found = [
            part.segment.columns.ids if each.mask is None else part.segment.columns.ids[each.mask]
            for part, each in zip(self.parts, admitted, strict=True)
        ]
        return np.concatenate([np.empty(0, dtype=np.int64), *found])

    def _statistics(self) -> Okapi | None:
        if self._okapi is None and self._length:
            terms = np.bincount(self._frequencies)
            used = np.flatnonzero(terms[1:]) + 1
            counted = dict(zip(used.tolist(), terms[used].tolist(), strict=True))
            self._okapi = Okapi(counted, passages=self.passages, length=self._length)
        return self._okapi


def _admitted(within: Mask | None, alive: Mask) -> Admitted:
    return Admitted.of(alive if within is None else within & alive)
