"""Plan and text in one message that Slack streams, and what becomes of it when a stream does not go on."""

import asyncio
import contextlib
from dataclasses import replace

import pytest

from adapters.contract import Failure, Reply, TodoList
from adapters.drafts import GOES_ON
from adapters.slack.adapter import SlackAdapter
from adapters.slack.parse import BELOW
from adapters.slack.streams import MOST_STARTS
from agent.errors import DeliveryError, RateLimitedError, UnreachableError
from agent.types import (
    Author,
    Citation,
    Clarification,
    IncomingMessage,
    MessageKind,
    Plan,
    Response,
    Step,
    StepStatus,
    ThreadKey,
)
from tests.clock import pass_time
from tests.fakes_deliveries import MemoryDeliveries
from tests.servers.slack import SlackServer

SIGN = GOES_ON.strip()
SEARCH, WRITE = Step(id="a", team="search", task="Search"), Step(id="b", team="document", task="Write it up")
RUNNING = replace(SEARCH, status=StepStatus.IN_PROGRESS)
DONE = replace(SEARCH, status=StepStatus.COMPLETED, result="2 found", sources=("Leave", "Notes"))


@pytest.fixture
def slack(slack: SlackServer) -> SlackServer:
    slack.native = True
    return slack


@pytest.fixture
def message(slack: SlackServer) -> IncomingMessage:
    return incoming(slack.add("C1", "U1", "a question")["ts"])


def incoming(ts: str, **more) -> IncomingMessage:
    values = {
        "key": ThreadKey(platform="slack", workspace_id="T1", channel_id="C1", thread_id=ts),
        "event_id": f"slack:T1:C1:{ts}",
        "message_id": ts,
        "author": Author(id="U1"),
        "text": "a question",
        "kind": MessageKind.MENTION,
        "received_at": float(ts),
    }
    return IncomingMessage(**{**values, **more})


CITED = Citation(n=1, document_id="d", passage_id="d#0", title="Leave", quote="q", source="notes.md")


def response(answer: str, **more: object) -> Response:
    values = {
        "thread_id": "t", "turn_id": "t1", "pack": "handbook", "mode": "agent", "language": "en",
        "route": "research", "answer": answer, "response_type": "answer", "citations": (CITED,), **more,
    }  # fmt: skip
    return Response(**values)


def todo(*steps: Step, **more) -> TodoList:
    return TodoList(**{"steps": steps, "language": "en", "phase": "searching", **more})


def texts(slack: SlackServer) -> list[str]:
    """What a reader sees of each of the app's messages, without plans."""
    return [
        "\n".join(b["text"] for b in m["blocks"] if b["type"] == "markdown") if m.get("blocks") else m["text"]
        for m in slack.bot_messages("C1")
    ]


async def ended(reply: Reply, then: str, answer: str) -> str:
    """End a turn, by a failure, by a question back or with this answer; returns what a reader then sees of it."""
    if then == "fails":
        await reply.fail(Failure(text="Nothing came of it.", language="en"))
        return "Nothing came of it."
    if then == "asks":
        await reply.ask(Clarification(question="Which?", options=("A", "B")))
        return "Which?\n\n1. A\n2. B"
    await reply.finish(response(answer))
    return answer


def plans(slack: SlackServer) -> list[tuple[str, dict[str, str]]]:
    """The plans of the app's messages: title, and the status of each task."""
    found = [b for m in slack.bot_messages("C1") for b in m.get("blocks") or () if b["type"] == "plan"]
    return [(plan["title"], {task["title"]: task["status"] for task in plan["tasks"]}) for plan in found]


def methods(slack: SlackServer) -> list[str]:
    return [call.method.removeprefix("chat.") for call in slack.calls if call.method.startswith("chat.")]


async def test_plan_and_text_stand_in_one_message(slack, adapter: SlackAdapter, message, deliveries) -> None:
    reply = adapter.reply(message, deliveries)
    await reply.show(todo(RUNNING, WRITE))
    assert plans(slack) == [("Working on it · searching", {"Search": "in_progress", "Write it up": "pending"})]
    await reply.show(todo(DONE, replace(WRITE, status=StepStatus.IN_PROGRESS), phase="writing"))
    await reply.stream("You have **25** days. [1]")
    await reply.stream("You have **25** days. [1] Ask by May. [2]")
    assert texts(slack) == ["You have **25** days. [1] Ask by May. [2]"]
    ended = (DONE, replace(WRITE, status=StepStatus.COMPLETED))
    cited = Citation(n=1, document_id="d", passage_id="d#0", title="Leave", quote="q", source="https://x.test/leave")
    await reply.finish(
        response("You have **25** days. [1] Ask by May. [2]", plan=Plan(steps=ended), citations=(cited,))
    )
    [posted] = slack.bot_messages("C1")
    assert [block["type"] for block in posted["blocks"]] == ["plan", "markdown", "context", "context_actions"]
    assert plans(slack) == [("Done", {"Search": "complete", "Write it up": "complete"})]
    task = posted["blocks"][0]["tasks"][0]
    assert task["output"] == "2 found · Leave, Notes"
    assert task["sources"] == [{"type": "url", "url": "https://x.test/leave", "text": "Leave"}]
    assert posted["metadata"]["event_payload"] == {"turn_id": message.turn_id, "slot": "answer:0"}
    assert posted["thread_ts"] == message.key.thread_id and not slack.open_streams
    assert [each.recipient for each in slack.streams.values()] == ["U1"]
    assert methods(slack) == ["startStream", "appendStream", "appendStream", "appendStream", "stopStream"]


