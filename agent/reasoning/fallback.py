"""A model that may fail: each call that it cannot serve is answered offline, and the turn is told once.

Make one `FallbackReasoner` a turn; the model and the offline reasoner live as long as the process.
A streamed answer that breaks off after its first sentence cannot be mended here: what was shown
must be withdrawn, so `compose` raises ModelError, and composing again in the same turn is done
offline.
"""

import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from agent.errors import ModelError
from agent.packs.pack import Pack
from agent.reasoning.contract import Brief, Message, Model, Reasoner
from agent.text import language_of
from agent.types import (
    Block,
    Expansion,
    Language,
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

log = logging.getLogger(__name__)
T = TypeVar("T")

CERTAIN = 1.0
"""Confidence of the offline rules in a message that is nothing but a greeting, thanks or noise."""


class FallbackReasoner:
    """Implements `Reasoner` for one turn with a model, and offline where the model fails or is not needed."""

    def __init__(
        self,
        model: Model,
        offline: Reasoner,
        *,
        notice: Callable[[str], None] | None = None,
    ) -> None:
        self._model = model
        self._offline = offline
        self._notice = notice
        self._warnings: list[str] = []
        self._read_by_model: bool | None = None
        """None: not read yet. What was read offline is also resolved, expanded and replied to offline."""
        self._compose_offline = False

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the asker should be told at the end of the turn: empty, or the one notice about the model."""
        return tuple(self._warnings)

    async def understand(self, message: Message) -> Understood:
        """Return language, intent and route of the message; a plain greeting or thanks does not cost a call."""
        self._read_by_model = False
        offline = await self._offline.understand(message)
        if offline.route in ("direct", "decline") and offline.intent.confidence >= CERTAIN:
            return offline
        if offline.route in ("followup", "explain", "clarify"):  # what the rules recognise needs no second reading
            return offline
        try:
            understood = await self._model.understand(message)
        except (ModelError, TimeoutError) as error:
            self._tell(error, offline.language)
            return offline
        self._read_by_model = True
        return replace(understood, slots={**offline.slots, **understood.slots})

    async def resolve(self, message: Message) -> Standalone:
        """Return the message as it reads alone."""
        if self._read_by_model is False:
            return await self._offline.resolve(message)
        return await self._try(
            lambda: self._model.resolve(message), lambda: self._offline.resolve(message), _language(message)
        )

    async def settle(self, message: Message, pending: Pending) -> Settled:
        """Return what the message is to the question back: a choice is plain enough for the rules."""
        return await self._offline.settle(message, pending)

    async def clarify(
        self, question: Standalone, understood: Understood, blocks: Sequence[Block], pack: Pack
    ) -> Split | None:
        """Return what to ask back, by the rules: choices are taken from the documents."""
        return await self._offline.clarify(question, understood, blocks, pack)

    async def holds(self, brief: Brief) -> bool:
        """Tell whether earlier evidence holds what is asked, by the rules; a translation is the model's to give."""
        wanted = brief.followup.kind if brief.followup else ""
        if wanted == "translate" and brief.blocks and not self._compose_offline:
            return True
        return await self._offline.holds(brief)

    async def recollect(self, message: Message, understood: Understood, memories: Sequence[Memory]) -> str:
        """Return what is known of the asker, word for word: no model is told of it."""
        return await self._offline.recollect(message, understood, memories)

    async def summarise(self, summary: Summary | None, turns: Sequence[TurnRecord]) -> str:
        """Return a summary of these turns."""
        return await self._offline.summarise(summary, turns)

    async def plan(self, question: Standalone, understood: Understood, pack: Pack) -> Plan:
        """Return the offline plan: a simple question must not cost a call."""
        return await self._offline.plan(question, understood, pack)

    async def expand(self, step: Step, question: Standalone, understood: Understood, pack: Pack) -> Expansion:
        """Return how to search offline, and the model's other wordings where it has read the message."""
        expansion = await self._offline.expand(step, question, understood, pack)
        if not self._read_by_model:
            return expansion
        try:
            more = await self._model.expand(step, question, understood, pack)
        except (ModelError, TimeoutError) as error:
            self._tell(error, understood.language)
            return expansion
        known = {query.text.lower() for query in expansion.queries}
        new = tuple(query for query in more.queries if query.text.lower() not in known)
        return replace(expansion, queries=(*expansion.queries, *new))

    async def compose(self, brief: Brief) -> AsyncIterator[Sentence]:
        """Yield the answer. Raises ModelError when it breaks off: compose again, it will be done offline."""
        if not self._compose_offline:
            begun = False
            sentences = self._model.compose(brief)
            try:
                async for sentence in sentences:
                    begun = True
                    yield sentence
                return
            except (ModelError, TimeoutError) as error:
                self._tell(error, brief.language)
                self._compose_offline = True
                if begun:
                    raise _as_model_error(error) from None
            finally:
                if (close := getattr(sentences, "aclose", None)) is not None:
                    await close()
        async for sentence in self._offline.compose(brief):
            yield sentence

    async def respond(self, message: Message, understood: Understood) -> str:
        """Return a reply that needs no documents."""
        if self._read_by_model is False:
            return await self._offline.respond(message, understood)
        return await self._try(
            lambda: self._model.respond(message, understood),
            lambda: self._offline.respond(message, understood),
            understood.language,
        )

    async def chat(self, message: Message) -> str:
        """Return the model's own words. Raises ModelError: nothing but a model can serve mode `llm`."""
        try:
            return await self._model.chat(message)
        except TimeoutError as error:
            raise _as_model_error(error) from None

    async def check_grounding(self, sentences: Sequence[Sentence], brief: Brief) -> QualityCheck:
        """Tell whether the answer is supported; by the rules alone where the model fails."""
        return await self._try(
            lambda: self._model.check_grounding(sentences, brief),
            lambda: self._offline.check_grounding(sentences, brief),
            brief.language,
        )

    async def _try(
        self, model: Callable[[], Awaitable[T]], offline: Callable[[], Awaitable[T]], language: Language
    ) -> T:
        try:
            return await model()
        except (ModelError, TimeoutError) as error:
            self._tell(error, language)
            return await offline()

    def _tell(self, error: Exception, language: Language) -> None:
        log.warning("The model failed, going on offline: %s", error, extra={"action": "model_fallback"})
        if not self._warnings:
            self._warnings.append(say("model_fallback", language))
            if self._notice is not None:
                self._notice(self._warnings[0])


def _language(message: Message) -> Language:
    return language_of(message.text, "ko" if message.locale.lower().startswith("ko") else "en")


def _as_model_error(error: Exception) -> ModelError:
    return error if isinstance(error, ModelError) else ModelError("The model did not answer in time.")
