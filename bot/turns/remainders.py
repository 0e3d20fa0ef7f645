"""What only an asker may read, beside the answer that their channel sees: offered to them, and shared when they say so.

The answer to the channel is never made from it. The fuller one is written by the rules, without a model, for the
asker's eyes, and kept with the turns, so that what is shared later is what its asker was shown.
"""

import asyncio
import hashlib
import logging
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Protocol

from adapters.contract import Adapter, Deliveries, Surveying
from adapters.sharing import SHARE, Remainder, Sharing
from agent.context import TurnRequest
from agent.errors import WeftError, where
from agent.events import FinalResponse
from agent.language import say
from agent.retrieval.search import KnowledgeBase
from agent.run import Agent
from agent.text import asked_in, normalise
from agent.types import (
    Audience,
    DeliveryRef,
    IncomingMessage,
    MessageKind,
    Response,
    ThreadKey,
    reference_of,
    turn_id_of,
)
from bot.audience import Memberships, alone, audience_of
from bot.turns.delivery import whispered
from storage.turns import SqlTurns, StoredTurn

logger = logging.getLogger(__name__)

ALONE = "~alone"
"""Ends the thread of a remainder, which is none of the conversation's, and the id of its message."""
SECONDS = 10.0
"""Until a remainder is given up: the answer that all see is what was asked for."""
_WORTH = {"not_found": 0, "passages": 1, "answer": 2}
"""What answers are compared by: a remainder of which Weft is less sure than of what all see is not offered."""
_OFFER, _SHARED = "offer", "shared"
"""Slots of a remainder: what its asker was shown, and the press that shared it."""


class Access(Memberships, Protocol):
    """Knows who may read what; asked anew for every message."""

    async def readers(self) -> Mapping[str, frozenset[str]]:
        """Return the readers of each collection that holds a document."""
        ...


