"""What a turn leaves in its thread when it is over: a list that says how it ended, buttons that wait for nobody."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from adapters.contract import Adapter, Deliveries, Reply, TodoList
from agent.run import Agent
from agent.text import asked_in
from agent.types import DeliveryRef, IncomingMessage, MessageKind, Response, Step
from bot.turns.progress import show_end
from storage.contracts import Inbox
from storage.turns import SqlTurns, StoredTurn

PROGRESS = "progress"
"""The slot in which every adapter keeps its TODO list."""


class Closing:
    """Brings to its end what turns were showing."""

    def __init__(
        self, *, agent: Agent, deliveries: Deliveries, turns: SqlTurns, inbox: Inbox | None, choice_hours: float
    ) -> None:
        self._agent = agent
        self._choice_hours = choice_hours
        self._deliveries = deliveries
        self._turns = turns
        self._inbox = inbox

    async def stands(self, message: IncomingMessage) -> bool:
        """Tell whether a list of this turn may be shown."""
        return await self._deliveries.get(message.turn_id, PROGRESS) is not None

    async def note(self, message: IncomingMessage) -> None:
        """Remember that a list of this turn is shown, also on a platform that keeps no record of its own."""
        if not await self.stands(message):
            ref = DeliveryRef(channel_id=message.key.channel_id, message_id=PROGRESS)
            await self._deliveries.record(message.turn_id, PROGRESS, ref, "")

    async def known(self, message: IncomingMessage, reply: Reply, known: StoredTurn) -> None:
        """Bring the TODO list of a turn that was stored to its end."""
        response = known.response
        steps = response.plan.steps if response.plan else ()
        await self.list(message, reply, steps, status_of(response), elapsed_ms=response.total_ms)

    async def list(
        self,
        message: IncomingMessage,
        reply: Reply,
        steps: Sequence[Step],
        status: Literal["done", "failed", "stopped"],
        *,
        elapsed_ms: float = 0.0,
    ) -> None:
        """Bring the TODO list of a turn that was cut off to its end, where one is shown."""
        if steps or await self._deliveries.get(message.turn_id, PROGRESS) is not None:
            language = asked_in(message.text, message.locale)
            await show_end(reply, TodoList(steps=tuple(steps), language=language, status=status, elapsed_ms=elapsed_ms))

    async def choices(self, message: IncomingMessage, adapter: Adapter) -> None:
        """Take the buttons off the question back before this turn, where that no longer waits."""
        asked = await self._turns.asking_back(str(message.key), but=message.turn_id)
        if asked is None or asked.response.clarification is None or self._inbox is None:
            return
        pending = await self._agent.pending(str(message.key))
        if pending is not None and pending.turn_id == asked.response.turn_id:
            return
        inbox = self._inbox
        click = replace(message, message_id=asked.message_id, text="", kind=MessageKind.BUTTON, attachments=())
        reply = adapter.reply(click, self._deliveries)
        await reply.close_choices(asked.response.clarification, lambda id: inbox.note(replace(click, event_id=id)))

    async def is_over(self, message: IncomingMessage, now: float) -> bool:
        """Tell whether a message is a click on a question back that has waited too long for it."""
        if message.kind is not MessageKind.BUTTON:
            return False
        pending = await self._agent.pending(str(message.key))
        return pending is not None and now - pending.asked_at > self._choice_hours * 3600


def status_of(response: Response) -> Literal["done", "failed"]:
    """Return how a turn ended, as its list tells it."""
    return "done" if response.status == "completed" else "failed"
