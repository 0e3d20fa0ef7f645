"""What is shown while a turn runs, in which order and at which pace."""

import asyncio
import itertools
from collections.abc import Callable

import pytest

from adapters.contract import Capabilities, TodoList
from agent.errors import DeliveryError, GoneError, UnreachableError
from agent.events import DraftWithdrawn, FinalResponse, PlanReady, TextDelta, TodoUpdated
from agent.types import Plan, Response, Step, StepStatus
from bot.turns import progress
from bot.turns.progress import Progress
from tests.fakes import RecordingReply, rate_limited

STEP = Step(id="s", team="search", task="Search")
PLAN = PlanReady(plan=Plan(steps=(STEP,), parallel_groups=(("s",),)))
HOURS = 3600.0
ANSWER = Response(
    thread_id="T", turn_id="t", pack="p", mode="agent", language="en", route="research", answer="One.",
    response_type="answer",
)  # fmt: skip


def ticked(percent: int) -> TodoUpdated:
    return TodoUpdated(step=Step(id="s", team="search", task="Search", status=StepStatus.IN_PROGRESS, progress=percent))


def said(text: str) -> TextDelta:
    return TextDelta(text=text)


def following(reply: RecordingReply, pause: float = 0.001, *, streaming: bool = True) -> Progress:
    return Progress(reply, Capabilities(text_limit=2000, edit_interval=pause, streaming=streaming), "en")


async def until(condition: Callable[[], object]) -> None:
    async with asyncio.timeout(60):
        while not condition():
            await asyncio.sleep(0.001)


def held_back(reply: RecordingReply) -> asyncio.Event:
    """Let the list be shown only once this is set."""
    gate, show = asyncio.Event(), reply.show

    async def slowly(todo: TodoList) -> None:
        await gate.wait()
        await show(todo)

    reply.show = slowly
    return gate


@pytest.fixture
def at_once(monkeypatch):
    """Nothing is held back."""
    monkeypatch.setattr(progress, "FIRST_WORDS", 0.0)


async def test_the_first_words_wait_for_no_pause_between_edits(at_once):
    reply = RecordingReply()
    async with following(reply, HOURS) as shown:
        shown.feed(PLAN)
        await until(lambda: reply.shown)
        shown.feed(ticked(10))
        shown.feed(said("One."))
        await until(lambda: reply.streamed)
    assert reply.streamed == ["One."]
    assert len(reply.shown) == 1  # editing the list has to wait


async def test_a_draft_comes_below_the_list(at_once):
    reply = RecordingReply()
    gate = held_back(reply)
    async with following(reply) as shown:
        shown.feed(PLAN)
        shown.feed(said("One."))
        await asyncio.sleep(0.02)
        assert reply.log == []
        gate.set()
        await until(lambda: reply.streamed)
    assert reply.log[:2] == ["show", "stream"]


async def test_a_draft_waits_for_a_list_that_is_limited(at_once):
    reply = RecordingReply(trouble={"show": [rate_limited(0.02)]})
    async with following(reply) as shown:
        shown.feed(PLAN)
        shown.feed(said("One."))
        await until(lambda: reply.streamed)
    assert reply.log == ["show", "show", "stream"]


async def test_without_a_plan_the_draft_waits_for_nothing(at_once):
    reply = RecordingReply()
    async with following(reply, HOURS) as shown:
        shown.feed(said("One."))
        await until(lambda: reply.streamed)
    assert reply.log == ["stream"]


async def test_an_answer_that_is_written_at_once_is_no_draft(monkeypatch):
    monkeypatch.setattr(progress, "FIRST_WORDS", HOURS)
    reply = RecordingReply()
    async with following(reply) as shown:
        shown.feed(said("One."))
        shown.feed(said(" Two."))
        await asyncio.sleep(0.02)
        await shown.settle()
    assert reply.streamed == [] and not shown.drafted


async def test_once_the_answer_is_there_no_draft_is_begun(at_once):
    reply = RecordingReply()
    async with following(reply, HOURS) as shown:
        shown.feed(said("One."))
        shown.feed(FinalResponse(response=ANSWER))  # whose delivery may still wait, as for what only its asker may read
        await asyncio.sleep(0.02)
    assert reply.log == [] and not shown.drafted


async def test_a_draft_is_not_begun_while_the_answer_waits_for_the_list(at_once):
    reply = RecordingReply()
    gate = held_back(reply)
    async with following(reply) as shown:
        shown.feed(PLAN)
        shown.feed(said("One."))
        settling = asyncio.create_task(shown.settle())
        await asyncio.sleep(0.01)
        gate.set()
        await settling
    assert reply.log == ["show"]


async def test_list_and_draft_take_turns(at_once):
    reply = RecordingReply()
    async with following(reply) as shown:
        shown.feed(PLAN)
        await until(lambda: reply.shown)
        async with asyncio.timeout(60):
            for percent in itertools.count():
                shown.feed(ticked(percent))
                shown.feed(said(f"{percent}."))
                await asyncio.sleep(0)
                if len(reply.log) > 12:
                    break
                await asyncio.sleep(0.0005)
    assert reply.log[2:12] in (["show", "stream"] * 5, ["stream", "show"] * 5)


