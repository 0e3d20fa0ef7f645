"""Who may see what: a filter and an audience as the collections they leave, and as masks over passages."""

import json
import sqlite3
from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agent.types import KEPT, Audience, SearchFilter
from storage.scoring import Mask
from storage.segment import CATEGORIES, KINDS, LANGUAGES, Segment, day

_LAST_DAY = 9999_12_31

_BY_SOURCE = "SELECT id FROM documents WHERE source IN (SELECT value FROM json_each(?))"
_BY_FILE = """
SELECT d.id FROM documents d, json_each(?) f WHERE substr(d.source, -length(f.value)-1)='/'||f.value
"""


def readable(connection: sqlite3.Connection, audience: Audience, filter: SearchFilter) -> frozenset[int]:
    """Return the collections that the audience may read and the filter admits.

    A pack's sample documents step back as soon as the library holds documents of the team's own, apart from what people
    answered in a thread.
    """
    rows = connection.execute("SELECT id, name, readers, sample FROM collections").fetchall()
    own = any(sample for *_, sample in rows) and any(
        connection.execute("SELECT 1 FROM documents WHERE collection=? LIMIT 1", (identity,)).fetchone()
        for identity, name, _, sample in rows
        if not sample and not name.startswith(KEPT)
    )
    return frozenset(
        identity
        for identity, name, readers, sample in rows
        if (_named(name, filter.collections) if filter.collections else not (sample and own))
        and audience.may_read(frozenset(json.loads(readers)))
    )


def _named(collection: str, names: Collection[str]) -> bool:
    """Tell whether a collection is among those named; `KEPT` names all that people answered."""
    return collection in names or (KEPT in names and collection.startswith(KEPT))


def mask(
    connection: sqlite3.Connection, segment: Segment, filter: SearchFilter, collections: frozenset[int]
) -> Mask | None:
    """Return which passages of a segment are in these collections and admitted by the filter; None: every one."""
    found = _among(segment.columns.collections, collections)
    if found.all() and filter == SearchFilter(collections=filter.collections):
        return None
    for each in _masks(connection, segment, replace(filter, collections=())):
        found &= each
    return found


def _masks(connection: sqlite3.Connection, segment: Segment, filter: SearchFilter) -> Iterator[Mask]:
    columns = segment.columns
    if filter.categories:
        yield _among(columns.categories, [CATEGORIES.index(category) for category in filter.categories])
    if filter.kinds:
        yield _among(columns.kinds, [KINDS.index(kind) for kind in filter.kinds])
    if filter.language:
        yield columns.languages == LANGUAGES.index(filter.language)
    if filter.page_range:
        first, last = filter.page_range
        yield (columns.pages >= max(0, first)) & (columns.pages <= last)
    if filter.date_range:
        since, until = filter.date_range
        yield (columns.days >= max(1, day(since))) & (columns.days <= (day(until) or _LAST_DAY))
    if filter.documents:
        yield _among(columns.documents, filter.documents)
    if filter.sources:
        found_in = _numbers(connection, _BY_SOURCE, json.dumps(filter.sources))
        files = [source for source in filter.sources if "/" not in source]
        if files:  # has no index: every document is looked at
            found_in += _numbers(connection, _BY_FILE, json.dumps(files))
        yield _among(columns.documents, found_in)
    for name in {filter.entity, *filter.names} - {""}:
        ids = _numbers(connection, "SELECT passage FROM entities WHERE name=? ORDER BY passage", name)
        found = np.zeros(len(segment), dtype=np.bool_)
        found[segment.rows_of(np.array(ids, dtype=np.int64))] = True
        yield found


def _among(column: NDArray[Any], values: Collection[int]) -> Mask:
    """Return where a column of small numbers holds one of these values."""
    table = np.zeros(int(column.max(initial=0)) + 1, dtype=np.bool_)
    wanted = np.fromiter(values, dtype=np.int64, count=len(values))
    table[wanted[(wanted >= 0) & (wanted < len(table))]] = True
    found: Mask = table[column]
    return found


def _numbers(connection: sqlite3.Connection, sql: str, value: str) -> list[int]:
    return [number for (number,) in connection.execute(sql, (value,))]
