"""The list of a turn, through inbox, worker, turns and Slack: there when it is wanted, and never left as it was."""

import asyncio

import pytest

from adapters.contract import TodoList
from adapters.slack import budget, pace
from agent.errors import RateLimitedError
from agent.events import PhaseBegan
from agent.language import say
from agent.types import Step
from bot.turns import progress, worker
from tests.adapters.slack.test_slack_stream_turn import PLANNED, Bench, bench, body, incoming, response, slot  # noqa: F401
from tests.fakes_deliveries import MemoryDeliveries
from tests.servers.slack import SlackServer

NEVER = 100_000.0
"""Seconds, as `list_after`: no turn of a test lasts so long."""


def impatient(bench: Bench, seconds: float) -> None:  # noqa: F811
    make = bench._make_adapter
    bench._make_adapter = lambda **settings: make(**{"list_after": seconds, **settings})


def titles(slack: SlackServer) -> list[str]:
    return [m["text"].partition("\n")[0] for m in slack.bot_messages("C1") if slot(m) == "progress"]


@pytest.fixture(autouse=True)
def soon(monkeypatch):
    monkeypatch.setattr(pace, "_USUAL", 0.01)
    monkeypatch.setattr(pace, "_INTERVALS", {})
    monkeypatch.setattr(worker, "DELIVERY_RETRY_SECONDS", 0.01)


async def test_an_answer_that_is_there_at_once_is_one_message(bench, slack) -> None:  # noqa: F811
    impatient(bench, NEVER)
    async with bench.working(*PLANNED, "One. [1]"):
        await bench.ask()
        await bench.settled()
    assert [slot(m) for m in slack.bot_messages("C1")] == ["answer:0"]
    assert len(slack.called("chat.postMessage")) == 1


async def test_until_the_first_message_the_thread_shows_what_weft_is_at(bench, slack, monkeypatch) -> None:  # noqa: F811
    monkeypatch.setattr(progress, "TYPING_AFTER", 0.0)
    impatient(bench, NEVER)
    go_on = asyncio.Event()
    async with bench.working(PhaseBegan(phase="writing"), go_on, "One. [1]"):
        message = await bench.ask()
        await slack.until(lambda: slack.statuses)
        assert not slack.bot_messages("C1")
        go_on.set()
        await bench.settled()
    assert slack.statuses[0]["status"] == say("status", "en", at=say("at_writing", "en"))
    assert slack.statuses[0]["thread_ts"] == message.message_id
    assert bench.shown() == ["One. [1]"]


async def test_where_slack_knows_no_status_it_is_asked_once(bench, slack, monkeypatch) -> None:  # noqa: F811
    monkeypatch.setattr(progress, "TYPING_AFTER", 0.0)
    monkeypatch.setattr(progress, "TYPING_LASTS", 0.001)
    impatient(bench, NEVER)
    slack.fail("assistant.threads.setStatus", status=200, error="unknown_method", times=99)
    go_on = asyncio.Event()
    async with bench.working(PhaseBegan(phase="writing"), go_on, "One. [1]"):
        for _ in range(2):
            await bench.ask()
            await slack.until(lambda: slack.called("assistant.threads.setStatus"))
        go_on.set()
        await bench.settled()
    assert len(slack.called("assistant.threads.setStatus")) == 1
    assert bench.shown() == ["One. [1]"] * 2


@pytest.mark.parametrize("fault", [{"status": 500}, {"drop": True}, {"status": 429, "retry_after": 0}])
async def test_an_end_that_slack_does_not_take_is_made_up_for_and_the_answer_stands_once(
    bench, slack, fault  # noqa: F811
) -> None:  # fmt: skip
    ready, go_on = asyncio.Event(), asyncio.Event()
    async with bench.working(*PLANNED, ready, go_on, "One. [1]"):
        await bench.ask()
        await slack.until(lambda: any("✅" in body(m) for m in slack.bot_messages("C1")))
        slack.fail("chat.update", times=8, **fault)
        ready.set()
        go_on.set()
        await bench.settled()
    assert titles(slack) == [say("done", "en")]
    assert bench.shown() == ["One. [1]"]
    assert len(slack.called("chat.postMessage")) == 2


async def test_a_turn_that_was_cut_off_leaves_no_list_at_work_however_fast_the_next_attempt(
    bench, slack  # noqa: F811
) -> None:  # fmt: skip
    async with bench.working(*PLANNED, asyncio.Event()):
        await bench.ask()
        await slack.until(lambda: titles(slack))
    assert titles(slack)[0].startswith(say("working", "en"))
    impatient(bench, NEVER)
    async with bench.working(*PLANNED, "One. [1]"):
        await bench.settled()
    assert titles(slack) == [say("done", "en")] and bench.shown() == ["One. [1]"]


async def test_a_list_whose_confirmation_was_lost_is_found_and_ended(bench, slack) -> None:  # noqa: F811
    go_on = asyncio.Event()
    slack.fail("chat.postMessage", drop=True, done=True)
    slack.fail("conversations.replies", status=500, times=99)  # it cannot be looked for meanwhile
    async with bench.working(*PLANNED, go_on, "One. [1]"):
        await bench.ask()
        await slack.until(lambda: titles(slack))
        slack._faults.clear()
        go_on.set()
        await bench.settled()
    assert titles(slack) == [say("done", "en")] and bench.shown() == ["One. [1]"]


async def test_a_failed_turn_s_list_says_so(bench, slack, monkeypatch) -> None:  # noqa: F811
    monkeypatch.setattr(worker, "GIVE_UP_AFTER", 1)
    go_on = asyncio.Event()
    async with bench.working(*PLANNED, go_on, RuntimeError("broken")):
        await bench.ask()
        await slack.until(lambda: titles(slack))
        slack.fail("chat.update", status=500, times=7)
        go_on.set()
        await bench.settled()
    assert titles(slack) == [say("failed", "en")]
    assert len(bench.shown()) == 1


async def test_no_more_lists_are_begun_than_can_be_ended(slack, make_adapter) -> None:
    adapter = make_adapter()
    await adapter.connect()
    working = TodoList(steps=(Step(id="s", team="search", task="Search"),), language="en")
    refused = 0
    for number in range(budget.LISTS + 3):
        message = incoming(slack.add("C1", "U1", f"question {number}")["ts"], "?")
        reply = adapter.reply(message, MemoryDeliveries())
        try:
            await reply.show(working)
        except RateLimitedError as limit:
            refused += 1
            assert 0 < limit.retry_after <= 60
        else:
            await reply.show(working)  # one that stands is brought on
        await reply.finish(response("One. [1]"))
    assert refused == 3 and len(titles(slack)) == budget.LISTS
    assert sum(slot(m) == "answer:0" for m in slack.bot_messages("C1")) == budget.LISTS + 3
