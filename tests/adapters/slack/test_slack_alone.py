"""Answers in Slack for their asker alone: the whole application, from the command to what is shown to whom."""

import asyncio
import json

import pytest

from agent.language import say
from agent.types import ChannelMode
from bot.app import open_engine
from bot.settings import Settings
from storage.access import SqlAccess
from storage.contracts import Place
from storage.ingest.run import ingest

ASKED, SECRET = "how high is the salary of grade seven?", "61,400"


class Room:
    """A channel, and a collection that only U1 may read."""

    def __init__(self, slack, engine, endpoint: str) -> None:
        self.slack, self.engine, self.endpoint = slack, engine, endpoint

    async def ask(self, text: str, *, user: str = "U1", channel: str = "C1", **form) -> list[dict]:
        """Give the command; return what its asker alone was shown as a response."""
        before = len(self.slack.responses)
        sent = await self.slack.command(self.endpoint, text, user=user, channel=channel, **form)
        self.acknowledged = sent.answers[0].body
        async with asyncio.timeout(60):
            while (counts := await self.engine.inbox.counts())["todo"] or counts["doing"]:
                await asyncio.sleep(0.01)
        return self.slack.responses[before:]

    def seen_by_all(self) -> str:
        return json.dumps([m for channel in ("C1", "C2") for m in self.slack.bot_messages(channel)])


@pytest.fixture
async def room(slack, make_adapter, serve, tmp_path, sampled):
    slack.channels |= {"C1": True}
    (tmp_path / "pay").mkdir()
    (tmp_path / "pay" / "pay.md").write_text(f"# Pay\n\nThe salary of grade seven is {SECRET} euros a year.")
    adapter = make_adapter()
    await adapter.connect()
    async with open_engine(Settings.load(data=sampled)) as engine:
        await SqlAccess(engine.database).create("pay", {"user:slack:T1:U1"})
        await ingest([tmp_path / "pay"], library=engine.library, collection="pay")
        adapter.bind(engine.conversation)
        working = asyncio.create_task(engine.worker([adapter]).run())
        yield Room(slack, engine, await serve(adapter))
        working.cancel()
        await asyncio.gather(working, return_exceptions=True)


@pytest.mark.parametrize("how", ["private", "--private", "Private:", "비공개"])
async def test_the_asker_alone_sees_what_only_they_may_read(room, how):
    [told] = await room.ask(f"{how} {ASKED}")
    assert told["response_type"] == "ephemeral" and SECRET in json.dumps(told) and f"> {ASKED}" in json.dumps(told)
    assert not room.slack.bot_messages("C1") and not room.slack.statuses


async def test_another_asker_is_not_told_it(room):
    [told] = await room.ask(f"private {ASKED}", user="U2")
    assert SECRET not in json.dumps(told) and not room.slack.bot_messages("C1")


async def test_without_that_word_everybody_sees_the_answer_and_nothing_that_only_the_asker_may_read(room):
    assert await room.ask(ASKED) == []
    assert room.slack.bot_messages("C1") and SECRET not in room.seen_by_all()


async def test_in_a_channel_with_people_from_outside_the_asker_is_alone_all_the_same(room):
    room.slack.shared_outside.add("C1")
    access = SqlAccess(room.engine.database)
    await access.change_readers("pay", lambda _: frozenset({"workspace:slack:T1"}))
    [told] = await room.ask(f"private {ASKED}")
    assert SECRET in json.dumps(told) and not room.slack.bot_messages("C1")
    room.slack.users["U9"], room.slack.teams["U9"] = "Eve", "T9"
    [told] = await room.ask(f"private {ASKED}", user="U9")
    assert SECRET not in json.dumps(told)


@pytest.mark.parametrize("closed", [False, True])
async def test_without_the_response_address_it_is_told_in_the_channel_to_one_or_else_directly(room, closed):
    room.slack.channels["C1"] = not closed
    assert await room.ask(f"private {ASKED}", response_url="") == []
    shown = room.slack.bot_messages("D9U1") if closed else room.slack.ephemerals
    assert SECRET in json.dumps(shown) and SECRET not in room.seen_by_all()
    assert closed or room.slack.ephemerals[0]["user"] == "U1"


async def test_in_a_direct_message_it_is_a_command_like_any_other(room):
    room.slack.channels |= {"D1": True}
    assert await room.ask(f"private {ASKED}", channel="D1") == []
    assert SECRET in json.dumps(room.slack.bot_messages("D1"))


async def test_nothing_but_the_word_asks_for_a_question(room):
    assert await room.ask("private") == []
    assert say("command_hint", "en", command="/ask") in room.acknowledged


@pytest.mark.parametrize("text", ["???", "🦄" * 2001, "private …"])
async def test_a_command_without_a_word_is_told_so_and_shown_to_nobody(room, text):
    assert await room.ask(text) == []
    assert say("command_hint", "en", command="/ask") in room.acknowledged and not room.slack.bot_messages("C1")


async def test_where_weft_is_off_the_asker_alone_is_told_so(room):
    place = Place(platform="slack", workspace="T1", channel="C1")
    await room.engine.modes.set(place, ChannelMode.OFF)
    assert await room.ask(f"private {ASKED}") == [] and say("off_here", "en") in room.acknowledged


async def test_what_was_asked_alone_is_no_history_of_the_channel(room):
    await room.ask(f"private {ASKED}")
    sent = await room.slack.mention(room.endpoint, "what was that salary again? and who asked?")
    await room.ask("private hello")  # until the mention is answered too
    assert SECRET not in json.dumps(room.slack.bot_messages("C1", sent.ts))
