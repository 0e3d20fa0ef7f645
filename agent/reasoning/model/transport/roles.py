"""Which model plays which role."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol

Role = Literal["large", "small"]
"""`large` writes answers; `small` reads messages and checks."""
CONTEXT_TOKENS = 16_384
"""Of a model of which nothing else is known."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Served:
    """A model as it is to be asked."""

    name: str
    temperature: float = 0.0
    seed: int | None = None
    context_tokens: int = CONTEXT_TOKENS
    """Of prompt and answer together."""
    answer_tokens: int = 0
    """The most that an answer may have, however much a call would like; 0: as the call likes."""

    def room_for_answer(self, wanted: int) -> int:
        """Return how many tokens an answer may have: never more than half of what the model can hold."""
        return max(1, min(wanted, self.answer_tokens or wanted, self.context_tokens // 2))


Roles = Mapping[str, Served]


class Wish(Protocol):
    """What a pack or a channel wants otherwise; what is empty or None it leaves."""

    @property
    def small(self) -> str:
        """A model's name."""

    @property
    def large(self) -> str:
        """A model's name."""

    @property
    def temperature(self) -> float | None:
        """From 0 to 2."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Cast:
    """The operator's models, and what is known of them."""

    large: str
    small: str = ""
    """Empty: the large one."""
    temperature: float = 0.0
    seed: int | None = None
    answer_tokens: int = 0
    context_tokens: int = CONTEXT_TOKENS
    contexts: Mapping[str, int] = field(default_factory=dict)
    """Of single models."""

    def roles(self, *wishes: Wish) -> Roles:
        """Return who plays what; a later wish goes before an earlier one."""
        large, small, temperature = self.large, self.small, self.temperature
        for wish in wishes:
            large, small = wish.large or large, wish.small or small
            temperature = temperature if wish.temperature is None else wish.temperature
        return {"large": self._served(large, temperature), "small": self._served(small or large, temperature)}

    def _served(self, name: str, temperature: float) -> Served:
        return Served(
            name=name,
            temperature=temperature,
            seed=self.seed,
            context_tokens=self.contexts.get(name, self.context_tokens),
            answer_tokens=self.answer_tokens,
        )
