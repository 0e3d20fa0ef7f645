"""The checks of a draft with a model, and when it is in vain to send the draft back."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from agent.errors import ModelError
from agent.reasoning.combined import precedence
from agent.reasoning.combined.guarded_calls import Trying
from agent.reasoning.contract import Brief, Model, Reasoner
from agent.types import Grade, QualityCheck, Sentence

AGAIN = 2
"""Calls of another draft: to write it, and to check it."""


class Checks:
    """Implements `check_grounding` and `grade` for one turn. `may_ask`: whether it has so many calls left."""

    def __init__(
        self, model: Model, offline: Reasoner, trying: Trying, may_ask: Callable[[int], bool] = lambda calls: True
    ) -> None:
        self._model = model
        self._offline = offline
        self._trying = trying
        self._may_ask = may_ask
        self._missed = False
        """Whether the model sent a draft back for what is missing in it: once in a turn is enough."""

    async def check_grounding(self, sentences: Sequence[Sentence], brief: Brief) -> QualityCheck:
        """Tell whether the answer is supported; by the rules alone where the model fails."""
        judge = self._model if self._may_ask(1) else self._offline
        try:
            check = await judge.check_grounding(sentences, brief)
        except ModelError as error:
            self._trying.tell(error, brief.language)
            check = await self._offline.check_grounding(sentences, brief)
        return replace(check, needs_retry=check.needs_retry and self._may_ask(AGAIN))

    async def grade(self, sentences: Sequence[Sentence], brief: Brief, grounding: QualityCheck) -> Grade:
        """Tell how well the sentences answer the question: by the rules, and by the model that has judged them."""
        grade = await self._offline.grade(sentences, brief, grounding)
        if brief.lookup is not None:  # the rules wrote it, and have told how likely it is
            return grade
        model = await self._model.grade(sentences, brief, grounding)
        joined = precedence.graded(grade, model, may_send_back=not self._missed)
        self._missed = self._missed or model.check.needs_retry
        retry = joined.check.needs_retry and self._may_ask(AGAIN)
        return replace(joined, check=replace(joined.check, needs_retry=retry))
