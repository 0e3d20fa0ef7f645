"""The stores' statements as psycopg runs them, and the values that Python and PostgreSQL see differently."""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import psycopg
from psycopg import RawCursor, postgres
from psycopg.abc import Buffer
from psycopg.adapt import AdaptersMap, Dumper
from psycopg.pq import Format
from psycopg.types.string import StrDumperUnknown

from storage.sql import Connection, Rows, Values

EVERYTHING = "SET LOCAL weft.operator = 'on'"
"""Lets row-level security pass until the end of the transaction: for what serves no audience, such as an ingest."""
_LISTED = re.compile(r"\bIN \((SELECT (?:value|CAST\(value AS BIGINT\)) FROM json_each\((?:\?|:\w+)\))\)")
"""A list that comes as JSON."""
_ONE_MOMENT = f"BEGIN ISOLATION LEVEL REPEATABLE READ; {EVERYTHING}"


class _Truth(Dumper):
    """A bool as the number that the tables hold."""

    oid = postgres.types["int2"].oid

    def dump(self, obj: bool) -> Buffer:
        return b"1" if obj else b"0"


class _Text(StrDumperUnknown):
    """A text without the one character that PostgreSQL cannot store."""

    def dump(self, obj: str) -> Buffer | None:
        return super().dump(obj.replace("\0", "\ufffd"))


class Packed(bytes):
    """A value in the binary form of the type that the statement casts it to."""


class _Packed(Dumper):
    """Such a value, as it is."""

    format = Format.BINARY

    def dump(self, obj: Packed) -> Buffer:
        return obj


def adapters() -> AdaptersMap:
    """Return how values are written."""
    ours = AdaptersMap(psycopg.adapters)
    ours.register_dumper(bool, _Truth)
    ours.register_dumper(str, _Text)
    ours.register_dumper(Packed, _Packed)
    return ours


class Statements:
    """Implements `storage.sql.Connection`."""

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self._connection = connection

    def execute(self, statement: str, values: Values = (), /) -> Rows:
        """Run a statement."""
        text, names = translated(statement)
        cursor = RawCursor(self._connection)
        cursor.execute(text.encode(), _in_order(values, names) or None)
        return cursor

    def executemany(self, statement: str, values: Iterable[Sequence[Any]], /) -> Rows:
        """Run a statement for each of these values, without waiting for each."""
        text, names = translated(statement)
        cursor = RawCursor(self._connection)
        cursor.executemany(text.encode(), [_in_order(each, names) for each in values])
        return cursor

    def copy_in(self, statement: str, data: bytes) -> None:
        """Run a COPY that reads these bytes."""
        with self._connection.cursor().copy(statement.encode()) as copy:
            copy.write(data)


def copy_in(connection: Connection, statement: str, data: bytes) -> None:
    """Run a COPY on a connection of PostgreSQL's."""
    if not isinstance(connection, Statements):
        raise TypeError("COPY needs a connection to PostgreSQL")
    connection.copy_in(statement, data)


@lru_cache(maxsize=512)
def translated(statement: str) -> tuple[str, tuple[str, ...]]:
    """Return a statement with `$1` and on for its values, and their names where they have any.

    What is in a list is looked up in the index, an item at a time: left to itself PostgreSQL expects a hundred of
    them, and would rather read a table whole.
    """
    if statement == "BEGIN":
        return _ONE_MOMENT, ()
    statement = _LISTED.sub(r"= ANY(ARRAY(\1))", statement)
    out: list[str] = []
    names: list[str] = []
    place = count = 0
    while place < len(statement):
        character = statement[place]
        if character in "'\"":
            end = statement.index(character, place + 1) + 1  # a doubled quote is two texts, side by side
            out.append(statement[place:end])
            place = end
        elif character == "?":
            count += 1
            out.append(f"${count}")
            place += 1
        elif character == ":" and statement[place + 1 : place + 2].isalpha():
            end = place + 1
            while end < len(statement) and (statement[end].isalnum() or statement[end] == "_"):
                end += 1
            name = statement[place + 1 : end]
            if name not in names:
                names.append(name)
            out.append(f"${names.index(name) + 1}")
            place = end
        else:
            out.append(character)
            place += 1
    return "".join(out), tuple(names)


def _in_order(values: Values, names: tuple[str, ...]) -> Sequence[Any]:
    if isinstance(values, Mapping):
        return [values[name] for name in names]
    return values
