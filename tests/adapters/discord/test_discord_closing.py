"""A client that is closed."""

import discord

from adapters.discord.gateway import Gateway


async def test_what_comes_when_all_is_let_go_of_is_told_to_nobody():
    client = Gateway(intents=discord.Intents.none(), identify_pause=0.0)
    async with client:
        await client.close()
        client.dispatch("ready")
        client.dispatch("connect")
