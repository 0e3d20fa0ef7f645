"""Which pack is in force for a message: that of its thread, of its channel, or the usual one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from agent.packs.pack import Pack
from agent.types import IncomingMessage, ThreadKey
from bot.audience import stands_for
from storage.access import CollectionInfo
from storage.contracts import ChannelPacks, Place
from storage.turns import StoredTurn


@dataclass(frozen=True, slots=True)
class InForce:
    """The pack of a turn, and what it searches."""

    name: str = ""
    """Empty: the usual one."""
    collections: tuple[str, ...] = ()
    """Empty: as the pack says."""


class Told(Protocol):
    """Knows the turns of a thread."""

    async def get(self, turn_id: str) -> StoredTurn | None:
        """Return a turn, or None."""
        ...

    async def last(self, thread: str, *, but: str) -> StoredTurn | None:
        """Return the latest turn of a thread, but this one."""
        ...


class Held(Protocol):
    """Knows the collections that there are."""

    async def collections(self) -> Sequence[CollectionInfo]:
        """Return them by name."""
        ...


class PackChoice:
    """Chooses among the packs of this process; the first is the usual one."""

    def __init__(self, packs: Sequence[Pack], channels: ChannelPacks, turns: Told, held: Held) -> None:
        self.packs: Mapping[str, Pack] = {pack.name: pack for pack in packs}
        self._usual = packs[0].name
        self._channels = channels
        self._turns = turns
        self._held = held

    async def of(self, message: IncomingMessage) -> InForce:
        """Return what is in force for a message: a thread keeps the pack that it began with."""
        if len(self.packs) < 2:
            return InForce()
        return await self.named(await self._kept(message) or await self.of_channel(message.key))

    async def named(self, name: str) -> InForce:
        """Return a pack as it is in force: what belongs to other packs alone is not searched."""
        pack = self.packs.get(name)
        if pack is None or len(self.packs) < 2:
            return InForce()
        if pack.collections:
            return InForce(name)
        others = {each for other in self.packs.values() if other is not pack for each in belonging(other)}
        foreign = others - belonging(pack)
        mine = tuple(info.name for info in await self._held.collections() if info.name not in foreign)
        return InForce(name, mine or (name,))

    async def of_channel(self, key: ThreadKey) -> str:
        """Return the name of the pack of a channel, which this process has loaded."""
        name = await self._channels.pack_of(channel_of(key))
        return name if name in self.packs else self._usual

    async def set(self, key: ThreadKey, name: str) -> None:
        """Make a pack that of a channel."""
        await self._channels.set(channel_of(key), name)

    async def _kept(self, message: IncomingMessage) -> str:
        """Return the pack of the thread, where one was in force in it; in private there is one thread for all."""
        if message.private:
            return ""
        known = await self._turns.get(message.turn_id)
        known = known or await self._turns.last(str(message.key), but=message.turn_id)
        return known.response.pack if known is not None and known.response.pack in self.packs else ""


def belonging(pack: Pack) -> set[str]:
    """Return the collections that are a pack's: those of its documents, and those that it names."""
    return {pack.name, *pack.holdings(), *pack.collections}


def channel_of(key: ThreadKey) -> Place:
    """Return the channel in which a thread stands; the console asks in one of another platform's."""
    platform, workspace = stands_for(key.platform, key.workspace_id)
    return Place(platform=platform, workspace=workspace, channel=key.channel_id)
