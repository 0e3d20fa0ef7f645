"""The loopback servers that tests talk to let go of everybody, whenever they are stopped."""

import asyncio
import gc
import socket
import warnings
from contextlib import suppress

import pytest
from aiohttp import web

from tests.servers.loopback import Loopback


@pytest.mark.parametrize("rounds", range(6))
async def test_who_is_being_let_in_while_the_server_stops_is_let_go(rounds):
    server = Loopback(web.Application(), shutdown_timeout=0.1)
    port = await server.start()
    with warnings.catch_warnings(record=True) as warned, socket.create_connection(("127.0.0.1", port)) as somebody:
        warnings.simplefilter("always")
        for _ in range(rounds):
            await asyncio.sleep(0)
        await server.stop()
        gc.collect()
        somebody.settimeout(60)
        with suppress(ConnectionResetError):
            assert somebody.recv(1) == b""
    assert not warned


async def test_who_has_ended_it_need_not_think_of_its_fixture():
    server = Loopback(web.Application())
    port = await server.start()
    for _ in range(2):
        await server.stop()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port))
