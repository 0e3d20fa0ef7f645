"""The playground's threads and posts in SQLite, with a feed of their changes.

Every change takes the next version number within its own transaction, so that a reader who has
seen version n has seen all before it. What was deleted leaves its id behind, to tell the feed.
"""

import asyncio
import json
import secrets
import sqlite3
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self, TypeVar

import aiosqlite

from agent.errors import StorageError
from storage import damage, uploads
from storage.database import BUSY_SECONDS, keep_wal

T = TypeVar("T")

POLL_SECONDS = 0.1
"""How soon a change made by another process is seen."""
BATCH = 500

_SCHEMA = (
    """CREATE TABLE IF NOT EXISTS board_threads(
      id TEXT PRIMARY KEY, title TEXT NOT NULL, created REAL NOT NULL, updated REAL NOT NULL,
      version INTEGER NOT NULL, deleted INTEGER NOT NULL DEFAULT 0)""",
    "CREATE INDEX IF NOT EXISTS board_threads_version ON board_threads(version)",
    """CREATE TABLE IF NOT EXISTS board_posts(
      number INTEGER PRIMARY KEY, thread TEXT NOT NULL, id TEXT NOT NULL, role TEXT NOT NULL,
      payload TEXT NOT NULL, created REAL NOT NULL, updated REAL NOT NULL,
      version INTEGER NOT NULL, deleted INTEGER NOT NULL DEFAULT 0, UNIQUE(thread, id))""",
    "CREATE INDEX IF NOT EXISTS board_posts_version ON board_posts(version)",
    """CREATE TABLE IF NOT EXISTS board_state(
      id INTEGER PRIMARY KEY CHECK(id = 1), epoch TEXT NOT NULL, version INTEGER NOT NULL)""",
    uploads.SCHEMA,
)


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

    def __init__(self, path: Path, writer: aiosqlite.Connection, reader: aiosqlite.Connection, epoch: str) -> None:
        self._path = path
        self._writer = writer
        self._reader = reader
        self._epoch = epoch
        self._lock = asyncio.Lock()
        self._changed = asyncio.Event()

    @classmethod
    async def open(cls, path: Path) -> Self:
        """Open or create the tables in this file. Raises StorageError, or CorruptError for a damaged file."""
        async with _translated(path):
            epoch = await asyncio.to_thread(_prepare, path)
            writer = await _connect(path)
            try:
                return cls(path, writer, await _connect(path), epoch)
            except BaseException:
                await writer.close()
                raise

    async def close(self) -> None:
        """Close the file once what is being written is written."""
        async with self._lock:
            await self._writer.close()
            await self._reader.close()

    # --- reading

    async def threads(self, *, limit: int = 200) -> Sequence[BoardThread]:
        """Return the threads, the last asked in first."""
        rows = await self._read(
            "SELECT id, title, created, updated FROM board_threads WHERE NOT deleted"
            " ORDER BY updated DESC, rowid DESC LIMIT ?",
            (limit,),
        )
        return tuple(_thread(row) for row in rows)

    async def thread(self, thread_id: str) -> BoardThread | None:
        """Return a thread, or None when it is not there."""
        rows = await self._read(
            "SELECT id, title, created, updated FROM board_threads WHERE id = ? AND NOT deleted", (thread_id,)
        )
        return _thread(rows[0]) if rows else None

    async def posts(self, thread_id: str) -> Sequence[BoardPost]:
        """Return the posts of a thread in the order in which they first appeared."""
        rows = await self._read(
            "SELECT thread, id, role, payload, created, updated, version FROM board_posts"
            " WHERE thread = ? AND NOT deleted ORDER BY number",
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
            changed = self._changed
            now = await self._version()
            if since is None or now != since:
                return
            try:
                async with asyncio.timeout(POLL_SECONDS):
                    await changed.wait()
            except TimeoutError:
                continue

    # --- writing

    async def create_thread(self, thread_id: str, title: str) -> bool:
        """Open a thread, also one that was deleted; False when it is there."""
        now = time.time()
        return await self._write(
            lambda: self._change(
                "INSERT INTO board_threads(id, title, created, updated, version) VALUES(:id, :title, :now, :now, :v)"
                " ON CONFLICT(id) DO UPDATE SET title = excluded.title, created = excluded.created,"
                " updated = excluded.updated, version = excluded.version, deleted = 0 WHERE deleted",
                {"id": thread_id, "title": title, "now": now},
            )
        )

    async def rename_thread(self, thread_id: str, title: str) -> bool:
        """Give a thread another title; False when it is not there."""
        return await self._write(
            lambda: self._change(
                "UPDATE board_threads SET title = :title, version = :v WHERE id = :id AND NOT deleted",
                {"id": thread_id, "title": title},
            )
        )

    async def delete_thread(self, thread_id: str) -> bool:
        """Delete a thread and its posts for good; False when it is not there."""

        async def work() -> bool:
            await self._writer.execute("DELETE FROM board_posts WHERE thread = ?", (thread_id,))
            return await self._change(
                "UPDATE board_threads SET title = '', deleted = 1, version = :v WHERE id = :id AND NOT deleted",
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

        async def work() -> bool:
            query = "SELECT 1 FROM board_threads WHERE id = :thread AND NOT deleted"
            if not list(await self._writer.execute_fetchall(query, values)):
                return False
            changed = await self._change(
                "INSERT INTO board_posts(thread, id, role, payload, created, updated, version)"
                " VALUES(:thread, :id, :role, :payload, :now, :now, :v)"
                " ON CONFLICT(thread, id) DO UPDATE SET role = excluded.role, payload = excluded.payload,"
                " updated = excluded.updated, version = excluded.version, deleted = 0"
                " WHERE deleted OR (:replace AND (role, payload) != (excluded.role, excluded.payload))",
                values,
            )
            if changed and role == "user":
                await self._change("UPDATE board_threads SET updated = :now, version = :v WHERE id = :thread", values)
            return True

        return await self._write(work)

    async def remove(self, thread_id: str, post_id: str) -> bool:
        """Take a post down; False when it is not there."""
        return await self._write(
            lambda: self._change(
                "UPDATE board_posts SET payload = '{}', deleted = 1, version = :v"
                " WHERE thread = :thread AND id = :id AND NOT deleted",
                {"thread": thread_id, "id": post_id},
            )
        )

    # --- files on their way

    async def upload(self, upload_id: str, name: str, media_type: str, data: bytes) -> None:
        """Keep a file, and let go of those that nobody can be waiting for."""
        await self._write(lambda: uploads.put(self._writer, upload_id, name, media_type, data))

    async def uploaded(self, upload_id: str) -> tuple[str, str, int] | None:
        """Return name, media type and size in bytes of a file; None when it is not there."""
        rows = await self._read("SELECT name, media_type, length(data) FROM board_uploads WHERE id = ?", (upload_id,))
        return (rows[0][0], rows[0][1], rows[0][2]) if rows else None

    async def let_go(self, upload_id: str) -> None:
        """Delete a file; one that is not there is fine."""
        await self._write(lambda: self._writer.execute("DELETE FROM board_uploads WHERE id = ?", (upload_id,)))

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

    async def _read(self, query: str, values: Any) -> list[Any]:
        async with _translated(self._path):
            return list(await self._reader.execute_fetchall(query, values))

    async def _change(self, statement: str, values: Mapping[str, Any]) -> bool:
        """Run a statement that writes version `:v`; the number is taken only when it changed something."""
        rows = list(await self._writer.execute_fetchall("SELECT version + 1 FROM board_state"))
        done = await self._writer.execute(statement, {**values, "v": rows[0][0]})
        if done.rowcount < 1:
            return False
        await self._writer.execute("UPDATE board_state SET version = version + 1")
        return True

    async def _write(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        # Shielded: a caller who gives up must not leave half a transaction on the shared connection.
        return await asyncio.shield(self._transaction(work))

    async def _transaction(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        async with self._lock, _translated(self._path):
            await self._writer.execute("BEGIN IMMEDIATE")
            try:
                result = await work()
                await self._writer.execute("COMMIT")
            except BaseException:
                await self._writer.rollback()
                raise
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()
        return result


def _prepare(path: Path) -> str:
    """Create what is missing and return the epoch. Before any other connection, so that errors come from here."""
    damage.look(path)
    with closing(sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)) as connection:
        keep_wal(connection)
        connection.execute("BEGIN IMMEDIATE")
        for statement in _SCHEMA:
            connection.execute(statement)
        connection.execute("INSERT OR IGNORE INTO board_state VALUES(1, ?, 0)", (secrets.token_hex(4),))
        connection.execute("COMMIT")
        return str(connection.execute("SELECT epoch FROM board_state").fetchone()[0])


async def _connect(path: Path) -> aiosqlite.Connection:
    connection = await aiosqlite.connect(path, timeout=BUSY_SECONDS, isolation_level=None)
    try:
        await connection.execute("PRAGMA synchronous=NORMAL")
    except BaseException:
        await connection.close()  # its thread would keep the process from ending
        raise
    return connection


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


@asynccontextmanager
async def _translated(path: Path) -> AsyncIterator[None]:
    """Turn what SQLite raises into the project's errors."""
    try:
        yield
    except UnicodeDecodeError as error:
        raise damage.translated(path, error) from error
    except ValueError as error:
        if "connection" not in str(error).lower():
            raise
        raise StorageError(f"{path} is closed") from error  # what aiosqlite raises behind close()
    except sqlite3.Error as error:
        raise damage.translated(path, error) from error
