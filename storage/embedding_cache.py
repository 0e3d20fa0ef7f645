"""Vectors by a hash of model and text, in a file of their own: what was paid for once is not paid for again.

The file may be deleted at any time; that only costs money. Its size is bounded: what was not asked
for longest makes room.
"""

import json
import time
import zlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from storage.database import Database
from storage.sql import Connection

EMBEDDINGS = (
    """
    CREATE TABLE vectors(
      id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, vector BLOB NOT NULL, sum INTEGER NOT NULL,
      used INTEGER NOT NULL);
    CREATE INDEX vectors_used ON vectors(used, id);
    """,
)
_DAY = 86_400
_ROOM = 0.1
"""Which share is freed at once when the file is full."""
_ASKED = 500
"""Keys of one statement."""


class SqliteEmbeddingCache:
    """Keeps vectors over restarts, as exactly as they came; `size` in bytes of the whole file."""

    def __init__(self, database: Database, *, size: int, now: Callable[[], float] = time.time) -> None:
        self._database = database
        self._size = size
        self._now = now

    @classmethod
    async def open(cls, path: Path, *, size: int, now: Callable[[], float] = time.time) -> Self:
        """Open or create the file. Raises StorageError."""
        return cls(await Database.open(path, EMBEDDINGS), size=size, now=now)

    async def close(self) -> None:
        """Close the file."""
        await self._database.close()

    async def get(self, keys: Sequence[str]) -> Mapping[str, NDArray[np.float32]]:
        """Return those of the vectors that are known and whole."""
        today = int(self._now() // _DAY)

        def work(connection: Connection) -> tuple[dict[str, NDArray[np.float32]], list[int]]:
            found: dict[str, NDArray[np.float32]] = {}
            stale: list[int] = []
            for start in range(0, len(keys), _ASKED):
                asked = [bytes.fromhex(key) for key in keys[start : start + _ASKED]]
                sql = f"SELECT id, key, vector, sum, used FROM vectors WHERE key IN ({','.join('?' * len(asked))})"
                for identity, key, vector, check, used in connection.execute(sql, asked):
                    if zlib.crc32(vector) == check:
                        found[key.hex()] = np.frombuffer(vector, dtype="<f4")
                        if used != today:
                            stale.append(identity)
            return found, stale

        found, stale = await self._database.read(work)
        if stale:  # at most once a day: a read should not cost a write
            sql = "UPDATE vectors SET used=? WHERE id IN (SELECT value FROM json_each(?))"
            await self._database.write(lambda c: c.execute(sql, (today, json.dumps(stale))).close())
        return found

    async def put(self, vectors: Mapping[str, NDArray[np.float32]]) -> None:
        """Keep vectors, in place of those that are there."""
        today = int(self._now() // _DAY)
        rows = []
        for key, vector in vectors.items():
            content = vector.astype("<f4").tobytes()
            rows.append((bytes.fromhex(key), content, zlib.crc32(content), today))

        def work(connection: Connection) -> None:
            connection.executemany("INSERT OR REPLACE INTO vectors(key, vector, sum, used) VALUES(?,?,?,?)", rows)
            self._make_room(connection)

        await self._database.write(work)

    async def clear(self) -> None:
        """Forget every vector."""
        await self._database.write(lambda c: c.execute("DELETE FROM vectors").close())

    async def count(self) -> int:
        """Return how many vectors are kept."""
        return int((await self._database.read(lambda c: c.execute("SELECT count(*) FROM vectors").fetchone()))[0])

    def _make_room(self, connection: Connection) -> None:
        pages, free, page = (
            connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "freelist_count", "page_size")
        )
        if (pages - free) * page <= self._size:
            return
        (count,) = connection.execute("SELECT count(*) FROM vectors").fetchone()
        share = 1 - self._size * (1 - _ROOM) / ((pages - free) * page)
        sql = "DELETE FROM vectors WHERE id IN (SELECT id FROM vectors ORDER BY used, id LIMIT ?)"
        connection.execute(sql, (int(count * share) + 1,))
