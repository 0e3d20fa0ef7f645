"""The messages of a request: text that is nothing but text, how many tokens it is, and what may be left out of it."""

import math
import re
from collections.abc import Mapping, Sequence
from typing import Literal

from agent.language.ko.letters import SYLLABLES

Said = Mapping[Literal["role", "content"], str]
"""One message of a request."""

_MESSAGE_TOKENS = 4
_REPLY_TOKENS = 3
"""What a chat format adds to every message, and to begin the reply: OpenAI's cookbook, "How to count tokens"."""
_LETTERS = re.compile(r"[A-Za-z \t\r\n]+")
_ASCII = re.compile(r"[\x00-\x7f]+")
_HANGUL = re.compile(f"[{SYLLABLES}]+")
_TOKENS_PER_LETTER = 0.3
_TOKENS_PER_SIGN = 1.0
_TOKENS_PER_SYLLABLE = 1.5
_TOKENS_PER_OTHER = 2.0
"""Set so that no text of 200 characters or more was estimated below its true count in cl100k_base or o200k_base: 294
English passages (ClapNQ), 961 Korean ones (KorQuAD 1.0), 278 pieces of documentation and source code. Characters a
token, 1st percentile and median: English 2.4 and 4.7 in both; Korean 0.87 and 0.97 in cl100k_base, 1.4 and 1.6 in
o200k_base. The estimate's median is 1.6 times the truth for English, 1.2 (cl100k_base) and 1.8 times for Korean."""
_UNSEEN = re.compile(r"[\U000e0000-\U000e007f\u202a-\u202e\u2066-\u2069\u0000-\u0008]")
"""Letters that nobody sees and a model reads (Unicode tags), and those that turn the direction of what is seen."""
_CONTROL = re.compile(
    r"<(?=[|｜][^<>\n]{1,40}[|｜]>)"  # <|im_start|>, <|eot_id|>, and DeepSeek's with its wide bars
    r"|<(?=/?(?:start_of_turn|end_of_turn|think|thinking|thoughts?|reasoning|reflection|s|bos|eos)>)"
    r"|<(?=</?SYS>>)"
    r"|\[(?=/?(?:INST|THINK|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_RESULTS|TOOL_CALLS)\])"
)
"""Where a chat template's own marks begin. Servers that parse them in a message's text would take what follows for
another role."""


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


def estimate(text: str) -> int:
    """Return at least about as many tokens as a text is: too many rather than too few."""
    ascii = sum(map(len, _ASCII.findall(text)))
    letters = sum(map(len, _LETTERS.findall(text)))
    syllables = sum(map(len, _HANGUL.findall(text)))
    return math.ceil(
        letters * _TOKENS_PER_LETTER
        + (ascii - letters) * _TOKENS_PER_SIGN
        + syllables * _TOKENS_PER_SYLLABLE
        + (len(text) - ascii - syllables) * _TOKENS_PER_OTHER
    )


def inert(text: str) -> str:
    """Return the text with a space inside every mark of a chat template, and without letters that nobody sees."""
    return _CONTROL.sub(lambda match: f"{match[0]} ", _UNSEEN.sub("", text))
