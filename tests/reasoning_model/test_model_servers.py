"""What real servers do besides what OpenAI's documentation says; each over a real socket."""

import asyncio
import email.utils
import json
import time
from collections.abc import Callable
from contextlib import aclosing

import openai
import pytest
from pydantic import BaseModel

from agent.errors import ModelError
from agent.reasoning.model.transport.breaker import Breaker, Gate
from agent.reasoning.model.transport.calls import Calls
from agent.reasoning.model.transport.dialect import Dialects
from agent.reasoning.model.transport.endpoint import Endpoint
from agent.reasoning.model.transport.failures import NotAskedError, RefusedError
from agent.reasoning.model.transport.messages import Said as Message
from agent.reasoning.model.transport.roles import Served
from tests.reasoning_model.making import both
from tests.servers.openai import Answer, Bytes, Hang, OpenAIServer, Raw, Request, Said, refusal

ASKED: list[Message] = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "What colour is it?"}]


class Part(BaseModel):
    name: str


class Colour(BaseModel):
    colour: str
    parts: list[Part] = []
    title: str | None = None


BLUE = {"colour": "blue", "parts": [], "title": None}
Made = Callable[..., Endpoint]


@pytest.fixture
def endpoint(client: openai.AsyncOpenAI) -> Made:
    def make(*, served: Served | None = None, **given: object) -> Endpoint:
        calls = Calls(client, **{"timeout": 60.0, "breaker": Breaker(failures=1000), **given})  # type: ignore[arg-type]
        model = served or Served(name="m")
        return Endpoint(calls, both(model))

    return make


async def asked(endpoint: Endpoint) -> Colour:
    return await endpoint.ask("large", ASKED, shape=Colour, tokens=100)


async def streamed(endpoint: Endpoint) -> str:
    async with aclosing(endpoint.stream("large", ASKED, tokens=100)) as pieces:
        return "".join([piece async for piece in pieces])


def sse(*chunks: object, done: bool = True) -> bytes:
    lines = [f"data: {json.dumps(chunk, ensure_ascii=False)}\n\n" for chunk in chunks]
    return "".join([*lines, "data: [DONE]\n\n" if done else ""]).encode()


def piece(text: str | None, finish: str | None = None, **more: object) -> dict[str, object]:
    choice = {"index": 0, "delta": {"content": text}, "finish_reason": finish}
    return {"id": "c", "object": "chat.completion.chunk", "created": 0, "model": "m", "choices": [choice], **more}


def whole(message: object, **more: object) -> Raw:
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    body = {"id": "c", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice], **more}
    return Raw(body=json.dumps(body).encode())


# --- how a shape is asked for


def gemini(request: Request) -> Raw | None:
    sent = json.dumps(request.body.get("response_format", {}))
    for word in ("additionalProperties", "$ref", "$defs"):
        if word in sent:
            return refusal(400, f'Invalid JSON payload received. Unknown name "{word}" at response_schema')
    return None


async def test_a_schema_of_few_keywords_is_tried_before_any_json(server: OpenAIServer, endpoint: Made) -> None:
    server.refuses = gemini
    server.answer(BLUE)
    door = endpoint()
    assert (await asked(door)).colour == "blue"
    await asked(door)
    assert [request.format for request in server.chats] == ["json_schema"] * 3
    described = server.chats[-1].body["response_format"]["json_schema"]
    assert "strict" not in described
    assert described["schema"]["properties"]["parts"]["items"]["properties"] == {"name": {"type": "string"}}


@pytest.mark.parametrize("format", ["json_object", "text"])
async def test_where_no_schema_is_taken_the_prompt_holds_it(server: OpenAIServer, endpoint: Made, format: str) -> None:
    server.formats = {format}
    server.answer(lambda request: Said(text=json.dumps(BLUE)))
    await asked(endpoint())
    assert '"colour"' in server.chats[-1].body["messages"][0]["content"]
    assert '"colour"' not in server.chats[0].body["messages"][0]["content"]


async def test_a_shape_that_is_accepted_and_ignored_is_asked_for_otherwise(
    server: OpenAIServer, endpoint: Made
) -> None:
    server.answer(lambda request: BLUE if request.format == "json_object" else "It is blue.")
    door = endpoint()
    for _ in range(2):
        with pytest.raises(ModelError, match="no JSON"):
            await asked(door)
    assert '"colour"' in server.chats[1].text  # the try at repair names the shape
    assert (await asked(door)).colour == "blue"
    assert len(server.chats) == 5