async def test_what_has_not_changed_is_not_sent(slack, adapter, message, deliveries) -> None:
    reply = adapter.reply(message, deliveries)
    for _ in range(3):
        await reply.show(todo(RUNNING, WRITE))
        await reply.stream("One. [1]")
    assert methods(slack) == ["startStream", "appendStream"]


async def test_an_answer_that_is_there_at_once_is_posted(slack, adapter, message, deliveries) -> None:
    await adapter.reply(message, deliveries).finish(response("One. [1]"))
    assert methods(slack) == ["postMessage"] and texts(slack) == ["One. [1]"]


async def test_finishing_twice_changes_nothing_and_another_answer_replaces_it(
    slack, adapter, message, deliveries
) -> None:
    reply = adapter.reply(message, deliveries)
    await reply.stream("One. [1]")
    await reply.finish(response("One. [1] Two. [1]"))
    before = list(slack.calls)
    await reply.finish(response("One. [1] Two. [1]"))
    await adapter.reply(message, deliveries).finish(response("One. [1] Two. [1]"))
    assert slack.calls == before
    await reply.finish(response("Another. [1]"))
    assert texts(slack) == ["Another. [1]"]


async def test_an_answer_that_is_not_what_was_streamed_takes_its_place(slack, adapter, message, deliveries) -> None:
    reply = adapter.reply(message, deliveries)
    await reply.show(todo(RUNNING))
    await reply.stream("One. [1]")
    await reply.finish(response("Other words. [1]"))
    assert texts(slack) == ["Other words. [1]"] and not slack.open_streams


async def test_a_withdrawn_draft_is_taken_back_in_its_place(slack, adapter, message, deliveries) -> None:
    reply = adapter.reply(message, deliveries)
    await reply.stream("")
    assert methods(slack) == []
    await reply.stream("Wrong. [1]")
    await reply.stream("")
    assert texts(slack) == [f"_Writing the answer once more_\n\n{SIGN}"]
    await reply.stream("Right. [1]")
    assert texts(slack) == [f"Right. [1]\n\n{SIGN}"]
    await reply.finish(response("Right. [1] Now. [1]"))
    assert texts(slack) == ["Right. [1] Now. [1]"] and not slack.open_streams


@pytest.mark.parametrize("then", ["text", "plan", "answer"])
async def test_when_somebody_stops_the_stream_all_of_it_stands_there_once(
    slack, adapter, message, deliveries, then
) -> None:
    reply = adapter.reply(message, deliveries)
    await reply.show(todo(RUNNING))
    await reply.stream("One. [1]")
    slack.close_streams("stopped_by_user")
    if then == "text":
        await reply.stream("One. [1] Two. [1]")
        assert texts(slack) == [f"One. [1] Two. [1]\n\n{SIGN}"]
    elif then == "plan":
        await reply.show(todo(DONE, WRITE))
        assert texts(slack) == [f"One. [1]\n\n{SIGN}"]
        assert "✅ Search" in slack.bot_messages("C1")[0]["blocks"][1]["text"]["text"]
    await reply.finish(response("One. [1] Two. [1] Three. [1]"))
    assert texts(slack) == ["One. [1] Two. [1] Three. [1]"]
    assert len(slack.bot_messages("C1")) == 1


# --- Slack ends a stream after some five minutes


async def test_a_stream_that_slack_ended_goes_on_in_another_with_what_was_not_sent(
    slack, adapter, message, deliveries
) -> None:
    reply = adapter.reply(message, deliveries)
    await reply.show(todo(RUNNING, WRITE))
    await reply.stream("One. [1]")
    slack.close_streams()
    await reply.stream("One. [1] Two. [1]")
    assert texts(slack) == ["One. [1]", "Two. [1]"]
    assert plans(slack) == [("Working on it · searching", {"Search": "in_progress", "Write it up": "pending"})]
    await reply.stream("One. [1] Two. [1] Three. [1]")
    slack.close_streams()
    await reply.show(todo(DONE, replace(WRITE, status=StepStatus.IN_PROGRESS)))
    assert texts(slack) == ["One. [1]", "Two. [1] Three. [1]", ""]
    await reply.finish(response("One. [1] Two. [1] Three. [1] Four. [1]", plan=Plan(steps=(DONE, WRITE))))
    assert texts(slack) == ["One. [1]", "Two. [1] Three. [1]", "Four. [1]"] and not slack.open_streams
    assert [title for title, _ in plans(slack)] == ["Done"]
    posted = slack.bot_messages("C1")
    assert [b["type"] for b in posted[0]["blocks"]] == ["markdown"] == [b["type"] for b in posted[1]["blocks"]]
    assert [b["type"] for b in posted[2]["blocks"]] == ["plan", "markdown", "context", "context_actions"]
    assert [m["metadata"]["event_payload"]["slot"] for m in posted] == ["answer:0", "answer:1", "answer:2"]
    before = list(slack.calls)
    await reply.finish(response("One. [1] Two. [1] Three. [1] Four. [1]", plan=Plan(steps=(DONE, WRITE))))
    assert slack.calls == before
    await adapter.reply(message, deliveries).finish(response("Another. [1]"))
    assert texts(slack) == ["Another. [1]"]


