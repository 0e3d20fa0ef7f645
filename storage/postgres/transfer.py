"""All that is in the database, copied: into a file and back, and out of the files of one machine.

Tables are copied by PostgreSQL's own COPY, in one transaction that sees one moment; what triggers make of other tables
is left out, and made again.
"""

import hashlib
import io
import json
import os
import sqlite3
import tarfile
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

from agent.errors import CorruptError, StorageError, UsageError
from storage.backup import opened
from storage.postgres.database import connect
from storage.postgres.failures import place_of, translated
from storage.postgres.migrate import version_of
from storage.postgres.schema import MIGRATIONS
from storage.postgres.statements import EVERYTHING, Statements
from storage.postgres.vector_table import VECTORS, VectorTable

LIBRARY = ("collections", "documents", "passages", "removed", "terms", "stamps", "groups", "facts")
TURNS = ("turns", "ratings", "deliveries", "attachments", "usage", "dialects")
PLACES = ("channel_modes", "channel_overlaps", "channel_packs", "last_heard", "schedules")
PEOPLE = ("slots", "slot_values", "preferences", "memories")
BOARD = ("board_threads", "board_posts", "board_state", "board_uploads")
CHECKPOINTS = ("conversations", "checkpoints", "checkpoint_blobs", "checkpoint_writes")
TABLES = (
    *LIBRARY, *TURNS, *PLACES, "inbox", *PEOPLE, *BOARD, "files", "embeddings", *CHECKPOINTS, "sqlite_sequence",
)  # fmt: skip
"""In an order in which none comes before what it names."""
MADE_AGAIN = (
    "entities", "snapshots", "weft_schema", "checkpoint_migrations", "installations", "installation_states",
)  # fmt: skip
"""Tables that are not copied: made of others, good for minutes, or, as tokens, no part of a backup."""
NUMBERED = {"passages": "id", "removed": "seq", "schedules": "id"}
"""Tables whose numbers are never given again, also where their rows are gone: by the column."""
_OWN = ("documents", "turns", "inbox", "memories", "board_threads", "checkpoints")
"""Tables of which one row is enough to say that a database is in use."""
_BEGUN = ("facts", "board_state")
"""Tables that a new database has rows in."""
MANIFEST = "weft-postgres.json"
_FORMAT = 1
_CHUNK = 1 << 20


def backup(url: str, target: Path) -> int:
    """Write all tables, as they are at one moment, into one file; returns its length in bytes.

    The file appears when it is whole. Raises StorageError.
    """
    place = place_of(url)
    try:
        with tempfile.TemporaryDirectory(prefix=".weft-backup-", dir=target.absolute().parent) as folder:
            stage = Path(folder)
            with _moment(url, place) as connection:
                names = [*TABLES, *_vector_tables(connection)]
                tables = {name: _written(connection, name, stage / name) for name in names}
                manifest = {"format": _FORMAT, "at": time.time(), "schema": version_of(connection), "tables": tables}
            whole = stage / "whole"
            _pack(stage, whole, manifest, compressed=target.suffix in (".gz", ".tgz"))
            size = whole.stat().st_size
            whole.replace(target)
            return size
    except OSError as error:
        raise StorageError(f"{target} cannot be written ({error.strerror or error}): choose another place") from error


def restore(source: Path, url: str) -> int:
    """Fill an empty database from a backup, all of it or nothing; returns how many tables there are.

    Raises UsageError for a database that is in use, CorruptError for a file that is no whole backup, StorageError.
    """
    place = place_of(url)
    try:
        with tempfile.TemporaryDirectory(prefix="weft-restore-") as folder:
            tables = _unpacked(source, Path(folder))
            with filling(url) as connection:
                for name, about in tables.items():
                    if not name.startswith(VECTORS):
                        _read(connection, name, about["columns"], Path(folder) / name)
                        continue
                    vectors = VectorTable(id=int(name.removeprefix(VECTORS)), dimensions=int(about["dimensions"]))
                    vectors.make(Statements(connection))
                    _read(connection, name, about["columns"], Path(folder) / name)
                    if vectors.lacks_index(Statements(connection)):
                        vectors.index(Statements(connection))
            return len(tables)
    except (tarfile.TarError, EOFError, ValueError, KeyError, TypeError) as error:
        raise CorruptError(f"{source} is no whole backup of a database ({error}): take another one") from error
    except psycopg.Error as error:
        raise translated(place, error) from error


