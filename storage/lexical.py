"""BM25 over the passages of `weft.db`, on postings arrays (`agent.ports.LexicalIndex`).

The scores are those of `rank_bm25.BM25Okapi`: its idf and its parameters run over our counts. What
differs is the work: a query touches only the postings of its own terms, and a passage can be added
or removed in place.

The index is a list of immutable segments with a mask of the passages that are still there. It
follows the database: each search first asks how far the passages have moved on, so that what
another process ingested is found at once.
"""

import asyncio
import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rank_bm25 import BM25Okapi

from agent.text import tokens
from agent.types import Audience, Query, SearchFilter
from storage.database import Database
from storage.documents import Generation, generation, matching, narrows, readable

_MERGE_SHARE = 0.1
"""A tail segment larger than this share of all passages is merged with the others."""


class Okapi(BM25Okapi):  # type: ignore[misc]  # the library has no types
    """The library's BM25Okapi over counts instead of texts."""

    def __init__(self, document_frequencies: Mapping[int, int], passages: int, terms: int) -> None:
        self._counts = (document_frequencies, passages, terms)
        super().__init__(corpus=())

    def _initialize(self, corpus: object) -> Mapping[int, int]:
        document_frequencies, self.corpus_size, terms = self._counts
        self.avgdl = terms / self.corpus_size
        return document_frequencies