async def test_a_stream_of_nothing_but_a_plan_gives_way_to_another(slack, adapter, message, deliveries) -> None:
    reply = adapter.reply(message, deliveries)
    await reply.show(todo(RUNNING, WRITE))
    slack.close_streams()
    await reply.show(todo(DONE, WRITE))
    assert [tasks for _, tasks in plans(slack)] == [{"Search": "complete", "Write it up": "pending"}]
    await reply.stream("One. [1]")
    await reply.finish(response("One. [1]"))
    assert texts(slack) == ["One. [1]"] and not slack.called("chat.update")


async def test_a_stream_that_is_found_ended_by_the_answer_shows_all_of_it_by_an_edit(
    slack, adapter, message, deliveries
) -> None:
    reply = adapter.reply(message, deliveries)
    await reply.show(todo(RUNNING))
    await reply.stream("One. [1]")
    slack.close_streams()
    await reply.finish(response("One. [1] Two. [1]"))
    assert texts(slack) == ["One. [1] Two. [1]"]


@pytest.mark.parametrize("then", ["withdrawn", "other words", "fails", "asks"])
async def test_what_went_on_in_another_stream_is_taken_back_with_the_first(
    slack, adapter, message, deliveries, then
) -> None:
    reply = adapter.reply(message, deliveries)
    await reply.stream("Wrong. [1]")
    slack.close_streams()
    await reply.stream("Wrong. [1] Too. [1]")
    if then == "withdrawn":
        await reply.stream("")
        assert texts(slack) == [f"_Writing the answer once more_\n\n{SIGN}"]
    end = await ended(reply, then, "Right. [1]")
    assert texts(slack) == [end] and not slack.open_streams


@pytest.mark.parametrize("text", ["Run this.\n\n```\none\n", "| a | b |\n| - | - |\n| 1 | 2 |"])
async def test_neither_code_nor_a_table_is_cut_between_two_streams(slack, adapter, message, deliveries, text) -> None:
    reply = adapter.reply(message, deliveries)
    await reply.stream(text)
    slack.close_streams()
    await reply.stream(f"{text}\ntwo")
    assert len(slack.bot_messages("C1")) == 1 and len(slack.called("chat.startStream")) == 1


@pytest.mark.parametrize("error", ["unknown_method", "ratelimited"])
async def test_where_no_other_stream_is_to_be_had_the_first_message_goes_on_by_edits(
    slack, adapter, message, deliveries, error
) -> None:
    reply = adapter.reply(message, deliveries)
    await reply.stream("One. [1]")
    slack.close_streams()
    slack.stream_refusal = error
    await reply.stream("One. [1] Two. [1]")
    assert texts(slack) == [f"One. [1] Two. [1]\n\n{SIGN}"]
    await reply.finish(response("One. [1] Two. [1]"))
    assert texts(slack) == ["One. [1] Two. [1]"]


@pytest.mark.parametrize("done", [True, False])
async def test_another_stream_whose_reply_is_lost_is_found_or_posted(slack, adapter, message, deliveries, done) -> None:
    reply = adapter.reply(message, deliveries)
    await reply.stream("One. [1]")
    slack.close_streams()
    slack.fail("chat.startStream", drop=True, done=done)
    with pytest.raises(UnreachableError):
        await reply.stream("One. [1] Two. [1]")
    await reply.stream("One. [1] Two. [1] Three. [1]")
    await reply.finish(response("One. [1] Two. [1] Three. [1]"))
    assert texts(slack) == ["One. [1]", "Two. [1] Three. [1]"] and not slack.open_streams


async def test_a_process_that_dies_in_its_second_stream_leaves_one_answer(
    slack, make_adapter, message, deliveries
) -> None:
    first = make_adapter()
    await first.connect()
    before = first.reply(message, deliveries)
    await before.stream("One. [1]")
    slack.close_streams()
    await before.stream("One. [1] Two. [1]")
    second = make_adapter()
    await second.connect()
    reply = second.reply(message, deliveries)
    await reply.stream("Other words. [1]")
    assert "Other words. [1]" not in "".join(texts(slack)) or len(texts(slack)) == 1
    await reply.finish(response("Other words. [1]"))
    assert texts(slack) == ["Other words. [1]"] and not slack.open_streams


@pytest.mark.parametrize("answer", ["One. [1] Two. [1]", "Right. [1]"])
async def test_a_workspace_that_forbids_edits_gets_the_rest_in_order_too(
    slack, adapter, message, deliveries, answer
) -> None:
    reply = adapter.reply(message, deliveries)
    await reply.stream("One. [1]")
    slack.close_streams()
    slack.fail("chat.update", status=200, error="edit_window_closed", times=99)
    await reply.stream("One. [1] Two. [1]")
    await reply.finish(response(answer))
    shown = ["One. [1]", "Two. [1]"] if answer.startswith("One") else ["Right. [1]"]
    assert texts(slack) == shown and not slack.open_streams


