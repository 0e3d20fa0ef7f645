"""The messages of a request, and what may be left out of them when they are too long."""

from collections.abc import Mapping, Sequence
from typing import Literal

from agent.reasoning.model.transport.tokens import estimate

Said = Mapping[Literal["role", "content"], str]
"""One message of a request."""

_MESSAGE_TOKENS = 4
_REPLY_TOKENS = 3
"""What a chat format adds to every message, and to begin the reply: OpenAI's cookbook, "How to count tokens"."""


class Prompt(dict[Literal["role", "content"], str]):
    """A system message that knows what may be left out of the messages that it begins: the last of `optional` first."""

    def __init__(self, content: str, optional: Sequence[str]) -> None:
        super().__init__({"role": "system", "content": content})
        self.optional = optional


def fitted(messages: Sequence[Said], tokens: int) -> Sequence[Said]:
    """Return the messages without what may be left out of them, as far as they would else have more tokens.

    They may still have more.
    """
    first = messages[0] if messages else None
    for part in reversed(first.optional if isinstance(first, Prompt) else ()):
        if count_messages(messages) <= tokens:
            break
        messages = [
            said if said is first else {"role": said["role"], "content": said["content"].replace(part, "")}
            for said in messages
        ]
    return messages


def count_messages(messages: Sequence[Said]) -> int:
    """Return the tokens of a request."""
    return sum(estimate(said["content"]) + _MESSAGE_TOKENS for said in messages) + _REPLY_TOKENS
