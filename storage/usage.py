"""What the model's calls cost: who, where, which model, how many tokens. Never a word of what was said."""

from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields
from typing import Literal, get_args

from storage.sql import Connection, SqlDatabase

By = Literal["user", "channel", "model", "day", "role"]


@dataclass(frozen=True, kw_only=True, slots=True)
class UsageRow:
    """One call. `at` in seconds since the epoch; `day` as 2026-03-31, in the operator's zone.

    `turn_id`, `user` and `channel` are empty for what belongs to no turn.
    """

    at: float
    day: str
    turn_id: str
    user: str
    channel: str
    model: str
    role: str
    """`large`, `small`, or `embedding`."""
    outcome: str
    """`ok`, `failed`, or `not_asked` where a limit or a resting endpoint kept it back."""
    tokens_in: int
    tokens_out: int
    tokens_cached: int
    """Of `tokens_in`."""
    estimated: bool
    """Whether the endpoint did not say all of it."""
    cost: float


@dataclass(frozen=True, kw_only=True, slots=True)
class UsageSum:
    """The calls of one user, channel, model, day or role. `calls` were sent, `fallbacks` were answered without."""

    name: str
    calls: int
    tokens_in: int
    tokens_out: int
    tokens_cached: int
    cost: float
    failures: int
    """Calls that came to nothing."""
    fallbacks: int
    """Failures, and calls that were not sent."""
    estimated: int
    """Calls whose tokens the endpoint did not tell."""


_COLUMNS = ",".join(f'"{field.name}"' for field in fields(UsageRow))
_PLACES = ",".join("?" * len(fields(UsageRow)))
_SPENT = """SELECT CAST(coalesce(SUM(tokens_in+tokens_out), 0) AS BIGINT), coalesce(SUM(cost), 0.0)
FROM usage WHERE day=? AND "user"<>''"""


def _sum(of: str) -> str:
    return f"CAST(SUM({of}) AS BIGINT)"


def _count(condition: str) -> str:
    return _sum(f"CASE WHEN {condition} THEN 1 ELSE 0 END")


_SUMS = ", ".join(
    (
        _count("outcome<>'not_asked'"),
        *(_sum(f"tokens_{of}") for of in ("in", "out", "cached")),
        "SUM(cost)",
        _count("outcome='failed'"),
        _count("outcome<>'ok'"),
        _sum("estimated"),
    )
)


class SqlUsage:
    """The calls in `weft.db`."""

    def __init__(self, database: SqlDatabase) -> None:
        self._database = database

    async def add(self, rows: Sequence[UsageRow]) -> None:
        """Store calls."""
        values = [astuple(row) for row in rows]
        sql = f"INSERT INTO usage({_COLUMNS}) VALUES({_PLACES})"
        await self._database.write(lambda c: c.executemany(sql, values).close())

    async def spent(self, day: str, *, user: str | None = None, channel: str | None = None) -> tuple[int, float]:
        """Return tokens and cost of a day's turns, of everybody or of one user or channel.

        What belongs to no user, such as the embeddings of documents, is not among them.
        """
        sql, values = _SPENT, [day]
        for name, value in (("user", user), ("channel", channel)):
            if value is not None:
                sql, values = f'{sql} AND "{name}"=?', [*values, value]
        tokens, cost = await self._database.read(lambda c: c.execute(sql, values).fetchone())
        return int(tokens), float(cost)

    async def of_turn(self, turn_id: str) -> Sequence[UsageRow]:
        """Return the calls of a turn, in their order."""
        sql = f"SELECT {_COLUMNS} FROM usage WHERE turn_id=? ORDER BY id"
        rows = await self._database.read(lambda c: c.execute(sql, (turn_id,)).fetchall())
        names = [field.name for field in fields(UsageRow)]
        return [UsageRow(**{**dict(zip(names, row, strict=True)), "estimated": bool(row[11])}) for row in rows]

    async def sums(self, since: str, by: By) -> Sequence[UsageSum]:
        """Return the calls from this day on; days in order, all else the most expensive first."""
        if by not in get_args(By):  # it becomes part of the statement
            raise ValueError(f"calls are not summed by {by!r}")
        order = "1" if by == "day" else "SUM(cost) DESC, SUM(tokens_in+tokens_out) DESC, 1"
        sql = f"""SELECT "{by}", {_SUMS} FROM usage WHERE day>=? GROUP BY "{by}" ORDER BY {order}"""

        def work(connection: Connection) -> list[UsageSum]:
            names = [field.name for field in fields(UsageSum)]
            return [
                UsageSum(**dict(zip(names, row, strict=True))) for row in connection.execute(sql, (since,)).fetchall()
            ]

        return await self._database.read(work)

    async def prune(self, before: str) -> int:
        """Delete the calls of days before this one; returns how many."""
        return await self._database.write(lambda c: c.execute("DELETE FROM usage WHERE day<?", (before,)).rowcount)
