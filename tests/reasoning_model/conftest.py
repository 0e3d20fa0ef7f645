from collections.abc import AsyncIterator, Callable

import openai
import pytest

from agent.reasoning.model import ModelReasoner
from agent.reasoning.model.transport.breaker import Breaker
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

    def make(**given: object) -> ModelReasoner:
        return ModelReasoner(client, **{"model": "big", "breaker": Breaker(failures=1000), **given})

    return make
