"""The model, where one is set: its client, and what makes the reasoner of each turn.

What only a model needs is imported here when one is set, so that `weft ask` does not pay for it.
"""

import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from agent.context import TurnRequest, left_of_turn
from agent.packs.pack import Pack
from agent.reasoning.contract import Reasoner
from agent.reasoning.rules import OfflineReasoner
from bot.settings import Settings
from storage.sql import SqlDatabase
from storage.usage import SqlUsage

if TYPE_CHECKING:
    from openai import AsyncOpenAI

    from agent.reasoning.model.transport.roles import Cast
    from bot.models.usage import Ledger

OFFLINE = OfflineReasoner()


ForTurn = Callable[[TurnRequest, Callable[[str], None]], Reasoner]
"""Makes the reasoner of a turn; its notices go to the function that it is given."""


@asynccontextmanager
async def reasoners(
    settings: Settings,
    client: "AsyncOpenAI | None",
    pack: Pack,
    database: SqlDatabase,
    others: Mapping[str, Pack] = MappingProxyType({}),
) -> AsyncIterator[ForTurn]:
    """Give what makes the reasoner of a turn; with a model its calls are counted, and stopped at the limits.

    `others` are the packs that may be in force instead, by name.
    """
    if client is None:
        yield lambda request, notice: OFFLINE
        return
    from agent.reasoning.combined.composition import Trust
    from agent.reasoning.combined.reasoner import FallbackReasoner
    from agent.reasoning.model import ModelReasoner
    from agent.reasoning.model.transport.breaker import Gate
    from agent.reasoning.model.transport.calls import Calls
    from agent.reasoning.model.transport.endpoint import Endpoint
    from bot.models.usage_embeddings import running

    cast = model_cast(settings)
    async with open_ledger(settings, database) as ledger:
        calls = Calls(
            client,
            timeout=settings.model_timeout,
            stream_timeout=settings.model_stream_timeout,
            gate=Gate(
                places=settings.model_concurrency,
                patience=settings.model_queue_seconds,
                queue=max(64, 4 * settings.concurrency),
            ),
        )

        trust = Trust()

        def for_turn(request: TurnRequest, notice: Callable[[str], None]) -> Reasoner:
            meter = ledger.turn(request, notice)
            running(meter)
            wish = settings.channel_models.get(meter.channel)
            started, own = time.monotonic(), others.get(request.pack, pack)

            def left() -> float:
                return left_of_turn(own, started)

            endpoint = Endpoint(calls, cast.roles(own.models, *([wish] if wish else [])), meter, left)
            return FallbackReasoner(
                ModelReasoner(endpoint),
                OFFLINE,
                asked=lambda: endpoint.asked,
                takes=endpoint.takes,
                left=left,
                trust=trust,
                notice=lambda words: None if meter.reached else notice(words),  # the limit is said already
            )

        yield for_turn


def model_cast(settings: Settings) -> "Cast":
    """Return the operator's models, and what is known of them."""
    from agent.reasoning.model.transport.roles import Cast

    return Cast(
        large=settings.model,
        small=settings.small_model,
        temperature=settings.temperature,
        seed=settings.model_seed,
        answer_tokens=settings.answer_tokens,
        context_tokens=settings.context_tokens,
        contexts={name: each.context_tokens for name, each in settings.models.items() if each.context_tokens},
    )


@asynccontextmanager
async def open_ledger(settings: Settings, database: SqlDatabase) -> AsyncIterator["Ledger"]:
    """Give what counts calls, with the operator's prices and limits; all is stored when this ends."""
    from agent.reasoning.model.transport.usage import Limit, Price
    from bot.models.usage import Ledger

    prices = {
        name: Price(input=each.price_in, output=each.price_out, cached=each.price_cached)
        for name, each in settings.models.items()
    }
    for name in filter(None, (settings.embedding_model, settings.embedding_query_model)):
        prices[name] = replace(prices.get(name, Price()), input=embedding_price(settings, name))
    ledger = Ledger(
        SqlUsage(database),
        zone=ZoneInfo(settings.usage_zone),
        limits={
            "turn": Limit(tokens=settings.limit_turn_tokens, cost=settings.limit_turn_cost),
            "user": Limit(tokens=settings.limit_user_tokens, cost=settings.limit_user_cost),
            "channel": Limit(tokens=settings.limit_channel_tokens, cost=settings.limit_channel_cost),
            "day": Limit(tokens=settings.limit_day_tokens, cost=settings.limit_day_cost),
        },
        prices=prices,
    )
    try:
        yield ledger
    finally:
        await ledger.close()


def embedding_price(settings: Settings, model: str) -> float:
    """Return what a million tokens of an embedding cost: what is said of the model itself goes first."""
    known = settings.models.get(model)
    return known.price_in if known and known.price_in else settings.embedding_price
