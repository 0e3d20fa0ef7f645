"""Weft among people in Slack: the whole application, from Slack's events to what is shown there."""

import asyncio
from pathlib import Path

import pytest

from agent.language import say
from agent.types import ChannelMode
from bot.app import open_engine
from bot.settings import Settings
from storage.contracts import Place
from storage.ingest.run import ingest
from tests.servers.slack import SlackServer

GUIDES = Path(__file__).parents[2] / "dialogues" / "guides"
SHOWING = ("chat.", "reactions.", "assistant.", "agents.", "files.")
ASKED = "how many days of annual leave do I get in my second year?"
TALK = (
    "Did you see the game last night?", "Thanks! <@U2> can you check this?", "hey <@U2> when do we meet?",
    "are you coming?", "🎉🎉", "lol same here", "x" * 9000, "어제 어디 다녀오셨어요?",
)  # fmt: skip


class Room:
    """A channel with people and Weft in it."""

    def __init__(self, slack: SlackServer, engine, endpoint: str) -> None:
        self.slack, self.engine, self.endpoint = slack, engine, endpoint

    async def settled(self) -> None:
        async with asyncio.timeout(60):
            while (counts := await self.engine.inbox.counts())["todo"] or counts["doing"]:
                await asyncio.sleep(0.01)

    async def ask(self, text: str = ASKED, **more) -> str:
        """Ask, and return the time stamp of the question."""
        sent = await self.slack.mention(self.endpoint, text, **more)
        await self.settled()
        return sent.ts

    async def hears(self, text: str, thread: str | None = None, **more) -> list[str]:
        """Let somebody say something; return the methods by which Weft showed anything."""
        before = len(self.slack.calls)
        await self.slack.message(self.endpoint, text, thread_ts=thread, **more)
        await self.settled()
        return [call.method for call in self.slack.calls[before:] if call.method.startswith(SHOWING)]

    def said(self, thread: str) -> list[str]:
        return [message["text"] for message in self.slack.bot_messages("C1", thread)]

    async def mode(self, mode: ChannelMode) -> None:
        await self.engine.modes.set(Place(platform="slack", workspace="T1", channel="C1"), mode)


@pytest.fixture
async def room(slack, make_adapter, serve, sampled):
    adapter = make_adapter()
    await adapter.connect()
    async with open_engine(Settings.load(data=sampled)) as engine:
        adapter.bind(engine.conversation)
        working = asyncio.create_task(engine.worker([adapter]).run())
        yield Room(slack, engine, await serve(adapter))
        working.cancel()
        await asyncio.gather(working, return_exceptions=True)


async def test_between_people_nothing_at_all_is_shown(room):
    thread = await room.ask()
    assert room.said(thread)
    for text in TALK:
        assert await room.hears(text, thread, user="U2") == [], text
    assert await room.hears("", thread, subtype="file_share", files=[]) == []


async def test_a_follow_up_is_answered_without_a_mention_also_behind_talk(room):
    thread = await room.ask()
    assert await room.hears("are you coming?", thread, user="U2") == []
    assert "chat.postMessage" in await room.hears("how many unused days of annual leave are carried over?", thread)
    assert any("5 unused days" in text for text in room.said(thread))


async def test_a_thread_whose_only_question_is_deleted_is_people_s_own_again(room):
    thread = await room.ask()
    await room.slack.delete(room.endpoint, "C1", thread, tombstone=True)
    await room.settled()
    asked = "how many unused days of annual leave are carried over?"
    assert room.said(thread) == [] and await room.hears(asked, thread, user="U2") == []
    await room.ask(asked, thread_ts=thread)
    assert any("5 unused days" in text for text in room.said(thread))


async def test_a_line_that_calls_weft_and_a_person_is_for_weft(room):
    thread = await room.ask()
    before = len(room.said(thread))
    await room.slack.mention(room.endpoint, "<@U2> how long is probation?", thread_ts=thread)
    await room.settled()
    assert len(room.said(thread)) > before


async def test_a_mention_that_says_nothing_gets_a_word(room):
    assert room.said(await room.ask("")) == [say("empty_question", "en")]


async def test_of_peoples_talk_no_word_is_kept(room, tmp_path):
    thread = await room.ask()
    await room.hears("the launch codes are hidden under my keyboard", thread, user="U2")
    files = [path for path in (tmp_path / "data").rglob("*.db*") if path.is_file()]
    rows = await room.engine.inbox._database.read(lambda c: c.execute("SELECT payload FROM inbox").fetchall())
    assert files and "launch codes" not in str(rows)


async def test_mentions_only_leaves_every_other_question_alone_but_hears_the_answer_to_its_own(room):
    await ingest([GUIDES], library=room.engine.library, collection="guides")
    await room.mode(ChannelMode.MENTIONS)
    thread = await room.ask("How long is the warranty?")
    assert await room.hears("how long is the warranty of the Lantern?", thread, user="U2") == []
    assert "chat.postMessage" in await room.hears("2", thread)
    assert len(room.said(thread)) > 1


async def test_where_every_question_is_heard_a_top_level_one_is_answered_in_its_thread(room):
    question = "how many sick days are there in a year?"
    assert await room.hears(question) == []
    await room.mode(ChannelMode.ALL)
    assert await room.hears("good morning everybody") == []
    assert await room.hears("who wants pizza?") == []
    assert "chat.postMessage" in await room.hears(question)
    [asked] = [m for m in room.slack.messages("C1") if m["text"] == question][1:]
    assert any("10 paid days" in text for text in room.said(asked["ts"]))


async def test_off_is_silent_even_when_called_until_it_is_switched_on(room):
    room.slack.admins.add("U1")
    await room.mode(ChannelMode.OFF)
    assert room.said(await room.ask()) == []
    [told] = room.said(await room.ask("mode thread"))
    assert "“thread”" in told
    assert room.said(await room.ask())


async def test_who_may_manage_the_channel_sets_its_mode_in_chat(room):
    refused = await room.ask("mode mentions")
    assert room.said(refused) == [say("mode_refused", "en")]
    room.slack.creators["C1"] = "U1"
    [told] = room.said(await room.ask("모드 멘션"))
    assert "“mentions”" in told
    assert await room.engine.modes.all() == [
        (Place(platform="slack", workspace="T1", channel="C1"), ChannelMode.MENTIONS)
    ]


async def test_without_the_scope_only_admins_may(room):
    room.slack.creators["C1"] = "U1"
    room.slack.fail("conversations.info", status=200, error="missing_scope", times=9)
    assert room.said(await room.ask("mode off")) == [say("mode_refused", "en")]
