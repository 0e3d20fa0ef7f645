"""`weft ask` in company: behind what waits in its thread, and without a trace when it is given up."""

import asyncio

import pytest

from bot.app import open_engine
from bot.operator.asking import Asker, Console
from bot.settings import Settings


@pytest.fixture
async def engine(tmp_path, sampled, monkeypatch):
    monkeypatch.chdir(tmp_path)
    async with open_engine(Settings.load(data=sampled)) as opened:
        yield opened


async def test_what_an_earlier_process_left_in_the_thread_is_answered_first(engine):
    left = Asker().message("How do I set up the VPN on macOS?", "T")
    await engine.inbox.add(left)
    response = await Console(engine, quiet=True).ask(Asker().message("and on Windows?", "T"))
    assert "vpn" in response.standalone_query.lower()
    assert (await engine.turns.get(left.turn_id)) is not None


async def test_two_questions_at_once_in_one_thread_are_answered_one_after_the_other(engine):
    first, second = (Asker().message(f"How many days of annual leave? {n}", "T") for n in range(2))
    consoles = Console(engine, quiet=True), Console(engine, quiet=True)
    async with asyncio.timeout(60):
        await asyncio.gather(consoles[0].ask(first), consoles[1].ask(second))
    turns = await engine.agent.turns(str(first.key))
    assert {turn.message_id for turn in turns} == {first.message_id, second.message_id}


async def test_a_question_given_up_is_not_answered_later(engine):
    asking = asyncio.create_task(Console(engine, quiet=True).ask(Asker().message("annual leave?", "T")))
    async with asyncio.timeout(60):
        while not (await engine.inbox.counts())["doing"]:
            await asyncio.sleep(0)
    asking.cancel()
    await asyncio.gather(asking, return_exceptions=True)
    counts = await engine.inbox.counts()
    assert counts["todo"] == counts["doing"] == 0


async def test_many_consoles_in_one_thread_all_get_their_answer(tmp_path, engine):
    """One console may answer another's message; the other then shows what was answered."""
    messages = [Asker().message(f"How many days of annual leave? {n}", "T") for n in range(5)]
    async with asyncio.timeout(60):
        responses = await asyncio.gather(*(Console(engine, quiet=True).ask(message) for message in messages))
    assert [r.turn_id for r in responses] == [m.turn_id for m in messages]
    assert all(r.citations for r in responses)


async def test_giving_up_leaves_the_others_in_the_thread_alone(engine):
    first, second = (Asker().message(f"annual leave? {n}", "T") for n in range(2))
    await engine.inbox.add(second)
    asking = asyncio.create_task(Console(engine, quiet=True).ask(first))
    await asyncio.sleep(0)
    asking.cancel()
    await asyncio.gather(asking, return_exceptions=True)
    async with asyncio.timeout(60):
        later = await Console(engine, quiet=True).ask(Asker().message("annual leave? 2", "T"))
    assert later.status == "completed" and await engine.turns.get(second.turn_id) is not None


async def test_a_question_with_half_a_letter_is_answered(engine):
    response = await Console(engine, quiet=True).ask(Asker().message("annual leave \ud83d?", "T"))
    assert response.status == "completed"
