"""Which pack is in force for a message: that of its thread, of its channel, or the usual one."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Protocol

from agent.language import say
from agent.packs.pack import Pack, Words
from agent.types import IncomingMessage, ThreadKey
from bot.audience import stands_for
from storage.contracts import ChannelPacks, Place
from storage.turns import StoredTurn


class Told(Protocol):
    """Knows the turns of a thread."""

    async def get(self, turn_id: str) -> StoredTurn | None:
        """Return a turn, or None."""
        ...

    async def last(self, thread: str, *, but: str) -> StoredTurn | None:
        """Return the latest turn of a thread, but this one."""
        ...


class Library(Protocol):
    """Knows what a team brought."""

    async def has_own(self) -> bool:
        """Tell whether there are documents besides those of packs."""
        ...


class PackChoice:
    """Chooses among the packs of this process; the first is the usual one."""

    def __init__(
        self, packs: Sequence[Pack], channels: ChannelPacks, turns: Told, library: Library | None = None
    ) -> None:
        self.packs: Mapping[str, Pack] = {pack.name: pack for pack in packs}
        """By name, as people should see them."""
        self._loaded = packs
        self._channels = channels
        self._turns = turns
        self._library = library

    @property
    def usual(self) -> Pack:
        """The pack where none is chosen."""
        return self.packs[self._loaded[0].name]

    async def refresh(self) -> None:
        """Take over that a sample has stepped back, also where another process ingested what it stepped back for."""
        if self._library is not None and any(pack.sample for pack in self._loaded):
            own = await self._library.has_own()
            self.packs = {pack.name: _stepped_back(pack) if own and pack.sample else pack for pack in self._loaded}

    async def of(self, message: IncomingMessage) -> str:
        """Return the name of the pack in force for a message: a thread keeps that which it began with."""
        await self.refresh()
        if len(self.packs) < 2:
            return self.usual.name
        return await self._kept(message) or await self.of_channel(message.key)

    async def of_channel(self, key: ThreadKey) -> str:
        """Return the name of the pack of a channel, which this process has loaded."""
        name = await self._channels.pack_of(channel_of(key))
        return name if name in self.packs else self.usual.name

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


def _stepped_back(pack: Pack) -> Pack:
    """Return a sample that advertises nothing of its own."""
    own = {part: Words.by(partial(say, f"own_{part}")) for part in ("title", "description")}
    return pack.model_copy(update={**own, "suggested_prompts": ()})


def channel_of(key: ThreadKey) -> Place:
    """Return the channel in which a thread stands; the console asks in one of another platform's."""
    platform, workspace = stands_for(key.platform, key.workspace_id)
    return Place(platform=platform, workspace=workspace, channel=key.channel_id)