async def test_an_answer_while_another_stream_is_being_begun_stands_there_once(
    slack, adapter, message, deliveries
) -> None:
    reply, gate = adapter.reply(message, deliveries), asyncio.Event()
    await reply.stream("One. [1]")
    slack.close_streams()
    slack.fail("chat.startStream", hold=gate)
    task = asyncio.create_task(reply.stream("One. [1] Two. [1]"))
    await slack.until(lambda: len(slack.called("chat.startStream")) == 2)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    finishing = asyncio.create_task(reply.finish(response("One. [1] Two. [1] Three. [1]")))
    await asyncio.sleep(0)
    gate.set()
    await finishing
    assert texts(slack) == ["One. [1]", "Two. [1] Three. [1]"] and not slack.open_streams


@pytest.mark.parametrize("fault", [{"drop": True, "done": True}, {"drop": True}, {"status": 500, "done": True}])
@pytest.mark.parametrize("method", ["appendStream", "stopStream"])
async def test_a_reply_that_is_lost_neither_doubles_nor_loses_text(
    slack, adapter, message, deliveries, method, fault
) -> None:
    reply = adapter.reply(message, deliveries)
    await reply.stream("One. [1]")
    slack.fail(f"chat.{method}", **fault)
    if method == "appendStream":
        with pytest.raises(UnreachableError):
            await reply.stream("One. [1] Two. [1]")
        await reply.stream("One. [1] Two. [1] Three. [1]")
        assert texts(slack) == [f"One. [1] Two. [1] Three. [1]\n\n{SIGN}"]
    await reply.finish(response("One. [1] Two. [1] Three. [1]"))
    assert texts(slack) == ["One. [1] Two. [1] Three. [1]"] and not slack.open_streams


@pytest.mark.parametrize("done", [True, False])
async def test_an_answer_right_behind_a_lost_reply_stands_there_once(slack, adapter, message, deliveries, done) -> None:
    reply = adapter.reply(message, deliveries)
    await reply.stream("One. [1]")
    slack.fail("chat.appendStream", drop=True, done=done)
    with pytest.raises(UnreachableError):
        await reply.stream("One. [1] Two. [1]")
    await reply.finish(response("One. [1] Two. [1] Three. [1]"))
    assert texts(slack) == ["One. [1] Two. [1] Three. [1]"] and not slack.open_streams


@pytest.mark.parametrize("known", [True, False])
async def test_the_stream_of_a_question_that_waits_is_not_taken_for_an_answer_that_was_lost(
    slack, adapter, message, deliveries, known
) -> None:
    ts = slack.add("C1", "U1", "another question", message.key.thread_id)["ts"]
    behind = adapter.reply(replace(incoming(ts), key=message.key), deliveries)
    if not known:
        slack.fail("chat.startStream", drop=True, done=True)
    with contextlib.nullcontext() if known else pytest.raises(UnreachableError):
        await behind.show(todo(before=1))
    slack.fail("chat.postMessage", drop=True)
    await adapter.reply(message, deliveries).finish(response("One. [1]"))
    await behind.finish(response("Two. [1]"))
    assert sorted(texts(slack)) == ["One. [1]", "Two. [1]"] and not slack.open_streams


@pytest.mark.parametrize("done", [True, False])
async def test_a_start_whose_reply_is_lost_is_found_or_posted(slack, adapter, message, deliveries, done) -> None:
    reply = adapter.reply(message, deliveries)
    slack.fail("chat.startStream", drop=True, done=done)
    with pytest.raises(UnreachableError):
        await reply.show(todo(RUNNING))
    if done:
        await reply.stream("One. [1]")
        assert texts(slack) == [f"One. [1]\n\n{SIGN}"]
    else:
        with pytest.raises(DeliveryError):  # it may still come
            await reply.stream("One. [1]")
    await reply.finish(response("One. [1] Two. [1]"))
    assert texts(slack) == ["One. [1] Two. [1]"]
    assert len(slack.called("chat.startStream")) == 1 and not slack.open_streams


@pytest.mark.parametrize("recorded", [True, False])
@pytest.mark.parametrize("then", ["goes on", "answers", "fails", "asks"])
async def test_a_stream_of_a_process_that_died_goes_on_in_its_message(
    slack, make_adapter, message, deliveries: MemoryDeliveries, then, recorded
) -> None:
    first = make_adapter()
    await first.connect()
    before = first.reply(message, deliveries)
    await before.show(todo(RUNNING))
    await before.stream("One. [1]")
    if not recorded:  # it died before it could note where the stream is
        await deliveries.forget(message.turn_id, "answer:0")
        await deliveries.begin(message.turn_id, "answer:0")
    second = make_adapter()
    await second.connect()
    reply = second.reply(message, deliveries)
    if then == "goes on":
        await reply.show(todo(RUNNING, WRITE))
        await reply.stream("Other words. [1]")
        assert texts(slack) == [f"Other words. [1]\n\n{SIGN}"]
        assert "Write it up" in slack.bot_messages("C1")[0]["blocks"][1]["text"]["text"]
    end = await ended(reply, then, "The answer. [1]")
    assert texts(slack) == [end]
    assert not slack.open_streams and len(slack.called("chat.startStream")) == 1


