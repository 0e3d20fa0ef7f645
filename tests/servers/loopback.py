"""How the loopback servers listen and end: every connection that was let in is let go of again."""

import asyncio
import socket
from typing import Any

from aiohttp import web

ROUNDS_OF_AN_ACCEPT = 3
"""Turns of the loop from a connection's accept to the server's knowing of it (`asyncio.selector_events`)."""


class Loopback:
    """An aiohttp application on a port of 127.0.0.1; `options` are those of `web.AppRunner`."""

    def __init__(self, app: web.Application, **options: Any) -> None:
        self._runner = web.AppRunner(app, **options)
        self._socket: socket.socket | None = None

    async def start(self, port: int = 0) -> int:
        """Listen, on any free port unless one is given, and return the port."""
        await self._runner.setup()
        self._socket = socket.create_server(("127.0.0.1", port))
        await web.SockSite(self._runner, self._socket).start()
        chosen: int = self._socket.getsockname()[1]
        return chosen

    async def stop(self) -> None:
        """End, without waiting for what somebody who reads no more is still to be sent.

        The listening socket is taken from the loop first and closed when everybody who was just being let in is
        in: a server that closes between the two forgets the connection, which then stays open.
        """
        listening, self._socket = self._socket, None
        if listening is None:  # a test has ended it already
            return
        asyncio.get_running_loop().remove_reader(listening)
        for _ in range(ROUNDS_OF_AN_ACCEPT):
            await asyncio.sleep(0)
        server = self._runner.server
        transports = [each.transport for each in server.connections if each.transport] if server is not None else []
        await self._runner.cleanup()
        for transport in transports:
            transport.abort()
        await asyncio.sleep(0)
