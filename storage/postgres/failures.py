"""What PostgreSQL refuses, in one line that says what to do; never a password, never what is stored."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import psycopg
from psycopg import errors
from psycopg.conninfo import conninfo_to_dict

from agent.errors import SettingsError, StorageError

SETTING = "WEFT_DATABASE_URL"
CONNECTIONS = 8
"""Connections that a process holds at most."""
_BUSY = ("too many clients", "too many connections", "remaining connection slots")
_STARTING = ("starting up", "shutting down", "not yet accepting connections", "in recovery mode")


def place_of(url: str) -> str:
    """Return where a database is, as it may be shown. Raises SettingsError for what is no address."""
    try:
        values: Mapping[str, Any] = conninfo_to_dict(url)
    except psycopg.ProgrammingError:
        raise SettingsError(f"{SETTING} is no address: write postgresql://USER:PASSWORD@HOST:5432/DATABASE") from None
    host, port = values.get("host") or values.get("hostaddr") or "localhost", values.get("port") or 5432
    return f"{host}:{port}/{values.get('dbname') or values.get('user') or ''}"


def is_lost(error: BaseException) -> bool:
    """Tell whether only the connection, or the moment, was bad: the same may be tried again."""
    if isinstance(error, errors.SerializationFailure | errors.DeadlockDetected):
        return True
    if isinstance(error, errors.AdminShutdown | errors.CrashShutdown | errors.CannotConnectNow):
        return True
    return type(error) in (psycopg.OperationalError, psycopg.InterfaceError) or isinstance(
        error, errors.lookup("08006") | errors.lookup("08003") | errors.lookup("25P03")
    )


def is_starting(error: psycopg.Error) -> bool:
    """Tell whether a server only needs a little time."""
    return isinstance(error, errors.CannotConnectNow) or any(word in str(error) for word in _STARTING)


def unconnected(place: str, error: psycopg.Error) -> StorageError:
    """Return the error for a server that gives no connection."""
    said = _line(error)
    if any(word in said for word in _BUSY):
        return StorageError(
            f"PostgreSQL at {place} takes no more connections: raise its max_connections, or run fewer processes "
            f"(each needs up to {CONNECTIONS})"
        )
    if "password" in said or "authentication failed" in said or "no pg_hba.conf entry" in said:
        return StorageError(f"PostgreSQL at {place} refuses the user or the password: correct {SETTING}")
    if "database" in said and "does not exist" in said:
        return StorageError(f"PostgreSQL has no database {place}: make it (`createdb`), or correct {SETTING}")
    return StorageError(f"PostgreSQL at {place} cannot be reached ({said}): start it, or correct {SETTING}")


def translated(place: str, error: psycopg.Error) -> StorageError:
    """Return what a statement raised as an error of ours."""
    if isinstance(error, errors.UndefinedTable | errors.UndefinedColumn | errors.UndefinedFunction):
        return StorageError(f"the tables of {place} are not those of this Weft: run `weft migrate`")
    if isinstance(error, errors.InsufficientPrivilege):
        return StorageError(f"the database user may not do all at {place} ({_line(error)}): make it the owner")
    if isinstance(error, errors.DiskFull):
        return StorageError(f"PostgreSQL at {place} has no room left: give it more")
    if is_lost(error):
        return StorageError(f"the connection to PostgreSQL at {place} was lost ({_line(error)}): see whether it runs")
    return StorageError(f"PostgreSQL at {place}: {type(error).__name__}")


def _line(error: psycopg.Error) -> str:
    """Return what the server says, in one line; of its details, which may quote a row, nothing."""
    said = str(error)
    with suppress(AttributeError):
        said = error.diag.message_primary or said
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    last = next((line for line in lines if "FATAL" in line), lines[0] if lines else type(error).__name__)
    return last.rpartition("FATAL:")[2].strip()[:200]
