"""How long the steps of each team took, from the turns that were stored."""

import sqlite3
import time
from collections.abc import Callable, Mapping
from statistics import median

from storage.database import Database

LATEST = 30
"""Turns that are looked at."""
FRESH = 60.0
"""Seconds for which what was read is used again."""
_STEPS = """
SELECT json_extract(step.value, '$.team'),
       (json_extract(step.value, '$.completed_at') - json_extract(step.value, '$.started_at')) * 1000
FROM (SELECT iif(json_valid(response), response, '{}') AS response FROM turns ORDER BY rowid DESC LIMIT ?) latest,
     json_each(latest.response, '$.plan.steps') step
WHERE json_extract(step.value, '$.status') = 'completed'
  AND json_extract(step.value, '$.started_at') IS NOT NULL AND json_extract(step.value, '$.completed_at') IS NOT NULL
"""


class SqliteStepTimes:
    """The port `StepTimes` on `weft.db`."""

    def __init__(self, database: Database, *, clock: Callable[[], float] = time.monotonic) -> None:
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


def _medians(connection: sqlite3.Connection) -> Mapping[str, float]:
    taken: dict[str, list[float]] = {}
    for team, ms in connection.execute(_STEPS, (LATEST,)):
        taken.setdefault(team, []).append(max(0.0, ms))
    return {team: median(each) for team, each in taken.items()}
