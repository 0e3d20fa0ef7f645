"""Ratings in memory."""

from collections.abc import Sequence
from dataclasses import replace

from agent.types import REASON_CHARACTERS, Rating


class MemoryRatings:
    def __init__(self) -> None:
        self._kept: dict[tuple[str, str], Rating] = {}
        self.threads: dict[str, str] = {}

    async def put(self, turn_id: str, rating: Rating) -> None:
        known = self._kept.get((turn_id, rating.user))
        if known is not None and rating.at < known.at:
            return
        reason = rating.reason
        if reason is None and known is not None and known.helpful is rating.helpful:
            reason = known.reason
        if reason is not None:
            reason = replace(reason, text=reason.text.strip()[:REASON_CHARACTERS])
        self._kept[turn_id, rating.user] = replace(rating, reason=reason if rating.helpful is False else None)

    async def of(self, turn_id: str) -> Sequence[Rating]:
        found = [each for (turn, _), each in self._kept.items() if turn == turn_id and each.helpful is not None]
        return sorted(found, key=lambda each: (each.at, each.user))

    async def forget(self, user: str) -> int:
        platform, _, rest = user.partition(":")
        person = rest.rpartition(":")[2]
        gone = [
            (turn, who)
            for turn, who in self._kept
            if who == person and self.threads.get(turn, "").startswith(f"{platform}:")
        ]
        for key in gone:
            del self._kept[key]
        return len(gone)
