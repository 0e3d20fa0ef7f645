"""A question put to people in Slack: offered, called once, answered in the thread, kept by one click, and cited."""

import asyncio
import json
from contextlib import asynccontextmanager

import pytest

from agent.language import say
from bot.app import open_engine
from bot.settings import Settings
from tests.adapters.people_pack import SLACK_GROUP

QUESTION = "where do I borrow the company yacht?"
ANSWER = "The company yacht is borrowed from Frida at pier 7, with a week's notice."


class Room:
    """A channel with somebody who asks (U1), somebody who knows (U2), and Weft."""

    def __init__(self, slack, adapter, engine, endpoint: str) -> None:
        self.slack, self.adapter, self.engine, self.endpoint = slack, adapter, engine, endpoint

    async def settled(self) -> None:
        async with asyncio.timeout(60):
            while (counts := await self.engine.inbox.counts())["todo"] or counts["doing"]:
                await asyncio.sleep(0.01)

    async def ask(self, text: str = QUESTION, **more) -> str:
        sent = await self.slack.mention(self.endpoint, text, **more)
        await self.settled()
        return sent.ts

    async def say(self, text: str, thread: str, user: str = "U2") -> None:
        await self.slack.message(self.endpoint, text, thread_ts=thread, user=user)
        await self.settled()

    def cards(self, thread: str, button: str) -> list[dict]:
        return [m for m in self.slack.bot_messages("C1", thread) if say(button, "en") in json.dumps(m)]

    async def press(self, thread: str, button: str, user: str = "U2", times: int = 1) -> list[str]:
        """Press a button, also several times at once; return what who pressed was told alone."""
        before = len(self.slack.responses)
        card = dict(self.cards(thread, button)[-1])
        await asyncio.gather(*(self.slack.click(self.endpoint, card, 0, user=user) for _ in range(times)))
        await self.settled()
        return [each["text"] for each in self.slack.responses[before:]]

    def said(self, thread: str) -> str:
        return json.dumps(self.slack.bot_messages("C1", thread), ensure_ascii=False)


@asynccontextmanager
async def a_life(slack, make_adapter, serve, folder, pack):
    adapter = make_adapter()
    await adapter.connect()
    async with open_engine(Settings.load(data=folder / "data", pack=str(pack))) as engine:
        adapter.bind(engine.conversation)
        working = asyncio.create_task(engine.worker([adapter]).run())
        yield Room(slack, adapter, engine, await serve(adapter))
        working.cancel()
        await asyncio.gather(working, return_exceptions=True)


@pytest.fixture
async def room(slack, make_adapter, serve, tmp_path, people):
    slack.usergroups[SLACK_GROUP] = {"U2"}
    slack.scopes = "usergroups:read"
    async with a_life(slack, make_adapter, serve, tmp_path, people) as room:
        yield room


async def test_what_somebody_answers_is_kept_by_one_click_and_cited_later_with_its_link(room):
    thread = await room.ask()
    await room.press(thread, "person_ask", user="U1", times=3)
    assert room.said(thread).count(f"<!subteam^{SLACK_GROUP}>") == 2  # the text and the block of one message
    assert not room.cards(thread, "person_ask")
    await room.say("thanks for asking", thread, user="U1")
    await room.say(ANSWER, thread)
    assert await room.press(thread, "person_keep", times=2) == []
    assert say("person_kept", "en", name="Bob") in room.said(thread) and not room.cards(thread, "person_keep")
    later = await room.ask("who lends the company yacht?", user="U1")
    assert "Frida at pier 7" in room.said(later) and "slack.com/archives/C1/p" in room.said(later)


async def test_only_readers_of_the_channel_are_told_of_it(room):
    thread = await room.ask()
    await room.press(thread, "person_ask")
    await room.say(ANSWER, thread)
    await room.press(thread, "person_keep")
    await room.slack.mention(room.endpoint, QUESTION, channel="C2")
    await room.slack.message(room.endpoint, QUESTION, channel="D1")
    await room.settled()
    elsewhere = [*room.slack.bot_messages("C2"), *room.slack.bot_messages("D1")]
    assert elsewhere and "Frida" not in json.dumps(elsewhere)
    [info] = [each for each in await room.engine.access.collections() if each.name.startswith("thread-answers-")]
    assert info.readers == {"channel:slack:T1:C1"} and info.documents == 1


