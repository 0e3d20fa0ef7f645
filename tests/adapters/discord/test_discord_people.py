"""A question put to people in Discord: offered, called once, answered in the thread, kept by one click, and cited."""

import asyncio
import json

import pytest

from adapters.discord.handing import BUTTON
from adapters.discord.render import RATE
from adapters.handing import CALL, Card
from agent.language import say
from bot.app import open_engine
from bot.settings import Settings
from tests.adapters.people_pack import DISCORD_ROLE

QUESTION = "where do I borrow the company yacht?"
ANSWER = "The company yacht is borrowed from Frida at pier 7, with a week's notice."


class Room:
    """A server with somebody who asks (alice), somebody who knows (bob), and Weft."""

    def __init__(self, discord, engine) -> None:
        self.discord, self.engine = discord, engine

    async def settled(self, done: int) -> None:
        async with asyncio.timeout(60):
            while (counts := await self.engine.inbox.counts())["done"] < done or counts["doing"] or counts["todo"]:
                await asyncio.sleep(0.01)

    async def done(self) -> int:
        return (await self.engine.inbox.counts())["done"]

    async def ask(self, text: str = QUESTION, channel: str = "") -> str:
        before = await self.done()
        place = channel or self.discord.general
        id = await self.discord.post(place, self.discord.alice, f"<@{self.discord.bot}> {text}")
        await self.settled(before + 1)
        return id

    def cards(self, thread: str) -> list[dict]:
        return [m for m in self.discord.from_bot(thread) if BUTTON in json.dumps(m.get("components"))]

    def calls(self, thread: str) -> list[dict]:
        return [m for m in self.discord.from_bot(thread) if f"<@&{DISCORD_ROLE}>" in m["content"]]

    async def press(self, thread: str, who: str, *, times: int = 1, done: int = 1) -> list[dict]:
        before, card = await self.done(), dict(self.cards(thread)[-1])
        pressed = [await self.discord.click(card, 0, who) for _ in range(times)]
        await self.discord.until(lambda: all(each["state"] == "done" for each in pressed))
        await self.settled(before + done)
        return pressed

    def said(self, thread: str) -> str:
        return json.dumps([m["content"] for m in self.discord.from_bot(thread)], ensure_ascii=False)


@pytest.fixture
async def room(discord, make, tmp_path, people):
    discord.give_role(DISCORD_ROLE, discord.bob)
    adapter = make(list_after=3600.0)
    async with open_engine(Settings.load(data=tmp_path / "data", pack=str(people))) as engine:
        listening = asyncio.create_task(adapter.listen(engine.conversation))
        await discord.until(lambda: discord.gateway.open_sessions or listening.done())
        working = asyncio.create_task(engine.worker([adapter]).run())
        yield Room(discord, engine)
        for task in (working, listening):
            task.cancel()
        await asyncio.gather(working, listening, return_exceptions=True)


async def test_what_somebody_answers_is_kept_by_one_click_and_cited_later_with_its_link(room):
    discord = room.discord
    thread = await room.ask()
    await room.press(thread, discord.alice, times=2)
    calls = room.calls(thread)
    assert len(calls) == 1 and calls[0]["mention_roles"] == [DISCORD_ROLE]
    told = await room.press(thread, discord.alice)
    assert say("person_not_yours", "en") in json.dumps(told[0]["followups"])
    before = await room.done()
    await discord.post(thread, discord.bob, ANSWER)
    await room.settled(before + 1)
    await room.press(thread, discord.bob, times=2, done=2)
    assert say("person_kept", "en", name="bob") in room.said(thread) and not room.cards(thread)
    later = await room.ask("who lends the company yacht?")
    assert "Frida at pier 7" in room.said(later)
    assert f"/channels/{discord.guild_id}/{thread}/" in room.said(later)


async def test_who_manages_the_channel_may_keep_it_too(room):
    discord = room.discord
    thread = await room.ask()
    await room.press(thread, discord.alice)
    before = await room.done()
    await discord.post(thread, discord.bob, ANSWER)
    await room.settled(before + 1)
    discord.managers.add(discord.alice)
    await room.press(thread, discord.alice)
    assert say("person_kept", "en", name="bob") in room.said(thread)


async def test_who_calls_an_answer_not_helpful_is_offered_that_a_person_is_asked(room):
    discord = room.discord
    thread = await room.ask("how many days of annual leave do I get in my second year?")
    assert not room.cards(thread)
    before = await room.done()
    [answer] = [each for each in discord.from_bot(thread) if RATE in json.dumps(each["components"])]
    await discord.click(answer, 1, discord.alice)
    await room.settled(before + 1)
    await room.press(thread, discord.alice)
    assert len(room.calls(thread)) == 1


async def test_where_no_components_are_taken_the_role_is_called_all_the_same(discord, adapter, deliveries, ask):
    discord.refuses_components = True
    question = await ask()
    card = Card(text="@everyone is asked.", group=DISCORD_ROLE, step="keep", label="Keep it")
    await adapter.show_card(question, CALL, card, deliveries)
    [call] = discord.from_bot(question.message_id)
    assert call["content"].startswith(f"<@&{DISCORD_ROLE}> ") and not call["components"]
    tried = discord.sent("POST", f"/channels/{question.message_id}/messages")
    allowed = {"parse": [], "roles": [int(DISCORD_ROLE)]}
    assert [each.body["allowed_mentions"] for each in tried] == [allowed, allowed]
