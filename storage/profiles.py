"""What people told of themselves and what they asked, in `people.db`: each person's own, and soon forgotten on demand.

The file is apart from the documents so that what is deleted is overwritten (`secure_delete`), at no
cost to ingest.
"""

import json
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from pydantic import TypeAdapter
from rank_bm25 import BM25Okapi

from agent.ports import NOTHING
from agent.text import tokens
from agent.types import MOST_VALUES, Memory, Preferences, Profile
from storage.database import Database
from storage.schema import PEOPLE
from storage.sql import Connection, SqlDatabase

MOST_MEMORIES = 200
"""Past questions kept of one person in one pack."""
ANSWER_CHARACTERS = 600
"""What is kept of an answer."""
_TOLD = ("slots", "slot_values")
"""Where what people told stands: of a list every value by itself."""
_PREFERENCES = TypeAdapter(Preferences)

_FILL = """INSERT INTO slots("user", pack, name, value, told_at, turn_id) VALUES(?,?,?,?,?,?)
ON CONFLICT("user", pack, name) DO UPDATE
SET value=excluded.value, told_at=excluded.told_at, turn_id=excluded.turn_id"""
_ADD = """INSERT INTO slot_values("user", pack, name, value, told_at, turn_id) VALUES(?,?,?,?,?,?)
ON CONFLICT("user", pack, name, value) DO UPDATE SET told_at=excluded.told_at, turn_id=excluded.turn_id"""
_PREFER = """INSERT INTO preferences("user", language, length, format) VALUES(?,?,?,?)
ON CONFLICT("user") DO UPDATE SET language=excluded.language, length=excluded.length, format=excluded.format"""
_KEEP = """INSERT INTO memories(turn_id, "user", pack, question, answer, evidence, at) VALUES(?,?,?,?,?,?,?)
ON CONFLICT(turn_id) DO UPDATE SET "user"=excluded."user", pack=excluded.pack, question=excluded.question,
answer=excluded.answer, evidence=excluded.evidence, at=excluded.at"""
Forget = Callable[[str], Awaitable[int]]
"""Forgets somebody, `platform:workspace:id`, and returns how many things that were."""


