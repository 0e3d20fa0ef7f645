"""The reasoner that asks a model: a question costs one call to read, one to write and at most one to check."""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Hashable, Sequence
from typing import Generic, TypeVar

import openai

from agent.packs.pack import Pack
from agent.prompts import render
from agent.reasoning.contract import Brief, Message
from agent.reasoning.model import composing, judging, reading
from agent.reasoning.model.breaker import Breaker
from agent.reasoning.model.endpoint import Endpoint, Said
from agent.reasoning.model.quoting import Quoting
from agent.reasoning.model.reading import Reading
from agent.types import Expansion, Plan, QualityCheck, Sentence, Standalone, Step, Understood
from agent.words import say

T = TypeVar("T")

_READINGS = 64
"""Messages whose reading is kept, for the nodes that follow `understand` in the same turn."""
_READING_TOKENS = 700
_VERDICT_TOKENS = 80
_REPLY_TOKENS = 300
_CHAT_TOKENS = 1500
_CHAT_TURNS = 10
_CHAT_CHARACTERS = 4000


class ModelReasoner:
    """Implements `Model` with an endpoint. Safe for many turns at once; raises ModelError alone.

    `small_model` reads messages, judges and greets where it is set; `model` writes the answers.
    `timeout` (seconds) bounds every call, for a streamed answer every silence; `stream_timeout`
    bounds the streamed answer as a whole.
    """

    def __init__(
        self,
        client: openai.AsyncOpenAI,
        *,
        model: str,
        small_model: str = "",
        timeout: float = 30.0,
        stream_timeout: float = 90.0,
        temperature: float = 0.0,
        breaker: Breaker | None = None,
    ) -> None:
        self._endpoint = Endpoint(
            client,
            timeout=timeout,
            stream_timeout=stream_timeout,
            temperature=temperature,
            breaker=breaker or Breaker(),
        )
        self._model = model
        self._small_model = small_model or model
        self._readings = _Recent[Reading]()
        self._by_question = _Recent[Reading]()

    async def understand(self, message: Message) -> Understood:
        """Return language, intent and route of the message."""
        return reading.understood(await self._read(message), message)

    async def resolve(self, message: Message) -> Standalone:
        """Return the message as it reads alone, from what `understand` already asked."""
        known = self._readings.get(_key(message)) or await self._read(message)
        return reading.standalone(known, message)

    async def plan(self, question: Standalone, understood: Understood, pack: Pack) -> Plan:
        """Return one search: a simple question must not cost a call."""
        step = Step(id="step_0", team="search", task=say("step_search", understood.language), description=question.text)
        return Plan(steps=(step,), parallel_groups=((step.id,),))

    async def expand(self, step: Step, question: Standalone, understood: Understood, pack: Pack) -> Expansion:
        """Return the wordings that the model gave when it read the message, without another call."""
        known = self._by_question.get((pack.name, question.text))
        return Expansion(
            step_id=step.id,
            queries=reading.queries(known, step, question),
            should_have=understood.intent.keywords,
        )

    def compose(self, brief: Brief) -> AsyncIterator[Sentence]:
        """Yield the answer sentence by sentence, while the model writes it."""
        return composing.compose(self._endpoint, self._model, brief)

    async def respond(self, message: Message, understood: Understood) -> str:
        """Return the pack's own words where it has some, the catalogue's to decline, else the model's."""
        language = understood.language
        topic = message.pack.title.of(language)
        spec = reading.intent_named(understood.intent.name, message.pack)
        if spec is not None and spec.reply is not None:
            return spec.reply.of(language)
        if understood.route == "decline":
            return say("declined", language, topic=topic)
        quoting = Quoting()
        asked: list[Said] = [
            quoting.prompt("respond", topic=topic, language=composing.LANGUAGES[language]),
            {"role": "user", "content": quoting.block("message", message.text[:_CHAT_CHARACTERS])},
        ]
        return await self._endpoint.text(self._small_model, asked, tokens=_REPLY_TOKENS)

    async def chat(self, message: Message) -> str:
        """Return the model's own words about the conversation."""
        language = composing.LANGUAGES[reading.language_in(message)]
        said: list[Said] = [{"role": "system", "content": render("chat", language=language)}]
        for turn in message.turns[-_CHAT_TURNS:]:
            said.append({"role": "user", "content": turn.question[:_CHAT_CHARACTERS]})
            said.append({"role": "assistant", "content": turn.answer[:_CHAT_CHARACTERS]})
        said.append({"role": "user", "content": message.text})
        return await self._endpoint.text(self._model, said, tokens=_CHAT_TOKENS)

    async def check_grounding(self, sentences: Sequence[Sentence], brief: Brief) -> QualityCheck:
        """Return the rules' verdict joined with the model's; the model is asked only about what the rules allow."""
        trial = await asyncio.to_thread(judging.Trial, sentences, brief)
        if trial.open:
            verdicts = await self._endpoint.ask(
                self._small_model,
                trial.request(),
                shape=judging.Verdicts,
                tokens=_VERDICT_TOKENS * (len(trial.open) + 1),
                objection=trial.objection(),
            )
            trial.hear(verdicts)
        return trial.outcome()

    async def _read(self, message: Message) -> Reading:
        answer = await self._endpoint.ask(
            self._small_model,
            reading.request(message),
            shape=Reading,
            tokens=_READING_TOKENS,
            objection=reading.objection,
        )
        self._readings.keep(_key(message), answer)
        self._by_question.keep((message.pack.name, reading.standalone(answer, message).text), answer)
        return answer


def _key(message: Message) -> Hashable:
    said = tuple((turn.turn_id, turn.question, turn.answer) for turn in message.turns)
    return (message.pack.name, message.locale, message.text, said)


class _Recent(Generic[T]):
    """The latest few of something."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Hashable, T] = OrderedDict()

    def get(self, key: Hashable) -> T | None:
        return self._kept.get(key)

    def keep(self, key: Hashable, value: T) -> None:
        self._kept[key] = value
        self._kept.move_to_end(key)
        if len(self._kept) > _READINGS:
            self._kept.popitem(last=False)
