"""How far the passages of `weft.db` have moved on: two numbers that every index compares with its own."""

from dataclasses import dataclass

from storage.sql import Connection


@dataclass(frozen=True, kw_only=True, slots=True)
class Generation:
    """How far a reader has seen: the last passage added, the last removal."""

    passage: int = 0
    removal: int = 0


def generation(connection: Connection) -> Generation:
    """Return the newest state of the passages."""
    found = connection.execute("SELECT name, seq FROM sqlite_sequence WHERE name IN ('passages','removed')")
    rows = dict(found.fetchall())
    return Generation(passage=rows.get("passages", 0), removal=rows.get("removed", 0))
