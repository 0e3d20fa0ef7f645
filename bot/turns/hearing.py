"""What is heard in a channel: its mode, and what stands around a message that calls nobody."""

import re
from dataclasses import dataclass
from typing import Protocol

from adapters.contract import Adapter, Managed
from agent.language import say
from agent.text import normalise
from agent.types import Around, ChannelMode, IncomingMessage, Language, MessageKind, ThreadKey
from storage.contracts import ChannelModes, Inbox, Place

_ORDER = re.compile(
    r"(?:channel )?mode(?: ?[:=]? ?(?P<en>\w+))?|(?:채널 )?모드(?: ?[:=]? ?(?P<ko>[\w가-힣]+))?", re.IGNORECASE
)
_NAMES = {
    **{mode.value: mode for mode in ChannelMode},
    "mention": ChannelMode.MENTIONS, "threads": ChannelMode.THREAD, "questions": ChannelMode.ALL,
    "멘션": ChannelMode.MENTIONS, "스레드": ChannelMode.THREAD, "전체": ChannelMode.ALL, "모두": ChannelMode.ALL,
    "끄기": ChannelMode.OFF,
}  # fmt: skip
_MEANINGS = {
    ChannelMode.MENTIONS: "mode_mentions", ChannelMode.THREAD: "mode_thread",
    ChannelMode.ALL: "mode_all", ChannelMode.OFF: "mode_off",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Order:
    """What somebody says about the mode of their channel; without a mode they ask for it."""

    mode: ChannelMode | None


class Ended(Protocol):
    """Knows when a thread was answered last."""

    async def last_at(self, thread: str) -> float | None:
        """Return when the last turn of a thread ended, in seconds since the epoch; None where there is none."""
        ...


def place_of(key: ThreadKey) -> Place:
    """Return the channel in which a thread stands."""
    return Place(platform=key.platform, workspace=key.workspace_id, channel=key.channel_id)


def order_in(message: IncomingMessage) -> Order | None:
    """Return what a message says about the mode of its channel: `@Weft mode mentions`; None where it is about else."""
    if message.private or message.kind not in (MessageKind.MENTION, MessageKind.EDIT):
        return None
    found = _ORDER.fullmatch(normalise(message.text).rstrip(".!? "))
    if found is None:
        return None
    name = (found["en"] or found["ko"] or "").lower()
    return Order(_NAMES.get(name)) if not name or name in _NAMES else None


class Hearing:
    """Knows what is heard where."""

    def __init__(self, modes: ChannelModes, inbox: Inbox, turns: Ended) -> None:
        self._modes = modes
        self._inbox = inbox
        self._turns = turns

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
        """Set the mode of a channel, or tell it; returns what to say. Raises DeliveryError."""
        place = place_of(message.key)
        if order.mode is None:
            return _told("mode_is", await self._modes.mode_of(place), language)
        if not isinstance(adapter, Managed) or not await adapter.may_manage(message):
            return say("mode_refused", language)
        await self._modes.set(place, order.mode)
        return _told("mode_set", order.mode, language)


def _told(key: str, mode: ChannelMode, language: Language) -> str:
    return say(key, language, mode=mode.value, meaning=say(_MEANINGS[mode], language))
