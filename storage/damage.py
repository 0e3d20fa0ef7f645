"""Tells a damaged database, and what to do about it, file by file.

SQLite keeps no checksums, and looks at a page when it needs it. So what is cheap is looked at when a
file is opened: whether it has the length that its header tells, and the tables that Weft made.
`weft doctor` reads all of it.
"""

import logging
import os
import shlex
import sqlite3
import time
from collections.abc import Sequence
from contextlib import closing
from functools import lru_cache
from pathlib import Path

from agent.errors import CorruptError, StorageError
from storage import log_damage

logger = logging.getLogger(__name__)

DOCUMENTS = "weft.db"
_AFTER = {
    DOCUMENTS: " and then `weft ingest` and `weft reindex` again",
    "inbox.db": ": messages that wait in it are not answered",
    "people.db": ": what people told of themselves is in it",
    "checkpoints.db": ": conversations go on from their stored turns",
    "board.db": ": the playground's threads are in it",
    "installations.db": ": Weft is then to be installed again in each workspace",
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
CREATING = 1.0
"""Seconds within which whoever creates a file has written into it, however much else its machine does."""
_LOOK = 0.02
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


def look(path: Path) -> bool:
    """Look at a file before it is opened, and tell whether it holds anything. Raises CorruptError.

    An empty file is a database to SQLite. Where the documents should be, and other files are there, it is damage:
    Weft would answer as if nothing had ever been ingested. Any other begins anew, with a warning.
    """
    try:
        with path.open("rb") as file:
            head, size = file.read(_HEADER), os.fstat(file.fileno()).st_size
    except OSError:
        return False  # not there, or what SQLite tells better
    if not size:
        if _beside(path) and not _filled(path):
            _empty(path)
    elif len(head) == _HEADER and head.startswith(_MAGIC) and not _size(path.with_name(path.name + "-wal")):
        page, pages = int.from_bytes(head[16:18]), int.from_bytes(head[28:32])
        counted = head[24:28] == head[92:96]  # else another version of SQLite wrote last, and did not count
        if counted and pages * (65536 if page == 1 else page) > size:
            raise damaged(path, "it is cut short")
    return bool(size)


def check_log(path: Path) -> None:
    """Look at the log beside a database before that is opened. Raises CorruptError for that of the documents.

    Of any other what stands in front of the damage is gone on with, with a warning. A log without its database, as the
    advice leaves it, is nothing: SQLite removes it.
    """
    if not _size(path):
        return
    if why := log_damage.damaged(path):
        if path.name == DOCUMENTS:
            raise damaged(path, why)
        about = {"action": "log_damaged"}
        logger.warning("%s is damaged (%s): what was written last is lost.", path, why, extra=about)


def check_begun(connection: sqlite3.Connection, path: Path) -> None:
    """Look whether a database that was there has any tables, as one has not whose log was left behind.

    Raises CorruptError for the documents beside other files; any other begins anew, with a warning.
    """
    give_up = time.monotonic() + CREATING
    while not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
        if not _beside(path):
            return
        if time.monotonic() >= give_up:
            _empty(path)
            return
        time.sleep(_LOOK)


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


def _filled(path: Path) -> bool:
    """Wait a moment whether somebody who is just creating a file writes into it."""
    give_up = time.monotonic() + CREATING
    while not _size(path):
        if time.monotonic() >= give_up:
            return False
        time.sleep(_LOOK)
    return True


def _beside(path: Path) -> str:
    """Return the name of another database of the folder that holds something."""
    others = (path.with_name(name) for name in (*_AFTER, CACHE) if name != path.name)
    return next((other.name for other in others if _size(other)), "")


def _empty(path: Path) -> None:
    if path.name == DOCUMENTS:
        raise damaged(path, f"it is empty, but {_beside(path)} is not")
    logger.warning("%s is empty, and begins anew: %s", path, advice(path), extra={"action": "database_empty"})


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
