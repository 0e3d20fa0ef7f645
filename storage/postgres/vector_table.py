"""The table in which PostgreSQL keeps the vectors of one embedding: made, filled, indexed, and searched in two ways.

Few vectors are all compared, which is exact; among many an HNSW index of pgvector is followed, further and further,
until enough of what it gives is admitted. Left to itself such an index gives what is near, and of that nothing is
admitted: that lost results in every query that was measured.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from storage.postgres.statements import Packed, copy_in
from storage.sql import Connection
from storage.vector_format import Ids, Rows

VECTORS = "vectors_"
"""How the name of such a table begins."""
EXACT = 2_000_000
"""Numbers in vectors that are all compared: 5,208 vectors of 384. That takes 2 ms, as long as following the index."""
_EFFORT = 200
"""`hnsw.ef_search`: recall at 10 was measured to be .97 with 120, and .99 from here on."""
_ALONG = """SET LOCAL hnsw.ef_search={effort}; SET LOCAL hnsw.iterative_scan=relaxed_order;
SET LOCAL enable_sort=off; SET LOCAL jit=off"""
"""The planner does not know what reading and comparing long vectors costs, and would rather sort them all."""
_MOST_WHOLE, _MOST_HALVED = 2_000, 4_000
"""Dimensions that pgvector's index takes as they are, and as numbers of half the size; longer ones are all compared."""
_MOST_MEMORY = 2 << 20
"""Kilobytes that the making of an index may take; it takes three times as long where they do not hold all of it."""
_SIGNATURE = b"PGCOPY\n\xff\r\n\0" + bytes(8)
_END = b"\xff\xff"


