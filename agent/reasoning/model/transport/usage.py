"""What calls cost, who is told of it, and what may be spent."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, Self

from agent.reasoning.model.transport.failures import NotAskedError
from agent.reasoning.model.transport.messages import Said, count_messages, estimate

Outcome = Literal["ok", "failed", "not_asked"]
Scope = Literal["turn", "user", "channel", "day"]
"""One question; one person's day; one channel's day; everybody's day."""
SCOPES: tuple[Scope, ...] = ("turn", "user", "channel", "day")


@dataclass(frozen=True, kw_only=True, slots=True)
class Spent:
    """Tokens of one or more requests. `tokens_cached` are those of `tokens_in` that the endpoint knew already."""

    tokens_in: int = 0
    tokens_out: int = 0
    tokens_cached: int = 0
    estimated: bool = False
    """Whether any of it was not told by the endpoint."""

    @property
    def tokens(self) -> int:
        """All tokens."""
        return self.tokens_in + self.tokens_out

    def __add__(self, other: Self) -> "Spent":
        return Spent(
            tokens_in=self.tokens_in + other.tokens_in,
            tokens_out=self.tokens_out + other.tokens_out,
            tokens_cached=self.tokens_cached + other.tokens_cached,
            estimated=self.estimated or other.estimated,
        )


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


@dataclass(frozen=True, kw_only=True, slots=True)
class Call:
    """A call with all its requests: repeated ones and the try at repair count as well.

    Before it is made, `spent` is the most that it is likely to cost.
    """

    role: str
    model: str
    spent: Spent
    outcome: Outcome = "not_asked"


class Meter(Protocol):
    """Counts the calls of one turn and may stop them."""

    def admit(self, planned: Call) -> "Admission":
        """Return what the call is held under while it runs."""
        ...


class Admission(Protocol):
    """One call under way."""

    async def begin(self) -> None:
        """Let the call begin. Raises BudgetError when a limit is reached."""
        ...

    async def end(self, call: Call) -> None:
        """Take note of the call; never raises."""
        ...


class Unmetered:
    """Implements `Meter` and `Admission` for whoever does not count."""

    def admit(self, planned: Call) -> "Unmetered":
        """Return itself."""
        return self

    async def begin(self) -> None:
        """Let every call begin."""

    async def end(self, call: Call) -> None:
        """Forget it."""


class Tally:
    """Adds up the requests of one call. A request that the endpoint does not account for is estimated."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._begun: float | None = None
        self._spent = Spent()
        self._under_way: Sequence[Said] | None = None
        self._written: list[str] = []

    def sent(self, messages: Sequence[Said]) -> None:
        """Note that a request is under way."""
        self._under_way, self._written, self._begun = messages, [], self._clock()

    def wrote(self, text: str) -> None:
        """Note what of the answer has come."""
        self._written.append(text)

    def refused(self) -> None:
        """Note that the request cost nothing."""
        self._under_way = None

    def answered(self, told: Spent | None) -> None:
        """Note the end of the request, and what the endpoint says that it cost."""
        if self._under_way is not None:
            self._spent += told or self._estimate(self._under_way)
        self._under_way = None

    @property
    def seconds(self) -> float | None:
        """What the last request has taken so far; None where none was sent."""
        return None if self._begun is None else self._clock() - self._begun

    @property
    def written(self) -> int:
        """The tokens that came as the answer to the last request."""
        return estimate("".join(self._written))

    @property
    def spent(self) -> Spent:
        """What the call has cost so far; a request that was cut off counts with what was sent and written."""
        return self._spent if self._under_way is None else self._spent + self._estimate(self._under_way)

    def _estimate(self, messages: Sequence[Said]) -> Spent:
        return Spent(
            tokens_in=count_messages(messages),
            tokens_out=estimate("".join(self._written)),
            estimated=True,
        )
