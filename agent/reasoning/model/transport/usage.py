"""What calls cost, in tokens, and who is told of it."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, Self

from agent.reasoning.model.transport.messages import Said, count_messages
from agent.reasoning.model.transport.tokens import estimate

Outcome = Literal["ok", "failed", "not_asked"]


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
class Planned:
    """A call that is about to be made, and the most that it is likely to cost."""

    role: str
    model: str
    tokens_in: int
    tokens_out: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Call:
    """A call that is over, with all its requests: repeated ones and the try at repair count as well."""

    role: str
    model: str
    outcome: Outcome
    spent: Spent


class Meter(Protocol):
    """Counts the calls of one turn and may stop them."""

    def admit(self, planned: Planned) -> "Admission":
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

    def admit(self, planned: Planned) -> "Unmetered":
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
