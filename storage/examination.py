"""Looks into the data folder's databases without changing, creating or migrating anything: for `weft doctor`."""

import os
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import numpy as np
from numpy.typing import NDArray

from storage import damage, log_damage
from storage.contracts import CLOSED, Schedule
from storage.schedules import read_entries

_PATIENCE = 5.0
_DAY = 24 * 3600.0
"""Seconds to wait for a process that writes."""
THOROUGHLY = 256_000_000
"""Bytes up to which the indexes of a database are compared with its tables, too: a second or two."""
NAMED = 3
"""How many of a kind are named."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Holdings:
    """What `weft.db` holds."""

    collections: int
    documents: int
    passages: int
    empty: int
    """Documents without a passage."""
    some_empty: Sequence[str]
    """A few of them, by id."""
    gone: int
    """Files that documents came from and that are not where they were."""
    some_gone: Sequence[str]


@dataclass(frozen=True, kw_only=True, slots=True)
class Waiting:
    """What the inbox holds."""

    todo: int
    doing: int
    dead: int
    oldest: float
    """Seconds that the oldest unanswered message has been there."""
    unposted: int = 0
    """Messages that wait because their platform took nothing."""
    closed: int = 0
    """Answers of the last day that Weft might not post in their place."""


def schema_of(path: Path, migrations: Sequence[str] = ()) -> int:
    """Return the schema version of a database that is in order, read as a whole. Raises CorruptError, StorageError.

    `migrations`: what makes it, where it numbers its versions.
    """
    damage.look(path)
    if why := log_damage.damaged(path):
        raise damage.damaged(path, why)
    check = "integrity_check" if path.stat().st_size <= THOROUGHLY else "quick_check"
    with _opened(path) as connection:
        (found,) = connection.execute(f"PRAGMA {check}(1)").fetchone()
        if found != "ok":
            raise damage.damaged(path, " ".join(str(found).split())[:120])
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if migrations and not 0 <= version < damage.MISTAKEN:
            raise damage.damaged(path, f"schema {version}")
        if 0 < version <= len(migrations):
            damage.check_schema(connection, path, migrations[:version])
        return int(version)


def version_of(path: Path) -> int:
    """Return the schema version of a database. Raises StorageError."""
    with _opened(path) as connection:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])


def holdings(path: Path) -> Holdings:
    """Return what `weft.db` holds. Raises StorageError."""
    empty = "FROM documents d WHERE NOT EXISTS(SELECT 1 FROM passages p WHERE p.document=d.id)"
    with _opened(path) as connection:
        counts = (
            connection.execute(f"SELECT count(*) FROM {name}").fetchone()[0]
            for name in ("collections", "documents", "passages")
        )
        collections, documents, passages = counts
        (without,) = connection.execute(f"SELECT count(*) {empty}").fetchone()
        some = [row[0] for row in connection.execute(f"SELECT d.document_id {empty} LIMIT {NAMED}")]
        origins = [row[0] for row in connection.execute("SELECT DISTINCT origin FROM documents ORDER BY origin")]
    gone = [origin for origin in origins if _is_gone(origin)]
    return Holdings(
        collections=collections,
        documents=documents,
        passages=passages,
        empty=without,
        some_empty=some,
        gone=len(gone),
        some_gone=gone[:NAMED],
    )


def passage_ids(path: Path) -> NDArray[np.int64]:
    """Return the ids of all passages of `weft.db`, ascending. Raises StorageError."""
    with _opened(path) as connection:
        rows = connection.execute("SELECT id FROM passages ORDER BY id")
        return np.fromiter((row[0] for row in rows), dtype=np.int64)


def waiting(path: Path) -> Waiting:
    """Return what `inbox.db` holds. Raises StorageError."""
    with _opened(path) as connection:
        counts = dict(connection.execute("SELECT status, count(*) FROM inbox GROUP BY status").fetchall())
        away = "SELECT count(*) FROM inbox WHERE status='todo' AND error IN ('TokenError','UnreachableError')"
        (unposted,) = connection.execute(away).fetchone()
        shut = "SELECT count(*) FROM inbox WHERE error LIKE ? AND created>?"
        (closed,) = connection.execute(shut, (f"{CLOSED}%", time.time() - _DAY)).fetchone()
        (first,) = connection.execute("SELECT min(created) FROM inbox WHERE status IN ('todo','doing')").fetchone()
    return Waiting(
        todo=counts.get("todo", 0),
        doing=counts.get("doing", 0),
        dead=counts.get("dead", 0),
        unposted=unposted,
        closed=closed,
        oldest=max(0.0, time.time() - first) if first else 0.0,
    )


def calendar(path: Path) -> tuple[Sequence[Schedule], Sequence[int]]:
    """Return the calendar's entries in `weft.db`, and the numbers of those that are damaged. Raises StorageError."""
    with _opened(path) as connection:
        return read_entries(connection)


@contextmanager
def _opened(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a database that is there; one that is opened for reading alone would leave files behind."""
    try:
        name = f"file:{quote(str(path.absolute()))}?mode=rw"
        with closing(sqlite3.connect(name, uri=True, timeout=_PATIENCE, isolation_level=None)) as connection:
            yield connection
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
        raise damage.translated(path, error) from error


def _is_gone(origin: str) -> bool:
    """Tell whether a file is not where it was; one that cannot be looked for may be there."""
    if not os.path.isabs(origin):
        return False
    try:
        os.stat(origin)
    except FileNotFoundError:
        return True
    except OSError:  # what lies in an archive, for one
        return False
    return False
