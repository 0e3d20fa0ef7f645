"""A model that may fail, joined with the rules: what it cannot serve is answered offline, and the turn is told once.

Make one `FallbackReasoner` a turn; the model and the offline reasoner live as long as the process.
A streamed answer that breaks off after its first sentence cannot be mended here: what was shown
must be withdrawn, so `compose` raises ModelError, and composing again in the same turn is done
offline. What the model may add to the rules' result, and need not, has little time (`guarded_calls.py`).
"""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from agent.errors import ModelError
from agent.packs.pack import Pack, SlotSpec
from agent.reasoning.analysis_contract import AnalysisBrief, Reading
from agent.reasoning.combined import precedence
from agent.reasoning.combined.composition import Trust, Writing
from agent.reasoning.combined.documents import Drafts
from agent.reasoning.combined.guarded_calls import KnownError, Trying
from agent.reasoning.contract import Brief, Message, Model, Reasoner
from agent.reasoning.message.message_text import language_asked, plain
from agent.results import Again
from agent.types import Expansion, Grade, Plan, QualityCheck, Sentence, Standalone, Step, Understood

CERTAIN = 1.0
"""Confidence of the offline rules in a message that is nothing but a greeting, thanks or noise."""
ADDED_SECONDS = 6.0
"""For a small call that adds to the rules' result. A plan, a review, an analysis have twice that."""
CALLS = 6
"""Of a turn: with so many made, the rules do the rest."""
READ_AND_WRITTEN = 2
SECOND_SEARCH = 3
"""Calls of one: other words, another draft, its check."""
ANOTHER_DRAFT = 2
"""Calls of one: to write it, and to check it."""


