"""The latest messages in memory, for tests: the same contract as the database."""

import time
from collections.abc import Callable, Mapping

from agent.types import ThreadKey


class MemoryLastHeard:
    def __init__(self, *, now: Callable[[], float] = time.time) -> None:
        self._now = now
        self._kept: dict[ThreadKey, tuple[str, float]] = {}

    async def of(self, platform: str) -> Mapping[ThreadKey, str]:
        return {place: message for place, (message, _) in self._kept.items() if place.platform == platform}

    async def put(self, heard: Mapping[ThreadKey, str]) -> None:
        self._kept |= {place: (message, self._now()) for place, message in heard.items()}

    async def prune(self, *, older_than: float) -> int:
        old = [place for place, (_, at) in self._kept.items() if at < older_than and place.channel_id]
        for place in old:
            del self._kept[place]
        return len(old)
