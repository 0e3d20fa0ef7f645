"""How often a caller may be wrong about a secret."""

import time
from collections import OrderedDict
from collections.abc import Callable

_CALLERS = 10_000


class Guesses:
    """Counts the wrong guesses of each caller; after `most` one is free again every `every` seconds.

    Whoever is not known by then waits as well when right: else waiting would tell nothing from guessing on.
    """

    def __init__(self, *, most: int = 10, every: float = 6.0, clock: Callable[[], float] = time.monotonic) -> None:
        self._most = most
        self._every = every
        self._clock = clock
        self._free_at: OrderedDict[str, float] = OrderedDict()
        """When all guesses of a caller are forgotten, the longest silent first."""

    def wait(self, caller: str) -> float:
        """Return the seconds until the caller may try again; 0.0: now."""
        left = self._free_at.get(caller, 0.0) - self._clock()
        return max(0.0, left - (self._most - 1) * self._every)

    def wrong(self, caller: str) -> None:
        """Note a wrong guess."""
        self._free_at[caller] = max(self._free_at.pop(caller, 0.0), self._clock()) + self._every
        if len(self._free_at) > _CALLERS:
            self._free_at.popitem(last=False)
