"""Who waits for an answer, and how many questions are before theirs: to be told, and not too often."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from agent.types import MessageKind
from storage.contracts import Waiting
from storage.overlap import LONGEST_DELAY, whole
from storage.payloads import readable
from storage.sql import Connection

TELLING_SECONDS = 10.0
"""For which nobody claims a message whose author is just being told: what is told never comes after the turn began."""
MOST_OF_THREAD = 5
"""Questions of a thread that are told how many are before them, those that come next."""

_ROWS = """
SELECT id, thread, status, kind, max(created, run_at), slot, stop, told, told_before FROM inbox
WHERE status IN ('todo','doing') AND platform IN (SELECT value FROM json_each(?)) AND open_until<=? ORDER BY id
"""
_SILENT = frozenset((MessageKind.EDIT, MessageKind.DELETE, MessageKind.BUTTON))


@dataclass(frozen=True, slots=True)
class _Row:
    id: int
    thread: str
    status: str
    kind: str
    since: float
    slot: float
    stop: int
    told: float
    told_before: int


def next_waiting(connection: Connection, platforms: str, now: float, *, after: float, every: float) -> Waiting | None:
    """Return a message whose author is to be told something new, and note that it is; a part of one transaction.

    `platforms`: a JSON list. `after`: seconds that a message waits before anything is told. `every`: between two words
    about the same one. One over its rate is told at once, and once, when it will be taken.
    """
    rows = [_Row(*row) for row in connection.execute(_ROWS, (platforms, now))]
    for row, before, seconds in _news(rows, now, after, every):
        payload = connection.execute("SELECT payload FROM inbox WHERE id=?", (row.id,)).fetchone()[0]
        message = readable(payload)
        said = "UPDATE inbox SET told=?, told_before=?, telling=? WHERE id=?"
        if message is None or not message.addressed:  # to nobody is shown that what they say may be heard
            connection.execute(said, (now, before, 0.0, row.id))
            continue
        connection.execute(said, (now, before, now + TELLING_SECONDS, row.id))
        return Waiting(id=row.id, message=whole(connection, message), before=before, seconds=seconds)
    return None


def _news(rows: Sequence[_Row], now: float, after: float, every: float) -> Iterator[tuple[_Row, int, float]]:
    """Yield what is to be told: the row, how many are before it, in how many seconds it is taken at the earliest."""
    lanes: dict[str, list[_Row]] = defaultdict(list)
    for row in rows:
        lanes[row.thread].append(row)
    # Of every thread that is free, the question that comes next: it may be claimed before one of another thread.
    nexts = {
        lane: min((row.id for row in waiting if row.since <= now), default=0)
        for lane, waiting in lanes.items()
        if all(row.status == "todo" for row in waiting)
    }
    firsts = sorted(first for first in nexts.values() if first)
    for lane, waiting in lanes.items():
        own = nexts.get(lane, 0)
        ready = [row for row in waiting if row.slot <= now]
        for ahead, row in enumerate(ready[: MOST_OF_THREAD + 1]):
            before = ahead + bisect_left(firsts, row.id) - (0 < own < row.id)
            waited, told = now - row.since, row.told and row.told <= now
            if row.status != "todo" or row.stop or row.kind in _SILENT or not before or waited < after:
                continue
            if told and (now - row.told < every or before == row.told_before):
                continue
            yield row, before, 0.0
        for row in waiting:
            if now < row.slot <= now + LONGEST_DELAY and not row.told and not row.stop and row.kind not in _SILENT:
                yield row, 0, row.slot - now
