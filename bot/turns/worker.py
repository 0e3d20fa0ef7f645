"""The worker that sees every accepted message through.

It claims messages, one at a time per thread and many threads at once, keeps its claims alive, stops what is to be
stopped, and gives back what failed.
"""

import asyncio
import logging
import os
import socket
import time
from collections.abc import Callable, Collection, Coroutine
from dataclasses import dataclass
from typing import Any

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
from agent.task_group import end
from agent.types import (
    IncomingMessage,
    ThreadKey,
)
from bot.platform_state import Standing
from bot.turns.turn import Observer, Turns
from bot.turns.waiting import tell_who_waits
from storage.contracts import CLOSED, Inbox, InboxRow, Interrupt

logger = logging.getLogger(__name__)

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
DELIVERIES = 32
"""Turns under way for each that may be worked on: the others have their answer, and wait for a platform to take it."""
DELIVERY_SECONDS = 0.5
"""That a turn may take to deliver its answer until it counts as waiting: most are taken at once."""
STOP_POLL = 0.1
"""Seconds between two looks whether a running turn is to be cut off."""


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
        now: Callable[[], float] = time.time,
    ) -> None:
        self._inbox = inbox
        self._grace = grace
        self._now = now
        self._turns = turns
        self._platforms = platforms
        self._places = asyncio.Semaphore(concurrency)
        self._most_under_way = concurrency * DELIVERIES
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
                while len(self._running) >= self._most_under_way:
                    await asyncio.wait(self._running, return_when=asyncio.FIRST_COMPLETED)
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

    async def see_through(self, row: InboxRow, thought: Callable[[], object] = lambda: None) -> None:
        """Answer a claimed message, or give it back; `thought` is called once its answer has only to be delivered."""
        claim = _Claim(row, asyncio.get_running_loop().time(), thought)
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
        left = False

        def leave() -> None:
            nonlocal left
            if not left:
                left = True
                self._places.release()

        try:
            loop = asyncio.get_running_loop()
            await self.see_through(row, lambda: loop.call_later(DELIVERY_SECONDS, leave))
        except WeftError as error:
            logger.error("A message could not be seen through: %s", where(error), extra={"action": "row_lost"})
        finally:
            leave()

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
                heard = await self._turns.run(claim.row.message, observe, thought=claim.thought)
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
        if self._now() - row.message.received_at > DELIVERY_PATIENCE:
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
            if (stop and await self._turns.answered(message)) or self._turns.delivers(message):
                continue
            if not (stop and claim.stopping):  # else the asker is just being told so, perhaps since a moment ago
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
    thought: Callable[[], object]
    """Gives its place among the turns that are worked on to another."""
    stopping: bool = False
    """Whether its turn only tells that it was stopped."""


def _about(row: InboxRow, action: str) -> dict[str, object]:
    return {"action": action, "turn_id": row.message.turn_id, "attempt": row.attempts + 1}