async def test_a_failure_is_told_below_the_plan_and_nothing_spins(slack, adapter, message, deliveries) -> None:
    reply = adapter.reply(message, deliveries)
    await reply.show(todo(RUNNING, WRITE))
    await reply.fail(Failure(text="Nothing came of it.", language="en"))
    assert texts(slack) == ["Nothing came of it."]
    assert plans(slack) == [("Not finished", {"Search": "error", "Write it up": "error"})]


async def test_a_question_back_keeps_its_buttons(slack, adapter, message, deliveries) -> None:
    reply = adapter.reply(message, deliveries)
    await reply.show(todo(RUNNING))
    asked = Clarification(question="Which office?", options=("Seoul", "Berlin"))
    await reply.finish(response("", response_type="clarification", clarification=asked))
    [posted] = slack.bot_messages("C1")
    assert texts(slack) == ["Which office?\n\n1. Seoul\n2. Berlin"]
    assert [e["value"] for e in posted["blocks"][-1]["elements"]] == ["Seoul", "Berlin"]


async def test_an_edited_question_keeps_its_answer_until_the_next_is_whole(slack, adapter, message, deliveries) -> None:
    await adapter.reply(message, deliveries).finish(response("Old. [1]"))
    edit = adapter.reply(replace(message, kind=MessageKind.EDIT), deliveries)
    await edit.show(todo(RUNNING))
    await edit.stream("New. [1]")
    assert "Old. [1]" in texts(slack) and not slack.called("chat.startStream")
    await edit.finish(response("New. [1]"))
    assert "New. [1]" in texts(slack) and "Old. [1]" not in texts(slack)


# --- where it is not streamed


@pytest.mark.parametrize("error", ["unknown_method", "feature_not_enabled", "not_allowed_token_type"])
async def test_a_workspace_without_streams_is_known_from_then_on(slack, adapter, message, deliveries, error) -> None:
    slack.stream_refusal = error
    for _ in range(2):
        reply, other = adapter.reply(message, deliveries), incoming(slack.add("C1", "U1", "more")["ts"])
        await reply.show(todo(RUNNING))
        await reply.stream("One. [1]")
        await reply.finish(response("One. [1] Two. [1]"))
        message, deliveries = other, MemoryDeliveries()
    assert [text for text in texts(slack) if "One." in text] == ["One. [1] Two. [1]"] * 2
    assert len(slack.called("chat.startStream")) == 1


async def test_a_slack_that_has_no_such_address_is_one_without_streams(slack, adapter, message, deliveries) -> None:
    slack.fail("chat.startStream", status=404)
    reply = adapter.reply(message, deliveries)
    await reply.show(todo(RUNNING))
    await reply.stream("One. [1]")
    await reply.finish(response("One. [1] Two. [1]"))
    assert texts(slack)[-1] == "One. [1] Two. [1]" and len(slack.bot_messages("C1")) == 2
    await adapter.reply(incoming(slack.add("C1", "U1", "more")["ts"]), MemoryDeliveries()).stream("Three. [1]")
    assert len(slack.called("chat.startStream")) == 1


@pytest.mark.parametrize(
    "error", ["missing_recipient_team_id", "channel_type_not_supported", "invalid_chunks", "user_not_in_channel"]
)
async def test_a_refusal_of_one_stream_says_nothing_of_the_next(slack, adapter, message, deliveries, error) -> None:
    slack.stream_refusal = error
    reply = adapter.reply(message, deliveries)
    await reply.stream("One. [1]")
    assert texts(slack) == [f"One. [1]\n\n{SIGN}"]
    await reply.stream("One. [1] Two. [1]")
    assert len(slack.called("chat.startStream")) == 1
    slack.stream_refusal = ""
    await adapter.reply(incoming(slack.add("C1", "U1", "more")["ts"]), MemoryDeliveries()).stream("Two. [1]")
    assert len(slack.open_streams) == 1


async def test_the_turn_whose_start_meets_a_limit_is_edited_and_waits_for_nothing(
    slack, adapter, message, deliveries
) -> None:
    slack.fail("chat.startStream", status=429, retry_after=30)
    reply = adapter.reply(message, deliveries)
    await reply.show(todo(RUNNING))
    await reply.stream("One. [1]")
    await reply.finish(response("One. [1] Two. [1]"))
    assert texts(slack)[-1] == "One. [1] Two. [1]"
    again = adapter.reply(incoming(slack.add("C1", "U1", "more")["ts"]), MemoryDeliveries())
    await again.stream("Three. [1]")  # the lane is closed: Slack is not asked
    assert len(slack.called("chat.startStream")) == 1


