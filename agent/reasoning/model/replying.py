"""Replies that need no documents."""

from agent.prompts import load, render
from agent.reasoning.contract import Message
from agent.reasoning.model.endpoint import Endpoint, Said
from agent.reasoning.model.failures import UnusableError
from agent.reasoning.model.leaks import leaks
from agent.reasoning.model.quoting import Quoting
from agent.reasoning.model.reading import LANGUAGES, intent_named, language_in
from agent.types import Understood
from agent.words import say

_REPLY_TOKENS = 300
_CHAT_TOKENS = 1500
_CHAT_TURNS = 10
_CHAT_CHARACTERS = 4000


async def respond(endpoint: Endpoint, role: str, message: Message, understood: Understood) -> str:
    """Return the pack's own words where it has some, the catalogue's to decline, else the model's.

    Raises ModelError.
    """
    language = understood.language
    topic = message.pack.title.of(language)
    spec = intent_named(understood.intent.name, message.pack)
    if spec is not None and spec.reply is not None:
        return spec.reply.of(language)
    if understood.route == "decline":
        return say("declined", language, topic=topic)
    text = await endpoint.text(role, request(message, understood), tokens=_REPLY_TOKENS)
    if leaks(text, sources=[message.text, topic], instructions=[load("respond"), load("quoting")]):
        raise UnusableError("The model's reply holds what must not be shown.")
    return text


def request(message: Message, understood: Understood) -> list[Said]:
    """Return what the model is asked to reply to."""
    quoting = Quoting()
    language = understood.language
    return [
        quoting.prompt("respond", topic=message.pack.title.of(language), language=LANGUAGES[language]),
        {"role": "user", "content": quoting.block("message", message.text[:_CHAT_CHARACTERS])},
    ]


async def chat(endpoint: Endpoint, role: str, message: Message) -> str:
    """Return the model's own words about the conversation. Raises ModelError."""
    said: list[Said] = [{"role": "system", "content": render("chat", language=LANGUAGES[language_in(message)])}]
    for turn in message.turns[-_CHAT_TURNS:]:
        said.append({"role": "user", "content": turn.question[:_CHAT_CHARACTERS]})
        said.append({"role": "assistant", "content": turn.answer[:_CHAT_CHARACTERS]})
    said.append({"role": "user", "content": message.text})
    return await endpoint.text(role, said, tokens=_CHAT_TOKENS)
