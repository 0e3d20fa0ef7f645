"""What only an asker may read, on Discord: shown to them alone, and shared by a press on a button."""

import asyncio
import json
import re

import pytest

from agent.language import say
from bot.app import open_engine
from bot.settings import Settings
from storage.access import SqlAccess
from storage.ingest.run import ingest
from tests.servers.discord import EPHEMERAL

ASKED, SECRET = "What opens the Zurich vault?", "77-31"


class Room:
    """A channel in which only Alice may read the collection `vaults`."""

    def __init__(self, discord, engine) -> None:
        self.discord, self.engine = discord, engine

    async def settled(self, done: int) -> None:
        async with asyncio.timeout(60):
            while (counts := await self.engine.inbox.counts())["done"] < done or counts["doing"]:
                await asyncio.sleep(0.01)

    async def ask(self, author: str, channel: str = "") -> str:
        before = (await self.engine.inbox.counts())["done"]
        channel = channel or self.discord.general
        id = await self.discord.post(channel, author, f"<@{self.discord.bot}> {ASKED}")
        await self.settled(before + 1)
        return id

    async def press(self, shown: dict, author: str, *, new: bool = True) -> dict:
        before = (await self.engine.inbox.counts())["done"]
        pressed = await self.discord.click(shown, 0, author)
        await self.discord.until(lambda: pressed["state"] == "done")
        await self.settled(before + new)
        return pressed

    async def direct(self) -> list[dict]:
        return self.discord.from_bot(await self.discord.dm(self.discord.alice))

    def seen_by_all(self) -> str:
        """Return what stands in the channels of the server for everybody there."""
        said = [
            m for c, about in self.discord.channels.items() if "guild_id" in about for m in self.discord.from_bot(c)
        ]
        return json.dumps([each for each in said if not each["flags"] & EPHEMERAL], ensure_ascii=False)


@pytest.fixture
async def room(discord, make, tmp_path, owned):
    adapter = make(list_after=3600.0)
    (tmp_path / "vault.md").write_text(f"# Zurich vault\n\nThe Zurich vault opens with the door code {SECRET}.")
    async with open_engine(Settings.load(data=owned)) as engine:
        await SqlAccess(engine.database).create("vaults", {f"user:discord:{discord.guild_id}:{discord.alice}"})
        await ingest([tmp_path / "vault.md"], library=engine.library, collection="vaults")
        listening = asyncio.create_task(adapter.listen(engine.conversation))
        await discord.until(lambda: discord.gateway.open_sessions or listening.done())
        working = asyncio.create_task(engine.worker([adapter]).run())
        yield Room(discord, engine)
        for task in (working, listening):
            task.cancel()
        await asyncio.gather(working, listening, return_exceptions=True)


async def test_after_a_mention_the_asker_gets_it_directly_with_a_link(discord, room):
    id = await room.ask(discord.alice)
    [told] = discord.from_bot(id)
    assert told["content"] == say("answered_alone", "en") and SECRET not in room.seen_by_all()
    [shown] = await room.direct()
    assert SECRET in shown["content"] and say("more_alone", "en", count=1) in shown["content"]
    assert f"/channels/{discord.guild_id}/{discord.general}/{id}" in shown["content"]
    [button] = shown["components"][0]["components"]
    assert button["label"] == say("share_here", "en") and len(button["custom_id"]) <= 100


async def test_after_a_command_it_is_shown_beside_the_answer_to_its_asker_alone(discord, room):
    interaction = await discord.slash(discord.general, discord.alice, ASKED)
    await room.settled(1)
    [shown] = interaction["followups"]
    assert SECRET in shown["content"] and shown["flags"] & EPHEMERAL and shown["components"]
    assert SECRET not in room.seen_by_all() and not await room.direct()
    await room.press(shown, discord.alice)
    thread = interaction["message_id"]
    assert SECRET in json.dumps(discord.from_bot(thread))


async def test_when_the_commands_token_is_too_old_it_comes_directly(discord, room):
    discord.fault("POST", ".*/webhooks/.*", status=401, code=50027, times=9)
    await discord.slash(discord.general, discord.alice, ASKED)
    await room.settled(1)
    assert SECRET in json.dumps(await room.direct()) and SECRET not in room.seen_by_all()


async def test_a_press_in_direct_messages_posts_it_to_the_thread_once(discord, room):
    id = await room.ask(discord.alice)
    [shown] = await room.direct()
    before = dict(shown)
    await room.press(before, discord.alice)
    posted = discord.from_bot(id)
    assert SECRET in posted[-1]["content"] and say("shared_by", "en", name="alice") in posted[-1]["content"]
    [left] = await room.direct()
    assert not left["components"] and say("share_here", "en") in left["content"]
    again = await room.press(before, discord.alice, new=False)
    assert again["data"]["content"] == say("share_again", "en") and len(discord.from_bot(id)) == len(posted)


async def test_where_no_thread_can_be_made_it_is_shared_in_the_channel(discord, room):
    await room.ask(discord.alice, discord.voice)
    [shown] = await room.direct()
    await room.press(shown, discord.alice)
    assert SECRET in json.dumps(discord.from_bot(discord.voice))


async def test_what_the_asker_may_no_longer_read_is_not_shared(discord, room):
    await room.ask(discord.alice)
    [shown] = await room.direct()
    await SqlAccess(room.engine.database).change_readers("vaults", lambda _: frozenset())
    pressed = await room.press(dict(shown), discord.alice)
    assert [each["content"] for each in pressed["followups"]] == [say("share_closed", "en")]
    assert SECRET not in room.seen_by_all()


async def test_somebody_elses_press_shares_nothing(discord, room):
    await room.ask(discord.alice)
    [shown] = await room.direct()
    pressed = await room.press(dict(shown), discord.bob)
    assert [each["content"] for each in pressed["followups"]] == [say("share_not_yours", "en")]
    assert SECRET not in room.seen_by_all()


async def test_who_takes_no_direct_messages_is_not_said_to_have_been_answered(discord, room):
    discord.fault("POST", re.escape("/api/v10/users/@me/channels"), status=403, code=50007, times=9)
    discord.fault("POST", ".*/users/@me/channels", status=403, code=50007, times=9)
    id = await room.ask(discord.alice)
    assert say("answered_alone", "en") not in room.seen_by_all() and discord.from_bot(id)
    assert SECRET not in room.seen_by_all()
