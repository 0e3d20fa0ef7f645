"""A conversation whose checkpoint is damaged, lost or of a later version goes on: the engine as it is."""

import asyncio
import contextlib
import logging
import sqlite3
from contextlib import closing

import pytest

from agent.context import KEPT_TURNS
from agent.language import say
from agent.state import VERSION
from agent.types import MessageKind
from bot.app import open_engine
from bot.settings import Settings
from storage.ingest.run import ingest
from tests.fakes import RecordingAdapter, incoming

THREAD = str(incoming().key)
NOTE = say("memory_rebuilt", "en")
PLACES = ("library", "canteen", "garage", "reception", "workshop", "archive")


@pytest.fixture
def data(tmp_path, sampled, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return sampled


@contextlib.asynccontextmanager
async def desk(data):
    """An engine with a worker; gives what asks and returns the stored turn."""
    async with open_engine(Settings.load(data=data)) as engine:
        folder = data.parent / "documents"
        folder.mkdir(exist_ok=True)
        for hour, place in enumerate(PLACES, start=5):
            (folder / f"{place}.md").write_text(f"# The {place}\n\nThe {place} opens at {hour} o'clock.\n")
        await engine.library.declare("documents")
        await ingest([folder], library=engine.library, collection="documents")
        adapter = RecordingAdapter()
        task = asyncio.create_task(engine.worker([adapter]).run())

        async def ask(text, number, **more):
            message = incoming(text=text, message_id=f"m{number}", kind=MessageKind.DIRECT, private=True, **more)
            await engine.conversation.accept(message)
            async with asyncio.timeout(60):
                while (counts := await engine.inbox.counts())["todo"] or counts["doing"]:
                    await asyncio.sleep(0.01)
            assert not counts["dead"]
            return await engine.turns.get(message.turn_id)

        try:
            yield ask, engine
        finally:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task


def harm(data, statement, *values):
    with closing(sqlite3.connect(data / "checkpoints.db")) as connection:
        assert connection.execute(statement, values).rowcount
        connection.commit()


def set_version(data):
    """Write the checkpoint as a Weft to come would."""
    from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

    from agent.types import CHECKPOINTED

    serde = JsonPlusSerializer(allowed_msgpack_modules=CHECKPOINTED)
    with closing(sqlite3.connect(data / "checkpoints.db")) as connection:
        kind, blob = connection.execute("SELECT type, checkpoint FROM checkpoints").fetchone()
        checkpoint = serde.loads_typed((kind, blob))
        checkpoint["channel_values"]["version"] = VERSION + 1
        kind, blob = serde.dumps_typed(checkpoint)
        connection.execute("UPDATE checkpoints SET type=?, checkpoint=?", (kind, blob))
        connection.commit()


HARMS = {
    "no msgpack": lambda data: harm(data, "UPDATE checkpoints SET checkpoint=?", b"\xc1\xff\x00 nonsense"),
    "cut": lambda data: harm(data, "UPDATE checkpoints SET checkpoint=substr(checkpoint, 1, length(checkpoint)/2)"),
    "empty": lambda data: harm(data, "UPDATE checkpoints SET checkpoint=x''"),
    "another type": lambda data: harm(data, "UPDATE checkpoints SET type='pickle'"),
    "metadata": lambda data: harm(data, "UPDATE checkpoints SET metadata='{'"),
    "lost": lambda data: harm(data, "DELETE FROM checkpoints"),
    "a version to come": set_version,
}


@pytest.mark.parametrize("how", HARMS)
async def test_the_conversation_goes_on_with_a_note(data, how, caplog):
    async with desk(data) as (ask, _):
        await ask("When does the library open?", 1)
    HARMS[how](data)
    async with desk(data) as (ask, engine):
        with caplog.at_level(logging.WARNING):
            turn = await ask("and the garage?", 2)
        assert turn.response.status == "completed" and "7 o'clock" in turn.response.answer
        assert NOTE in turn.response.warnings
        assert "conversation" in caplog.text and "library" not in caplog.text
        assert [kept.message_id for kept in await engine.agent.turns(THREAD)] == ["m1", "m2"]
        again = await ask("and the canteen?", 3)
        assert NOTE not in again.response.warnings


async def test_older_turns_come_back_as_the_summary(data):
    async with desk(data) as (ask, _):
        for number in range(KEPT_TURNS + 1):
            await ask(f"When does the {PLACES[number]} open?", number)
    HARMS["no msgpack"](data)
    async with desk(data) as (ask, engine):
        await ask("and the library?", "x")
        state = await engine.agent._graph.aget_state({"configurable": {"thread_id": THREAD}})
        assert state.values["summary"].turns == 2 and len(state.values["turns"]) == KEPT_TURNS


async def test_a_deletion_in_a_damaged_conversation_is_done(data):
    async with desk(data) as (ask, _):
        await ask("When does the library open?", 1)
        await ask("When does the garage open?", 2)
    HARMS["cut"](data)
    async with desk(data) as (_, engine):
        gone = incoming(text="", message_id="m1", kind=MessageKind.DELETE, private=True, event_id="deleted")
        await engine.conversation.accept(gone)
        async with asyncio.timeout(60):
            while (counts := await engine.inbox.counts())["todo"] or counts["doing"]:
                await asyncio.sleep(0.01)
        assert [kept.message_id for kept in await engine.agent.turns(THREAD)] == ["m2"]


async def test_a_turn_that_cannot_be_read_counts_as_not_there(data, caplog):
    async with desk(data) as (ask, _):
        await ask("When does the library open?", 1)
        await ask("When does the garage open?", 2)
    HARMS["cut"](data)
    with closing(sqlite3.connect(data / "weft.db")) as connection:
        connection.execute("UPDATE turns SET response=substr(response, 1, 200) WHERE message_id='m1'")
        connection.commit()
    async with desk(data) as (ask, engine):
        assert NOTE in (await ask("and the canteen?", 3)).response.warnings
        assert [kept.message_id for kept in await engine.agent.turns(THREAD)] == ["m2", "m3"]
    assert "turn_unreadable" in [getattr(record, "action", "") for record in caplog.records]
