"""Documents with a model: what the rules leave open it adds, and what it leaves open the rules write."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from agent.errors import ModelError
from agent.packs.pack import SlotSpec
from agent.reasoning.combined import precedence
from agent.reasoning.combined.guarded_calls import Trying
from agent.reasoning.contract import Model, Reasoner
from agent.reasoning.document_contract import DocumentBrief, Drafted
from agent.results import Review
from agent.text import language_of, normalise
from agent.types import Sentence

DRAFT_SECONDS = 28.0
"""For all drafts of one document: with its review it stays within a team's usual 45 seconds."""
_SLOT_CALLS = 2
"""Texts of one turn from which the model takes fields."""


class Drafts:
    """Writes the documents of one turn."""

    def __init__(self, model: Model, offline: Reasoner, trying: Trying, *, seconds: float = DRAFT_SECONDS) -> None:
        self._model = model
        self._offline = offline
        self._trying = trying
        self._seconds = seconds
        self._taken_from: dict[str, Mapping[str, Any]] = {}
        """What the model took for fields, by text."""
        self._until: dict[tuple[str, str], float] = {}
        """When the drafts of a document must be done, on the loop's clock, by template and order."""

    async def extract_slots(self, text: str, specs: Sequence[SlotSpec], *, with_model: bool) -> Mapping[str, Any]:
        """Return what the text tells of these slots: by the rules, and by the model what a document needs besides."""
        rules = await self._offline.extract_slots(text, specs)
        missing = precedence.still_open(specs, rules)
        if not missing or not with_model:
            return rules
        key = normalise(text)
        if key not in self._taken_from:
            if len(self._taken_from) >= _SLOT_CALLS:
                return rules
            told: Mapping[str, Any] = {}
            self._taken_from[key] = told  # two documents of one message must not ask twice
            self._taken_from[key] = await self._trying.added(
                lambda: self._model.extract_slots(text, missing), told, language_of(text)
            )
        names = {spec.name for spec in missing}
        return {**{name: value for name, value in self._taken_from[key].items() if name in names}, **rules}

    async def draft_document(self, brief: DocumentBrief) -> Mapping[str, Sequence[Sentence]]:
        """Return the sentences of each section of the template.

        A section that the model left out is the rules'; so is one of which nothing holds, when it was told so already.
        """
        names = [section.name for section in brief.template.sections]
        key = (brief.template.name, brief.brief.question)
        until = self._until.setdefault(key, asyncio.get_running_loop().time() + self._seconds)
        try:
            async with asyncio.timeout_at(until):
                model = await self._model.draft_document(brief)
        except (ModelError, TimeoutError) as error:
            self._trying.tell(error, brief.brief.language)
            return await self._offline.draft_document(brief)
        lost = [name for name in names if name not in model]
        if brief.brief.suggestions:
            lost = await asyncio.to_thread(precedence.lost, model, names, brief.brief.blocks)
        rules = await self._offline.draft_document(brief) if lost else {}
        return {name: rules.get(name, ()) if name in lost else model[name] for name in names}

    async def review(self, brief: DocumentBrief, drafted: Drafted) -> Review:
        """Tell what is risky about a draft: what the rules find, and what the model finds besides."""
        rules = await self._offline.review(brief, drafted)

        async def both() -> Review:
            return precedence.reviewed(rules, await self._model.review(brief, drafted))

        return await self._trying.added(both, rules, brief.brief.language, times=2)
