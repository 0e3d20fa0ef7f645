"""How long the steps of each team took, from the turns that were stored."""

import json
import time
from collections.abc import Callable, Iterator, Mapping
from statistics import median

from storage.sql import Connection, SqlDatabase

LATEST = 30
"""Turns that are looked at."""
FRESH = 60.0
"""Seconds for which what was read is used again."""
_STEPS = "SELECT response FROM turns ORDER BY rowid DESC LIMIT ?"


class SqlStepTimes:
    """The port `StepTimes` on `weft.db`."""

    def __init__(self, database: SqlDatabase, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._database = database
        self._clock = clock
        self._known: Mapping[str, float] = {}
        self._read_at: float | None = None

    async def typical(self) -> Mapping[str, float]:
        """Return the median milliseconds of a step by its team; a team without any in the latest turns is not there."""
        if self._read_at is None or self._clock() - self._read_at >= FRESH:
            self._known = await self._database.read(_medians)
            self._read_at = self._clock()
        return self._known


def _medians(connection: Connection) -> Mapping[str, float]:
    taken: dict[str, list[float]] = {}
    for (response,) in connection.execute(_STEPS, (LATEST,)):
        for team, ms in _taken(response):
            taken.setdefault(team, []).append(max(0.0, ms))
    return {team: median(each) for team, each in taken.items()}


def _taken(response: str) -> Iterator[tuple[str, float]]:
    """Yield the team and the milliseconds of every step that came to its end."""
    try:
        steps = json.loads(response)["plan"]["steps"]
    except (ValueError, KeyError, TypeError):  # a damaged row, or a turn without a plan
        return
    for step in steps:
        begun, ended = step.get("started_at"), step.get("completed_at")
        if step.get("status") == "completed" and begun is not None and ended is not None:
            yield step["team"], (ended - begun) * 1000
