"""What the graph asks of a reasoner. Offline and model results have the same types.

Both implementations pass `tests/contracts/reasoning.py`. A reasoner raises `ModelError` when it
has no usable result; the offline one never does.
"""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from agent.packs.pack import Pack
from agent.types import (
    Block,
    Expansion,
    Language,
    Plan,
    QualityCheck,
    Sentence,
    Standalone,
    Step,
    TurnRecord,
    Understood,
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Message:
    """What was said, and where in the conversation: `turns` are the earlier ones, oldest first."""

    text: str
    pack: Pack
    turns: Sequence[TurnRecord] = ()
    locale: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Brief:
    """What an answer is to be written from, and nothing else.

    `blocks` are data: text in them that gives orders is quoted, never obeyed.
    """

    question: str
    """The standalone question."""
    language: Language
    pack: Pack
    blocks: Sequence[Block]
    turns: Sequence[TurnRecord] = ()
    suggestions: Sequence[str] = ()
    """What an earlier check asked to do better."""


class Understanding(Protocol):
    """Reads a message."""

    async def understand(self, message: Message) -> Understood:
        """Return language, intent and route of the message."""
        ...

    async def resolve(self, message: Message) -> Standalone:
        """Return the message so that it can be understood without the turns before it."""
        ...

    async def plan(self, question: Standalone, understood: Understood, pack: Pack) -> Plan:
        """Return what has to be done to answer; at least one step."""
        ...

    async def expand(self, step: Step, question: Standalone, understood: Understood, pack: Pack) -> Expansion:
        """Return how to search for a step: the queries to run, and the terms that must be there."""
        ...


class Composing(Protocol):
    """Writes."""

    def compose(self, brief: Brief) -> AsyncIterator[Sentence]:
        """Yield the answer sentence by sentence; nothing at all when the blocks do not answer it."""
        ...

    async def respond(self, message: Message, understood: Understood) -> str:
        """Return a reply that needs no documents: a greeting, thanks, what Weft can do, a refusal."""
        ...

    async def chat(self, message: Message) -> str:
        """Return the model's own words (mode `llm`). Raises ModelError where there is no model."""
        ...


class Judging(Protocol):
    """Checks."""

    async def check_grounding(self, sentences: Sequence[Sentence], brief: Brief) -> QualityCheck:
        """Tell whether every sentence is supported by what it cites."""
        ...


class Reasoner(Understanding, Composing, Judging, Protocol):
    """All three."""
