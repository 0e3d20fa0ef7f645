"""Other people's words inside a prompt: between lines that carry a random mark, so that none can forge them."""

import re
import secrets
from collections.abc import Sequence

from agent.prompts import render
from agent.reasoning.model.endpoint import Said
from agent.text import normalise
from agent.types import Block, TurnRecord

_LINE_BREAKS = re.compile(r"[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]+")


class Quoting:
    """Quotes data for one call; every call has its own mark."""

    def __init__(self) -> None:
        self._mark = secrets.token_hex(8)

    def prompt(self, name: str, **values: object) -> Said:
        """Return the system message of a prompt that has a place for the rules about quoted data."""
        return {"role": "system", "content": render(name, quoting=render("quoting", mark=self._mark), **values)}

    def block(self, name: str, text: str) -> str:
        """Return the text as quoted data."""
        return f"<<<{self._mark} {line(name, 60)}\n{text.strip()}\n{self._mark}>>>"

    def passages(self, blocks: Sequence[Block], *, characters: int) -> str:
        """Return numbered passages, as many as fit into so many characters and at least one."""
        out: list[str] = []
        left = characters
        for block in blocks:
            passage = block.passage
            if out and len(passage.text) > left:
                break
            left -= len(passage.text)
            head = f"title: {line(passage.title, 200)}"
            if passage.section:
                head += f"\nsection: {line(passage.section, 300)}"
            out.append(self.block(f"passage {block.n}", f"{head}\n\n{passage.text[:characters]}"))
        return "\n".join(out)

    def conversation(self, turns: Sequence[TurnRecord], *, most: int, characters: int) -> str:
        """Return the latest turns, oldest first; empty when there are none."""
        if not turns:
            return ""
        said = [
            f"person: {line(turn.question, characters)}\nassistant: {line(turn.answer, characters)}"
            for turn in turns[-most:]
        ]
        return self.block("conversation", "\n".join(said))


def line(text: str, characters: int) -> str:
    """Return the text on one line, cut to a length."""
    text = normalise(_LINE_BREAKS.sub(" ", text))
    return text if len(text) <= characters else text[: characters - 1] + "…"
