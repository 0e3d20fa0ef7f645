import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence

import numpy as np
import openai
import pytest
from numpy.typing import NDArray

from adapters.services.embeddings import TEXT_CHARACTERS, OpenAIEmbeddings
from agent.errors import ModelError
from tests.servers.openai import Hang, OpenAIServer, Raw, refusal

Make = Callable[..., OpenAIEmbeddings]


@pytest.fixture
async def server() -> AsyncIterator[OpenAIServer]:
    async with OpenAIServer() as server:
        yield server


@pytest.fixture
async def make(server: OpenAIServer) -> AsyncIterator[Make]:
    async with openai.AsyncOpenAI(api_key="sk-very-secret", base_url=server.url) as client:
        yield lambda **given: OpenAIEmbeddings(client, **{"model": "embedder", **given})


class Kept:
    """A cache in memory."""

    def __init__(self) -> None:
        self.vectors: dict[str, NDArray[np.float32]] = {}

    async def get(self, keys: Sequence[str]) -> Mapping[str, NDArray[np.float32]]:
        return {key: self.vectors[key] for key in keys if key in self.vectors}

    async def put(self, vectors: Mapping[str, NDArray[np.float32]]) -> None:
        self.vectors.update(vectors)


async def test_rows_are_in_order_and_of_length_one(make: Make) -> None:
    embeddings = make()
    texts = ["the library closes at six", "연차 휴가는 15일", "library closes at six", ""]
    vectors = await embeddings.embed(texts)
    assert vectors.shape == (4, 32)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-6)
    assert vectors[0] @ vectors[2] > 0.8 > vectors[0] @ vectors[1]
    assert (embeddings.name, embeddings.dimensions) == ("embedder", 32)


async def test_texts_go_in_batches_and_equal_ones_once(server: OpenAIServer, make: Make) -> None:
    vectors = await make(batch=3).embed([f"text {n % 7}" for n in range(20)])
    assert vectors.shape == (20, 32)
    assert [len(request.body["input"]) for request in server.requests] == [3, 3, 1]
    assert np.array_equal(vectors[0], vectors[7])
    assert len(await make().embed([])) == 0
    assert len(server.requests) == 3


async def test_answers_out_of_order_are_put_in_order(server: OpenAIServer, make: Make) -> None:
    rows = [{"index": 1, "embedding": [0.0, 2.0]}, {"index": 0, "embedding": [3.0, 0.0]}]
    server.script(Raw(body=json.dumps({"data": rows}).encode()))
    assert (await make().embed(["a", "b"])).tolist() == [[1.0, 0.0], [0.0, 1.0]]


async def test_a_cache_saves_calls_also_for_texts_of_one_request(server: OpenAIServer, make: Make) -> None:
    cache = Kept()
    first = await make(cache=cache).embed(["a", "b"])
    again = await make(cache=cache).embed(["b", "c", "a"])
    assert [request.body["input"] for request in server.requests] == [["a", "b"], ["c"]]
    assert np.array_equal(again[[2, 0]], first)
    await make(cache=cache, model="other").embed(["a"])
    assert server.requests[-1].body["model"] == "other"
    server.dimensions = 16
    with pytest.raises(ModelError, match="dimensions"):
        await make(cache=cache).embed(["a", "new"])


async def test_given_dimensions_are_asked_for(server: OpenAIServer, make: Make) -> None:
    assert (await make(dimensions=12).embed(["a"])).shape == (1, 12)
    assert server.requests[0].body["dimensions"] == 12


async def test_an_endpoint_that_cannot_choose_is_asked_without(server: OpenAIServer, make: Make) -> None:
    server.chooses_dimensions = False
    embeddings = make(dimensions=32)
    await embeddings.embed(["a"])
    await embeddings.embed(["b"])
    assert ["dimensions" in request.body for request in server.requests] == [True, False, False]
    with pytest.raises(ModelError, match="12 are expected"):
        await make(dimensions=12).embed(["a"])


async def test_long_texts_are_cut(server: OpenAIServer, make: Make) -> None:
    await make().embed(["가" * 50_000])
    assert len(server.requests[0].body["input"][0]) == TEXT_CHARACTERS


async def test_a_passing_failure_is_tried_again(server: OpenAIServer, make: Make) -> None:
    server.script(refusal(429, "wait", **{"retry-after-ms": "1"}), refusal(503, "busy", **{"retry-after-ms": "1"}))
    assert (await make().embed(["a"])).shape == (1, 32)
    assert len(server.requests) == 3


@pytest.mark.parametrize(
    "body",
    [
        b"<html></html>",
        b"[]",
        b'{"data": []}',
        b'{"data": [{"index": 0, "embedding": []}]}',
        b'{"data": [{"index": 0, "embedding": [0.0, 0.0]}]}',
        b'{"data": [{"index": 0, "embedding": [1e999, 0.0]}]}',
        b'{"data": [{"index": 0, "embedding": ["x"]}]}',
        b'{"data": [{"index": 5, "embedding": [1.0]}]}',
        b'{"data": [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": [1.0]}]}',
        b'{"data": [{"index": 0, "embedding": "AACAPw=="}]}',
        b'{"data": "\xff"}',
    ],
)
async def test_an_answer_of_no_use_is_a_model_error(server: OpenAIServer, make: Make, body: bytes) -> None:
    server.script(Raw(body=body))
    with pytest.raises(ModelError):
        await make().embed(["a"])


@pytest.mark.parametrize("status", [400, 401, 404, 422])
async def test_a_refusal_is_a_model_error_without_its_words(server: OpenAIServer, make: Make, status: int) -> None:
    server.script(refusal(status, "Incorrect API key provided: sk-very-secret"))
    with pytest.raises(ModelError, match=str(status)) as raised:
        await make().embed(["a"])
    assert "sk-very-secret" not in str(raised.value)
    assert raised.value.__cause__ is None


async def test_an_endpoint_that_hangs_is_left(server: OpenAIServer, make: Make) -> None:
    server.script(Hang())
    async with asyncio.timeout(5.0):
        with pytest.raises(ModelError, match="in time"):
            await make(timeout=0.2).embed(["a"])
