"""Lines that are one question in Discord: the whole application, from the gateway to the one answer in one thread."""

import asyncio

from agent.types import Overlap
from storage.contracts import Place
from tests.adapters.discord.test_discord_conduct import room

__all__ = ["room"]


async def test_lines_in_a_channel_are_answered_in_one_thread_that_follows_their_edits(room):
    discord = room.discord
    room.engine.conversation._burst_seconds = 1.0
    place = Place(platform="discord", workspace=discord.guild_id, channel=discord.general)
    await room.engine.modes.set_overlap(place, Overlap.BURST)
    first = await discord.post(discord.general, discord.alice, f"<@{discord.bot}> quick question")
    asked = "how many days of annual leave do I get in my second year?"
    second = await discord.post(discord.general, discord.alice, asked)
    talk = await discord.post(discord.general, discord.bob, "who wants pizza?")
    await room.settled(talk)
    assert room.said(first) and first in discord.channels
    assert second not in discord.channels and talk not in discord.channels
    await discord.edit(discord.general, second, "how many unused days of annual leave are carried over?")
    async with asyncio.timeout(60):
        while not any("5 unused days" in text for text in room.said(first)):
            await asyncio.sleep(0.01)
