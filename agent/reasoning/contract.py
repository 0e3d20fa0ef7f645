"""What the graph asks of a reasoner. Offline and model results have the same types.

Both implementations pass `tests/contracts/reasoning.py`. A reasoner raises `ModelError` when it
has no usable result; the offline one never does.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any, Protocol

from agent.packs.pack import Pack, SlotSpec
from agent.reasoning.analysis_contract import AnalysisBrief, Reading
from agent.reasoning.brief import NOBODY, Brief, Message, answered, answers_of, found_nothing
from agent.reasoning.document_contract import DocumentBrief, Drafted
from agent.results import Again, Review
from agent.types import (
    Expansion,
    Grade,
    Memory,
    Pending,
    Plan,
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

__all__ = [
    "NOBODY", "SUMMARY_BYTES", "Brief", "Conversing", "Message", "Model", "Reasoner",
    "answered", "answers_of", "found_nothing",
]  # fmt: skip

SUMMARY_BYTES = 1_200
"""That the summary of a thread may have."""


class Model(Protocol):
    """Reads a message, writes, checks and marks: what is better with a model, and done without one where it fails.

    It fails with ModelError.
    """

    async def understand(self, message: Message) -> Understood:
        """Return language, intent and route of the message."""
        ...

    async def resolve(self, message: Message) -> Standalone:
        """Return the message so that it can be understood without the turns before it."""
        ...

    async def plan(self, question: Standalone, understood: Understood, pack: Pack) -> Plan:
        """Return what has to be done to answer; at least one step."""
        ...

    async def expand(
        self, step: Step, question: Standalone, understood: Understood, pack: Pack, again: Again | None = None
    ) -> Expansion:
        """Return how to search for a step: the queries to run, and the terms that must be there.

        With `again` it is another way than the one that was tried.
        """
        ...

    def compose(self, brief: Brief) -> AsyncIterator[Sentence]:
        """Yield the answer sentence by sentence; nothing at all when the blocks do not answer it."""
        ...

    async def chat(self, message: Message) -> str:
        """Return the model's own words (mode `llm`). Raises ModelError where there is no model."""
        ...

    async def check_grounding(self, sentences: Sequence[Sentence], brief: Brief) -> QualityCheck:
        """Tell whether every sentence is supported by what it cites."""
        ...

    async def grade(self, sentences: Sequence[Sentence], brief: Brief, grounding: QualityCheck) -> Grade:
        """Tell how well the sentences answer the question, and what to do better where they do not."""
        ...

    async def extract_slots(self, text: str, specs: Sequence[SlotSpec]) -> Mapping[str, Any]:
        """Return what the text tells of these slots, by name; a slot that it does not tell is not there."""
        ...

    async def draft_document(self, brief: DocumentBrief) -> Mapping[str, Sequence[Sentence]]:
        """Return the sentences of each section of the template, every one with what it rests on."""
        ...

    async def review(self, brief: DocumentBrief, drafted: Drafted) -> Review:
        """Tell what is risky about a draft, and what should be changed."""
        ...

    async def analyse(self, brief: AnalysisBrief) -> Reading:
        """Return what the metrics tell about the question; every number in it is one of theirs."""
        ...


class Conversing(Protocol):
    """Keeps the thread of a conversation: questions back, earlier answers, memory."""

    async def settle(self, message: Message, pending: Pending) -> Settled:
        """Return what a message means that came after a question back; never `late`, which time alone tells."""
        ...

    async def clarify(self, understood: Understood, brief: Brief) -> Split | None:
        """Return what to ask back, when the evidence splits over things that the question does not choose between.

        Without blocks it is the missing slot that is asked for. None: it can be answered.
        """
        ...

    async def holds(self, brief: Brief) -> bool:
        """Tell whether the blocks, the evidence of an earlier answer, hold what the follow-up asks for."""
        ...

    async def respond(self, message: Message, understood: Understood) -> str:
        """Return a reply that needs no documents: a greeting, thanks, what Weft can do, a refusal."""
        ...

    async def recollect(self, message: Message, understood: Understood, memories: Sequence[Memory]) -> str:
        """Return what is known of the asker: profile, preferences, past questions."""
        ...

    async def summarise(self, summary: Summary | None, turns: Sequence[TurnRecord]) -> str:
        """Return names, numbers and decisions of these turns, and of the summary of those before, in few words."""
        ...


class Reasoner(Model, Conversing, Protocol):
    """All that the graph asks for."""
