"""Several segments made into one, without what was removed; a stretch of terms at a time, so that it needs little room.

The passages keep their order: the rows of the first segment come first.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from storage.segment import Columns, Segment

STRETCH = 2_000_000
"""Postings that are in memory at once, or those of one term if these are more."""
_TERMS = 65_536
"""Numbers of 16 bits are sorted in one pass."""

Kept = NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True, slots=True)
class Stretch:
    """The postings of some terms, one term after the other."""

    terms: NDArray[np.int32]
    frequencies: NDArray[np.int64]
    """How many postings each of the terms has."""
    rows: NDArray[np.int32]
    counts: NDArray[np.uint16]


def merged(segments: Sequence[Segment], kept: Sequence[Kept]) -> Segment:
    """Return the kept rows of several segments as one segment in memory."""
    parts = list(stretches(segments, kept))
    frequencies = np.concatenate([part.frequencies for part in parts]) if parts else np.empty(0, dtype=np.int64)
    empty = np.empty(0)
    return Segment(
        columns=Columns.joined([segment.columns for segment in segments], kept),
        terms=np.concatenate([empty.astype(np.int32), *(part.terms for part in parts)]),
        offsets=np.append(0, np.cumsum(frequencies)).astype(np.int64),
        rows=np.concatenate([empty.astype(np.int32), *(part.rows for part in parts)]),
        counts=np.concatenate([empty.astype(np.uint16), *(part.counts for part in parts)]),
    )


def stretches(segments: Sequence[Segment], kept: Sequence[Kept]) -> Iterator[Stretch]:
    """Yield the postings of the kept rows of all segments, ascending by term, the rows numbered anew."""
    numbers = list(_numbered(kept))
    end = max((int(segment.terms[-1]) + 1 for segment in segments if len(segment.terms)), default=0)
    sizes = np.zeros(end, dtype=np.int64)
    for segment in segments:
        sizes[segment.terms] += np.diff(segment.offsets)
    sums = np.cumsum(sizes)
    low = 0
    while low < end:
        before = int(sums[low - 1]) if low else 0
        high = int(np.searchsorted(sums, before + STRETCH, side="right"))
        high = min(max(high, low + 1), low + _TERMS, end)
        yield _stretch(segments, numbers, low, high)
        low = high


def _numbered(kept: Sequence[Kept]) -> Iterator[NDArray[np.int32]]:
    """Yield for each segment the new number of every row, -1 for those that are not kept."""
    first = 0
    for keep in kept:
        count = int(np.count_nonzero(keep))
        numbers = np.full(len(keep), -1, dtype=np.int32)
        numbers[keep] = np.arange(first, first + count, dtype=np.int32)
        first += count
        yield numbers


def _stretch(segments: Sequence[Segment], numbers: Sequence[NDArray[np.int32]], low: int, high: int) -> Stretch:
    all_terms, all_rows, all_counts = [], [], []
    for segment, number in zip(segments, numbers, strict=True):
        first, last = np.searchsorted(segment.terms, np.array([low, high], dtype=np.int32))
        place = slice(int(segment.offsets[first]), int(segment.offsets[last]))
        relative = (segment.terms[first:last] - low).astype(np.uint16)
        terms = np.repeat(relative, np.diff(segment.offsets[first : last + 1]))
        rows, counts = number[segment.rows[place]], segment.counts[place]
        keep = rows >= 0
        if not keep.all():
            terms, rows, counts = terms[keep], rows[keep], counts[keep]
        all_terms.append(terms)
        all_rows.append(rows)
        all_counts.append(counts)
    terms = np.concatenate(all_terms)
    order = np.argsort(terms, kind="stable")
    frequencies = np.bincount(terms, minlength=high - low)
    present = np.flatnonzero(frequencies)
    return Stretch(
        terms=(present + low).astype(np.int32),
        frequencies=frequencies[present],
        rows=np.concatenate(all_rows)[order],
        counts=np.concatenate(all_counts)[order],
    )
