"""The reasoner without a model: rules and extraction, the same answer to the same question every time."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from typing import Any, ParamSpec, TypeVar

from agent.errors import ModelError
from agent.language import say
from agent.packs.pack import IntentSpec, Pack
from agent.reasoning.contract import Brief, Message
from agent.reasoning.grounding import citation_support
from agent.reasoning.message import message_text
from agent.reasoning.rules import understanding
from agent.reasoning.rules.answering import (
    ambiguity,
    answer_revision,
    case_answer,
    composition,
    document_summary,
    figure_statements,
    fixed_replies,
    thread_digest,
    thread_summary,
)
from agent.reasoning.rules.judging import draft_review, statement_verdict
from agent.reasoning.rules.judging import grade as grading
from agent.reasoning.rules.planning import query_expansion, routes, steps
from agent.reasoning.rules.reading import slots
from agent.reasoning.rules.reading.intents import Intents
from agent.reasoning.rules.thread import clarification_reply, standalone_question
from agent.reasoning.rules.thread.history import past_in
from agent.results import Again
from agent.text import language_of
from agent.types import Expansion, Plan, QualityCheck, Sentence, Standalone, Step, Understood

P = ParamSpec("P")
R = TypeVar("R")


def _beside(rule: Callable[P, R]) -> Callable[P, Coroutine[Any, Any, R]]:
    """Return a rule that runs beside the event loop."""

    async def run(*given: P.args, **named: P.kwargs) -> R:
        return await asyncio.to_thread(rule, *given, **named)

    return run


class OfflineReasoner:
    """Implements `Reasoner`. Nothing here waits for anything outside the process.

    Rules run beside the event loop, but for what takes less than handing it over does.
    """

    settle = staticmethod(_beside(clarification_reply.settle))
    clarify = staticmethod(_beside(ambiguity.split))
    holds = staticmethod(_beside(answer_revision.holds))
    recollect = staticmethod(_beside(fixed_replies.recollect))
    summarise = staticmethod(_beside(thread_summary.summarise))
    grade = staticmethod(_beside(grading.grade))
    extract_slots = staticmethod(_beside(slots.slots_of))
    draft_document = staticmethod(_beside(composition.drafted))
    review = staticmethod(_beside(draft_review.review))
    analyse = staticmethod(_beside(figure_statements.analysed))

    def __init__(self) -> None:
        self._intents: dict[int, tuple[tuple[IntentSpec, ...], Intents]] = {}

    async def understand(self, message: Message) -> Understood:
        """Return language, intent and route of the message."""
        return await asyncio.to_thread(lambda: understanding.understand(message, self._intents_of(message.pack)))

    async def resolve(self, message: Message) -> Standalone:
        """Return the message so that it can be understood without the turns before it."""
        return await asyncio.to_thread(
            lambda: standalone_question.standalone(message_text.plain(message.text), past_in(message))
        )

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
        elif brief.whole and brief.followup is None:
            write = document_summary.compose
        if brief.aim is not None and brief.aim != "answer":
            write = statement_verdict.checked if brief.aim == "check" else thread_digest.tell
        for sentence in await asyncio.to_thread(write, brief):
            yield sentence

    async def respond(self, message: Message, understood: Understood) -> str:
        """Return a reply that needs no documents."""
        return fixed_replies.reply(message.pack, understood)

    async def chat(self, message: Message) -> str:
        """Refuse: there is no model here. Raises ModelError."""
        raise ModelError(say("llm_mode_needs_model", language_of(message.text)))

    async def check_grounding(self, sentences: Sequence[Sentence], brief: Brief) -> QualityCheck:
        """Tell whether every sentence is supported by what it cites, by the rules of `support`."""
        return await asyncio.to_thread(citation_support.check_all, sentences, brief.blocks, brief.question)

    def _intents_of(self, pack: Pack) -> Intents:
        """Return the classifier of a pack, trained when it is first asked."""
        known = self._intents.get(id(pack.intents))
        if known is None or known[0] is not pack.intents:
            known = (pack.intents, Intents(pack.intents))
            self._intents[id(pack.intents)] = known
        return known[1]