async def test_the_pause_holds_for_both_together(at_once):
    reply = RecordingReply()
    async with following(reply, HOURS) as shown:
        shown.feed(PLAN)
        await until(lambda: reply.shown)
        shown.feed(said("One."))
        await until(lambda: reply.streamed)
        shown.feed(ticked(10))
        shown.feed(said(" Two."))
        await asyncio.sleep(0.02)
    assert reply.log == ["show", "stream"]


async def test_what_changes_meanwhile_is_folded_together(at_once):
    reply, begun, gate = RecordingReply(), asyncio.Event(), asyncio.Event()
    stream = reply.stream

    async def slowly(text: str) -> None:
        begun.set()
        await gate.wait()
        await stream(text)

    reply.stream = slowly
    async with following(reply) as shown:
        for number in range(5):
            shown.feed(said(f"{number}."))
            await begun.wait()
        gate.set()
        await until(lambda: len(reply.streamed) == 2)
        await asyncio.sleep(0.01)
    assert reply.streamed == ["0.", "0.1.2.3.4."]


async def test_a_withdrawn_draft_is_taken_back_only_where_it_was_shown(at_once):
    reply = RecordingReply()
    async with following(reply) as shown:
        shown.feed(said("Wrong."))
        shown.feed(DraftWithdrawn(reason="r"))
        await asyncio.sleep(0.01)
        assert reply.streamed == []
        shown.feed(said("Wrong too."))
        await until(lambda: reply.streamed)
        shown.feed(DraftWithdrawn(reason="r"))
        await until(lambda: len(reply.streamed) == 2)
        shown.feed(said("Right."))
        await until(lambda: len(reply.streamed) == 3)
    assert reply.streamed == ["Wrong too.", "", "Right."]


async def test_a_limit_on_the_draft_delays_neither_the_list_nor_the_answer(at_once):
    reply = RecordingReply(trouble={"stream": [rate_limited(HOURS)]})
    async with following(reply) as shown:
        shown.feed(PLAN)
        await until(lambda: reply.shown)
        shown.feed(said("One."))
        await until(lambda: "stream" in reply.log)
        for percent in (10, 20, 30):
            shown.feed(ticked(percent))
            await until(lambda percent=percent: reply.shown[-1].steps[0].progress == percent)
        await shown.settle()
    assert reply.streamed == [] and reply.log.count("stream") == 1


@pytest.mark.parametrize("more", ["", " Two."])
async def test_after_a_limit_it_goes_on_with_what_is_true_then(at_once, caplog, more):
    reply = RecordingReply(trouble={"stream": [rate_limited(0.02)]})
    async with following(reply) as shown:
        shown.feed(said("One."))
        await until(lambda: reply.log)
        shown.feed(said(more))
        await until(lambda: reply.streamed)
    assert reply.streamed == [f"One.{more}"]
    assert not caplog.records  # nothing went wrong


@pytest.mark.parametrize("error", [DeliveryError("refused"), GoneError("closed")])
async def test_a_draft_that_is_refused_is_not_tried_again_and_the_list_goes_on(at_once, error):
    reply = RecordingReply(trouble={"stream": [error]})
    async with following(reply) as shown:
        shown.feed(PLAN)
        await until(lambda: reply.shown)
        shown.feed(said("One."))
        await until(lambda: "stream" in reply.log)
        shown.feed(said(" Two."))
        shown.feed(ticked(50))
        await until(lambda: len(reply.shown) == 2)
        await asyncio.sleep(0.01)
    assert reply.log.count("stream") == 1


async def test_a_list_that_is_refused_does_not_stop_the_draft(at_once):
    reply = RecordingReply(trouble={"show": [DeliveryError("refused")]})
    async with following(reply) as shown:
        shown.feed(PLAN)
        shown.feed(said("One."))
        await until(lambda: reply.streamed)
    assert reply.log == ["show", "stream"]


async def test_an_outage_is_survived_but_not_for_ever(at_once):
    away = [UnreachableError("down")] * (progress.MOST_FAILURES - 1)
    reply = RecordingReply(trouble={"stream": [*away]})
    async with following(reply) as shown:
        shown.feed(said("One."))
        await until(lambda: reply.streamed)
        reply.trouble["stream"] = [UnreachableError("down")] * 99
        shown.feed(said(" Two."))
        await until(lambda: len(reply.trouble["stream"]) == 99 - progress.MOST_FAILURES)
        shown.feed(said(" Three."))
        await asyncio.sleep(0.02)
    assert reply.streamed == ["One."]
    assert len(reply.trouble["stream"]) == 99 - progress.MOST_FAILURES


async def test_a_draft_that_hangs_holds_the_answer_up_no_longer_than_patience(at_once, monkeypatch):
    monkeypatch.setattr(progress, "PATIENCE", 0.02)
    reply, begun = RecordingReply(), asyncio.Event()

    async def hang(text: str) -> None:
        begun.set()
        await asyncio.Event().wait()

    reply.stream = hang
    async with following(reply) as shown:
        shown.feed(said("One."))
        await begun.wait()
        async with asyncio.timeout(60):
            await shown.settle()
    assert shown.drafted  # it may be there


async def test_where_nothing_can_be_streamed_only_the_list_is_shown(at_once):
    reply = RecordingReply()
    async with following(reply, streaming=False) as shown:
        shown.feed(said("One."))
        shown.feed(PLAN)
        await until(lambda: reply.shown)
        await asyncio.sleep(0.01)
    assert reply.streamed == []
