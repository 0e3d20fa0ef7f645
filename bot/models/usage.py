"""Counts what the model's calls cost, turn by turn, and stops them at the operator's limits.

A limit counts tokens in and out, or money. It is reached when what is spent, with what is under way, comes up
to it; the call that reaches it is let finish. Then the model is not asked, and the offline rules answer. Embeddings
are counted as well (`bot.models.usage_embeddings`): those of a turn against its limits, though none stops them.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta, tzinfo
from typing import Literal

from agent.context import TurnRequest
from agent.errors import StorageError
from agent.language import say
from agent.reasoning.model.transport.failures import NotAskedError
from agent.reasoning.model.transport.usage import SCOPES, BudgetError, Call, Limits, Price, Scope
from agent.text import language_of
from agent.types import Language
from storage.usage import SqlUsage, UsageRow

logger = logging.getLogger(__name__)

KEPT_DAYS = 400
"""How long calls are remembered: a year, and the month before it to compare with."""
_MOST_PENDING = 10_000
"""Calls that wait for a database that cannot be written to; older ones are given up."""
_MOST_TOKENS = 10**12
"""Of one call: an endpoint that tells more is wrong, and the database would not take it."""
_WORDS: dict[Scope, Literal["budget_turn", "budget_user", "budget_channel", "budget_day"]] = {
    "turn": "budget_turn",
    "user": "budget_user",
    "channel": "budget_channel",
    "day": "budget_day",
}
_LLM_WORDS: dict[Scope, Literal["llm_budget_turn", "llm_budget_user", "llm_budget_channel", "llm_budget_day"]] = {
    "turn": "llm_budget_turn",
    "user": "llm_budget_user",
    "channel": "llm_budget_channel",
    "day": "llm_budget_day",
}
"""Where nothing but the model can answer: the answer itself, and no notice besides."""


class Ledger:
    """All calls of this process, on their way into the database, and what other processes have stored there."""

    def __init__(
        self,
        store: SqlUsage,
        *,
        zone: tzinfo,
        limits: Limits,
        prices: Mapping[str, Price],
        now: Callable[[], float] = time.time,
    ) -> None:
        self._store = store
        self._zone = zone
        self._now = now
        self.limits = limits
        self._prices = prices
        self._pending: list[UsageRow] = []
        self._storing = asyncio.Lock()
        self._writing: asyncio.Task[None] | None = None
        self._pruned = ""
        self._under_way: list[Held] = []

    def turn(self, request: TurnRequest, told: Callable[[str], None] = lambda notice: None) -> "TurnMeter":
        """Return what counts the calls of a turn; `told` hears once that a limit is reached, in the asker's words."""
        return TurnMeter(self, request, told)

    def price(self, model: str) -> Price:
        """Return what a model costs."""
        return self._prices.get(model, Price())

    def day(self) -> str:
        """Return today, in the operator's zone."""
        return f"{self._moment():%Y-%m-%d}"

    def tomorrow(self) -> datetime:
        """Return when today ends, in the operator's zone."""
        date = self._moment().date() + timedelta(days=1)
        return datetime(date.year, date.month, date.day, tzinfo=self._zone)

    def hold(self, held: "Held") -> None:
        """Count a call that is about to be made."""
        self._under_way.append(held)

    async def spent(self, scope: Scope, held: "Held") -> tuple[int, float]:
        """Return tokens and cost that count against the limit of a call: stored, waiting, and begun before it."""
        tokens, cost = 0, 0.0
        async with self._storing:  # what waits is either counted below or in the database, and never in both
            if scope != "turn":
                who = {"user": {"user": held.user}, "channel": {"channel": held.channel}, "day": {}}[scope]
                tokens, cost = await self._store.spent(held.day, **who)
            rows = self._pending if scope != "turn" else held.meter.ended
            before = self._under_way[: self._under_way.index(held)]
            for row in rows:
                if _same(scope, row, held):
                    tokens, cost = tokens + row.tokens_in + row.tokens_out, cost + row.cost
            for other in before:
                if _same(scope, other, held):
                    tokens, cost = tokens + other.expected.tokens, cost + other.cost
        return tokens, cost

    def release(self, held: "Held") -> None:
        """Stop counting a call as under way; what it came to is added."""
        self._under_way.remove(held)

    def add(self, call: Call, *, day: str, turn_id: str = "", user: str = "", channel: str = "") -> UsageRow:
        """Take note of a call that is over, and return it as it is stored, in its own time.

        A call of no user belongs to no turn, and counts against no limit.
        """
        tokens_in, tokens_out, tokens_cached = (
            min(max(0, tokens), _MOST_TOKENS)
            for tokens in (call.spent.tokens_in, call.spent.tokens_out, call.spent.tokens_cached)
        )
        spent = replace(call.spent, tokens_in=tokens_in, tokens_out=tokens_out, tokens_cached=tokens_cached)
        row = UsageRow(
            at=self._now(),
            day=day,
            turn_id=turn_id,
            user=user,
            channel=channel,
            model=call.model,
            role=call.role,
            outcome=call.outcome,
            tokens_in=tokens_in,
            tokens_out=tokens_out,
            tokens_cached=tokens_cached,
            estimated=spent.estimated,
            cost=self.price(call.model).of(spent),
        )
        self._pending.append(row)
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write())
        return row

    async def close(self) -> None:
        """Store what waits. Nothing may be under way."""
        if self._writing is not None:
            await self._writing
        if self._pending:
            await self._write()

    async def _write(self) -> None:
        while self._pending:
            async with self._storing:
                rows = self._pending[:]
                try:
                    if self._pruned != (today := self.day()):
                        await self._store.prune(f"{self._moment() - timedelta(days=KEPT_DAYS):%Y-%m-%d}")
                        self._pruned = today
                    await self._store.add(rows)
                except StorageError as error:
                    logger.warning("What the model cost could not be stored: %s", error, extra={"action": "usage_lost"})
                    del self._pending[:-_MOST_PENDING]
                    return
                del self._pending[: len(rows)]

    def _moment(self) -> datetime:
        return datetime.fromtimestamp(self._now(), self._zone)


