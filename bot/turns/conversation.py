"""Where messages come in: the intake of every adapter, durable first, then anything else."""

import time
from collections.abc import Mapping, Sequence
from typing import Protocol

from adapters.contract import TodoList
from adapters.handing import HAND, TURN
from agent.language.lexicon import words
from agent.packs.pack import PeopleSpec
from agent.reasoning.message.smalltalk import small_talk
from agent.text import normalise
from agent.types import (
    Author,
    ChannelMode,
    DeliveryRef,
    IncomingMessage,
    MessageKind,
    Overlap,
    Rating,
    ThreadKey,
    turn_id_of,
)
from bot.turns.hearing import order_in, place_of
from storage.contracts import ChannelModes, Inbox, LastHeard, Rates, Ratings
from storage.gaps import is_alone
from storage.turns import StoredTurn

STOP_WORDS = words("conduct.stop")
CONSOLE = "console"
"""The platform of whoever sits at the machine: no rate holds there."""
HEARD_SECONDS = 30 * 86_400.0
"""How long it is kept how far a silent place was heard; nobody answers what is older."""


class Posted(Protocol):
    """Knows what was posted for which turn."""

    async def turn_of(self, posted: DeliveryRef) -> str | None:
        """Return the turn that a message belongs to."""
        ...


class Answered(Protocol):
    """Keeps what came of turns."""

    async def get(self, turn_id: str) -> StoredTurn | None:
        """Return a turn, or None."""
        ...


