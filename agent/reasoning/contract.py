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
    FollowUp,
    Language,
    Memory,
    Pending,
    Plan,
    Profile,
    QualityCheck,
    Sentence,
    Settled,
    Split,
    Standalone,
    Step,
    Summary,
    TurnRecord,
    Understood,
)

NOBODY = Profile()
"""Somebody of whom nothing is known."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Message:
    """What was said, and where in the conversation: `turns` are the earlier ones, oldest first."""

    text: str
    pack: Pack
    turns: Sequence[TurnRecord] = ()
    locale: str = ""
    summary: Summary | None = None
    """Of the turns before these."""
    profile: Profile = NOBODY
    """Of the author."""


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
    profile: Profile = NOBODY
    """Of the asker: their preferences, and what they told of themselves."""
    followup: FollowUp | None = None
    """What is wanted of the last of `turns`, whose evidence the blocks then are."""


def answered(turns: Sequence[TurnRecord]) -> TurnRecord | None:
    """Return the turn that a follow-up is about: the last answer from documents, not another form of it."""
    told = [turn for turn in turns if turn.evidence]
    own = [turn for turn in told if turn.route not in ("followup", "explain")]
    return next(reversed(own or told), None)


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


class Conversing(Protocol):
    """Keeps the thread of a conversation: questions back, earlier answers, memory."""

    async def settle(self, message: Message, pending: Pending) -> Settled:
        """Return what a message means that came after a question back; never `late`, which time alone tells."""
        ...

    async def clarify(
        self, question: Standalone, understood: Understood, blocks: Sequence[Block], pack: Pack
    ) -> Split | None:
        """Return what to ask back, when the evidence splits over things that the question does not choose between.

        Without blocks it is the missing slot that is asked for. None: it can be answered.
        """
        ...

    async def holds(self, brief: Brief) -> bool:
        """Tell whether the blocks, the evidence of an earlier answer, hold what the follow-up asks for."""
        ...

    async def recollect(self, message: Message, understood: Understood, memories: Sequence[Memory]) -> str:
        """Return what is known of the asker: profile, preferences, past questions."""
        ...

    async def summarise(self, summary: Summary | None, turns: Sequence[TurnRecord]) -> str:
        """Return names, numbers and decisions of these turns, and of the summary of those before, in few words."""
        ...


class Model(Understanding, Composing, Judging, Protocol):
    """What is better with a model, and done without one where it fails."""


class Reasoner(Model, Conversing, Protocol):
    """All that the graph asks for."""
