import asyncio
import email.utils
import json
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence

import numpy as np
import openai
import pytest
from numpy.typing import NDArray

from adapters.services.embedding_texts import TEXT_CHARACTERS, Batches, RecentVectors, Usage
from adapters.services.embeddings import OpenAIEmbeddings
from agent.errors import ModelError, StorageError
from tests.clock import sleep_through
from tests.servers.openai import Hang, OpenAIServer, Raw, Request, refusal

Make = Callable[..., OpenAIEmbeddings]
HOURS = 36_000.0
"""By the loop's clock, which a test puts forward."""


@pytest.fixture
async def server() -> AsyncIterator[OpenAIServer]:
    async with OpenAIServer() as server:
        yield server


@pytest.fixture
async def make(server: OpenAIServer) -> AsyncIterator[Make]:
    async with openai.AsyncOpenAI(api_key="sk-very-secret", base_url=server.url) as client:
        yield lambda **given: OpenAIEmbeddings(client, **{"model": "embedder", **given})


class Broken:
    """A cache whose disk is full."""

    def __init__(self) -> None:
        self.asked = 0

    async def get(self, keys: Sequence[str]) -> Mapping[str, NDArray[np.float32]]:
        self.asked += 1
        return {}

    async def put(self, vectors: Mapping[str, NDArray[np.float32]]) -> None:
        raise StorageError("embeddings.db: disk is full")


