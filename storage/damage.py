"""Tells a damaged database, and what to do about it, file by file.

SQLite keeps no checksums, and looks at a page when it needs it. So what is cheap is looked at when a
file is opened: whether it has the length that its header tells, and the tables that Weft made.
`weft doctor` reads all of it.
"""

import logging
import os
import shlex
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from functools import lru_cache
from pathlib import Path

from agent.errors import CorruptError, StorageError

logger = logging.getLogger(__name__)

DOCUMENTS = "weft.db"
_AFTER = {
    DOCUMENTS: " and then `weft ingest` and `weft reindex` again",
    "inbox.db": ": messages that wait in it are not answered",
    "people.db": ": what people told of themselves is in it",
    "checkpoints.db": ": conversations go on from their stored turns",
    "board.db": ": the playground's threads are in it",
}
"""By file: what follows the command that moves it away."""
CACHE = "embeddings.db"
_CODES = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT)
_WORDS = (
    "malformed database",
    "is malformed",
    "not a database",
    "no such table",
    "no such column",
    "already exists",
    "unrecognized token",
)
"""Of messages that come without such a code: the schema is not the one that was written."""
_UNREADABLE = "Could not decode to UTF-8 column"
_MAGIC = b"SQLite format 3\0"
_HEADER = 100
"""Bytes (sqlite.org/fileformat.html, 1.3)."""
MISTAKEN = 1000
"""A schema version so far ahead is no newer Weft's."""


def damaged(path: Path, why: str) -> CorruptError:
    """Return the error for a database that does not hold what it should, with what repairs it."""
    return CorruptError(f"{path} is damaged ({why}): {advice(path)}")


def advice(path: Path) -> str:
    """Return what to do about a damaged file of the data folder."""
    name = shlex.quote(str(path))
    if path.name == CACHE:
        return f"run `rm {name}`, it only saves money"
    moved = shlex.quote(f"{path}.damaged")
    return f"restore it from a backup, or run `mv {name} {moved}`{_AFTER.get(path.name, '')}"


def translated(path: Path, error: sqlite3.Error | UnicodeDecodeError) -> StorageError:
    """Return what SQLite raised as an error that names the file, and nothing of what is stored in it."""
    if isinstance(error, UnicodeDecodeError):  # the sqlite3 module reads a message that quotes the schema
        return damaged(path, "its schema is no text")
    text = str(error)
    if text.startswith(_UNREADABLE):
        return damaged(path, "a text in it is none")
    code = getattr(error, "sqlite_errorcode", None)
    if (code is not None and code & 0xFF in _CODES) or any(word in text for word in _WORDS):
        return damaged(path, " ".join(text.split())[:160])
    return StorageError(f"{path}: {text}")


def look(path: Path) -> None:
    """Look at a file before it is opened; one that is not there is fine. Raises CorruptError.

    An empty file is a database to SQLite. Where the documents should be, and other files are there, it is damage:
    Weft would answer as if nothing had ever been ingested. Any other begins anew, with a warning.
    """
    try:
        with path.open("rb") as file:
            head, size = file.read(_HEADER), os.fstat(file.fileno()).st_size
    except OSError:
        return  # not there, or what SQLite tells better
    if not size:
        _empty(path)
    elif len(head) == _HEADER and head.startswith(_MAGIC) and not _size(path.with_name(path.name + "-wal")):
        page, pages = int.from_bytes(head[16:18]), int.from_bytes(head[28:32])
        counted = head[24:28] == head[92:96]  # else another version of SQLite wrote last, and did not count
        if counted and pages * (65536 if page == 1 else page) > size:
            raise damaged(path, "it is cut short")


def check_schema(connection: sqlite3.Connection, path: Path, migrations: Sequence[str]) -> None:
    """Compare the tables and columns with those that the migrations make. Raises CorruptError, sqlite3.Error."""
    missing = sorted(_made_by(tuple(migrations)) - _schema(connection))
    if missing:
        raise damaged(path, f"it has no {'.'.join(filter(None, missing[0]))}")


def statements(script: str) -> list[str]:
    """Return the statements of a migration."""
    return [statement for statement in script.split(";\n") if statement.strip()]


@lru_cache(maxsize=8)
def _made_by(migrations: tuple[str, ...]) -> frozenset[tuple[str, str]]:
    with closing(sqlite3.connect(":memory:")) as connection:
        for script in migrations:
            for statement in statements(script):
                connection.execute(statement)
        return _schema(connection)


def _schema(connection: sqlite3.Connection) -> frozenset[tuple[str, str]]:
    """Return each table, index and column as (name, column)."""
    sql = """SELECT name, '' FROM sqlite_master WHERE name NOT LIKE 'sqlite~_%' ESCAPE '~'
    UNION ALL SELECT m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type='table'"""
    return frozenset((str(name), str(column)) for name, column in connection.execute(sql))


def _empty(path: Path) -> None:
    others = (path.with_name(name) for name in (*_AFTER, CACHE) if name != path.name)
    beside = next((other.name for other in others if _size(other)), "")
    if not beside:
        return
    if path.name == DOCUMENTS:
        raise damaged(path, f"it is empty, but {beside} is not")
    logger.warning("%s is empty, and begins anew: %s", path, advice(path), extra={"action": "database_empty"})


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
