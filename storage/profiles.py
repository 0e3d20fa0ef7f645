"""What people told of themselves and what they asked, in `people.db`: each person's own, and soon forgotten on demand.

The file is apart from the documents so that what is deleted is overwritten (`secure_delete`), at no
cost to ingest.
"""

import json
import sqlite3
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from pydantic import TypeAdapter
from rank_bm25 import BM25Okapi

from agent.text import tokens
from agent.types import Memory, Preferences, Profile
from storage.database import Database
from storage.schema import PEOPLE

MOST_MEMORIES = 200
"""Past questions kept of one person in one pack."""
ANSWER_CHARACTERS = 600
"""What is kept of an answer."""
_PREFERENCES = TypeAdapter(Preferences)

Forget = Callable[[str], Awaitable[int]]
"""Forgets somebody, `platform:workspace:id`, and returns how many things that were."""


class SqliteProfiles:
    """Implements `agent.ports.Profiles`."""

    def __init__(self, database: Database, *, beside: Sequence[Forget] = ()) -> None:
        self._database = database
        self._beside = beside

    @classmethod
    async def open(cls, path: Path, *, beside: Sequence[Forget] = ()) -> Self:
        """Open or create the file; `beside`: what else is to forget somebody who wants to be forgotten.

        Raises StorageError, or CorruptError for a file that is no database.
        """
        database = await Database.open(path, PEOPLE)
        await database.read(lambda c: c.execute("PRAGMA secure_delete=ON").close())
        return cls(database, beside=beside)

    async def close(self) -> None:
        """Close the file."""
        await self._database.close()

    async def load(self, user: str, pack: str) -> Profile:
        """Return what is known; an empty profile for somebody new."""

        def work(connection: sqlite3.Connection) -> Profile:
            told = connection.execute("SELECT name, value FROM slots WHERE user=? AND pack=?", (user, pack))
            slots = {name: json.loads(value) for name, value in told}
            sql = "SELECT language, length, format FROM preferences WHERE user=?"
            language, length, format = connection.execute(sql, (user,)).fetchone() or ("", "", "")
            wanted = {"language": language or None, "length": length, "format": format}
            return Profile(slots=slots, preferences=_PREFERENCES.validate_python(wanted))

        return await self._database.read(work)

    async def fill(self, user: str, pack: str, slots: Mapping[str, Any], *, turn_id: str = "") -> None:
        """Set these slots, which a turn told, keeping the others; None takes one away."""

        def work(connection: sqlite3.Connection) -> None:
            for name, value in slots.items():
                if value is None:
                    connection.execute("DELETE FROM slots WHERE user=? AND pack=? AND name=?", (user, pack, name))
                else:
                    row = (user, pack, name, json.dumps(value, ensure_ascii=False), time.time(), turn_id)
                    connection.execute("INSERT OR REPLACE INTO slots VALUES(?,?,?,?,?,?)", row)

        await self._database.write(work)

    async def prefer(self, user: str, preferences: Preferences) -> None:
        """Set how somebody wants to be answered, in every pack."""
        row = (user, preferences.language or "", preferences.length, preferences.format)
        sql = "INSERT OR REPLACE INTO preferences VALUES(?,?,?,?)"
        await self._database.write(lambda c: c.execute(sql, row).close())

    async def keep(self, user: str, pack: str, memory: Memory) -> None:
        """Keep a question with its answer, in place of the one of its turn; the oldest beyond a bound are dropped."""
        evidence = json.dumps(list(memory.evidence))
        answer = memory.answer[:ANSWER_CHARACTERS]
        row = (memory.turn_id, user, pack, memory.question, answer, evidence, memory.at)

        def work(connection: sqlite3.Connection) -> None:
            connection.execute("INSERT OR REPLACE INTO memories VALUES(?,?,?,?,?,?,?)", row)
            connection.execute(
                """DELETE FROM memories WHERE user=:user AND pack=:pack AND turn_id NOT IN (SELECT turn_id
                FROM memories WHERE user=:user AND pack=:pack ORDER BY at DESC, turn_id LIMIT :most)""",
                {"user": user, "pack": pack, "most": MOST_MEMORIES},
            )

        await self._database.write(work)

    async def memories(self, user: str, pack: str, text: str, *, k: int) -> Sequence[Memory]:
        """Return the `k` past questions nearest to a text, nearest first; for an empty text the latest."""
        sql = """SELECT turn_id, question, answer, evidence, at FROM memories WHERE user=? AND pack=?
        ORDER BY at DESC, turn_id"""
        rows = await self._database.read(lambda c: c.execute(sql, (user, pack)).fetchall())
        kept = [
            Memory(turn_id=turn, question=question, answer=answer, evidence=tuple(json.loads(evidence)), at=at)
            for turn, question, answer, evidence, at in rows
        ]
        return kept[:k] if not text.strip() else nearest(kept, text, k)

    async def drop(self, turn_id: str) -> None:
        """Forget what a turn left: the question, and what it told of its asker."""

        def work(connection: sqlite3.Connection) -> None:
            for table in ("memories", "slots"):
                connection.execute(f"DELETE FROM {table} WHERE turn_id=?", (turn_id,))

        await self._database.write(work)

    async def forget(self, user: str) -> int:
        """Forget everything about somebody; returns how many things that were."""

        def work(connection: sqlite3.Connection) -> int:
            tables = ("slots", "preferences", "memories")
            return sum(connection.execute(f"DELETE FROM {table} WHERE user=?", (user,)).rowcount for table in tables)

        count = sum([await forget(user) for forget in self._beside]) + await self._database.write(work)
        # Until the log is folded into the file, what was deleted still stands in it.
        await self._database.read(lambda c: c.execute("PRAGMA wal_checkpoint(TRUNCATE)").close())
        return count


def nearest(memories: Sequence[Memory], text: str, k: int) -> list[Memory]:
    """Return the memories that share words with a text, by BM25 over question and answer, the newer one first."""
    wanted = set(tokens(text))
    said = [tokens(f"{memory.question}\n{memory.question}\n{memory.answer}") for memory in memories]
    if not wanted or not any(said):
        return []
    scores = BM25Okapi([words or ["\0"] for words in said]).get_scores(list(wanted))
    matches = [len(wanted.intersection(words)) for words in said]
    # Okapi's idf is not above zero in a handful of texts: how many words are shared decides before the score.
    order = sorted(range(len(memories)), key=lambda i: (-matches[i], -scores[i], -memories[i].at))
    return [memories[i] for i in order if matches[i]][:k]
