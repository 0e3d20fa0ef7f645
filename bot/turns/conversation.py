"""Where messages come in, and the worker that sees every one of them through.

`Conversation` is the intake: durable first, then anything else. `Worker` claims messages, one at a
time per thread and many threads at once, keeps its claims alive, stops what is to be stopped, and
gives back what failed.
"""

import asyncio
import logging
import os
import socket
import time
from collections.abc import Callable, Collection, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from adapters.contract import TodoList
from adapters.handing import HAND, TURN
from agent.errors import (
    ClosedError,
    DeliveryError,
    GoneError,
    RateLimitedError,
    StorageError,
    UnreachableError,
    WeftError,
    where,
)
from agent.language.lexicon import words
from agent.packs.pack import PeopleSpec
from agent.task_group import end
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
from bot.platform_state import Standing
from bot.turns.hearing import order_in, place_of
from bot.turns.turn import Observer, Turns
from bot.turns.waiting import tell_who_waits
from storage.contracts import CLOSED, ChannelModes, Inbox, InboxRow, Interrupt, LastHeard, Rates, Ratings
from storage.gaps import is_alone
from storage.turns import StoredTurn

logger = logging.getLogger(__name__)

STOP_WORDS = words("conduct.stop")
CONSOLE = "console"
"""The platform of whoever sits at the machine: no rate holds there."""
GIVE_UP_AFTER = 3
"""Failed turns after which the asker is told that there will be no answer."""
ALONE_AFTER = 2
"""Deaths of a process that held a message, after which it is run alone: it may be the one that kills the others."""
DEADLY_AFTER = 4
"""Such deaths after which the asker is told so instead."""
RETRY_SECONDS = 1.0
"""Before the second attempt; doubled for each one after."""
ENDS = frozenset({Interrupt.STOP, Interrupt.REPLACED, Interrupt.REFUSED})
"""Why there will be no answer, and the asker is told, or sees another one in its place."""
DELIVERY_RETRY_SECONDS = 30.0
"""Before the next attempt, while a platform does not take what Weft has to say."""
DELIVERY_PATIENCE = 24 * 3600.0
"""Seconds after which an answer that no platform took is given up."""
CLAIM_PAUSE = 2.0
"""Seconds until the inbox is tried again after an error."""
HEARD_SECONDS = 30 * 86_400.0
"""How long it is kept how far a silent place was heard; nobody answers what is older."""
STOP_POLL = 0.1
"""Seconds between two looks whether a running turn is to be cut off."""


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

        A word like "stop" stops what runs in its thread; where nothing runs it is a message like any other. What
        follows a message that is still to come is kept for some minutes (`storage.contracts.Inbox.add`).
        """
        wants_stop = message.kind is MessageKind.STOP or normalise(message.text).lower().strip(".! ") in STOP_WORDS
        if wants_stop and message.key.thread_id and await self._inbox.stop(message.key):
            # Remembered, so that the same event, heard twice or redelivered, is not taken for a question.
            return await self._inbox.note(message)
        if message.kind is MessageKind.STOP:
            return False
        order = order_in(message)
        unheard = message.kind is not MessageKind.DELETE and not message.private and order is None
        mode = await self._modes.mode_of(place_of(message.key))
        if unheard and mode is ChannelMode.OFF:
            return False
        if order is not None:
            return await self._inbox.add(message, hold=hold)
        overlap = await self._modes.overlap_of(place_of(message.key))
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


class Worker:
    """Takes messages from the inbox and runs their turns."""

    def __init__(
        self,
        inbox: Inbox,
        turns: Turns,
        *,
        platforms: Collection[str],
        concurrency: int = 8,
        lease: float = 30.0,
        thread: ThreadKey | None = None,
        standing: Standing | None = None,
        observe: Callable[[IncomingMessage], Observer | None] = lambda _: None,
        grace: float = 0.0,
    ) -> None:
        self._inbox = inbox
        self._grace = grace
        self._turns = turns
        self._platforms = platforms
        self._places = asyncio.Semaphore(concurrency)
        self._lease = lease
        self._thread = thread
        self._standing = standing or Standing()
        self._observe = observe
        self._owner = f"{socket.gethostname()}:{os.getpid()}:{id(self):x}"
        self._running: set[asyncio.Task[None]] = set()
        self._guarded: dict[_Claim, asyncio.Task[None]] = {}
        self._guard: asyncio.Task[None] | None = None

    async def run(self) -> None:
        """Work until cancelled. Turns under way then have the grace, in seconds, until they are cut off and given back.

        Cancelled once more it does not wait.
        """
        telling = asyncio.create_task(tell_who_waits(self._inbox, self._turns, self._platforms))
        try:
            while True:
                await self._places.acquire()
                try:
                    row = await self.claim()
                except StorageError as error:  # a full disk, a busy database: it may pass, and the others go on
                    self._places.release()
                    logger.error("The inbox cannot be read: %s", error, extra={"action": "claim_failed"})
                    await asyncio.sleep(CLAIM_PAUSE)
                    continue
                if row is None:
                    self._places.release()
                    await self._inbox.wait(1.0)
                    continue
                if row.deaths >= ALONE_AFTER and self._running:
                    await self._inbox.release(row, error="to be run alone", retry_in=0.0, charge=False)
                    self._places.release()
                    await asyncio.wait(self._running)
                    continue
                task = asyncio.create_task(self._placed(row))
                self._running.add(task)
                task.add_done_callback(self._running.discard)
                if row.deaths >= ALONE_AFTER:
                    logger.warning("A message is run alone.", extra=_about(row, "run_alone"))
                    await asyncio.wait({task})
        finally:
            telling.cancel()
            try:
                if self._running and self._grace:
                    logger.info("%d turns are brought to their end.", len(self._running), extra={"action": "stopping"})
                    await asyncio.wait(self._running, timeout=self._grace)
            finally:
                await end(telling, *self._running)

    async def claim(self) -> InboxRow | None:
        """Take the next message that this worker may answer."""
        return await self._inbox.claim(self._owner, lease=self._lease, platforms=self._platforms, thread=self._thread)

    async def see_through(self, row: InboxRow) -> None:
        """Answer a claimed message, or give it back."""
        claim = _Claim(row, asyncio.get_running_loop().time())
        turn = self._guarded[claim] = asyncio.create_task(self._answer(claim))
        if self._guard is None or self._guard.done():
            self._guard = asyncio.create_task(self._look_after())
        try:
            await asyncio.wait({turn})
        except asyncio.CancelledError:
            await end(turn)
            # Nobody needs to wait for the lease: the message is free for the next worker.
            await self._inbox.release(claim.row, error="shut down", retry_in=0.0, charge=False)
            raise
        finally:
            del self._guarded[claim]
            if not self._guarded:
                guard, self._guard = self._guard, None
                await end(guard)
        if not turn.cancelled():
            turn.result()
        else:
            await self._cut_off(claim.row)

    async def _placed(self, row: InboxRow) -> None:
        try:
            await self.see_through(row)
        except WeftError as error:
            logger.error("A message could not be seen through: %s", where(error), extra={"action": "row_lost"})
        finally:
            self._places.release()

    async def _answer(self, claim: "_Claim") -> None:
        observe, heard, ended = self._observe(claim.row.message), True, ""
        try:
            interrupt = await self._interrupt(claim.row)
            if interrupt is not None and await self._turns.answered(claim.row.message):
                interrupt = None
            claim.stopping = interrupt in ENDS
            if interrupt is Interrupt.REPLACED:
                await self._turns.retract(claim.row.message)
                await self._inbox.finish(claim.row, error=interrupt)
                return
            key = await self._turns.open_thread(claim.row.message)
            if key != claim.row.message.key:
                claim.row = await self._inbox.move(claim.row, key)
            if interrupt is Interrupt.STOP:
                await self._turns.fail(claim.row.message, "turn_stopped", observe, status="stopped")
            elif interrupt is Interrupt.REFUSED:
                ended = interrupt
                await self._turns.fail(claim.row.message, "not_taken_rate", observe)
            elif claim.row.deaths >= DEADLY_AFTER:  # it takes processes down: say so instead of trying for ever
                await self._turns.fail(claim.row.message, "turn_failed", observe)
            else:
                heard = await self._turns.run(claim.row.message, observe)
                if heard:
                    self._standing.well(claim.row.message.key.platform)
        except ClosedError as error:
            ended = f"{CLOSED}{error.reason}"
            await self._closed(claim.row, error)
        except GoneError as error:
            logger.warning("An answer has no place any more: %s", error, extra=_about(claim.row, "place_gone"))
            await self._turns.gone(claim.row.message, error)
        except (RateLimitedError, UnreachableError) as error:
            if await self._wait_for_platform(claim.row, error):
                return
        except Exception as error:  # the last line of defence: whatever it was, the asker gets a word
            cause = f"{error}; " if isinstance(error, StorageError) else ""  # tells a file, never what was said
            logger.error("A turn failed: %s%s", cause, where(error), extra=_about(claim.row, "turn_failed"))
            self._standing.errors[type(error).__name__] += 1
            if claim.row.attempts + 1 < GIVE_UP_AFTER:
                delay = RETRY_SECONDS * 2.0**claim.row.attempts
                await self._inbox.release(claim.row, error=type(error).__name__, retry_in=delay)
                return
            try:
                await self._turns.fail(claim.row.message, "turn_failed", observe)
            except (RateLimitedError, UnreachableError) as away:
                if await self._wait_for_platform(claim.row, away):
                    return
            except ClosedError as closed:
                ended = f"{CLOSED}{closed.reason}"
                await self._closed(claim.row, closed)
            except DeliveryError as refused:
                logger.error("The failure could not be told: %s", refused, extra=_about(claim.row, "failure_untold"))
        await self._inbox.finish(claim.row, heard=heard, error=ended)

    async def _closed(self, row: InboxRow, error: ClosedError) -> None:
        """Tell the log, and the asker over the way that is left, that an answer may not be posted in its place."""
        self._standing.troubled(row.message.key.platform, error)
        about = _about(row, "place_closed")
        logger.error("An answer may not be posted in %s: %s", row.message.key, error, extra=about)
        try:
            await self._turns.closed(row.message, error)
        except Exception as refused:  # whatever it was, the message comes to its end
            logger.error("That could not be told: %s", where(refused), extra=_about(row, "closed_untold"))

    async def _wait_for_platform(self, row: InboxRow, error: RateLimitedError | UnreachableError) -> bool:
        """Give the message back until the platform is there again; False when that has taken too long."""
        if isinstance(error, UnreachableError):
            self._standing.troubled(row.message.key.platform, error)
        if time.time() - row.message.received_at > DELIVERY_PATIENCE:
            logger.error("An answer is given up: %s", error, extra=_about(row, "answer_given_up"))
            return False
        pause = DELIVERY_RETRY_SECONDS
        if isinstance(error, RateLimitedError):
            pause = max(pause, error.retry_after)
            self._standing.limited[row.message.key.platform] += 1
        logger.warning("An answer waits for its platform: %s", where(error), extra=_about(row, "answer_waits"))
        await self._inbox.release(row, error=type(error).__name__, retry_in=pause, charge=False)
        return True

    async def _cut_off(self, row: InboxRow) -> None:
        """End a turn that was cut off; one whose question was edited or deleted ends without a word."""
        interrupt = await self._interrupt(row)
        if interrupt is Interrupt.STOP:
            observe = self._observe(row.message)
            await self._ended(row, self._turns.fail(row.message, "turn_stopped", observe, status="stopped"))
        elif interrupt is Interrupt.REFUSED:
            await self._ended(row, self._turns.fail(row.message, "not_taken_rate"), why=interrupt)
        elif interrupt is Interrupt.REPLACED:
            await self._ended(row, self._turns.retract(row.message), why=Interrupt.REPLACED)
        elif interrupt is not None:
            await self._turns.settle(row.message)
            await self._inbox.finish(row)

    async def _interrupt(self, row: InboxRow) -> Interrupt | None:
        return (await self._inbox.interrupted(row)).get(row.id)

    async def _ended(self, row: InboxRow, telling: Coroutine[Any, Any, None], *, why: str = "") -> None:
        """Tell, or take down, what is left of a turn that was cut off for good."""
        try:
            await telling
        except (RateLimitedError, UnreachableError) as error:
            if await self._wait_for_platform(row, error):
                return
        except DeliveryError as error:
            logger.warning("The stop could not be confirmed: %s", where(error), extra=_about(row, "stop_unconfirmed"))
        await self._inbox.finish(row, error=why)

    async def _look_after(self) -> None:
        """Cut off turns that are to end, and keep the claims of the others, as long as any runs."""
        while True:
            await asyncio.sleep(STOP_POLL)
            for look in (self._stop_turns, self._renew_claims):
                try:
                    await look()
                except StorageError as error:
                    logger.error("Claims could not be looked after: %s", error, extra={"action": "guard_failed"})

    async def _stop_turns(self) -> None:
        interrupted = await self._inbox.interrupted(*(claim.row for claim in self._guarded))
        for claim, turn in list(self._guarded.items()):
            interrupt = interrupted.get(claim.row.id)
            if interrupt is None or turn.cancelling():  # cut off already: it may still have to tidy up
                continue
            # What is answered already is not stopped; only its delivery is still under way. That of an answer which
            # is to be changed or taken away ends first, so that nothing of it can come later.
            message = claim.row.message
            stop = interrupt in ENDS
            if stop and claim.stopping:  # the asker is just being told so
                continue
            if not (stop and await self._turns.answered(message)) and not self._turns.delivers(message):
                turn.cancel()

    async def _renew_claims(self) -> None:
        loop = asyncio.get_running_loop()
        for claim, turn in list(self._guarded.items()):
            if turn.cancelling() or turn.done() or loop.time() - claim.renewed <= self._lease / 3:
                continue
            claim.renewed = loop.time()
            if not await self._inbox.renew(claim.row, lease=self._lease) and not turn.done():
                logger.warning("A claim was lost; its turn is cut off.", extra=_about(claim.row, "claim_lost"))
                turn.cancel()


@dataclass(slots=True, eq=False)
class _Claim:
    """A claimed row, which moves when its thread is opened."""

    row: InboxRow
    renewed: float
    """The time of the loop at which the lease began anew."""
    stopping: bool = False
    """Whether its turn only tells that it was stopped."""


def _about(row: InboxRow, action: str) -> dict[str, object]:
    return {"action": action, "turn_id": row.message.turn_id, "attempt": row.attempts + 1}
