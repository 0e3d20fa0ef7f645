"""Connections of strangers: how many are held, for how long, and at what cost.

A `Door` stands before uvicorn's protocol. It keeps the bytes of a request until all of it is there, up to
`WHOLE_BYTES`, and only then is anything parsed, built or run: a connection that says nothing, or half of something,
costs a socket and a few hundred bytes. `Doors` closes those that take too long. Where too many wait,
the oldest of them makes room for the new one, so that whoever is slow holds up nobody else: whole requests come soon.
"""

import asyncio
import ipaddress
import logging
import re
import resource
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any, cast

import h11
from uvicorn.config import Config
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

log = logging.getLogger(__name__)

WHOLE_BYTES = 64_000
"""A request up to this size is waited for before anything is done; the body of a larger one comes in piece by piece."""
HEAD_BYTES = 16 * 1024
"""More than any head: h11 refuses it."""
RESERVED_FILES = 512
"""Open files that are not for connections: databases, indexes, calls to platforms and models."""
MOST_CONNECTIONS = 16_384
FEW_CONNECTIONS = 1_000
"""Fewer than these are worth a warning."""
_BLANK_LINE = re.compile(rb"\n\r?\n")
_LENGTH = re.compile(rb"^content-length:[ \t]*(\d{1,12})[ \t]*\r?$", re.IGNORECASE | re.MULTILINE)
_TOLD_EVERY = 60.0
_LATE = b"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"


@dataclass(frozen=True, kw_only=True, slots=True)
class Limits:
    """How long a connection may take, in seconds, and how many there may be."""

    head: float = 15.0
    """For the first byte of a connection, and for all of a head."""
    pause: float = 15.0
    """Between two pieces of a body."""
    body: float = 30.0
    """For a body; longer where it comes with `rate`."""
    rate: float = 4_000.0
    """Bytes a second that a large body must come with."""
    kept: float = 75.0
    """Between an answer and the next request; longer than proxies keep theirs, so that none is cut off as it asks."""
    unread: float = 30.0
    """How long an answer waits for whoever does not take it."""
    total: int = MOST_CONNECTIONS
    per_address: int = 256
    """From one address, of those whose request is not there yet."""
    bodies: int = 64
    """Bodies that come in piece by piece at once."""
    bytes: int = 16_000_000
    """Of the beginnings of requests, all together."""


