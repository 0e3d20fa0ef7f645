"""Questions that are changed while their turn runs in Discord, and twenty turns that meet one limit there."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from agent.events import Event
from agent.language import say
from agent.run import Agent
from tests.adapters.discord.test_discord_conduct import room

__all__ = ["room"]

LEAVE = "how many days of annual leave do I get in my second year?"
CARRIED = "how many unused days of annual leave are carried over?"


class Held:
    """The agent, whose first turn begins and goes no further until it is cut off."""

    def __init__(self) -> None:
        self.began, self.cut = asyncio.Event(), asyncio.Event()

    def of(self, run):
        async def held(agent, request) -> AsyncIterator[Event]:
            if not self.began.is_set():
                self.began.set()
                try:
                    await asyncio.Event().wait()
                finally:
                    self.cut.set()
            async for event in run(agent, request):
                yield event

        return held


@pytest.fixture
def held(monkeypatch) -> Held:
    turn = Held()
    monkeypatch.setattr(Agent, "run", turn.of(Agent.run))
    return turn


def answers(room, thread: str) -> list[str]:
    """Return what stands there as an answer: lists name no sources."""
    return [text for text in room.said(thread) if say("sources", "en") in text]


async def through(room) -> None:
    async with asyncio.timeout(60):
        while (counts := await room.engine.inbox.counts())["todo"] or counts["doing"]:
            await asyncio.sleep(0.01)


async def test_an_edit_cuts_the_turn_off_and_its_new_words_alone_are_answered(room, held):
    discord = room.discord
    asked = await discord.post(discord.general, discord.alice, f"<@{discord.bot}> {LEAVE}")
    async with asyncio.timeout(60):
        await held.began.wait()
        await discord.edit(discord.general, asked, f"<@{discord.bot}> {CARRIED}")
        await held.cut.wait()
    await through(room)
    [answer] = answers(room, asked)
    assert "5 unused days" in answer


async def test_a_deletion_cuts_the_turn_off_and_nothing_is_shown(room, held):
    discord = room.discord
    asked = await discord.post(discord.general, discord.alice, f"<@{discord.bot}> {LEAVE}")
    async with asyncio.timeout(60):
        await held.began.wait()
        await discord.delete(discord.general, asked)
        await held.cut.wait()
    await through(room)
    assert room.said(asked) == [] and discord.from_bot(discord.general) == []


async def test_twenty_questions_in_one_thread_are_answered_once_each_and_meet_its_limit_once_at_most(room):
    discord = room.discord
    thread = await room.ask(LEAVE)
    discord.rates[rf"POST /channels/{thread}/messages$"] = (5, 40.0)
    people = [discord.snowflake() for _ in range(20)]
    for number, person in enumerate(people):
        discord.users[person] = discord.users[discord.bob] | {"id": person, "username": f"person{number}"}
        await discord.post(thread, person, f"<@{discord.bot}> {LEAVE if number % 2 else CARRIED}")
    await discord.until(lambda: len(answers(room, thread)) >= 21)
    await through(room)
    [bucket] = discord.buckets.values()
    assert len(answers(room, thread)) == 21 and bucket.refused <= 1  # Discord tells how many are left of each
