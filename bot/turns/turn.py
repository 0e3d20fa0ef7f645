"""The life of one turn: from a message in the inbox to its answer on the platform.

A turn that was run and not delivered is delivered again, not run again. Whatever goes wrong, the
asker gets a word, and the log the cause, without what was said.
"""

import logging
import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Literal

from adapters.aside import as_aside
from adapters.contract import Adapter, Deliveries, Failure, Reply, TodoList, Whispering
from adapters.handing import HAND
from adapters.sharing import SHARE
from agent.context import TurnRequest
from agent.errors import (
    ClosedError,
    DeliveryError,
    GoneError,
    QuestionError,
    TurnTimeoutError,
    WeftError,
    where,
)
from agent.events import Event, FinalResponse
from agent.language import say
from agent.language.lexicon import regex
from agent.ports import Profiles
from agent.run import Agent
from agent.text import asked_in, normalise
from agent.types import (
    IncomingMessage,
    MessageKind,
    Response,
    Step,
    ThreadKey,
)
from bot.audience import Memberships, alone, audience_of
from bot.calendar.calendar import Calendar
from bot.turns.attachments import Attached, Attachments
from bot.turns.closing import Closing, status_of
from bot.turns.delivery import both, deliver, told_alone, whispered
from bot.turns.handover import Handover
from bot.turns.hearing import Hearing, order_in
from bot.turns.packs import PackChoice
from bot.turns.pointed_messages import Pointing
from bot.turns.progress import Progress
from bot.turns.recovery import recover
from bot.turns.remainders import Remainders
from bot.turns.rewording import records_of, reword, without
from storage.contracts import Checkpoints, Inbox, KeptFiles, Waiting
from storage.turns import SqlTurns, StoredTurn

logger = logging.getLogger(__name__)

Observer = Callable[[Event], None]

