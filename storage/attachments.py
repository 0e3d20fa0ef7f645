"""The files that came with questions, as they were read; each goes with its turn.

They are no part of the library: nobody finds them but the thread that they were given to.
"""

import asyncio
import zlib
from collections.abc import Iterable
from dataclasses import replace

from pydantic import TypeAdapter

from agent.types import AttachedFile
from storage.sql import Connection, SqlDatabase

_FILE = TypeAdapter(AttachedFile)
LATEST = 5
"""Files of a thread that a turn is given."""


class SqlAttachments:
    """The attached files in `weft.db`."""

    def __init__(self, database: SqlDatabase) -> None:
        self._database = database

    async def put(
        self, file: AttachedFile, *, turn_id: str, thread: str, message_id: str, file_id: str, at: float
    ) -> None:
        """Store a file of a turn; one of the same id is replaced. `at` in seconds since the epoch."""
        sql = """INSERT INTO attachments(turn_id, thread, message_id, file_id, at, content) VALUES(?,?,?,?,?,?)
            ON CONFLICT(turn_id, file_id) DO UPDATE SET thread=excluded.thread, message_id=excluded.message_id,
            at=excluded.at, content=excluded.content"""
        content = await asyncio.to_thread(_packed, file)
        values = (turn_id, thread, message_id, file_id, at, content)
        await self._database.write(lambda c: c.execute(sql, values).close())

    async def known(self, turn_id: str) -> frozenset[str]:
        """Return the ids of the files of a turn."""
        sql = "SELECT file_id FROM attachments WHERE turn_id=?"
        return frozenset(await self._database.read(lambda c: [row[0] for row in c.execute(sql, (turn_id,))]))

    async def latest(self, thread: str, *, turn_id: str = "", most: int = LATEST) -> tuple[AttachedFile, ...]:
        """Return the latest files of a thread: those of this turn in their order, then the others, newest first."""
        sql = """SELECT content FROM attachments WHERE thread=:thread
            ORDER BY turn_id<>:turn, CASE WHEN turn_id=:turn THEN id ELSE -id END LIMIT :most"""
        values = {"thread": thread, "turn": turn_id, "most": most}

        def work(connection: Connection) -> list[bytes]:
            return [content for (content,) in connection.execute(sql, values)]

        found = await self._database.read(work)
        if not found:
            return ()
        return numbered(await asyncio.to_thread(lambda: [_unpacked(content) for content in found]))

    async def forget(self, turn_id: str) -> None:
        """Delete the files of a turn."""
        await self._database.write(lambda c: c.execute("DELETE FROM attachments WHERE turn_id=?", (turn_id,)).close())

    async def prune(self, *, older_than: float) -> int:
        """Delete files that came before this time (seconds since the epoch); returns how many."""
        sql = "DELETE FROM attachments WHERE at<?"
        return await self._database.write(lambda c: c.execute(sql, (older_than,)).rowcount)


def numbered(files: Iterable[AttachedFile]) -> tuple[AttachedFile, ...]:
    """Return the files with passage and document numbers below 0 that no two passages and no two documents share."""
    found: list[AttachedFile] = []
    number = 0
    documents: dict[str, int] = {}
    for file in files:
        passages = []
        for passage in file.passages:
            number -= 1
            document = documents.setdefault(passage.document_id, -len(documents) - 1)
            passages.append(replace(passage, id=number, document=document))
        found.append(replace(file, passages=tuple(passages)))
    return tuple(found)


def _packed(file: AttachedFile) -> bytes:
    return zlib.compress(_FILE.dump_json(file), 1)


def _unpacked(content: bytes) -> AttachedFile:
    return _FILE.validate_json(zlib.decompress(content))
