"""Vectors by passage id in PostgreSQL, found by inner product with pgvector.

What an audience may read decides how: few vectors are all compared, which is exact; among many an HNSW index is
followed, further and further, until enough of what it gives is within filter and audience. Left to itself such an
index gives what is near, and of that nothing is admitted: that lost results in every query that was measured.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agent.errors import SettingsError
from agent.types import Audience, SearchFilter
from storage.admission import readable
from storage.sql import Connection, SqlDatabase
from storage.vector_format import REPAIR, Ids, Rows

EXACT = 2_500
"""Vectors that are all compared: about as long as following the index takes."""
_EFFORT = 120
"""`hnsw.ef_search`: recall at 10 was measured to be .95 and more from 100 on."""
_LIVE = "SELECT id, name, dimensions FROM embeddings WHERE live=1"
_ALONE = "vectors"
AllowedIds = Callable[[SearchFilter, Audience], Awaitable[NDArray[np.int64] | None]]


@dataclass(frozen=True, kw_only=True, slots=True)
class _Table:
    """Where the vectors of one embedding stand."""

    id: int
    dimensions: int

    @property
    def name(self) -> str:
        return f"vectors_{self.id}"


class PostgresVectors:
    """The vectors of all passages. Every row has length 1. Implements `storage.contracts.VectorStore`.

    Raises SettingsError where those that are there are of another embedding.
    """

    def __init__(self, database: SqlDatabase, *, embedding: str, live: bool = True) -> None:
        self._database = database
        self._embedding = embedding
        self._is_live = live

    async def count(self) -> int:
        """Return how many vectors there are."""

        def work(connection: Connection) -> int:
            table = self._table(connection)
            if table is None:
                return 0
            return int(connection.execute(f"SELECT count(*) FROM {table.name}").fetchone()[0])

        return await self._database.read(work)

    async def ids(self) -> Ids:
        """Return the ids that have a vector, ascending."""

        def work(connection: Connection) -> Ids:
            table = self._table(connection)
            found = connection.execute(f"SELECT passage FROM {table.name} ORDER BY passage").fetchall() if table else []
            return np.fromiter((row[0] for row in found), dtype=np.int64, count=len(found))

        return await self._database.read(work)

    async def add(self, ids: Ids, vectors: Rows) -> None:
        """Set the vectors of these ids, replacing those that are there; it lasts."""
        if vectors.ndim != 2 or len(ids) != len(vectors):
            raise ValueError(f"{len(ids)} ids do not go with vectors of shape {vectors.shape}")
        if not np.isfinite(vectors).all():
            raise ValueError("a vector holds something that is not a number")
        if not len(ids):
            return
        rows = [(_text(vector), int(each)) for each, vector in zip(ids.tolist(), vectors, strict=True)]

        def work(connection: Connection) -> None:
            table = self._table(connection) or self._made(connection, int(vectors.shape[1]))
            if table.dimensions != vectors.shape[1]:
                raise self._wrong_length(table.dimensions, int(vectors.shape[1]))
            connection.executemany(
                f"""INSERT INTO {table.name}(vector, passage, collection)
                VALUES(?, ?, coalesce((SELECT collection FROM passages WHERE id=?), 0))
                ON CONFLICT(passage) DO UPDATE SET vector=excluded.vector, collection=excluded.collection""",
                [(*row, row[1]) for row in rows],
            )

        await self._database.write(work, alone=_ALONE)

    async def remove(self, ids: Ids) -> int:
        """Drop the vectors of these ids; returns how many there were."""

        def work(connection: Connection) -> int:
            table = self._table(connection)
            if table is None:
                return 0
            return connection.execute(f"DELETE FROM {table.name} WHERE passage=ANY(?)", (ids.tolist(),)).rowcount

        return await self._database.write(work)

    async def clear(self) -> None:
        """Begin anew, whatever is there."""

        def work(connection: Connection) -> None:
            sql = _LIVE if self._is_live else _MADE
            for identity, *_ in connection.execute(sql).fetchall():
                _drop(connection, identity)

        await self._database.write(work, alone=_ALONE)

    async def save(self, *, whole: bool = False) -> None:
        """Do nothing: what was added lasts."""

    def beside(self) -> "PostgresVectors":
        """Return the vectors that are made anew, beside these."""
        return PostgresVectors(self._database, embedding=self._embedding, live=False)

    async def take(self, other: "PostgresVectors") -> None:
        """Put others, made beside these, in their place, in one step."""

        def work(connection: Connection) -> None:
            made = other._table(connection)
            for identity, *_ in connection.execute(_LIVE).fetchall():
                _drop(connection, identity)
            if made is not None:
                connection.execute("UPDATE embeddings SET live=1 WHERE id=?", (made.id,))

        await self._database.write(work, alone=_ALONE)

    async def close(self) -> None:
        """Do nothing: the database is closed by who opened it."""

    async def search(
        self, vector: Rows, k: int, *, filter: SearchFilter, audience: Audience, ids: Ids | None = None
    ) -> Sequence[tuple[int, float]]:
        """Return at most `k` pairs (passage, inner product), best first, within filter and audience.

        `ids`: those that a filter admits which asks for more than collections.
        """
        if k < 1 or (ids is not None and not len(ids)):
            return []

        def work(connection: Connection) -> Sequence[tuple[int, float]]:
            table = self._table(connection)
            if table is None:
                return []
            if table.dimensions != len(vector):
                raise self._wrong_length(table.dimensions, len(vector))
            if ids is not None:
                return _exact(connection, table, vector, k, "passage", ids.tolist())
            collections = sorted(readable(connection, audience, filter))
            few = f"SELECT count(*) FROM (SELECT 1 FROM {table.name} WHERE collection=ANY(?) LIMIT ?) AS first_ones"
            (count,) = connection.execute(few, (collections, EXACT + 1)).fetchone()
            search = _exact if count <= EXACT else _along_the_index
            return search(connection, table, vector, k, "collection", collections)

        return await self._database.read(work, audience=audience)

    def _table(self, connection: Connection) -> _Table | None:
        row = connection.execute(_LIVE if self._is_live else _MADE).fetchone()
        if row is None:
            return None
        identity, name, dimensions = row
        if name != self._embedding:
            raise SettingsError(
                f"the vectors were made by the embedding {name!r}, but the settings name {self._embedding!r}: "
                f"set it back, or run `{REPAIR}`."
            )
        return _Table(id=identity, dimensions=dimensions)

    def _made(self, connection: Connection, dimensions: int) -> _Table:
        sql = "INSERT INTO embeddings(name, dimensions, live) VALUES(?,?,?) RETURNING id"
        values = (self._embedding, dimensions, int(self._is_live))
        table = _Table(id=connection.execute(sql, values).fetchone()[0], dimensions=dimensions)
        for statement in table_statements(table.name, dimensions):
            connection.execute(statement)
        return table

    def _wrong_length(self, there: int, given: int) -> SettingsError:
        return SettingsError(
            f"the vectors and the embedding {self._embedding!r} do not go together ({there} and {given} dimensions): "
            f"set the embedding back, or run `{REPAIR}`."
        )


_MADE = "SELECT id, name, dimensions FROM embeddings WHERE live=0 ORDER BY id DESC LIMIT 1"
_MOST_INDEXED = 2_000
"""Dimensions that pgvector's index takes; longer vectors are all compared."""


