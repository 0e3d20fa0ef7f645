"""Messages on top of each other, from the intake to what people see: lines, replacements, rates, queue, full disks."""

import asyncio
import resource
from dataclasses import replace

import pytest

from agent.errors import StorageError, UnreachableError
from agent.language import say
from agent.types import ChannelMode, MessageKind, Overlap
from bot.turns import waiting
from bot.turns.conversation import Conversation
from bot.turns.hearing import place_of
from storage.contracts import Rates
from tests.bot.test_interrupting import Hanging, deleted, edited
from tests.fakes import incoming
from tests.fakes_channels import MemoryChannelModes

PLACE = place_of(incoming().key)


def line(number, text, **more):
    return incoming(text, message_id=f"{number}", **more)


@pytest.fixture
def intake(bench):
    """Return what makes an intake whose channel answers messages on top of each other in some way."""

    async def made(overlap: Overlap, *, mode: ChannelMode = ChannelMode.THREAD, **more) -> Conversation:
        modes = MemoryChannelModes()
        await modes.set(PLACE, mode)
        await modes.set_overlap(PLACE, overlap)
        return Conversation(bench.inbox, modes, burst_seconds=0.2, **more)

    return made


async def test_lines_get_one_answer_and_the_others_are_settled(bench, intake):
    conversation = await intake(Overlap.BURST)
    for number, text in enumerate(("how many days", "of leave", "do I get?"), start=1):
        assert await conversation.accept(line(number, text))
    async with bench.working():
        counts = await bench.settled()
    assert [r.text for r in bench.agent.asked] == ["how many days\nof leave\ndo I get?"]
    assert len(bench.adapter.replies) == 1 and counts["done"] == 3


async def test_a_line_that_is_deleted_while_the_turn_runs_is_not_answered(bench, intake):
    conversation = await intake(Overlap.BURST)
    hanging = Hanging(bench, "keep\nsecret")
    await conversation.accept(line(1, "keep"))
    await conversation.accept(line(2, "secret"))
    async with bench.working(), asyncio.timeout(60):
        await hanging.begun.wait()
        await conversation.accept(deleted("2"))
        await bench.settled()
    assert [r.text for r in bench.agent.asked] == ["keep\nsecret", "keep"]
    assert [r.answer for r in bench.adapter.of(line(1, "")).finished] == ["About keep"]


async def test_an_answer_follows_the_edit_of_a_later_line(bench, intake):
    conversation = await intake(Overlap.BURST)
    await conversation.accept(line(1, "a"))
    await conversation.accept(line(2, "b"))
    async with bench.working(), asyncio.timeout(60):
        await bench.settled()
        await conversation.accept(edited("B", message_id="2"))
        await bench.settled()
    answers = [r.answer for r in bench.adapter.of(line(1, "")).finished]
    assert answers == ["About a\nb", f"About a\nB\n\n_{say('updated', 'en')}_"]


async def test_lines_that_call_nobody_are_heard_at_the_top_of_a_channel_only_while_their_author_types(bench, intake):
    conversation = await intake(Overlap.BURST)
    await conversation.accept(line(1, "hello", thread="1"))
    second = line(2, "how many days?", thread="2", kind=MessageKind.CHANNEL)
    assert await conversation.hears(second.key, "U1") is MessageKind.CHANNEL
    assert await conversation.hears(second.key, "U2") is None and await conversation.hears(second.key) is None
    assert await conversation.accept(second)
    stranger = replace(line(3, "talk", thread="3", kind=MessageKind.CHANNEL), author=replace(second.author, id="U2"))
    assert not await conversation.accept(stranger)
    async with bench.working():
        await bench.settled()
    assert [r.text for r in bench.agent.asked] == ["hello\nhow many days?"]
    assert await conversation.hears(second.key, "U1") is MessageKind.THREAD_REPLY  # below a line of a question to Weft


@pytest.mark.parametrize("overlap", [Overlap.QUEUE, Overlap.REPLACE])
async def test_without_bursts_no_line_is_heard_that_calls_nobody(bench, intake, overlap):
    conversation = await intake(overlap)
    await conversation.accept(line(1, "hello", thread="1"))
    assert await conversation.hears(line(2, "", thread="2").key, "U1") is None


async def test_more_characters_than_are_read_are_told_once(bench, intake):
    conversation = await intake(Overlap.BURST)
    for number in range(1, 201):
        await conversation.accept(line(number, "x" * 50))
    async with bench.working():
        counts = await bench.settled()
    [reply] = bench.adapter.replies.values()
    assert [f.text for f in reply.failed] == [say("too_long", "en", length=200 * 51 - 1, limit=500)]
    assert counts["done"] == 200 and not bench.agent.asked


async def test_a_new_question_cuts_off_the_turn_and_takes_down_what_it_showed(bench, intake):
    conversation = await intake(Overlap.REPLACE)
    hanging = Hanging(bench, "old")
    async with bench.working(), asyncio.timeout(60):
        await conversation.accept(line(1, "old"))
        await hanging.begun.wait()
        await conversation.accept(line(2, "new"))
        await bench.settled()
    old, new = bench.adapter.of(line(1, "")), bench.adapter.of(line(2, ""))
    assert hanging.cut == ["old"] and [r.answer for r in new.finished] == ["About new"]
    assert not old.finished and not old.failed and bench.adapter.erased == [line(1, "").turn_id]


async def test_what_cannot_be_taken_down_now_is_taken_down_when_the_platform_is_back(bench, intake):
    conversation = await intake(Overlap.REPLACE)
    hanging, away = Hanging(bench, "old"), [UnreachableError("down")]
    erase = bench.adapter.erase

    async def refused(message, deliveries):
        if away:
            raise away.pop()
        await erase(message, deliveries)

    bench.adapter.erase = refused
    async with bench.working(), asyncio.timeout(60):
        await conversation.accept(line(1, "old"))
        await hanging.begun.wait()
        await conversation.accept(line(2, "new"))
        await bench.settled()
    assert bench.adapter.erased == [line(1, "").turn_id]
    assert [r.text for r in bench.agent.asked] == ["old", "new"]


