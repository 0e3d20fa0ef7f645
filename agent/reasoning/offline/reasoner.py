"""The reasoner without a model: rules and extraction, the same answer to the same question every time."""

import asyncio
from collections.abc import AsyncIterator, Sequence

from agent.errors import ModelError
from agent.packs.pack import Pack
from agent.reasoning import support
from agent.reasoning.contract import Brief, Message
from agent.reasoning.offline import (
    expand,
    planning,
    reading,
    recollect,
    resolve,
    revise,
    settling,
    splitting,
    summarise,
)
from agent.reasoning.offline.intents import Intents
from agent.reasoning.offline.reply import reply
from agent.text import language_of
from agent.types import (
    Block,
    Expansion,
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
from agent.words import say

_ABOUT_NOTHING_NEW = frozenset({"direct", "decline", "followup", "explain"})
"""Routes of turns that say nothing of what a conversation is about: thanks, "shorter", "source?"."""


class OfflineReasoner:
    """Implements `Reasoner`. Nothing here waits for anything outside the process."""

    def __init__(self) -> None:
        self._intents: dict[int, tuple[Pack, Intents]] = {}

    async def understand(self, message: Message) -> Understood:
        """Return language, intent and route of the message."""
        return reading.understand(message, self._intents_of(message.pack))

    async def resolve(self, message: Message) -> Standalone:
        """Return the message so that it can be understood without the turns before it."""
        turns = [turn for turn in message.turns if turn.question and turn.route not in _ABOUT_NOTHING_NEW]
        return resolve.standalone(
            reading.plain(message.text),
            [turn.standalone or turn.question for turn in turns],
            [turn.question for turn in turns],
            [turn.answer for turn in turns],
        )

    async def settle(self, message: Message, pending: Pending) -> Settled:
        """Return what a message means that came after a question back."""
        return settling.settle(message, pending)

    async def clarify(
        self, question: Standalone, understood: Understood, blocks: Sequence[Block], pack: Pack
    ) -> Split | None:
        """Return what to ask back, when the evidence splits over several things."""
        return await asyncio.to_thread(splitting.split, question, understood, blocks, pack)

    async def holds(self, brief: Brief) -> bool:
        """Tell whether earlier evidence holds what the follow-up asks for."""
        return await asyncio.to_thread(revise.holds, brief)

    async def plan(self, question: Standalone, understood: Understood, pack: Pack) -> Plan:
        """Return one search step, or one for each thing that was asked."""
        return planning.plan(question, understood.language)

    async def expand(self, step: Step, question: Standalone, understood: Understood, pack: Pack) -> Expansion:
        """Return how to search for a step."""
        return expand.expand(step, question, understood)

    async def compose(self, brief: Brief) -> AsyncIterator[Sentence]:
        """Yield sentences of the documents that answer; nothing at all when none does."""
        write = revise.as_preferred if brief.followup is None else revise.revise
        for sentence in await asyncio.to_thread(write, brief):
            yield sentence

    async def respond(self, message: Message, understood: Understood) -> str:
        """Return a reply that needs no documents."""
        return reply(message.pack, understood)

    async def recollect(self, message: Message, understood: Understood, memories: Sequence[Memory]) -> str:
        """Return what is known of the asker."""
        return recollect.recollect(message, understood, memories)

    async def summarise(self, summary: Summary | None, turns: Sequence[TurnRecord]) -> str:
        """Return names, numbers and decisions of these turns."""
        return summarise.summarise(summary, turns)

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
