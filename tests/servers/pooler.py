"""A proxy that shares few connections to PostgreSQL among many, each for one transaction, as PgBouncer can.

It speaks the protocol as far as that takes (postgresql.org/docs/16/protocol-message-formats.html), without a password.
"""

import asyncio
import struct
from typing import Self

_WITHOUT = (80877103, 80877104)
"""Requests for encryption, which are declined."""


class TransactionPooler:
    """Listens on a port of its own; `connections` to the server serve everybody, in turn."""

    def __init__(self, port: int, database: str, user: str, *, connections: int = 2) -> None:
        self._target = (port, database, user)
        self._size = connections
        self._idle: asyncio.Queue[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = asyncio.Queue()
        self._hello = b""
        self._writers: list[asyncio.StreamWriter] = []
        self.port = 0
        self.transactions = 0

    async def __aenter__(self) -> Self:
        for _ in range(self._size):
            self._idle.put_nowait(await self._connect())
        self._server = await asyncio.start_server(self._client, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *exc: object) -> None:
        self._server.close()
        for writer in self._writers:
            writer.close()

    async def _connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        port, database, user = self._target
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        self._writers.append(writer)
        body = struct.pack("!I", 196608) + f"user\0{user}\0database\0{database}\0\0".encode()
        writer.write(struct.pack("!I", len(body) + 4) + body)
        hello = b""
        while True:
            kind, whole = await _message(reader)
            assert kind != b"E", whole
            hello += whole
            if kind == b"Z":
                self._hello = hello
                return reader, writer

    async def _client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.append(writer)
        while True:
            (length,) = struct.unpack("!I", await reader.readexactly(4))
            body = await reader.readexactly(length - 4)
            if struct.unpack("!I", body[:4])[0] not in _WITHOUT:
                break
            writer.write(b"N")
        writer.write(self._hello)
        server: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        relay: asyncio.Task[None] | None = None
        asked = 0

        async def answers(source: tuple[asyncio.StreamReader, asyncio.StreamWriter]) -> None:
            nonlocal server, asked
            while True:
                kind, whole = await _message(source[0])
                writer.write(whole)
                if kind == b"Z":
                    asked -= 1
                    if not asked and whole[-1:] == b"I":  # the transaction is over: somebody else's turn
                        self.transactions += 1
                        server = None
                        self._idle.put_nowait(source)
                        return

        try:
            while True:
                kind, whole = await _message(reader)
                if kind == b"X":
                    return
                if server is None:
                    server = await self._idle.get()
                    relay = asyncio.create_task(answers(server))
                asked += kind in (b"Q", b"S")
                server[1].write(whole)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            if relay is not None and server is not None:  # left within a transaction
                relay.cancel()
                self._idle.put_nowait(await self._connect())
            writer.close()


async def _message(reader: asyncio.StreamReader) -> tuple[bytes, bytes]:
    head = await reader.readexactly(5)
    return head[:1], head + await reader.readexactly(struct.unpack("!I", head[1:])[0] - 4)