class FallbackReasoner:
    """Implements `Reasoner` for one turn with a model, and offline where the model fails or is not needed."""

    def __init__(
        self,
        model: Model,
        offline: Reasoner,
        *,
        notice: Callable[[str], None] | None = None,
        seconds: float = ADDED_SECONDS,
        asked: Callable[[], int] = lambda: 0,
        takes: Callable[[float], float] = lambda calls: 0.0,
        left: Callable[[], float] = lambda: float("inf"),
        trust: Trust | None = None,
    ) -> None:
        """`takes`: the seconds of so many usual calls, 0 if not known; `left`: the seconds that the turn has.

        `trust` lives as long as the process.
        """
        self._model = model
        self._offline = offline
        self._trying = Trying(seconds=seconds, notice=notice, takes=takes)
        self._asked = asked
        self._takes = takes
        self._left = left
        self._drafts = Drafts(model, offline, self._trying)
        self._writing = Writing(model, offline, self._trying, self._may_ask, trust)
        self._missed = False
        """Whether the model sent a draft back for what is missing in it: once in a turn is enough."""
        self._read_by_model: bool | None = None
        """None: not read yet. What was read offline is also resolved, planned and expanded offline."""
        # What the rules alone know: the conversation, what the documents hold, the asker's memory word for word.
        self.settle, self.clarify, self.respond = offline.settle, offline.clarify, offline.respond
        self.recollect, self.summarise = offline.recollect, offline.summarise
        self.chat = model.chat  # nothing but a model can serve mode `llm`
        self.draft_document, self.review = self._drafts.draft_document, self._drafts.review

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the asker should be told at the end of the turn: empty, or the one notice about the model."""
        return tuple(self._trying.warnings)

    def _may_ask(self, calls: int) -> bool:
        """Tell whether the turn has so many calls left, and the time for them."""
        if self._asked() + calls > CALLS:
            return False
        return self._takes(calls) <= self._left()

    async def understand(self, message: Message) -> Understood:
        """Return language, intent and route of the message; a plain greeting or thanks does not cost a call."""
        self._read_by_model = False
        offline = await self._offline.understand(message)
        if offline.route in ("direct", "decline") and offline.intent.confidence >= CERTAIN:
            return offline
        if offline.followup is not None or offline.route == "clarify":  # recognised by the rules
            return offline
        if message.pack.cases_for(offline.intent.name) is not None:  # cases are found and quoted without a model
            return offline
        if not self._may_ask(READ_AND_WRITTEN):  # a slow model has time for one of them, and writing is worth more
            return offline
        try:
            understood = await self._model.understand(message)
        except ModelError as error:
            self._trying.tell(error, offline.language)
            return offline
        if precedence.loses_search(offline, understood, message.text):
            return replace(offline, outside=understood.intent.name if understood.route == "decline" else "")
        self._read_by_model = True
        return precedence.understood(offline, understood)

    async def resolve(self, message: Message) -> Standalone:
        """Return the message as it reads alone."""
        rules = await self._offline.resolve(message)
        if self._read_by_model is False:
            return rules
        try:
            return precedence.resolved(rules, await self._model.resolve(message))
        except ModelError as error:
            self._trying.tell(error, language_asked(plain(message.text), message))
            return rules

    async def holds(self, brief: Brief) -> bool:
        """Tell whether earlier evidence holds what is asked.

        A translation is the model's to give: it is written here, so that it is known whether there is one.
        """
        translates = brief.followup is not None and brief.followup.kind == "translate" and bool(brief.blocks)
        if translates and not self._writing.failed and await self._writing.translate(brief):
            return True
        return await self._offline.holds(brief)

    async def plan(self, question: Standalone, understood: Understood, pack: Pack) -> Plan:
        """Return the steps: the model's where it has read several questions and plans for them, else the rules'."""
        rules = await self._offline.plan(question, understood, pack)
        if not self._read_by_model:
            return rules
        plan = await self._trying.added(
            lambda: self._model.plan(question, understood, pack), rules, understood.language, times=2
        )
        alone = len(plan.steps) == 1 and plan.steps[0].team == "search"
        return rules if alone or not precedence.is_ordered(plan, rules, question.text, pack) else plan

    async def expand(
        self, step: Step, question: Standalone, understood: Understood, pack: Pack, again: Again | None = None
    ) -> Expansion:
        """Return how to search offline, and the model's other wordings where it has read the message."""
        rules = await self._offline.expand(step, question, understood, pack, again)
        if not self._read_by_model:
            return rules

        async def more() -> Expansion:
            model = await self._model.expand(step, question, understood, pack, again)
            return precedence.expanded(rules, model.queries, by_meaning=again is not None)

        if again is not None:
            if self._writing.gave_up or not self._may_ask(SECOND_SEARCH):
                return rules
            return await self._trying.added(more, rules, understood.language)
        return await more()  # the wordings came with the reading: there is no call that could fail

    async def compose(self, brief: Brief) -> AsyncIterator[Sentence]:
        """Yield the answer. Raises ModelError when it breaks off: compose again, it will be done offline."""
        if self._takes(1) > self._left() and self._asked() < CALLS:
            words = "The model is too slow for this turn: limits.deadline_seconds of the pack gives it more time."
            self._trying.tell(KnownError(words), brief.language)
        async for sentence in self._writing.compose(brief):
            yield sentence

    async def check_grounding(self, sentences: Sequence[Sentence], brief: Brief) -> QualityCheck:
        """Tell whether the answer is supported; by the rules alone where the model fails."""
        judge = self._model if self._may_ask(1) else self._offline
        try:
            check = await judge.check_grounding(sentences, brief)
        except ModelError as error:
            self._trying.tell(error, brief.language)
            check = await self._offline.check_grounding(sentences, brief)
        return replace(check, needs_retry=check.needs_retry and self._may_ask(ANOTHER_DRAFT))

    async def grade(self, sentences: Sequence[Sentence], brief: Brief, grounding: QualityCheck) -> Grade:
        """Tell how well the sentences answer the question: by the rules, and by the model that has judged them."""
        graded = await self._offline.grade(sentences, brief, grounding)
        if brief.lookup is None:  # else the rules wrote it, and have told how likely it is
            model = await self._model.grade(sentences, brief, grounding)
            graded = precedence.graded(graded, model, may_send_back=not self._missed)
            self._missed = self._missed or model.check.needs_retry
            retry = graded.check.needs_retry and self._may_ask(ANOTHER_DRAFT)
            graded = replace(graded, check=replace(graded.check, needs_retry=retry))
        if self._writing.declined:
            return precedence.declined(graded, self._writing.declined, again=not self._writing.gave_up)
        return replace(graded, final=not self._may_ask(SECOND_SEARCH))

    async def extract_slots(self, text: str, specs: Sequence[SlotSpec]) -> Mapping[str, Any]:
        """Return what the text tells of these slots: by the rules, and by the model what a document needs besides."""
        return await self._drafts.extract_slots(text, specs, with_model=bool(self._read_by_model))

    async def analyse(self, brief: AnalysisBrief) -> Reading:
        """Return what the metrics tell: the model's insights, and the rules' on what it says nothing of."""
        rules = await self._offline.analyse(brief)

        async def both() -> Reading:
            return precedence.analysed(rules, await self._model.analyse(brief))

        return await self._trying.added(both, rules, brief.language, times=2)
