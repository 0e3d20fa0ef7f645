"""Answers in Discord for their asker alone: the whole application, from the command to what is shown to whom."""

import asyncio
import json

import pytest

from bot.app import open_engine
from bot.settings import Settings
from storage.access import SqlAccess
from storage.ingest.run import ingest
from tests.servers.discord import EPHEMERAL

ASKED, SECRET = "how high is the salary of grade seven?", "61,400"


@pytest.fixture
async def engine(discord, make, tmp_path, sampled):
    (tmp_path / "pay").mkdir()
    (tmp_path / "pay" / "pay.md").write_text(f"# Pay\n\nThe salary of grade seven is {SECRET} euros a year.")
    adapter = make()
    async with open_engine(Settings.load(data=sampled)) as engine:
        reader = f"user:discord:{discord.guild_id}:{discord.alice}"
        await SqlAccess(engine.database).create("pay", {reader})
        await ingest([tmp_path / "pay"], library=engine.library, collection="pay")
        listening = asyncio.create_task(adapter.listen(engine.conversation))
        await discord.until(lambda: discord.gateway.open_sessions or listening.done())
        working = asyncio.create_task(engine.worker([adapter]).run())
        yield engine
        for task in (working, listening):
            task.cancel()
        await asyncio.gather(working, listening, return_exceptions=True)


async def settled(engine, answers: int) -> None:
    async with asyncio.timeout(60):
        while (await engine.inbox.counts())["done"] < answers:
            await asyncio.sleep(0.01)


async def test_the_asker_alone_sees_what_only_they_may_read(discord, engine):
    discord.callback_seconds = 0.1
    interaction = await discord.slash(discord.general, discord.alice, ASKED, private=True)
    await settled(engine, 1)
    [told] = discord.from_bot(discord.general)
    assert told["id"] == interaction["message_id"] and told["flags"] == EPHEMERAL
    assert SECRET in told["content"] and f"> {ASKED}" in told["content"]
    assert not [each for each in discord.requests if each.path.endswith("/threads")]


async def test_another_asker_is_not_told_it(discord, engine):
    await discord.slash(discord.general, discord.bob, ASKED, private=True)
    await settled(engine, 1)
    [told] = discord.from_bot(discord.general)
    assert told["flags"] == EPHEMERAL and SECRET not in told["content"]


@pytest.mark.parametrize("private", [None, False])
async def test_without_the_option_everybody_sees_the_answer(discord, engine, private):
    interaction = await discord.slash(discord.general, discord.alice, ASKED, private=private)
    await settled(engine, 1)
    told = discord.from_bot(discord.general) + discord.from_bot(interaction["message_id"])
    seen = [each for each in told if not each["flags"] & EPHEMERAL]
    assert len(seen) > 1 and SECRET not in json.dumps(seen)


async def test_when_the_response_is_too_late_it_is_told_directly(discord, engine):
    discord.fault("PATCH", ".*/messages/@original", status=401, code=50027, times=9)
    await discord.slash(discord.general, discord.alice, ASKED, private=True)
    await settled(engine, 1)
    assert SECRET in json.dumps(discord.from_bot(await discord.dm(discord.alice)))
    assert SECRET not in json.dumps(discord.from_bot(discord.general))
