"""A question that the documents do not answer is put to people, and what they answer is kept when one of them says so.

Nothing is remembered between the steps but the cards that stand in the thread (`adapters.handing`): whichever process
takes a press finds them, and doing a step twice is doing it once.
"""

import logging
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation

from adapters.contract import Adapter, Deliveries, Managed, Readable
from adapters.handing import CALL, HAND, OFFER, TURN, Card, Handing
from agent.errors import UnreadableError, WeftError, where
from agent.language import say
from agent.language.lexicon import words
from agent.packs.pack import PeopleSpec
from agent.text import asked_in, clipped, normalise
from agent.types import IncomingMessage, MessageKind, Response, Said, ThreadKey
from bot.turns.delivery import whispered
from bot.turns.hearing import place_of
from storage.contracts import HumanAnswer, HumanAnswers
from storage.turns import SqlTurns, StoredTurn

logger = logging.getLogger(__name__)

ASK_WORDS = words("conduct.ask_person")
WEAK = frozenset({"not_found", "passages"})
"""Answers below which it is offered to ask people: nothing was found, or what was found is doubtful."""
MOST = 50
"""Messages of the thread among which the answer of people is looked for."""
LONGEST = 8_000
"""Characters of an answer that are kept."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Handover:
    """Puts questions to people, and keeps what they answer."""

    people: PeopleSpec
    deliveries: Deliveries
    turns: SqlTurns
    answers: HumanAnswers
    kept: Callable[[], Awaitable[object]]
    """Called when a new document is there."""

    def wants(self, message: IncomingMessage) -> bool:
        """Tell whether a message is no more than the wish that a person be asked."""
        asked = message.kind in (MessageKind.MENTION, MessageKind.DIRECT, MessageKind.THREAD_REPLY)
        return asked and normalise(message.text).lower().strip(".!? ") in ASK_WORDS and self._group(message) != ""

    async def offer(self, message: IncomingMessage, adapter: Adapter, response: Response) -> None:
        """Offer to ask people, below an answer that is none; that it fails is a warning: the answer stands."""
        weak = response.response_type in WEAK and response.clarification is None
        if not weak or message.private or not isinstance(adapter, Handing) or not self._group(message):
            return
        try:
            await self._offer(message, adapter, response)
        except WeftError as error:
            about = {"action": "person_not_offered", "turn_id": message.turn_id}
            logger.warning("It could not be offered to ask a person: %s", where(error), extra=about)

    async def in_words(self, message: IncomingMessage, adapter: Adapter) -> str:
        """Put the last question of a thread to people, and return what to say to who wants it. Raises DeliveryError."""
        language = asked_in(message.text, message.locale)
        if message.key.platform == "playground":
            return say("person_is", language, name=self._group(message))
        if message.private or not isinstance(adapter, Handing):
            return say("person_not_here", language)
        before = await self.turns.thread(str(message.key))
        if not before:
            return say("person_no_question", language)
        await self._call(before[-1], message, adapter)
        return say("person_asked", language)

    async def pressed(self, press: IncomingMessage, adapter: Adapter) -> None:
        """Do what a button says. Raises DeliveryError, StorageError."""
        stored = await self.turns.get(press.extra[TURN])
        group = self._group(press)
        if stored is None or not group or not isinstance(adapter, Handing):
            await whispered(adapter, press, say("person_over", asked_in("", press.locale)))
        elif press.private:
            await whispered(adapter, press, say("person_not_here", stored.response.language))
        elif press.extra[HAND] == "offer":
            await self._offer(_question(stored, press), adapter, stored.response)
        elif press.extra[HAND] == "ask":
            await self._call(stored, press, adapter)
        elif await self._may_keep(press, adapter, group):
            await self._keep(stored, press, adapter)
        else:
            await whispered(adapter, press, say("person_not_yours", stored.response.language))

    async def _offer(self, question: IncomingMessage, adapter: Handing, response: Response) -> None:
        if await self.deliveries.get(question.turn_id, CALL) is not None:
            return
        words = "person_offer" if response.response_type == "not_found" else "person_offer_doubt"
        card = Card(text=say(words, response.language), step="ask", label=say("person_ask", response.language))
        await adapter.show_card(question, OFFER, card, self.deliveries)

    async def _call(self, stored: StoredTurn, by: IncomingMessage, adapter: Handing) -> None:
        question, language = _question(stored, by), stored.response.language
        if not await self._is_called(question.turn_id):
            text = say("person_call", language, button=say("person_keep", language))
            card = Card(text=text, group=self._group(by), step="keep", label=say("person_keep", language))
            await adapter.show_card(question, CALL, card, self.deliveries)
        if await self.deliveries.get(question.turn_id, OFFER) is not None:
            await adapter.show_card(question, OFFER, Card(text=say("person_asked", language)), self.deliveries)

    async def _is_called(self, turn_id: str) -> bool:
        known = await self.deliveries.get(turn_id, CALL)
        return known is not None and known.ref is not None

    async def _may_keep(self, press: IncomingMessage, adapter: Adapter, group: str) -> bool:
        if isinstance(adapter, Handing) and await adapter.is_in_group(press, group):
            return True
        return isinstance(adapter, Managed) and await adapter.may_manage(press)

    async def _keep(self, stored: StoredTurn, press: IncomingMessage, adapter: Adapter) -> None:
        """Keep what was answered last, and say so where people were called."""
        language, question = stored.response.language, _question(stored, press)
        try:
            said = await self._answered(stored, press, adapter)
        except UnreadableError:
            await whispered(adapter, press, say("person_unreadable", language))
            return
        if not said:
            await whispered(adapter, press, say("person_no_answer", language))
            return
        name = _plain(said[-1].author.name) or say("somebody", language)
        date = datetime.fromtimestamp(said[0].at, UTC).date().isoformat()
        answer = HumanAnswer(
            id=question.turn_id,
            question=stored.response.standalone_query,
            text=clipped("\n\n".join(each.text for each in said), LONGEST),
            author=name,
            at=said[0].at,
            link=said[0].link,
            note=say("person_note", language, name=name, date=date),
        )
        await self.answers.keep(place_of(question.key), answer)
        if isinstance(adapter, Handing):
            told = Card(text=say("person_kept", language, name=name))
            await adapter.show_card(question, CALL, told, self.deliveries)
        await self.kept()

    async def _answered(self, stored: StoredTurn, press: IncomingMessage, adapter: Adapter) -> list[Said]:
        """Return what the last one wrote who is not the asker, since people were called. Raises UnreadableError."""
        called = await self.deliveries.get(press.extra[TURN], CALL)
        if called is None or called.ref is None or not isinstance(adapter, Readable):
            return []
        excerpt = await adapter.around(press, most=MOST)
        since = _number(called.ref.message_id)
        said = [
            each
            for each in excerpt.said
            if _number(each.id) > since
            and not each.by_bot
            and each.author.id != stored.asked_by
            and any(map(str.isalnum, each.text))
        ]
        return [each for each in said if each.author.id == said[-1].author.id]

    def _group(self, message: IncomingMessage) -> str:
        return self.people.on(message.key.platform)


def _question(stored: StoredTurn, by: IncomingMessage) -> IncomingMessage:
    """Return the message of a stored turn, as far as its place and turn go."""
    return replace(
        by, key=ThreadKey.parse(stored.thread), message_id=stored.message_id, private=False, kind=MessageKind.MENTION
    )


def _plain(name: str) -> str:
    return re.sub(r"[^\w .-]", "", normalise(name))[:80]


def _number(id: str) -> Decimal:
    """Return the id of a message as a number: on each platform a later one is larger."""
    try:
        return Decimal(id)
    except InvalidOperation:
        return Decimal(0)