async def test_a_shape_that_is_ignored_now_and_then_is_a_slip(server: OpenAIServer, endpoint: Made) -> None:
    door = endpoint()
    for _ in range(3):
        server.script("It is blue.", "Blue.", BLUE)
        with pytest.raises(ModelError, match="no JSON"):
            await asked(door)
        await asked(door)
    assert {request.format for request in server.chats} == {"json_schema"}


async def test_what_an_endpoint_takes_is_found_out_anew_after_a_while(server: OpenAIServer, endpoint: Made) -> None:
    now = [0.0]
    server.formats = {"json_object"}
    server.answer(BLUE)
    door = endpoint(dialects=Dialects(keep=100.0, clock=lambda: now[0]))
    await asked(door)
    server.formats = {"json_schema"}
    now[0] = 99.0
    server.formats = {"json_object", "json_schema"}
    await asked(door)
    now[0] = 101.0
    await asked(door)
    assert [request.format for request in server.chats] == ["json_schema", "json_object", "json_object", "json_schema"]


async def test_models_of_one_endpoint_are_known_apart(server: OpenAIServer, client: openai.AsyncOpenAI) -> None:
    server.refuses = lambda request: (
        refusal(400, "temperature is not supported")
        if request.body["model"] == "o" and "temperature" in request.body
        else None
    )
    server.answer("Blue.")
    door = Endpoint(Calls(client), {"large": Served(name="m"), "small": Served(name="o")})
    for role in ("small", "large", "small"):
        await door.text(role, ASKED, tokens=10)
    assert [(r.body["model"], "temperature" in r.body) for r in server.chats] == [
        ("o", True), ("o", False), ("m", True), ("o", False),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("seed", "Unrecognized request argument supplied: seed"),
        ("stream_options", "stream_options: Extra inputs are not permitted"),
        ("stream_options", "Invalid request"),
        ("temperature", "Unsupported value: 'temperature' does not support 0.0 with this model."),
        ("max_tokens", "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."),
    ],
)
@pytest.mark.parametrize("status", [400, 422])
async def test_what_a_model_refuses_is_left_out(
    server: OpenAIServer, endpoint: Made, name: str, words: str, status: int
) -> None:
    server.refuses = lambda request: refusal(status, words) if name in request.body else None
    server.answer("Blue.")
    door = endpoint(served=Served(name="m", seed=7))
    assert await streamed(door) == "Blue."
    assert await streamed(door) == "Blue."
    assert [name in request.body for request in server.chats] == [True, False, False]


async def test_rules_begin_the_question_where_there_is_no_role_for_them(server: OpenAIServer, endpoint: Made) -> None:
    server.refuses = lambda request: (
        refusal(400, "System role not supported") if request.body["messages"][0]["role"] == "system" else None
    )
    server.answer("Blue.")
    assert await endpoint().text("large", ASKED, tokens=10) == "Blue."
    assert server.chats[-1].body["messages"] == [{"role": "user", "content": "Be brief.\n\nWhat colour is it?"}]


async def test_settings_of_a_role_are_sent(server: OpenAIServer, endpoint: Made) -> None:
    server.answer("Blue.")
    served = Served(name="m", temperature=0.7, seed=7, answer_tokens=50, context_tokens=4096)
    await endpoint(served=served).text("large", ASKED, tokens=100)
    await endpoint(served=Served(name="another")).text("small", ASKED, tokens=100)
    first, second = (request.body for request in server.chats)
    assert (first["temperature"], first["seed"], first["max_tokens"]) == (0.7, 7, 50)
    assert (second["model"], second["max_tokens"]) == ("another", 100)
    assert "seed" not in second


# --- whole answers


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ({"content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "Blue."}]}, "Blue."),
        ({"content": "Blue.", "reasoning_content": "hm", "tool_calls": None}, "Blue."),
        ({"content": "<thinking>hm</thinking><think>hm</think> Blue."}, "Blue."),
        ({"content": "The passage says so.\n</think>\nBlue."}, "Blue."),
        ({"content": "[THINK]hm[/THINK]Blue."}, "Blue."),
    ],
)
async def test_thoughts_come_in_many_ways(server: OpenAIServer, endpoint: Made, message: object, text: str) -> None:
    server.answer(whole(message))
    assert await endpoint().text("large", ASKED, tokens=10) == text


