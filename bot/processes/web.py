"""The web server: who may call it, and what it serves besides the routes handed in.

The playground is one person's, or a team's behind a token. Without a token only this machine is
served, and only under a loopback name, so that neither the network nor a page of another site
(DNS rebinding, forged requests) reaches it. Slack's routes are open: Slack signs its requests.
"""

import asyncio
import hashlib
import hmac
import ipaddress
import logging
import math
import socket
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from urllib.parse import urlencode, urlsplit

import uvicorn
from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from agent.errors import StorageError, UsageError, where
from bot.processes.connections import Doors, neighbourhood
from bot.processes.token_guesses import Guesses

log = logging.getLogger(__name__)

Metrics = Callable[[], Awaitable[str]]
"""Returns the figures in Prometheus' text format."""

ACCEPTED_AT_ONCE = 64
"""Connections that are taken in between two requests."""
QUEUED = 2048
"""Connections that the kernel keeps until they are taken in."""
READY_SECONDS = 5.0
METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8"
COOKIE = "weft_playground"
COOKIE_SECONDS = 30 * 24 * 3600
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


def create_web(
    *,
    routes: Sequence[BaseRoute],
    open_routes: Sequence[BaseRoute] = (),
    token: str = "",
    allowed_hosts: Sequence[str] = (),
    metrics: Metrics | None = None,
    health: Callable[[], Awaitable[Mapping[str, object]]] | None = None,
    ready: Callable[[], Awaitable[object]] | None = None,
) -> Starlette:
    """Return the application: `routes` behind the guard, `open_routes` for callers who sign what they send.

    `ready` raises StorageError while messages cannot be taken in.
    """

    async def alive(request: Request) -> Response:
        return JSONResponse(dict(await health()) if health else {"status": "ok"})

    async def takes_in(request: Request) -> Response:
        try:
            async with asyncio.timeout(READY_SECONDS):
                if ready is not None:
                    await ready()
        except (StorageError, TimeoutError) as error:
            log.warning("not ready: %s", where(error), extra={"action": "not_ready"})
            return JSONResponse({"status": "not ready"}, status_code=503)
        return JSONResponse({"status": "ready"})

    async def counters(scope: Scope, receive: Receive, send: Send) -> None:
        text = await metrics() if metrics else ""
        await PlainTextResponse(text, headers={"Content-Type": METRICS_TYPE})(scope, receive, send)

    hosts, guesses = frozenset(host.lower() for host in allowed_hosts), Guesses()
    guard = Middleware(Guard, token=token, allowed_hosts=hosts, guesses=guesses)
    others = Guard(counters, token=token, allowed_hosts=hosts, guesses=guesses)

    async def counters_for(request: Request) -> Response:
        near = _is_near(request.scope) and _is_known(request.headers, frozenset())
        return _Handled(counters if near else others)

    return Starlette(
        routes=[
            Route("/health", alive),
            Route("/readyz", takes_in),
            Route("/metrics", counters_for),
            *open_routes,
            Mount("/", routes=routes, middleware=[guard]),
        ],
        middleware=[Middleware(HungUp), Middleware(SafeHeaders)],
    )


class WebServer(uvicorn.Server):
    """Serves an application on a socket; `hang_up` ends streams that would keep it from stopping."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        hang_up: Callable[[], Awaitable[None]] | None = None,
        doors: Doors | None = None,
        proxies: Sequence[str] = (),
    ) -> None:
        self.doors = Doors() if doors is None else doors
        # No access log: addresses hold the token once, and people's words may stand in them.
        super().__init__(
            uvicorn.Config(
                app,
                http=self.doors,  # type: ignore[arg-type]  # called like the class that it stands for
                ws="none",
                backlog=ACCEPTED_AT_ONCE,
                forwarded_allow_ips=["127.0.0.1", "::1", *proxies],
                log_config=None,
                access_log=False,
                lifespan="off",
                server_header=False,
                timeout_keep_alive=600,  # the doors close what is idle, sooner
                timeout_graceful_shutdown=5,
            )
        )
        self._hang_up = hang_up
        self.ready = asyncio.Event()
        """Set when requests are answered."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to answer."""
        await super().startup(sockets)
        for each in sockets or ():
            each.listen(QUEUED)  # asyncio knows one number for both; many may queue, few are taken in one go
        self.ready.set()

    async def on_tick(self, counter: int) -> bool:
        """Close the connections that take too long; uvicorn calls this ten times a second."""
        if counter % 10 == 0:
            self.doors.sweep()
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop taking requests, end the streams, and let the others finish."""
        if self._hang_up is not None:
            await self._hang_up()
        await super().shutdown(sockets)


def listen_on(host: str, port: int) -> socket.socket:
    """Return a bound socket. Raises UsageError when the port is taken or the address is not ours."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    bound = socket.socket(family, socket.SOCK_STREAM)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((host, port))
    except (OSError, OverflowError) as error:
        bound.close()
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"cannot listen on {host}:{port} ({reason}): choose another with --host or --port") from error
    return bound


def is_loopback(host: str) -> bool:
    """Tell whether this name or address is this machine's own."""
    name = host.lower()
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(name.strip("[]")).is_loopback
    except ValueError:
        return False


