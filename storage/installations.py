"""Where Weft is installed (`adapters.slack.installations.Installations`), in a file of its owner's or PostgreSQL.

It holds tokens, as `.env` does, and is protected as that is: by the rights of the file and its folder, or of the
database. It is not part of a backup: whoever restores one installs Weft again.
"""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Self

from storage.database import Database
from storage.sql import SqlDatabase

FILE = "installations.db"
SCHEMA = (
    """
    CREATE TABLE installations(
      enterprise TEXT NOT NULL, team TEXT NOT NULL, data TEXT NOT NULL, at REAL NOT NULL,
      PRIMARY KEY(enterprise, team)) WITHOUT ROWID;
    """,
)


class SqlInstallations:
    """Installations by enterprise and team."""

    def __init__(self, database: SqlDatabase) -> None:
        self._database = database

    @classmethod
    async def open(cls, path: Path) -> Self:
        """Open or create the file, readable by its owner alone. Raises StorageError."""
        database = await Database.open(path, SCHEMA, durable=True, private=True)
        await database.read(lambda c: c.execute("PRAGMA secure_delete=ON").close())
        return cls(database)

    async def close(self) -> None:
        """Close the file."""
        await self._database.close()

    async def put(self, enterprise: str, team: str, data: str) -> None:
        """Keep an installation in place of the one before."""
        row = (enterprise, team, data, time.time())
        sql = """INSERT INTO installations(enterprise, team, data, at) VALUES(?,?,?,?)
        ON CONFLICT(enterprise, team) DO UPDATE SET data=excluded.data, at=excluded.at"""
        await self._database.write(lambda c: c.execute(sql, row).close())

    async def get(self, enterprise: str, team: str) -> str | None:
        """Return an installation, of exactly this workspace or org."""
        sql = "SELECT data FROM installations WHERE enterprise=? AND team=?"
        found = await self._database.read(lambda c: c.execute(sql, (enterprise, team)).fetchone())
        return str(found[0]) if found else None

    async def remove(self, enterprise: str, team: str) -> bool:
        """Forget an installation; False where there is none."""
        sql = "DELETE FROM installations WHERE enterprise=? AND team=?"
        return await self._database.write(lambda c: c.execute(sql, (enterprise, team)).rowcount) > 0

    async def all(self) -> Sequence[tuple[str, str]]:
        """Return the enterprise and the team of each."""
        sql = "SELECT enterprise, team FROM installations ORDER BY enterprise, team"
        return await self._database.read(lambda c: c.execute(sql).fetchall())
