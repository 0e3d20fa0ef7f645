"""Some passages as arrays: what a filter asks about each of them, and in which of them each term stands.

A segment never changes. What is removed is marked in a mask beside it, and several segments are made
into one from time to time (`storage.merging`).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any, Self, get_args

import numpy as np
from numpy.typing import NDArray

from agent.language.registry import languages
from agent.types import Category, Kind
from storage.sql import Connection

CATEGORIES = tuple(category.value for category in Category)
KINDS: tuple[str, ...] = get_args(Kind)
LANGUAGES = languages()
_OTHER = 255
"""Stands for a name that is in none of these lists."""

READ = 16_384
"""Passages that become a segment at once when many are read; `build` takes at most 65,536."""

_ROWS = """
SELECT p.id, p.collection, p.document, p.category, p.kind, p.language, p.page, d.date, p.terms, p.counts
FROM passages p JOIN documents d ON d.id=p.document WHERE p.id>? AND p.id<=? ORDER BY p.id LIMIT ?"""


@dataclass(frozen=True, kw_only=True, slots=True)
class Columns:
    """One number a passage, ascending by id."""

    ids: NDArray[np.int64]
    collections: NDArray[np.int32]
    documents: NDArray[np.int64]
    categories: NDArray[np.uint8]
    """Places in `CATEGORIES`; the next two alike."""
    kinds: NDArray[np.uint8]
    languages: NDArray[np.uint8]
    pages: NDArray[np.int32]
    """-1 where there are no pages."""
    days: NDArray[np.int32]
    """Of the document's date, see `day`; 0 where it has none."""
    lengths: NDArray[np.int32]
    """In terms."""

    @classmethod
    def none(cls) -> Self:
        """Return the columns of no passage."""
        wide, middle, small = np.empty(0, np.int64), np.empty(0, np.int32), np.empty(0, np.uint8)
        return cls(
            ids=wide,
            collections=middle,
            documents=wide,
            categories=small,
            kinds=small,
            languages=small,
            pages=middle,
            days=middle,
            lengths=middle,
        )

    @classmethod
    def joined(cls, parts: Sequence[Self], kept: Sequence[NDArray[np.bool_]]) -> Self:
        """Return the kept rows of several columns, one after the other."""
        none = cls.none()

        def join(name: str) -> NDArray[Any]:
            kept_rows = [getattr(part, name)[keep] for part, keep in zip(parts, kept, strict=True)]
            return np.concatenate([getattr(none, name), *kept_rows])

        return cls(**{field.name: join(field.name) for field in fields(cls)})


@dataclass(frozen=True, kw_only=True, slots=True)
class Segment:
    """Passages with their postings. `rows` counts within the segment; `rows` and `counts` go together."""

    columns: Columns
    terms: NDArray[np.int32]
    """Ascending, each once; the postings of `terms[i]` stand at `offsets[i]:offsets[i + 1]`."""
    offsets: NDArray[np.int64]
    rows: NDArray[np.int32]
    """Ascending for each term."""
    counts: NDArray[np.uint16]

    def __len__(self) -> int:
        return len(self.columns.ids)

    @classmethod
    def build(cls, rows: Sequence[tuple[Any, ...]]) -> Self:
        """Make a segment from rows as `read_segments` selects them."""
        ids, collections, documents, categories, kinds, languages, pages, dates, terms, counts = zip(*rows, strict=True)
        columns = Columns(
            ids=np.array(ids, dtype=np.int64),
            collections=np.array(collections, dtype=np.int32),
            documents=np.array(documents, dtype=np.int64),
            categories=_codes(CATEGORIES, categories),
            kinds=_codes(KINDS, kinds),
            languages=_codes(LANGUAGES, languages),
            pages=np.array([-1 if page is None else page for page in pages], dtype=np.int32),
            days=np.array([day(date) for date in dates], dtype=np.int32),
            lengths=np.empty(len(rows), dtype=np.int32),
        )
        # Term, row and count in one number: sorting that is several times as fast as sorting places.
        packed = np.frombuffer(b"".join(terms), dtype=np.int32).astype(np.uint64) << np.uint64(32)
        per_row = np.array([len(blob) // 4 for blob in terms], dtype=np.int64)
        packed |= np.repeat(np.arange(len(rows), dtype=np.uint64) << np.uint64(16), per_row)
        packed |= np.frombuffer(b"".join(counts), dtype=np.uint16)
        packed.sort()
        sorted_rows = ((packed >> np.uint64(16)) & np.uint64(0xFFFF)).astype(np.int32)
        sorted_counts = (packed & np.uint64(0xFFFF)).astype(np.uint16)
        columns.lengths[:] = np.bincount(sorted_rows, weights=np.maximum(sorted_counts, 1), minlength=len(rows))
        each, firsts = np.unique((packed >> np.uint64(32)).astype(np.int32), return_index=True)
        return cls(
            columns=columns,
            terms=each,
            offsets=np.append(firsts, len(packed)).astype(np.int64),
            rows=sorted_rows,
            counts=sorted_counts,
        )

    def postings(self, term: int) -> slice:
        """Return where the postings of a term stand."""
        place = int(np.searchsorted(self.terms, np.int32(term)))
        if place == len(self.terms) or self.terms[place] != term:
            return slice(0, 0)
        return slice(int(self.offsets[place]), int(self.offsets[place + 1]))

    def rows_of(self, ids: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the rows of those of these passages that are here."""
        if not len(self):
            return np.empty(0, dtype=np.int64)
        places = np.minimum(np.searchsorted(self.columns.ids, ids), len(self) - 1)
        found: NDArray[np.int64] = places[self.columns.ids[places] == ids]
        return found

    def terms_in(self, rows: NDArray[np.int64]) -> NDArray[np.int32]:
        """Return the terms of these rows, each as often as rows hold it. Reads all postings."""
        wanted = np.zeros(len(self), dtype=np.bool_)
        wanted[rows] = True
        step = 1 << 20
        starts = range(0, len(self.rows), step)
        found = [np.flatnonzero(wanted[self.rows[start : start + step]]) + start for start in starts]
        places = np.concatenate(found) if found else np.empty(0, dtype=np.int64)
        return self.terms[np.searchsorted(self.offsets, places, side="right") - 1]


def read_segments(connection: Connection, after: int, upto: int) -> Iterator[Segment]:
    """Yield the passages with ids above `after`, up to `upto`."""
    while rows := connection.execute(_ROWS, (after, upto, READ)).fetchall():
        after = rows[-1][0]
        yield Segment.build(rows)


def day(date: str) -> int:
    """Return a date `YYYY-MM-DD`, or the beginning of one, as a number in the same order; 0 for none."""
    digits = date.replace("-", "")[:8]
    return int(digits.ljust(8, "0")) if digits.isdecimal() else 0


def _codes(names: Sequence[str], values: Sequence[str]) -> NDArray[np.uint8]:
    codes = {name: code for code, name in enumerate(names)}
    return np.array([codes.get(value, _OTHER) for value in values], dtype=np.uint8)
