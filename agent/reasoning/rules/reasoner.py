"""The reasoner without a model: rules and extraction, the same answer to the same question every time."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

from agent.errors import ModelError
from agent.language import say
from agent.packs.pack import IntentSpec, Pack, SlotSpec
from agent.reasoning.analysis_contract import AnalysisBrief, Reading
from agent.reasoning.contract import Brief, Message
from agent.reasoning.document_contract import DocumentBrief, Drafted
from agent.reasoning.grounding import citation_support
from agent.reasoning.message import message_text
from agent.reasoning.rules import understanding
from agent.reasoning.rules.answering import (
    ambiguity,
    answer_revision,
    case_answer,
    document_sections,
    figure_statements,
    thread_digest,
    thread_summary,
)
from agent.reasoning.rules.answering.fixed_replies import recollect, reply
from agent.reasoning.rules.judging import draft_review, statement_verdict
from agent.reasoning.rules.judging import grade as grading
from agent.reasoning.rules.planning import query_expansion, routes, steps
from agent.reasoning.rules.reading import slots
from agent.reasoning.rules.reading.intents import Intents
from agent.reasoning.rules.thread import clarification_reply, standalone_question
from agent.reasoning.rules.thread.history import past_of
from agent.results import Again, Review
from agent.text import language_of
from agent.types import (
    Block,
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


class OfflineReasoner:
    """Implements `Reasoner`. Nothing here waits for anything outside the process.

    Rules run beside the event loop, but for what takes less than handing it over does.
    """

    def __init__(self) -> None:
        self._intents: dict[int, tuple[tuple[IntentSpec, ...], Intents]] = {}

    async def understand(self, message: Message) -> Understood:
        """Return language, intent and route of the message."""
        return await asyncio.to_thread(self._understood, message)

    async def resolve(self, message: Message) -> Standalone:
        """Return the message so that it can be understood without the turns before it."""
        return await asyncio.to_thread(_standalone, message)

    async def settle(self, message: Message, pending: Pending) -> Settled:
        """Return what a message means that came after a question back."""
        return await asyncio.to_thread(clarification_reply.settle, message, pending)

    async def clarify(
        self, question: Standalone, understood: Understood, blocks: Sequence[Block], pack: Pack
    ) -> Split | None:
        """Return what to ask back, when the evidence splits over several things."""
        return await asyncio.to_thread(ambiguity.split, question, understood, blocks, pack)

    async def holds(self, brief: Brief) -> bool:
        """Tell whether earlier evidence holds what the follow-up asks for."""
        return await asyncio.to_thread(answer_revision.holds, brief)

    async def plan(self, question: Standalone, understood: Understood, pack: Pack) -> Plan:
        """Return one search step, or one for each thing that was asked."""
        plan = steps.plan(question, understood.language, pack)
        intents = self._intents_of(pack)

        def refused(text: str) -> bool:
            return routes.route(text, pack, intents, leans="").reason == "declined"

        return plan if len(plan.steps) == 1 else steps.without_refused(plan, refused, understood.language)

    async def expand(
        self, step: Step, question: Standalone, understood: Understood, pack: Pack, again: Again | None = None
    ) -> Expansion:
        """Return how to search for a step; again, with the words of what was found first."""
        return await asyncio.to_thread(
            query_expansion.expand, step, question, understood, again, pack.trade, pack.synonyms
        )

    async def compose(self, brief: Brief) -> AsyncIterator[Sentence]:
        """Yield sentences of the documents that answer; nothing at all when none does."""
        write = answer_revision.as_preferred if brief.followup is None else answer_revision.revise
        if brief.lookup is not None:
            write = case_answer.compose
        if brief.aim is not None and brief.aim != "answer":
            write = statement_verdict.checked if brief.aim == "check" else thread_digest.tell
        for sentence in await asyncio.to_thread(write, brief):
            yield sentence

    async def respond(self, message: Message, understood: Understood) -> str:
        """Return a reply that needs no documents."""
        return reply(message.pack, understood)

    async def recollect(self, message: Message, understood: Understood, memories: Sequence[Memory]) -> str:
        """Return what is known of the asker."""
        return await asyncio.to_thread(recollect, message, understood, memories)

    async def summarise(self, summary: Summary | None, turns: Sequence[TurnRecord]) -> str:
        """Return names, numbers and decisions of these turns."""
        return await asyncio.to_thread(thread_summary.summarise, summary, turns)

    async def chat(self, message: Message) -> str:
        """Refuse: there is no model here. Raises ModelError."""
        raise ModelError(say("llm_mode_needs_model", language_of(message.text)))

    async def check_grounding(self, sentences: Sequence[Sentence], brief: Brief) -> QualityCheck:
        """Tell whether every sentence is supported by what it cites, by the rules of `support`."""
        return await asyncio.to_thread(citation_support.check_all, sentences, brief.blocks, brief.question)

    async def grade(self, sentences: Sequence[Sentence], brief: Brief, grounding: QualityCheck) -> Grade:
        """Tell how well the sentences answer the question."""
        return await asyncio.to_thread(grading.grade, sentences, brief, grounding)

    async def extract_slots(self, text: str, specs: Sequence[SlotSpec]) -> Mapping[str, Any]:
        """Return what the text tells of these slots."""
        return await asyncio.to_thread(slots.slots_of, text, specs)

    async def draft_document(self, brief: DocumentBrief) -> Mapping[str, Sequence[Sentence]]:
        """Return the sentences of each section of the template."""
        return await asyncio.to_thread(document_sections.drafted, brief)

    async def review(self, brief: DocumentBrief, drafted: Drafted) -> Review:
        """Tell what is risky about a draft."""
        return await asyncio.to_thread(draft_review.review, brief, drafted)

    async def analyse(self, brief: AnalysisBrief) -> Reading:
        """Return what the metrics tell."""
        return await asyncio.to_thread(figure_statements.analysed, brief)

    def _understood(self, message: Message) -> Understood:
        return understanding.understand(message, self._intents_of(message.pack))

    def _intents_of(self, pack: Pack) -> Intents:
        """Return the classifier of a pack, trained when it is first asked."""
        known = self._intents.get(id(pack.intents))
        if known is None or known[0] is not pack.intents:
            known = (pack.intents, Intents(pack.intents))
            self._intents[id(pack.intents)] = known
        return known[1]


def _standalone(message: Message) -> Standalone:
    return standalone_question.standalone(message_text.plain(message.text), past_of(message.turns))
