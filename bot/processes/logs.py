"""Log lines: a sentence, and behind it the facts that it came with."""

import logging

FACTS = ("action", "turn_id", "attempt")


class Lines(logging.Formatter):
    """One line a record; `extra` facts stand at its end, so that a turn can be found by its id."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        line = super().format(record)
        facts = " ".join(f"{name}={getattr(record, name)}" for name in FACTS if hasattr(record, name))
        return f"{line} [{facts}]" if facts else line
