"""What goes into a backup, and over from files: a row of every table there is, whoever made the table."""

import asyncio
import os
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from psycopg import sql

from agent.errors import CorruptError
from storage import backup as files
from storage.database import Database
from storage.embedding_cache import SqliteEmbeddingCache
from storage.installations import SqlInstallations
from storage.postgres import transfer, vector_table
from storage.postgres.carry import carry_over
from storage.postgres.database import PostgresDatabase, connect
from storage.postgres.failures import place_of
from storage.postgres.migrate import migrate
from storage.postgres.transfer import MADE_AGAIN
from storage.postgres.vectors import PostgresVectors
from storage.schema import BOARD, INBOX, PEOPLE, WEFT
from tests.vector_files import ids, rows

VALUES: Mapping[str, Any] = {
    "bigint": 1, "integer": 1, "double precision": 1.5, "text": "[]", "bytea": b"[]", "jsonb": "{}",
    "INTEGER": 1, "REAL": 1.5, "TEXT": "[]", "BLOB": b"[]", "BIGINT": 1,
}  # fmt: skip
"""A value that every column of a type takes: `[]` is read as JSON, too."""
COLUMNS = """SELECT table_name, column_name, data_type FROM information_schema.columns
WHERE table_schema='public' ORDER BY table_name, ordinal_position"""


def tables_of(url: str) -> dict[str, dict[str, str]]:
    """Return the columns of every table, by their types."""
    found: dict[str, dict[str, str]] = {}
    with connect(url, place_of(url)) as connection:
        for table, column, kind in connection.execute(COLUMNS).fetchall():
            found.setdefault(table, {})[column] = kind
    return found


def content(url: str) -> dict[str, list[str]]:
    """Return what every table holds."""
    with connect(url, place_of(url)) as connection:
        connection.execute("SET weft.operator = 'on'")
        query = sql.SQL("SELECT * FROM {}")
        return {
            table: sorted(map(repr, connection.execute(query.format(sql.Identifier(table))).fetchall()))
            for table in tables_of(url)
        }


async def fill_postgres(url: str, folder: Path) -> None:
    """Put a row into every table."""
    database = await PostgresDatabase.open(url, folder=folder)
    vectors = PostgresVectors(database, embedding="e")
    await vectors.add(ids(1, 2), rows(np.array([0.6, 0.8]), np.array([1.0, 0.0])))
    await vectors.save()
    await database.close()
    tables = tables_of(url)
    first = [name for name in transfer.TABLES if name in tables]  # what others name comes before them
    with connect(url, place_of(url)) as connection:
        connection.execute("SET weft.operator = 'on'")
        for table in first + [name for name in tables if name not in first]:
            columns = tables[table]
            if table.startswith("vectors_") or any(kind not in VALUES for kind in columns.values()):
                continue
            statement = sql.SQL("INSERT INTO {}({}) VALUES({}) ON CONFLICT DO NOTHING").format(
                sql.Identifier(table),
                sql.SQL(",").join(map(sql.Identifier, columns)),
                sql.SQL(",").join([sql.Placeholder()] * len(columns)),
            )
            connection.execute(statement, [VALUES[kind] for kind in columns.values()])


async def test_a_row_of_every_table_is_in_the_backup_and_comes_back(postgres, tmp_path, monkeypatch):
    monkeypatch.setattr(vector_table, "EXACT", 2)
    one, other = postgres.url(await postgres.ready()), postgres.url(await postgres.ready())
    await fill_postgres(one, tmp_path)
    before = content(one)
    empty = {table for table, rows in before.items() if not rows}
    assert empty <= {"entities"}  # no table is overlooked here
    await asyncio.to_thread(transfer.backup, one, tmp_path / "all.tar")
    await asyncio.to_thread(transfer.restore, tmp_path / "all.tar", other)
    after = content(other)
    assert {table for table in before if before[table] != after.get(table)} <= {*MADE_AGAIN}
    assert after["installations"] == after["installation_states"] == []
    with connect(other, place_of(other)) as connection:
        query = "SELECT count(*) FROM pg_indexes WHERE indexname='vectors_1_vector_idx'"
        assert connection.execute(query).fetchone() == (1,)