async def test_streams_are_left_before_slack_refuses_them(slack, adapter) -> None:
    for _ in range(MOST_STARTS + 2):
        message = incoming(slack.add("C1", "U1", "a question")["ts"])
        await adapter.reply(message, MemoryDeliveries()).stream("One. [1]")
    assert len(slack.called("chat.startStream")) == MOST_STARTS
    assert len(slack.bot_messages("C1")) == MOST_STARTS + 2


async def test_a_limit_of_appends_is_told_and_nothing_is_lost(slack, adapter, message, deliveries) -> None:
    reply = adapter.reply(message, deliveries)
    await reply.stream("One. [1]")
    slack.fail("chat.appendStream", status=429, retry_after=1)
    with pytest.raises(RateLimitedError):
        await reply.stream("One. [1] Two. [1]")
    await reply.finish(response("One. [1] Two. [1]"))
    assert texts(slack) == ["One. [1] Two. [1]"]
    assert methods(slack) == ["startStream", "appendStream", "stopStream"]


async def test_what_is_withdrawn_does_not_wait_for_a_limit_and_stands_nowhere_in_the_end(
    slack, adapter, message, deliveries
) -> None:
    reply = adapter.reply(message, deliveries)
    await reply.stream("Wrong. [1]")
    slack.fail("chat.stopStream", status=429, retry_after=30)
    with pytest.raises(RateLimitedError):
        await reply.stream("")
    with pytest.raises(RateLimitedError):
        await reply.stream("Right. [1]")
    pass_time(31)
    await reply.stream("Right. [1]")
    assert texts(slack) == [f"Right. [1]\n\n{SIGN}"]
    await reply.finish(response("Right. [1]"))
    assert texts(slack) == ["Right. [1]"] and not slack.open_streams


async def test_the_answer_is_read_while_its_end_waits_for_a_limit(slack, adapter, message, deliveries) -> None:
    reply = adapter.reply(message, deliveries)
    await reply.stream("One. [1]")
    slack.fail("chat.stopStream", status=429, retry_after=1)
    finishing = asyncio.create_task(reply.finish(response("One. [1] Two. [1]")))
    await slack.until(lambda: texts(slack) == ["One. [1] Two. [1]"])
    await finishing
    assert texts(slack) == ["One. [1] Two. [1]"] and not slack.open_streams


def direct(ts: str, **more) -> IncomingMessage:
    key = ThreadKey(platform="slack", workspace_id="T1", channel_id="D1", thread_id="D1")
    return incoming(ts, key=key, kind=MessageKind.DIRECT, private=True, **more)


async def test_a_direct_message_is_streamed_below_itself(slack, adapter, deliveries) -> None:
    ts = slack.add("D1", "U1", "a question")["ts"]
    reply = adapter.reply(direct(ts), deliveries)
    await reply.typing(todo(RUNNING))
    await reply.show(todo(RUNNING))
    await reply.stream("One. [1]")
    await reply.finish(response("One. [1] Two. [1]"))
    [answer] = slack.bot_messages("D1")
    assert answer["thread_ts"] == ts and not slack.open_streams
    assert [b["type"] for b in answer["blocks"]] == ["plan", "markdown", "context", "context_actions"]
    assert [call.args["thread_ts"] for call in slack.called("agents.sessions.setStatus")] == [ts, ts]
    other = slack.add("D1", "U1", "another")["ts"]
    await adapter.reply(direct(other), MemoryDeliveries()).finish(response("At once. [1]"))
    assert slack.bot_messages("D1")[-1]["thread_ts"] == other


async def test_what_is_asked_below_a_direct_message_is_answered_there(slack, adapter, deliveries) -> None:
    root = slack.add("D1", "U1", "a question")["ts"]
    ts = slack.add("D1", "U1", "and then?", root)["ts"]
    reply = adapter.reply(direct(ts, extra={BELOW: root}), deliveries)
    await reply.stream("One. [1]")
    await reply.finish(response("One. [1] " * 3_000))
    assert {m["thread_ts"] for m in slack.bot_messages("D1")} == {root} and len(slack.bot_messages("D1")) > 1
    await adapter.erase(direct(ts, extra={BELOW: root}), deliveries)
    assert slack.bot_messages("D1") == []


async def test_where_slack_streams_nothing_direct_messages_are_answered_below_themselves_too(slack, adapter) -> None:
    slack.native = False
    roots = [slack.add("D1", "U1", text)["ts"] for text in ("a question", "another")]
    below = slack.add("D1", "U1", "and then?", roots[0])["ts"]
    for message in (direct(roots[0]), direct(roots[1]), direct(below, extra={BELOW: roots[0]})):
        reply = adapter.reply(message, MemoryDeliveries())
        await reply.stream("One. [1]")  # from the first one on it is known that there are no streams
        await reply.finish(response("One. [1]"))
    assert [m["thread_ts"] for m in slack.bot_messages("D1")] == [*roots, roots[0]]


async def test_a_workspace_that_forbids_edits_still_streams(slack, adapter, message, deliveries) -> None:
    slack.fail("chat.update", status=200, error="edit_window_closed", times=99)
    reply = adapter.reply(message, deliveries)
    await reply.stream("One. [1]")
    await reply.stream("One. [1] Two. [1]")
    await reply.finish(response("One. [1] Two. [1]"))
    assert texts(slack) == ["One. [1] Two. [1]"]
    other = incoming(slack.add("C1", "U1", "more")["ts"])
    reply = adapter.reply(other, MemoryDeliveries())
    await reply.stream("Wrong. [1]")
    await reply.finish(response("Right. [1]"))
    assert texts(slack) == ["One. [1] Two. [1]", "Right. [1]"]


