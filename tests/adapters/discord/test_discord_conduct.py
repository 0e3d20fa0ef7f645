"""Weft among people in Discord: the whole application, from the gateway's events to what is shown there."""

import asyncio

import pytest

from agent.language import say
from agent.types import ChannelMode
from bot.app import open_engine
from bot.settings import Settings
from storage.contracts import Place
from tests.servers.discord import DiscordServer

ASKED = "how many days of annual leave do I get in my second year?"
TALK = (
    "Did you see the game last night?", "Thanks! <@{bob}> can you check this?", "hey <@{bob}> when do we meet?",
    "are you coming?", "🎉🎉", "lol same here", "y" * 1900, "어제 어디 다녀오셨어요?",
)  # fmt: skip


class Room:
    """A server with people and Weft in it."""

    def __init__(self, discord: DiscordServer, engine, adapter) -> None:
        self.discord, self.engine, self.adapter = discord, engine, adapter

    async def settled(self, id: str) -> None:
        """Return once a message was heard, or let go, and nothing is left to do."""
        await self.discord.until(lambda: self.adapter._client.handled_last == id)
        async with asyncio.timeout(60):
            while (counts := await self.engine.inbox.counts())["todo"] or counts["doing"]:
                await asyncio.sleep(0.01)

    async def says(self, text: str, place: str = "", who: str = "", **more) -> list[str]:
        """Let somebody say something; return what Weft asked of Discord that shows anything."""
        before = len(self.discord.requests)
        place = place or self.discord.general
        id = await self.discord.post(place, who or self.discord.alice, text.format(bob=self.discord.bob), **more)
        self.last = id
        await self.settled(id)
        return [f"{each.method} {each.path}" for each in self.discord.requests[before:] if each.method != "GET"]

    async def ask(self, text: str = ASKED, who: str = "") -> str:
        """Call Weft, and return the thread of the answer."""
        await self.says(f"<@{self.discord.bot}> {text}", who=who)
        return self.last

    def said(self, thread: str) -> list[str]:
        return [message["content"] for message in self.discord.from_bot(thread)]

    async def mode(self, mode: ChannelMode, channel: str = "") -> None:
        place = Place(platform="discord", workspace=self.discord.guild_id, channel=channel or self.discord.general)
        await self.engine.modes.set(place, mode)


@pytest.fixture
async def room(discord, make, sampled, monkeypatch):
    from adapters.discord.gateway import Gateway

    taken = Gateway.on_message

    async def on_message(self, message):
        await taken(self, message)
        self.handled_last = str(message.id)

    monkeypatch.setattr(Gateway, "on_message", on_message)
    monkeypatch.setattr(Gateway, "handled_last", "", raising=False)
    adapter = make()
    async with open_engine(Settings.load(data=sampled)) as engine:
        listening = asyncio.create_task(adapter.listen(engine.conversation))
        await discord.until(lambda: discord.gateway.open_sessions or listening.done())
        working = asyncio.create_task(engine.worker([adapter]).run())
        yield Room(discord, engine, adapter)
        for task in (working, listening):
            task.cancel()
        await asyncio.gather(working, listening, return_exceptions=True)


async def test_between_people_nothing_at_all_is_shown(room):
    thread = await room.ask()
    assert room.said(thread)
    for text in TALK:
        assert await room.says(text, thread, room.discord.bob) == [], text


async def test_a_follow_up_is_answered_without_a_mention_also_behind_talk(room):
    thread = await room.ask()
    assert await room.says("are you coming?", thread, room.discord.bob) == []
    assert await room.says("how many unused days of annual leave are carried over?", thread)
    assert any("5 unused days" in text for text in room.said(thread))


async def test_a_reply_to_a_person_is_for_them_and_one_to_weft_for_weft(room):
    thread = await room.ask()
    bobs = await room.discord.post(thread, room.discord.bob, "I took all of mine")
    assert await room.says("how many days of annual leave are carried over?", thread, reply_to=bobs) == []
    wefts = room.discord.from_bot(thread)[-1]["id"]
    asked = "how many days of sick leave are there?"
    assert await room.says(asked, thread, room.discord.bob, reply_to=wefts, ping=False)


async def test_where_every_question_is_heard_a_thread_is_made_only_for_what_is_answered(room):
    await room.mode(ChannelMode.ALL)
    assert await room.says("who wants pizza?") == []
    question = room.last
    assert await room.says("how many sick days are there in a year?")
    assert any("10 paid days" in text for text in room.said(room.last))
    assert question not in room.discord.channels and room.last in room.discord.channels


async def test_a_forum_post_is_answered_where_every_question_is_heard(room):
    question = "how many sick days are there in a year?"
    silent = await room.discord.forum_post(room.discord.alice, "Sick", question)
    await room.settled(silent)
    await room.mode(ChannelMode.ALL, room.discord.forum)
    post = await room.discord.forum_post(room.discord.alice, "Sick", question)
    await room.discord.until(lambda: room.said(post) and any("10 paid days" in text for text in room.said(post)))
    assert room.said(silent) == []


async def test_who_may_manage_the_channel_sets_its_mode_in_chat(room):
    assert room.said(await room.ask("mode off", room.discord.bob)) == [say("mode_refused", "en")]
    [told] = room.said(await room.ask("mode off", room.discord.alice))
    assert "“off”" in told
    assert room.said(await room.ask()) == []
    [told] = room.said(await room.ask("모드 스레드"))
    assert "“thread”" in told and room.said(await room.ask())


async def test_a_thread_whose_only_question_is_deleted_is_people_s_own_again(room):
    discord = room.discord
    thread = await room.ask()
    await discord.delete(discord.general, thread)
    await discord.until(lambda: not room.said(thread))
    asked = "how many unused days of annual leave are carried over?"
    assert await room.says(asked, thread, discord.bob) == []
    assert await room.says(f"<@{discord.bot}> {asked}", thread, discord.bob)
    assert any("5 unused days" in text for text in room.said(thread))


async def test_a_mention_that_says_nothing_gets_a_word(room):
    assert room.said(await room.ask("")) == [say("empty_question", "en")]
