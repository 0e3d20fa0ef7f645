"""Lines that are one question in Slack: the whole application, from Slack's events to the one answer below them."""

import asyncio

import pytest

from agent.types import Overlap
from bot.app import open_engine
from bot.settings import Settings
from storage.contracts import Place
from tests.adapters.slack.test_slack_conduct import Room


@pytest.fixture
async def room(slack, make_adapter, serve, sampled):
    adapter = make_adapter()
    await adapter.connect()
    async with open_engine(Settings.load(data=sampled, burst_seconds=1.0)) as engine:
        await engine.modes.set_overlap(Place(platform="slack", workspace="T1"), Overlap.BURST)
        adapter.bind(engine.conversation)
        working = asyncio.create_task(engine.worker([adapter]).run())
        yield Room(slack, engine, await serve(adapter))
        working.cancel()
        await asyncio.gather(working, return_exceptions=True)


async def test_lines_at_the_top_of_a_channel_get_one_answer_that_follows_their_edits(room):
    slack, endpoint = room.slack, room.endpoint
    first = await slack.mention(endpoint, "quick question")
    second = await slack.message(endpoint, "how many days of annual leave do I get in my second year?")
    await slack.message(endpoint, "who wants pizza?", user="U2")
    await room.settled()
    assert any("22 days" in text or "days" in text for text in room.said(first.ts)) and not room.said(second.ts)
    before = len(room.said(first.ts))
    await slack.edit(endpoint, "C1", second.ts, "how many unused days of annual leave are carried over?")
    await room.settled()
    assert any("5 unused days" in text for text in room.said(first.ts)) and len(room.said(first.ts)) <= before + 1
    await slack.delete(endpoint, "C1", second.ts)
    await room.settled()
    assert not any("5 unused days" in text for text in room.said(first.ts))
