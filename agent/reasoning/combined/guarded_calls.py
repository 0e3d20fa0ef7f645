"""Calls of a model that may fail or be late, each with what stands in its place; the asker is told once."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import TypeVar

from agent.errors import ModelError
from agent.language import say
from agent.types import Language

log = logging.getLogger(__name__)
T = TypeVar("T")


class KnownError(ModelError):
    """The model was not asked, for a reason that was logged when it began."""


_SMALL = 1 / 3
"""Of a usual call: one that only adds."""


class Trying:
    """Tries a model's calls for one turn. `seconds`: for a call that only adds to what the rules have found.

    `takes`: the seconds of so many usual calls. A model that is known to be too slow for what it has is not asked.
    """

    def __init__(
        self,
        *,
        seconds: float,
        notice: Callable[[str], None] | None = None,
        takes: Callable[[float], float] = lambda calls: 0.0,
    ) -> None:
        self._seconds = seconds
        self._notice = notice
        self._takes = takes
        self._late = False
        """Whether the model was late with something that could be done without it."""
        self._logged: set[str] = set()
        self.warnings: list[str] = []
        """What the asker is told: nothing, or the one notice."""

    async def added(self, model: Callable[[], Awaitable[T]], rules: T, language: Language, *, times: float = 1.0) -> T:
        """Return what the model makes of the rules' result, which stands where the model fails or is late.

        It has `times` the usual seconds. Where it was late once it is not tried again: every such wait makes the turn
        longer. `language`: of the notice.
        """
        if self._late or self._takes(_SMALL) > times * self._seconds:
            return rules
        try:
            async with asyncio.timeout(times * self._seconds):
                return await model()
        except TimeoutError:
            self._late = True
            self.tell(ModelError("The model was late."), language)
        except ModelError as error:
            self.tell(error, language)
        return rules

    def tell(self, error: Exception, language: Language) -> None:
        """Log what failed, the same words once in a turn, and let the asker know of the first failure."""
        words = str(error) or "The model was late."
        if words not in self._logged:
            self._logged.add(words)
            level = logging.INFO if isinstance(error, KnownError) else logging.WARNING
            log.log(level, "The model failed, going on offline: %s", words, extra={"action": "model_fallback"})
        if not self.warnings:
            self.warnings.append(say("model_fallback", language))
            if self._notice is not None:
                self._notice(self.warnings[0])