class SqlProfiles:
    """Implements `agent.ports.Profiles`."""

    def __init__(self, database: SqlDatabase, *, beside: Sequence[Forget] = ()) -> None:
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

        def work(connection: Connection) -> Profile:
            told = connection.execute('SELECT name, value FROM slots WHERE "user"=? AND pack=?', (user, pack))
            slots = {name: json.loads(value) for name, value in told}
            sql = 'SELECT name, value FROM slot_values WHERE "user"=? AND pack=? ORDER BY told_at, value'
            for name, value in connection.execute(sql, (user, pack)):
                slots.setdefault(name, []).append(json.loads(value))
            sql = 'SELECT language, length, format FROM preferences WHERE "user"=?'
            language, length, format = connection.execute(sql, (user,)).fetchone() or ("", "", "")
            wanted = {"language": language or None, "length": length, "format": format}
            return Profile(slots=slots, preferences=_PREFERENCES.validate_python(wanted))

        return await self._database.read(work)

    async def fill(
        self,
        user: str,
        pack: str,
        slots: Mapping[str, Any],
        *,
        gone: Mapping[str, Sequence[Any]] = NOTHING,
        turn_id: str = "",
    ) -> Sequence[str]:
        """Set these slots, which a turn told, keeping the others; returns those lists that were full.

        None takes a slot away, and `gone` these values of one. A list joins the values that are known already; of
        more than `MOST_VALUES` the oldest are dropped.
        """

        def work(connection: Connection) -> list[str]:
            full: list[str] = []
            for name, values in gone.items():
                for value in values:
                    for table in _TOLD:
                        sql = f'DELETE FROM {table} WHERE "user"=? AND pack=? AND name=? AND value=?'
                        connection.execute(sql, (user, pack, name, _json(value)))
            for name, value in slots.items():
                where = (user, pack, name)
                if isinstance(value, list | tuple):
                    if _join(connection, where, value, turn_id):
                        full.append(name)
                    continue
                for table in _TOLD:
                    connection.execute(f'DELETE FROM {table} WHERE "user"=? AND pack=? AND name=?', where)
                if value is not None:
                    connection.execute(_FILL, (*where, _json(value), time.time(), turn_id))
            return full

        return await self._database.write(work)

    async def prefer(self, user: str, preferences: Preferences) -> None:
        """Set how somebody wants to be answered, in every pack."""
        row = (user, preferences.language or "", preferences.length, preferences.format)
        await self._database.write(lambda c: c.execute(_PREFER, row).close())

    async def keep(self, user: str, pack: str, memory: Memory) -> None:
        """Keep a question with its answer, in place of the one of its turn; the oldest beyond a bound are dropped."""
        evidence = json.dumps(list(memory.evidence))
        answer = memory.answer[:ANSWER_CHARACTERS]
        row = (memory.turn_id, user, pack, memory.question, answer, evidence, memory.at)

        def work(connection: Connection) -> None:
            connection.execute(_KEEP, row)
            connection.execute(
                """DELETE FROM memories WHERE "user"=:user AND pack=:pack AND turn_id NOT IN (SELECT turn_id
                FROM memories WHERE "user"=:user AND pack=:pack ORDER BY at DESC, turn_id LIMIT :most)""",
                {"user": user, "pack": pack, "most": MOST_MEMORIES},
            )

        await self._database.write(work)

    async def memories(self, user: str, pack: str, text: str, *, k: int) -> Sequence[Memory]:
        """Return the `k` past questions nearest to a text, nearest first; for an empty text the latest."""
        sql = """SELECT turn_id, question, answer, evidence, at FROM memories WHERE "user"=? AND pack=?
        ORDER BY at DESC, turn_id"""
        rows = await self._database.read(lambda c: c.execute(sql, (user, pack)).fetchall())
        kept = [
            Memory(turn_id=turn, question=question, answer=answer, evidence=tuple(json.loads(evidence)), at=at)
            for turn, question, answer, evidence, at in rows
        ]
        return kept[:k] if not text.strip() else nearest(kept, text, k)

    async def drop(self, turn_id: str) -> None:
        """Forget what a turn left: the question, and what it told of its asker."""

        def work(connection: Connection) -> None:
            for table in ("memories", *_TOLD):
                connection.execute(f"DELETE FROM {table} WHERE turn_id=?", (turn_id,))

        await self._database.write(work)

    async def forget(self, user: str) -> int:
        """Forget everything about somebody; returns how many things that were."""

        def work(connection: Connection) -> int:
            tables = (*_TOLD, "preferences", "memories")
            return sum(connection.execute(f'DELETE FROM {table} WHERE "user"=?', (user,)).rowcount for table in tables)

        count = sum([await forget(user) for forget in self._beside]) + await self._database.write(work)
        await self._database.scrub()
        return count


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _join(connection: Connection, where: tuple[str, str, str], values: Sequence[Any], turn_id: str) -> bool:
    """Add values to a list; tells whether it was full, and its oldest values gave way."""
    connection.execute('DELETE FROM slots WHERE "user"=? AND pack=? AND name=?', where)
    now = time.time()
    for number, value in enumerate(values):  # in the order of the message
        row = (*where, _json(value), now + number * 1e-6, turn_id)
        connection.execute(_ADD, row)
    sql = """DELETE FROM slot_values WHERE "user"=:user AND pack=:pack AND name=:name AND value NOT IN (SELECT value
    FROM slot_values WHERE "user"=:user AND pack=:pack AND name=:name ORDER BY told_at DESC, value LIMIT :most)"""
    user, pack, name = where
    return connection.execute(sql, {"user": user, "pack": pack, "name": name, "most": MOST_VALUES}).rowcount > 0


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
