"""A conversation without documents (mode `llm`)."""

from agent.language.registry import profile
from agent.prompts import render
from agent.reasoning.contract import Message
from agent.reasoning.message.message_text import language_asked, plain
from agent.reasoning.model.transport.endpoint import Endpoint, Said

_TOKENS = 1500
_TURNS = 10
_CHARACTERS = 4000


async def chat(endpoint: Endpoint, message: Message) -> str:
    """Return the model's own words about the conversation. Raises ModelError."""
    language = profile(language_asked(plain(message.text), message)).name
    said: list[Said] = [{"role": "system", "content": render("chat", language=language)}]
    for turn in message.turns[-_TURNS:]:
        said.append({"role": "user", "content": turn.question[:_CHARACTERS]})
        said.append({"role": "assistant", "content": turn.answer[:_CHARACTERS]})
    said.append({"role": "user", "content": message.text})
    return await endpoint.text("large", said, tokens=_TOKENS)
