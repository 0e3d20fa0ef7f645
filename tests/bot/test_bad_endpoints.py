"""Whatever the model's endpoint does, Weft answers, says once where it was without the model, and keeps what is secret.

Each case is a behaviour of an endpoint behind a socket, asked through the whole engine.
"""

import asyncio
import email.utils
import gzip
import json
import logging
import os
import shutil
import subprocess
import sys
import time
import zlib
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
import pytest_asyncio
from hypothesis import given
from hypothesis import strategies as st

from agent.language import say
from agent.reasoning.model.transport import failures
from agent.retry_after import told_to_wait
from agent.types import Response
from bot.app import Engine, open_engine
from bot.models import model_discovery
from bot.operator.asking import Asker, Console
from bot.settings import Settings
from tests.bot.bad_endpoints import (
    CANARY,
    KEY,
    NOTE,
    Behaviour,
    Endless,
    Endpoint,
    Line,
    Reply,
    Sent,
    at_first,
    chunk,
    completion,
    endpoint,
    error,
    lost,
    page,
    raw,
    reading,
    says,
    sound,
    spoken,
    sse,
    streamed,
    whole,
    writing,
)

ROOT = Path(__file__).parents[2]
CERTIFICATE = ROOT / "tests" / "servers" / "localhost.pem"
QUESTION = "How do I report a lost laptop?"
KOREAN = "노트북을 잃어버리면 어디에 신고하나요?"
HANGS = 240.0
"""Seconds: a turn that takes so long hangs. What bounds the calls is far below it."""
LONG = 60.0
"""Seconds for a call that ends by what is sent, however long it takes on a busy machine."""
SHORT = 0.3
"""Seconds for a call, where the endpoint is silent or hard to reach."""
MOST_SENT = 60_000_000
"""Bytes of two calls, with what waits in the sockets: a response has an end, at 10 MB."""


@dataclass(frozen=True, kw_only=True)
class Prepared:
    """A data folder with the sample handbook, and what is answered on it without faults."""

    data: Path
    rules: Mapping[str, Response]
    model: Mapping[str, Response]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def prepared(tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    folder = tmp_path_factory.mktemp("prepared")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        async with open_engine(Settings.load(data=folder / "data")) as engine:
            rules = {question: await ask(engine, question) for question in (QUESTION, KOREAN)}
        shutil.copytree(folder / "data", folder / "again")
        async with (
            endpoint(sound) as good,
            open_engine(Settings.load(data=folder / "again", openai_base_url=good.url, model="m")) as engine,
        ):
            model = {question: await ask(engine, question) for question in (QUESTION, KOREAN)}
    return Prepared(data=folder / "data", rules=rules, model=model)


@pytest.fixture
def data(prepared: Prepared, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    monkeypatch.setattr(failures, "_FIRST_PAUSE", 0.01)  # how long it waits is tested elsewhere
    monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE))  # one to trust, where else hundreds are read every time
    shutil.copytree(prepared.data, tmp_path / "data")
    return tmp_path / "data"


