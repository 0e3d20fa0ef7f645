"""When to leave an endpoint alone."""

import time
from collections.abc import Callable


class Breaker:
    """Leaves an endpoint alone for `rest` seconds after `failures` calls in a row have failed.

    Then one call may try; while it does, the others still stay away. Calls that began before the state
    changed last say nothing about it: what was under way when the endpoint went down cannot make the
    rest longer, nor end it.
    """

    def __init__(self, *, failures: int = 2, rest: float = 30.0, clock: Callable[[], float] = time.monotonic) -> None:
        self._limit = failures
        self._rest = rest
        self._clock = clock
        self._failures = 0
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

    def _hear(self, era: int, *, success: bool | None) -> None:
        if era != self._era:
            return
        trial = self._trying
        if success:
            self._failures = 0
            if trial:
                self._turn(None)
        elif success is None:
            self._trying = False
        else:
            self._failures += 1
            if trial or self._failures >= self._limit:
                self._turn(self._clock() + self._rest)

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

    def failed(self) -> None:
        """Note that the call came to nothing."""
        self._breaker._hear(self._era, success=False)

    def abandoned(self) -> None:
        """Note that nothing was learned: another call may try."""
        self._breaker._hear(self._era, success=None)