@pytest.mark.parametrize("code", [429, 503, "502"])
async def test_an_error_with_status_200_that_may_pass_is_tried_again(
    server: OpenAIServer, endpoint: Made, code: object
) -> None:
    server.script(Raw(body=json.dumps({"error": {"message": "sk-very-secret", "code": code}}).encode()))
    server.answer("Blue.")
    assert await endpoint().text("large", ASKED, tokens=10) == "Blue."


async def test_an_error_with_status_200_is_an_error(server: OpenAIServer, endpoint: Made) -> None:
    server.answer(Raw(body=b'{"error": {"message": "sk-very-secret", "code": "model_not_found"}}'))
    with pytest.raises(ModelError, match="reported an error") as raised:
        await endpoint().text("large", ASKED, tokens=10)
    assert "secret" not in str(raised.value)
    assert len(server.chats) == 1


@pytest.mark.parametrize(
    "fault", [refusal(400, "maximum context length is 10"), refusal(404, "no"), refusal(413, "no")]
)
async def test_a_refused_request_says_nothing_against_the_endpoint(
    server: OpenAIServer, endpoint: Made, fault: Answer
) -> None:
    door = endpoint(breaker=Breaker(failures=1))
    server.script(fault)
    server.answer("Blue.")
    with pytest.raises(RefusedError):
        await door.text("large", ASKED, tokens=10)
    assert await door.text("large", ASKED, tokens=10) == "Blue."


# --- trying again


async def test_retry_after_may_be_a_date(server: OpenAIServer, endpoint: Made) -> None:
    server.script(refusal(429, "wait", **{"Retry-After": email.utils.formatdate(time.time() - 5, usegmt=True)}))
    server.answer("Blue.")
    assert await endpoint().text("large", ASKED, tokens=10) == "Blue."
    server.script(refusal(429, "wait", **{"Retry-After": email.utils.formatdate(time.time() + 3600, usegmt=True)}))
    with pytest.raises(ModelError, match="429"):
        await endpoint().text("large", ASKED, tokens=10)
    assert len(server.chats) == 3


async def test_a_quota_that_is_used_up_is_not_waited_for(server: OpenAIServer, endpoint: Made) -> None:
    body = json.dumps({"error": {"message": "You exceeded your quota", "code": "insufficient_quota"}})
    server.answer(Raw(status=429, body=body.encode()))
    with pytest.raises(ModelError, match="quota"):
        await endpoint().text("large", ASKED, tokens=10)
    assert len(server.chats) == 1


async def test_a_stream_that_has_not_begun_is_tried_again(server: OpenAIServer, endpoint: Made) -> None:
    server.script(Raw(status=502, body=b"<html>bad gateway</html>", content_type="text/html"))
    server.answer("Blue.")
    assert await streamed(endpoint()) == "Blue."


# --- streams


async def test_a_stream_needs_no_last_word(server: OpenAIServer, endpoint: Made) -> None:
    server.answer(Said(text="Blue.", done=False))
    assert await streamed(endpoint()) == "Blue."


async def test_a_connection_that_is_lost_after_the_end_is_no_fault(server: OpenAIServer, endpoint: Made) -> None:
    server.answer(Bytes([sse(piece("Blue."), piece("", "stop"), done=False)], then="reset"))
    assert await streamed(endpoint()) == "Blue."


async def test_a_connection_that_stays_open_after_the_end_is_left(server: OpenAIServer, endpoint: Made) -> None:
    server.answer(Bytes([sse(piece("Blue."), piece("", "stop"), done=False)], then="stay"))
    async with asyncio.timeout(120):
        assert await streamed(endpoint(timeout=600.0)) == "Blue."


async def test_letters_may_be_cut_in_two(server: OpenAIServer, endpoint: Made) -> None:
    body = sse(piece("파란색입니다."), piece(" 하늘처럼요.", "stop"))
    server.answer(Bytes([body[at : at + 7] for at in range(0, len(body), 7)]))
    assert await streamed(endpoint()) == "파란색입니다. 하늘처럼요."