class Doors:
    """The connections of one server. It is what uvicorn makes its protocols with."""

    def __init__(self, limits: Limits | None = None, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.limits = limits or Limits()
        self.clock = clock
        self.slow = 0
        """Connections that were closed because they took too long, since the start; not the idle ones."""
        self.crowded = 0
        """Those that had to make room."""
        self._all: dict[Door, None] = {}
        self._by_address: dict[str, dict[Door, None]] = {}
        self._bodies: dict[Door, None] = {}
        self._bytes = 0
        self._told = (0, 0, clock())
        self._parts: tuple[Config, ServerState, dict[str, Any], asyncio.AbstractEventLoop | None]

    def __call__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> "Door":
        """Return the protocol of a new connection."""
        self._parts = config, server_state, app_state, _loop  # the same each time
        return Door(self, server_state)

    def protocol(self, transport: asyncio.Transport) -> H11Protocol:
        """Return uvicorn's protocol, for a connection with a whole request."""
        made = H11Protocol(*self._parts)
        made.connection_made(transport)
        return made

    def __len__(self) -> int:
        return len(self._all)

    @property
    def all(self) -> "Collection[Door]":
        """The connections, oldest first."""
        return self._all.keys()

    def enter(self, door: "Door", address: str) -> None:
        """Take in a connection; where there are too many, the oldest that has not asked yet is closed, or this one."""
        near = self._by_address.setdefault(address, {})
        if len(near) >= self.limits.per_address:
            waiting = [each for each in near if each.waits]
            if len(waiting) >= self.limits.per_address:
                self._make_room(waiting[0])
        if len(self._all) >= self.limits.total:
            self._make_room(next((each for each in self._all if each.waits), door))
        if not door.closing:
            self._all[door] = None
            self._by_address.setdefault(address, {})[door] = None

    def streams(self, door: "Door", *, going_on: bool) -> None:
        """Note that the body of this one comes in piece by piece, or that it is there."""
        self._bodies.pop(door, None)
        if going_on:
            self._bodies[door] = None
            if len(self._bodies) > self.limits.bodies:
                self._make_room(next(iter(self._bodies)))

    def keeps(self, count: int) -> None:
        """Note that so many bytes more (less, where negative) of beginnings are kept."""
        self._bytes += count
        while self._bytes > self.limits.bytes:
            self._make_room(next(each for each in self._all if each.kept))

    def leave(self, door: "Door") -> None:
        """Forget a connection."""
        self._all.pop(door, None)
        self._bodies.pop(door, None)
        near = self._by_address.get(door.address)
        if near is not None:
            near.pop(door, None)
            if not near:
                del self._by_address[door.address]

    def sweep(self) -> None:
        """Close what took too long; to be called about once a second."""
        now = self.clock()
        for door in [each for each in self._all if each.is_late(now)]:
            self.slow += door.has_begun
            door.close(late=True)
        slow, crowded, since = self._told
        if now - since >= _TOLD_EVERY:
            self._told = (self.slow, self.crowded, now)
            if self.slow > slow or self.crowded > crowded:
                log.warning(
                    "%d connections were closed for being too slow, %d for being too many at once.",
                    self.slow - slow,
                    self.crowded - crowded,
                    extra={"action": "connections_closed"},
                )

    def _make_room(self, door: "Door") -> None:
        self.crowded += 1
        door.close()


class Door(asyncio.Protocol):
    """One connection."""

    __slots__ = (
        "_doors", "_heard", "_inner", "_length", "_pending", "_server_state", "_since", "_streams",
        "_transport", "_was_answering", "address", "closing", "received",
    )  # fmt: skip

    def __init__(self, doors: Doors, server_state: ServerState) -> None:
        self._doors = doors
        self._server_state = server_state
        self._transport: asyncio.Transport
        self._inner: H11Protocol | None = None
        """uvicorn's protocol; there from the first whole request until some time after the last answer."""
        self._pending = b""
        """The beginning of a request."""
        self._length = 0
        """How long it will be, once its head is there."""
        self._since = self._heard = doors.clock()
        """When it began to do what it does now; when the last piece came."""
        self.received = 0
        self._streams = False
        self._was_answering = False
        self.address = ""
        self.closing = False

    @property
    def waits(self) -> bool:
        """Tell whether no whole request is there: nothing is being done for it."""
        return not self.closing and (self._is_between() or self._inner_gets_body())

    @property
    def has_begun(self) -> bool:
        """Tell whether a request, or an answer, was under way when it was last looked at."""
        return bool(self._pending) or not self._is_between()

    @property
    def is_stuck(self) -> bool:
        """Tell whether an answer waits for whoever asked to take it."""
        return self._inner is not None and self._inner.flow.write_paused

    @property
    def kept(self) -> int:
        """Return how many bytes of a beginning it keeps."""
        return len(self._pending)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Take in the connection, or close it where there are too many."""
        self._transport = cast(asyncio.Transport, transport)
        peer = transport.get_extra_info("peername")
        self.address = neighbourhood(str(peer[0])) if peer else ""
        self._server_state.connections.add(self)  # type: ignore[arg-type]  # it calls nothing but `shutdown`
        self._doors.enter(self, self.address)

    def data_received(self, data: bytes) -> None:
        """Keep what came until the request is whole; then hand it on."""
        if self.closing:
            return
        now = self._doors.clock()
        if self._is_between() and not (self._inner is not None and self._inner.conn.trailing_data[0]):
            if not self._pending:
                self._since, self.received, self._length = now, 0, 0
            searched = max(0, len(self._pending) - 3)
            self._pending += data
            self._count(data, now)
            self._doors.keeps(len(data))
            if self.closing or not self._is_whole(searched):
                return
            data = self._let_go()
        else:
            self._count(data, now)
        if self._inner is None:
            self._inner = self._doors.protocol(self._transport)
        self._inner.data_received(data)
        gets_body = self._inner_gets_body()
        if gets_body != self._streams:
            self._streams = gets_body
            self._doors.streams(self, going_on=gets_body)

    def eof_received(self) -> None:
        """Hand it on."""
        if self._inner is not None:
            self._inner.eof_received()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self.closing = True
        self._server_state.connections.discard(self)
        self._doors.leave(self)
        if self._inner is not None:
            self._inner.connection_lost(exc)
        self._let_go()

    def pause_writing(self) -> None:
        """Hand it on."""
        if self._inner is not None:
            self._inner.pause_writing()
        self._since = self._doors.clock()

    def resume_writing(self) -> None:
        """Hand it on."""
        if self._inner is not None:
            self._inner.resume_writing()

    def shutdown(self) -> None:
        """Close it if nothing is under way; uvicorn's protocol, where there is one, is told by itself."""
        if self._inner is None:
            self._transport.close()

    def close(self, *, late: bool = False) -> None:
        """Close the connection; `late`: say so to whoever sent half of a request."""
        self.closing = True
        self._doors.leave(self)
        begun = self._let_go()
        if self.is_stuck:
            self._transport.abort()  # what is still to be written would keep it open
            return
        if begun and late and self._inner is None:
            self._transport.write(_LATE)
        self._transport.close()

    def is_late(self, now: float) -> bool:
        """Tell whether it has taken too long for what it does."""
        limits, inner = self._doors.limits, self._inner
        if self._is_between() and not self._pending:
            if self._was_answering:
                self._was_answering, self._since = False, now
            if inner is not None and now - self._since > 1.0 and not inner.flow.read_paused:
                self._rest(inner)
            return now - self._since > (limits.kept if self.received else limits.head)
        if self._pending or self._inner_gets_body():
            if inner is not None and inner.flow.read_paused:  # it is we who are slow
                self._heard = now
            took = now - self._since
            if not self._length and self._pending:
                return took > limits.head
            too_slow = took > limits.body and self.received < (took - limits.body) * limits.rate
            return now - self._heard > limits.pause or too_slow
        self._was_answering = True
        return self.is_stuck and now - self._since > limits.unread

    def _let_go(self) -> bytes:
        """Return the beginning that was kept, and keep it no longer."""
        data, self._pending = self._pending, b""
        if data:
            self._doors.keeps(-len(data))
        return data

    def _count(self, data: bytes, now: float) -> None:
        self.received += len(data)
        self._heard = now

    def _is_between(self) -> bool:
        """Tell whether no request, or none but what is in `_pending`, has come since the last answer."""
        inner = self._inner
        if inner is None:
            return True
        return inner.conn.their_state is h11.IDLE and (inner.cycle is None or inner.cycle.response_complete)

    def _inner_gets_body(self) -> bool:
        return self._inner is not None and self._inner.conn.their_state is h11.SEND_BODY

    def _is_whole(self, searched: int) -> bool:
        """Tell whether the request is there, or cannot be waited for; `searched`: bytes that hold no end of a head."""
        if not self._length:
            end = _BLANK_LINE.search(self._pending, searched)
            if end is None:
                return len(self._pending) > HEAD_BYTES
            head = self._pending[: end.end()]
            lengths = _LENGTH.findall(head)
            if len(lengths) != 1 or b"\nexpect:" in head.lower():  # none, or somebody waits to be told to go on
                return True
            self._length = end.end() + int(lengths[0])
        return len(self._pending) >= self._length or self._length > WHOLE_BYTES

    def _rest(self, inner: H11Protocol) -> None:
        """Let go of uvicorn's protocol until the next request: it is twice as large as all the rest."""
        if inner.timeout_keep_alive_task is not None:
            inner.timeout_keep_alive_task.cancel()
        self._server_state.connections.discard(inner)
        self._inner = None


def neighbourhood(host: str) -> str:
    """Return what counts as one caller: an address, or a network of IPv6 such as one house has (/64)."""
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return str(address.ipv4_mapped)
        return str(ipaddress.ip_network((address, 64), strict=False))
    return str(address)


def room_for_connections() -> int:
    """Let this process open as many files as it may, and return how many of them can be connections."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_CONNECTIONS + RESERVED_FILES
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    files = wanted if soft == resource.RLIM_INFINITY else soft
    return min(MOST_CONNECTIONS, max(files - RESERVED_FILES, files // 2))
