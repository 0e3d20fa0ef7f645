"""The playground's threads and posts in SQLite, with a feed of their changes.

Every change takes the next version number within its own transaction, so that a reader who has
seen version n has seen all before it. What was deleted leaves its id behind, to tell the feed.
"""

import asyncio
import json
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self, TypeVar

from storage import uploads
from storage.database import Database
from storage.schema import BOARD
from storage.sql import Connection, SqlDatabase, Values

T = TypeVar("T")

POLL_SECONDS = 0.1
"""How soon a change made by another process is seen."""
BATCH = 500


@dataclass(frozen=True, kw_only=True, slots=True)
class BoardThread:
    """A conversation; times are seconds since the epoch."""

    id: str
    title: str
    created: float
    updated: float
    """When the last question was asked."""


@dataclass(frozen=True, kw_only=True, slots=True)
class BoardPost:
    """One thing to see in a thread."""

    thread: str
    id: str
    role: str
    payload: Mapping[str, Any]
    created: float
    updated: float
    version: int


@dataclass(frozen=True, kw_only=True, slots=True)
class BoardChange:
    """What became of a thread (`post_id` empty) or of a post; both values None: it is gone."""

    version: int
    thread_id: str
    post_id: str
    thread: BoardThread | None = None
    post: BoardPost | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class BoardChanges:
    """A piece of the feed, oldest first; ask again from `cursor`."""

    items: tuple[BoardChange, ...]
    cursor: str
    reset: bool = False


