"""When to leave an endpoint alone."""

import time
from collections.abc import Callable


class Breaker:
    """Leaves an endpoint alone for `rest` seconds after `failures` calls in a row have failed.

    Then one call may try; while it does, the others still stay away.
    """

    def __init__(self, *, failures: int = 2, rest: float = 30.0, clock: Callable[[], float] = time.monotonic) -> None:
        self._limit = failures
        self._rest = rest
        self._clock = clock
        self._failures = 0
        self._closed_until = float("-inf")

    def allows(self) -> bool:
        """Tell whether a call may be made now, and take the one trial after a rest."""
        if self._failures < self._limit:
            return True
        if self._clock() < self._closed_until:
            return False
        self._closed_until = self._clock() + self._rest
        return True

    def succeeded(self) -> None:
        """Note that the endpoint works."""
        self._failures = 0

    def failed(self) -> None:
        """Note that a call came to nothing."""
        self._failures += 1
        if self._failures >= self._limit:
            self._closed_until = self._clock() + self._rest