class Remainders:
    """Makes remainders, offers them, and shares them."""

    def __init__(
        self,
        *,
        agent: Agent,
        access: Access,
        knowledge: KnowledgeBase,
        deliveries: Deliveries,
        turns: SqlTurns,
    ) -> None:
        self._agent = agent
        self._access = access
        self._knowledge = knowledge
        self._deliveries = deliveries
        self._turns = turns

    async def told(self, message: IncomingMessage, adapter: Adapter, response: Response) -> Response:
        """Return what all are told: an answer, or, where only the asker's own documents hold one, that they got it."""
        if response.response_type == "answer" or not await self._offered(message, adapter, response, better=True):
            return response
        words = say("answered_alone", response.language)
        return replace(
            response, answer=words, response_type="not_found", citations=(), nearest=(), warnings=(), confidence=0.0
        )

    async def beside(self, message: IncomingMessage, adapter: Adapter, response: Response) -> None:
        """Show the asker what they may read beyond an answer that all see; nothing where that holds no more."""
        await self._offered(message, adapter, response)

    async def _offered(
        self, message: IncomingMessage, adapter: Adapter, response: Response, *, better: bool = False
    ) -> bool:
        """Show the asker a remainder; False where there is none, or it cannot be shown. Twice it is not shown.

        `better`: only one of which Weft is surer than of what all would see. Whatever goes wrong leaves that as it is.
        """
        if not isinstance(adapter, Sharing) or not _may_have_more(message, response):
            return False
        try:
            remainder = await self._remainder(message, response, better=better)
            if remainder is None:
                return False
            turn_id, mark = _read(remainder.token)
            known = await self._deliveries.get(turn_id, _OFFER)
            if known is None or known.ref is None or known.digest != mark:
                await adapter.offer(message, remainder, self._deliveries)
                ref = DeliveryRef(channel_id=message.key.channel_id, message_id=_OFFER)
                await self._deliveries.record(turn_id, _OFFER, ref, mark)
        except Exception as error:  # whatever it was, the answer that all see stands
            about = {"action": "remainder_failed", "turn_id": message.turn_id}
            logger.warning("What only the asker may read was not offered: %s", where(error), extra=about)
            return False
        return True

    async def share(self, press: IncomingMessage, adapter: Adapter) -> None:
        """Post what was offered to whoever presses its button, where they asked. Raises DeliveryError, StorageError."""
        turn_id, mark = _read(press.extra[SHARE])
        stored = await self._turns.get(turn_id)
        if stored is None or _mark(stored.response) != mark:
            await whispered(adapter, press, say("share_over", asked_in("", press.locale)))
            return
        thread = ThreadKey.parse(stored.thread)
        press = replace(press, key=replace(thread, thread_id=thread.thread_id.removesuffix(ALONE)), private=False)
        why = await self._why_not(press, stored, adapter)
        if why:
            await whispered(adapter, press, say(why, stored.response.language))
            return
        ref = DeliveryRef(channel_id=press.key.channel_id, message_id=press.message_id)
        await self._deliveries.record(turn_id, _SHARED, ref, mark)
        await adapter.reply(press, self._deliveries).finish(_for_all(stored.response, press.author.name))
        if isinstance(adapter, Sharing):
            done = say("share_done", stored.response.language)
            await adapter.close_offer(press, _remainder_of(stored.response, done))

    async def _why_not(self, press: IncomingMessage, stored: StoredTurn, adapter: Adapter) -> str:
        """Return why a press shares nothing, as a key of the catalogue; nothing where it may.

        Guests may read along by now; where the press was made alone, only the place of the question tells.
        """
        if stored.asked_by != press.author.id:
            return "share_not_yours"
        if isinstance(adapter, Surveying):
            press = await adapter.surveyed(press)
        if press.guests:
            return "share_guests"
        asker = await audience_of(alone(press), self._access)
        return "" if await self._still_holds(stored.response, asker) else "share_closed"

    async def forget(self, message: IncomingMessage, adapter: Adapter) -> None:
        """Drop the remainder of a message that is gone, and what was shared of it. Raises DeliveryError."""
        turn_id = turn_id_of(message.key, message.message_id + ALONE)
        shared = await self._deliveries.get(turn_id, _SHARED)
        if shared is not None and shared.ref is not None:
            await adapter.erase(replace(message, message_id=shared.ref.message_id), self._deliveries)
        for slot in (_OFFER, _SHARED):
            await self._deliveries.forget(turn_id, slot)
        await self._turns.forget(turn_id)

    async def _remainder(self, message: IncomingMessage, response: Response, *, better: bool) -> Remainder | None:
        """Return what rests on documents that its asker may read, and not everybody in the channel; None: nothing."""
        room = await audience_of(message, self._access)
        held = await self._access.readers()
        if all(room.may_read(readers) for readers in held.values()):
            return None
        asker = await audience_of(alone(message), self._access)
        closed = {name for name, readers in held.items() if asker.may_read(readers) and not room.may_read(readers)}
        if not closed:
            return None
        fuller = await self._fuller(message, response, asker)
        own = {(each.collection, each.document_id) for each in fuller.citations if each.collection in closed}
        least = max(1, _WORTH[response.response_type] + better)
        if not own or _WORTH.get(fuller.response_type, 0) < least:
            return None
        await self._turns.put(
            StoredTurn(
                thread=str(_aside(message.key)),
                message_id=message.message_id + ALONE,
                asked_by=message.author.id,
                at=message.received_at,
                response=fuller,
            )
        )
        heading = say("more_alone", fuller.language, count=len(own))
        return replace(_remainder_of(fuller, heading), closed=message.guests)

    async def _fuller(self, message: IncomingMessage, response: Response, asker: Audience) -> Response:
        request = TurnRequest(
            turn_id=turn_id_of(message.key, message.message_id + ALONE),
            key=_aside(message.key),
            message_id=message.message_id + ALONE,
            asked_by=message.author.id,
            text=response.standalone_query or message.text,
            audience=asker,
            locale=message.locale or response.language,
            pack=response.pack,
            private=True,
        )
        async with asyncio.timeout(SECONDS):
            async for event in self._agent.run(request):
                if isinstance(event, FinalResponse):
                    return event.response
        raise WeftError("the turn ended without a response")

    async def _still_holds(self, response: Response, asker: Audience) -> bool:
        """Tell whether the asker may still read all that an answer cites, and finds it there as it was quoted."""
        quotes = {reference_of(each.collection, each.passage_id): each.quote for each in response.citations}
        now = {each.reference: each.text for each in await self._knowledge.passages(list(quotes), asker)}
        return all(quote in now.get(reference, "") for reference, quote in quotes.items())


def _may_have_more(message: IncomingMessage, response: Response) -> bool:
    """Tell whether an answer was looked for in the documents, in front of others, for somebody who is known."""
    looked_for = response.route in ("research", "contextualize") and response.clarification is None
    told = response.response_type in _WORTH and not response.files
    asked = bool(message.author.id) and message.kind is not MessageKind.SCHEDULED
    return looked_for and told and response.mode == "agent" and not message.private and asked


def _for_all(response: Response, author: str) -> Response:
    """Return a remainder as everybody sees it once its asker shared it: under their name."""
    name = re.sub(r"[^\w .-]", "", normalise(author)) or say("somebody", response.language)
    return replace(response, answer=f"_{say('shared_by', response.language, name=name)}_\n\n{response.answer}")


def _aside(key: ThreadKey) -> ThreadKey:
    return replace(key, thread_id=key.thread_id + ALONE)


def _remainder_of(response: Response, heading: str) -> Remainder:
    token = f"{response.turn_id}:{_mark(response)}:{response.language}"
    return Remainder(response=response, heading=heading, token=token)


def _read(token: str) -> tuple[str, str]:
    """Return the turn and the fingerprint in a token."""
    turn_id, _, rest = token.partition(":")
    return turn_id, rest.partition(":")[0]


def _mark(response: Response) -> str:
    """Return a fingerprint of what an asker was shown: of an edited question it is another."""
    return hashlib.sha256(response.answer.encode("utf-8", "replace")).hexdigest()[:8]
