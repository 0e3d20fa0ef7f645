"""What may be spent, and what it costs."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from agent.reasoning.model.transport.failures import NotAskedError
from agent.reasoning.model.transport.usage import Spent

Scope = Literal["turn", "user", "channel", "day"]
"""One question; one person's day; one channel's day; everybody's day."""
SCOPES: tuple[Scope, ...] = ("turn", "user", "channel", "day")


@dataclass(frozen=True, kw_only=True, slots=True)
class Price:
    """Of a million tokens, in the operator's currency; 0: free, or not known."""

    input: float = 0.0
    output: float = 0.0
    cached: float | None = None
    """Of input that the endpoint knew already; None: as any input."""

    def of(self, spent: Spent) -> float:
        """Return what these tokens cost."""
        cached = self.input if self.cached is None else self.cached
        fresh = spent.tokens_in - spent.tokens_cached
        return (fresh * self.input + spent.tokens_cached * cached + spent.tokens_out * self.output) / 1e6


@dataclass(frozen=True, kw_only=True, slots=True)
class Limit:
    """The most that may be spent; 0: no limit."""

    tokens: int = 0
    cost: float = 0.0

    def __bool__(self) -> bool:
        return self.tokens > 0 or self.cost > 0

    def reached(self, tokens: int, cost: float) -> bool:
        """Tell whether so much is all that may be spent, or more."""
        return 0 < self.tokens <= tokens or 0 < self.cost <= cost


Limits = Mapping[Scope, Limit]


class BudgetError(NotAskedError):
    """A limit is reached. `told` says which, and until when, in the asker's words."""

    def __init__(self, scope: Scope, told: str = "") -> None:
        super().__init__(f"The limit of the {scope} is reached.")
        self.scope: Scope = scope
        self.told = told
