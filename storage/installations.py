"""Where Weft is installed (`adapters.slack.installations.InstallationStore`), in a file of its owner's or PostgreSQL.

It holds tokens, as `.env` does, and is protected as that is: by the rights of the file and its folder, or of the
database. It is not part of a backup: whoever restores one installs Weft again.
"""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Self

from storage.database import Database
from storage.sql import Connection, SqlDatabase

FILE = "installations.db"
SCHEMA = (
    """
    CREATE TABLE installations(
      enterprise TEXT NOT NULL, team TEXT NOT NULL, data TEXT NOT NULL, at REAL NOT NULL,
      PRIMARY KEY(enterprise, team)) WITHOUT ROWID;
    """,
    "CREATE TABLE installation_states(state TEXT PRIMARY KEY, until REAL NOT NULL) WITHOUT ROWID;",
)
MOST_STATES = 10_000
"""Installations under way that are kept, the latest: whoever finds the page may begin one."""


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

    async def put_state(self, state: str, *, until: float) -> None:
        """Keep the mark of an installation under way until then; those that ended an hour before are forgotten."""

        def put(c: Connection) -> None:
            c.execute("INSERT INTO installation_states(state, until) VALUES(?,?)", (state, until)).close()
            late = c.execute(
                "SELECT until FROM installation_states ORDER BY until DESC LIMIT 1 OFFSET ?", (MOST_STATES - 1,)
            ).fetchone()
            oldest = max(until - 3600.0, late[0] if late else 0.0)
            c.execute("DELETE FROM installation_states WHERE until<?", (oldest,)).close()

        await self._database.write(put)

    async def take_state(self, state: str) -> float | None:
        """Return until when a mark is good, and forget it; None where it is not kept (any more)."""
        sql = "DELETE FROM installation_states WHERE state=? RETURNING until"
        found = await self._database.write(lambda c: c.execute(sql, (state,)).fetchone())
        return float(found[0]) if found else None