class BoardStore:
    """Threads and posts. A cursor is `EPOCH.VERSION`; the epoch tells one board file from another."""

    def __init__(self, database: SqlDatabase, epoch: str) -> None:
        self._database = database
        self._epoch = epoch
        self._changed = database.event("board")

    @classmethod
    async def open(cls, path: Path) -> Self:
        """Open or create the file. Raises StorageError, or CorruptError for a damaged file."""
        database = await Database.open(path, BOARD)
        try:
            return await cls.on(database)
        except BaseException:
            await database.close()
            raise

    @classmethod
    async def on(cls, database: SqlDatabase) -> Self:
        """Return the board in a database. Raises StorageError."""
        return cls(database, await database.write(_epoch))

    async def close(self) -> None:
        """Close the database."""
        await self._database.close()

    # --- reading

    async def threads(self, *, limit: int = 200) -> Sequence[BoardThread]:
        """Return the threads, the last asked in first."""
        rows = await self._read(
            "SELECT id, title, created, updated FROM board_threads WHERE deleted = 0"
            " ORDER BY updated DESC, rowid DESC LIMIT ?",
            (limit,),
        )
        return tuple(_thread(row) for row in rows)

    async def thread(self, thread_id: str) -> BoardThread | None:
        """Return a thread, or None when it is not there."""
        rows = await self._read(
            "SELECT id, title, created, updated FROM board_threads WHERE id = ? AND deleted = 0", (thread_id,)
        )
        return _thread(rows[0]) if rows else None

    async def posts(self, thread_id: str) -> Sequence[BoardPost]:
        """Return the posts of a thread in the order in which they first appeared."""
        rows = await self._read(
            "SELECT thread, id, role, payload, created, updated, version FROM board_posts"
            " WHERE thread = ? AND deleted = 0 ORDER BY number",
            (thread_id,),
        )
        return tuple(_post(row) for row in rows)

    async def cursor(self) -> str:
        """Return the place in the feed behind the last change."""
        return f"{self._epoch}.{await self._version()}"

    async def changes_since(self, cursor: str, *, thread_id: str = "") -> BoardChanges:
        """Return what changed behind this place, each thing once and as it is now; "" is the beginning."""
        now = await self._version()
        since = self._since(cursor)
        if since is None or since > now:
            return BoardChanges(items=(), cursor=f"{self._epoch}.{now}", reset=True)
        # Nothing later than `now` is taken: the next call begins there, so it may not be passed over.
        rows = await self._read(
            "SELECT version, id, '', NULL, title, created, updated, deleted FROM board_threads"
            " WHERE version > :since AND version <= :now AND (:thread = '' OR id = :thread)"
            " UNION ALL SELECT version, thread, id, role, payload, created, updated, deleted FROM board_posts"
            " WHERE version > :since AND version <= :now AND (:thread = '' OR thread = :thread)"
            " ORDER BY 1 LIMIT :batch",
            {"since": since, "now": now, "thread": thread_id, "batch": BATCH},
        )
        items = tuple(_change(row) for row in rows)
        last = items[-1].version if len(items) == BATCH else now
        return BoardChanges(items=items, cursor=f"{self._epoch}.{last}")

    async def wait(self, cursor: str) -> None:
        """Return as soon as there may be changes behind this place, made by this process or another."""
        since = self._since(cursor)
        while True:
            self._changed.clear()  # before the look: what comes after it sets it again
            now = await self._version()
            if since is None or now != since:
                return
            try:
                async with asyncio.timeout(POLL_SECONDS):
                    await self._changed.wait()
            except TimeoutError:
                continue

    # --- writing

    async def create_thread(self, thread_id: str, title: str) -> bool:
        """Open a thread, also one that was deleted; False when it is there."""
        now = time.time()
        return await self._write(
            lambda c: _change_version(
                c,
                "INSERT INTO board_threads(id, title, created, updated, version) VALUES(:id, :title, :now, :now, :v)"
                " ON CONFLICT(id) DO UPDATE SET title = excluded.title, created = excluded.created,"
                " updated = excluded.updated, version = excluded.version, deleted = 0 WHERE board_threads.deleted <> 0",
                {"id": thread_id, "title": title, "now": now},
            )
        )

    async def rename_thread(self, thread_id: str, title: str) -> bool:
        """Give a thread another title; False when it is not there."""
        return await self._write(
            lambda c: _change_version(
                c,
                "UPDATE board_threads SET title = :title, version = :v WHERE id = :id AND deleted = 0",
                {"id": thread_id, "title": title},
            )
        )

    async def delete_thread(self, thread_id: str) -> bool:
        """Delete a thread and its posts for good; False when it is not there."""

        def work(connection: Connection) -> bool:
            connection.execute("DELETE FROM board_posts WHERE thread = ?", (thread_id,))
            return _change_version(
                connection,
                "UPDATE board_threads SET title = '', deleted = 1, version = :v WHERE id = :id AND deleted = 0",
                {"id": thread_id},
            )

        return await self._write(work)

    async def post(
        self, thread_id: str, post_id: str, role: str, payload: Mapping[str, Any], *, replace: bool = True
    ) -> bool:
        """Put up a post, or put a new one in the place of the one with this id; False when the thread is gone.

        Without `replace` a post that is there stays as it is.
        """
        values = {
            "thread": thread_id,
            "id": post_id,
            "role": role,
            "payload": json.dumps(payload, ensure_ascii=False, sort_keys=True),
            "now": time.time(),
            "replace": replace,
        }

        def work(connection: Connection) -> bool:
            query = "SELECT 1 FROM board_threads WHERE id = ? AND deleted = 0"
            if connection.execute(query, (thread_id,)).fetchone() is None:
                return False
            changed = _change_version(
                connection,
                "INSERT INTO board_posts(thread, id, role, payload, created, updated, version)"
                " VALUES(:thread, :id, :role, :payload, :now, :now, :v)"
                " ON CONFLICT(thread, id) DO UPDATE SET role = excluded.role, payload = excluded.payload,"
                " updated = excluded.updated, version = excluded.version, deleted = 0"
                " WHERE board_posts.deleted <> 0 OR (:replace <> 0"
                " AND (board_posts.role <> excluded.role OR board_posts.payload <> excluded.payload))",
                values,
            )
            if changed and role == "user":
                asked = "UPDATE board_threads SET updated = :now, version = :v WHERE id = :thread"
                _change_version(connection, asked, values)
            return True

        return await self._write(work)

    async def remove(self, thread_id: str, post_id: str) -> bool:
        """Take a post down; False when it is not there."""
        return await self._write(
            lambda c: _change_version(
                c,
                "UPDATE board_posts SET payload = '{}', deleted = 1, version = :v"
                " WHERE thread = :thread AND id = :id AND deleted = 0",
                {"thread": thread_id, "id": post_id},
            )
        )

    # --- files on their way

    async def upload(self, upload_id: str, name: str, media_type: str, data: bytes) -> None:
        """Keep a file, and let go of those that nobody can be waiting for."""
        await self._write(lambda c: uploads.put(c, upload_id, name, media_type, data))

    async def uploaded(self, upload_id: str) -> tuple[str, str, int] | None:
        """Return name, media type and size in bytes of a file; None when it is not there."""
        rows = await self._read("SELECT name, media_type, length(data) FROM board_uploads WHERE id = ?", (upload_id,))
        return (rows[0][0], rows[0][1], rows[0][2]) if rows else None

    async def let_go(self, upload_id: str) -> None:
        """Delete a file; one that is not there is fine."""
        await self._write(lambda c: c.execute("DELETE FROM board_uploads WHERE id = ?", (upload_id,)).close())

    async def upload_data(self, upload_id: str) -> bytes | None:
        """Return the bytes of a file; None when it is not there."""
        rows = await self._read("SELECT data FROM board_uploads WHERE id = ?", (upload_id,))
        return bytes(rows[0][0]) if rows else None

    # --- below

    def _since(self, cursor: str) -> int | None:
        epoch, _, version = cursor.partition(".")
        if not cursor:
            return 0
        return int(version) if epoch == self._epoch and version.isascii() and version.isdigit() else None

    async def _version(self) -> int:
        return int((await self._read("SELECT version FROM board_state", ()))[0][0])

    async def _read(self, query: str, values: Values) -> list[Any]:
        return await self._database.read(lambda c: c.execute(query, values).fetchall())

    async def _write(self, work: Callable[[Connection], T]) -> T:
        result = await self._database.write(work, alone="board")
        self._changed.set()
        return result


