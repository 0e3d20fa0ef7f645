"""Channel modes in memory (`storage.contracts.ChannelModes`), and threads that nobody wrote in."""

from collections.abc import Sequence
from dataclasses import replace

from agent.types import ChannelMode, IncomingMessage, Overlap
from storage.contracts import Line, Place


class MemoryChannelModes:
    def __init__(self) -> None:
        self._modes: dict[Place, ChannelMode] = {}
        self._overlaps: dict[Place, Overlap] = {}

    async def mode_of(self, place: Place) -> ChannelMode:
        whole = self._modes.get(replace(place, channel=""), ChannelMode.THREAD)
        return self._modes.get(place, whole)

    async def set(self, place: Place, mode: ChannelMode | None) -> None:
        self._modes.pop(place, None)
        if mode is not None:
            self._modes[place] = mode

    async def all(self) -> Sequence[tuple[Place, ChannelMode]]:
        return sorted(self._modes.items(), key=lambda item: (item[0].platform, item[0].workspace, item[0].channel))

    async def overlap_of(self, place: Place) -> Overlap:
        return self._overlaps.get(place, self._overlaps.get(replace(place, channel=""), Overlap.QUEUE))

    async def conduct_of(self, place: Place) -> tuple[ChannelMode, Overlap]:
        return await self.mode_of(place), await self.overlap_of(place)

    async def set_overlap(self, place: Place, overlap: Overlap | None) -> None:
        self._overlaps.pop(place, None)
        if overlap is not None:
            self._overlaps[place] = overlap

    async def overlaps(self) -> Sequence[tuple[Place, Overlap]]:
        return sorted(self._overlaps.items(), key=lambda item: (item[0].platform, item[0].workspace, item[0].channel))


class NoLines:
    async def lines(self, message: IncomingMessage, *, most: int = 50) -> Sequence[Line]:
        return []


class MemoryChannelPacks:
    def __init__(self) -> None:
        self._packs: dict[Place, str] = {}

    async def pack_of(self, place: Place) -> str:
        return self._packs.get(place, self._packs.get(replace(place, channel=""), ""))

    async def set(self, place: Place, pack: str | None) -> None:
        self._packs.pop(place, None)
        if pack is not None:
            self._packs[place] = pack

    async def all(self) -> Sequence[tuple[Place, str]]:
        return sorted(self._packs.items(), key=lambda item: (item[0].platform, item[0].workspace, item[0].channel))
