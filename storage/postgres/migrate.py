"""Brings the tables up to date, and tells whether they are: forward only, whoever else does so at the same time."""

import asyncio
import re
from collections.abc import Sequence
from typing import Any

import psycopg
from langgraph.checkpoint.postgres import PostgresSaver
from psycopg import errors

from agent.errors import StorageError
from storage.postgres.database import connect
from storage.postgres.failures import place_of, translated
from storage.postgres.schema import MIGRATIONS, VERSION_TABLE

_LOCK = 0x57656674
"""Whoever migrates holds this advisory lock until all is done."""
_NO_EXTENSION = (
    "PostgreSQL at {place} lacks the extension pgvector: install it on the server (package postgresql-16-pgvector), "
    "or run `CREATE EXTENSION vector` there as a superuser"
)

OLDEST_SERVER, OLDEST_EXTENSION = 16, (0, 8)
"""What there must be: statements use JSON as PostgreSQL 16 does, searches follow an index as pgvector 0.8 can."""


async def migrate(url: str, migrations: Sequence[str] = MIGRATIONS) -> tuple[int, int]:
    """Bring the tables up to date; returns the version before and after. Raises StorageError, SettingsError."""
    return await asyncio.to_thread(_migrate, url, migrations)


async def check(url: str, migrations: Sequence[str] = MIGRATIONS) -> None:
    """See whether the tables are those of this program. Raises StorageError with what to do, SettingsError."""
    await asyncio.to_thread(_check, url, migrations)


def version_of(connection: psycopg.Connection[Any]) -> int:
    """Return the version of the tables; 0 where there are none."""
    there = connection.execute("SELECT to_regclass(%s) IS NOT NULL", (VERSION_TABLE,)).fetchone()
    if not there or not there[0]:
        return 0
    row = connection.execute(f"SELECT max(version) FROM {VERSION_TABLE}").fetchone()
    return int(row[0] or 0) if row else 0


def _migrate(url: str, migrations: Sequence[str]) -> tuple[int, int]:
    place = place_of(url)
    with connect(url, place) as connection:
        try:
            _refuse_old_server(connection, place)
            with connection.transaction():
                connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
                before = version_of(connection)
                _refuse_newer(place, before, len(migrations))
                connection.execute(
                    f"CREATE TABLE IF NOT EXISTS {VERSION_TABLE}(version bigint PRIMARY KEY, at timestamptz NOT NULL)"
                )
                for number, script in enumerate(migrations[before:], start=before + 1):
                    connection.execute(script)
                    connection.execute(f"INSERT INTO {VERSION_TABLE} VALUES(%s, now())", (number,))
                _checkpoints(connection)
                _refuse_old_extension(connection, place)
        except (errors.FeatureNotSupported, errors.UndefinedFile) as error:
            raise StorageError(_NO_EXTENSION.format(place=place)) from error
        except errors.InsufficientPrivilege as error:
            if "extension" in str(error):
                raise StorageError(_NO_EXTENSION.format(place=place)) from error
            raise translated(place, error) from error
        except psycopg.Error as error:
            raise translated(place, error) from error
    return before, len(migrations)


def _checkpoints(connection: psycopg.Connection[Any]) -> None:
    """Make LangGraph's tables as its own migrations do, but within the transaction: no index is made beside others."""
    connection.execute(PostgresSaver.MIGRATIONS[0])
    row = connection.execute("SELECT max(v) FROM checkpoint_migrations").fetchone()
    done = -1 if row is None or row[0] is None else int(row[0])
    for number, script in enumerate(PostgresSaver.MIGRATIONS[done + 1 :], start=done + 1):
        connection.execute(script.replace(" CONCURRENTLY", "").encode())
        connection.execute("INSERT INTO checkpoint_migrations(v) VALUES(%s) ON CONFLICT DO NOTHING", (number,))


def _check(url: str, migrations: Sequence[str]) -> None:
    place = place_of(url)
    with connect(url, place) as connection:
        try:
            _refuse_old_server(connection, place)
            version = version_of(connection)
            _refuse_newer(place, version, len(migrations))
            if version == 0:
                raise StorageError(f"the database {place} has none of Weft's tables yet: run `weft migrate`")
            if version < len(migrations):
                raise StorageError(
                    f"the tables of {place} are of an earlier Weft (schema {version}, this one has {len(migrations)}): "
                    "run `weft migrate`"
                )
            row = connection.execute("SELECT max(v) FROM checkpoint_migrations").fetchone()
            if row is None or row[0] is None or row[0] < len(PostgresSaver.MIGRATIONS) - 1:
                raise StorageError(f"the tables of {place} are of an earlier Weft: run `weft migrate`")
            _refuse_old_extension(connection, place)
        except psycopg.Error as error:
            raise translated(place, error) from error


def _refuse_newer(place: str, version: int, ours: int) -> None:
    if version > ours:
        raise StorageError(
            f"the tables of {place} were made by a newer Weft (schema {version}, this one knows {ours}): update Weft"
        )


def _refuse_old_server(connection: psycopg.Connection[Any], place: str) -> None:
    version = connection.info.server_version // 10_000
    if version < OLDEST_SERVER:
        raise StorageError(
            f"PostgreSQL at {place} is version {version}: Weft needs {OLDEST_SERVER} or later, upgrade the server"
        )


def _refuse_old_extension(connection: psycopg.Connection[Any], place: str) -> None:
    row = connection.execute("SELECT extversion FROM pg_extension WHERE extname='vector'").fetchone()
    if row is None:
        raise StorageError(_NO_EXTENSION.format(place=place))
    if tuple(int(part) for part in re.findall(r"\d+", row[0])[:2]) < OLDEST_EXTENSION:
        needed = ".".join(map(str, OLDEST_EXTENSION))
        raise StorageError(
            f"pgvector at {place} is version {row[0]}: Weft needs {needed} or later, install it on the server and run "
            "`ALTER EXTENSION vector UPDATE` there as a superuser"
        )
