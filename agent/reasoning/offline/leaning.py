"""What it means for a message to depend on earlier turns."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Leaning:
    """How a message depends on earlier turns: `kind` says by what, `mark` is the word that does it."""

    kind: str
    mark: str = ""
    start: int = -1
    """Where the mark stands in the message."""
