"""How many calls of a method Slack takes in a minute, and what of them is used before it says no."""

import time
from collections import deque
from collections.abc import Callable

# https://docs.slack.dev/apis/web-api/rate-limits: limits are of a minute, for each method and workspace.
_WINDOW = 60.0
FOR_DRAFTS = 30
"""Edits (tier 3: 50 a minute) from which on drafts wait: the rest is for lists and answers."""
LISTS = 15
"""TODO lists of their own that are begun in a minute: each needs edits, one at the least to be brought to its end."""


class CallBudget:
    """Counts the calls of this process in the last minute, as far as `most`."""

    def __init__(self, most: int = FOR_DRAFTS, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._spent: deque[float] = deque(maxlen=most)
        self._most = most

    def spend(self) -> None:
        """Note a call."""
        self._spent.append(self._clock())

    def pause(self) -> float:
        """Return for how many seconds no call should be made that can be spared; 0 when one may be."""
        if len(self._spent) < self._most:
            return 0.0
        return max(0.0, self._spent[0] + _WINDOW - self._clock())