@dataclass(frozen=True, kw_only=True, slots=True)
class VectorTable:
    """Where the vectors of one embedding stand."""

    id: int
    dimensions: int

    @property
    def name(self) -> str:
        """The name of the table."""
        return f"{VECTORS}{self.id}"

    def make(self, connection: Connection) -> None:
        """Make it, without the index."""
        plain = "STORAGE PLAIN" if self.dimensions <= _MOST_WHOLE else ""  # beside the row, and not looked up elsewhere
        connection.execute(
            f"""CREATE TABLE {self.name}(passage bigint PRIMARY KEY, collection bigint NOT NULL,
            vector vector({self.dimensions}) {plain} NOT NULL)"""
        )
        connection.execute(f"CREATE INDEX ON {self.name}(collection)")

    def drop(self, connection: Connection) -> None:
        """Delete it."""
        connection.execute(f"DROP TABLE IF EXISTS {self.name}")
        connection.execute("DELETE FROM embeddings WHERE id=?", (self.id,))

    # --- filling

    def put(self, connection: Connection, ids: Ids, vectors: Rows) -> None:
        """Set the vectors of these ids, each given once, in place of those that are there."""
        found = connection.execute("SELECT id, collection FROM passages WHERE id=ANY(?)", (ids.tolist(),)).fetchall()
        collections = dict(found)
        connection.execute(f"DELETE FROM {self.name} WHERE passage=ANY(?)", (ids.tolist(),))
        into = f"COPY {self.name}(passage, collection, vector) FROM STDIN (FORMAT BINARY)"
        copy_in(connection, into, _rows(ids, [collections.get(id, 0) for id in ids.tolist()], vectors))

    def lacks_index(self, connection: Connection) -> bool:
        """Tell whether there is no HNSW index, and vectors enough for one."""
        there = "SELECT to_regclass(?) IS NOT NULL"
        if self.dimensions > _MOST_HALVED or connection.execute(there, (f"{self.name}_vector_idx",)).fetchone()[0]:
            return False
        return self._count(connection) > self.few

    def index(self, connection: Connection) -> None:
        """Make the HNSW index; in a transaction."""
        count = self._count(connection)
        needed = min(_MOST_MEMORY, count * (4 * self.dimensions + 1_500) >> 10)
        # One worker: the memory of several is the shared one of the system, of which a container has little.
        connection.execute("SET LOCAL max_parallel_maintenance_workers = 0")
        connection.execute(
            """SELECT set_config('maintenance_work_mem', CAST(greatest(?, CAST(setting AS bigint)) AS text), true)
            FROM pg_settings WHERE name='maintenance_work_mem'""",
            (needed,),
        )
        column, operators = self._indexed
        connection.execute(f"CREATE INDEX {self.name}_vector_idx ON {self.name} USING hnsw (({column}) {operators})")
        connection.execute(f"ANALYZE {self.name}")

    # --- searching

    def search(
        self, connection: Connection, vector: Rows, k: int, *, column: str, values: Sequence[int]
    ) -> list[tuple[int, float]]:
        """Return at most `k` pairs (passage, inner product), best first, whose column has one of these values.

        In a transaction.
        """
        few = f"SELECT count(*) FROM (SELECT 1 FROM {self.name} WHERE {column}=ANY(?) LIMIT ?) AS first_ones"
        (count,) = connection.execute(few, (list(values), self.few + 1)).fetchone()
        if count > self.few:
            found = self._along_the_index(connection, vector, k, column, values)
            if len(found) >= k:
                return found
            # The index is given up after so many that are near and not admitted: what there is lies further away.
        return self._compared(connection, vector, k, column, values)

    def _compared(
        self, connection: Connection, vector: Rows, k: int, column: str, values: Sequence[int]
    ) -> list[tuple[int, float]]:
        """Compare all that are admitted."""
        # The planner would rather follow the index, and lose some.
        sql = f"""WITH admitted AS MATERIALIZED (
        SELECT passage, -(vector <#> CAST(? AS vector)) AS score FROM {self.name} WHERE {column}=ANY(?))
        SELECT passage, score FROM admitted ORDER BY score DESC, passage LIMIT ?"""
        return _pairs(connection.execute(sql, (_packed(vector), list(values), k)).fetchall())

    @property
    def few(self) -> int:
        """How many vectors are all compared."""
        return EXACT // self.dimensions

    @property
    def _indexed(self) -> tuple[str, str]:
        """What the index is of, and the operators for it."""
        if self.dimensions <= _MOST_WHOLE:
            return "vector", "vector_ip_ops"
        return f"CAST(vector AS halfvec({self.dimensions}))", "halfvec_ip_ops"

    def _count(self, connection: Connection) -> int:
        return int(connection.execute(f"SELECT count(*) FROM {self.name}").fetchone()[0])

    def _along_the_index(
        self, connection: Connection, vector: Rows, k: int, column: str, values: Sequence[int]
    ) -> list[tuple[int, float]]:
        """Follow the index until it has given enough that is admitted."""
        effort = max(_EFFORT, min(1000, 2 * k))
        connection.execute(_ALONG.format(effort=effort))
        indexed, _ = self._indexed
        asked = "CAST(:vector AS vector)"
        distance = f"{indexed} <#> {indexed.replace('vector', asked, 1)}"
        sql = f"""WITH near AS MATERIALIZED (
        SELECT passage, vector FROM {self.name} WHERE {column}=ANY(:values) ORDER BY {distance} LIMIT :k)
        SELECT passage, -(vector <#> {asked}) AS score FROM near ORDER BY score DESC, passage"""
        given = {"vector": _packed(vector), "values": list(values), "k": k}
        return _pairs(connection.execute(sql, given).fetchall())


def _packed(vector: Rows) -> Packed:
    """Return a vector as pgvector sends and receives it: how long, nothing, its numbers."""
    return Packed(np.array([len(vector), 0], dtype=">i2").tobytes() + vector.astype(">f4").tobytes())


def _rows(ids: Ids, collections: Sequence[int], vectors: Rows) -> bytes:
    """Return rows as COPY reads them, each value after its length (postgresql.org/docs/16/sql-copy.html, binary)."""
    dimensions = vectors.shape[1]
    head = [("fields", ">i2"), ("a", ">i4"), ("passage", ">i8"), ("b", ">i4"), ("collection", ">i8"), ("c", ">i4")]
    rows = np.zeros(len(ids), [*head, ("length", ">i2"), ("unused", ">i2"), ("vector", ">f4", (dimensions,))])
    rows["fields"], rows["a"], rows["b"], rows["c"] = 3, 8, 8, 4 + 4 * dimensions
    rows["passage"], rows["collection"], rows["length"], rows["vector"] = ids, collections, dimensions, vectors
    return _SIGNATURE + rows.tobytes() + _END


def _pairs(rows: Sequence[Any]) -> list[tuple[int, float]]:
    return [(int(passage), float(score)) for passage, score in rows]