async def test_comments_and_empty_choices_are_passed_over(server: OpenAIServer, endpoint: Made) -> None:
    filters = {**piece(""), "choices": [], "prompt_filter_results": [{"prompt_index": 0}]}
    server.answer(
        Bytes([b": OPENROUTER PROCESSING\n\n", sse(filters, done=False), b":\r\n\r\n", sse(piece("Blue.", "stop"))])
    )
    assert await streamed(endpoint()) == "Blue."


async def test_an_endpoint_that_does_not_stream_is_heard_all_the_same(server: OpenAIServer, endpoint: Made) -> None:
    server.answer(whole({"content": "Blue."}))
    assert await streamed(endpoint()) == "Blue."


async def test_an_error_inside_a_stream_ends_it(server: OpenAIServer, endpoint: Made) -> None:
    error = {"error": {"message": "overloaded sk-very-secret", "code": 529}}
    server.answer(Bytes([sse(piece("Blu"), error)]))
    given = []
    with pytest.raises(ModelError) as raised:
        async for text in endpoint().stream("large", ASKED, tokens=10):
            given.append(text)
    assert given == ["Blu"]
    assert "secret" not in str(raised.value)


async def test_a_stream_that_is_reset_in_the_middle_fails(server: OpenAIServer, endpoint: Made) -> None:
    server.answer(Bytes([sse(piece("Blu"), done=False)], then="reset"))
    with pytest.raises(ModelError, match="broke off"):
        await streamed(endpoint())


async def test_keeping_a_connection_alive_is_not_speaking(server: OpenAIServer, endpoint: Made) -> None:
    server.answer(Hang(after="Blue"))
    async with asyncio.timeout(60):
        with pytest.raises(ModelError, match="in time"):
            await streamed(endpoint(timeout=0.3))


async def test_thoughts_that_only_end_are_found_out_and_then_held_back(server: OpenAIServer, endpoint: Made) -> None:
    server.answer(Said(text="The passage says so.\n</think>\n\nBlue."))
    door = endpoint()
    with pytest.raises(ModelError, match="thoughts"):
        await streamed(door)
    assert (await streamed(door)).strip() == "Blue."
    server.answer("Red.")  # now without thoughts: nothing is lost
    assert await streamed(door) == "Red."


# --- how many at once


async def test_an_endpoint_gets_so_many_calls_at_once_and_the_others_wait_in_order(
    server: OpenAIServer, endpoint: Made
) -> None:
    release = asyncio.Event()
    order: list[str] = []

    async def wait(request: Request) -> None:
        order.append(request.body["messages"][0]["content"])
        await release.wait()

    server.before_chat = wait
    server.answer("Blue.")
    door = endpoint(gate=Gate(places=2, patience=600.0))
    calls = [
        asyncio.create_task(door.text("large", [{"role": "user", "content": str(n)}], tokens=10)) for n in range(8)
    ]
    while server.at_once < 2:
        await asyncio.sleep(0.01)
    release.set()
    assert await asyncio.gather(*calls) == ["Blue."] * 8
    assert server.most_at_once == 2
    assert sorted(order[:2]) == ["0", "1"]
    assert set(order[2:4]) == {"2", "3"}


async def test_nobody_waits_for_ever_and_the_queue_has_an_end(server: OpenAIServer, endpoint: Made) -> None:
    server.answer(Hang())
    door = endpoint(gate=Gate(places=1, queue=1, patience=0.2), breaker=Breaker(failures=1))
    first = asyncio.create_task(door.text("large", ASKED, tokens=10))
    while not server.at_once:
        await asyncio.sleep(0.01)
    second = asyncio.create_task(door.text("large", ASKED, tokens=10))
    await asyncio.sleep(0)
    with pytest.raises(NotAskedError, match="waiting"):
        await door.text("large", ASKED, tokens=10)
    with pytest.raises(NotAskedError, match="busy"):
        await second
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    server.answer("Blue.")  # the place is free again, and waiting was no fault of the endpoint
    assert await door.text("large", ASKED, tokens=10) == "Blue."


async def test_a_reader_who_leaves_a_stream_gives_the_place_back(server: OpenAIServer, endpoint: Made) -> None:
    server.answer(Hang(after="Blue"))
    door = endpoint(gate=Gate(places=1, patience=60.0))
    for _ in range(3):
        async with aclosing(door.stream("large", ASKED, tokens=10)) as pieces:
            assert await anext(pieces) == "Blue"