_FREELY = re.compile(rf"\s*/?{regex('conduct.free_words')}\s?[:：]\s*(?=\S)", re.IGNORECASE)
"""How a message begins that the model shall answer in its own words, on every platform."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Rules:
    """What holds for every turn."""

    pack: str
    question_limit: int
    choice_hours: float = 24.0
    """How long a question back waits for a click."""


class Turns:
    """Runs turns. One at a time per thread: the lane of the inbox sees to that."""

    def __init__(
        self,
        *,
        agent: Agent,
        adapters: Mapping[str, Adapter],
        deliveries: Deliveries,
        turns: SqlTurns,
        checkpoints: Checkpoints,
        memberships: Memberships,
        profiles: Profiles,
        rules: Rules,
        hearing: Hearing,
        attachments: Attachments | None = None,
        pointing: Pointing | None = None,
        calendar: Calendar | None = None,
        remainders: Remainders | None = None,
        handover: Handover | None = None,
        files: KeptFiles | None = None,
        inbox: Inbox | None = None,
        packs: PackChoice | None = None,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._agent = agent
        self._adapters = adapters
        self._deliveries = deliveries
        self._turns = turns
        self._memberships = memberships
        self._profiles = profiles
        self._checkpoints = checkpoints
        self._rules = rules
        self._hearing = hearing
        self._attachments = attachments
        self._pointing = pointing
        self._calendar = calendar
        self._remainders = remainders
        self._handover = handover
        self._files = files
        self._packs = packs
        self._inbox = inbox
        self._closing = Closing(
            agent=agent, deliveries=deliveries, turns=turns, inbox=inbox, choice_hours=rules.choice_hours
        )
        self._now = now
        self._steps: dict[str, tuple[Step, ...]] = {}
        """Of turns that were cut off, until they are ended."""
        self._delivering: set[str] = set()
        """Turns that have come to an answer, which is under way to the platform."""

    async def open_thread(self, message: IncomingMessage) -> ThreadKey:
        """Return the thread that answers the message, making it where there is none. Raises DeliveryError."""
        if message.kind in (MessageKind.EDIT, MessageKind.DELETE):
            return message.key
        return await self._adapter(message).open_thread(message, self._deliveries)

    async def run(
        self, message: IncomingMessage, observe: Observer | None = None, *, thought: Callable[[], object] = lambda: None
    ) -> bool:
        """Answer a message whose thread is open; False for one that is none of Weft's.

        `thought` is called when the answer is there, and has only to reach its platform. Raises WeftError for what may
        be tried again.
        """
        adapter = self._adapter(message)
        if SHARE in message.extra:
            if self._remainders is not None:
                await self._remainders.share(message, adapter)
            return True
        if self._calendar is not None:
            message = await self._calendar.surveyed(message, adapter)
        if message.kind is MessageKind.NOTICE:
            return await self._tell(message, adapter, observe)
        if HAND in message.extra:
            if self._handover is not None:
                await self._handover.pressed(message, adapter)
            return True
        rebuilt = await recover(str(message.key), agent=self._agent, checkpoints=self._checkpoints, turns=self._turns)
        if message.kind is MessageKind.DELETE:
            await self._forget(message, adapter)
            return True
        message = _by_mode(message)
        known = await self._turns.get(message.turn_id)
        if known is None and message.replaces is not None:  # nothing was answered: the new words are the question
            message = replace(message, kind=message.replaces, replaces=None)
        reply = adapter.reply(message, self._deliveries)
        if message.kind is MessageKind.EDIT:
            if known is None and not await self._deliveries.slots(message.turn_id):
                return False  # it was never a question to Weft
            await self._profiles.drop(message.turn_id)  # what the old words told
            await self._forget_words(message)
        elif known is not None:
            thought()
            with self._delivery(message):
                await both(self._deliver(reply, known.response, observe), self._closing.known(message, reply, known))
                if self._remainders is not None:
                    await self._remainders.beside(message, adapter, known.response)
            await self._closing.choices(message, adapter)
            if self._handover is not None:
                await self._handover.offer(message, adapter, known.response)
            return True
        order = order_in(message)
        if order is not None:
            said = await self._hearing.carry_out(order, message, adapter, asked_in(message.text, message.locale))
            await self._deliver(reply, self._plain(message, said), observe)
            return True
        if self._calendar is not None:
            told = await self._calendar.carried_out(message, adapter)
            if told is not None:
                await self._deliver(reply, self._plain(message, told), observe)
                return True
        if self._handover is not None and self._handover.wants(message):
            said = await self._handover.in_words(message, adapter)
            await self._deliver(reply, self._plain(message, said), observe)
            return True
        late = isinstance(adapter, Whispering) and await self._closing.is_over(message, self._now())
        if late:
            await whispered(adapter, message, say("question_over", asked_in(message.text, message.locale)))
            return True
        if message.attachments and not normalise(message.text):
            if not message.addressed:
                await self._attached(message, adapter)  # for the questions that follow
                return True
            message = replace(message, text=say("attached_only", asked_in(message.text, message.locale)))
        return await self._answer(message, adapter, reply, observe, thought, rebuilt=rebuilt)

    async def answered(self, message: IncomingMessage) -> bool:
        """Tell whether the turn of this message has come to an answer, be it delivered or not."""
        if message.kind is MessageKind.EDIT and message.replaces is None:
            return False
        return await self._turns.get(message.turn_id) is not None

    def delivers(self, message: IncomingMessage) -> bool:
        """Tell whether the answer to this message is just being handed to its platform."""
        return message.turn_id in self._delivering

    async def show_waiting(self, waiting: Waiting) -> None:
        """Show why a turn has not begun, where its list will stand. Raises DeliveryError."""
        message = waiting.message
        adapter = self._adapter(message)
        message = replace(message, key=await self.open_thread(message))
        language = asked_in(message.text, message.locale)
        todo = TodoList(steps=(), language=language, before=waiting.before, starts_in=waiting.seconds)
        await adapter.reply(message, self._deliveries).show(todo)
        if adapter.capabilities.list_after <= 0:  # it may keep no record of its own
            await self._closing.note(message)

    async def retract(self, message: IncomingMessage) -> None:
        """Take down what a turn showed whose question another one takes the place of. Raises DeliveryError."""
        await self.settle(message)
        try:
            await self._adapter(message).erase(message, self._deliveries)
        except GoneError:
            logger.info("What was shown is gone.", extra={"action": "erase", "turn_id": message.turn_id})

    async def settle(self, message: IncomingMessage) -> None:
        """Wait until nothing that a turn was showing, when it was cut off, is under way any more."""
        self._steps.pop(message.turn_id, None)
        await self._adapter(message).settle(message)

    async def fail(
        self,
        message: IncomingMessage,
        key: str,
        observe: Observer | None = None,
        *,
        status: Literal["failed", "stopped"] = "failed",
    ) -> None:
        """Tell the asker, in the catalogue's words, that there will be no answer. Raises DeliveryError.

        Whoever did not call Weft, and has seen nothing of it, is told nothing.
        """
        if not message.addressed and not await self._deliveries.slots(message.turn_id):
            return
        text = say(key, asked_in(message.text, message.locale), turn_id=message.turn_id)
        if SHARE in message.extra or HAND in message.extra:
            await whispered(self._adapter(message), message, text)
            return
        reply = self._adapter(message).reply(message, self._deliveries)
        steps = self._steps.get(message.turn_id, ())
        await both(self._give_up(message, reply, text, key, observe), self._closing.list(message, reply, steps, status))
        self._steps.pop(message.turn_id, None)

    async def closed(self, message: IncomingMessage, error: ClosedError) -> None:
        """Tell the asker alone why nothing is answered there, and the answer. Raises DeliveryError."""
        if message.kind in (MessageKind.SCHEDULED, MessageKind.NOTICE):
            await self.gone(message, error)
            return
        if not message.addressed:
            return
        adapter = self._adapter(message)
        if isinstance(adapter, Whispering):
            response = await self._answer_alone(message, adapter)
            await adapter.whisper(message, told_alone(error, response, asked_in(message.text, message.locale)))

    async def _answer_alone(self, message: IncomingMessage, adapter: Adapter) -> Response | None:
        """Return the answer to a message that has no place; a command, whose thread could not be opened, is run now.

        As one that its asker put for their eyes alone. None where there is no answer.
        """
        known = await self._turns.get(message.turn_id)
        if known is not None or message.kind is not MessageKind.COMMAND:
            return known.response if known is not None else None
        aside = as_aside(alone(message))
        try:
            self._check(aside, adapter)
            language = asked_in(aside.text, aside.locale)
            async with Progress(adapter.reply(aside, self._deliveries), adapter.capabilities, language) as progress:
                response = await self._think(aside, adapter, progress, None)
        except QuestionError as error:
            return self._plain(aside, str(error))
        except WeftError as error:
            logger.error("A turn failed: %s", where(error), extra={"action": "turn_failed", "turn_id": aside.turn_id})
            return None
        await self._keep(aside, response)
        return response

    async def _keep(self, message: IncomingMessage, response: Response) -> None:
        """Store the answer to a message."""
        await self._turns.put(
            StoredTurn(
                thread=str(message.key),
                message_id=message.message_id,
                asked_by=message.author.id,
                at=self._now(),
                response=response,
            )
        )

    async def gone(self, message: IncomingMessage, error: GoneError) -> None:
        """Note that an answer has no place any more; who set a standing question may be told. Raises DeliveryError."""
        told = await self._calendar.missed(message, error) if self._calendar is not None else ""
        if told and message.author.id:
            await whispered(self._adapter(message), message, told)

    async def _tell(self, message: IncomingMessage, adapter: Adapter, observe: Observer | None) -> bool:
        """Post what Weft has to say by itself; False where there is nothing to say."""
        text = message.text
        if self._calendar is not None:
            audience = await audience_of(message, self._memberships)
            text = await self._calendar.told(message, audience, asked_in(message.text, message.locale))
        if not text:
            return False
        reply = adapter.reply(message, self._deliveries)
        await self._deliver(reply, self._plain(message, text), observe)
        return True

    async def _answer(
        self,
        message: IncomingMessage,
        adapter: Adapter,
        reply: Reply,
        observe: Observer | None,
        thought: Callable[[], object],
        *,
        rebuilt: bool,
    ) -> bool:
        try:
            self._check(message, adapter)
        except QuestionError as error:
            if message.addressed:
                await self._give_up(message, reply, str(error), str(error), observe)
            return message.addressed
        language, stands = asked_in(message.text, message.locale), await self._closing.stands(message)
        async with Progress(reply, adapter.capabilities, language, stands=stands) as progress:
            try:
                response = await self._think(message, adapter, progress, observe)
            except TurnTimeoutError:
                await progress.settle()
                self._steps[message.turn_id] = progress.steps
                await self.fail(message, "turn_timeout", observe)
                return True
            except BaseException:
                self._steps[message.turn_id] = progress.steps  # for the one who ends a turn that was cut off
                raise
            finally:
                await self._checkpoints.prune(str(message.key))
            self._steps.pop(message.turn_id, None)
            if not response.answer:  # nobody asked Weft anything
                await progress.settle()
                # Of an edit the answer before it stays; else nothing, also of an attempt that was cut off.
                before = await self._turns.get(message.turn_id)
                if message.kind is MessageKind.EDIT and before is not None:
                    await self._closing.known(message, reply, before)
                elif message.kind is not MessageKind.EDIT and await self._deliveries.slots(message.turn_id):
                    await adapter.erase(message, self._deliveries)
                return False
            if rebuilt:
                note = say("memory_rebuilt", response.language)
                response = replace(response, warnings=(note, *response.warnings))
            if message.kind is MessageKind.EDIT:
                response = replace(response, answer=f"{response.answer}\n\n_{say('updated', response.language)}_")
            if self._calendar is not None:
                response = await self._calendar.compared(message, response)
            remainders, found = self._remainders, response
            if remainders is not None:
                response = await remainders.told(message, adapter, found)
            with self._delivery(message):
                await self._keep(message, response)
                thought()
                if self._calendar is not None:
                    await self._calendar.answered(message)
                await progress.settle()
                await both(self._deliver(reply, response, observe), progress.close(status_of(response)))
                if remainders is not None and response is found:
                    await remainders.beside(message, adapter, response)
            await self._closing.choices(message, adapter)
            if self._handover is not None:
                await self._handover.offer(message, adapter, response)
        return True

    @contextmanager
    def _delivery(self, message: IncomingMessage) -> Iterator[None]:
        self._delivering.add(message.turn_id)
        try:
            yield
        finally:
            self._delivering.discard(message.turn_id)

    async def _think(
        self, message: IncomingMessage, adapter: Adapter, progress: Progress, observe: Observer | None
    ) -> Response:
        attached = await self._attached(message, adapter)
        audience = await audience_of(message, self._memberships)
        # what the clock asks stands in a thread of its own: there is nothing around it, and no message of the platform
        pointing = self._pointing if message.kind is not MessageKind.SCHEDULED else None
        request = TurnRequest(
            turn_id=message.turn_id,
            key=message.key,
            message_id=message.message_id,
            asked_by=message.author.id,
            text=message.text,
            audience=audience,
            locale=message.locale,
            mode=message.mode,
            pack=await self._packs.of(message) if self._packs is not None else "",
            private=message.private,
            personal=message.private or message.kind is not MessageKind.SCHEDULED,
            clicked=message.kind is MessageKind.BUTTON,
            around=await self._hearing.around(message),
            attached=attached.files,
            pointed=await pointing.of(message, adapter, audience) if pointing is not None else None,
            talk=pointing.talk(message, adapter, audience) if pointing is not None else None,
        )
        async for event in self._agent.run(request):
            progress.feed(event)
            if isinstance(event, FinalResponse):
                return replace(event.response, warnings=(*attached.notices, *event.response.warnings))
            if observe is not None:
                observe(event)
        raise WeftError("the turn ended without a response")

    async def _attached(self, message: IncomingMessage, adapter: Adapter) -> Attached:
        """Return the files of the thread, those of this message read now."""
        if self._attachments is None:
            return Attached()
        return await self._attachments.of(message, adapter, asked_in(message.text, message.locale))

    async def _deliver(self, reply: Reply, response: Response, observe: Observer | None) -> None:
        if self._files is not None and response.files:
            response = replace(response, files=await self._files.here(response.turn_id, response.files))
        response = await deliver(reply, response)
        if observe is not None:
            observe(FinalResponse(response=response))

    async def _give_up(
        self, message: IncomingMessage, reply: Reply, text: str, error: str, observe: Observer | None
    ) -> None:
        await reply.fail(Failure(text=text, language=asked_in(message.text, message.locale)))
        if observe is not None:
            failed = replace(self._plain(message, text), response_type="error", status="failed", errors=(error,))
            observe(FinalResponse(response=failed))

    def _plain(self, message: IncomingMessage, text: str) -> Response:
        """Return a response of Weft's own words."""
        return Response(
            thread_id=str(message.key),
            turn_id=message.turn_id,
            pack=self._rules.pack,
            mode=message.mode,
            language=asked_in(message.text, message.locale),
            route="",
            answer=text,
            response_type="answer",
        )

    async def _forget(self, message: IncomingMessage, adapter: Adapter) -> None:
        try:
            await adapter.erase(message, self._deliveries)
        except GoneError:
            logger.info("The answer was already gone.", extra={"action": "erase", "turn_id": message.turn_id})
        # Also where no turn was stored: it may have been cut off after the conversation had taken it up.
        await self._forget_words(message)
        await self._checkpoints.prune(str(message.key))
        await self._turns.forget(message.turn_id)
        await self._profiles.drop(message.turn_id)
        if self._calendar is not None:
            await self._calendar.drop(message.turn_id)
        if self._remainders is not None:
            await self._remainders.forget(message, adapter)
        if self._files is not None:
            await self._files.forget(message.turn_id)
        if self._attachments is not None:
            await self._attachments.forget(message.turn_id)

    async def _forget_words(self, message: IncomingMessage) -> None:
        """Take what a message said out of its conversation, and out of what later turns took up of it."""
        thread, stored = str(message.key), await self._turns.thread(str(message.key))
        now = normalise(message.text) if message.kind is MessageKind.EDIT else None
        words = await self._inbox.words_in(message.key) if self._inbox is not None else {}
        kept = await self._agent.turns(thread)
        known = records_of(stored, kept, words, gone=message.turn_id)
        left = {turn.turn_id: turn for turn in without(known, message.turn_id, now=now)}
        # What the conversation has no longer word for word is summarised, however late its turn was stored.
        by_word = {turn.turn_id for turn in kept}
        older = [turn if turn.turn_id in by_word else replace(turn, at=0.0) for turn in left.values()]
        await self._agent.forget(thread, message.message_id, now=now, older=older)
        changed = {turn.turn_id for turn in known if turn.standalone != left[turn.turn_id].standalone}
        for turn in await self._agent.turns(thread):  # those behind a message that is summarised are as they were
            if turn.turn_id in changed and turn.standalone != turn.question:
                await self._agent.note(thread, replace(turn, standalone=turn.question))
        for each in stored:
            if each.response.turn_id in changed:
                own = left[each.response.turn_id].standalone
                await reword(each, own, turns=self._turns, profiles=self._profiles)

    def _check(self, message: IncomingMessage, adapter: Adapter) -> None:
        language, length = asked_in(message.text, message.locale), len(message.text)
        points = self._pointing is not None and self._pointing.may_say_nothing(message, adapter)
        if not normalise(message.text) and not points:
            raise QuestionError(say("empty_question", language))
        if length > self._rules.question_limit:
            raise QuestionError(say("too_long", language, length=length, limit=self._rules.question_limit))

    def _adapter(self, message: IncomingMessage) -> Adapter:
        adapter = self._adapters.get(message.key.platform)
        if adapter is None:
            raise DeliveryError(f"there is no adapter for {message.key.platform!r} in this process")
        return adapter


def _by_mode(message: IncomingMessage) -> IncomingMessage:
    """Return a message without the word by which it asks for mode `llm`: "llm: ..."."""
    found = _FREELY.match(message.text)
    return message if found is None else replace(message, text=message.text[found.end() :], mode="llm")
