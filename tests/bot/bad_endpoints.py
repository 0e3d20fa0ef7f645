"""An endpoint for chat completions that does what it should not, byte for byte, over a socket of its own.

    async with Endpoint() as endpoint:
        endpoint.behaves = everywhere(Reply(status=401))

A behaviour gets a `Line`: the request, and the way back to the client. Whatever is sent carries the canary, the key and
the question, which nobody but the client may ever see.
"""

import asyncio
import json
import socket
import ssl
import struct
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.reasoning_model.capable import capable
from tests.servers.openai import Request

CANARY = "canary-of-the-endpoint"
KEY = "sk-very-secret-key"
NOTE = "Please note that "
"""Begins what a model says in its own words, so that nobody takes it for the rules' answer."""
PATHS = ("/v1/chat/completions", "/login")
_REASONS = {200: "OK", 302: "Found", 401: "Unauthorized", 404: "Not Found"}


@dataclass(kw_only=True)
class Line:
    """One request, and what is sent back."""

    request: Request
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    endpoint: "Endpoint"

    async def send(self, data: bytes) -> None:
        """Send these bytes. Raises ConnectionError when the client has gone."""
        self.writer.write(data)
        self.endpoint.sent += len(data)
        await self.writer.drain()

    async def head(
        self, content_type: str, headers: Mapping[str, str], *, status: int = 200, version: str = "1.1"
    ) -> None:
        """Begin a response that ends with its connection."""
        told = {"Content-Type": content_type, "Connection": "close", "X-Canary": CANARY, **headers}
        lines = "".join(f"{name}: {value}\r\n" for name, value in told.items())
        await self.send(f"HTTP/{version} {status} {_REASONS.get(status, CANARY)}\r\n{lines}\r\n".encode("latin-1"))

    async def until_gone(self) -> None:
        """Say nothing more until the client leaves."""
        while await self.reader.read(65536):
            pass

    def reset(self) -> None:
        """Lose the connection: the client hears of it as an error, and not as an end."""
        self.writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.writer.transport.abort()


Behaviour = Callable[[Line], Awaitable[None]]


class Endpoint:
    """Listens on a free port of 127.0.0.1 while it is entered; with a certificate it speaks TLS."""

    def __init__(self, certificate: Path | None = None) -> None:
        self._certificate = certificate
        self.behaves: Behaviour = sound
        self.lists: Behaviour = Reply(status=404)
        """How it behaves where it is asked for its models."""
        self.requests: list[Request] = []
        self.sent = 0
        """Bytes that were sent, over all connections."""
        self.root = ""
        self._lines: set[asyncio.Task[None]] = set()

    @property
    def url(self) -> str:
        """Return the base URL."""
        return f"{self.root}/v1"

    async def __aenter__(self) -> "Endpoint":
        tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH) if self._certificate else None
        if tls is not None and self._certificate is not None:
            tls.load_cert_chain(self._certificate)
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", 0, ssl=tls)
        port = self._server.sockets[0].getsockname()[1]
        self.root = f"https://localhost:{port}" if tls else f"http://127.0.0.1:{port}"
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Refuse connections from now on, and leave those that are there."""
        self._server.close()
        for line in self._lines:
            line.cancel()
        await asyncio.gather(*self._lines, return_exceptions=True)
        await self._server.wait_closed()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._lines.add(task)
        try:
            # Cancellation too: nobody waits for this task but its own server.
            with suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
                await self._serve(reader, writer)
        finally:
            self._lines.discard(task)
            writer.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        begun = await reader.readexactly(1)
        if begun == b"\x16":  # TLS, of which nothing is known here
            writer.write(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")
            return
        head = (begun + await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        first, *rest = head.strip().split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in rest)}
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        request = Request(path=first.split(" ")[1], body=json.loads(body or b"{}"), headers=headers)
        self.requests.append(request)
        line = Line(request=request, reader=reader, writer=writer, endpoint=self)
        if request.path == "/v1/models":
            await self.lists(line)
        elif request.path in PATHS:
            await self.behaves(line)
        else:
            await Reply(status=404, body=page(f"no {request.path}"), content_type="text/html")(line)


@asynccontextmanager
async def endpoint(behaves: Behaviour) -> AsyncIterator[Endpoint]:
    """Give an endpoint that behaves like this."""
    async with Endpoint() as opened:
        opened.behaves = behaves
        yield opened


# --- what is sent


@dataclass(frozen=True, kw_only=True)
class Reply:
    """A behaviour: a whole response of these bytes."""

    status: int = 200
    body: bytes = b""
    content_type: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)
    version: str = "1.1"
    length: int | str | None = None
    """What is told of the body's, where that is not so; HTTP/1.0 tells nothing."""

    async def __call__(self, line: Line) -> None:
        told = len(self.body) if self.length is None else self.length
        length = {"Content-Length": str(told)} if self.version != "1.0" else {}
        await line.head(self.content_type, {**length, **self.headers}, status=self.status, version=self.version)
        await line.send(self.body)


