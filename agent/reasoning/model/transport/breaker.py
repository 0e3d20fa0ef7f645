"""When an endpoint is left alone, and how many calls it gets at once."""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from agent.reasoning.model.transport.failures import NotAskedError

log = logging.getLogger(__name__)

_LASTING, _PASSING = 5, 2
"""How much a failure counts: five that may pass as much as two others. One of those costs a turn its time, or goes on
until somebody mends it; an endpoint that fails now and then still answers most questions."""
_ALIVE = 5.0
"""Seconds after an answer for which an endpoint is not thought to be down. Of many calls at once those that fail slowly
end together, however many others are answered."""


class Breaker:
    """Leaves an endpoint alone for `rest` seconds after `failures` calls in a row have failed, or more that may pass.

    Not while it has just answered another call.
    Then one call may try; while it does, the others still stay away. Calls that began before the state
    changed last say nothing about it: what was under way when the endpoint went down cannot make the
    rest longer, nor end it. That a rest begins is logged, and that the endpoint answers again; not every longer rest.
    """

    def __init__(self, *, failures: int = 2, rest: float = 30.0, clock: Callable[[], float] = time.monotonic) -> None:
        self._limit = failures * _LASTING
        self._rest = rest
        self._clock = clock
        self._failures = 0
        self._answered_at = float("-inf")
        self._resting_until: float | None = None
        """None: the endpoint is in use."""
        self._trying = False
        self._era = 0

    @property
    def resting(self) -> bool:
        """Whether a call would be turned away now."""
        return self._resting_until is not None and (self._trying or self._clock() < self._resting_until)

    def attempt(self) -> "Attempt | None":
        """Return what a call tells its outcome to; None when it may not be made."""
        if self.resting:
            return None
        self._trying = self._resting_until is not None
        return Attempt(self, self._era)

    def _hear(self, era: int, *, success: bool | None, weight: int = _LASTING) -> None:
        if era != self._era:
            return
        trial = self._trying
        if success:
            self._failures = 0
            self._answered_at = self._clock()
            if trial:
                self._turn(None)
                log.warning("The model endpoint answers again.", extra={"action": "model_back"})
        elif success is None:
            self._trying = False
        else:
            self._failures += weight
            down = self._failures >= self._limit and self._clock() - self._answered_at >= _ALIVE
            if trial or down:
                self._turn(self._clock() + self._rest)
            if down and not trial:
                words = "The model endpoint is left alone: it is tried again every %.0f seconds when it is needed."
                log.warning(words, self._rest, extra={"action": "model_away"})

    def _turn(self, resting_until: float | None) -> None:
        self._resting_until = resting_until
        self._trying = False
        self._era += 1


class Attempt:
    """One call, as the breaker sees it."""

    def __init__(self, breaker: Breaker, era: int) -> None:
        self._breaker = breaker
        self._era = era

    def succeeded(self) -> None:
        """Note that the endpoint works."""
        self._breaker._hear(self._era, success=True)

    def failed(self, *, passing: bool = False) -> None:
        """Note that the call came to nothing; `passing`: in a way that the next one may not."""
        self._breaker._hear(self._era, success=False, weight=_PASSING if passing else _LASTING)

    def abandoned(self) -> None:
        """Note that nothing was learned: another call may try."""
        self._breaker._hear(self._era, success=None)


class Gate:
    """Lets `places` calls through at once; the others wait in the order in which they came.

    Nobody waits longer than `patience` seconds, and no more than `queue` calls wait at all.
    """

    def __init__(self, *, places: int = 16, queue: int = 64, patience: float = 10.0) -> None:
        self._places = asyncio.Semaphore(places)
        self._queue = queue
        self._patience = patience
        self._waiting = 0

    @asynccontextmanager
    async def place(self) -> AsyncIterator[None]:
        """Hold one place. Raises NotAskedError when none becomes free in time."""
        if self._places.locked() and self._waiting >= self._queue:
            raise NotAskedError("The model has too many calls waiting.")
        self._waiting += 1
        try:
            async with asyncio.timeout(self._patience):
                await self._places.acquire()
        except TimeoutError:
            raise NotAskedError("The model was busy with other calls for too long.") from None
        finally:
            self._waiting -= 1
        try:
            yield
        finally:
            self._places.release()