class HungUp:
    """Ends what was done for somebody who has hung up, without a word: it is nobody's mistake."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        with suppress(ClientDisconnect):
            await self._app(scope, receive, send)


class SafeHeaders:
    """Puts the headers that keep a page to itself on every answer."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""

        async def send_safely(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(HEADERS)
                if "cache-control" not in headers:
                    headers["Cache-Control"] = "no-store"
            await send(message)

        await self._app(scope, receive, send_safely if scope["type"] == "http" else send)


class Guard:
    """Lets in who may use the playground."""

    def __init__(self, app: ASGIApp, *, token: str, allowed_hosts: frozenset[str], guesses: Guesses) -> None:
        self._app = app
        self._token = token
        self._allowed_hosts = allowed_hosts
        self._guesses = guesses
        # The cookie proves the token without being it.
        self._cookie = hmac.new(token.encode(), b"weft playground", hashlib.sha256).hexdigest()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        if scope["type"] != "http":
            await send({"type": "websocket.close"})
            return
        request = Request(scope)
        refusal = self._refusal(request)
        if refusal is not None:
            log.warning("refused a request to the playground", extra={"action": "web_refused", "reason": refusal})
            await PlainTextResponse(refusal + "\n", status_code=403)(scope, receive, send)
            return
        way_in = self._way_in(request)
        if isinstance(way_in, Response):
            await way_in(scope, receive, send)
        elif way_in:
            await self._app(scope, receive, send)
        elif request.url.path == "/" or request.url.path.startswith("/static/"):
            # The page itself holds no data: it asks for the token. It also must load for someone who comes from
            # a link elsewhere, since a browser keeps a strict cookie back on that first request alone.
            await self._app(scope, receive, _as_unauthorized(send) if request.url.path == "/" else send)
        else:
            await JSONResponse({"error": "token_needed"}, status_code=401)(scope, receive, send)

    def _refusal(self, request: Request) -> str | None:
        if not _is_known(request.headers, self._allowed_hosts):
            return "Weft is not known under this name: add it to the allowed hosts"
        if (
            request.headers.get("sec-fetch-site") == "cross-site"
            and request.headers.get("sec-fetch-mode") != "navigate"
        ):
            return "requests of other sites are refused"
        for origin in request.headers.getlist("origin"):
            if _host_of(origin) != request.headers["host"].lower():
                return "requests of other sites are refused"
        if not self._token and not _is_near(request.scope):
            return "without a token the playground serves this machine only"
        return None

    def _way_in(self, request: Request) -> bool | Response:
        """Tell whether a request may enter, or what is answered instead: to a token that signs in, to one too many."""
        if not self._token:
            return True
        scheme, _, bearer = request.headers.get("authorization", "").partition(" ")
        signs_in = request.method == "GET" and "token" in request.query_params
        offered = request.query_params["token"] if signs_in else bearer.strip() if scheme.lower() == "bearer" else None
        if offered is None:
            return self._is_known(request)
        caller = neighbourhood(request.client.host) if request.client else ""
        wait = self._guesses.wait(caller)
        if wait and not self._is_known(request):
            seconds = math.ceil(wait)
            log.warning("wrong tokens came too often", extra={"action": "web_guessed"})
            told = PlainTextResponse(f"too many wrong tokens: try again in {seconds} s\n", status_code=429)
            told.headers["Retry-After"] = str(seconds)
            return told
        if _same(offered, self._token):
            return self._sign_in(request) if signs_in else True
        self._guesses.wrong(caller)
        return self._is_known(request)

    def _is_known(self, request: Request) -> bool:
        return _same(request.cookies.get(COOKIE, ""), self._cookie)

    def _sign_in(self, request: Request) -> Response:
        rest = [(name, value) for name, value in request.query_params.multi_items() if name != "token"]
        response = RedirectResponse(request.url.path + (f"?{urlencode(rest)}" if rest else ""), status_code=303)
        secure = request.url.scheme == "https"
        response.set_cookie(
            COOKIE, self._cookie, max_age=COOKIE_SECONDS, httponly=True, samesite="strict", secure=secure
        )
        return response


class _Handled(Response):
    """An answer that an application gives."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self.background = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let it answer."""
        await self._app(scope, receive, send)


def _as_unauthorized(send: Send) -> Send:
    async def send_unauthorized(message: Message) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "status": 401}
            MutableHeaders(scope=message)["Cache-Control"] = "no-store"
        await send(message)

    return send_unauthorized


def _is_near(scope: Scope) -> bool:
    """Tell whether the caller sits on this machine, and is not a proxy that speaks for somebody else."""
    headers = Headers(scope=scope)
    client = scope.get("client")
    forwarded = any(name in headers for name in ("forwarded", "x-forwarded-for", "x-real-ip", "via"))
    return client is not None and is_loopback(client[0]) and not forwarded


def _is_known(headers: Headers, allowed_hosts: frozenset[str]) -> bool:
    hosts = headers.getlist("host")
    if len(hosts) != 1:
        return False
    try:
        name = urlsplit(f"//{hosts[0]}").hostname or ""
    except ValueError:
        return False
    return is_loopback(name) or name in allowed_hosts or hosts[0].lower() in allowed_hosts


def _same(offered: str, expected: str) -> bool:
    return hmac.compare_digest(offered.encode(), expected.encode())


def _host_of(origin: str) -> str:
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:
        return ""