@pytest.mark.parametrize("part", ["turns", "vectors_1", transfer.MANIFEST])
async def test_a_backup_in_which_a_byte_changed_is_refused_and_leaves_nothing(postgres, tmp_path, part):
    one, other = postgres.url(await postgres.ready()), postgres.url(await postgres.ready())
    await fill_postgres(one, tmp_path)
    await asyncio.to_thread(transfer.backup, one, tmp_path / "all.tar")
    whole = bytearray((tmp_path / "all.tar").read_bytes())
    at = whole.index(b"\0" * 8, 0) if part == transfer.MANIFEST else whole.index(part.encode() + b"\0")
    place = whole.index(b"{", at) if part == transfer.MANIFEST else (at + 512)
    whole[place] ^= 1
    (tmp_path / "all.tar").write_bytes(whole)
    before = content(other)
    with pytest.raises(CorruptError, match="no whole backup of a database"):
        await asyncio.to_thread(transfer.restore, tmp_path / "all.tar", other)
    assert content(other) == before


async def made_of_files(folder: Path) -> dict[str, list[str]]:
    """Make every database that an installation of files has, a row in each table; returns the tables by file."""
    for name, migrations in (("weft.db", WEFT), ("inbox.db", INBOX), ("people.db", PEOPLE), ("board.db", BOARD)):
        await (await Database.open(folder / name, migrations)).close()
    await (await SqlInstallations.open(folder / "installations.db")).close()
    await (await SqliteEmbeddingCache.open(folder / "embeddings.db", size=1)).close()
    found = {}
    for name in sorted(name for name in os.listdir(folder) if name.endswith(".db")):
        with closing(sqlite3.connect(folder / name)) as connection:
            query = "SELECT name FROM sqlite_master WHERE type='table' AND name NOT LIKE 'sqlite_%' ORDER BY rowid"
            tables = [name for (name,) in connection.execute(query)]
            for table in tables:
                columns = connection.execute(f"PRAGMA table_info({table})").fetchall()
                names, places = ",".join(f'"{c[1]}"' for c in columns), ",".join("?" * len(columns))
                insert = f"INSERT OR IGNORE INTO {table}({names}) VALUES({places})"
                connection.execute(insert, [VALUES[column[2].upper()] for column in columns])
                assert connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0], table
            connection.commit()
            found[name] = tables
    return found


async def test_a_row_of_every_table_of_every_file_is_carried_over(postgres, tmp_path):
    tables = await made_of_files(tmp_path)
    assert set(tables) == {*files.DATABASES, *files.LEFT_OUT} - {"checkpoints.db"}
    made_again = {"entities", "snapshots", *tables.pop("embeddings.db"), "installation_states"}
    name = postgres.empty()
    await migrate(postgres.url(name))
    await carry_over(tmp_path, postgres.url(name))
    there = content(postgres.url(name))
    assert {table for names in tables.values() for table in names if not there.get(table)} == made_again & set(there)


async def test_every_file_of_an_installation_is_in_the_backup_and_comes_back(tmp_path):
    data = tmp_path / "data"
    data.mkdir()
    tables = await made_of_files(data)
    files.backup(data, tmp_path / "all.tar")
    files.restore(tmp_path / "all.tar", tmp_path / "back")
    assert {path.name for path in (tmp_path / "back").iterdir()} == set(tables) - set(files.LEFT_OUT)
    for name in set(tables) - set(files.LEFT_OUT):
        for table in tables[name]:
            with (
                closing(sqlite3.connect(data / name)) as one,
                closing(sqlite3.connect(tmp_path / "back" / name)) as two,
            ):
                query = f"SELECT * FROM {table}"
                assert one.execute(query).fetchall() == two.execute(query).fetchall() != [], table
