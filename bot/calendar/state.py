"""How the calendar is, in figures, for `/health`."""

import asyncio
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime

from agent.errors import StorageError
from bot.calendar.clock import due_at
from storage.contracts import Schedules

PAUSE = 10.0
"""Seconds for which what was read holds: whoever reaches Weft may ask, as often as they like."""
PATIENCE = 1.0
"""Seconds after which it is told without: `/health` answers also while a disk does not."""
OVERDUE = 60.0
"""Seconds after which what is due is late: the clock looks every ten."""


class CalendarState:
    """Reads the calendar now and then. `now` is in seconds since the epoch, `clock` goes on evenly."""

    def __init__(
        self, schedules: Schedules, *, now: Callable[[], float] = time.time, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._schedules = schedules
        self._now = now
        self._clock = clock
        self._read_at: float | None = None
        self._told: Mapping[str, object] | None = None

    async def told(self) -> Mapping[str, object] | None:
        """Return how many entries with a plan are on, paused and overdue, and when the next comes, in UTC.

        None while the database cannot be read.
        """
        moment = self._clock()
        if self._read_at is None or moment - self._read_at >= PAUSE:
            self._read_at = moment
            try:
                async with asyncio.timeout(PATIENCE):
                    self._told = await self._figures()
            except (StorageError, TimeoutError):  # the log has it from whoever needs the database
                self._told = None
        return self._told

    async def _figures(self) -> Mapping[str, object]:
        planned = [entry for entry in await self._schedules.all() if entry.plan is not None]
        now, on, due = self._now(), [], []
        for entry in planned:
            assert entry.plan is not None  # noqa: S101 - those without are left out above
            if not entry.paused:
                on.append(entry.plan.after(max(now, entry.since), entry.zone, since=entry.created))
                due.append(due_at(entry, now))
        return {
            "on": len(on),
            "paused": len(planned) - len(on),
            "overdue": sum(moment is not None and now - moment > OVERDUE for moment in due),
            "next": datetime.fromtimestamp(min(on), UTC).isoformat() if on else None,
        }
