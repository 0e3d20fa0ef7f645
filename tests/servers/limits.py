"""Limits as the platforms have them: so many calls at once, and so many a second after that."""

import time
from dataclasses import dataclass, field


@dataclass
class Bucket:
    """Holds `burst` calls, and fills up again with `per_second`."""

    burst: int
    per_second: float
    left: float = field(init=False)
    accepted: int = 0
    refused: int = 0

    def __post_init__(self) -> None:
        self.left = float(self.burst)
        self._at = time.monotonic()

    def take(self) -> float:
        """Take a call; returns 0, or the seconds until there is one."""
        now = time.monotonic()
        self.left = min(float(self.burst), self.left + (now - self._at) * self.per_second)
        self._at = now
        if self.left >= 1:
            self.left -= 1
            self.accepted += 1
            return 0.0
        self.refused += 1
        return (1 - self.left) / self.per_second

    @property
    def reset_after(self) -> float:
        """Seconds until it is full."""
        return (self.burst - self.left) / self.per_second
