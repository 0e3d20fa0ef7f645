"""A deleted question leaves nothing behind: the engine as it is, over a platform that records."""

import asyncio
import contextlib
from dataclasses import replace

import pytest

from agent.context import KEPT_TURNS
from agent.types import MessageKind, Rating, Reason, ReasonKind
from bot.app import open_engine
from bot.settings import Settings
from storage.ingest.run import ingest
from storage.ratings import SqlRatings
from tests.fakes import RecordingAdapter, incoming

PLACES = ("library", "canteen", "garage", "reception", "workshop", "archive", "pool", "gym")


class Desk:
    """Somebody asks in private, one question after the other."""

    def __init__(self, engine, adapter) -> None:
        self.engine, self.adapter = engine, adapter

    async def say(self, message) -> None:
        await self.engine.conversation.accept(message)
        async with asyncio.timeout(60):
            while (counts := await self.engine.inbox.counts())["todo"] or counts["doing"]:
                await asyncio.sleep(0.01)

    async def kept(self) -> str:
        """Return what was asked as the conversation, the stored turns and the asker's memory hold it."""
        turns_on = self.engine.turns_on([self.adapter])
        state = await turns_on._agent._graph.aget_state({"configurable": {"thread_id": str(incoming().key)}})
        turns = await turns_on._turns.thread(str(incoming().key))
        memories = await self.engine.profiles.memories("fake:W:U1", self.engine.pack.name, "", k=100)
        assert memories or not turns
        words = [turn.question + turn.standalone + turn.answer for turn in state.values["turns"]]
        words += [state.values["summary"].text] if state.values["summary"] else []
        words += [turn.response.standalone_query + turn.response.answer for turn in turns]
        return "\n".join([*words, *(memory.question + memory.answer for memory in memories)])

    async def stored(self, message):
        return (await self.engine.turns_on([self.adapter])._turns.get(message.turn_id)).response


def asked(n: int, **more):
    text = f"When does the {PLACES[n]} open?"
    return incoming(**{"text": text, "message_id": f"m{n}", "kind": MessageKind.DIRECT, "private": True, **more})


@pytest.fixture
async def desk(tmp_path, monkeypatch, sampled):
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "documents"
    folder.mkdir()
    for hour, place in enumerate(PLACES, start=5):
        (folder / f"{place}.md").write_text(f"# The {place}\n\nThe {place} opens at {hour} o'clock.\n")
    async with open_engine(Settings.load(data=sampled)) as engine:
        await engine.library.declare("documents")
        await ingest([folder], library=engine.library, collection="documents")
        adapter = RecordingAdapter()
        task = asyncio.create_task(engine.worker([adapter]).run())
        yield Desk(engine, adapter)
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


async def test_a_deletion_takes_the_turn_the_summary_and_the_memory_with_it(desk):
    for n in range(KEPT_TURNS + 2):
        await desk.say(asked(n))
    for n in (0, KEPT_TURNS + 1):  # one in the summary, one kept word for word
        assert asked(n).text in await desk.kept()
        await desk.say(asked(n, text="", kind=MessageKind.DELETE))
        assert asked(n).text not in await desk.kept()
    assert asked(1).text in await desk.kept()
    await desk.say(asked(0, text="", kind=MessageKind.DELETE, event_id="again"))  # as after a kill in the middle


async def test_an_edit_takes_the_old_words_with_it(desk):
    for n in range(KEPT_TURNS + 2):
        await desk.say(asked(n))
    for n in (0, KEPT_TURNS + 1):
        await desk.say(replace(asked(n, text="When does the gym open?", kind=MessageKind.EDIT), edited=2.0))
        kept = await desk.kept()
        assert f"the {PLACES[n]} open?" not in kept and "the gym open?" in kept


@pytest.mark.parametrize("edited", [False, True])
async def test_what_later_questions_took_up_of_it_goes_with_its_words(desk, edited):
    first = asked(7, text="Where do climbers meet?")
    follow_up, next = asked(0, text="is it open on Sundays?"), asked(1, text="and on Mondays?")
    await desk.say(first)
    await desk.say(follow_up)
    assert "climbers" in (await desk.stored(follow_up)).standalone_query  # it was read with the question before it
    change = {"text": "When does the pool open?", "kind": MessageKind.EDIT} if edited else {"kind": MessageKind.DELETE}
    await desk.say(replace(first, **{"text": "", "event_id": "again", "edited": 2.0, **change}))
    assert (await desk.stored(follow_up)).standalone_query == follow_up.text
    await desk.say(next)
    assert "climbers" not in await desk.kept() + str(await desk.stored(follow_up)) + str(await desk.stored(next))


@pytest.mark.parametrize("edited", [False, True])
@pytest.mark.parametrize("behind", [KEPT_TURNS - 1, KEPT_TURNS + 1])  # the follow-up word for word, or in the summary
async def test_so_it_does_however_long_ago_they_were_asked(desk, edited, behind):
    first = asked(7, text="Where do climbers meet?")
    follow_up = asked(6, text="is it open on Sundays?")
    await desk.say(first)
    await desk.say(follow_up)
    assert "climbers" in (await desk.stored(follow_up)).standalone_query
    for n in range(behind):
        await desk.say(asked(0, text=f"When does the {PLACES[n % 6]} open?", message_id=f"later{n}"))
    assert "climbers" in await desk.kept()
    change = {"text": "When does the pool open?", "kind": MessageKind.EDIT} if edited else {"kind": MessageKind.DELETE}
    await desk.say(replace(first, **{"text": "", "event_id": "again", "edited": 2.0, **change}))
    assert (await desk.stored(follow_up)).standalone_query == follow_up.text
    assert "climbers" not in await desk.kept() + str(await desk.stored(follow_up))


async def test_a_follow_up_keeps_what_it_took_from_another_question(desk):
    await desk.say(asked(0))
    await desk.say(asked(7, text="When does the gym open?"))
    follow_up = asked(1, text="how much is it?")
    await desk.say(follow_up)
    before = (await desk.stored(follow_up)).standalone_query
    assert "gym" in before
    await desk.say(asked(0, text="", kind=MessageKind.DELETE, event_id="again"))
    assert (await desk.stored(follow_up)).standalone_query == before


async def test_who_is_forgotten_leaves_no_thumb_either(desk):
    ratings = SqlRatings(desk.engine.database)
    await desk.say(asked(0))
    turn = asked(0).turn_id
    why = Reason(kind=ReasonKind.WRONG, text="it opens at six")
    for user in ("U1", "U2"):
        assert await desk.engine.conversation.rate(turn, Rating(user=user, helpful=False, at=1.0, reason=why))
    await desk.say(asked(1, text="forget me"))
    assert [each.user for each in await ratings.of(turn)] == ["U2"]
