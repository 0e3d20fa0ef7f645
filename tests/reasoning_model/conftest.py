from collections.abc import AsyncIterator, Callable
from typing import Any

import openai
import pytest

from agent.reasoning.model import ModelReasoner
from agent.reasoning.model.transport.breaker import Breaker
from agent.reasoning.model.transport.calls import Calls
from agent.reasoning.model.transport.endpoint import Endpoint
from agent.reasoning.model.transport.roles import Cast
from agent.reasoning.model.transport.usage import Meter
from tests.servers.openai import OpenAIServer


@pytest.fixture
async def server() -> AsyncIterator[OpenAIServer]:
    async with OpenAIServer() as server:
        yield server


@pytest.fixture
async def client(server: OpenAIServer) -> AsyncIterator[openai.AsyncOpenAI]:
    async with openai.AsyncOpenAI(api_key="sk-very-secret", base_url=server.url) as client:
        yield client


@pytest.fixture
def make(client: openai.AsyncOpenAI) -> Callable[..., ModelReasoner]:
    """Make a reasoner whose breaker stays out of the way unless the test brings its own."""

    def make(*, small_model: str = "big", meter: Meter | None = None, **given: Any) -> ModelReasoner:
        calls = Calls(client, **{"breaker": Breaker(failures=1000), **given})
        return ModelReasoner(Endpoint(calls, Cast(large="big", small=small_model).roles(), meter))

    return make
