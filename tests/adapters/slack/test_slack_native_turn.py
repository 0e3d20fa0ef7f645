"""Whole turns that Slack streams: inbox, worker and turns as they are, cut off, stopped and killed."""

import asyncio
import time
from dataclasses import replace

import pytest

from agent.events import DraftWithdrawn, FinalResponse, PhaseBegan
from agent.language import say
from agent.types import Author, IncomingMessage, MessageKind, Plan
from bot.turns import worker
from tests.adapters.slack.test_slack_stream_turn import PLANNED, STEP, bench, incoming, response
from tests.servers.slack import SlackServer

__all__ = ["bench"]


@pytest.fixture
def slack(slack: SlackServer) -> SlackServer:
    slack.native = True
    return slack


def shown(slack: SlackServer) -> list[str]:
    """The text of each of the app's messages."""
    posted = slack.bot_messages("C1")
    return ["\n".join(b["text"] for b in m["blocks"] if b["type"] == "markdown") or m["text"] for m in posted]


async def test_plan_and_sentences_stand_in_one_message_before_the_last_is_written(bench, slack) -> None:
    go_on = asyncio.Event()
    final = FinalResponse(response=response("One. [1] Two. [1]", plan=Plan(steps=(STEP,))))
    async with bench.working(PhaseBegan(phase="searching"), *PLANNED, "One. [1]", go_on, " Two. [1]", final):
        await bench.ask()
        await slack.until(lambda: shown(slack) == ["One. [1]"])
        go_on.set()
        await bench.settled()
    assert shown(slack) == ["One. [1] Two. [1]"] and not slack.open_streams
    assert not slack.called("chat.postMessage") and not slack.called("chat.update")


async def test_the_plan_is_there_while_nothing_is_written(bench, slack) -> None:
    go_on = asyncio.Event()
    async with bench.working(*PLANNED, go_on, "One. [1]"):
        await bench.ask()
        await slack.until(lambda: slack.open_streams and slack.open_streams[0].tasks)
        go_on.set()
        await bench.settled()
    assert shown(slack) == ["One. [1]"]


async def test_a_process_that_dies_in_mid_stream_leaves_one_message_and_one_answer(bench, slack) -> None:
    async with bench.working(*PLANNED, "One. [1]", asyncio.Event()):
        await bench.ask()
        await slack.until(lambda: shown(slack) == ["One. [1]"])
    assert len(slack.open_streams) == 1  # nobody is there to stop it
    async with bench.working(*PLANNED, "Other words. [1]", " And more. [1]"):
        await bench.settled()
    assert shown(slack) == ["Other words. [1] And more. [1]"] and not slack.open_streams
    assert len(slack.called("chat.startStream")) == 1 and not slack.called("chat.postMessage")


async def test_a_stop_takes_the_place_of_what_was_streamed(bench, slack) -> None:
    async with bench.working(*PLANNED, "One. [1]", asyncio.Event()):
        message = await bench.ask()
        await slack.until(lambda: shown(slack) == ["One. [1]"])
        stop = slack.add("C1", "U1", "stop", message.message_id)
        assert await bench.conversation.accept(
            IncomingMessage(
                key=message.key, event_id="stop", message_id=stop["ts"], author=Author(id="U1"), text="stop",
                kind=MessageKind.THREAD_REPLY, received_at=float(stop["ts"]),
            )
        )  # fmt: skip
        await bench.settled()
    assert shown(slack) == [say("turn_stopped", "en")] and not slack.open_streams


async def test_a_withdrawn_draft_becomes_the_right_answer_in_its_message(bench, slack) -> None:
    first = asyncio.Event()
    async with bench.working(*PLANNED, "Wrong. [1]", first, DraftWithdrawn(reason="r"), "Right. [1]"):
        await bench.ask()
        await slack.until(lambda: shown(slack) == ["Wrong. [1]"])
        first.set()
        await bench.settled()
    assert shown(slack) == ["Right. [1]"] and not slack.open_streams
    assert not slack.called("chat.postMessage")


async def test_when_slack_ends_the_stream_the_rest_follows_in_another(bench, slack) -> None:
    first, second = asyncio.Event(), asyncio.Event()
    async with bench.working(*PLANNED, "One. [1]", first, " Two. [1]", second, " Three. [1]"):
        await bench.ask()
        await slack.until(lambda: shown(slack) == ["One. [1]"])
        slack.close_streams()
        first.set()
        await slack.until(lambda: shown(slack) == ["One. [1]", "Two. [1]"])
        second.set()
        await bench.settled()
    assert shown(slack) == ["One. [1]", "Two. [1] Three. [1]"]


async def test_a_token_that_is_revoked_in_mid_turn_costs_nothing_but_time(bench, slack, monkeypatch) -> None:
    monkeypatch.setattr(worker, "DELIVERY_RETRY_SECONDS", 0.01)
    go_on = asyncio.Event()
    async with bench.working(*PLANNED, "One. [1]", go_on, " Two. [1]"):
        await bench.ask()
        await slack.until(lambda: shown(slack) == ["One. [1]"])
        token, slack.bot_token = slack.bot_token, "xoxb-nobody-s"  # the app is uninstalled
        before = len(slack.calls)
        go_on.set()
        await slack.until(lambda: len(slack.calls) > before + 3)
        assert shown(slack) == ["One. [1]"] and (await bench.inbox.counts())["dead"] == 0
        slack.bot_token = token
        await bench.settled()
    assert shown(slack) == ["One. [1] Two. [1]"] and not slack.open_streams


async def test_files_in_a_thread_that_a_command_opened_are_heard(bench, slack, make_adapter, serve) -> None:
    asked = IncomingMessage(
        key=replace(incoming("1.1", "").key, thread_id=""), event_id="slack:T1:command:1", message_id="1.T1",
        author=Author(id="U1"), text="a question", kind=MessageKind.COMMAND, received_at=time.time(),
    )  # fmt: skip
    assert await bench.conversation.accept(asked)
    async with bench.working("One. [1]"):
        await bench.settled()
    anchor, answer = slack.bot_messages("C1")
    assert answer["thread_ts"] == anchor["ts"]
    adapter = make_adapter()
    adapter.bind(bench.conversation)
    file = slack.attach(b"The gym opens at 7.", "gym.txt", "text/plain")
    more = {"subtype": "file_share", "files": [file]}
    await slack.message(await serve(adapter), "", channel="C1", thread_ts=anchor["ts"], **more)
    row = await bench.inbox.claim("w", lease=30.0, platforms=["slack"])
    assert row.message.key.thread_id == anchor["ts"]
    assert [each.name for each in row.message.attachments] == ["gym.txt"]
