"""Other people's words inside a prompt: between lines that carry a random mark, so that none can forge them."""

import re
import secrets
from collections.abc import Sequence

from agent.prompts import load, render
from agent.reasoning.model.transport.messages import Prompt, Said, inert
from agent.text import normalise, sentences
from agent.types import Block, TurnRecord

_LINE_BREAKS = re.compile(r"[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]+")
_FORGED = re.compile(r"<<(?=<[0-9a-f]{16}\b)|(?<=[0-9a-f]{16}>)>(?=>)")
"""What looks like a mark of ours; a space behind it breaks it."""


class Quoting:
    """Quotes data for one call; every call has its own mark."""

    def __init__(self) -> None:
        self._mark = secrets.token_hex(8)
        self._passages: list[str] = []

    def request(self, name: str, parts: Sequence[str], *, end: str = "", **values: object) -> list[Said]:
        """Return the messages of a prompt that has a place for the rules about quoted data.

        `parts` are quotations, empty ones left out. The system message is the same for the same values, whatever is
        quoted, so that an endpoint that keeps what it has read need not read it again: the mark is told after it.
        `end`: what is said after the quotations.
        """
        said = (render("mark", mark=self._mark), *parts, end)
        return [
            Prompt(render(name, quoting=load("quoting"), **values), [f"\n{each}" for each in self._passages[1:]]),
            {"role": "user", "content": "\n".join(part for part in said if part)},
        ]

    def block(self, name: str, text: str) -> str:
        """Return the text as quoted data."""
        text = _FORGED.sub(lambda match: f"{match[0]} ", inert(text.replace(self._mark, ""))).strip()
        return f"<<<{self._mark} {inert(line(name, 60))}\n{text}\n{self._mark}>>>"

    def passages(self, blocks: Sequence[Block], *, characters: int) -> str:
        """Return numbered passages, as many as fit into so many characters and at least one.

        None is cut but the first, at the end of a sentence.
        """
        out: list[str] = []
        left = characters
        for block in blocks:
            text = block.passage.text if out else cut(block.passage.text, characters)
            if out and len(text) > left:
                break
            left -= len(text)
            out.append(self._passage(block, text))
        self._passages += out
        return "\n".join(out)

    def conversation(self, turns: Sequence[TurnRecord], *, most: int, characters: int) -> str:
        """Return the latest turns, oldest first; empty when there are none."""
        if not turns:
            return ""
        said = [
            f"person: {line(turn.question, characters)}\nassistant: {line(cut(turn.answer, characters), characters)}"
            for turn in turns[-most:]
        ]
        return self.block("conversation", "\n".join(said))

    def _passage(self, block: Block, text: str) -> str:
        passage = block.passage
        head = f"title: {line(passage.title, 200)}"
        if passage.section:
            head += f"\nsection: {line(passage.section, 300)}"
        return self.block(f"passage {block.n}", f"{head}\n\n{text}")


def line(text: str, characters: int) -> str:
    """Return the text on one line, cut to a length."""
    text = normalise(_LINE_BREAKS.sub(" ", text))
    return text if len(text) <= characters else text[: characters - 1] + "…"


def cut(text: str, characters: int) -> str:
    """Return the text, or as many of its first sentences as fit; a first sentence that is too long is cut itself."""
    if len(text) <= characters:
        return text
    whole = 0
    for _, end in sentences(text):
        if end > characters:
            break
        whole = end
    return text[: whole or characters]