async def test_who_was_not_asked_cannot_keep_it_and_who_manages_the_channel_can(room):
    room.slack.usergroups[SLACK_GROUP] = {"U9"}
    thread = await room.ask()
    await room.press(thread, "person_ask", user="U1")
    await room.say(ANSWER, thread)
    assert await room.press(thread, "person_keep", user="U1") == [say("person_not_yours", "en")]
    assert not [each for each in await room.engine.access.collections() if each.name.startswith("thread-answers-")]
    room.slack.admins.add("U1")
    assert await room.press(thread, "person_keep", user="U1") == []
    assert say("person_kept", "en", name="Bob") in room.said(thread)


async def test_without_the_scope_only_who_manages_the_channel_can(room):
    room.slack.scopes = ""
    thread = await room.ask()
    await room.press(thread, "person_ask")
    await room.say(ANSWER, thread)
    assert await room.press(thread, "person_keep") == [say("person_not_yours", "en")]


async def test_before_anybody_answers_there_is_nothing_to_keep(room):
    thread = await room.ask()
    await room.press(thread, "person_ask")
    await room.say("please!", thread, user="U1")
    assert await room.press(thread, "person_keep") == [say("person_no_answer", "en")]
    await room.say(ANSWER, thread)
    await room.press(thread, "person_keep")
    assert say("person_kept", "en", name="Bob") in room.said(thread)


@pytest.mark.parametrize("words", ["ask a person", "사람에게 물어봐 줘"])
async def test_it_is_asked_for_in_words_too_and_calls_once(room, words):
    thread = await room.ask("how many days of annual leave do I get in my second year?")
    assert not room.cards(thread, "person_ask")  # it has an answer
    for _ in range(2):
        await room.say(words, thread, user="U1")
    calls = [m for m in room.slack.bot_messages("C1", thread) if f"<!subteam^{SLACK_GROUP}>" in m["text"]]
    assert len(calls) == 1


async def test_below_an_answer_that_somebody_calls_not_helpful_it_is_offered_once(room):
    thread = await room.ask("how many days of annual leave do I get in my second year?")
    answer = room.slack.bot_messages("C1", thread)[-1]
    for user in ("U1", "U2"):
        item = {"type": "message", "channel": "C1", "ts": answer["ts"]}
        thumb = {"type": "reaction_added", "user": user, "reaction": "-1", "item": item, "event_ts": "1700000000.5"}
        await room.slack.event(room.endpoint, {**thumb, "item_user": room.slack.bot_user})
    await room.settled()
    assert len(room.cards(thread, "person_ask")) == 1
    await room.press(thread, "person_ask")
    assert f"<!subteam^{SLACK_GROUP}>" in room.said(thread)


async def test_in_direct_messages_nobody_is_called(room):
    await room.slack.message(room.endpoint, QUESTION, channel="D1")
    await room.slack.message(room.endpoint, "ask a person", channel="D1")
    await room.settled()
    said = json.dumps(room.slack.bot_messages("D1"))
    assert say("person_not_here", "en") in said and "subteam" not in said and say("person_ask", "en") not in said


async def test_nothing_that_people_write_calls_anybody(room):
    thread = await room.ask("where is the <!channel> <!subteam^S0ALL> yacht @here?")
    await room.press(thread, "person_ask", user="U1")
    await room.say("<!channel> ask <@U1> at pier 7, <!subteam^S0ALL>", thread)
    await room.press(thread, "person_keep")
    later = await room.ask("where is the yacht?", user="U1")
    shown = room.said(thread) + room.said(later)
    assert "<!channel>" not in shown and "S0ALL>" not in shown and "<!here" not in shown


async def test_the_buttons_outlive_a_restart(slack, make_adapter, serve, tmp_path, people):
    slack.usergroups[SLACK_GROUP], slack.scopes = {"U2"}, "usergroups:read"
    async with a_life(slack, make_adapter, serve, tmp_path, people) as room:
        thread = await room.ask()
    async with a_life(slack, make_adapter, serve, tmp_path, people) as room:
        await room.press(thread, "person_ask", user="U1")
    async with a_life(slack, make_adapter, serve, tmp_path, people) as room:
        await room.say(ANSWER, thread)
        await room.press(thread, "person_keep")
        assert say("person_kept", "en", name="Bob") in room.said(thread)


async def test_without_people_in_the_pack_it_is_not_offered(slack, make_adapter, serve, tmp_path, sampled):
    async with a_life(slack, make_adapter, serve, tmp_path, "handbook") as room:
        thread = await room.ask()
        assert room.said(thread) and not room.cards(thread, "person_ask")
