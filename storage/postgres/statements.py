"""The stores' statements as psycopg runs them, and the values that Python and PostgreSQL see differently."""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import psycopg
from psycopg import RawCursor, postgres
from psycopg.abc import Buffer
from psycopg.adapt import AdaptersMap, Dumper
from psycopg.types.string import StrDumperUnknown

from storage.sql import Rows, Values

EVERYTHING = "SET LOCAL weft.operator = 'on'"
"""Lets row-level security pass until the end of the transaction: for what serves no audience, such as an ingest."""
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


def adapters() -> AdaptersMap:
    """Return how values are written."""
    ours = AdaptersMap(psycopg.adapters)
    ours.register_dumper(bool, _Truth)
    ours.register_dumper(str, _Text)
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


@lru_cache(maxsize=512)
def translated(statement: str) -> tuple[str, tuple[str, ...]]:
    """Return a statement with `$1` and on for its values, and their names where they have any."""
    if statement == "BEGIN":
        return _ONE_MOMENT, ()
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