async def test_blocks_that_slack_does_not_know_cost_the_answer_nothing(slack, adapter, message, deliveries) -> None:
    reply = adapter.reply(message, deliveries)
    await reply.stream("One. [1]")
    slack.fail("chat.stopStream", status=200, error="invalid_blocks")
    slack.fail("chat.update", status=200, error="invalid_blocks")
    await reply.finish(response("One. [1] Two. [1]"))
    assert texts(slack) == ["One. [1] Two. [1]"]
    [posted] = slack.bot_messages("C1")
    assert [block["type"] for block in posted["blocks"]] == [
        "markdown",
        "context",
    ]  # without the thumbs, which it did not know
    other = incoming(slack.add("C1", "U1", "more")["ts"])
    await adapter.reply(other, MemoryDeliveries()).finish(response("Three. [1]"))
    assert [block["type"] for block in slack.bot_messages("C1")[-1]["blocks"]] == ["markdown", "context"]


async def test_of_a_long_answer_the_first_message_is_streamed_and_the_rest_follows(
    slack, adapter, message, deliveries
) -> None:
    reply = adapter.reply(message, deliveries)
    paragraphs = [f"Paragraph {n} " + "with many words " * 40 + f"[{n}]" for n in range(40)]
    for count in (3, 10, 30, 40):
        await reply.stream("\n\n".join(paragraphs[:count]))
    await reply.finish(response("\n\n".join(paragraphs)))
    assert "\n\n".join(texts(slack)) == "\n\n".join(paragraphs)
    assert len(texts(slack)) > 1 and not slack.open_streams


async def test_nothing_that_is_streamed_pings_anybody(slack, adapter, message, deliveries) -> None:
    reply = adapter.reply(message, deliveries)
    await reply.stream("Tell <!channel>, <@U2> and @here. [1]")
    [text] = texts(slack)
    assert not any(live in text for live in ("<!", "<@", " @here"))


async def test_many_long_steps_stay_within_what_a_plan_takes(slack, adapter, message, deliveries) -> None:
    steps = [Step(id=f"s{n}", team="search", task=f"{n} 한글 단계 " + "긴 이름 " * 200) for n in range(80)]
    reply = adapter.reply(message, deliveries)
    await reply.show(todo(*steps))
    ended = [replace(s, status=StepStatus.COMPLETED, result="r" * 900, sources=("t" * 500,) * 9) for s in steps]
    await reply.finish(response("One. [1]", plan=Plan(steps=tuple(ended))))
    assert texts(slack) == ["One. [1]"] and not slack.open_streams
    assert len(plans(slack)[0][1]) == 45


async def test_erasing_takes_a_stream_away(slack, adapter, message, deliveries) -> None:
    await adapter.reply(message, deliveries).stream("One. [1]")
    await adapter.erase(message, deliveries)
    assert slack.bot_messages("C1") == []


async def test_an_append_under_way_when_the_turn_ends_never_has_the_last_word(
    slack, adapter, message, deliveries
) -> None:
    reply, gate = adapter.reply(message, deliveries), asyncio.Event()
    await reply.stream("One. [1]")
    slack.fail("chat.appendStream", hold=gate)
    task = asyncio.create_task(reply.stream("One. [1] Two. [1]"))
    await slack.until(lambda: slack.called("chat.appendStream"))
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    finishing = asyncio.create_task(reply.finish(response("One. [1] Two. [1]")))
    await slack.until(lambda: texts(slack) == ["One. [1] Two. [1]"])
    gate.set()
    await finishing
    assert texts(slack) == ["One. [1] Two. [1]"]


# --- what people think of the answer


@pytest.mark.parametrize(("number", "helpful"), [(0, True), (1, False)])
async def test_a_press_below_an_answer_is_kept(
    slack, adapter, endpoint, intake, message, deliveries, number, helpful
) -> None:
    await adapter.reply(message, deliveries).finish(response("One. [1]"))
    [posted] = slack.bot_messages("C1")
    answer = await slack.press_feedback(endpoint, posted, number)
    assert answer.status == 200
    [(ref, rating)] = intake.ratings
    assert (ref.channel_id, ref.message_id) == ("C1", posted["ts"])
    assert (rating.user, rating.helpful) == ("U1", helpful)
    if helpful:
        [told] = await slack.until(lambda: slack.responses)
        assert told["response_type"] == "ephemeral" and told["replace_original"] is False
    else:
        assert await slack.until(lambda: slack.views)


async def test_a_greeting_asks_for_no_thumbs(slack, adapter, message, deliveries) -> None:
    await adapter.reply(message, deliveries).finish(response("Hello!", route="direct", citations=()))
    assert [block["type"] for block in slack.bot_messages("C1")[0]["blocks"]] == ["markdown"]


