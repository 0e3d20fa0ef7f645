"""The reasoner that asks a model: a question costs one call to read, one to write and at most one to check."""

from collections.abc import AsyncIterator, Hashable, Mapping, Sequence
from typing import Any

from agent.language.registry import profile
from agent.packs.pack import Pack, SlotSpec
from agent.prompts import render
from agent.reasoning import analysis_contract as figures
from agent.reasoning.contract import Brief, Message
from agent.reasoning.document_contract import DocumentBrief, Drafted
from agent.reasoning.message.message_text import language_asked, plain
from agent.reasoning.model.tasks import (
    composition,
    document_sections,
    figure_statements,
    judgement,
    query_rewrites,
    slots,
    steps,
    understanding,
)
from agent.reasoning.model.tasks.understanding import AnyReading
from agent.reasoning.model.transport.endpoint import Endpoint, Said
from agent.results import Again, Review
from agent.types import (
    Expansion,
    Grade,
    Plan,
    QualityCheck,
    Query,
    Sentence,
    Standalone,
    Step,
    Understood,
)

_TOKENS = 1500
_TURNS = 10
_CHARACTERS = 4000


class ModelReasoner:
    """Implements `Model` for one turn with an endpoint; raises ModelError alone."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._readings: dict[Hashable, AnyReading] = {}
        self._by_question: dict[Hashable, AnyReading] = {}
        self._judged: dict[Hashable, judgement.Verdicts] = {}

    async def understand(self, message: Message) -> Understood:
        """Return language, intent and route of the message."""
        return understanding.understood(await self._read(message), message)

    async def resolve(self, message: Message) -> Standalone:
        """Return the message as it reads alone, from what `understand` already asked."""
        known = self._readings.get(_key(message)) or await self._read(message)
        return understanding.standalone(known, message)

    async def plan(self, question: Standalone, understood: Understood, pack: Pack) -> Plan:
        """Return the steps; one search without a call, where the message was read as one question."""
        known = self._by_question.get((pack.name, question.text))
        if known is None or not known.several:
            return steps.single(question, understood.language)
        return await steps.plan(self._endpoint, question, understood.language, pack)

    async def expand(
        self, step: Step, question: Standalone, understood: Understood, pack: Pack, again: Again | None = None
    ) -> Expansion:
        """Return the wordings that the model gave when it read the message; with `again` others, for another call."""
        if again is not None:
            more = await query_rewrites.again(self._endpoint, step, question, understood.language, pack, again)
            asked = Query(text=step.description or question.text, terms=(*question.terms, *question.of_asker))
            return Expansion(step_id=step.id, queries=(asked, *more), should_have=understood.intent.keywords)
        known = self._by_question.get((pack.name, question.text))
        return Expansion(
            step_id=step.id,
            queries=understanding.queries(known, step, question),
            should_have=understood.intent.keywords,
        )

    def compose(self, brief: Brief) -> AsyncIterator[Sentence]:
        """Yield the answer sentence by sentence, while the model writes it."""
        return composition.compose(self._endpoint, brief)

    async def chat(self, message: Message) -> str:
        """Return the model's own words about the conversation."""
        language = profile(language_asked(plain(message.text), message)).name
        said: list[Said] = [{"role": "system", "content": render("chat", language=language)}]
        for turn in message.turns[-_TURNS:]:
            said.append({"role": "user", "content": turn.question[:_CHARACTERS]})
            said.append({"role": "assistant", "content": turn.answer[:_CHARACTERS]})
        said.append({"role": "user", "content": message.text})
        return await self._endpoint.text("large", said, tokens=_TOKENS)

    async def check_grounding(self, sentences: Sequence[Sentence], brief: Brief) -> QualityCheck:
        """Return the rules' verdict joined with the model's; the model is asked only about what the rules allow."""
        check, verdicts = await judgement.judge(self._endpoint, sentences, brief)
        if verdicts is not None:
            self._judged[_answer(sentences, brief)] = verdicts
        return check

    async def grade(self, sentences: Sequence[Sentence], brief: Brief, grounding: QualityCheck) -> Grade:
        """Return what the judge of these sentences said of the whole, without another call."""
        return judgement.graded(self._judged.get(_answer(sentences, brief)), sentences, grounding)

    async def extract_slots(self, text: str, specs: Sequence[SlotSpec]) -> Mapping[str, Any]:
        """Return what the text tells of those of these slots that are text."""
        return await slots.extract(self._endpoint, text, specs)

    async def draft_document(self, brief: DocumentBrief) -> Mapping[str, Sequence[Sentence]]:
        """Return the sentences of each section that the model wrote."""
        return await document_sections.draft(self._endpoint, brief)

    async def review(self, brief: DocumentBrief, drafted: Drafted) -> Review:
        """Return what the model finds risky about a draft."""
        return await document_sections.review(self._endpoint, brief, drafted)

    async def analyse(self, brief: figures.AnalysisBrief) -> figures.Reading:
        """Return the model's insights that the figures bear out."""
        return await figure_statements.analyse(self._endpoint, brief)

    async def _read(self, message: Message) -> AnyReading:
        answer = await understanding.read(self._endpoint, message)
        self._readings[_key(message)] = answer
        self._by_question[(message.pack.name, understanding.standalone(answer, message).text)] = answer
        return answer


def _key(message: Message) -> Hashable:
    said = tuple((turn.turn_id, turn.question, turn.answer) for turn in message.turns)
    return (message.pack.name, message.locale, message.text, said)


def _answer(sentences: Sequence[Sentence], brief: Brief) -> Hashable:
    return (brief.question, tuple(sentence.text for sentence in sentences))
