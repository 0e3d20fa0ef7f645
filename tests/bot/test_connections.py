"""Connections of strangers, over real sockets; only the clock is ours."""

import asyncio
import logging
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse, StreamingResponse
from starlette.routing import Route

from bot.processes.connections import HEAD_BYTES, WHOLE_BYTES, Doors, Limits, neighbourhood, room_for_connections
from bot.processes.web import WebServer, create_web, listen_on

HEAD = b"POST /echo HTTP/1.1\r\nHost: 127.0.0.1\r\n"
LARGE = b"Content-Length: 1000000\r\n\r\n"
HEALTH = b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"


class Clock:
    """Stands still until it is put forward."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


class Served:
    """A server whose time stands still until `pass_` is called."""

    def __init__(self, limits: Limits) -> None:
        self.clock = Clock()
        self.doors = Doors(limits, clock=self.clock)
        self.socket = listen_on("127.0.0.1", 0)
        self.asked = asyncio.Event()
        self.writers: list[asyncio.StreamWriter] = []
        self.endless = asyncio.Event()

        async def echo(request: Request) -> PlainTextResponse:
            self.asked.set()
            return PlainTextResponse(str(len(await request.body())))

        async def stream(request: Request) -> StreamingResponse:
            async def lines() -> AsyncIterator[bytes]:
                yield b"begun\n"
                await self.endless.wait()
                yield b"done\n"

            return StreamingResponse(lines())

        async def flood(request: Request) -> StreamingResponse:
            async def lines() -> AsyncIterator[bytes]:
                while True:
                    yield b"x" * 1_000_000
                    await asyncio.sleep(0)

            return StreamingResponse(lines())

        routes = [Route("/echo", echo, methods=["POST"]), Route("/stream", stream), Route("/flood", flood)]
        self.server = WebServer(create_web(routes=[], open_routes=routes), doors=self.doors)

    async def call(self, sent: bytes = b"", source: str = "127.0.0.1"):
        port = self.socket.getsockname()[1]
        reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(source, 0))
        self.writers.append(writer)
        writer.write(sent)
        return reader, writer

    async def until(self, holds) -> None:
        while not holds():
            await asyncio.sleep(0.01)

    async def held(self, count: int) -> None:
        await self.until(lambda: len(self.doors) == count)

    async def kept(self, count: int) -> None:
        """Wait until so many bytes have come of requests that are not whole."""
        await self.until(lambda: sum(door.kept for door in self.doors.all) == count)

    def pass_(self, seconds: float) -> None:
        self.clock.now += seconds
        self.doors.sweep()


@asynccontextmanager
async def served(**limits) -> AsyncIterator[Served]:
    it = Served(replace(Limits(), **limits))
    running = asyncio.create_task(it.server.serve(sockets=[it.socket]))
    await it.server.ready.wait()
    try:
        yield it
    finally:
        it.endless.set()
        for writer in it.writers:
            writer.close()
        it.server.should_exit = True
        await running
        await asyncio.gather(*(writer.wait_closed() for writer in it.writers), return_exceptions=True)


async def answer(reader: asyncio.StreamReader) -> bytes:
    head = await reader.readuntil(b"\r\n\r\n")
    length = next(
        int(line.split(b":")[1]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length")
    )
    return head + await reader.readexactly(length)


async def test_who_says_nothing_is_let_go_and_not_before():
    async with served() as it:
        reader, _ = await it.call()
        await it.held(1)
        it.pass_(14.0)
        assert len(it.doors) == 1
        it.pass_(2.0)
        assert await reader.read() == b""
        assert it.doors.slow == 0  # a browser opens connections that it does not use


async def test_a_head_that_drips_ends_with_a_word():
    async with served() as it:
        reader, writer = await it.call(HEAD[:20])
        await it.kept(20)
        for at in range(20, 26):
            it.pass_(2.0)
            writer.write(HEAD[at : at + 1])
            await it.kept(at + 1)
        it.pass_(4.0)
        assert (await reader.read()).startswith(b"HTTP/1.1 408 ")
        assert it.doors.slow == 1


async def test_half_of_a_signed_event_reaches_nothing_and_ends():
    async with served() as it:
        begun = HEAD + b"Content-Length: 10\r\n\r\nhalf"
        reader, _ = await it.call(begun)
        await it.kept(len(begun))
        it.pass_(16.0)
        assert (await reader.read()).startswith(b"HTTP/1.1 408 ")
        assert not it.asked.is_set()


async def test_a_request_in_pieces_is_answered_and_so_is_the_next_on_the_same_connection():
    async with served() as it:
        reader, writer = await it.call()
        for _ in range(2):
            whole = HEAD + b"Content-Length: 4\r\n\r\nword"
            for at in range(len(whole)):
                writer.write(whole[at : at + 1])
                await it.kept(at + 1 if at + 1 < len(whole) else 0)
            assert (await answer(reader)).endswith(b"\r\n\r\n4")
            it.pass_(60.0)  # shorter than what proxies keep a connection
            assert len(it.doors) == 1
        it.pass_(80.0)
        assert await reader.read() == b""


async def test_requests_that_come_together_are_answered_one_after_the_other():
    async with served() as it:
        reader, writer = await it.call(HEALTH * 3 + HEALTH[:10])
        for _ in range(3):
            assert (await answer(reader)).startswith(b"HTTP/1.1 200 ")
        writer.write(HEALTH[10:])
        assert (await answer(reader)).startswith(b"HTTP/1.1 200 ")


@pytest.mark.parametrize("head", [b"Transfer-Encoding: chunked\r\n\r\n", LARGE])
async def test_a_body_in_pieces_that_stops_ends_without_a_line_in_the_log(head: bytes, caplog):
    async with served() as it:
        reader, _ = await it.call(HEAD + head + b"4\r\nhalf")
        await it.asked.wait()
        it.pass_(10.0)
        assert len(it.doors) == 1
        it.pass_(10.0)
        assert not (await reader.read()).startswith(b"HTTP/1.1 200")
        await it.until(lambda: not it.server.server_state.tasks)
        assert not caplog.records


async def test_a_large_body_that_comes_with_its_rate_may_take_long_and_one_that_drips_may_not():
    async with served() as it:
        reader, writer = await it.call(HEAD + LARGE)
        await it.asked.wait()
        for _ in range(10):
            received = next(iter(it.doors.all)).received
            writer.write(b"x" * 99_000)
            await it.until(lambda received=received: next(iter(it.doors.all)).received >= received + 99_000)
            it.pass_(14.0)
        writer.write(b"x" * 10_000)
        assert (await answer(reader)).endswith(b"1000000")
        it.asked.clear()
        writer.write(HEAD + LARGE)
        await it.asked.wait()
        for _ in range(4):
            received = next(iter(it.doors.all)).received
            writer.write(b"x")
            await it.until(lambda received=received: next(iter(it.doors.all)).received > received)
            it.pass_(10.0)
        assert await reader.read() == b""


async def test_who_waits_to_be_told_to_go_on_is_told():
    async with served() as it:
        reader, writer = await it.call(HEAD + b"Content-Length: 4\r\nExpect: 100-continue\r\n\r\n")
        assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 100 ")
        writer.write(b"word")
        assert (await answer(reader)).endswith(b"4")


@pytest.mark.parametrize(
    "sent",
    [b"\x16\x03\x01\x02\x00\r\n\r\n", b"GET / HTTP/9.9\n\n", HEAD + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\n",
     HEAD + b"Content-Length: -1\r\n\r\n", b"GET / HTTP/1.1\r\nX: " + b"x" * HEAD_BYTES],
)  # fmt: skip
async def test_what_is_no_request_is_answered_at_once(sent: bytes):
    async with served() as it:
        reader, _ = await it.call(sent)
        assert (await reader.readline()).startswith(b"HTTP/1.1 4")


async def test_the_oldest_of_an_address_makes_room_and_others_are_not_touched():
    async with served(per_address=3) as it:
        other, _ = await it.call(HEAD[:5], source="127.0.0.2")
        first, _ = await it.call(HEAD[:5])
        await it.kept(10)
        rest = [await it.call(HEAD[:5]) for _ in range(3)]
        assert await first.read() == b""
        await it.held(4)
        assert it.doors.crowded == 1
        for reader, _ in [*rest, (other, None)]:
            assert not reader.at_eof()
        reader, _ = await it.call(HEALTH)
        assert (await answer(reader)).startswith(b"HTTP/1.1 200 ")


async def test_who_is_being_answered_does_not_count_and_is_not_closed():
    async with served(per_address=2, total=5) as it:
        streams = [(await it.call(b"GET /stream HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"))[0] for _ in range(5)]
        for reader in streams:
            await reader.readuntil(b"begun\n")
        refused, _ = await it.call(HEALTH)  # all are busy: nobody can make room
        assert await refused.read() == b""
        it.pass_(500.0)
        it.endless.set()
        for reader in streams:
            await reader.readuntil(b"done\n")


async def test_bodies_in_pieces_and_beginnings_are_bounded_in_all():
    async with served(bodies=2, bytes=100_000) as it:
        readers = [(await it.call(HEAD + LARGE, source=f"127.0.0.{2 + n}"))[0] for n in range(2)]
        await it.until(lambda: len(it.doors) == 2 and it.asked.is_set())
        await it.call(HEAD + LARGE, source="127.0.0.9")
        await readers[0].read()
        await it.held(2)
        part = HEAD + b"Content-Length: %d\r\n\r\n" % (WHOLE_BYTES - 1_000) + b"x" * 50_000
        first, _ = await it.call(part, source="127.0.0.10")
        await it.kept(len(part))
        await it.call(part, source="127.0.0.11")
        assert await first.read() == b""
        await it.kept(len(part))


async def test_an_answer_that_nobody_takes_ends():
    async with served() as it:
        plain = socket.create_connection(it.socket.getsockname())
        plain.sendall(b"GET /flood HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        try:
            await it.until(lambda: any(door.is_stuck for door in it.doors.all))
            it.pass_(29.0)
            assert len(it.doors) == 1
            it.pass_(2.0)
            await it.held(0)
            await it.until(lambda: not it.server.server_state.tasks)
        finally:
            plain.close()


async def test_what_was_closed_is_told_once_a_minute_without_addresses(caplog):
    async with served() as it:
        for number in range(5):
            await it.call(HEAD[:5], source=f"127.0.0.{2 + number}")
        await it.kept(25)
        with caplog.at_level(logging.WARNING):
            it.pass_(20.0)
            it.pass_(60.0)
            it.pass_(120.0)
    [line] = caplog.records
    assert "5 connections were closed for being too slow" in line.getMessage()
    assert "127.0.0" not in line.getMessage()


@pytest.mark.parametrize(
    ("host", "caller"),
    [
        ("203.0.113.9", "203.0.113.9"),
        ("::ffff:203.0.113.9", "203.0.113.9"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("unix", "unix"),
    ],
)
def test_one_caller_is_an_address_or_the_network_of_a_house(host: str, caller: str):
    assert neighbourhood(host) == caller


def test_there_is_room_for_connections_beside_other_files():
    assert 0 < room_for_connections() <= 16_384