@dataclass(frozen=True)
class Sent:
    """A behaviour: a stream of these parts, each sent by itself; then it ends, or stays, or loses its connection."""

    parts: Iterable[bytes]
    then: str = "end"
    headers: Mapping[str, str] = field(default_factory=dict)
    content_type: str = "text/event-stream"
    status: int = 200
    version: str = "1.1"

    async def __call__(self, line: Line) -> None:
        await line.head(self.content_type, self.headers, status=self.status, version=self.version)
        for part in self.parts:
            await line.send(part)
            await asyncio.sleep(0)
        if self.then == "stay":
            await line.until_gone()
        elif self.then == "reset":
            await asyncio.sleep(0.02)  # so that what was sent arrives
            line.reset()


def raw(data: bytes) -> Behaviour:
    """Send these bytes and nothing else."""
    return lambda line: line.send(data)


async def lost(line: Line) -> None:
    """Lose the connection before anything is said."""
    line.reset()


@dataclass(frozen=True, kw_only=True)
class Endless:
    """A behaviour: begins a response, and then the same again and again, until the client leaves."""

    first: bytes = b""
    again: bytes
    pause: float = 0.0
    content_type: str = "text/event-stream"
    headers: Mapping[str, str] = field(default_factory=dict)
    status: int = 200

    async def __call__(self, line: Line) -> None:
        await line.head(self.content_type, self.headers, status=self.status)
        await line.send(self.first)
        while True:
            await line.send(self.again)
            await asyncio.sleep(self.pause)


def page(text: str = "Please sign in") -> bytes:
    """Return a web page, which tells all that it knows."""
    return f"<!doctype html><html><title>{CANARY}</title><body>{text} {KEY}</body></html>".encode()


def error(message: str, **more: object) -> bytes:
    """Return an error as OpenAI words it, which tells all that it knows."""
    told = {"message": f"{message} {CANARY} {KEY}", "type": CANARY, "param": None, "code": None, **more}
    return json.dumps({"error": told}).encode()


def completion(message: object, *, finish: object = "stop", **more: object) -> bytes:
    """Return a whole answer."""
    choice = {"index": 0, "message": message, "finish_reason": finish}
    return json.dumps({**_envelope("chat.completion"), "choices": [choice], **more}).encode()


def chunk(delta: object, *, finish: object = None, index: int = 0, **more: object) -> Mapping[str, Any]:
    """Return a piece of a stream."""
    choice = {"index": index, "delta": delta, "finish_reason": finish}
    return {**_envelope("chat.completion.chunk"), "choices": [choice], **more}


def sse(*chunks: object, done: bool = True) -> bytes:
    """Return pieces as they go over the wire."""
    lines = [f"data: {json.dumps(each, ensure_ascii=False)}\n\n" for each in chunks]
    return "".join([*lines, "data: [DONE]\n\n" if done else ""]).encode()


def _envelope(kind: str) -> dict[str, Any]:
    return {"id": CANARY, "object": kind, "created": 0, "model": CANARY, "system_fingerprint": CANARY}


# --- how it behaves


def says(request: Request) -> str:
    """Return what a model that does what it is asked says: what answers is in its own words."""
    answer = capable(request)
    if not isinstance(answer, str):
        return json.dumps(answer, ensure_ascii=False)
    return f"{NOTE}{answer}" if request.streaming and answer != "NO_ANSWER" else answer


async def sound(line: Line) -> None:
    """Answer as a good endpoint does."""
    await spoken()(line)


def spoken(
    *,
    usage: object = None,
    headers: Mapping[str, str] | None = None,
    encode: Callable[[bytes], bytes] = bytes,
    version: str = "1.1",
) -> Behaviour:
    """Answer as a good endpoint does, whole or streamed, with this usage, coding and version of HTTP."""
    more = {"usage": usage} if usage is not None else {}

    async def each(line: Line) -> None:
        text = says(line.request)
        if not line.request.streaming:
            body = encode(completion({"role": "assistant", "content": text}, **more))
            await Reply(body=body, headers=headers or {}, version=version)(line)
            return
        last = chunk({}, finish="stop")
        pieces = [chunk({"content": text[at : at + 8]}) for at in range(0, len(text), 8)]
        bill = [{**_envelope("chat.completion.chunk"), "choices": [], **more}] if more else []
        await Sent([encode(sse(*pieces, last, *bill))], headers=headers or {}, version=version)(line)

    return each


def writing(behaves: Behaviour) -> Behaviour:
    """Behave like this only where the answer is written; all else goes well."""
    return lambda line: behaves(line) if line.request.streaming else sound(line)


def reading(behaves: Behaviour) -> Behaviour:
    """Behave like this where anything but the answer is asked for."""
    return lambda line: sound(line) if line.request.streaming else behaves(line)


def at_first(*behaviours: Behaviour) -> Behaviour:
    """Behave like these in turn, and then well."""
    left = list(behaviours)
    return lambda line: left.pop(0)(line) if left else sound(line)


def streamed(make: Callable[[str], Iterable[bytes]], **given: Any) -> Behaviour:
    """Send what this makes of the answer as a stream; all else goes well."""
    return writing(lambda line: Sent(make(says(line.request)), **given)(line))


def whole(make: Callable[[str], bytes]) -> Behaviour:
    """Send what this makes of what is said where the answer is not streamed."""
    return reading(lambda line: Reply(body=make(says(line.request)))(line))
