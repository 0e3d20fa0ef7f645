"""An answer under way: the first message of the answer, which grows by edits until the answer takes its place.

What holds for drafts on every platform that shows them: how one looks, where one may stand, and that none can
come after the answer, or beside it.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

from adapters.contract import Deliveries
from adapters.markdown_split import split
from agent.language import say
from agent.text import asked_in
from agent.types import Delivery, IncomingMessage, MessageKind

SLOT = "answer:0"
"""Where a draft stands: in the first message of the answer."""
GOES_ON = "\n\n✍️ …"
"""How every draft ends, and no answer."""
LONGEST = 30.0
"""Seconds that a draft under way is waited for: no less than Slack's client waits for an answer."""
_UNFINISHED = "draft:"
_FENCE = re.compile(r"^ {0,3}(`{3,}(?=[^`\n]*$)|~{3,})(.*)$", re.MULTILINE)


def beginning(markdown: str, limit: int) -> str:
    """Return what of a draft fits into `limit` characters, cut between sentences where possible, and the sign."""
    near = markdown[: limit + 1_000]  # where to cut the first part, no more than that decides
    part = next(iter(split(near, limit - len(GOES_ON))), "")
    if fence := open_fence(part):  # the sign must not stand in the code
        part = f"{part[: limit - len(GOES_ON) - len(fence) - 1]}\n{fence}"
    return part + GOES_ON


def open_fence(markdown: str) -> str:
    """Return the fence of a block of code that a text leaves open; empty for none."""
    fence = ""
    for line in _FENCE.finditer(markdown):
        if not fence:
            fence = line[1]
        elif line[1].startswith(fence) and not line[2].strip():
            fence = ""
    return fence


def once_more(message: IncomingMessage) -> str:
    """Return what stands in the place of a draft that was withdrawn, in the language of the question."""
    return say("draft_withdrawn", asked_in(message.text, message.locale))


def digest_of_draft(digest: str) -> str:
    """Return what deliveries note of a message that shows a draft."""
    return _UNFINISHED + digest


def is_draft(delivery: Delivery) -> bool:
    """Tell whether a message may show a draft: it does, or nobody knows what it shows."""
    return not delivery.digest or delivery.digest.startswith(_UNFINISHED)


class Drafts:
    """The drafts that are being sent, one a turn; kept by the adapter, since a turn may be ended by another `Reply`."""

    def __init__(self) -> None:
        self._under_way: dict[str, asyncio.Task[None]] = {}

    async def have_room(self, message: IncomingMessage, deliveries: Deliveries, text: str, *, slot: str = SLOT) -> bool:
        """Tell whether a draft may be shown: where nothing stands, or a draft of this turn, also of an earlier attempt.

        An answer that stood there before gives way to the next answer only. A draft that is withdrawn is
        shown as such only where it stands.
        """
        if message.turn_id in self._under_way:  # of an attempt that was cut off
            return False
        known = await deliveries.get(message.turn_id, slot)
        if known is None or known.ref is None:
            # after a lost confirmation it might be an answer that stands there
            return bool(text) and (known is None or message.kind is not MessageKind.EDIT)
        return is_draft(known)

    async def send(self, turn_id: str, sending: Coroutine[Any, Any, None]) -> None:
        """Send a draft. When the caller is cancelled it stays under way: a request cut off may arrive all the same."""
        task = self._under_way[turn_id] = asyncio.create_task(sending)
        task.add_done_callback(lambda _: self._under_way.pop(turn_id, None))
        await asyncio.shield(task)

    async def give_way(self, turn_id: str, deliveries: Deliveries, deliver: Callable[[], Awaitable[None]]) -> None:
        """Deliver what takes the place of the draft, so that in the end it stands there, once.

        While a draft is being posted nobody knows whether to post or to edit, so that is waited for. One that is
        being edited is not: but it may be carried out last, so the delivery is then repeated.
        """
        known = dict(await deliveries.slots(turn_id))
        if SLOT not in known or any(each.ref is None for each in known.values()):
            await self.through(turn_id)
        await deliver()
        if turn_id not in self._under_way:
            return
        first = await deliveries.get(turn_id, SLOT)
        if first is not None and first.ref is not None:
            await deliveries.record(turn_id, SLOT, first.ref, "")  # nobody knows what it will show
        await self.through(turn_id)
        await deliver()

    async def close(self) -> None:
        """Cut off what is still under way."""
        tasks = list(self._under_way.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def through(self, turn_id: str) -> None:
        """Wait until no draft of this turn is under way."""
        task = self._under_way.get(turn_id)
        if task is None:
            return
        _, late = await asyncio.wait({task}, timeout=LONGEST)
        if late:
            task.cancel()
            await asyncio.wait(late)
