"""A client that is closed."""

import asyncio
import gc

import discord
import pytest
from aiohttp.connector import Connection

from adapters.discord.gateway import Gateway


async def test_what_comes_when_all_is_let_go_of_is_told_to_nobody():
    client = Gateway(intents=discord.Intents.none(), identify_pause=0.0)
    async with client:
        await client.close()
        client.dispatch("ready")
        client.dispatch("connect")


@pytest.mark.parametrize("shards", [{}, {"shards": "2"}])
async def test_a_connection_that_is_broken_off_before_its_session_begins_is_closed(discord, make, intake, shards):
    discord.gateway.greets.clear()
    adapter = make(**shards)
    task = asyncio.create_task(adapter.listen(intake))
    await discord.until(lambda: discord.gateway.ungreeted)
    await discord.until(lambda: adapter._client._sockets)
    begun = [found for found in gc.get_objects() if isinstance(found, Connection) and found.protocol is not None]
    assert begun
    task.cancel()
    await asyncio.wait([task])
    await adapter.close()
    discord.gateway.greets.set()
    assert [found for found in begun if found.protocol is not None] == []
