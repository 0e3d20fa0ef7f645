"""A word to those who wait: how many questions are before theirs, or when theirs is taken."""

import asyncio
import logging
from collections.abc import Collection
from typing import Protocol

from agent.errors import StorageError, WeftError, where
from storage.contracts import Inbox, Waiting

logger = logging.getLogger(__name__)

LOOK_SECONDS = 2.0
"""Between two looks at who waits."""
TOLD_AFTER = 10.0
"""Seconds that somebody waits until they are told how many are before them."""
TOLD_EVERY = 10.0
"""Seconds between two words to the same person about the same question, and only where the number is another."""
PATIENCE = 5.0
"""Seconds that a platform has to take such a word; less than nobody claims the message for (`storage.queue`)."""
MOST_AT_ONCE = 20
"""Words between two looks."""


class Telling(Protocol):
    """Shows who asked that they wait."""

    async def show_waiting(self, waiting: Waiting) -> None:
        """Show why a turn has not begun, where its list will stand. Raises DeliveryError."""
        ...


async def tell_who_waits(inbox: Inbox, turns: Telling, platforms: Collection[str]) -> None:
    """Tell people that they wait, until cancelled. Each word is told by one process of all that work on the inbox."""
    while True:
        await asyncio.sleep(LOOK_SECONDS)
        try:
            for _ in range(MOST_AT_ONCE):
                waiting = await inbox.next_waiting(platforms, after=TOLD_AFTER, every=TOLD_EVERY)
                if waiting is None:
                    break
                await _tell(inbox, turns, waiting)
        except StorageError as error:
            logger.error("Who waits could not be looked up: %s", error, extra={"action": "waiting_unknown"})


async def _tell(inbox: Inbox, turns: Telling, waiting: Waiting) -> None:
    about = {"action": "waiting_untold", "turn_id": waiting.message.turn_id}
    try:
        async with asyncio.timeout(PATIENCE):
            await turns.show_waiting(waiting)
    except TimeoutError:
        logger.warning("A platform did not take in time that somebody waits.", extra=about)
    except WeftError as error:  # it is answered all the same
        logger.warning("Somebody could not be told that they wait: %s", where(error), extra=about)
    finally:
        await inbox.told(waiting)
