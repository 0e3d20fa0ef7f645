"""BM25 as `rank_bm25.BM25Okapi` reckons it, over postings: the best passages of a segment for some terms.

Few of the postings of frequent terms are looked at: as soon as all terms that are left could not
lift a passage that holds none of the others among the best, only those found so far go on.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from rank_bm25 import BM25Okapi

from storage.segment import Segment

B = 0.6
"""How much the length of a passage counts against it: the library's .75 holds more against the long ones than is good
for passages that ingest cuts to a like size. Its other parameters stand."""
_DIGITS = 9
"""Scores are rounded to so many: what is equal stays equal, in whichever order it was summed up."""
_SLACK = 1e-8
"""More than rounding changes."""
_LOOKUP = 12
"""Looking a row up costs about as much as adding so many postings to the scores."""
_SHUT = 256
"""So few rows that are not admitted, removed ones mostly, are left out at the end."""

_SAMPLE = 4096

Mask = NDArray[np.bool_]
Rows = NDArray[np.int32]
Scores = NDArray[np.float64]


class Okapi(BM25Okapi):  # type: ignore[misc]  # the library has no types
    """The library's BM25Okapi over counts instead of texts.

    `terms[n]` is how many terms stand in n passages each, `idf[n]` their idf, `length` that of all passages.
    """

    idf: dict[int, float]
    average_idf: float

    def __init__(self, terms: Mapping[int, int], *, passages: int, length: int) -> None:
        self._counts = (terms, passages, length)
        super().__init__(corpus=(), b=B)

    def _initialize(self, corpus: object) -> Mapping[int, int]:
        terms, self.corpus_size, length = self._counts
        self.avgdl = length / self.corpus_size
        return terms

    def _calc_idf(self, terms: Mapping[int, int]) -> None:
        """Run the library's code once for every number of passages instead of once for every term.

        Of a single term, what the library calls the average is its idf before frequent terms get theirs.
        """
        alone: dict[int, float] = {}
        for frequency in terms:
            super()._calc_idf({frequency: frequency})
            alone[frequency] = self.average_idf
            self.idf = {}
        self.average_idf = sum(idf * terms[frequency] for frequency, idf in alone.items()) / sum(terms.values())
        floor = self.epsilon * self.average_idf
        self.idf = {frequency: idf if idf >= 0 else floor for frequency, idf in alone.items()}


@dataclass(frozen=True, kw_only=True, slots=True)
class Admitted:
    """Which rows of a segment may come back: all of them where there is no mask."""

    mask: Mask | None = None
    few: Rows | None = None
    """The rows themselves, where they are few."""
    shut: int = 0
    """How many rows may not."""

    @classmethod
    def of(cls, mask: Mask) -> "Admitted":
        """Return what a mask admits."""
        count = int(np.count_nonzero(mask))
        if count == len(mask):
            return cls()
        few = np.flatnonzero(mask).astype(np.int32) if count * 8 < len(mask) else None
        return cls(mask=mask, few=few, shut=len(mask) - count)

    def among(self, rows: Rows) -> Rows:
        """Return those of these rows that are admitted."""
        return rows if self.mask is None else rows[self.mask[rows]]


@dataclass(frozen=True, slots=True)
class _Term:
    """A term of a query in a segment."""

    weight: float
    """Its idf times what the query says it counts."""
    rows: Rows
    counts: NDArray[np.uint16]


@dataclass(frozen=True, kw_only=True, slots=True)
class Ranked:
    """Passages of a segment, with what their order depends on."""

    ids: NDArray[np.int64]
    scores: Scores
    matches: NDArray[np.int32]
    """How many of the terms each holds."""

    @classmethod
    def best(cls, parts: Sequence["Ranked"], k: int) -> list[tuple[int, float]]:
        """Return the best `k` of all, best first: by score, then by matching terms, then the older passage."""
        if not parts:
            return []
        ids = np.concatenate([part.ids for part in parts])
        scores = np.concatenate([part.scores for part in parts])
        matches = np.concatenate([part.matches for part in parts])
        order = np.lexsort((ids, -matches, -scores))[:k]
        return list(zip(ids[order].tolist(), scores[order].tolist(), strict=True))


@dataclass(frozen=True, slots=True)
class Scorer:
    """Scores the passages of one segment. Not for two threads at once: its sums are kept between queries."""

    segment: Segment
    norms: Scores
    """What Okapi's formula adds to a term's count, by row."""
    gain: float
    """What a term adds to a score is below its weight times this."""
    _sums: Scores = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_sums", np.zeros(len(self.segment)))

    @classmethod
    def of(cls, segment: Segment, okapi: Okapi) -> "Scorer":
        """Return what scores a segment by these statistics."""
        lengths = segment.columns.lengths
        norms = okapi.k1 * (1 - okapi.b + okapi.b * lengths / okapi.avgdl)
        return cls(segment, norms, okapi.k1 + 1)

    def best(self, weights: Mapping[int, float], admitted: Admitted, k: int) -> Ranked:
        """Return the best `k` admitted passages with any of these terms, and all that score as the last of them."""
        places = [(weight, self.segment.postings(term)) for term, weight in weights.items()]
        terms = [
            _Term(weight, self.segment.rows[place], self.segment.counts[place])
            for weight, place in places
            if place.stop > place.start
        ]
        terms.sort(key=lambda term: (-term.weight, len(term.rows)))
        rows, scores = self._candidates(terms, admitted, k)
        scores = np.round(scores, _DIGITS)
        if len(rows) > k:
            keep = scores >= _nth(scores, k)
            rows, scores = rows[keep], scores[keep]
        matches = np.zeros(len(rows), dtype=np.int32)
        for term in terms:
            matches += _find(term.rows, rows)[1]
        return Ranked(ids=self.segment.columns.ids[rows], scores=scores, matches=matches)

    def _candidates(self, terms: Sequence[_Term], admitted: Admitted, k: int) -> tuple[Rows, Scores]:
        """Return admitted rows with their scores, the best `k` and their equals among them."""
        if not terms:
            return np.empty(0, dtype=np.int32), np.empty(0)
        postings = sum(len(term.rows) for term in terms)
        if admitted.few is not None and len(admitted.few) * _LOOKUP * len(terms) < postings:
            return self._among(terms, admitted.few)
        if terms[-1].weight <= 0:  # as Okapi's idf is in tiny collections: nothing can be left out
            return self._among(terms, admitted.among(np.unique(np.concatenate([term.rows for term in terms]))))
        if admitted.shut > _SHUT:
            return self._pruned(terms, admitted.mask, k)
        # To look for so many more is quicker than to ask of every posting whether it is admitted.
        rows, scores = self._pruned(terms, None, k + admitted.shut)
        if admitted.mask is None:
            return rows, scores
        inside = admitted.mask[rows]
        return rows[inside], scores[inside]

    def _gains(self, term: _Term, rows: NDArray[np.int32] | NDArray[np.intp], counts: NDArray[np.uint16]) -> Scores:
        gains = np.maximum(counts, 1).astype(np.float64)  # 0: it stands in a note of how people ask alone
        below = self.norms.take(rows)
        below += gains
        gains *= term.weight * self.gain
        gains /= below
        return gains

    def _among(self, terms: Sequence[_Term], rows: Rows) -> tuple[Rows, Scores]:
        """Score these rows by looking each up among the postings of each term."""
        scores, any_term = np.zeros(len(rows)), np.zeros(len(rows), dtype=np.bool_)
        for term in terms:
            places, there = _find(term.rows, rows)
            scores[there] += self._gains(term, rows[there], term.counts[places[there]])
            any_term |= there
        return rows[any_term], scores[any_term]

    def _pruned(self, terms: Sequence[_Term], mask: Mask | None, k: int) -> tuple[Rows, Scores]:
        """Score as many terms as it takes, heaviest first, and then only the rows that can still be among the best."""
        most_left = np.cumsum([0.0, *(term.weight * self.gain for term in reversed(terms))])[::-1]
        added: list[NDArray[np.intp]] = []
        gains, floor = np.empty(0), 0.0
        try:
            for term, left in zip(terms, most_left, strict=False):
                least = floor - left - _SLACK
                if least > 0 and np.count_nonzero(gains >= least) * _LOOKUP < len(term.rows):
                    break
                rows, counts = term.rows.astype(np.intp), term.counts
                if mask is not None:
                    inside = np.flatnonzero(mask.take(rows))
                    rows, counts = rows.take(inside), counts.take(inside)
                gains = self._gains(term, rows, counts)
                if added:
                    gains += self._sums.take(rows)
                added.append(rows)
                self._sums[rows] = gains
                if len(rows) >= k:  # the k-th best of some is never above the k-th best of all
                    floor = max(floor, _nth(gains, k))
            kept, scores = self._above(added, floor - most_left[len(added)] - _SLACK)
        finally:
            self._clear(added)
        for term, left in zip(terms[len(added) :], most_left[len(added) :], strict=False):
            keep = scores + left >= floor - _SLACK
            kept, scores = kept[keep], scores[keep]
            places, there = _find(term.rows, kept)
            scores[there] += self._gains(term, kept[there], term.counts[places[there]])
            if len(scores) > 4 * k:
                floor = max(floor, _nth(scores, k))
        return kept, scores

    def _above(self, added: Sequence[NDArray[np.intp]], least: float) -> tuple[Rows, Scores]:
        """Return the rows whose sums are at least this, and above 0; each once."""
        all_rows, all_scores = [], []
        for rows in added:
            scores = self._sums.take(rows)
            places = np.flatnonzero(scores >= least if least > 0 else scores > 0)
            rows = rows.take(places)
            all_rows.append(rows.astype(np.int32))
            all_scores.append(scores.take(places))
            self._sums[rows] = -1.0
        return np.concatenate(all_rows), np.concatenate(all_scores)

    def _clear(self, added: Sequence[NDArray[np.intp]]) -> None:
        if sum(map(len, added)) > len(self._sums) // 4:
            self._sums.fill(0.0)
            return
        for rows in added:
            self._sums[rows] = 0.0


def _find(among: Rows, rows: Rows) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Return for each row where it stands among some ascending ones, and whether it does."""
    places = np.searchsorted(among, rows)
    places[places == len(among)] = 0
    return places, among[places] == rows


def _nth(scores: Scores, k: int) -> float:
    """Return the k-th best score."""
    sample = scores[:: max(1, len(scores) // _SAMPLE)]
    if k <= len(sample) < len(scores):  # the k-th best of a sample leaves few that may be better
        scores = scores.take(np.flatnonzero(scores >= _nth(sample, k)))
    return float(np.partition(scores, len(scores) - k)[len(scores) - k])
