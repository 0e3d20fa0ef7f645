"""How many edits Slack takes in a minute, and what of them drafts may use."""

import time
from collections import deque
from collections.abc import Callable

# https://docs.slack.dev/apis/web-api/rate-limits: chat.update is a method of tier 3, 50 calls a minute and workspace.
_WINDOW = 60.0
FOR_DRAFTS = 30
"""Edits in the last minute, whatever they were for, from which on drafts wait: the rest is for lists and answers."""


class EditBudget:
    """Counts the edits of this process. A draft is worth less than the list or an answer, of any turn."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._spent: deque[float] = deque(maxlen=FOR_DRAFTS)

    def spend(self) -> None:
        """Note an edit."""
        self._spent.append(self._clock())

    def pause(self) -> float:
        """Return for how many seconds no draft should be sent; 0 when one may be."""
        if len(self._spent) < FOR_DRAFTS:
            return 0.0
        return max(0.0, self._spent[0] + _WINDOW - self._clock())
