"""A loopback server that speaks OpenAI's chat completions and embeddings, and misbehaves on request.

    async with OpenAIServer() as server:
        server.answer(lambda request: "It closes at six. [1]")
        client = openai.AsyncOpenAI(api_key="test", base_url=server.url)

An answer is a text (or an object, sent as JSON text), a `Said` for its details, or a fault: `Raw`,
`Bytes`, `Cut`, `Hang`. `script` queues answers that come before the handler is asked. `obliging` answers all
of Weft's own prompts sensibly.
"""

import asyncio
import hashlib
import json
import re
import struct
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Self

from aiohttp import web

from tests.servers.loopback import Loopback


@dataclass(frozen=True, kw_only=True)
class Request:
    """What a client sent."""

    path: str
    body: Mapping[str, Any]
    headers: Mapping[str, str]

    @property
    def streaming(self) -> bool:
        return bool(self.body.get("stream"))

    @property
    def format(self) -> str:
        """How the shape was asked for: `json_schema`, `json_object`, `tool`, or `text`."""
        if self.body.get("tools"):
            return "tool"
        return str(self.body.get("response_format", {}).get("type", "text"))

    @property
    def shape(self) -> str:
        """The name of the JSON schema, where one was sent."""
        for tool in self.body.get("tools", ()):
            return str(tool["function"]["name"])
        return str(self.body.get("response_format", {}).get("json_schema", {}).get("name", ""))

    @property
    def text(self) -> str:
        """All that was said, system prompt first."""
        return "\n".join(str(message["content"]) for message in self.body.get("messages", ()))

    def quoted(self, name: str) -> list[str]:
        """Return the quoted data of this name."""
        found = re.findall(rf"^<<<(\w+) {re.escape(name)}\b[^\n]*\n(.*?)\n\1>>>$", self.text, re.M | re.S)
        return [text for _, text in found]


@dataclass(frozen=True, kw_only=True)
class Said:
    """An answer with its details."""

    text: str | None = None
    finish: str | None = "stop"
    refusal: str | None = None
    pieces: Sequence[str] = ()
    """What a stream is cut into; by default four characters each."""
    arguments: object = None
    """Of a function that is called instead of saying something; a text, or an object as some servers send it."""
    usage: Mapping[str, Any] | None = None
    """What it cost, where that is not the server's own `usage`."""
    done: bool = True
    """Whether a stream says that it is over."""
    lingers: bool = False
    """Whether a stream stays open after all is said."""


@dataclass(frozen=True, kw_only=True)
class Raw:
    """A response sent as it is."""

    status: int = 200
    body: bytes = b""
    content_type: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Bytes:
    """A stream of just these bytes, each sent by itself; then it ends, or stays open, or loses its connection."""

    parts: Sequence[bytes]
    then: Literal["end", "stay", "reset"] = "end"


@dataclass(frozen=True, kw_only=True)
class Cut:
    """A stream that loses its connection after this text."""

    after: str


@dataclass(frozen=True, kw_only=True)
class Hang:
    """Never ends; a stream sends `after` first, and then comments that keep the connection alive."""

    after: str = ""


Answer = str | Mapping[str, Any] | Said | Raw | Bytes | Cut | Hang


def refusal(status: int, message: str, **headers: str) -> Raw:
    """Return an error as OpenAI words it."""
    body = json.dumps({"error": {"message": message, "type": "invalid_request_error", "param": None, "code": None}})
    return Raw(status=status, body=body.encode(), headers=headers)


