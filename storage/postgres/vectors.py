"""Vectors by passage id in PostgreSQL, found by inner product with pgvector."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from agent.errors import SettingsError
from agent.types import Audience, SearchFilter
from storage.admission import readable
from storage.postgres.vector_table import VectorTable
from storage.sql import Connection, SqlDatabase
from storage.vector_format import REPAIR, Ids, Rows

_LIVE = "SELECT id, name, dimensions FROM embeddings WHERE live=1"
_MADE = "SELECT id, name, dimensions FROM embeddings WHERE live=0 ORDER BY id DESC LIMIT 1"
_ALONE = "vectors"
AllowedIds = Callable[[SearchFilter, Audience], Awaitable[NDArray[np.int64] | None]]


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
        last = {id: place for place, id in enumerate(ids.tolist())}  # an id that is given twice has its last vector
        places = list(last.values())

        def work(connection: Connection) -> None:
            table = self._table(connection) or self._made(connection, int(vectors.shape[1]))
            if table.dimensions != vectors.shape[1]:
                raise self._wrong_length(table.dimensions, int(vectors.shape[1]))
            table.put(connection, ids[places], vectors[places])

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
            for table in self._tables(connection):
                table.drop(connection)

        await self._database.write(work, alone=_ALONE)

    async def save(self, *, whole: bool = False) -> None:
        """See to the index, as what was added lasts; of vectors made beside others only when they are `whole`.

        To make it takes about a minute for 200,000; searches go on meanwhile. Raises StorageError.
        """
        if (self._is_live or whole) and await self._database.read(self._lacks_index):
            await asyncio.to_thread(self._index)

    def beside(self) -> "PostgresVectors":
        """Return the vectors that are made anew, beside these."""
        return PostgresVectors(self._database, embedding=self._embedding, live=False)

    async def take(self, other: "PostgresVectors") -> None:
        """Put others, made beside these, in their place, in one step."""

        def work(connection: Connection) -> None:
            made = other._table(connection)
            for table in self._tables(connection):
                table.drop(connection)
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
                return table.search(connection, vector, k, column="passage", values=ids.tolist())
            admitted = sorted(readable(connection, audience, filter))
            return table.search(connection, vector, k, column="collection", values=admitted)

        return await self._database.read(work, audience=audience)

    def _lacks_index(self, connection: Connection) -> bool:
        table = self._table(connection)
        return table is not None and table.lacks_index(connection)

    def _index(self) -> None:
        """Make the index over a connection of its own."""
        with self._database.moment() as connection:
            table = self._table(connection)
            if table is not None and table.lacks_index(connection):
                table.index(connection)
            connection.execute("COMMIT")

    def _table(self, connection: Connection) -> VectorTable | None:
        row = connection.execute(_LIVE if self._is_live else _MADE).fetchone()
        if row is None:
            return None
        identity, name, dimensions = row
        if name != self._embedding:
            raise SettingsError(
                f"the vectors were made by the embedding {name!r}, but the settings name {self._embedding!r}: "
                f"set it back, or run `{REPAIR}`."
            )
        return VectorTable(id=identity, dimensions=dimensions)

    def _tables(self, connection: Connection) -> list[VectorTable]:
        """Return what is there, of whichever embedding."""
        found = connection.execute(_LIVE if self._is_live else _MADE).fetchall()
        return [VectorTable(id=identity, dimensions=dimensions) for identity, _, dimensions in found]

    def _made(self, connection: Connection, dimensions: int) -> VectorTable:
        sql = "INSERT INTO embeddings(name, dimensions, live) VALUES(?,?,?) RETURNING id"
        values = (self._embedding, dimensions, int(self._is_live))
        table = VectorTable(id=connection.execute(sql, values).fetchone()[0], dimensions=dimensions)
        table.make(connection)
        return table

    def _wrong_length(self, there: int, given: int) -> SettingsError:
        return SettingsError(
            f"the vectors and the embedding {self._embedding!r} do not go together ({there} and {given} dimensions): "
            f"set the embedding back, or run `{REPAIR}`."
        )


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
