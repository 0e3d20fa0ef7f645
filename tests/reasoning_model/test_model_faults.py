"""Whatever an endpoint does, it comes out as ModelError: in time, and without its words."""

import asyncio
import inspect
import json
from collections.abc import Callable

import openai
import pytest
from openai import _exceptions

from adapters.services import embeddings
from agent.errors import ModelError
from agent.reasoning.model import ModelReasoner
from agent.reasoning.model.transport import failures
from agent.reasoning.model.transport.breaker import Breaker
from tests.clock import hurried
from tests.reasoning_model.making import brief, message, reading
from tests.servers.openai import Answer, Cut, Hang, OpenAIServer, Raw, Said, refusal

Make = Callable[..., ModelReasoner]
SECRET = "sk-very-secret"
COMPLETION = {"id": "c", "object": "chat.completion", "created": 0, "model": "m"}
BAD_UTF8 = b'{"choices":[{"message":{"content":"\xff\xfe"},"finish_reason":"stop"}]}'
CHUNK = b'data: {"id":"c","object":"chat.completion.chunk","created":0,"model":"m","choices":'

FAULTS: dict[str, Answer] = {
    "html": Raw(body=b"<html>Welcome</html>", content_type="text/html"),
    "html called json": Raw(body=b"<html>Welcome</html>"),
    "no body": Raw(),
    "a list": Raw(body=b"[1, 2]"),
    "no choices": Raw(body=json.dumps({**COMPLETION, "choices": []}).encode()),
    "choices of a wrong kind": Raw(body=json.dumps({**COMPLETION, "choices": "none"}).encode()),
    "no message": Raw(body=json.dumps({**COMPLETION, "choices": [{"message": None}]}).encode()),
    "invalid utf-8": Raw(body=BAD_UTF8),
    "invalid gzip": Raw(body=b"not gzip at all", headers={"Content-Encoding": "gzip"}),
    "empty text": Said(text=""),
    "no text": Said(text=None),
    "only thoughts": Said(text="<think>hm, what could it be"),
    "cut at its length": Said(text='{"intent": "', finish="length"),
    "content filter": Said(text="Half an", finish="content_filter"),
    "refusal": Said(text=None, refusal="I cannot help with that."),
    "not json": "It closes at six.",
    "json of another shape": {"answer": "six"},
    "lost connection": Cut(after="Half a sentence"),
    "400": refusal(400, "something about " + SECRET),
    "401": refusal(401, "Incorrect API key provided: " + SECRET),
    "403": refusal(403, "no"),
    "404": refusal(404, "no such model"),
    "429 for too long": refusal(429, "slow down", **{"Retry-After": "3600"}),
    "500": refusal(500, "oh no", **{"Retry-After": "0"}),
    "503 html": Raw(status=503, body=b"<html>busy</html>", content_type="text/html", headers={"Retry-After": "0"}),
    "redirect loop": Raw(status=308, headers={"Location": "/v1/chat/completions"}),
}
STREAM_FAULTS: dict[str, Answer] = {
    **{name: fault for name, fault in FAULTS.items() if "json" not in name},
    "ends without a word": Raw(body=b"data: [DONE]\n\n", content_type="text/event-stream"),
    "ends without saying so": Said(text="It closes at six. [1]", finish=None),
    "json in pieces that is none": Raw(body=b"data: {broken\n\n", content_type="text/event-stream"),
    "chunk of a wrong kind": Raw(body=CHUNK + b'"none"}\n\n', content_type="text/event-stream"),
    "chunk that is a list": Raw(body=b"data: [1]\n\n", content_type="text/event-stream"),
    "invalid utf-8 in a chunk": Raw(
        body=CHUNK + b'[{"index":0,"delta":{"content":"\xff"}}]}\n\n', content_type="text/event-stream"
    ),
    "error inside the stream": Raw(
        body=b'data: {"error": {"message": "overloaded sk-very-secret"}}\n\n', content_type="text/event-stream"
    ),
    "never ends": Said(pieces=["on and on " * 100] * 30),
}


def unchained(error: ModelError) -> None:
    """Nothing that a log prints of the error may hold the vendor's words."""
    assert SECRET not in str(error)
    assert error.__cause__ is None
    assert error.__suppress_context__ or error.__context__ is None


@pytest.mark.parametrize("fault", FAULTS)
async def test_a_call_that_fails_is_a_model_error(server: OpenAIServer, make: Make, fault: str) -> None:
    server.answer(FAULTS[fault])
    with pytest.raises(ModelError) as raised:
        await make(timeout=60.0).understand(message("When does the library close?"))
    unchained(raised.value)