@pytest.mark.parametrize("sign", ["😀", "👩‍👩‍👧‍👦", "한"])
async def test_two_thousand_and_one_of_one_sign_are_within_every_limit(slack, adapter, deliveries, sign) -> None:
    many = sign * 2_001
    for stream in (False, True):
        message = incoming(slack.add("C1", "U1", "a question")["ts"], text=many)
        reply = adapter.reply(message, deliveries)
        cited = replace(CITED, title=many, section=many)
        if stream:
            await reply.show(todo(replace(DONE, task=many, result=many, sources=(many,))))
            await reply.stream(many)
        await reply.finish(response(many, citations=(cited,), warnings=(many,)))
        assert "".join(texts(slack)).replace("\n", "").startswith(many)
        deliveries = MemoryDeliveries()
    aside = replace(incoming("1.1", text=many), kind=MessageKind.COMMAND, key=replace(message.key, thread_id=""))
    await adapter.open_thread(aside, deliveries)
    assert not slack.open_streams


TABLE = (
    "Before:\n\n| Office | **Days** |\n|---|---:|\n| Seoul \\| HQ | 25 [1] |\n"
    "| [Berlin](https://x.test/b) |  |\n\nAfter."
)


async def test_a_table_is_one_of_slack_s_own(slack, adapter, message, deliveries) -> None:
    await adapter.reply(message, deliveries).finish(response(TABLE))
    blocks = slack.bot_messages("C1")[0]["blocks"]
    assert [block["type"] for block in blocks] == ["markdown", "table", "markdown", "context", "context_actions"]
    rows = [[cell["text"] for cell in row] for row in blocks[1]["rows"]]
    assert rows == [["Office", "Days"], ["Seoul | HQ", "25 [1]"], ["Berlin (https://x.test/b)", "–"]]
    assert [each["align"] for each in blocks[1]["column_settings"]] == ["left", "right"]


async def test_the_row_that_answers_is_in_bold(slack, adapter, message, deliveries) -> None:
    table = "| A | B |\n|---|---|\n| x | 1 |\n| **y** | **2** |\n|  |  |"
    await adapter.reply(message, deliveries).finish(response(table))
    header, plain, bold, empty = slack.bot_messages("C1")[0]["blocks"][0]["rows"]
    assert [cell["type"] for cell in (*header, *plain, *empty)] == ["raw_text"] * 6
    words = [cell["elements"][0]["elements"][0] for cell in bold]
    assert words == [{"type": "text", "text": text, "style": {"bold": True}} for text in ("y", "2")]


async def test_a_table_that_was_streamed_stays_below_its_plan_as_it_was_read(
    slack, adapter, message, deliveries
) -> None:
    reply = adapter.reply(message, deliveries)
    await reply.show(todo(SEARCH))
    await reply.stream(TABLE[:40])
    for _ in range(2):  # as where a file is refused after it
        await reply.finish(response(TABLE))
    kinds = [block["type"] for block in slack.bot_messages("C1")[0]["blocks"]]
    assert kinds == ["plan", "markdown", "context", "context_actions"] and texts(slack) == [TABLE]
    assert not slack.open_streams and not slack.called("chat.update")


async def test_one_that_goes_on_by_edits_becomes_slack_s_own(slack, adapter, message, deliveries) -> None:
    reply = adapter.reply(message, deliveries)
    await reply.stream("Wrong.")
    await reply.finish(response(TABLE))
    assert [block["type"] for block in slack.bot_messages("C1")[0]["blocks"]][:3] == ["markdown", "table", "markdown"]
    assert not slack.open_streams


@pytest.mark.parametrize(
    "text",
    [
        "```\n| a | b |\n|---|---|\n| 1 | 2 |\n```",
        "| a |\n|---|\n" + "| x |\n" * 101,
        "|" + " a |" * 21 + "\n|" + "---|" * 21 + "\n|" + " 1 |" * 21 + "\n",
        "| a | b |\n|---|---|\n" + f"| {'x' * 5_000} | {'y' * 5_001} |\n",
        "| a | b | c | d |\n|---|---|---|---|\n" + "| 12345678 | 12345678 | 1 | 2 |\n" * 99,
    ],
    ids=["code", "rows", "columns", "characters", "sum"],
)
async def test_a_table_that_slack_would_not_take_stays_markdown(slack, adapter, message, deliveries, text) -> None:
    await adapter.reply(message, deliveries).finish(response(text))
    posted = slack.bot_messages("C1")
    assert all(block["type"] != "table" for each in posted for block in each["blocks"])
    assert len(slack.called("chat.postMessage")) == len(posted)


async def test_a_workspace_that_knows_no_tables_gets_markdown_from_then_on(slack, adapter, message, deliveries) -> None:
    slack.fail("chat.postMessage", status=200, error="invalid_blocks")
    await adapter.reply(message, deliveries).finish(response(TABLE))
    other = incoming(slack.add("C1", "U1", "more")["ts"])
    await adapter.reply(other, MemoryDeliveries()).finish(response(TABLE))
    assert [m["blocks"][0]["text"] for m in slack.bot_messages("C1")] == [TABLE, TABLE]
    assert len(slack.called("chat.postMessage")) == 3
