"""The model, where one is set: its client, and what makes the reasoner of each turn.

What only a model needs is imported here when one is set, so that `weft ask` does not pay for it.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from agent.context import TurnRequest
from agent.packs.pack import Pack
from agent.reasoning.contract import Reasoner
from agent.reasoning.offline import OfflineReasoner
from bot.settings import Settings
from storage.database import Database
from storage.usage import SqliteUsage

if TYPE_CHECKING:
    from openai import AsyncOpenAI

OFFLINE = OfflineReasoner()


def model_client(settings: Settings) -> "AsyncOpenAI":
    """Return a client of the endpoint that the settings name."""
    from openai import AsyncAzureOpenAI, AsyncOpenAI

    for name in ("openai", "httpx2", "httpcore2"):  # below this they may log what people wrote
        logging.getLogger(name).setLevel(logging.WARNING)
    # An endpoint of one's own often needs no key, but the library wants one; retries are ours, within our time limits.
    key = settings.openai_api_key.get_secret_value() or "none"
    url = settings.openai_base_url
    if settings.openai_api_version and url:
        version = settings.openai_api_version
        if "/openai" in url:  # the path of a deployment
            return AsyncAzureOpenAI(api_key=key, base_url=url, api_version=version, max_retries=0)
        return AsyncAzureOpenAI(api_key=key, azure_endpoint=url, api_version=version, max_retries=0)
    return AsyncOpenAI(api_key=key, base_url=url or None, max_retries=0)


ForTurn = Callable[[TurnRequest, Callable[[str], None]], Reasoner]
"""Makes the reasoner of a turn; its notices go to the function that it is given."""


@asynccontextmanager
async def reasoners(
    settings: Settings, client: "AsyncOpenAI | None", pack: Pack, database: Database
) -> AsyncIterator[ForTurn]:
    """Give what makes the reasoner of a turn; with a model its calls are counted, and stopped at the limits."""
    if client is None:
        yield lambda request, notice: OFFLINE
        return
    from agent.reasoning.fallback import FallbackReasoner
    from agent.reasoning.model import ModelReasoner
    from agent.reasoning.model.budget import Limit, Price
    from agent.reasoning.model.gate import Gate
    from agent.reasoning.model.roles import Cast
    from agent.reasoning.model.tokens import counter
    from bot.usage import Ledger

    known = settings.models
    cast = Cast(
        large=settings.model,
        small=settings.small_model,
        temperature=settings.temperature,
        seed=settings.model_seed,
        answer_tokens=settings.answer_tokens,
        context_tokens=settings.context_tokens,
        contexts={name: each.context_tokens for name, each in known.items() if each.context_tokens},
    )
    usual = cast.roles(pack.models)
    model = ModelReasoner(
        client,
        model=usual["large"],
        small_model=usual["small"],
        timeout=settings.model_timeout,
        stream_timeout=settings.model_stream_timeout,
        gate=Gate(
            places=settings.model_concurrency,
            patience=settings.model_queue_seconds,
            queue=max(64, 4 * settings.concurrency),
        ),
    )
    for each in usual.values():  # a vocabulary is read once, and not while somebody waits
        await asyncio.to_thread(counter, each.name)
    ledger = Ledger(
        SqliteUsage(database),
        zone=ZoneInfo(settings.usage_zone),
        limits={
            "turn": Limit(tokens=settings.limit_turn_tokens, cost=settings.limit_turn_cost),
            "user": Limit(tokens=settings.limit_user_tokens, cost=settings.limit_user_cost),
            "channel": Limit(tokens=settings.limit_channel_tokens, cost=settings.limit_channel_cost),
            "day": Limit(tokens=settings.limit_day_tokens, cost=settings.limit_day_cost),
        },
        prices={
            name: Price(input=each.price_in, output=each.price_out, cached=each.price_cached)
            for name, each in known.items()
        },
    )

    def for_turn(request: TurnRequest, notice: Callable[[str], None]) -> Reasoner:
        meter = ledger.turn(request, notice)
        wish = settings.channel_models.get(meter.channel)
        return FallbackReasoner(
            model.for_turn(meter, cast.roles(pack.models, *([wish] if wish else []))),
            OFFLINE,
            notice=lambda words: None if meter.reached else notice(words),  # the limit is said already
        )

    try:
        yield for_turn
    finally:
        await ledger.close()
