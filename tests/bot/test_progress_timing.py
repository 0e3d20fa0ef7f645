"""When a list is shown at all: by the loop's clock, which a test puts forward."""

import asyncio

import pytest

from adapters.contract import Capabilities
from agent.errors import DeliveryError, UnreachableError
from agent.events import PhaseBegan, PlanReady, TextDelta, TodoUpdated
from agent.types import Plan, Step, StepStatus
from bot.turns import progress
from bot.turns.progress import Progress
from tests.clock import pass_time
from tests.fakes import RecordingReply, rate_limited

STEP = Step(id="s", team="search", task="Search")
PLAN = PlanReady(plan=Plan(steps=(STEP,), parallel_groups=(("s",),)))
FOUND = TodoUpdated(step=Step(id="s", team="search", task="Search", status=StepStatus.COMPLETED))
SECOND = 1000.0
"""What a second is here: so long that no machine is slow enough to let it pass by itself."""


def following(reply, *, stands=False):
    able = Capabilities(text_limit=2000, edit_interval=0.001, streaming=True, list_after=SECOND)
    return Progress(reply, able, "en", stands=stands)


async def until(condition):
    async with asyncio.timeout(10 * SECOND):
        while not condition():
            await asyncio.sleep(0.001)


async def rounds(count=20):
    """Let everything run that waits for nothing."""
    for _ in range(count):
        await asyncio.sleep(0)


@pytest.fixture(autouse=True)
def no_signs(monkeypatch):
    monkeypatch.setattr(progress, "TYPING_AFTER", 10 * SECOND)
    monkeypatch.setattr(progress, "FIRST_WORDS", 0.0)


async def test_an_answer_that_is_there_at_once_has_no_list():
    reply = RecordingReply()
    async with following(reply) as shown:
        shown.feed(PLAN)
        shown.feed(FOUND)
        await rounds()
        await shown.close("done")
    assert reply.log == []


async def test_a_turn_that_lasts_has_a_list_and_its_end():
    reply = RecordingReply()
    async with following(reply) as shown:
        shown.feed(PLAN)
        await rounds()
        pass_time(SECOND)
        await until(lambda: reply.shown)
        shown.feed(FOUND)
        await until(lambda: len(reply.shown) == 2)
        await shown.close("done")
    assert [todo.status for todo in reply.shown] == ["working", "working", "done"]
    assert reply.shown[-1].elapsed_ms >= SECOND * 1000


async def test_before_there_are_steps_the_list_says_what_the_turn_is_at():
    reply = RecordingReply()
    async with following(reply) as shown:
        for phase in ("planning", "writing", "checking"):
            shown.feed(PhaseBegan(phase=phase))
            pass_time(SECOND)
            await until(lambda phase=phase: reply.shown and reply.shown[-1].phase == phase)
        await shown.close("done")
    assert reply.shown[-1].phase is None and reply.shown[-1].status == "done"


async def test_an_answer_that_has_begun_needs_no_list():
    reply = RecordingReply()
    async with following(reply) as shown:
        shown.feed(PLAN)
        shown.feed(TextDelta(text="One."))
        await until(lambda: reply.streamed)
        pass_time(2 * SECOND)
        shown.feed(FOUND)
        shown.feed(TextDelta(text=" Two."))
        await until(lambda: len(reply.streamed) == 2)
        await shown.close("done")
    assert reply.log == ["stream", "stream"]


async def test_a_list_that_is_due_comes_before_the_answer():
    reply = RecordingReply()
    async with following(reply) as shown:
        shown.feed(PLAN)
        pass_time(2 * SECOND)
        shown.feed(TextDelta(text="One."))
        await until(lambda: reply.streamed)
    assert reply.log[:2] == ["show", "stream"]


async def test_a_list_that_a_limit_held_back_is_not_made_up_for():
    reply = RecordingReply(trouble={"show": [rate_limited(SECOND)]})
    async with following(reply) as shown:
        shown.feed(PLAN)
        pass_time(SECOND)
        await until(lambda: reply.log)
        shown.feed(TextDelta(text="One."))
        await until(lambda: reply.streamed)
        pass_time(2 * SECOND)
        shown.feed(TextDelta(text=" Two."))
        await until(lambda: len(reply.streamed) == 2)
        await shown.close("done")
    assert reply.log == ["show", "stream", "stream"]


async def test_a_list_that_may_stand_is_brought_to_its_end():
    reply = RecordingReply(trouble={"show": [UnreachableError("lost")]})
    async with following(reply) as shown:
        shown.feed(PLAN)
        pass_time(SECOND)
        await until(lambda: reply.log)
        await shown.close("failed")
    assert reply.shown[-1].status == "failed"  # on a busy machine it is tried again before


async def test_a_list_that_was_refused_is_not():
    reply = RecordingReply(trouble={"show": [DeliveryError("refused")]})
    async with following(reply) as shown:
        shown.feed(PLAN)
        pass_time(SECOND)
        await until(lambda: reply.log)
        await shown.close("done")
    assert reply.shown == []


async def test_a_list_of_an_attempt_before_is_followed_and_ended_however_short_the_turn():
    reply = RecordingReply()
    async with following(reply, stands=True) as shown:
        shown.feed(PLAN)
        await until(lambda: reply.shown)
        await shown.close("done")
    assert [todo.status for todo in reply.shown] == ["working", "done"]


@pytest.mark.parametrize("error", [rate_limited(1), UnreachableError("away")])
async def test_an_end_that_the_platform_does_not_take_now_is_told_to_the_turn(error):
    reply = RecordingReply(trouble={"show": [error]})
    async with following(reply, stands=True) as shown:
        with pytest.raises(type(error)):
            await shown.close("done")


async def test_until_something_stands_there_a_sign_of_work_is_given(monkeypatch):
    monkeypatch.setattr(progress, "TYPING_AFTER", 0.0)
    monkeypatch.setattr(progress, "TYPING_LASTS", SECOND / 10)
    reply = RecordingReply()
    async with following(reply) as shown:
        await rounds()
        assert reply.log == []  # nobody knows yet whether the message is for Weft
        shown.feed(PhaseBegan(phase="planning"))
        await until(lambda: reply.log == ["typing"])
        pass_time(SECOND / 10)
        await until(lambda: reply.log == ["typing"] * 2)
        pass_time(SECOND)
        await until(lambda: reply.shown)
        given = reply.log.count("typing")
        pass_time(SECOND)
        await rounds()
    assert reply.log.count("typing") == given


async def test_a_sign_that_is_refused_is_not_tried_again_and_costs_nothing(monkeypatch):
    monkeypatch.setattr(progress, "TYPING_AFTER", 0.0)
    reply = RecordingReply(trouble={"typing": [DeliveryError("refused")] * 9})
    async with following(reply) as shown:
        shown.feed(PLAN)
        await until(lambda: reply.log)
        pass_time(SECOND)
        await until(lambda: reply.shown)
        await shown.close("done")
    assert reply.log == ["typing", "show", "show"]