class Pauses:
    """Notes how long it was asked to wait, and does not."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


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
    vectors = await make(batches=Batches(texts=3)).embed([f"text {n % 7}" for n in range(20)])
    assert vectors.shape == (20, 32)
    assert sorted(len(request.body["input"]) for request in server.requests) == [1, 3, 3]
    assert np.array_equal(vectors[0], vectors[7])
    assert len(await make().embed([])) == 0
    assert len(server.requests) == 3


async def test_answers_out_of_order_are_put_in_order(server: OpenAIServer, make: Make) -> None:
    rows = [{"index": 1, "embedding": [0.0, 2.0]}, {"index": 0, "embedding": [3.0, 0.0]}]
    server.script(Raw(body=json.dumps({"data": rows}).encode()))
    assert (await make().embed(["a", "b"])).tolist() == [[1.0, 0.0], [0.0, 1.0]]


async def test_a_cache_saves_calls_also_for_texts_of_one_request(server: OpenAIServer, make: Make) -> None:
    cache = RecentVectors()
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
    ("headers", "least", "most"),
    [
        ({"retry-after": "7"}, 6.5, 8.0),
        ({"retry-after-ms": "2500"}, 2.3, 2.9),
        ({"retry-after": "a date"}, 900.0, 1110.0),
        ({"retry-after": "soon"}, 0.0, 0.6),
        ({}, 0.0, 0.6),
    ],
)
async def test_it_waits_as_long_as_it_is_told(
    server: OpenAIServer, make: Make, headers: dict[str, str], least: float, most: float
) -> None:
    date = email.utils.formatdate(time.time() + 1000, usegmt=True)
    server.script(refusal(429, "slow down", **{name: value.replace("a date", date) for name, value in headers.items()}))
    pauses = Pauses()
    assert (await make(sleep=pauses, patience=2000.0).embed(["a"])).shape == (1, 32)
    assert len(pauses.seconds) == 1 and least <= pauses.seconds[0] <= most


async def test_it_does_not_wait_longer_than_there_is_time(server: OpenAIServer, make: Make) -> None:
    server.script(refusal(429, "slow down", **{"retry-after": "60"}))
    pauses = Pauses()
    with pytest.raises(ModelError, match="429"):
        await make(sleep=pauses, patience=10.0).embed(["a"])
    assert not pauses.seconds and len(server.requests) == 1


async def test_what_will_not_pass_is_not_tried_again(server: OpenAIServer, make: Make) -> None:
    quota = json.dumps({"error": {"message": "You exceeded your quota", "code": "insufficient_quota"}}).encode()
    server.script(Raw(status=429, body=quota))
    with pytest.raises(ModelError, match="quota is used up"):
        await make().embed(["a"])
    server.script(refusal(401, "no"))
    with pytest.raises(ModelError, match="OPENAI_API_KEY"):
        await make().embed(["a"])
    assert len(server.requests) == 2


async def test_it_gives_up_on_an_endpoint_that_stays_busy(server: OpenAIServer, make: Make) -> None:
    server.script(*[refusal(503, "busy")] * 20)
    pauses = Pauses()
    with pytest.raises(ModelError, match="503"):
        await make(sleep=pauses, patience=600.0).embed(["a"])
    assert len(server.requests) == 4 and len(pauses.seconds) == 3


async def test_an_endpoint_that_failed_is_left_alone_for_a_while(server: OpenAIServer, make: Make) -> None:
    server.refuse_text = lambda text: refusal(503, "busy")
    embeddings = make(sleep=Pauses(), tries=2, rest=600.0)
    with pytest.raises(ModelError, match="503"):
        await embeddings.embed(["a"])
    with pytest.raises(ModelError, match="left alone"):
        await embeddings.embed(["a"])
    assert len(server.requests) == 2
    briefly = make(sleep=Pauses(), tries=1, rest=0.01)
    with pytest.raises(ModelError, match="503"):
        await briefly.embed(["a"])
    server.refuse_text = None
    async with asyncio.timeout(120):
        while True:
            try:
                assert (await briefly.embed(["a"])).shape == (1, 32)
                break
            except ModelError:
                await asyncio.sleep(0.005)


async def test_batches_are_bounded_by_characters_too(server: OpenAIServer, make: Make) -> None:
    await make(batches=Batches(characters=100)).embed([f"{n:030d}" for n in range(10)] + ["x" * 500])
    sizes = sorted(sum(map(len, request.body["input"])) for request in server.requests)
    assert sizes == [30, 90, 90, 90, 500]


async def test_several_batches_are_in_flight_and_no_more_than_allowed(server: OpenAIServer, make: Make) -> None:
    at_once, most, together = 0, 0, asyncio.Event()

    async def slowly(request: Request) -> None:
        nonlocal at_once, most
        at_once += 1
        most = max(most, at_once)
        if at_once == 3:
            together.set()
        try:
            await together.wait()
        finally:
            at_once -= 1

    server.before_embedding = slowly
    vectors = await make(batches=Batches(texts=1, in_flight=3)).embed([f"text {n}" for n in range(9)])
    assert vectors.shape == (9, 32) and most == 3


async def test_what_other_batches_brought_is_kept_when_one_fails(server: OpenAIServer, make: Make) -> None:
    cache = RecentVectors()
    server.refuse_text = lambda text: refusal(418, "teapot") if text == "bad" else None
    texts = [*"abcdef", "bad"]
    with pytest.raises(ModelError, match="418"):
        await make(cache=cache, batches=Batches(texts=2)).embed(texts)
    server.refuse_text = None
    asked = len(server.requests)
    embeddings = make(cache=cache, batches=Batches(texts=2))
    await embeddings.embed(texts)
    again = [text for request in server.requests[asked:] for text in request.body["input"]]
    assert again == ["bad"]
    assert (embeddings.usage.texts, embeddings.usage.cached) == (1, 6)


async def test_a_batch_that_is_too_large_is_halved_and_the_next_ones_are_smaller(
    server: OpenAIServer, make: Make
) -> None:
    server.most_texts = 5
    embeddings = make(batches=Batches(texts=16, in_flight=1))
    assert (await embeddings.embed([f"text {n}" for n in range(40)])).shape == (40, 32)
    refused = [request for request in server.requests if len(request.body["input"]) > 5]
    assert [len(request.body["input"]) for request in refused] == [8]


async def test_a_slow_endpoint_that_takes_one_call_after_the_other_is_asked_for_nothing_twice(
    server: OpenAIServer, make: Make
) -> None:
    one_at_a_time = asyncio.Lock()

    async def slowly(request: Request) -> None:
        async with one_at_a_time:
            await sleep_through(2.0 * len(request.body["input"]))

    server.before_embedding = slowly
    embeddings = make(timeout=300.0, patience=HOURS)  # 64 texts take 128 s, four such batches one after the other 512 s
    assert (await embeddings.embed([f"text number {n:03d}" for n in range(200)])).shape == (200, 32)
    asked = [text for request in server.requests for text in request.body["input"]]
    assert len(asked) == len(set(asked)) == 200


async def test_a_batch_that_takes_too_long_is_asked_for_in_smaller_ones_and_what_came_is_kept(
    server: OpenAIServer, make: Make
) -> None:
    async def hang(request: Request) -> None:
        if len(request.body["input"]) > 2 or "text 9" in request.body["input"]:
            await sleep_through(HOURS)

    server.before_embedding = hang
    cache = RecentVectors()
    embeddings = make(timeout=HOURS - 600, patience=HOURS, cache=cache, batches=Batches(in_flight=1))
    with pytest.raises(ModelError, match="in time"):
        await embeddings.embed([f"text {n}" for n in range(10)])
    asked = len(server.requests)
    server.before_embedding = None
    await make(cache=cache).embed([f"text {n}" for n in range(10)])
    (left,) = (request.body["input"] for request in server.requests[asked:])
    assert "text 9" in left and len(left) <= 2


async def test_a_text_that_is_too_long_for_the_model_is_cut(server: OpenAIServer, make: Make) -> None:
    server.refuse_text = lambda text: refusal(400, "maximum context length is 512 tokens") if len(text) > 600 else None
    vectors = await make().embed(["short", "w " * 1000, "other"])
    assert vectors.shape == (3, 32)
    assert np.array_equal(vectors[1], (await make().embed(["w " * 250]))[0])
    server.refuse_text = lambda text: refusal(400, "maximum context length is 0 tokens")
    with pytest.raises(ModelError, match="too long"):
        await make().embed(["w " * 1000])


async def test_what_it_cost_is_counted(server: OpenAIServer, make: Make) -> None:
    embeddings = make(cache=RecentVectors())
    await embeddings.embed(["one two three", "넷 다섯", "one two three"])
    assert embeddings.usage == Usage(texts=2, cached=0, tokens=8)  # the server does not tell: about 4 each
    await embeddings.embed(["one two three", "six"])
    assert (embeddings.usage.texts, embeddings.usage.cached) == (3, 1)
    server.counts_tokens = True
    await embeddings.embed(["seven eight"])
    assert embeddings.usage.tokens == 8 + 1 + 2


async def test_prefixes_are_sent_and_make_other_vectors(server: OpenAIServer, make: Make) -> None:
    cache = RecentVectors()
    plain, asking = make(cache=cache), make(cache=cache, prefix="query: ")
    await plain.embed(["leave"])
    await asking.embed(["leave", ""])
    sent = [text for request in server.requests for text in request.body["input"]]
    assert sorted(sent) == sorted(["leave", "query: leave", "query: ."])
    assert plain.name == "embedder" and asking.name != "embedder" and "query: " in asking.name


async def test_a_cache_that_fails_costs_money_and_nothing_else(make: Make, caplog: pytest.LogCaptureFixture) -> None:
    cache = Broken()
    embeddings = make(cache=cache)
    assert (await embeddings.embed(["a"])).shape == (1, 32)
    assert (await embeddings.embed(["b"])).shape == (1, 32)
    assert cache.asked == 1 and caplog.text.count("disk is full") == 1


async def test_the_cache_in_memory_forgets_what_was_not_asked_for() -> None:
    cache = RecentVectors(size=3)
    for name in "abc":
        await cache.put({name: np.zeros(1, dtype=np.float32)})
    await cache.get(["a"])
    await cache.put({"d": np.zeros(1, dtype=np.float32)})
    assert set(await cache.get(list("abcd"))) == set("acd")


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
    with pytest.raises(ModelError, match="in time"):
        await make(timeout=0.2, patience=0.3).embed(["a"])