def _epoch(connection: Connection) -> str:
    """Return what tells this board from another; the first one who asks decides."""
    sql = "INSERT INTO board_state(id, epoch, version) VALUES(1, ?, 0) ON CONFLICT(id) DO NOTHING"
    connection.execute(sql, (secrets.token_hex(4),))
    return str(connection.execute("SELECT epoch FROM board_state").fetchone()[0])


def _change_version(connection: Connection, statement: str, values: Mapping[str, Any]) -> bool:
    """Run a statement that writes version `:v`; the number is taken only when it changed something."""
    (version,) = connection.execute("SELECT version + 1 FROM board_state").fetchone()
    if connection.execute(statement, {**values, "v": version}).rowcount < 1:
        return False
    connection.execute("UPDATE board_state SET version = version + 1")
    return True


def _thread(row: Sequence[Any]) -> BoardThread:
    return BoardThread(id=row[0], title=row[1], created=row[2], updated=row[3])


def _post(row: Sequence[Any]) -> BoardPost:
    thread, post_id, role, payload, created, updated, version = row
    return BoardPost(
        thread=thread,
        id=post_id,
        role=role,
        payload=json.loads(payload),
        created=created,
        updated=updated,
        version=version,
    )


def _change(row: Sequence[Any]) -> BoardChange:
    version, thread_id, post_id, role, text, created, updated, deleted = row
    if deleted:
        return BoardChange(version=version, thread_id=thread_id, post_id=post_id)
    if not post_id:
        thread = _thread((thread_id, text, created, updated))
        return BoardChange(version=version, thread_id=thread_id, post_id="", thread=thread)
    post = _post((thread_id, post_id, role, text, created, updated, version))
    return BoardChange(version=version, thread_id=thread_id, post_id=post_id, post=post)
