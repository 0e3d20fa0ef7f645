"""The messages that a question points at: read from their platform for this turn, and kept nowhere."""

import asyncio
import logging
from collections.abc import Awaitable, Sequence
from dataclasses import replace
from typing import Protocol

from adapters.contract import Adapter, Excerpt, Readable
from agent.errors import UnreadableError
from agent.pointed_messages import Pointed, Talk
from agent.reasoning.rules.reading.pointed_request import aim_of
from agent.text import says_anything
from agent.types import SAID, Audience, IncomingMessage, MessageKind, Said
from storage.turns import StoredTurn

logger = logging.getLogger(__name__)

MESSAGES = 500
"""Of one thread that a turn is given."""
CHARACTERS = 4_000
"""Of one message."""
READ_SECONDS = 10.0
"""Until the reading is given up, and the question answered without it."""
_CALLS = (MessageKind.MENTION, MessageKind.EDIT, MessageKind.COMMAND)
"""Messages that a thread is read for; who writes without calling Weft does not have it read the others."""


class Answered(Protocol):
    """Knows the turns of a thread."""

    async def last(self, thread: str, *, but: str) -> StoredTurn | None:
        """Return the latest one, but this turn."""
        ...


class Pointing:
    """Reads what questions point at."""

    def __init__(self, turns: Answered) -> None:
        self._turns = turns

    def may_say_nothing(self, message: IncomingMessage, adapter: Adapter) -> bool:
        """Tell whether a message without words may yet ask something: what it points at."""
        return isinstance(adapter, Readable) and message.addressed and message.mode == "agent"

    async def of(self, message: IncomingMessage, adapter: Adapter, audience: Audience) -> Pointed | None:
        """Return what a message points at; None where it points at nothing. Raises StorageError."""
        if not isinstance(adapter, Readable) or not message.addressed or message.kind is MessageKind.BUTTON:
            return None
        around = await self._wants_around(message)
        wordless = not says_anything(message.text)
        aimed = wordless or aim_of(message.text) is not None
        if not (message.points_at or around or aimed):
            return None
        wanted = [adapter.pointed_at(message, pointer, most=MESSAGES) for pointer in message.points_at]
        if around and not message.points_at:  # a question of its own is not held up by the questions of others
            wanted.append(adapter.around(message, most=MESSAGES, patient=aimed))
        return await _pointed(message, wanted, audience)

    def talk(self, message: IncomingMessage, adapter: Adapter, audience: Audience) -> Talk | None:
        """Return what reads the thread that a message stands in, when it is wanted; None where it begins one."""
        if not isinstance(adapter, Readable) or message.private or message.kind is MessageKind.BUTTON:
            return None
        if not _in_thread(message):
            return None

        async def read(*, patient: bool) -> Pointed:
            return await _pointed(message, [adapter.around(message, most=MESSAGES, patient=patient)], audience)

        return read

    async def _wants_around(self, message: IncomingMessage) -> bool:
        """Tell whether what stands before a message is read: others' thread always, Weft's own where it is asked about.

        So it is for a question about an answer that cites what was said, and in a channel for one about what was said
        there.
        """
        if message.private:
            return False
        last = await self._turns.last(str(message.key), but=message.turn_id)
        if last is not None and any(citation.collection == SAID for citation in last.response.citations):
            return True
        if message.kind not in _CALLS:
            return False
        aimed = aim_of(message.text)
        return (_in_thread(message) and last is None) or (aimed is not None and says_anything(message.text))


def _in_thread(message: IncomingMessage) -> bool:
    return message.key.thread_id not in ("", message.message_id)


async def _pointed(message: IncomingMessage, wanted: Sequence[Awaitable[Excerpt]], audience: Audience) -> Pointed:
    """Return what all these readings give; what cannot be read is a warning."""
    found = await asyncio.gather(*(_read(each, message, audience) for each in wanted))
    troubles = [each for each in found if isinstance(each, UnreadableError)]
    for trouble in troubles:
        logger.warning(
            "Messages that a question points at are not read: %s",
            trouble,
            extra={"action": "messages_unread", "reason": trouble.reason, "turn_id": message.turn_id},
        )
    excerpts = [each for each in found if isinstance(each, Excerpt)]
    said = {(each.place, each.id): each for excerpt in excerpts for each in excerpt.said}
    return Pointed(
        said=tuple(_clipped(each) for each in sorted(said.values(), key=lambda each: each.at)),
        target=tuple(id for excerpt in excerpts for id in excerpt.target),
        trouble=f"pointed_{troubles[0].reason}" if troubles else "",
        cut=any(excerpt.cut for excerpt in excerpts),
    )


async def _read(reading: Awaitable[Excerpt], message: IncomingMessage, audience: Audience) -> Excerpt | UnreadableError:
    """Return what was read, or why it was not; what not everybody may read who reads the answer is not."""
    try:
        async with asyncio.timeout(READ_SECONDS):
            excerpt = await reading
    except TimeoutError:
        return UnreadableError("The platform takes too long.", reason="away")
    except UnreadableError as error:
        return error
    within_workspace = any(principal.startswith("workspace:") for principal in audience.principals)
    if message.private or excerpt.here or (excerpt.open and within_workspace):
        return excerpt
    return UnreadableError("Not everybody who reads along may read them.", reason="elsewhere")


def _clipped(said: Said) -> Said:
    return said if len(said.text) <= CHARACTERS else replace(said, text=said.text[:CHARACTERS])
