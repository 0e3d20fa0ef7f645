"""The reasoner without a model: rules and extraction, the same answer to the same question every time."""

import asyncio
from collections.abc import AsyncIterator, Sequence

from agent.errors import ModelError
from agent.packs.pack import Pack
from agent.reasoning import support
from agent.reasoning.contract import Brief, Message
from agent.reasoning.offline import expand, planning, reading, resolve
from agent.reasoning.offline.compose import compose
from agent.reasoning.offline.intents import Intents
from agent.reasoning.offline.reply import reply
from agent.text import language_of
from agent.types import (
    Expansion,
    Plan,
    QualityCheck,
    Sentence,
    Standalone,
    Step,
    Understood,
)
from agent.words import say


class OfflineReasoner:
    """Implements `Reasoner`. Nothing here waits for anything outside the process."""

    def __init__(self) -> None:
        self._intents: dict[int, tuple[Pack, Intents]] = {}

    async def understand(self, message: Message) -> Understood:
        """Return language, intent and route of the message."""
        return reading.understand(message, self._intents_of(message.pack))

    async def resolve(self, message: Message) -> Standalone:
        """Return the message so that it can be understood without the turns before it."""
        turns = [turn for turn in message.turns if turn.question]
        return resolve.standalone(
            reading.plain(message.text),
            [turn.standalone or turn.question for turn in turns],
            [turn.question for turn in turns],
        )

    async def plan(self, question: Standalone, understood: Understood, pack: Pack) -> Plan:
        """Return one search step, or one for each thing that was asked."""
        return planning.plan(question, understood.language)

    async def expand(self, step: Step, question: Standalone, understood: Understood, pack: Pack) -> Expansion:
        """Return how to search for a step."""
        return expand.expand(step, question, understood)

    async def compose(self, brief: Brief) -> AsyncIterator[Sentence]:
        """Yield sentences of the documents that answer; nothing at all when none does."""
        for sentence in await asyncio.to_thread(compose, brief):
            yield sentence

    async def respond(self, message: Message, understood: Understood) -> str:
        """Return a reply that needs no documents."""
        return reply(message.pack, understood)

    async def chat(self, message: Message) -> str:
        """Refuse: there is no model here. Raises ModelError."""
        raise ModelError(say("llm_mode_needs_model", language_of(message.text)))

    async def check_grounding(self, sentences: Sequence[Sentence], brief: Brief) -> QualityCheck:
        """Tell whether every sentence is supported by what it cites, by the rules of `support`."""
        return await asyncio.to_thread(support.check_all, sentences, brief.blocks)

    def _intents_of(self, pack: Pack) -> Intents:
        """Return the classifier of a pack, trained when it is first asked."""
        known = self._intents.get(id(pack))
        if known is None or known[0] is not pack:
            known = (pack, Intents(pack.intents))
            self._intents[id(pack)] = known
        return known[1]