@pytest.mark.parametrize("fault", STREAM_FAULTS)
async def test_a_stream_that_fails_is_a_model_error(server: OpenAIServer, make: Make, fault: str) -> None:
    server.answer(STREAM_FAULTS[fault])
    with pytest.raises(ModelError) as raised:
        _ = [sentence async for sentence in make(timeout=60.0).compose(brief())]
    unchained(raised.value)


async def test_an_endpoint_that_is_not_there(make: Make, server: OpenAIServer) -> None:
    await server.__aexit__()
    with pytest.raises(ModelError, match="OPENAI_BASE_URL"):
        await make().chat(message("hi"))


async def test_an_endpoint_that_hangs(server: OpenAIServer, make: Make) -> None:
    server.answer(Hang())
    model = make(timeout=0.2)
    for call in (model.understand(message("hi")), model.chat(message("hi"))):
        with pytest.raises(ModelError, match="in time"):
            await call
    with pytest.raises(ModelError, match="in time"):
        _ = [sentence async for sentence in model.compose(brief())]


async def test_a_stream_that_falls_silent_gives_what_it_had_then_fails(server: OpenAIServer, make: Make) -> None:
    server.answer(Hang(after="The library closes at six on weekdays. [1] On Sat"))
    given = []
    speaking = make(timeout=60.0).compose(brief())
    given.append((await anext(speaking)).text)
    with pytest.raises(ModelError, match="in time"):
        async with hurried(61):
            given += [sentence.text async for sentence in speaking]
    assert given == ["The library closes at six on weekdays."]


async def test_a_stream_is_bounded_as_a_whole(server: OpenAIServer, make: Make) -> None:
    server.answer(Hang(after="The library closes"))
    async with asyncio.timeout(60):
        with pytest.raises(ModelError, match="in time"):
            _ = [sentence async for sentence in make(timeout=600.0, stream_timeout=0.2).compose(brief())]


async def test_a_passing_failure_is_tried_again(server: OpenAIServer, make: Make) -> None:
    server.script(refusal(429, "wait", **{"Retry-After": "0"}), refusal(500, "oops", **{"Retry-After": "0"}))
    server.answer(lambda _: "Good morning.")
    assert await make().chat(message("hi")) == "Good morning."
    assert len(server.chats) == 3


async def test_a_wait_beyond_the_time_of_the_call_is_not_begun(server: OpenAIServer, make: Make) -> None:
    server.answer(refusal(429, "wait", **{"Retry-After": "900"}))
    async with asyncio.timeout(120):
        with pytest.raises(ModelError, match="429"):
            await make(timeout=600.0).chat(message("hi"))
    assert len(server.chats) == 1


async def test_a_wrong_key_is_named_but_not_shown(make: Callable[..., ModelReasoner], server: OpenAIServer) -> None:
    server.key = "another"
    with pytest.raises(ModelError, match="OPENAI_API_KEY") as raised:
        await make().chat(message("hi"))
    unchained(raised.value)
    assert len(server.chats) == 1


async def test_a_wrong_shape_is_repaired_once(server: OpenAIServer, make: Make) -> None:
    server.script("certainly!", "Here it is: ```json\n" + json.dumps(reading()) + "\n```")
    understood = await make().understand(message("When does the library close?"))
    assert understood.intent.name == "policy"
    first, second = server.chats
    assert second.body["messages"][:2] == first.body["messages"]
    assert second.body["messages"][2] == {"role": "assistant", "content": "certainly!"}
    assert "no JSON object" in second.body["messages"][3]["content"]
    server.script({"intent": []})
    server.script(reading())
    await make().understand(message("When does the library open?"))
    assert "intent: " in server.chats[-1].text


async def test_the_breaker_leaves_a_broken_endpoint_alone(server: OpenAIServer, make: Make) -> None:
    now = [0.0]
    model = make(breaker=Breaker(failures=2, rest=10.0, clock=lambda: now[0]))
    server.answer(refusal(401, "no"))
    for _ in range(5):
        with pytest.raises(ModelError):
            await model.chat(message("hi"))
    assert len(server.chats) == 2
    now[0] = 10.0
    with pytest.raises(ModelError):  # the trial fails: another rest
        await model.chat(message("hi"))
    with pytest.raises(ModelError):
        await model.chat(message("hi"))
    assert len(server.chats) == 3
    now[0] = 20.0
    server.answer("Good morning.")
    for _ in range(3):
        assert await model.chat(message("hi")) == "Good morning."
    assert len(server.chats) == 6


