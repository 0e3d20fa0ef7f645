"""An answer for its asker alone, as a response to a command: told once, and seen by nobody else."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Generic, TypeVar

from adapters.contract import Deliveries, Failure, TodoList
from agent.language import say
from agent.text import clipped, language_of
from agent.types import Clarification, DeliveryRef, IncomingMessage, ProducedFile, Response

T = TypeVar("T")

ASIDE = "aside"
"""In `IncomingMessage.extra` of a question whose answer is shown to its asker alone, in a place of others."""
_QUOTED = 300
"""Characters of the question that stand above its answer: nobody posted it anywhere."""


def as_aside(command: IncomingMessage) -> IncomingMessage:
    """Return a command whose thread is not opened yet as one whose answer its asker alone is shown."""
    key = replace(command.key, thread_id=command.message_id)
    return replace(command, key=key, private=True, extra={**command.extra, ASIDE: "yes"})


class AsideReply(Generic[T]):
    """The `Reply` to such a question, without a list or a draft.

    What was shown to one person can be neither found again nor edited: a message that a crash interrupts may come
    twice. Files cannot be shown so; the answer names them.
    """

    def __init__(
        self,
        message: IncomingMessage,
        deliveries: Deliveries,
        *,
        answer: Callable[[Response], Sequence[T]],
        notice: Callable[[str], Sequence[T]],
        tell: Callable[[int, T], Awaitable[None]],
    ) -> None:
        self._message = message
        self._deliveries = deliveries
        self._rendered = answer
        self._notice = notice
        self._tell = tell

    async def typing(self, todo: TodoList) -> None:
        """Show nothing: the platform says by itself that a command is being answered."""

    async def show(self, todo: TodoList) -> None:
        """Show no list, which would have to be edited."""

    async def stream(self, text: str) -> None:
        """Show no draft."""

    async def ask(self, clarification: Clarification) -> None:
        """Tell what may be meant, and how to ask again: nobody can answer in a thread that is none."""
        options = "\n".join(f"{n}. {option}" for n, option in enumerate(clarification.options, start=1))
        again = say("ask_again_alone", language_of(self._message.text))
        told = (clarification.question, options, clarification.assumption, again)
        await self._once("answer", self._notice("\n\n".join(each for each in told if each)))

    async def close_choices(self, clarification: Clarification, first: Callable[[str], Awaitable[bool]]) -> None:
        """Do nothing: there are no buttons."""

    async def finish(self, response: Response) -> None:
        """Tell the answer, below what was asked."""
        if response.only_asks and response.clarification is not None:
            await self.ask(response.clarification)
            return
        asked = clipped(" ".join(self._message.text.split()), _QUOTED)
        response = replace(response, answer=f"> {asked}\n\n{response.answer}" if asked else response.answer)
        if response.files:
            words = say("file_refused", response.language, names=", ".join(file.name for file in response.files))
            response = replace(response, warnings=(*response.warnings, words))
        await self._once("answer", self._rendered(response))

    async def attach(self, file: ProducedFile) -> None:
        """Do nothing: the answer has named the file as one that is not here."""

    async def fail(self, failure: Failure) -> None:
        """Say that there is no answer, and why."""
        await self._once("failure", self._notice(failure.text))

    async def _once(self, slot: str, posts: Sequence[T]) -> None:
        turn_id, channel = self._message.turn_id, self._message.key.channel_id
        for number, post in enumerate(posts):
            name = f"{ASIDE}:{slot}:{number}"
            known = await self._deliveries.get(turn_id, name)
            if known is None or known.ref is None:
                await self._deliveries.begin(turn_id, name)
                await self._tell(number, post)
                await self._deliveries.record(turn_id, name, DeliveryRef(channel_id=channel, message_id=name), "")
