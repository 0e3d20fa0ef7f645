"""Who may see what: a filter and an audience as the collections they leave, and as masks over passages."""

import json
from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agent.types import KEPT, OF_NO_PACK, Audience, SearchFilter
from storage.scoring import Mask
from storage.segment import CATEGORIES, KINDS, LANGUAGES, Segment, day
from storage.sql import Connection

_LAST_DAY = 9999_12_31

_BY_SOURCE = "SELECT id FROM documents WHERE source IN (SELECT value FROM json_each(?))"
_BY_FILE = """
SELECT d.id FROM documents d, json_each(?) f
WHERE length(d.source)>length(f.value) AND substr(d.source, length(d.source)-length(f.value))='/'||f.value
"""


def readable(connection: Connection, audience: Audience, filter: SearchFilter) -> frozenset[int]:
    """Return the collections that the audience may read and the filter admits.

    Where not only collections are named, a pack's sample documents step back as soon as the library holds documents of
    the team's own, apart from what people answered in a thread.
    """
    rows = connection.execute("SELECT id, name, readers, sample, pack FROM collections").fetchall()
    own = any(sample for *_, sample, _ in rows) and any(
        connection.execute("SELECT 1 FROM documents WHERE collection=? LIMIT 1", (identity,)).fetchone()
        for identity, name, _, sample, pack in rows
        if not sample and not pack and not name.startswith(KEPT)
    )
    names = filter.collections
    steps_back = own and (not names or OF_NO_PACK in names)
    return frozenset(
        identity
        for identity, name, readers, sample, pack in rows
        if (not names or _named(name, pack, names))
        and not (sample and steps_back)
        and audience.may_read(frozenset(json.loads(readers)))
    )


def _named(collection: str, pack: str, names: Collection[str]) -> bool:
    """Tell whether a collection is among those named.

    `KEPT` names all that people answered, `OF_NO_PACK` all that is no pack's.
    """
    if collection in names or (OF_NO_PACK in names and not pack):
        return True
    return KEPT in names and collection.startswith(KEPT)


def mask(connection: Connection, segment: Segment, filter: SearchFilter, collections: frozenset[int]) -> Mask | None:
    """Return which passages of a segment are in these collections and admitted by the filter; None: every one."""
    found = _among(segment.columns.collections, collections)
    if found.all() and filter == SearchFilter(collections=filter.collections):
        return None
    for each in _masks(connection, segment, replace(filter, collections=())):
        found &= each
    return found


def _masks(connection: Connection, segment: Segment, filter: SearchFilter) -> Iterator[Mask]:
    columns = segment.columns
    if filter.categories:
        yield _among(columns.categories, [CATEGORIES.index(category) for category in filter.categories])
    if filter.kinds:
        yield _among(columns.kinds, [KINDS.index(kind) for kind in filter.kinds])
    if filter.language:
        yield columns.languages == LANGUAGES.index(filter.language)
    if filter.foreign_to:
        yield columns.languages != LANGUAGES.index(filter.foreign_to)
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


def _numbers(connection: Connection, sql: str, value: str) -> list[int]:
    return [number for (number,) in connection.execute(sql, (value,))]