@dataclass(frozen=True, slots=True)
class Segment:
    """Postings of some passages. `rows` counts within the segment; arrays of one block share their length."""

    ids: NDArray[np.int64]
    collections: NDArray[np.int32]
    lengths: NDArray[np.float64]
    alive: NDArray[np.bool_]

    terms: NDArray[np.int32]
    """Ascending, each once; the postings of `terms[i]` are `rows[offsets[i]:offsets[i + 1]]`."""
    offsets: NDArray[np.int64]
    rows: NDArray[np.int32]
    counts: NDArray[np.uint16]

    @classmethod
    def build(cls, passages: Sequence[tuple[int, int, bytes, bytes]]) -> "Segment":
        """Make a segment from rows (passage id, collection, term ids, counts), ascending by id."""
        per_passage = [len(terms) // 4 for _, _, terms, _ in passages]
        all_terms = np.frombuffer(b"".join(terms for _, _, terms, _ in passages), dtype=np.int32)
        all_counts = np.frombuffer(b"".join(counts for _, _, _, counts in passages), dtype=np.uint16)
        rows = np.repeat(np.arange(len(passages), dtype=np.int32), per_passage)
        order = np.argsort(all_terms, kind="stable")
        terms, firsts = np.unique(all_terms[order], return_index=True)
        return cls(
            ids=np.array([row[0] for row in passages], dtype=np.int64),
            collections=np.array([row[1] for row in passages], dtype=np.int32),
            lengths=np.bincount(rows, weights=all_counts, minlength=len(passages)).astype(np.float64),
            alive=np.ones(len(passages), dtype=np.bool_),
            terms=terms,
            offsets=np.append(firsts, len(all_terms)).astype(np.int64),
            rows=rows[order],
            counts=all_counts[order],
        )

    def postings(self, term: int) -> slice:
        """Return where the postings of a term stand."""
        place = int(np.searchsorted(self.terms, term))
        if place == len(self.terms) or self.terms[place] != term:
            return slice(0, 0)
        return slice(int(self.offsets[place]), int(self.offsets[place + 1]))

    def bury(self, passages: NDArray[np.int64]) -> None:
        """Mark passages as gone."""
        self.alive[np.isin(self.ids, passages)] = False

    def frequencies(self) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Return each term and in how many living passages it stands."""
        if self.alive.all():
            return self.terms, np.diff(self.offsets)
        living = self.alive[self.rows].astype(np.int64)
        return self.terms, np.add.reduceat(living, self.offsets[:-1]) if len(self.terms) else np.diff(self.offsets)


@dataclass(frozen=True, slots=True)
class _State:
    """The index as of a generation. A search works on one state throughout."""

    seen: Generation
    segments: tuple[Segment, ...]
    idf: Mapping[int, float]
    k1: float
    norms: tuple[NDArray[np.float64], ...]
    """What Okapi's formula adds to a term's count, by passage, for each segment."""
    masks: dict[frozenset[int], tuple[NDArray[np.bool_], ...]] = field(default_factory=dict)
    """By admitted collections: which passages of each segment may come back. Few audiences ask again and again."""

    def admissible(self, admitted: frozenset[int]) -> tuple[NDArray[np.bool_], ...]:
        """Return for each segment which of its living passages are in these collections."""
        if admitted not in self.masks:
            names = list(admitted)
            self.masks[admitted] = tuple(s.alive & np.isin(s.collections, names) for s in self.segments)
        return self.masks[admitted]


class SqliteLexicalIndex:
    """BM25 over `weft.db`."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._state = _State(Generation(), (), {}, 0.0, ())
        self._refreshing = asyncio.Lock()

    async def search(
        self, query: Query, *, k: int, filter: SearchFilter, audience: Audience
    ) -> Sequence[tuple[int, float]]:
        """Return at most `k` pairs (passage id, BM25 score), best first, all within filter and audience.

        Every passage with a matching term is ranked, also where Okapi's idf is zero or below, as it
        is in tiny collections; between equal scores more matching terms win, then the older passage.
        """
        weights = weighted_terms(query)
        if not weights or k < 1:
            return []
        state = await self._fresh()

        def prepare(connection: sqlite3.Connection) -> tuple[dict[int, float], set[int], NDArray[np.int64] | None]:
            admitted = readable(connection, audience, filter)
            ids = matching(connection, filter, admitted) if narrows(filter) else None
            return _term_ids(connection, weights), admitted, ids

        terms, admitted, ids = await self._database.read(prepare)
        found = [_score(state, number, terms, frozenset(admitted), ids) for number in range(len(state.segments))]
        return _best(found, k)

    async def document_frequencies(self, words: Sequence[str], *, audience: Audience) -> Sequence[int]:
        """Return for each word how many readable passages hold all of its tokens' terms."""
        state = await self._fresh()
        wanted = [Counter(tokens(word)) for word in words]

        def prepare(connection: sqlite3.Connection) -> tuple[dict[str, int], set[int]]:
            every = {term for counter in wanted for term in counter}
            return _vocabulary(connection, every), readable(connection, audience, SearchFilter())

        known, admitted = await self._database.read(prepare)
        return [_holding(state, [known.get(term, -1) for term in counter], admitted) for counter in wanted]

    async def documents_holding(
        self, words: Sequence[str], *, filter: SearchFilter, audience: Audience
    ) -> Sequence[NDArray[np.int64]]:
        """Return for each word the documents (`Passage.document`, ascending) in which it stands."""
        state = await self._fresh()
        wanted = [Counter(tokens(word)) for word in words]

        def work(connection: sqlite3.Connection) -> list[NDArray[np.int64]]:
            known = _vocabulary(connection, {term for counter in wanted for term in counter})
            admitted = matching(connection, filter, readable(connection, audience, filter))
            documents = dict(connection.execute("SELECT id, document FROM passages").fetchall())
            found = []
            for counter in wanted:
                ids = _ids_holding(state, [known.get(term, -1) for term in counter])
                ids = ids[np.isin(ids, admitted, assume_unique=True)]
                found.append(np.array(sorted({documents[i] for i in ids.tolist()}), dtype=np.int64))
            return found

        return await self._database.read(work)

    async def _fresh(self) -> _State:
        if self._state.seen == await self._database.read(generation):
            return self._state
        async with self._refreshing:  # many searches may notice at once; one of them does the work
            self._state = await self._refresh(self._state)
            return self._state

    async def _refresh(self, state: _State) -> _State:
        def load(connection: sqlite3.Connection) -> tuple[Generation, list[Any], list[Any], bool]:
            seen = generation(connection)
            (total,) = connection.execute("SELECT count(*) FROM passages").fetchone()
            settled = state.segments[0].ids[-1] if state.segments else 0
            new = int(seen.passage - settled)
            whole = not state.segments or new > max(1000, _MERGE_SHARE * total)
            rows = connection.execute(
                "SELECT id, collection, terms, counts FROM passages WHERE id>? ORDER BY id",
                (0 if whole else int(settled),),
            ).fetchall()
            gone = connection.execute("SELECT passage FROM removed WHERE seq>?", (state.seen.removal,)).fetchall()
            return seen, rows, gone, whole

        seen, rows, gone, whole = await self._database.read(load)
        if seen == state.seen:
            return state
        return await asyncio.to_thread(_advanced, state, seen, rows, [row[0] for row in gone], whole)


def _advanced(state: _State, seen: Generation, rows: list[Any], gone: list[int], whole: bool) -> _State:
    segments = () if whole else state.segments[:1]
    if gone and segments:
        segments[0].bury(np.array(gone, dtype=np.int64))
    if rows:
        segments = (*segments, Segment.build(rows))
    frequencies: dict[int, int] = {}
    for segment in segments:
        for term, count in zip(*(array.tolist() for array in segment.frequencies()), strict=True):
            if count:
                frequencies[term] = frequencies.get(term, 0) + count
    passages = sum(int(segment.alive.sum()) for segment in segments)
    if not passages or not frequencies:
        return _State(seen, segments, {}, 0.0, tuple(segment.lengths for segment in segments))
    length = sum(float(segment.lengths[segment.alive].sum()) for segment in segments)
    okapi = Okapi(frequencies, passages, int(length))
    k1, b = okapi.k1, okapi.b
    norms = tuple(k1 * (1 - b + b * segment.lengths / okapi.avgdl) for segment in segments)
    return _State(seen, segments, okapi.idf, k1, norms)


def weighted_terms(query: Query) -> dict[str, float]:
    """Return each term of a query with its weight; a term repeated in the text counts as often."""
    weights: dict[str, float] = {}
    for term in tokens(query.text):
        weights[term] = weights.get(term, 0.0) + 1.0
    for extra in query.terms:
        for term in tokens(extra.text):
            weights[term] = weights.get(term, 0.0) + extra.weight
    return weights


def _term_ids(connection: sqlite3.Connection, weights: Mapping[str, float]) -> dict[int, float]:
    return {identity: weights[term] for term, identity in _vocabulary(connection, weights).items()}


def _vocabulary(connection: sqlite3.Connection, terms: "Mapping[str, float] | set[str]") -> dict[str, int]:
    sql = "SELECT id FROM terms WHERE term=?"
    found = {term: connection.execute(sql, (term,)).fetchone() for term in terms}
    return {term: row[0] for term, row in found.items() if row is not None}


def _score(
    state: _State, number: int, terms: Mapping[int, float], admitted: frozenset[int], ids: NDArray[np.int64] | None
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int32]]:
    """Return ids, scores and numbers of matching terms of a segment's admitted passages that match at all."""
    segment, norms = state.segments[number], state.norms[number]
    scores = np.zeros(len(segment.ids))
    matches = np.zeros(len(segment.ids), dtype=np.int32)
    for term, weight in terms.items():
        place = segment.postings(term)
        rows, counts = segment.rows[place], segment.counts[place].astype(np.float64)
        scores[rows] += weight * state.idf.get(term, 0.0) * (counts * (state.k1 + 1) / (counts + norms[rows]))
        matches[rows] += 1
    hits = np.flatnonzero(matches)
    hits = hits[state.admissible(admitted)[number][hits]]
    if ids is not None:
        hits = hits[np.isin(segment.ids[hits], ids, assume_unique=True)]
    return segment.ids[hits], scores[hits], matches[hits]


