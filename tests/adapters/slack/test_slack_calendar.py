"""Standing questions and notices in Slack: the whole application on a loopback workspace, its clock set by hand."""

import asyncio
import shutil
from dataclasses import replace
from functools import partial

import pytest
import pytest_asyncio

from agent.types import Author, IncomingMessage, MessageKind, ThreadKey
from bot.app import open_engine
from bot.calendar.clock import Clock
from bot.calendar.events import announcement, planned
from bot.operator.schedules import add_digest
from bot.settings import Settings
from storage.access import SqlAccess
from storage.catalogue import versions
from storage.ingest.run import ingest

PAY = "The salary of grade seven is 61,400 euros a year."
MONDAYS = "every Monday at 9 ask how high the salary of grade seven is"
WEEK = 7 * 86_400.0


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def prepared(_sample, tmp_path_factory):
    folder = tmp_path_factory.mktemp("calendar")
    shutil.copytree(_sample, folder / "data")
    (folder / "pay").mkdir()
    (folder / "pay" / "pay.md").write_text(f"# Pay\n\n{PAY}")
    async with open_engine(Settings.load(data=folder / "data")) as engine:
        await SqlAccess(engine.database).create("pay", {"workspace:slack:T1"})
        await ingest([folder / "pay"], library=engine.library, collection="pay")
    return folder


class Room:
    """A workspace with Weft in it, and a clock."""

    def __init__(self, slack, engine, endpoint, adapter) -> None:
        self.slack, self.engine, self.endpoint, self.adapter = slack, engine, endpoint, adapter

    async def says(self, text: str, channel: str = "C1", thread: str | None = None, user: str = "U1") -> str:
        """Return what Weft answers to a message."""
        said = self.slack.add(channel, user, f"<@{self.slack.bot_user}> {text}", thread)
        await self.slack.event(self.endpoint, self.slack.event_of(channel, said))
        await self.settled()
        return self.slack.bot_messages(channel, thread or said["ts"])[-1]["text"]

    async def settled(self) -> None:
        async with asyncio.timeout(60):
            while (counts := await self.engine.inbox.counts())["todo"] or counts["doing"]:
                await asyncio.sleep(0.01)

    async def week(self, number: int) -> None:
        """Let the clock come to the question's time in that week."""
        (entry,) = [each for each in await self.engine.schedules.all() if each.plan is not None]
        first = entry.plan.after(entry.created, entry.zone)
        engine = self.engine
        clock = Clock(
            schedules=engine.schedules, inbox=engine.inbox, modes=engine.modes,
            versions=partial(versions, engine.database), now=lambda: first + number * WEEK,
        )  # fmt: skip
        await clock.ask()
        await self.settled()

    def asked(self, channel: str = "C1") -> list:
        """Return the messages that begin a thread for the clock."""
        return [each for each in self.slack.bot_messages(channel) if "Standing question" in each["text"]]


@pytest.fixture
async def room(slack, make_adapter, serve, tmp_path, prepared):
    shutil.copytree(prepared / "data", tmp_path / "data")
    slack.zones["U1"] = "Asia/Seoul"
    adapter = make_adapter()
    async with open_engine(Settings.load(data=tmp_path / "data")) as engine:
        adapter.bind(engine.conversation)
        await adapter.connect()
        working = asyncio.create_task(engine.worker([adapter]).run())
        yield Room(slack, engine, await serve(adapter), adapter)
        working.cancel()
        await asyncio.gather(working, return_exceptions=True)


async def test_a_question_is_set_asked_in_a_thread_that_begins_with_it_and_followed_up_there(room):
    told = await room.says(MONDAYS)
    assert "every Monday at 09:00 (Asia/Seoul)" in told
    await room.week(0)
    (root,) = room.asked()
    assert "every Monday at 09:00" in root["text"] and "> how high the salary of grade seven is" in root["text"]
    assert "<@" not in root["text"]  # nobody is called every week
    answer = room.slack.bot_messages("C1", root["ts"])[-1]["text"]
    assert "61,400" in answer
    await room.week(1)
    _, second = room.asked()
    assert "Nothing has changed since" in room.slack.bot_messages("C1", second["ts"])[-1]["text"]
    assert "is removed" in await room.says("stop asking that", thread=second["ts"])
    assert await room.engine.schedules.all() == []


async def test_it_is_answered_from_what_the_channel_may_read_by_then(room):
    await room.says(MONDAYS)
    room.slack.shared_outside.add("C1")
    room.adapter._outside._known.clear()  # what was known of the channel is a minute old
    await room.week(0)
    (root,) = room.asked()
    said = [each["text"] for each in room.slack.bot_messages("C1", root["ts"])]
    assert said and not any("61,400" in text for text in said)


async def test_a_turn_that_is_run_again_begins_one_thread(room, deliveries):
    message = IncomingMessage(
        key=ThreadKey(platform="slack", workspace_id="T1", channel_id="C1", thread_id=""), event_id="plan:1:9",
        message_id="plan-1-9", author=Author(id="U1"), text="who is on call?", kind=MessageKind.SCHEDULED,
        received_at=float(room.slack.next_ts()), extra={"heading": "Standing question:"},
    )  # fmt: skip
    first = await room.adapter.open_thread(message, deliveries)
    for slot, _ in list(await deliveries.slots(message.turn_id)):
        await deliveries.forget(message.turn_id, slot)
        await deliveries.begin(message.turn_id, slot)  # it died before it had the confirmation
    assert await room.adapter.open_thread(message, deliveries) == first
    assert len(room.asked()) == 1
    assert await room.adapter.open_thread(replace(message, key=first), deliveries) == first


async def test_in_a_channel_that_was_deleted_it_is_paused_in_the_end_and_its_owner_told_directly(room):
    await room.says(MONDAYS)
    del room.slack.channels["C1"]
    for week in range(3):
        await room.week(week)
    (entry,) = await room.engine.schedules.all()
    assert entry.paused and entry.failures == 3
    (direct,) = room.slack.directs.values()
    assert "I paused the standing question" in room.slack.bot_messages(direct)[-1]["text"]


async def test_a_notice_stands_in_its_channel_or_thread(room):
    root = room.slack.add("C2", "U1", "good morning")
    for number, thread in enumerate(("", root["ts"])):
        key = ThreadKey(platform="slack", workspace_id="T1", channel_id="C2", thread_id=thread)
        text = f"Backup **{number}** is done."
        await room.engine.inbox.add(announcement(key, text, event=f"backup-{number}", language="en", now=1.0))
    await room.settled()
    (at_root,) = [each["text"] for each in room.slack.bot_messages("C2") if "thread_ts" not in each]
    assert "Backup *0* is done." in at_root
    assert "Backup *1* is done." in room.slack.bot_messages("C2", root["ts"])[-1]["text"]


async def test_the_digest_tells_what_was_not_answered_in_that_channel_alone(room, tmp_path):
    await room.says("How do I book the company yacht?")
    await room.says("How do I book the secret submarine?", channel="C2")
    settings = Settings.load(data=tmp_path / "data")
    await add_digest(settings, "channel:slack:T1:C1", "", zone="", as_json=True)
    engine = room.engine
    (entry,) = await engine.schedules.all()
    await engine.inbox.add(planned(entry, entry.created + WEEK, entry.created + 60))
    await room.settled()
    told = room.slack.bot_messages("C1")[-1]["text"]
    assert "yacht" in told and "submarine" not in told and "U1" not in told
