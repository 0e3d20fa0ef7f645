"""What the message after a question back means."""

from collections.abc import Callable
from typing import Literal

from pydantic import BaseModel

from agent.reasoning.contract import Message
from agent.reasoning.message.message_text import plain
from agent.reasoning.model.tasks.understanding import language_in
from agent.reasoning.model.tasks.untrusted_text import Quoting, line
from agent.reasoning.model.transport.endpoint import Endpoint, Said
from agent.types import Choice, Pending, Settled

_TOKENS = 200
_QUESTION_CHARACTERS = 1000
_MESSAGE_CHARACTERS = 2000
_LABEL_CHARACTERS = 100


class Meaning(BaseModel):
    """The model's word on the message after a question back."""

    meaning: Literal["choice", "detail", "new"]
    choice: int = 0


async def settle(endpoint: Endpoint, message: Message, pending: Pending) -> Settled:
    """Return what the message is to the question back. Raises ModelError."""
    answer = await endpoint.ask(
        "small", request(message, pending), shape=Meaning, tokens=_TOKENS, objection=_objection(pending)
    )
    if answer.meaning == "choice":
        return Settled(kind="choice", choice=answer.choice - 1)
    if answer.meaning == "new":
        return Settled(kind="new")
    # What is told for the fields of a document is no part of the question.
    return Settled(kind="detail", detail="" if pending.wanted else plain(message.text).rstrip(" .!"))


def request(message: Message, pending: Pending) -> list[Said]:
    """Return what the model is asked about the message after a question back."""
    quoting = Quoting()
    parts = (
        quoting.block("question", pending.question[:_QUESTION_CHARACTERS]),
        quoting.block("asked back", pending.asked_back[:_QUESTION_CHARACTERS]),
        quoting.block("choices", _numbered(pending.choices)) if pending.choices else "",
        quoting.block("message", message.text[:_MESSAGE_CHARACTERS]),
    )
    return quoting.request("settle", parts, topic=message.pack.title.of(language_in(message)))


def _objection(pending: Pending) -> Callable[[Meaning], str]:
    def wrong(answer: Meaning) -> str:
        known = len(pending.choices)
        if answer.meaning != "choice" or 1 <= answer.choice <= known:
            return ""
        return f"choice: must be from 1 to {known}" if known else "meaning: there are no choices"

    return wrong


def _numbered(choices: tuple[Choice, ...]) -> str:
    return "\n".join(f"{n}. {line(choice.label, _LABEL_CHARACTERS)}" for n, choice in enumerate(choices, start=1))
