"""Ratings in memory."""

from collections.abc import Sequence

from agent.types import Rating


class MemoryRatings:
    def __init__(self) -> None:
        self._kept: dict[tuple[str, str], Rating] = {}

    async def put(self, turn_id: str, rating: Rating) -> None:
        known = self._kept.get((turn_id, rating.user))
        if known is None or rating.at >= known.at:
            self._kept[turn_id, rating.user] = rating

    async def of(self, turn_id: str) -> Sequence[Rating]:
        found = [each for (turn, _), each in self._kept.items() if turn == turn_id and each.helpful is not None]
        return sorted(found, key=lambda each: (each.at, each.user))
