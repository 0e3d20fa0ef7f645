"""Server-sent events as the standard has them, and as nobody should send them."""

import gzip
import json
from contextlib import aclosing

import openai
import pytest

from agent.errors import ModelError
from agent.reasoning.model.transport.breaker import Breaker
from agent.reasoning.model.transport.calls import Calls
from agent.reasoning.model.transport.endpoint import Endpoint
from agent.reasoning.model.transport.messages import Said as Message
from agent.reasoning.model.transport.response_body import MOST_BYTES
from agent.reasoning.model.transport.roles import Served
from tests.reasoning_model.making import both
from tests.servers.openai import Answer, Bytes, OpenAIServer, Raw

ASKED: list[Message] = [{"role": "user", "content": "What colour is it?"}]
STREAM = "text/event-stream"
MUCH = b" " * (MOST_BYTES // 10)
WHOLE = b'{"choices": [{"index": 0, "message": {"content": "Blue."}, "finish_reason": "stop"}]}'


@pytest.fixture
def endpoint(client: openai.AsyncOpenAI) -> Endpoint:
    model = Served(name="m")
    return Endpoint(Calls(client, timeout=60.0, breaker=Breaker(failures=1000)), both(model))


async def streamed(endpoint: Endpoint) -> str:
    async with aclosing(endpoint.stream("large", ASKED, tokens=100)) as pieces:
        return "".join([piece async for piece in pieces])


def chunk(text: str, finish: str | None = None, **more: object) -> str:
    return json.dumps({"choices": [{"index": 0, "delta": {"content": text, **more}, "finish_reason": finish}]})


SAID, END = chunk("Blue"), chunk(".", "stop")
SPOKEN = {
    "with a space": f"data: {SAID}\n\ndata: {END}\n\ndata: [DONE]\n\n",
    "without a space": f"data:{SAID}\n\ndata:{END}\n\ndata:[DONE]\n\n",
    "lines that end in CR LF": f"data: {SAID}\r\n\r\ndata: {END}\r\n\r\ndata: [DONE]\r\n\r\n",
    "lines that end in CR": f"data: {SAID}\r\rdata: {END}\r\rdata: [DONE]\r\r",
    "named events": f"event: chunk\nid: 1\ndata: {SAID}\n\nretry: 5\nevent: chunk\ndata: {END}\n\ndata: [DONE]\n\n",
    "data of many lines": "".join(f"data: {line}\n" for line in json.dumps(json.loads(SAID), indent=1).splitlines())
    + f"\ndata: {END}\n\n",
    "a byte order mark": f"\ufeffdata: {SAID}\n\ndata: {END}\n\n",
    "comments": f": hello\n\ndata: {SAID}\n: there\n\n:\n\ndata: {END}\n\n",
    "fields that nobody knows": f"colour: red\ndata: {SAID}\n\ndata\ufeff: x\ndata: {END}\n\n",
}
ENDLESS: dict[str, Answer] = {
    "a line": Bytes([b"data: ", *[MUCH] * 11], then="stay"),
    "a comment": Bytes([b":", *[MUCH] * 11], then="stay"),
    "comments": Bytes([b":" + MUCH + b"\n\n"] * 11, then="stay"),
    "an event": Bytes([b"data:" + MUCH + b"\n"] * 11, then="stay"),
    "packed": Raw(body=gzip.compress(b":" + MUCH * 11), content_type=STREAM, headers={"Content-Encoding": "gzip"}),
    "a body": Raw(body=WHOLE + MUCH * 10),
}
NONSENSE = {
    "too deep": b"data: " + b"[" * 100_000 + b"\n\n",
    "too many digits": b'data: {"created": ' + b"1" * 5000 + b"}\n\n",
    "half of a pair": b'data: {"choices": [{"delta": {"content": "\\ud83d"}}]}\n\n',
    "no data": b"event: ping\n\n",
    "a number for text": b'data: {"choices": [{"delta": {"content": 5}}]}\n\n',
}


@pytest.mark.parametrize("size", [1, 7, 1000])
@pytest.mark.parametrize("way", SPOKEN)
async def test_events_are_read_as_the_standard_says(
    server: OpenAIServer, endpoint: Endpoint, way: str, size: int
) -> None:
    sent = SPOKEN[way].encode()
    at = range(0, min(len(sent), 12 * size), size)  # in small parts at first; the rest at once
    server.answer(Bytes([*(sent[n : n + size] for n in at), sent[12 * size :]]))
    assert await streamed(endpoint) == "Blue."


@pytest.mark.parametrize("what", ENDLESS)
async def test_what_has_no_end_is_not_kept(server: OpenAIServer, endpoint: Endpoint, what: str) -> None:
    server.answer(ENDLESS[what])
    with pytest.raises(ModelError, match="no chat completion"):
        await streamed(endpoint)


async def test_a_whole_answer_is_bounded_as_well(server: OpenAIServer, endpoint: Endpoint) -> None:
    server.answer(Raw(body=WHOLE + b" " * (MOST_BYTES - len(WHOLE))))
    assert await endpoint.text("large", ASKED, tokens=100) == "Blue."
    server.answer(Raw(body=WHOLE + b" " * (MOST_BYTES - len(WHOLE) + 1)))
    with pytest.raises(ModelError, match="no chat completion"):
        await endpoint.text("large", ASKED, tokens=100)


async def test_long_thoughts_are_no_endless_line(server: OpenAIServer, endpoint: Endpoint) -> None:
    thought = f"data: {chunk('', reasoning_content='hm ' * (MOST_BYTES // 12))}\n\n".encode()
    server.answer(Bytes([*[thought] * 5, SPOKEN["with a space"].encode()]))
    assert await streamed(endpoint) == "Blue."


@pytest.mark.parametrize("what", NONSENSE)
async def test_what_no_reader_takes_is_no_chat_completion(server: OpenAIServer, endpoint: Endpoint, what: str) -> None:
    server.answer(Bytes([NONSENSE[what]]))
    with pytest.raises(ModelError, match="no chat completion"):
        await streamed(endpoint)
