"""One pace for all turns of a process: what Slack refuses one of them, the others do not try meanwhile.

A limit is Slack's per method, and for posts per channel besides (https://docs.slack.dev/apis/web-api/rate-limits).
So calls go through lanes: a few at once as long as nothing is refused, and after a refusal one at a time, as often as
the documented limit allows.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TypeVar

from adapters.slack.api import patiently, slack_errors
from agent.errors import RateLimitedError

T = TypeVar("T")

AT_ONCE = 4
"""Calls of a lane that are under way while nothing was refused: so many may be refused before anybody knows."""
_INTERVALS = {"chat.postMessage": 1.0}
"""Seconds between two calls after a refusal: a post a second and channel."""
_USUAL = 1.2  # seconds; 50 calls a minute, as methods of tier 3 have it
_NARROW = 60.0  # seconds after the end of a refusal until several calls go at once again: Slack counts in minutes
_BY_CHANNEL = frozenset(("chat.postMessage",))


class Pace:
    """The lanes of one workspace."""

    def __init__(self, *, retry_pause: float) -> None:
        self._retry_pause = retry_pause
        self._lanes: dict[tuple[str, str], _Lane] = {}

    async def call(
        self,
        method: str,
        channel: str,
        attempt: Callable[[], Awaitable[T]],
        *,
        patient: bool = True,
        look: Callable[[], Awaitable[T | None]] | None = None,
    ) -> T:
        """Call Slack when it is this call's turn; its errors are raised as ours.

        Patient: over limits and outages, as `patiently` does, `look` too. Impatient: RateLimitedError at once, and
        without asking Slack, where others wait.
        """
        lane = self._lane(method, channel)

        async def once() -> T:
            async with lane.turn(patient):
                with slack_errors(method):
                    return await attempt()

        return await (patiently(once, pause=self._retry_pause, look=look) if patient else once())

    def closed(self, method: str, channel: str = "") -> float:
        """Return for how many seconds no impatient call should be made; 0 when one may be."""
        return self._lane(method, channel).closed

    def _lane(self, method: str, channel: str) -> "_Lane":
        key = method, channel if method in _BY_CHANNEL else ""
        if key not in self._lanes:
            for known in [each for each, lane in self._lanes.items() if lane.idle]:
                del self._lanes[known]
            self._lanes[key] = _Lane(_INTERVALS.get(method, _USUAL))
        return self._lanes[key]


class _Lane:
    """Calls that share a limit."""

    def __init__(self, interval: float) -> None:
        self._interval = interval
        self._door = asyncio.Lock()  # whoever comes first goes first
        self._places = asyncio.Semaphore(AT_ONCE)
        self._under_way = 0
        self._free_at = 0.0
        self._narrow_until = 0.0

    @property
    def idle(self) -> bool:
        """Whether nobody would miss it."""
        return not self._under_way and not self._door.locked() and self._clock() >= self._narrow_until

    @property
    def closed(self) -> float:
        """Seconds for which no call should be made that does not wait; 0 when one may be."""
        pause = max(0.0, self._free_at - self._clock())
        return pause or (self._interval if self._door.locked() else 0.0)

    @asynccontextmanager
    async def turn(self, patient: bool) -> AsyncIterator[None]:
        """Wait until a call may be made; inside it is made."""
        if not patient and (pause := self.closed) > 0:
            raise RateLimitedError("Slack wants no such call now.", retry_after=pause)
        self._under_way += 1
        try:
            async with self._door:
                await self._place()
                narrow = self._clock() < self._narrow_until
                if narrow:
                    async with self._counted():
                        yield
            if not narrow:
                async with self._counted():
                    yield
        finally:
            self._under_way -= 1

    async def _place(self) -> None:
        """Take a place while nothing is refused: one that a refusal has made free is not for the next at once."""
        while True:
            await self._until_free()
            await self._places.acquire()
            if self._free_at <= self._clock():
                return
            self._places.release()

    async def _until_free(self) -> None:
        while True:
            pause = self._free_at - self._clock()
            if pause <= 0:
                return
            await asyncio.sleep(pause)  # one that is under way may be refused meanwhile

    @asynccontextmanager
    async def _counted(self) -> AsyncIterator[None]:
        try:
            yield
        except RateLimitedError as limit:
            self._free_at = max(self._free_at, self._clock() + limit.retry_after)
            self._narrow_until = self._free_at + _NARROW
            raise
        finally:
            if self._clock() < self._narrow_until:
                self._free_at = max(self._free_at, self._clock() + self._interval)
            self._places.release()

    @staticmethod
    def _clock() -> float:
        return asyncio.get_running_loop().time()