class Conversation:
    """The intake of every adapter (`adapters.contract.Intake`)."""

    def __init__(
        self,
        inbox: Inbox,
        modes: ChannelModes,
        posted: Posted | None = None,
        ratings: Ratings | None = None,
        *,
        heard: LastHeard | None = None,
        answered: Answered | None = None,
        rates: Rates | None = None,
        burst_seconds: float = 4.0,
        people: PeopleSpec | None = None,
    ) -> None:
        self._answered = answered
        self._heard = heard
        self._inbox = inbox
        self._people = people or PeopleSpec()
        self._rates = rates
        self._burst_seconds = burst_seconds
        self._modes = modes
        self._posted = posted
        self._ratings = ratings

    async def accept(self, message: IncomingMessage, *, hold: float = 0.0) -> bool:
        """Store the message durably; False for one that was accepted before. Raises StorageError.

        A word like "stop" stops what runs in its thread, and "never mind" what its author asked there; where nothing
        runs it is a message like any other. What follows a message that is still to come is kept for some minutes
        (`storage.contracts.Inbox.add`).
        """
        wants_stop = message.kind is MessageKind.STOP or normalise(message.text).lower().strip(".! ") in STOP_WORDS
        said_to_weft = message.kind in (MessageKind.MENTION, MessageKind.DIRECT)
        takes_back = not wants_stop and said_to_weft and small_talk(message.text) == "closing"
        only = message.author if takes_back else None
        if (wants_stop or takes_back) and message.key.thread_id and await self._inbox.stop(message.key, only=only):
            # Remembered, so that the same event, heard twice or redelivered, is not taken for a question.
            return await self._inbox.note(message)
        if message.kind is MessageKind.STOP:
            return False
        order = order_in(message)
        unheard = message.kind is not MessageKind.DELETE and not message.private and order is None
        mode, overlap = await self._modes.conduct_of(place_of(message.key))
        if unheard and mode is ChannelMode.OFF:
            return False
        if order is not None:
            return await self._inbox.add(message, hold=hold)
        return await self._inbox.add(
            message,
            hold=hold,
            burst=self._burst_seconds if overlap is Overlap.BURST else 0.0,
            joins_only=message.kind is MessageKind.CHANNEL and mode is not ChannelMode.ALL,
            replaces=overlap is Overlap.REPLACE,
            rates=self._rates if message.key.platform != CONSOLE else None,
        )

    async def let_go(self, message: IncomingMessage) -> None:
        """Let the turn of a message that is held begin. Raises StorageError."""
        await self._inbox.let_go(message)

    async def takes_part(self, key: ThreadKey) -> bool:
        """Tell whether Weft has been asked something in this thread."""
        return await self._inbox.knows(key)

    async def hears(self, key: ThreadKey, by: str = "") -> MessageKind | None:
        """Return as what a message that calls nobody is to be handed in; None: thread and mode say that it is not."""
        mode = await self._modes.mode_of(place_of(key))
        if mode is ChannelMode.OFF:
            return None
        if await self.takes_part(key):
            return MessageKind.THREAD_REPLY
        if mode is ChannelMode.ALL or await self._goes_on(key, by):
            return MessageKind.CHANNEL
        return None

    async def follows(self, posted: DeliveryRef) -> ThreadKey | None:
        """Return the conversation that a reply goes on with, where its place has no threads."""
        turn = await self._posted.turn_of(posted) if self._posted is not None else None
        return await self._inbox.thread_of(turn) if turn is not None else None

    async def thread_of(self, key: ThreadKey, message_id: str) -> ThreadKey | None:
        """Return the conversation that a message was accepted for."""
        return await self._inbox.thread_of(turn_id_of(key, message_id))

    async def is_off(self, key: ThreadKey) -> bool:
        """Tell whether nothing is answered in the channel of this thread."""
        return await self._modes.mode_of(place_of(key)) is ChannelMode.OFF

    async def last_heard(self, platform: str) -> Mapping[ThreadKey, str]:
        """Return the id of the latest message heard in each place; of places of long ago none is known any more."""
        if self._heard is None:
            return {}
        await self._heard.prune(older_than=time.time() - HEARD_SECONDS)
        return await self._heard.of(platform)

    async def note_heard(self, heard: Mapping[ThreadKey, str]) -> None:
        """Keep how far places were heard."""
        if self._heard is not None:
            await self._heard.put(heard)

    async def accepted_in(self, place: ThreadKey, *, since: float) -> Sequence[IncomingMessage]:
        """Return what people wrote in a channel and its threads that was accepted since and is not deleted."""
        return await self._inbox.accepted_in(place, since=since)

    async def plan_of(self, posted: DeliveryRef) -> TodoList | None:
        """Return the steps of the turn that a message of Weft's belongs to; None where none are kept."""
        turn = await self._posted.turn_of(posted) if self._posted is not None else None
        kept = await self._answered.get(turn) if turn is not None and self._answered is not None else None
        if kept is None or kept.response.plan is None:
            return None
        return TodoList(steps=kept.response.plan.steps, language=kept.response.language, status="done")

    async def _goes_on(self, key: ThreadKey, by: str) -> bool:
        """Tell whether somebody is typing a question line by line, at the top of this channel."""
        if not by or await self._modes.overlap_of(place_of(key)) is not Overlap.BURST:
            return False
        line = IncomingMessage(
            key=key, event_id="", message_id=key.thread_id, author=Author(id=by), text="", kind=MessageKind.CHANNEL,
            received_at=0.0,
        )  # fmt: skip
        return await self._inbox.is_typing(line)

    async def rate(self, answer: DeliveryRef | str, rating: Rating) -> bool:
        """Keep what somebody thinks of an answer, named by one of its messages or its turn; False where it is none."""
        if self._ratings is None or self._posted is None:
            return False
        turn = answer if isinstance(answer, str) else await self._posted.turn_of(answer)
        if turn is None:
            return False
        await self._ratings.put(turn, rating)
        if rating.helpful is False:
            await self._offer_people(turn, rating)
        return True

    async def _offer_people(self, turn: str, rating: Rating) -> None:
        """Have it offered below an answer that somebody calls not helpful, once, that a person be asked."""
        key = await self._inbox.thread_of(turn)
        if key is None or not self._people.on(key.platform) or is_alone(str(key)):
            return
        wish = IncomingMessage(
            key=key, event_id=f"{key.platform}:{turn}:person_offer", message_id=f"{turn}:person_offer",
            author=Author(id=rating.user), text="", kind=MessageKind.BUTTON, received_at=time.time(),
            extra={HAND: "offer", TURN: turn},
        )  # fmt: skip
        await self._inbox.add(wish)
