"""Who may read what, in `weft.db`: the readers of each collection, and the groups that readers may name.

Every search reads these tables anew, so that a change acts at once, in every process.
"""

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from storage.sql import EVERYTHING, Connection, SqlDatabase

Change = Callable[[frozenset[str]], frozenset[str]]


@dataclass(frozen=True, kw_only=True, slots=True)
class CollectionInfo:
    """A collection, and who may read it; no reader at all: the operator alone."""

    name: str
    documents: int
    passages: int
    readers: frozenset[str]
    sample: bool
    pack: str = ""
    """The pack whose documents it holds; empty: the team's own."""


class SqlAccess:
    """Collections' readers and groups."""

    def __init__(self, database: SqlDatabase) -> None:
        self._database = database

    # --- collections

    async def collections(self) -> Sequence[CollectionInfo]:
        """Return every collection by name, empty ones too."""
        sql = """
        SELECT c.name, c.readers, c.sample, c.pack,
          (SELECT count(*) FROM documents d WHERE d.collection=c.id),
          (SELECT count(*) FROM documents d JOIN passages p ON p.document=d.id WHERE d.collection=c.id)
        FROM collections c ORDER BY c.name"""

        def work(connection: Connection) -> list[CollectionInfo]:
            return [
                CollectionInfo(
                    name=name,
                    documents=documents,
                    passages=passages,
                    readers=frozenset(json.loads(readers)),
                    sample=bool(sample),
                    pack=pack,
                )
                for name, readers, sample, pack, documents, passages in connection.execute(sql)
            ]

        return await self._database.read(work, audience=EVERYTHING)

    async def readers(self) -> Mapping[str, frozenset[str]]:
        """Return the readers of each collection that holds a document; cheap, however many that are."""
        sql = "SELECT name, readers FROM collections c WHERE EXISTS(SELECT 1 FROM documents WHERE collection=c.id)"
        found = await self._database.read(lambda c: c.execute(sql).fetchall(), audience=EVERYTHING)
        return {name: frozenset(json.loads(readers)) for name, readers in found}

    async def create(self, name: str, readers: Collection[str]) -> bool:
        """Make an empty collection; False where there is one of this name, which stays as it is."""
        sql = "INSERT INTO collections(name, readers) VALUES(?,?) ON CONFLICT(name) DO NOTHING"
        return await self._database.write(lambda c: c.execute(sql, (name, _stored(readers))).rowcount) > 0

    async def change_readers(self, name: str, change: Change) -> frozenset[str] | None:
        """Replace the readers of a collection by what `change` makes of them; None where there is none."""

        def work(connection: Connection) -> frozenset[str] | None:
            row = connection.execute("SELECT readers FROM collections WHERE name=?", (name,)).fetchone()
            if row is None:
                return None
            readers = change(frozenset(json.loads(row[0])))
            connection.execute("UPDATE collections SET readers=? WHERE name=?", (_stored(readers), name))
            return readers

        return await self._database.write(work, alone="library")

    async def remove(self, name: str) -> bool:
        """Remove a collection that holds no document; False where it holds one, or is not there."""

        def work(connection: Connection) -> bool:
            sql = """SELECT id FROM collections c
            WHERE name=? AND NOT EXISTS(SELECT 1 FROM documents WHERE collection=c.id)"""
            row = connection.execute(sql, (name,)).fetchone()
            if row is None:
                return False
            connection.execute("DELETE FROM stamps WHERE collection=?", row)
            connection.execute("DELETE FROM collections WHERE id=?", row)
            return True

        return await self._database.write(work, alone="library")

    # --- groups

    async def groups(self) -> Mapping[str, Sequence[str]]:
        """Return every group's members, both in order."""
        rows = await self._database.read(
            lambda c: c.execute("SELECT name, member FROM groups ORDER BY name, member").fetchall()
        )
        found: dict[str, list[str]] = {}
        for name, member in rows:
            found.setdefault(name, []).append(member)
        return found

    async def add_members(self, name: str, members: Collection[str]) -> int:
        """Put members into a group, which is made where there is none; returns how many are new."""
        sql = "INSERT INTO groups(name, member) VALUES(?,?) ON CONFLICT DO NOTHING"
        rows = [(name, member) for member in members]
        return await self._database.write(lambda c: c.executemany(sql, rows).rowcount)

    async def remove_members(self, name: str, members: Collection[str]) -> int:
        """Take members out of a group, which ends with its last one; returns how many were in it."""
        sql = "DELETE FROM groups WHERE name=? AND member=?"
        rows = [(name, member) for member in members]
        return await self._database.write(lambda c: c.executemany(sql, rows).rowcount)

    # --- for the audience of a message

    async def groups_of(self, principals: Collection[str]) -> frozenset[str]:
        """Return the names of the groups that any of these principals is in."""
        sql = "SELECT DISTINCT name FROM groups WHERE member IN (SELECT value FROM json_each(?))"
        rows = await self._database.read(lambda c: c.execute(sql, (json.dumps(sorted(principals)),)).fetchall())
        return frozenset(name for (name,) in rows)

    async def named_as(self, platform: str, user: str) -> frozenset[str]:
        """Return the principals by which readers and groups name this user, in whichever workspace."""
        sql = """SELECT value FROM collections, json_each(collections.readers) WHERE value LIKE 'user:%'
        UNION SELECT member FROM groups WHERE member LIKE 'user:%'"""
        rows = await self._database.read(lambda c: c.execute(sql).fetchall())
        return frozenset(name for (name,) in rows if _names(name, platform, user))


def _names(principal: str, platform: str, user: str) -> bool:
    parts = principal.split(":")
    return len(parts) == 4 and (parts[1], parts[3]) == (platform, user)


def _stored(readers: Collection[str]) -> str:
    return json.dumps(sorted(set(readers)), ensure_ascii=False)