class PostgresVectorIndex:
    """Implements `agent.ports.VectorIndex`."""

    def __init__(self, vectors: PostgresVectors, allowed_ids: AllowedIds) -> None:
        self._vectors = vectors
        self._allowed_ids = allowed_ids

    async def search(
        self, vector: NDArray[np.float32], *, k: int, filter: SearchFilter, audience: Audience
    ) -> Sequence[tuple[int, float]]:
        """Return at most `k` pairs (passage id, similarity), best first, all within filter and audience."""
        ids = None
        if replace(filter, collections=()) != SearchFilter():
            ids = await self._allowed_ids(filter, audience)
        return await self._vectors.search(vector, k, filter=filter, audience=audience, ids=ids)

    async def ready(self) -> bool:
        """Tell whether there is anything to search."""
        return await self._vectors.count() > 0


def table_statements(name: str, dimensions: int) -> Sequence[str]:
    """Return what makes the table of an embedding."""
    table = f"""CREATE TABLE {name}(
    passage bigint PRIMARY KEY, collection bigint NOT NULL, vector vector({dimensions}) NOT NULL)"""
    statements = [table, f"CREATE INDEX ON {name}(collection)"]
    if dimensions <= _MOST_INDEXED:
        statements.append(f"CREATE INDEX ON {name} USING hnsw (vector vector_ip_ops)")
    return statements


def _exact(
    connection: Connection, table: _Table, vector: Rows, k: int, column: str, values: Sequence[int]
) -> Sequence[tuple[int, float]]:
    """Compare all that are admitted; the planner would rather follow the index, and lose some."""
    sql = f"""WITH admitted AS MATERIALIZED (
    SELECT passage, -(vector <#> CAST(? AS vector)) AS score FROM {table.name} WHERE {column}=ANY(?))
    SELECT passage, score FROM admitted ORDER BY score DESC, passage LIMIT ?"""
    return _pairs(connection.execute(sql, (_text(vector), list(values), k)).fetchall())


def _along_the_index(
    connection: Connection, table: _Table, vector: Rows, k: int, column: str, values: Sequence[int]
) -> Sequence[tuple[int, float]]:
    """Follow the index until it has given enough that is admitted."""
    connection.execute(f"SET LOCAL hnsw.ef_search = {max(_EFFORT, min(1000, 2 * k))}")
    connection.execute("SET LOCAL hnsw.iterative_scan = relaxed_order")
    sql = f"""WITH near AS MATERIALIZED (
    SELECT passage, -(vector <#> CAST(? AS vector)) AS score FROM {table.name} WHERE {column}=ANY(?)
    ORDER BY vector <#> CAST(? AS vector) LIMIT ?)
    SELECT passage, score FROM near ORDER BY score DESC, passage"""
    text = _text(vector)
    return _pairs(connection.execute(sql, (text, list(values), text, k)).fetchall())


def _drop(connection: Connection, identity: int) -> None:
    connection.execute(f"DROP TABLE IF EXISTS vectors_{int(identity)}")
    connection.execute("DELETE FROM embeddings WHERE id=?", (identity,))


def _text(vector: Any) -> str:
    return "[" + ",".join(map(repr, np.asarray(vector, dtype=np.float32).tolist())) + "]"


def _pairs(rows: Sequence[Any]) -> list[tuple[int, float]]:
    return [(int(passage), float(score)) for passage, score in rows]
