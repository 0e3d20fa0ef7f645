"""The messages of a request, and what may be left out of them when they are too long."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

Said = Mapping[Literal["role", "content"], str]
"""One message of a request."""

Count = Callable[[str], int]
"""Tells how many tokens a text is."""

_MESSAGE_TOKENS = 4
_REPLY_TOKENS = 3
"""What a chat format adds to every message, and to begin the reply: OpenAI's cookbook, "How to count tokens"."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Room:
    """How much a request may say."""

    tokens: int
    count: Count

    def left(self, messages: Sequence[Said]) -> int:
        """Return how many tokens are free beside these messages; negative when they are too long."""
        return self.tokens - count_messages(messages, self.count)


Shorten = Callable[[Sequence[Said], Room], Sequence[Said]]


class Prompt(dict[Literal["role", "content"], str]):
    """A system message that knows what may be left out of the messages that it begins."""

    def __init__(self, content: str, shorten: Shorten) -> None:
        super().__init__({"role": "system", "content": content})
        self.shorten = shorten


def fitted(messages: Sequence[Said], room: Room) -> Sequence[Said]:
    """Return the messages, shortened where they are too long and there is something to leave out.

    They may still be too long: `room.left` tells.
    """
    if room.left(messages) >= 0:
        return messages
    first = messages[0] if messages else None
    return first.shorten(messages, room) if isinstance(first, Prompt) else messages


def count_messages(messages: Sequence[Said], count: Count) -> int:
    """Return the tokens of a request."""
    return sum(count(said["content"]) + _MESSAGE_TOKENS for said in messages) + _REPLY_TOKENS