async def test_a_question_that_waits_is_replaced_without_a_word_by_the_next_worker(bench, intake):
    conversation = await intake(Overlap.REPLACE)
    for number in range(1, 4):
        await conversation.accept(line(number, f"q{number}"))
    async with bench.working():
        await bench.settled()
    assert [r.text for r in bench.agent.asked] == ["q3"]


async def test_what_comes_far_over_the_rate_is_told_and_not_taken(bench, intake):
    conversation = await intake(Overlap.QUEUE, rates=Rates(person=1, seconds=1000.0))
    for number in (1, 2):
        assert await conversation.accept(line(number, f"q{number}", thread=f"T{number}"))
    async with bench.working():
        await bench.settled()
    assert [r.text for r in bench.agent.asked] == ["q1"]
    assert [f.text for f in bench.adapter.of(line(2, "")).failed] == [say("not_taken_rate", "en")]


async def test_at_the_console_no_rate_holds(bench, intake):
    conversation = await intake(Overlap.QUEUE, rates=Rates(person=1, seconds=1000.0))
    for number in (1, 2):
        await conversation.accept(line(number, "q", thread=f"T{number}", platform="console"))
    rows = [await bench.inbox.claim("w", lease=30.0, platforms=("console",)) for _ in range(2)]
    assert all(rows) and not await bench.inbox.interrupted(*rows)


async def test_who_waits_sees_how_many_are_before_them_until_their_turn_begins(bench, intake, monkeypatch):
    monkeypatch.setattr(waiting, "LOOK_SECONDS", 0.01)
    monkeypatch.setattr(waiting, "TOLD_AFTER", 0.05)
    conversation = await intake(Overlap.QUEUE)
    go_on = asyncio.Event()
    bench.agent.before = lambda request: go_on.wait()
    first, second = line(1, "first"), line(2, "무엇이 다음인가요?")
    shown = bench.adapter.of(second).shown
    async with bench.working(), asyncio.timeout(60):
        await conversation.accept(first)
        await conversation.accept(second)
        while not shown:
            await asyncio.sleep(0.01)
        go_on.set()
        await bench.settled()
    assert shown[0].waits == say("waits_behind", "ko", count=1) and shown[0].steps == ()
    assert len(shown) > 1 and not any(todo.waits for todo in shown[1:]) and shown[-1].status == "done"
    assert not any(todo.waits for todo in bench.adapter.of(first).shown)


async def test_a_platform_that_does_not_take_such_a_word_loses_no_question(bench, intake, monkeypatch, caplog):
    monkeypatch.setattr(waiting, "LOOK_SECONDS", 0.01)
    monkeypatch.setattr(waiting, "TOLD_AFTER", 0.05)
    conversation = await intake(Overlap.QUEUE)
    hanging = Hanging(bench, "first")
    second = line(2, "second")
    bench.adapter.of(second).trouble["show"] = [UnreachableError("down")]
    async with bench.working(), asyncio.timeout(60):
        await conversation.accept(line(1, "first"))
        await hanging.begun.wait()
        await conversation.accept(second)
        while "told that they wait" not in caplog.text:
            await asyncio.sleep(0.01)
        await bench.inbox.stop(second.key)
        await bench.settled()
    assert [f.text for f in bench.adapter.of(second).failed] == [say("turn_stopped", "en", turn_id="")]


async def test_a_disk_that_fills_while_a_turn_runs_loses_nothing(bench, intake, caplog):
    """The limit is the kernel's own: no file of this process can grow as long as it holds."""
    conversation = await intake(Overlap.QUEUE)
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def hold(request):
        begun.set()
        await go_on.wait()

    bench.agent.before = hold
    question = line(1, "q")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    async with bench.working(lease=2.0), asyncio.timeout(60):
        await conversation.accept(question)
        await begun.wait()
        resource.setrlimit(resource.RLIMIT_FSIZE, (1, hard))
        try:
            with pytest.raises(StorageError):
                await conversation.accept(line(2, "delivered again later"))
            go_on.set()
            while "turn failed" not in caplog.text:
                await asyncio.sleep(0.01)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        await conversation.accept(line(2, "delivered again later"))
        await bench.settled()
    assert [r.answer for r in bench.adapter.of(question).finished] == ["About q"]
    assert [r.answer for r in bench.adapter.of(line(2, "")).finished] == ["About delivered again later"]


async def test_a_database_that_becomes_read_only_while_a_turn_runs_loses_nothing(bench, intake, caplog):
    conversation = await intake(Overlap.QUEUE)
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def hold(request):
        begun.set()
        await go_on.wait()

    bench.agent.before = hold
    question = line(1, "q")
    async with bench.working(lease=2.0), asyncio.timeout(60):
        await conversation.accept(question)
        await begun.wait()
        for database in (bench.queue, bench.database):
            await database.read(lambda c: c.execute("PRAGMA query_only=ON").close())
        with pytest.raises(StorageError):
            await conversation.accept(line(2, "again"))
        go_on.set()
        while "turn failed" not in caplog.text:
            await asyncio.sleep(0.01)
        for database in (bench.queue, bench.database):
            await database.read(lambda c: c.execute("PRAGMA query_only=OFF").close())
        await conversation.accept(line(2, "again"))
        await bench.settled()
    assert [r.answer for r in bench.adapter.of(question).finished] == ["About q"]
    assert [r.answer for r in bench.adapter.of(line(2, "")).finished] == ["About again"]
