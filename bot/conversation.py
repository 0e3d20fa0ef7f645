"""Where messages come in, and the worker that sees every one of them through.

`Conversation` is the intake: durable first, then anything else. `Worker` claims messages, one at a
time per thread and many threads at once, keeps its claims alive, stops what is to be stopped, and
gives back what failed.
"""

import asyncio
import logging
import os
import socket
from collections.abc import Callable, Collection
from dataclasses import dataclass

from agent.errors import DeliveryError, GoneError, WeftError
from agent.text import normalise
from agent.types import IncomingMessage, MessageKind, ThreadKey
from bot.turn import Observer, Turns, where
from storage.contracts import Inbox, InboxRow

logger = logging.getLogger(__name__)

STOP_WORDS = frozenset({"stop", "cancel", "중지", "멈춰", "그만", "취소"})
GIVE_UP_AFTER = 3
"""Attempts after which the asker is told that there will be no answer."""
RETRY_SECONDS = 1.0
"""Before the second attempt; doubled for each one after."""
STOP_POLL = 0.25
"""Seconds between two looks whether a running turn is to stop."""


class Conversation:
    """The intake of every adapter (`adapters.contract.Intake`)."""

    def __init__(self, inbox: Inbox) -> None:
        self._inbox = inbox

    async def accept(self, message: IncomingMessage) -> bool:
        """Store the message durably; False for one that was accepted before. Raises StorageError.

        A word like "stop" stops what runs in its thread; where nothing runs it is a message like any other.
        """
        wants_stop = message.kind is MessageKind.STOP or normalise(message.text).lower().strip(".! ") in STOP_WORDS
        if wants_stop and message.key.thread_id and await self._inbox.stop(message.key):
            return True
        if message.kind is MessageKind.STOP:
            return False
        return await self._inbox.add(message)

    async def takes_part(self, key: ThreadKey) -> bool:
        """Tell whether Weft has been asked something in this thread."""
        return await self._inbox.knows(key)


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
        observe: Callable[[IncomingMessage], Observer | None] = lambda _: None,
    ) -> None:
        self._inbox = inbox
        self._turns = turns
        self._platforms = platforms
        self._places = asyncio.Semaphore(concurrency)
        self._lease = lease
        self._thread = thread
        self._observe = observe
        self._owner = f"{socket.gethostname()}:{os.getpid()}:{id(self):x}"
        self._running: set[asyncio.Task[None]] = set()

    async def run(self) -> None:
        """Work until cancelled; turns under way are then cut off, and taken up again at the next start."""
        try:
            while True:
                await self._places.acquire()
                row = await self.claim()
                if row is None:
                    self._places.release()
                    await self._inbox.wait(1.0)
                    continue
                task = asyncio.create_task(self._placed(row))
                self._running.add(task)
                task.add_done_callback(self._running.discard)
        finally:
            for task in self._running:
                task.cancel()
            await asyncio.gather(*self._running, return_exceptions=True)

    async def claim(self) -> InboxRow | None:
        """Take the next message that this worker may answer."""
        return await self._inbox.claim(self._owner, lease=self._lease, platforms=self._platforms, thread=self._thread)

    async def see_through(self, row: InboxRow) -> None:
        """Answer a claimed message, or give it back."""
        claim = _Claim(row)
        turn = asyncio.create_task(self._answer(claim))
        guard = asyncio.create_task(self._guard(claim, turn))
        try:
            await asyncio.wait({turn})
        except asyncio.CancelledError:
            turn.cancel()
            await asyncio.gather(turn, return_exceptions=True)
            # Nobody needs to wait for the lease: the message is free for the next worker.
            await self._inbox.release(claim.row, error="shut down", retry_in=0.0, charge=False)
            raise
        finally:
            guard.cancel()
            await asyncio.gather(guard, return_exceptions=True)
        if not turn.cancelled():
            turn.result()
        elif await self._inbox.stopping(claim.row):
            await self._stopped(claim.row)

    async def _placed(self, row: InboxRow) -> None:
        try:
            await self.see_through(row)
        except WeftError as error:
            logger.error("A message could not be seen through: %s", where(error), extra={"action": "row_lost"})
        finally:
            self._places.release()

    async def _answer(self, claim: "_Claim") -> None:
        observe = self._observe(claim.row.message)
        try:
            key = await self._turns.open_thread(claim.row.message)
            if key != claim.row.message.key:
                claim.row = await self._inbox.move(claim.row, key)
            if claim.row.attempts > GIVE_UP_AFTER:  # it took the process down: say so instead of trying for ever
                await self._turns.fail(claim.row.message, "turn_failed", observe)
            else:
                await self._turns.run(claim.row.message, observe)
        except GoneError as error:
            logger.warning("An answer has no place any more: %s", error, extra=_about(claim.row, "place_gone"))
        except Exception as error:  # the last line of defence: whatever it was, the asker gets a word
            logger.error("A turn failed: %s", where(error), extra=_about(claim.row, "turn_failed"))
            if claim.row.attempts < GIVE_UP_AFTER:
                delay = RETRY_SECONDS * 2.0 ** (claim.row.attempts - 1)
                await self._inbox.release(claim.row, error=type(error).__name__, retry_in=delay)
                return
            await self._apologise(claim.row, observe)
        await self._inbox.finish(claim.row)

    async def _apologise(self, row: InboxRow, observe: Observer | None) -> None:
        try:
            await self._turns.fail(row.message, "turn_failed", observe)
        except DeliveryError as error:
            logger.error("The failure could not be told: %s", where(error), extra=_about(row, "failure_untold"))

    async def _stopped(self, row: InboxRow) -> None:
        try:
            await self._turns.fail(row.message, "turn_stopped", self._observe(row.message))
        except DeliveryError as error:
            logger.warning("The stop could not be confirmed: %s", where(error), extra=_about(row, "stop_unconfirmed"))
        await self._inbox.finish(row)

    async def _guard(self, claim: "_Claim", turn: "asyncio.Task[None]") -> None:
        """Keep the claim alive while the turn runs, and cancel the turn when it is to stop or the claim is lost."""
        loop = asyncio.get_running_loop()
        renewed = loop.time()
        while not turn.done():
            await asyncio.sleep(STOP_POLL)
            if await self._inbox.stopping(claim.row):
                turn.cancel()
                return
            if loop.time() - renewed > self._lease / 3:
                renewed = loop.time()
                if not await self._inbox.renew(claim.row, lease=self._lease):
                    logger.warning("A claim was lost; its turn is cut off.", extra=_about(claim.row, "claim_lost"))
                    turn.cancel()
                    return


@dataclass(slots=True)
class _Claim:
    """A claimed row, which moves when its thread is opened."""

    row: InboxRow


def _about(row: InboxRow, action: str) -> dict[str, object]:
    return {"action": action, "turn_id": row.message.turn_id, "attempt": row.attempts}