async def test_an_answer_of_no_use_does_not_open_the_breaker(server: OpenAIServer, make: Make) -> None:
    model = make(breaker=Breaker(failures=1))
    for fault in ("refusal", "cut at its length", "content filter", "not json"):
        server.answer(FAULTS[fault])
        with pytest.raises(ModelError):
            await model.understand(message("hi"))
    server.answer("Good morning.")
    assert await model.chat(message("hi")) == "Good morning."


async def test_a_reader_who_leaves_closes_the_stream(server: OpenAIServer, make: Make) -> None:
    server.answer(Hang(after="The library closes at six on weekdays. [1] And "))
    sentences = make().compose(brief())
    assert (await anext(sentences)).text == "The library closes at six on weekdays."
    await sentences.aclose()  # type: ignore[attr-defined]
    server.answer("Good morning.")
    assert await make().chat(message("hi")) == "Good morning."


# --- dialects


@pytest.mark.parametrize(
    ("formats", "asked"),
    [
        (("json_schema", "json_object"), ["json_schema", "json_schema"]),
        (("json_object",), ["json_schema", "json_object", "json_object"]),
        ((), ["json_schema", "json_object", "text", "text"]),
    ],
)
async def test_the_format_that_an_endpoint_takes_is_found_out_once(
    make: Make, server: OpenAIServer, formats: tuple[str, ...], asked: list[str]
) -> None:
    server.formats = set(formats)
    server.answer(reading())
    model = make()
    await model.understand(message("When does the library close?"))
    await model.understand(message("When does the library open?"))
    assert [request.format for request in server.chats] == asked


async def test_parameters_that_a_model_refuses_are_left_out_from_then_on(make: Make, server: OpenAIServer) -> None:
    server.refused_parameters = {"max_tokens", "temperature"}
    server.answer("Good morning.")
    model = make()
    await model.chat(message("hi"))
    await model.chat(message("hi again"))
    assert len(server.chats) == 4
    last = server.chats[-1].body
    assert "max_completion_tokens" in last
    assert not {"max_tokens", "temperature"} & last.keys()


async def test_a_refusal_about_something_else_teaches_nothing(make: Make, server: OpenAIServer) -> None:
    server.script(refusal(400, "This model's maximum context length is 8192 tokens, reduce max_tokens"))
    server.answer(reading())
    model = make()
    with pytest.raises(ModelError, match="400"):
        await model.understand(message("When does the library close?"))
    await model.understand(message("When does the library close?"))
    assert [request.format for request in server.chats] == ["json_schema", "json_schema"]
    assert "max_tokens" in server.chats[-1].body


async def test_a_strict_schema_requires_every_key(make: Make, server: OpenAIServer) -> None:
    server.answer(reading())
    await make().understand(message("When does the library close?"))
    described = server.chats[0].body["response_format"]["json_schema"]
    assert described["strict"] is True
    schema = described["schema"]
    assert schema["required"] == list(schema["properties"])
    assert schema["additionalProperties"] is False


async def test_thoughts_are_no_part_of_an_answer(make: Make, server: OpenAIServer) -> None:
    server.answer("<think>The passage says six. [1]</think>\n\nThe library closes at six on weekdays. [1]")
    assert [s.text async for s in make().compose(brief())] == ["The library closes at six on weekdays."]
    assert await make().chat(message("hi")) == "The library closes at six on weekdays. [1]"


# --- the vendor's errors


def vendor_errors() -> list[type[Exception]]:
    found = inspect.getmembers(_exceptions, lambda item: inspect.isclass(item) and issubclass(item, Exception))
    return [error for _, error in found]


def made(kind: type[Exception]) -> Exception:
    """Return an error of this kind that holds the key in its words; their constructors want too much."""
    error = kind.__new__(kind)
    Exception.__init__(error, SECRET)
    if isinstance(error, openai.APIStatusError) and not hasattr(kind, "status_code"):
        error.status_code = 418
    return error


@pytest.mark.parametrize("door", [failures.translated, embeddings.translated], ids=["chat", "embeddings"])
@pytest.mark.parametrize("kind", vendor_errors(), ids=lambda kind: kind.__name__)
def test_every_error_of_the_vendor_is_translated(kind: type[Exception], door: Callable[[], object]) -> None:
    if not issubclass(kind, openai.OpenAIError):
        assert kind is openai.InvalidWebhookSignatureError  # only raised where webhooks are received
        return
    with pytest.raises(ModelError) as raised, door():  # type: ignore[attr-defined]
        raise made(kind)
    unchained(raised.value)
