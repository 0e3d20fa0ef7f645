"""Log lines: a sentence, and behind it the facts that it came with."""

import logging
import time
from collections.abc import Callable

STRANGERS = frozenset(("slack_malformed", "slack_other_team", "slack_refused", "web_guessed", "web_refused"))
"""What anybody can cause, as often as they like."""
SPARED = 10
"""Lines of one kind in a minute."""

FACTS = ("action", "turn_id", "attempt")


class Lines(logging.Formatter):
    """One line a record; `extra` facts stand at its end, so that a turn can be found by its id."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        line = super().format(record)
        facts = " ".join(f"{name}={getattr(record, name)}" for name in FACTS if hasattr(record, name))
        return f"{line} [{facts}]" if facts else line


class Sparing(logging.Filter):
    """Leaves out what strangers cause again and again: a disk is sooner full than they are tired."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._minutes: dict[object, tuple[float, int]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Tell whether a line is logged; the first after some that were not says how many."""
        kind: object = getattr(record, "action", None)
        if kind not in STRANGERS:
            if record.name != "uvicorn.error" or record.levelno != logging.WARNING:
                return True
            kind = record.msg
        now = self._clock()
        begun, count = self._minutes.get(kind, (now, 0))
        left_out = 0
        if now - begun >= 60.0:
            begun, count, left_out = now, 0, max(0, count - SPARED)
        self._minutes[kind] = begun, count + 1
        if left_out:
            record.msg = f"{record.getMessage()} ({left_out} more such lines were left out)"
            record.args = None
        return count < SPARED