class TurnMeter:
    """Implements `Meter` for one turn."""

    def __init__(self, ledger: Ledger, request: TurnRequest, told: Callable[[str], None]) -> None:
        key = request.key
        self.ledger = ledger
        self._told = told
        self._language: Language = language_of(request.text, request.default_language)
        self.turn_id = request.turn_id
        self.user = request.user
        self.channel = f"{key.platform}:{key.workspace_id}:{key.channel_id}"
        self._answers_alone = request.mode == "llm"
        self.ended: list[UsageRow] = []
        """The turn's own calls so far."""
        self.reached: Scope | None = None
        """The limit that stopped a call, if one did."""

    def admit(self, planned: Call) -> "Held":
        """Return what the call is held under while it runs."""
        held = Held(self, planned)
        self.ledger.hold(held)
        return held

    def add(self, call: Call, *, day: str = "") -> None:
        """Take note of a call of this turn that is over; `day`: when it began, today unless given."""
        row = self.ledger.add(
            call, day=day or self.ledger.day(), turn_id=self.turn_id, user=self.user, channel=self.channel
        )
        self.ended.append(row)

    def stop(self, scope: Scope) -> str:
        """Note that a limit has stopped a call, and return which limit, and until when, in words for the asker.

        They are told once; in mode `llm`, where nothing else can answer, they are the answer and are not told besides.
        """
        words = _LLM_WORDS if self._answers_alone else _WORDS
        said = say(words[scope], self._language, until=f"{self.ledger.tomorrow():%Y-%m-%d %H:%M %Z}")
        if self.reached is None and not self._answers_alone:
            self._told(said)
        self.reached = self.reached or scope
        return said


class Held:
    """Implements `Admission`: one call under way."""

    def __init__(self, meter: TurnMeter, planned: Call) -> None:
        self.meter = meter
        self.day = meter.ledger.day()
        self.user = meter.user
        self.channel = meter.channel
        self.expected = planned.spent
        self.cost = meter.ledger.price(planned.model).of(self.expected)

    async def begin(self) -> None:
        """Let the call begin. Raises BudgetError when a limit is reached."""
        ledger = self.meter.ledger
        for scope in SCOPES:
            limit = ledger.limits.get(scope)
            if not limit:
                continue
            try:
                spent = await ledger.spent(scope, self)
            except StorageError as error:
                raise NotAskedError(f"What the model may still cost is not known: {error}") from None
            if limit.reached(*spent):
                raise BudgetError(scope, self.meter.stop(scope))

    async def end(self, call: Call) -> None:
        """Take note of the call; what is to be stored is stored in its own time."""
        self.meter.ledger.release(self)
        self.meter.add(call, day=self.day)


def _same(scope: Scope, one: "UsageRow | Held", held: Held) -> bool:
    """Tell whether what one call costs counts against the same limit as another."""
    if scope == "turn":
        return isinstance(one, UsageRow) or one.meter is held.meter
    if not one.user:
        return False
    if one.day != held.day:
        return False
    return scope == "day" or (one.user == held.user if scope == "user" else one.channel == held.channel)