def _best(
    found: Sequence[tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int32]]], k: int
) -> list[tuple[int, float]]:
    if not found:
        return []
    ids, scores, matches = (np.concatenate(arrays) for arrays in zip(*found, strict=True))
    if len(ids) > 4 * k:  # all that can be among the best, ties with the last of them included
        threshold = np.partition(scores, len(scores) - k)[len(scores) - k]
        keep = scores >= threshold
        ids, scores, matches = ids[keep], scores[keep], matches[keep]
    order = np.lexsort((ids, -matches, -scores))[:k]
    return [(int(ids[i]), float(scores[i])) for i in order]


def _holding(state: _State, terms: Sequence[int], admitted: set[int]) -> int:
    """Return how many living, admitted passages hold all the terms."""
    if not terms:
        return 0
    total = 0
    for segment in state.segments:
        rows = segment.rows[segment.postings(terms[0])]
        for term in terms[1:]:
            rows = np.intersect1d(rows, segment.rows[segment.postings(term)], assume_unique=True)
        living = segment.alive[rows] & np.isin(segment.collections[rows], list(admitted))
        total += int(living.sum())
    return total


def _ids_holding(state: _State, terms: Sequence[int]) -> NDArray[np.int64]:
    """Return the living passages that hold all the terms; none for no terms."""
    found = [np.empty(0, dtype=np.int64)]
    for segment in state.segments if terms else ():
        rows = segment.rows[segment.postings(terms[0])]
        for term in terms[1:]:
            rows = np.intersect1d(rows, segment.rows[segment.postings(term)], assume_unique=True)
        found.append(segment.ids[rows[segment.alive[rows]]])
    return np.concatenate(found)