class OpenAIServer:
    """Listens on a free port of 127.0.0.1 while it is entered."""

    def __init__(
        self, *, key: str = "", dimensions: int = 32, formats: Sequence[str] = ("json_schema", "json_object", "tool")
    ) -> None:
        self.key = key
        """What clients must present; empty: anything."""
        self.dimensions = dimensions
        self.chooses_dimensions = True
        self.formats = set(formats)
        """Which ways to ask for a shape are taken; others get 400."""
        self.refuses: Callable[[Request], Raw | None] = lambda _: None
        """Refuses what a server does not take; None: it takes it."""
        self.usage: Mapping[str, Any] | None = None
        """What every chat costs; in a stream it comes last, and only when it is asked for."""
        self.before_chat: Callable[[Request], Awaitable[None]] | None = None
        self.at_once = 0
        """Chats under way."""
        self.most_at_once = 0
        self.refused_parameters: set[str] = set()
        self.models: Raw | None = None
        """What is sent for the list of models, in place of one."""
        self.most_texts = 2048
        """Of one embedding request; more get 422."""
        self.counts_tokens = False
        """Whether embeddings come with their usage: a token a word."""
        self.refuse_text: Callable[[str], Raw | None] | None = None
        """Refuses embedding requests that hold such a text."""
        self.before_embedding: Callable[[Request], Awaitable[None]] | None = None
        self.requests: list[Request] = []
        self.url = ""
        self._handler: Callable[[Request], Answer] = lambda _: refusal(500, "no answer was scripted")
        self._queue: deque[Answer] = deque()
        self._closing = asyncio.Event()

    async def __aenter__(self) -> Self:
        app = web.Application()
        app.router.add_post("/v1/chat/completions", self._chat)
        app.router.add_post("/openai/deployments/{deployment}/chat/completions", self._azure)
        app.router.add_post("/v1/embeddings", self._embeddings)
        app.router.add_get("/v1/models", self._models)
        self._loopback = Loopback(app, shutdown_timeout=1.0, keepalive_timeout=1e6)
        self.url = f"http://127.0.0.1:{await self._loopback.start()}/v1"
        return self

    async def __aexit__(self, *_: object) -> None:
        self._closing.set()
        await self._loopback.stop()

    def answer(self, handler: Callable[[Request], Answer] | Answer) -> None:
        """Answer chats with what this returns, or with the same again and again."""
        self._handler = handler if callable(handler) else lambda _: handler

    def script(self, *answers: Answer) -> None:
        """Answer the next requests with these, in order, embeddings included."""
        self._queue.extend(answers)

    @property
    def chats(self) -> list[Request]:
        """The chat requests so far."""
        return [request for request in self.requests if request.path.endswith("/chat/completions")]

    async def _take(self, http: web.Request) -> Request | web.Response:
        request = Request(
            path=http.path, body=await http.json(), headers={k.lower(): v for k, v in http.headers.items()}
        )
        self.requests.append(request)
        given = request.headers.get("authorization", "")
        if self.key and given != f"Bearer {self.key}" and not http.path.startswith("/openai/"):
            return self._raw(refusal(401, f"Incorrect API key provided: {given}"))
        return request

    async def _azure(self, http: web.Request) -> web.StreamResponse:
        """Answer as Azure does: a deployment in the path, a version in the query, the key in a header of its own."""
        if "api-version" not in http.query:
            return self._raw(refusal(404, "Resource not found"))
        if self.key and http.headers.get("api-key") != self.key:
            return self._raw(refusal(401, "Access denied due to invalid subscription key."))
        return await self._chat(http)

    async def _chat(self, http: web.Request) -> web.StreamResponse:
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            return await self._answered(http)
        finally:
            self.at_once -= 1

    async def _answered(self, http: web.Request) -> web.StreamResponse:
        request = await self._take(http)
        if isinstance(request, web.Response):
            return request
        if self.before_chat is not None:
            await self.before_chat(request)
        for name in self.refused_parameters & request.body.keys():
            return self._raw(refusal(400, f"Unsupported parameter: '{name}' is not supported with this model."))
        if (refused := self.refuses(request)) is not None:
            return self._raw(refused)
        if request.format != "text" and request.format not in self.formats:
            return self._raw(refusal(400, f"'response_format' of type '{request.format}' is not supported"))
        answer = self._queue.popleft() if self._queue else self._handler(request)
        if isinstance(answer, Raw):
            return self._raw(answer)
        if isinstance(answer, Bytes):
            return await self._bytes(http, answer)
        if isinstance(answer, str):
            answer = Said(text=answer)
        elif isinstance(answer, Mapping):
            text = json.dumps(answer, ensure_ascii=False)
            answer = Said(arguments=text) if request.format == "tool" else Said(text=text)
        if request.streaming:
            return await self._stream(http, request, answer)
        if isinstance(answer, Said):
            message: dict[str, Any] = {"role": "assistant", "content": answer.text, "refusal": answer.refusal}
            if answer.arguments is not None:
                function = {"name": request.shape, "arguments": answer.arguments}
                message["tool_calls"] = [{"id": "call_1", "type": "function", "function": function}]
            choice = {"index": 0, "message": message, "finish_reason": answer.finish}
            usage = {"usage": answer.usage or self.usage} if answer.usage or self.usage else {}
            return web.json_response({**self._envelope(request, "chat.completion", choice), **usage})
        if isinstance(answer, Hang):
            await self._closing.wait()
        self._break(http)
        return web.Response()

    async def _stream(self, http: web.Request, request: Request, answer: Said | Cut | Hang) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(http)

        async def send(delta: Mapping[str, Any], finish: str | None = None) -> None:
            choice = {"index": 0, "delta": delta, "finish_reason": finish}
            data = json.dumps(self._envelope(request, "chat.completion.chunk", choice), ensure_ascii=False)
            await response.write(f"data: {data}\n\n".encode())

        text = (answer.text or "") if isinstance(answer, Said) else answer.after
        pieces = answer.pieces if isinstance(answer, Said) and answer.pieces else re.findall(r"(?s).{1,4}", text)
        try:
            await send({"role": "assistant", "content": ""})
            for piece in pieces:
                await send({"content": piece})
            if isinstance(answer, Hang):
                while not self._closing.is_set():
                    await response.write(b": still here\n\n")
                    await asyncio.sleep(0.05)
            elif isinstance(answer, Cut):
                self._break(http)
            else:
                if answer.refusal:
                    await send({"refusal": answer.refusal})
                if answer.finish:
                    await send({}, answer.finish)
                usage = answer.usage or self.usage
                if usage and request.body.get("stream_options", {}).get("include_usage"):
                    data = {**self._envelope(request, "chat.completion.chunk", {}), "choices": [], "usage": usage}
                    await response.write(f"data: {json.dumps(data)}\n\n".encode())
                if answer.done:
                    await response.write(b"data: [DONE]\n\n")
                if answer.lingers:
                    await self._closing.wait()
        except ConnectionResetError:  # the client has heard enough
            pass
        return response

    async def _bytes(self, http: web.Request, answer: Bytes) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(http)
        try:
            for part in answer.parts:
                await response.write(part)
                await asyncio.sleep(0.01)  # so that each arrives by itself
            if answer.then == "stay":
                await self._closing.wait()
            elif answer.then == "reset":
                self._break(http)
        except ConnectionResetError:
            pass
        return response

    async def _embeddings(self, http: web.Request) -> web.StreamResponse:
        request = await self._take(http)
        if isinstance(request, web.Response):
            return request
        if self.before_embedding is not None:
            await self.before_embedding(request)
        if self._queue:
            answer = self._queue.popleft()
            if isinstance(answer, Hang):
                await self._closing.wait()
            if isinstance(answer, Raw):
                return self._raw(answer)
            return web.json_response(answer)
        if "dimensions" in request.body and not self.chooses_dimensions:
            return self._raw(refusal(400, "This model does not support specifying dimensions."))
        texts = request.body["input"]
        if any(not text for text in texts):
            return self._raw(refusal(400, "'input' cannot be an empty string."))
        if len(texts) > self.most_texts:
            return self._raw(refusal(422, f"batch size {len(texts)} > maximum allowed batch size {self.most_texts}"))
        refused = next(filter(None, map(self.refuse_text, texts)), None) if self.refuse_text else None
        if refused is not None:
            return self._raw(refused)
        size = int(request.body.get("dimensions", self.dimensions))
        rows = [{"object": "embedding", "index": i, "embedding": embed(text, size)} for i, text in enumerate(texts)]
        answered = {"object": "list", "data": rows, "model": request.body["model"]}
        if self.counts_tokens:
            count = sum(len(text.split()) for text in texts)
            answered["usage"] = {"prompt_tokens": count, "total_tokens": count}
        return web.json_response(answered)

    async def _models(self, http: web.Request) -> web.Response:
        given = http.headers.get("Authorization", "")
        if self.key and given != f"Bearer {self.key}":
            return self._raw(refusal(401, f"Incorrect API key provided: {given}"))
        if self.models is not None:
            return self._raw(self.models)
        return web.json_response({"object": "list", "data": [{"id": "test-model", "object": "model"}]})

    def _envelope(self, request: Request, kind: str, choice: Mapping[str, Any]) -> Mapping[str, Any]:
        return {"id": "c1", "object": kind, "created": 0, "model": request.body["model"], "choices": [choice]}

    def _raw(self, answer: Raw) -> web.Response:
        headers = {"Content-Type": answer.content_type, **answer.headers}
        return web.Response(status=answer.status, body=answer.body, headers=headers)

    def _break(self, http: web.Request) -> None:
        if http.transport is not None:
            http.transport.abort()


def embed(text: str, dimensions: int) -> list[float]:
    """Return a vector of some length that is near for texts that share words; the same on every machine."""
    row = [0.0] * dimensions
    for word in re.findall(r"\w+", text.lower()) or [text]:
        place, sign = struct.unpack("<IB", hashlib.sha256(word.encode()).digest()[:5])
        row[place % dimensions] += 3.0 if sign % 2 else -3.0
    if not any(row):
        row[0] = 1.0
    return row


def obliging(request: Request) -> Answer:
    """Answer Weft's own prompts: research everything, quote the first passage, find every sentence supported."""
    if '"verdicts"' in request.text or request.shape == "verdicts":
        numbers = [int(n) for n in re.findall(r"^<<<\w+ sentence (\d+)", request.text, re.M)]
        return {"verdicts": [{"n": n, "supported": True, "problem": ""} for n in numbers]}
    if "`several`" in request.text:
        return {"intent": "", "standalone": "", "several": False, "words": ""}
    passages = request.quoted("passage 1")
    if passages:
        body = passages[0].partition("\n\n")[2]
        first = re.split(r"(?<=[.!?])\s", body.strip())[0]
        return f"{first} [1]"
    return "Hello!"
