"""A loopback server that speaks Tavily's `/search`, and misbehaves on request.

async with TavilyServer() as server:
    server.results = [result("https://example.org/a", "A", "What a is.")]
    search = TavilySearch(server.key, base_url=server.url)

`script` queues answers that come before the results: a status, or `Raw`, `Hang`, `Endless`.
"""

import asyncio
import json
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from aiohttp import web

from tests.servers.loopback import Loopback

Result = dict[str, Any]


def result(url: str, title: str = "", content: str = "text", score: float = 0.5, **more: Any) -> Result:
    """Return a result as Tavily gives it."""
    return {"url": url, "title": title, "content": content, "score": score, "raw_content": None, **more}


@dataclass(frozen=True, kw_only=True)
class Raw:
    """An answer, byte for byte."""

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Hang:
    """No answer at all."""


@dataclass(frozen=True)
class Endless:
    """A body that never ends."""


@dataclass(frozen=True)
class Cut:
    """The connection is lost within the body."""


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What a client sent."""

    body: Mapping[str, Any]
    headers: Mapping[str, str]


class TavilyServer:
    """Listens on a free port while it is entered; only `key` is let in."""

    def __init__(self, results: Sequence[Result] = (), *, key: str = "tvly-test-0123456789") -> None:
        self.results = list(results)
        self.by_query: dict[str, Sequence[Result]] = {}
        self.key = key
        self.script: deque[int | Raw | Hang | Endless | Cut] = deque()
        self.asked: list[Asked] = []
        self.sent = 0
        """Bytes of an endless body."""

    async def __aenter__(self) -> Self:
        app = web.Application()
        app.router.add_post("/search", self._search)
        self._loopback = Loopback(app, shutdown_timeout=0.1)
        self.url = f"http://127.0.0.1:{await self._loopback.start()}"
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._loopback.stop()

    async def _search(self, request: web.Request) -> web.StreamResponse:
        asked = Asked(body=await request.json(), headers=dict(request.headers))
        self.asked.append(asked)
        if self.script:
            return await self._misbehave(request, self.script.popleft())
        if request.headers.get("Authorization") != f"Bearer {self.key}":
            return _refused(401, "Unauthorized: missing or invalid API key.")
        query, most = asked.body.get("query"), asked.body.get("max_results", 5)
        if not isinstance(query, str) or not query:
            return _refused(400, "Query is missing.")
        if len(query) > 400:
            return _refused(400, "Query is too long. Max query length is 400 characters.")
        if not isinstance(most, int) or not 0 <= most <= 20:
            return _refused(400, "max_results must be between 0 and 20.")
        if asked.body.get("search_depth") not in (None, "basic", "advanced"):
            return _refused(400, "Invalid search depth.")
        found = self.by_query.get(query, self.results)[:most]
        return web.json_response({"query": query, "images": [], "results": found, "response_time": 0.1})

    async def _misbehave(self, request: web.Request, fault: int | Raw | Hang | Endless | Cut) -> web.StreamResponse:
        match fault:
            case int():
                return _refused(fault, f"This quotes {request.headers.get('Authorization')}.")
            case Raw():
                return web.Response(body=fault.body, status=fault.status, headers=dict(fault.headers))
            case Hang():
                await asyncio.Event().wait()
        response = web.StreamResponse(headers={"Content-Type": "application/json"})
        if isinstance(fault, Cut):
            response.content_length = 1000
        await response.prepare(request)
        if isinstance(fault, Cut):
            await response.write(b'{"results": [')
            assert request.transport is not None
            request.transport.close()
            return response
        while True:
            await response.write(b" " * 65_536)
            self.sent += 65_536


def _refused(status: int, why: str) -> web.Response:
    return web.Response(status=status, body=json.dumps({"detail": {"error": why}}), content_type="application/json")