@pytest.fixture
def log(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    """All that Weft and its libraries log of a question."""
    caplog.set_level(logging.DEBUG)
    return caplog


async def ask(engine: Engine, question: str) -> Response:
    async with asyncio.timeout(HANGS):
        return await Console(engine, quiet=True).ask(Asker().message(question, ""))


async def answered(
    data: Path, url: str, *, seconds: float = LONG, question: str = QUESTION, key: str = KEY
) -> Response:
    """Ask with a model at this address, which has so many seconds for a call, and for a stream as a whole."""
    settings = Settings.load(
        data=data,
        openai_base_url=url,
        openai_api_key=key,
        model="m",
        model_timeout=seconds,
        model_stream_timeout=seconds,
    )
    async with open_engine(settings) as engine:
        return await ask(engine, question)


def said(response: Response) -> object:
    """Return what a response tells, besides how it came about."""
    return response.status, response.answer, [(c.document_id, c.quote, c.n) for c in response.citations]


def by_the_rules(response: Response, prepared: Prepared, question: str = QUESTION) -> None:
    """The rules' answer, and one notice."""
    assert said(response) == said(prepared.rules[question])
    assert response.warnings == (say("model_fallback", response.language),)


def by_the_model(response: Response, prepared: Prepared, question: str = QUESTION) -> None:
    """The model's answer, and no notice."""
    assert said(response) == said(prepared.model[question])
    assert response.warnings == ()


def discreet(log: pytest.LogCaptureFixture, question: str = QUESTION) -> None:
    """Neither the key, nor the question, nor a word of the endpoint is in the log; nor a turn that was begun anew."""
    for word in (KEY, question, CANARY):
        assert word not in log.text
    assert not [record for record in log.records if record.levelno >= logging.ERROR]


def test_model_and_rules_are_told_apart(prepared: Prepared) -> None:
    for question in (QUESTION, KOREAN):
        rules, model = prepared.rules[question], prepared.model[question]
        assert (rules.status, model.status) == ("completed", "completed")
        assert rules.citations and model.citations
        assert NOTE in model.answer and NOTE not in rules.answer
        assert rules.warnings == model.warnings == ()


# --- an endpoint that says no, or is something else

SOON = {"Retry-After": "0"}
DEEP = b'{"choices": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"
LONG_NUMBER = b'{"choices": ' + b"1" * 10_000 + b"}"
AZURE = {"code": "content_filter", "innererror": {"code": "ResponsibleAIPolicyViolation"}}


def said_no(status: int, message: str = "no", **more: object) -> Reply:
    return Reply(status=status, body=error(message, **more), headers=SOON)


def busy(after: str) -> Reply:
    return Reply(status=429, body=error("Rate limit reached"), headers={"Retry-After": after})


def moved(to: str, status: int = 307) -> Reply:
    return Reply(status=status, body=page(), headers={"Location": to})


def sign_in(line: Line) -> Awaitable[None]:
    return (
        Reply(body=page(), content_type="text/html")(line)
        if "login" in line.request.path
        else moved("/login", 302)(line)
    )


LATER = email.utils.formatdate(time.time() + 36_000, usegmt=True)
BEFORE = email.utils.formatdate(time.time() - 36_000, usegmt=True)
REFUSING: dict[str, tuple[Behaviour, str]] = {
    "a wrong key": (said_no(401, "Incorrect API key provided"), "status 401: check OPENAI_API_KEY"),
    "an unknown model, says OpenAI": (said_no(404, "The model x does not exist", code="model_not_found"), "WEFT_MODEL"),
    "an unknown model, says Ollama": (said_no(404, 'model "x" not found, try pulling it first'), "WEFT_MODEL"),
    "an unknown model, say others": (said_no(400, "Invalid model name passed in model=x"), "WEFT_MODEL"),
    "a filter": (said_no(400, "content management policy", **AZURE), "content filter"),
    "too long a prompt": (said_no(400, "maximum context length is 10", code="context_length_exceeded"), "too long"),
    "a page": (Reply(body=page(), content_type="text/html; charset=utf-8"), "OPENAI_BASE_URL"),
    "a page to sign in at": (sign_in, "OPENAI_BASE_URL"),
    "a proxy's page": (Reply(status=502, body=page(), content_type="text/html", headers=SOON), "status 502"),
    "a server that is down": (said_no(500), "status 500"),
    "a quota that is used up": (said_no(429, code="insufficient_quota"), "quota"),
    "busy for hours": (busy("36000"), "status 429"),
    "busy until a date": (busy(LATER), "status 429"),
    "an error that breaks off": (Sent([b'{"error": '], then="reset", status=400), "broke off"),
    "a failure that breaks off": (Sent([b'{"error": '], then="reset", status=500, headers=SOON), "broke off"),
    "an error shorter than it said": (Reply(status=400, body=error("x"), length=9999), "broke off"),
    "an error that is no gzip": (Reply(status=400, body=page(), headers={"Content-Encoding": "gzip"}), "broke off"),
    "an error too deep": (Reply(status=400, body=DEEP), "status 400"),
    "an error with a number too long": (Reply(status=400, body=LONG_NUMBER), "status 400"),
    "an error whose code is none": (said_no(400, code={"a": [1]}), "status 400"),
    "an error with status 200": (Reply(body=error("overloaded", code=400)), "reported an error"),
    "a status that nobody knows": (said_no(799), "status 799"),
    "no content": (Reply(status=204), "OPENAI_BASE_URL"),
    "a redirect to nowhere": (Reply(status=302), "status 302"),
    "a redirect to a file": (moved("file:///etc/passwd"), "OPENAI_BASE_URL"),
    "a redirect to no address": (moved("http://[::1"), "OPENAI_BASE_URL"),
    "a redirect in circles": (moved("/v1/chat/completions"), "in circles"),
    "no HTTP": (raw(b"220 mail.example.org ESMTP\r\n"), "HTTP"),
    "nothing at all": (raw(b""), "HTTP"),
    "only that it will go on": (raw(b"HTTP/1.1 100 Continue\r\n\r\n"), "HTTP"),
    "another protocol": (raw(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n"), "HTTP"),
    "a header too long": (raw(b"HTTP/1.1 200 OK\r\nX: " + b"x" * 300_000), "HTTP"),
    "a length that is none": (Reply(body=b"{}", length="many"), "HTTP"),
    "a lost connection": (lost, "HTTP"),
}


@pytest.mark.parametrize("name", REFUSING)
async def test_an_endpoint_that_says_no(
    data: Path, prepared: Prepared, log: pytest.LogCaptureFixture, name: str
) -> None:
    behaves, logged = REFUSING[name]
    async with endpoint(behaves) as bad:
        response = await answered(data, bad.url)
    by_the_rules(response, prepared)
    assert logged in log.text
    discreet(log)


@pytest.mark.parametrize("behaves", [said_no(401), said_no(404), raw(b"")], ids=["401", "404", "lost"])
async def test_a_question_in_korean(
    data: Path, prepared: Prepared, log: pytest.LogCaptureFixture, behaves: Behaviour
) -> None:
    async with endpoint(behaves) as bad:
        by_the_rules(await answered(data, bad.url, question=KOREAN), prepared, KOREAN)
    discreet(log, KOREAN)


async def test_what_is_wrong_is_logged_once_in_a_turn_and_once_that_it_is_left_alone(
    data: Path, log: pytest.LogCaptureFixture
) -> None:
    async with endpoint(said_no(401)) as bad:
        settings = Settings.load(data=data, openai_base_url=bad.url, openai_api_key=KEY, model="m")
        async with open_engine(settings) as engine:
            for _ in range(3):
                await ask(engine, QUESTION)
    told = [record.getMessage() for record in log.records if record.levelno >= logging.WARNING]
    assert len([words for words in told if "check OPENAI_API_KEY" in words]) == 1
    assert len([words for words in told if "left alone: it is tried again" in words]) == 1
    assert len(told) == len(bad.requests) == 2


async def test_an_unknown_model_is_asked_once_a_call(data: Path, log: pytest.LogCaptureFixture) -> None:
    async with endpoint(said_no(400, "Invalid model name passed in model=x")) as bad:
        await answered(data, bad.url)
    assert len(bad.requests) == 2  # to read and to write


async def test_what_lasts_is_not_tried_again(data: Path) -> None:
    async with endpoint(moved("/v1/chat/completions")) as bad:
        await answered(data, bad.url)
    assert len(bad.requests) == 2 * 21  # two calls, each after as many redirects as the library follows


# --- what is no answer


def content(text: object) -> bytes:
    return completion({"role": "assistant", "content": text})


TOOL = {"id": "c", "type": "function", "function": {"name": CANARY, "arguments": json.dumps({"query": CANARY})}}
GZIP = {"Content-Encoding": "gzip"}
CHUNKED = {"Transfer-Encoding": "chunked"}
NO_ANSWER: dict[str, Behaviour] = {
    "nothing": Reply(),
    "choices that are null": Reply(body=json.dumps({"id": CANARY, "choices": None}).encode()),
    "a refusal": Reply(body=completion({"role": "assistant", "content": None, "refusal": f"I cannot, {CANARY}"})),
    "filtered": Reply(body=completion({"role": "assistant", "content": CANARY}, finish="content_filter")),
    "letters that are none": Reply(body=content(CANARY).replace(b"canary", b"\xff\xfe\xc3")),
    "half a letter": Reply(body=content(CANARY).replace(b"canary", b"\\ud83d")),
    "another coding of letters": Reply(body=content(CANARY).decode().encode("utf-16")),
    "prose": Reply(body=content(f"Certainly! It is {CANARY}.")),
    "a list": Reply(body=content(json.dumps([CANARY]))),
    "null everywhere": Reply(body=content(json.dumps(dict.fromkeys(["intent", "standalone", "words"])))),
    "lists for texts": Reply(body=content(json.dumps({"intent": [CANARY], "standalone": [CANARY]}))),
    "numbers that are none": Reply(body=content('{"intent": NaN, "confidence": Infinity, "standalone": NaN}')),
    "a number too long": Reply(body=LONG_NUMBER),
    "a number too long inside": Reply(body=content(LONG_NUMBER.decode())),
    "too deep": Reply(body=DEEP),
    "too deep inside": Reply(body=content(DEEP.decode())),
    "a tool that nobody offered": Reply(body=completion({"content": None, "tool_calls": [TOOL]}, finish="tool_calls")),
    "half a gzip": Reply(body=gzip.compress(content("x" * 9999))[:40], headers=GZIP),
    "less than it said": Reply(body=content("x")[:40], length=4000),
    "chunks that are none": Sent([b"zzzz\r\nhello\r\n"], headers=CHUNKED, content_type="application/json"),
    "a lost connection in the middle": Sent([content("x")[:40]], then="reset", content_type="application/json"),
    "silence": Sent([], then="stay", content_type="application/json"),
}


def begun(*more: object, done: bool = True, then: str = "end", raw: bytes = b"") -> Behaviour:
    """Stream the beginning of the answer, then these pieces and these bytes."""
    return streamed(lambda text: [sse(chunk({"content": text[:40]}), *more, done=done and not raw), raw], then=then)


BROKEN_STREAMS: dict[str, Behaviour] = {
    "a refusal": begun(chunk({"refusal": CANARY}), chunk({}, finish="stop")),
    "filtered at once": streamed(lambda text: [sse(chunk({}, finish="content_filter"))]),
    "cut at its length": begun(chunk({}, finish="length")),
    "an end without a reason": begun(),
    "a lost connection": begun(done=False, then="reset"),
    "silence": begun(done=False, then="stay"),
    "an error": begun({"error": {"message": f"overloaded {CANARY} {KEY}", "code": 529}}),
    "letters that are none": begun(raw=b'data: "\xff\xfe"\n\n'),
    "letters that are none, in a comment": begun(raw=b": \xff\xfe\n\n"),
    "half a letter": begun(raw=sse(chunk({"content": "@"})).replace(b"@", b"\\ud83d")),
    "too deep": begun(raw=b"data: " + DEEP + b"\n\n"),
    "a number too long": begun(raw=b"data: " + LONG_NUMBER + b"\n\n"),
    "a delta of a wrong kind": begun({"id": CANARY, "choices": [{"delta": CANARY}]}),
    "a tool that nobody offered": streamed(
        lambda text: [sse(chunk({"tool_calls": [{"index": 0, **TOOL}]}), chunk({}, finish="tool_calls"))]
    ),
    "too much": streamed(lambda text: [sse(chunk({"content": "x" * 200_000}), chunk({}, finish="stop"))]),
    "chunks that are none": streamed(lambda text: [b"zzzz\r\nhello\r\n"], headers=CHUNKED),
    "half a gzip": streamed(
        lambda text: [gzip.compress(sse(chunk({"content": text})))[:60] + b"\xff" * 60], headers=GZIP
    ),
}
USELESS = {f"{name}, whole": each for name, each in NO_ANSWER.items()} | {
    f"{name}, streamed": each for name, each in BROKEN_STREAMS.items()
}


@pytest.mark.parametrize("name", USELESS)
async def test_what_is_no_answer(data: Path, prepared: Prepared, log: pytest.LogCaptureFixture, name: str) -> None:
    async with endpoint(USELESS[name]) as bad:
        response = await answered(data, bad.url, seconds=SHORT if "silence" in name else LONG)
    by_the_rules(response, prepared)
    discreet(log)


async def test_a_tool_that_nobody_offered_is_no_answer_of_mode_llm(data: Path, log: pytest.LogCaptureFixture) -> None:
    async with endpoint(NO_ANSWER["a tool that nobody offered"]) as bad:
        settings = Settings.load(data=data, openai_base_url=bad.url, openai_api_key=KEY, model="m")
        async with open_engine(settings) as engine, asyncio.timeout(HANGS):
            asked = Asker(mode="llm").message(QUESTION, "")
            response = await Console(engine, quiet=True).ask(asked)
    assert response.answer == say("llm_mode_failed", "en")
    discreet(log)


# --- what never ends


def swelling() -> tuple[bytes, bytes]:
    """Return how a gzip begins, and a part that may follow it again and again, each of a thousand times its size."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    first = packer.compress(b" ") + packer.flush(zlib.Z_FULL_FLUSH)
    return first, packer.compress(b" " * 12_000_000) + packer.flush(zlib.Z_FULL_FLUSH)


BOMB, BOMBS = swelling()
JSON = "application/json"
LOTS = b"x" * 65_536
EMPTY = sse(chunk({"content": ""}), done=False)
ENDLESS: dict[str, Behaviour] = {
    "a body": Endless(again=LOTS, content_type=JSON),
    "an error": Endless(again=LOTS, content_type=JSON, status=400),
    "an error that swells": Endless(first=BOMB, again=BOMBS, content_type=JSON, headers=GZIP, status=500),
    "a body of white space": Endless(again=b" " * 65_536, content_type=JSON),
    "a byte now and then": Endless(again=b" ", pause=0.05, content_type=JSON),
    "a page": Endless(first=page(), again=LOTS, content_type="text/html"),
    "a body that swells": Endless(first=BOMB, again=BOMBS, content_type=JSON, headers=GZIP),
    "a line": writing(Endless(first=b"data: ", again=LOTS)),
    "an event, a byte at a time": writing(Endless(first=b"data: ", again=b"x", pause=0.05)),
    "comments": writing(Endless(again=b": still here\n\n", pause=0.01)),
    "comments without a pause": writing(Endless(again=b": still here\n\n" * 4096)),
    "empty pieces": writing(Endless(again=EMPTY, pause=0.01)),
    "empty pieces without a pause": writing(Endless(again=EMPTY * 64)),
    "thoughts that are text": writing(Endless(again=sse(chunk({"content": "<think>hm " * 100}), done=False))),
    "an answer": writing(Endless(again=sse(chunk({"content": "on and on "}), done=False))),
    "a stream that swells": writing(Endless(first=BOMB, again=BOMBS, headers=GZIP)),
    "a page in place of a stream": writing(Endless(first=page(), again=LOTS, content_type="text/html")),
}


@pytest.mark.parametrize("name", ENDLESS)
async def test_what_never_ends(data: Path, prepared: Prepared, log: pytest.LogCaptureFixture, name: str) -> None:
    async with endpoint(ENDLESS[name]) as bad:
        response = await answered(data, bad.url, seconds=SHORT)
        assert bad.sent < MOST_SENT
    by_the_rules(response, prepared)
    discreet(log)


# --- what is odd, and good

END = chunk({}, finish="stop")


def parts(text: str) -> object:
    return [{"type": "thinking", "thinking": CANARY}, {"type": "text", "text": text}]


def odd(make: Callable[[str], Iterable[Mapping[str, object]]], edit: Callable[[bytes], bytes] = bytes) -> Behaviour:
    """Stream these pieces of the answer."""
    return streamed(lambda text: [edit(sse(*make(text)))])


async def in_one_piece(line: Line) -> None:
    await Reply(body=content(says(line.request)))(line)


ODD: dict[str, Behaviour] = {
    "busy until a date that is past": at_first(busy(BEFORE)),
    "busy for less than no time": at_first(busy("-5")),
    "busy for nobody knows how long": at_first(busy("soon, I hope")),
    "busy for a time that is no number": at_first(busy("nan")),
    "busy until nobody lives any more": at_first(busy("Fri, 01 Jan 99999999999999 00:00:00 GMT")),
    "busy until a year beyond the calendar": at_first(busy("Fri, 01 Jan 99999 00:00:00 GMT")),
    "busy until a day that is none": at_first(busy("Thu, 99 Foo 2026 99:99:99 GMT")),
    "down for a moment": at_first(said_no(500)),
    "down before the answer": writing(at_first(said_no(500))),
    "a lost connection": at_first(lost),
    "a role alone": odd(lambda text: [chunk({"role": "assistant"}), chunk({"content": text}), END]),
    "another choice first": odd(
        lambda text: [
            chunk({"content": CANARY}, index=1),
            chunk({"content": text}),
            chunk({}, index=1, finish="stop"),
            END,
        ]
    ),
    "null": odd(lambda text: [chunk({"content": None}), chunk({"content": text}), END]),
    "parts, whole": whole(lambda text: content(parts(text))),
    "thoughts beside": odd(lambda text: [chunk({"reasoning_content": CANARY}), chunk({"content": text}), END]),
    "a tool besides": odd(
        lambda text: [chunk({"content": text}), chunk({"tool_calls": [{"index": 0, **TOOL}]}, finish="tool_calls")]
    ),
    "a tool besides, whole": whole(lambda text: completion({"content": text, "tool_calls": [TOOL]})),
    "the same key twice": whole(lambda text: content('{"intent": 7, ' + text.lstrip("{"))),
    "numbers as texts": whole(lambda text: content(text.replace("0.8", '"0.8"'))),
    "lines that end otherwise": odd(lambda text: [chunk({"content": text}), END], lambda b: b.replace(b"\n", b"\r\n")),
    "no space": odd(lambda text: [chunk({"content": text}), END], lambda b: b.replace(b"data: ", b"data:")),
    "names of events": odd(
        lambda text: [chunk({"content": text}), END], lambda b: b.replace(b"data: ", b"event: x\nid: 7\ndata: ")
    ),
    "a byte at a time": streamed(lambda text: (bytes([each]) for each in sse(chunk({"content": text}), END))),
    "comments between": streamed(lambda text: [*[b": still here\n\n"] * 100, sse(chunk({"content": text}), END)]),
    "nothing after the end": streamed(lambda text: [sse(chunk({"content": text}), END, done=False)]),
    "no stream": writing(in_one_piece),
    "usage in texts": spoken(usage={"prompt_tokens": "12", "completion_tokens": "3"}),
    "usage in words": spoken(usage={"prompt_tokens": "many", "completion_tokens": "few"}),
    "usage in fractions": spoken(usage={"prompt_tokens": 1.5, "completion_tokens": 0.5}),
    "usage in a list": spoken(usage=[12, 3]),
    "usage below nothing": spoken(usage={"prompt_tokens": -5, "completion_tokens": -5}),
    "gzip": spoken(headers=GZIP, encode=gzip.compress),
    "deflate": spoken(headers={"Content-Encoding": "deflate"}, encode=zlib.compress),
    "an older HTTP, and no length": spoken(version="1.0"),
}


@pytest.mark.parametrize("name", ODD)
async def test_what_is_odd_and_good(data: Path, prepared: Prepared, log: pytest.LogCaptureFixture, name: str) -> None:
    async with endpoint(ODD[name]) as fine:
        response = await answered(data, fine.url)
    by_the_model(response, prepared)
    discreet(log)


@given(
    st.text(max_size=60)
    | st.from_regex(
        r"([A-Z][a-z]{2}, )?\d{1,30} (Jan|Feb|Dec|Foo) -?\d{1,30} \d{1,20}:\d{1,20}:\d{1,20} [+-]\d{1,30}",
        fullmatch=True,
    )
)
def test_whatever_a_service_says_of_waiting_is_a_time_or_nothing(after: str) -> None:
    seconds = told_to_wait({"retry-after": after})
    assert seconds is None or seconds >= 0


async def test_a_model_that_only_fails_to_read_still_writes(data: Path, prepared: Prepared) -> None:
    async with endpoint(reading(said_no(404))) as bad:
        response = await answered(data, bad.url)
    assert said(response) == said(prepared.model[QUESTION])
    assert response.warnings == (say("model_fallback", "en"),)


@pytest.mark.parametrize("hours", [24, -24])
@pytest.mark.parametrize("behaves", [sound, said_no(500)], ids=["fine", "down"])
async def test_a_clock_that_jumps(
    data: Path, prepared: Prepared, monkeypatch: pytest.MonkeyPatch, behaves: Behaviour, hours: int
) -> None:
    real, ahead = time.time, [0.0]
    monkeypatch.setattr(time, "time", lambda: real() + ahead[0])

    async def jumping(line: Line) -> None:
        ahead[0] = hours * 3600.0
        await behaves(line)

    async with endpoint(jumping) as bad:
        response = await answered(data, bad.url)
    (by_the_model if behaves is sound else by_the_rules)(response, prepared)


LISTS: dict[str, Behaviour] = {name: REFUSING[name][0] for name in (
    "a wrong key", "a page", "a page to sign in at", "a proxy's page", "an error that breaks off", "no HTTP",
    "a redirect to no address",
)} | {name: NO_ANSWER[name] for name in (
    "nothing", "choices that are null", "letters that are none", "a number too long", "half a gzip", "silence",
)}  # fmt: skip


@pytest.mark.parametrize("name", LISTS)
async def test_a_list_of_models_that_is_none(
    data: Path, prepared: Prepared, log: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    if name != "silence":  # which alone ends by the limit; the others end by what they send, however long it takes
        monkeypatch.setattr(model_discovery, "SECONDS", LONG)
    async with endpoint(sound) as fine:
        fine.lists = LISTS[name]
        fine.behaves = lambda line: (sound if line.request.body else LISTS[name])(line)  # a redirect brings no body
        async with open_engine(Settings.load(data=data, openai_base_url=fine.url, openai_api_key=KEY)) as engine:
            assert len([request for request in fine.requests if request.path == "/v1/models"])
            by_the_model(await ask(engine, QUESTION), prepared)
        assert fine.sent < MOST_SENT
    discreet(log)


# --- an address or a key that is wrong

UNREACHED = "could not be reached: check OPENAI_BASE_URL"
ADDRESSES: dict[str, tuple[Callable[[str], str], str]] = {
    "another path": (lambda root: f"{root}/v2", "OPENAI_BASE_URL, which often ends in /v1"),
    "no path": (lambda root: root, "OPENAI_BASE_URL, which often ends in /v1"),
    "a path too long": (lambda root: f"{root}/v1/chat/completions", "OPENAI_BASE_URL, which often ends in /v1"),
    "a query": (lambda root: f"{root}/v1?key={CANARY}", "OPENAI_BASE_URL, which often ends in /v1"),
    "TLS where there is none": (lambda root: f"{root.replace('http', 'https')}/v1", "should begin with http://"),
    "where nobody listens": (lambda root: "http://127.0.0.1:1/v1", UNREACHED),
    "a host that is not there": (lambda root: "http://no-such-host.invalid/v1", UNREACHED),
}


@pytest.mark.parametrize("name", ADDRESSES)
async def test_an_address_that_is_wrong(
    data: Path, prepared: Prepared, log: pytest.LogCaptureFixture, name: str
) -> None:
    address, logged = ADDRESSES[name]
    async with endpoint(sound) as good:
        response = await answered(data, address(good.root), seconds=LONG)
    by_the_rules(response, prepared)
    assert logged in log.text
    discreet(log)


@pytest.mark.parametrize("address", ["{root}/v1/", "http://user:word@{host}/v1", "{root}/v1#here"])
async def test_an_address_that_is_odd_and_good(data: Path, prepared: Prepared, address: str) -> None:
    async with endpoint(sound) as good:
        host = good.root.removeprefix("http://")
        by_the_model(await answered(data, address.format(root=good.root, host=host)), prepared)


@pytest.mark.parametrize("trusted", [True, False])
async def test_a_certificate_that_nobody_trusts_is_told_from_others(
    data: Path, prepared: Prepared, log: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, trusted: bool
) -> None:
    if not trusted:
        monkeypatch.delenv("SSL_CERT_FILE")
    async with Endpoint(certificate=CERTIFICATE) as good:
        response = await answered(data, good.url)
    (by_the_model if trusted else by_the_rules)(response, prepared)
    assert ("SSL_CERT_FILE" in log.text) is not trusted
    discreet(log)


# --- as people run it


async def test_the_command_answers_and_says_what_to_check(data: Path, prepared: Prepared) -> None:
    async with endpoint(said_no(401, "Incorrect API key")) as bad:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("WEFT_", "OPENAI_"))}
        told = {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": bad.url, "WEFT_MODEL": "m", "PYTHONPATH": str(ROOT)}
        run = [sys.executable, "-m", "bot.cli", "ask", QUESTION, "--json", "--data", str(data)]
        ended = await asyncio.to_thread(
            subprocess.run, run, env={**kept, **told}, capture_output=True, text=True, timeout=HANGS, check=False
        )
    assert ended.returncode == 0, ended.stderr
    answer = json.loads(ended.stdout)
    assert answer["answer"] == prepared.rules[QUESTION].answer
    assert answer["warnings"] == [say("model_fallback", "en")]
    assert "OPENAI_API_KEY" in ended.stderr
    for word in ("Traceback", KEY, CANARY, QUESTION):
        assert word not in ended.stderr
