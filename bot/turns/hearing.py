"""What is heard in a channel: its mode, and what stands around a message that calls nobody."""

from dataclasses import dataclass
from typing import Protocol

from adapters.contract import Adapter, Managed
from agent.language import say
from agent.language.lexicon import mapping, patterns
from agent.text import normalise
from agent.types import Around, ChannelMode, IncomingMessage, Language, MessageKind, Overlap, ThreadKey
from bot.turns.packs import PackChoice
from storage.contracts import ChannelModes, Inbox, Place

_NAMES = {**{mode.value: mode.value for mode in (*ChannelMode, *Overlap)}, **mapping("conduct.mode_names")}
_MEANINGS = {
    ChannelMode.MENTIONS: "mode_mentions", ChannelMode.THREAD: "mode_thread",
    ChannelMode.ALL: "mode_all", ChannelMode.OFF: "mode_off",
    Overlap.QUEUE: "overlap_queue", Overlap.BURST: "overlap_burst", Overlap.REPLACE: "overlap_replace",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Order:
    """What somebody says about the mode of their channel, which messages are answered or how, or about its pack.

    Without one they ask for it.
    """

    mode: ChannelMode | Overlap | None
    pack: str | None = None
    """The name of a pack, empty to ask for it; None: it is the mode that is meant."""


class Ended(Protocol):
    """Knows when a thread was answered last."""

    async def last_at(self, thread: str) -> float | None:
        """Return when the last turn of a thread ended, in seconds since the epoch; None where there is none."""
        ...


def place_of(key: ThreadKey) -> Place:
    """Return the channel in which a thread stands."""
    return Place(platform=key.platform, workspace=key.workspace_id, channel=key.channel_id)


def order_in(message: IncomingMessage) -> Order | None:
    """Return what a message says about its channel: `@Weft mode mentions`, `pack medical`; None where it says else."""
    if message.private or message.kind not in (MessageKind.MENTION, MessageKind.EDIT):
        return None
    text = normalise(message.text).rstrip(".!? ")
    of_pack = next(filter(None, (order.fullmatch(text) for order in patterns("conduct.pack_order").values())), None)
    if of_pack is not None:
        return Order(None, pack=(of_pack["pack"] or "").lower())
    found = next(filter(None, (order.fullmatch(text) for order in patterns("conduct.mode_order").values())), None)
    if found is None:
        return None
    name = (found["mode"] or "").lower()
    if not name:
        return Order(None)
    return Order(mode_named(_NAMES[name])) if name in _NAMES else None


def mode_named(name: str) -> ChannelMode | Overlap:
    """Return what one of the names says: which messages are answered, or how those on top of each other are."""
    return Overlap(name) if name in set(Overlap) else ChannelMode(name)


class Hearing:
    """Knows what is heard where."""

    def __init__(self, modes: ChannelModes, inbox: Inbox, turns: Ended, packs: PackChoice | None = None) -> None:
        self._modes = modes
        self._inbox = inbox
        self._turns = turns
        self._packs = packs

    async def around(self, message: IncomingMessage) -> Around | None:
        """Return what stands around a message that calls nobody; None for one that is said to Weft."""
        if message.addressed:
            return None
        mode = await self._modes.mode_of(place_of(message.key))
        lines = await self._inbox.lines(message)
        last = await self._turns.last_at(str(message.key))
        me = message.author.id
        return Around(
            calls_others=bool(message.calls),
            replies_to_weft=message.replies_to_weft,
            only_settles=mode is ChannelMode.MENTIONS,
            names=tuple({line.author.name: None for line in lines if line.author.name and line.author.id != me}),
            since=tuple(line.author.id for line in lines if last is not None and line.at > last),
            minutes=None if last is None else max(0.0, (message.received_at - last) / 60),
        )

    async def carry_out(self, order: Order, message: IncomingMessage, adapter: Adapter, language: Language) -> str:
        """Set the mode or the pack of a channel, or tell it; returns what to say. Raises DeliveryError."""
        if order.pack is not None:
            return await self._pack(order.pack, message, adapter, language)
        place = place_of(message.key)
        if order.mode is None:
            told = [_told("mode_is", await self._modes.mode_of(place), language)]
            overlap = await self._modes.overlap_of(place)
            return " ".join([*told, say(_MEANINGS[overlap], language)] if overlap is not Overlap.QUEUE else told)
        if not isinstance(adapter, Managed) or not await adapter.may_manage(message):
            return say("mode_refused", language)
        if isinstance(order.mode, Overlap):
            await self._modes.set_overlap(place, order.mode)
        else:
            await self._modes.set(place, order.mode)
        return _told("mode_set", order.mode, language)

    async def _pack(self, name: str, message: IncomingMessage, adapter: Adapter, language: Language) -> str:
        if self._packs is None:
            return say("pack_only_one", language)
        names = ", ".join(self._packs.packs)
        if not name:
            return say("pack_is", language, pack=await self._packs.of_channel(message.key), names=names)
        if name not in self._packs.packs:
            return say("pack_unknown", language, pack=name, names=names)
        if not isinstance(adapter, Managed) or not await adapter.may_manage(message):
            return say("mode_refused", language)
        await self._packs.set(message.key, name)
        return say("pack_set", language, pack=name)


def _told(key: str, mode: ChannelMode | Overlap, language: Language) -> str:
    return say(key, language, mode=mode.value, meaning=say(_MEANINGS[mode], language))
