"""Questions back: how one is put, and what the message after it means."""

from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict

from agent.packs.pack import Pack
from agent.reasoning.contract import Message
from agent.reasoning.model.tasks.understanding import LANGUAGES, language_in
from agent.reasoning.model.tasks.untrusted_text import Quoting, line
from agent.reasoning.model.tasks.word_checks import amiss
from agent.reasoning.model.transport.endpoint import Endpoint, Said
from agent.reasoning.rules.reading.message_text import plain
from agent.text import normalise, tokens
from agent.types import Choice, Language, Pending, Settled, Split, Standalone

ASK_CHARACTERS = 250
"""Of a question back."""
_TOKENS = 200
_QUESTION_CHARACTERS = 1000
_MESSAGE_CHARACTERS = 2000
_LABEL_CHARACTERS = 100


class Choosing(BaseModel):
    """The model's word on a question and the choices that it leaves open."""

    model_config = ConfigDict(extra="ignore")

    chosen: int = 0
    because: Annotated[str, AfterValidator(normalise)] = ""
    ask: Annotated[str, AfterValidator(normalise)] = ""


class Meaning(BaseModel):
    """The model's word on the message after a question back."""

    model_config = ConfigDict(extra="ignore")

    meaning: Literal["choice", "detail", "new"]
    choice: int = 0


async def clarify(
    endpoint: Endpoint, role: str, question: Standalone, language: Language, split: Split, pack: Pack
) -> Split | None:
    """Return the split with the question back in better words; None where the question has chosen. Raises ModelError.

    The choices stay those of the documents. A question back that says more than it may keeps its old words.
    """
    answer = await endpoint.ask(role, request(question, language, split, pack), shape=Choosing, tokens=_TOKENS)
    if 1 <= answer.chosen <= len(split.choices) and _says(question.text, answer.because):
        return None
    known = [question.text, *(choice.label for choice in split.choices)]
    fit = answer.ask.endswith(("?", "？")) and len(answer.ask) <= ASK_CHARACTERS
    if not fit or amiss(answer.ask, known, language=language):
        return split
    return replace(split, question=answer.ask)


def request(question: Standalone, language: Language, split: Split, pack: Pack) -> list[Said]:
    """Return what the model is asked about a question and its choices."""
    quoting = Quoting()
    parts = (
        quoting.block("question", question.text[:_QUESTION_CHARACTERS]),
        quoting.block("choices", _numbered(split.choices)),
    )
    return quoting.request("clarify", parts, topic=pack.title.of(language), language=LANGUAGES[language])


async def settle(endpoint: Endpoint, role: str, message: Message, pending: Pending) -> Settled:
    """Return what the message is to the question back. Raises ModelError."""
    answer = await endpoint.ask(
        role, settling(message, pending), shape=Meaning, tokens=_TOKENS, objection=_objection(pending)
    )
    if answer.meaning == "choice":
        return Settled(kind="choice", choice=answer.choice - 1)
    if answer.meaning == "new":
        return Settled(kind="new")
    # What is told for the fields of a document is no part of the question.
    return Settled(kind="detail", detail="" if pending.wanted else plain(message.text).rstrip(" .!"))


def settling(message: Message, pending: Pending) -> list[Said]:
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


def _says(question: str, words: str) -> bool:
    """Tell whether a question holds these words, and whether they say anything."""
    return bool(tokens(words)) and words.casefold() in normalise(question).casefold()