@contextmanager
def filling(url: str) -> Iterator[psycopg.Connection[Any]]:
    """Give a connection in a transaction in which an empty database is filled. Raises UsageError, StorageError."""
    place = place_of(url)
    with connect(url, place) as connection:
        try:
            with connection.transaction():
                connection.execute("LOCK TABLE inbox, turns, documents IN EXCLUSIVE MODE")
                for table in _OWN:
                    if connection.execute(_of("SELECT 1 FROM {} LIMIT 1", table)).fetchone():
                        raise UsageError(f"{place} holds data already ({table}): name an empty database")
                connection.execute("ALTER TABLE passages NO FORCE ROW LEVEL SECURITY")  # COPY does not work with it
                for table in _BEGUN:
                    connection.execute(_of("DELETE FROM {}", table))
                yield connection
                for table in (*TABLES, *_vector_tables(connection)):
                    _continue_numbers(connection, table)
                connection.execute("ALTER TABLE passages FORCE ROW LEVEL SECURITY")
        except psycopg.Error as error:
            raise translated(place, error) from error


def fill(connection: psycopg.Connection[Any], table: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> int:
    """Put rows into a table; returns how many there were."""
    count = 0
    with connection.cursor().copy(_copy("COPY {} ({}) FROM STDIN", table, columns)) as copy:
        for row in rows:
            copy.write_row(row)
            count += 1
    return count


def columns_of(connection: psycopg.Connection[Any], table: str) -> list[str]:
    """Return the columns of a table."""
    query = """SELECT column_name FROM information_schema.columns
    WHERE table_schema=current_schema() AND table_name=%s ORDER BY ordinal_position"""
    return [name for (name,) in connection.execute(query, (table,)).fetchall()]


def rows_of(path: Path, table: str, columns: Sequence[str]) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Return which of these columns a table of a SQLite file has, and its rows."""
    with closing(sqlite3.connect(path)) as connection:
        there = {row[1] for row in connection.execute(f"PRAGMA table_info({table})")}
        rowid = {"rowid"} if there and table in ("turns", "board_threads") else set()
        common = [column for column in columns if column in there | rowid]
        if not common:
            return [], []
        names = ", ".join(f'"{column}"' for column in common)
        return common, connection.execute(f"SELECT {names} FROM {table}").fetchall()


@contextmanager
def _moment(url: str, place: str) -> Iterator[psycopg.Connection[Any]]:
    with connect(url, place) as connection:
        try:
            connection.execute(f"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; {EVERYTHING}".encode())
            yield connection
        except psycopg.Error as error:
            raise translated(place, error) from error


def _written(connection: psycopg.Connection[Any], table: str, path: Path) -> Mapping[str, Any]:
    columns = columns_of(connection, table)
    digest = hashlib.sha256()
    with path.open("wb") as out, connection.cursor().copy(_copy("COPY {} ({}) TO STDOUT", table, columns)) as copy:
        for piece in copy:
            out.write(piece)
            digest.update(piece)
    about: dict[str, Any] = {"columns": columns, "sha256": digest.hexdigest()}
    if table.startswith(VECTORS):
        query = "SELECT dimensions FROM embeddings WHERE 'vectors_' || id = %s"
        row = connection.execute(query, (table,)).fetchone()
        about["dimensions"] = row[0] if row else 0
    return about


def _read(connection: psycopg.Connection[Any], table: str, columns: Sequence[str], path: Path) -> None:
    if table == "sqlite_sequence":  # triggers have written it by now, up to the numbers that are there
        connection.execute("DELETE FROM sqlite_sequence")
    with path.open("rb") as file, connection.cursor().copy(_copy("COPY {} ({}) FROM STDIN", table, columns)) as copy:
        while chunk := file.read(_CHUNK):
            copy.write(chunk)


def _continue_numbers(connection: psycopg.Connection[Any], table: str) -> None:
    """Let the next row get a number that no row has."""
    query = """SELECT column_name FROM information_schema.columns
    WHERE table_schema=current_schema() AND table_name=%s AND is_identity='YES'"""
    for (column,) in connection.execute(query, (table,)).fetchall():
        statement = sql.SQL(
            "SELECT setval(pg_get_serial_sequence({}, {}), greatest(1, (SELECT max({}) FROM {})), "
            "EXISTS(SELECT 1 FROM {}))"
        ).format(sql.Literal(table), sql.Literal(column), *map(sql.Identifier, (column, table, table)))
        connection.execute(statement)
    if table in NUMBERED:
        query = "SELECT setval(pg_get_serial_sequence(%s, %s), seq) FROM sqlite_sequence WHERE name=%s AND seq>0"
        connection.execute(query, (table, NUMBERED[table], table))


def _vector_tables(connection: psycopg.Connection[Any]) -> list[str]:
    return [f"{VECTORS}{row[0]}" for row in connection.execute("SELECT id FROM embeddings ORDER BY id").fetchall()]


def _of(statement: str, table: str) -> sql.Composed:
    return sql.SQL(statement).format(sql.Identifier(table))  # our own words


def _copy(statement: str, table: str, columns: Sequence[str]) -> sql.Composed:
    names = sql.SQL(", ").join(map(sql.Identifier, columns))
    return sql.SQL(statement).format(sql.Identifier(table), names)  # our own words


def _pack(stage: Path, whole: Path, manifest: Mapping[str, Any], *, compressed: bool) -> None:
    content = json.dumps(manifest, indent=1).encode()
    descriptor = os.open(whole, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as out:
        with tarfile.open(fileobj=out, mode="w:gz" if compressed else "w") as tar:
            entry = tarfile.TarInfo(MANIFEST)
            entry.size, entry.mode = len(content), 0o600
            tar.addfile(entry, io.BytesIO(content))
            for name in manifest["tables"]:
                tar.add(stage / name, arcname=name, recursive=False)
        out.flush()
        os.fsync(out.fileno())


def _unpacked(source: Path, folder: Path) -> Mapping[str, Mapping[str, Any]]:
    """Write the tables of a backup into a folder, each verified."""
    with opened(source) as tar:
        first = tar.next()
        listed = tar.extractfile(first) if first is not None and first.name == MANIFEST else None
        if listed is None:
            raise ValueError("it does not begin with its list")
        manifest = json.loads(listed.read())
        if manifest["format"] != _FORMAT or manifest["schema"] != len(MIGRATIONS):
            raise ValueError(f"it is of schema {manifest['schema']}, this Weft has {len(MIGRATIONS)}")
        tables: dict[str, Mapping[str, Any]] = manifest["tables"]
        if any(name not in TABLES and not name.removeprefix(VECTORS).isdigit() for name in tables):
            raise ValueError("it holds what Weft did not write")
        left = set(tables)
        for entry in tar:
            if entry.name == MANIFEST:
                continue
            if entry.name not in left or not entry.isreg():
                raise ValueError("it holds what Weft did not write")
            content = tar.extractfile(entry)
            digest = hashlib.sha256()
            with (folder / entry.name).open("wb") as out:
                while content is not None and (chunk := content.read(_CHUNK)):
                    out.write(chunk)
                    digest.update(chunk)
            if digest.hexdigest() != tables[entry.name]["sha256"]:
                raise ValueError(f"{entry.name} is damaged in it")
            left.remove(entry.name)
        if left:
            raise ValueError(f"it lacks {min(left)}")
        return tables
