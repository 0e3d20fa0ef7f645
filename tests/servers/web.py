"""A loopback web server that serves what it is told, byte for byte, and misbehaves on request.

async with WebServer() as server:
    server.pages["/a"] = Page(b"<h1>A</h1>", headers={"Content-Type": "text/html"})
    url = server.url("/a")
"""

import asyncio
import contextlib
import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

CERTIFICATE = Path(__file__).with_name("localhost.pem")
"""Of `localhost` and 127.0.0.1, signed by itself, with a key that protects nothing."""


@dataclass(frozen=True, kw_only=True)
class Request:
    """What a client sent."""

    path: str
    headers: Mapping[str, str]
    """By lower-case name."""


@dataclass(frozen=True)
class Page:
    """What the server answers."""

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    endless: bool = False
    """The body comes again and again, until the client has had enough."""
    drip: bool = False
    """After the body, nothing more comes and nothing ends."""
    cut: bool = False
    """The connection is lost after half of the body."""
    raw: bool = False
    """The body is all that is sent, status line included."""


def moved(location: str, status: int = 302) -> Page:
    """Return a redirect."""
    return Page(status=status, headers={"Location": location})


def text(body: str, media_type: str = "text/plain; charset=utf-8", **headers: str) -> Page:
    """Return a page of text."""
    return Page(body.encode(), headers={"Content-Type": media_type, **headers})


Answer = Page | Callable[[Request], Page]


class WebServer:
    """Listens on a free port of `host` while it is entered."""

    def __init__(self, host: str = "127.0.0.1", *, port: int = 0, tls: bool = False) -> None:
        self.pages: dict[str, Answer] = {}
        self.requests: list[Request] = []
        self.sent = 0
        """Bytes of bodies."""
        self.port = port
        self._host = host
        self._tls = tls
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        context = None
        if self._tls:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(CERTIFICATE)
        self._server = await asyncio.start_server(self._serve, self._host, self.port, ssl=context)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._server.wait_closed()

    def url(self, path: str = "/", host: str = "") -> str:
        name = host or (f"[{self._host}]" if ":" in self._host else self._host)
        return f"http{'s' if self._tls else ''}://{name}:{self.port}{path}"

    @property
    def paths(self) -> list[str]:
        return [request.path for request in self.requests]

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError, ssl.SSLError):
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
            headers = dict(line.split(": ", 1) for line in head[1:] if ": " in line)
            request = Request(path=head[0].split(" ")[1], headers={k.lower(): v for k, v in headers.items()})
            self.requests.append(request)
            page = self.pages.get(request.path, Page(status=404))
            await self._answer(page(request) if callable(page) else page, writer)
        self._tasks.discard(task)
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()

    async def _answer(self, page: Page, writer: asyncio.StreamWriter) -> None:
        headers = {"Connection": "close", **page.headers}
        if not page.endless and not page.drip and page.status != 304:
            headers.setdefault("Content-Length", str(len(page.body)))
        if not page.raw:
            lines = [f"HTTP/1.1 {page.status} Whatever", *(f"{name}: {value}" for name, value in headers.items())]
            writer.write("\r\n".join([*lines, "", ""]).encode())
        while True:
            body = page.body[: len(page.body) // 2] if page.cut else page.body
            writer.write(body)
            await writer.drain()
            self.sent += len(body)
            if not page.endless:
                break
        if page.drip:
            await asyncio.Event().wait()
