"""The checks of a draft with a model, and when it is in vain to send the draft back."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from agent.errors import ModelError
from agent.reasoning.combined import precedence
from agent.reasoning.combined.guarded_calls import Trying
from agent.reasoning.contract import Brief, Model, Reasoner
from agent.types import Grade, QualityCheck, Sentence

REFUSED_DRAFTS = 2
"""Drafts of which nothing holds, before the rules write: what is wrong may be the marks alone, and is told once."""


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
        self._refused = 0
        self._missed = False
        """Whether the model sent a draft back for what is missing in it: once in a turn is enough."""

    @property
    def hopeless(self) -> bool:
        """Whether the model's drafts were refused as a whole, so that the next one is to be written offline."""
        return self._refused >= REFUSED_DRAFTS

    async def check_grounding(
        self, sentences: Sequence[Sentence], brief: Brief, *, by_model: bool = True
    ) -> QualityCheck:
        """Tell whether the answer is supported; by the rules alone where the model fails. `by_model`: it wrote it."""
        judge = self._model if self._may_ask(1) else self._offline
        check = await self._trying.instead(
            lambda: judge.check_grounding(sentences, brief),
            lambda: self._offline.check_grounding(sentences, brief),
            brief.language,
        )
        if by_model and sentences and check.score == 0.0:
            self._refused += 1
            if self.hopeless:
                self._trying.tell(ModelError("Nothing of the model's drafts stands in the documents."), brief.language)
        return replace(check, needs_retry=check.needs_retry and self._may_ask(AGAIN))

    async def grade(self, sentences: Sequence[Sentence], brief: Brief, grounding: QualityCheck) -> Grade:
        """Tell how well the sentences answer the question: by the rules, and by the model that has judged them."""
        grade = await self._offline.grade(sentences, brief, grounding)
        if brief.lookup is not None:  # the rules wrote it, and have told how likely it is
            return grade
        try:
            model = await self._model.grade(sentences, brief, grounding)
        except ModelError:
            return grade
        joined = precedence.graded(grade, model, may_send_back=not self._missed)
        self._missed = self._missed or model.check.needs_retry
        retry = joined.check.needs_retry and self._may_ask(AGAIN)
        return replace(joined, check=replace(joined.check, needs_retry=retry))
