"""The messages that a question points at, and as passages: of this turn alone, never of the library."""

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from agent.language import say
from agent.text import language_of
from agent.types import SAID, Block, Language, Passage, Said

FIRST_ID = -100_000_000
"""Of the passages; those of files and web pages are above it."""


GONE = "pointed_gone"
"""The trouble with a message that is not there any more."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Pointed:
    """What was read for a question, oldest first; whoever reads the answer may read it."""

    said: tuple[Said, ...] = ()
    target: tuple[str, ...] = ()
    """Ids of those that the message replies to, holds as forwarded, or links to; the others stand around them."""
    trouble: str = ""
    """Key of the catalogue: why something was not read."""
    cut: bool = False
    """Whether there are more messages than were read."""


class Talk(Protocol):
    """Reads what was said before in the thread of a message, from its platform."""

    async def __call__(self, *, patient: bool) -> Pointed:
        """Return it. `patient`: a short limit of the platform's is waited for. Raises StorageError."""
        ...


def who(said: Said, language: Language) -> str:
    """Return what is shown as the author of a message."""
    name = said.author.name or say("somebody", language)
    return say("said_by_app", language, name=name) if said.by_bot else name


def when(said: Said) -> str:
    """Return when a message was written, in the zone of this machine."""
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(said.at)) if said.at else ""


def blocks_of(messages: Sequence[Said], language: Language) -> tuple[Block, ...]:
    """Return messages as blocks, cited by who wrote them and when, with the address of each as its source.

    A message has the same reference in every turn that reads it.
    """
    return tuple(Block(n=n, passage=_passage(said, n, language), score=0.0) for n, said in enumerate(messages, start=1))


def _passage(said: Said, n: int, language: Language) -> Passage:
    name = who(said, language)
    return Passage(
        id=FIRST_ID - n,
        document_id=f"{said.place}/{said.id}",
        collection=SAID,
        title=" · ".join(part for part in (name, when(said)) if part),
        text=said.text,
        language=language_of(said.text, language),
        source=said.link,
        entities=(name,),
        date=when(said)[:10],
    )


def told_of(said: Said, words: str, language: Language) -> str:
    """Return somebody's words as a quotation in Markdown: who said them and when, with the message's address."""
    name = re.sub(r"[\[\]<>*_`~|]", " ", " · ".join(part for part in (who(said, language), when(said)) if part))
    shown = f"[{name}]({said.link})" if said.link.startswith("https://") else name
    return f"> **{shown}**: {words}"
