"""Answers in the thread: posted once whatever happens, edited in place, within Slack's limits."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest

from adapters.contract import Failure, TodoList
from adapters.slack import render
from adapters.slack.adapter import SlackAdapter
from agent.errors import ClosedError, DeliveryError, GoneError, RateLimitedError, StorageError, UnreachableError
from agent.language import say
from agent.types import (
    Author,
    Citation,
    Clarification,
    IncomingMessage,
    MessageKind,
    ProducedFile,
    Response,
    Step,
    StepStatus,
    ThreadKey,
)
from tests.clock import pass_time
from tests.fakes_deliveries import MemoryDeliveries
from tests.servers.slack import SlackServer


@pytest.fixture
def message(slack: SlackServer) -> IncomingMessage:
    asked = slack.add("C1", "U1", "a question")
    return incoming("C1", asked["ts"], asked["ts"])


def incoming(channel: str, thread: str, ts: str, kind: MessageKind = MessageKind.MENTION) -> IncomingMessage:
    return IncomingMessage(
        key=ThreadKey(platform="slack", workspace_id="T1", channel_id=channel, thread_id=thread),
        event_id=f"slack:T1:{channel}:{ts}",
        message_id=ts,
        author=Author(id="U1"),
        text="a question",
        kind=kind,
        received_at=float(ts) if ts.replace(".", "").isdigit() else 0.0,
    )


def response(answer: str, **more: object) -> Response:
    values = {
        "thread_id": "t",
        "turn_id": "t1",
        "pack": "handbook",
        "mode": "agent",
        "language": "en",
        "route": "research",
        "answer": answer,
        "response_type": "answer",
        **more,
    }
    return Response(**values)


def todo(*statuses: StepStatus, status: str = "working", **more: object) -> TodoList:
    steps = tuple(
        Step(id=str(n), team="search", task=f"Step {n}", status=value, **more) for n, value in enumerate(statuses)
    )
    return TodoList(steps=steps, language="en", status=status, elapsed_ms=3_240.0)


def shown(message: dict) -> str:
    """All that a reader sees of a message."""
    return json.dumps(message["blocks"], ensure_ascii=False) if message.get("blocks") else message["text"]


async def test_progress_is_one_message_that_is_edited(
    slack: SlackServer, adapter: SlackAdapter, message, deliveries
) -> None:
    reply = adapter.reply(message, deliveries)
    await reply.show(todo(StepStatus.IN_PROGRESS, StepStatus.PENDING))
    await reply.show(todo(StepStatus.IN_PROGRESS, StepStatus.PENDING))
    await adapter.reply(message, deliveries).show(todo(StepStatus.COMPLETED, StepStatus.FAILED, status="done"))
    [progress] = slack.bot_messages("C1")
    assert progress["thread_ts"] == message.key.thread_id
    assert [len(slack.called(name)) for name in ("chat.postMessage", "chat.update")] == [1, 1]
    for part in ("Done", "3.2 s", "✅ Step 0", "❌ Step 1"):
        assert part in shown(progress)
        assert part in progress["text"]
    assert progress["metadata"]["event_payload"] == {"turn_id": message.turn_id, "slot": "progress"}


async def test_the_answer_follows_with_its_sources(
    slack: SlackServer, adapter: SlackAdapter, message, deliveries
) -> None:
    reply = adapter.reply(message, deliveries)
    await reply.show(todo(StepStatus.COMPLETED))
    web = Citation(
        n=1, document_id="d", passage_id="d#0", title="Leave | policy", quote="q", section="Time > Leave", page=3,
        source="https://docs.example/leave?a=1&b=2",
    )  # fmt: skip
    file = Citation(n=2, document_id="e", passage_id="e#0", title="notes.md", quote="q", source="/srv/notes.md")
    await reply.finish(response("You have **25** days. [1][2]", citations=(web, file), warnings=("Old index.",)))
    _, answer = slack.bot_messages("C1")
    assert answer["thread_ts"] == message.key.thread_id
    markdown, sources, notes, thumbs = answer["blocks"]
    assert markdown == {"type": "markdown", "text": "You have **25** days. [1][2]"}
    assert sources["elements"][0]["text"].splitlines() == [
        "*Sources*",
        "[1] <https://docs.example/leave?a=1&amp;b=2|Leave ¦ policy> › Time › Leave, p. 3",
        "[2] notes.md",
    ]
    assert notes["elements"][0]["text"] == "⚠️ Old index."
    assert thumbs["elements"][0]["type"] == "feedback_buttons"
    assert answer["text"] == "You have *25* days. [1][2]"


async def test_finishing_twice_gives_one_message(
    slack: SlackServer, adapter: SlackAdapter, message, deliveries
) -> None:
    await adapter.reply(message, deliveries).finish(response("Once. [1]"))
    await adapter.reply(message, deliveries).finish(response("Once. [1]"))
    assert len(slack.bot_messages("C1")) == 1
    assert not slack.called("chat.update")


async def test_a_long_answer_is_split_and_later_edited_to_fewer_parts(
    slack: SlackServer, adapter: SlackAdapter, message, deliveries
) -> None:
    paragraphs = [f"Paragraph {n} " + "with many words " * 40 + f"[{n}]" for n in range(60)]
    await adapter.reply(message, deliveries).finish(response("\n\n".join(paragraphs)))
    parts = slack.bot_messages("C1")
    assert len(parts) >= 4
    told = "\n\n".join(part["blocks"][0]["text"] for part in parts)
    assert told == "\n\n".join(paragraphs)
    edit = replace(message, kind=MessageKind.EDIT)
    await adapter.reply(edit, deliveries).finish(response("\n\n".join(paragraphs[:20])))
    fewer = slack.bot_messages("C1")
    assert [m["ts"] for m in fewer] == [m["ts"] for m in parts[: len(fewer)]]
    assert len(fewer) < len(parts)
    await adapter.reply(message, deliveries).finish(response("\n\n".join(paragraphs)))
    assert len(slack.bot_messages("C1")) == len(parts)


async def test_many_sources_and_warnings_stay_within_the_limits(
    slack: SlackServer, adapter: SlackAdapter, message, deliveries
) -> None:
    citations = tuple(
        Citation(
            n=n, document_id="d", passage_id="d", title="<&>" * 80, quote="", section="s" * 400, page=n,
            source=f"https://docs.example/{'x' * 200}/{n}",
        )
        for n in range(1, 60)
    )  # fmt: skip
    answer = '"quoted"\n' * 1_200
    await adapter.reply(message, deliveries).finish(response(answer, citations=citations, warnings=("w" * 4_000,)))
    everything = "".join(shown(m) for m in slack.bot_messages("C1"))
    assert all(f"[{n}] <https" in everything for n in range(1, 60))


async def test_a_rate_limit_is_waited_for(slack: SlackServer, adapter: SlackAdapter, message, deliveries) -> None:
    slack.fail("chat.postMessage", times=2, status=429, retry_after=0)
    await adapter.reply(message, deliveries).finish(response("Late. [1]"))
    assert [m["text"] for m in slack.bot_messages("C1")] == ["Late. [1]"]
    assert len(slack.called("chat.postMessage")) == 3
    assert not slack.called("conversations.replies")  # a limit is a clear answer: nothing to look for


async def test_the_wait_is_as_long_as_slack_tells(
    slack: SlackServer, adapter: SlackAdapter, message, deliveries
) -> None:
    slack.fail("chat.postMessage", status=429, retry_after=1)
    await adapter.reply(message, deliveries).finish(response("Late. [1]"))
    first, second = slack.called("chat.postMessage")
    assert second.at - first.at >= 1


async def test_progress_tells_of_a_rate_limit_instead_of_waiting(
    slack: SlackServer, adapter: SlackAdapter, message, deliveries
) -> None:
    reply = adapter.reply(message, deliveries)
    await reply.show(todo(StepStatus.PENDING))
    slack.fail("chat.update", status=429, retry_after=7)
    with pytest.raises(RateLimitedError) as limit:
        await reply.show(todo(StepStatus.IN_PROGRESS))
    assert limit.value.retry_after == 7
    slack.fail("chat.update", status=429, retry_after=0)
    asyncio.get_running_loop().call_soon(pass_time, 10)
    await reply.show(todo(StepStatus.COMPLETED, status="done"))  # the last state comes for certain
    assert "✅" in shown(slack.bot_messages("C1")[0])


@pytest.mark.parametrize(
    "fault",
    [
        {"status": 500},
        {"status": 503, "error": "service_unavailable"},
        {"status": 200, "error": "internal_error"},
        {"drop": True},
        {"status": 500, "done": True},
        {"drop": True, "done": True},
    ],
)
async def test_an_outage_neither_loses_nor_doubles_the_answer(
    slack: SlackServer, adapter: SlackAdapter, message, deliveries, fault
) -> None:
    slack.fail("chat.postMessage", **fault)
    await adapter.reply(message, deliveries).finish(response("Here. [1]"))
    assert [m["text"] for m in slack.bot_messages("C1")] == ["Here. [1]"]


async def test_an_outage_that_lasts_is_told(slack: SlackServer, adapter: SlackAdapter, message, deliveries) -> None:
    slack.fail("*", status=500, times=99)
    with pytest.raises(DeliveryError):
        await adapter.reply(message, deliveries).finish(response("Here. [1]"))


@pytest.mark.parametrize("where", ["thread", "direct"])
async def test_a_crash_between_sending_and_recording(
    slack: SlackServer, adapter: SlackAdapter, message, deliveries: MemoryDeliveries, where: str
) -> None:
    channel = "D1" if where == "direct" else "C1"
    if where == "direct":
        message = incoming("D1", "D1", slack.add("D1", "U1", "a question")["ts"], MessageKind.DIRECT)
    thread = message.message_id
    slack.page_size = 2  # the message is not on the first page
    for n in range(5):
        slack.add(channel, "U2", f"chatter {n}", thread)
    deliveries.fail_next_record = True
    with pytest.raises(StorageError):
        await adapter.reply(message, deliveries).finish(response("Once. [1]"))
    for n in range(5):
        slack.add(channel, "U2", f"more chatter {n}", thread)
    await adapter.reply(message, deliveries).finish(response("Once, and complete. [1]"))
    [answer] = slack.bot_messages(channel)
    assert answer["text"] == "Once, and complete. [1]"
    assert answer.get("thread_ts") == thread


async def test_without_the_right_to_search_the_answer_still_comes(
    slack: SlackServer, adapter: SlackAdapter, message, deliveries: MemoryDeliveries
) -> None:
    await deliveries.begin(message.turn_id, "answer:0")
    slack.fail("conversations.replies", status=200, error="missing_scope")
    await adapter.reply(message, deliveries).finish(response("Here. [1]"))
    assert len(slack.bot_messages("C1")) == 1


async def test_a_deleted_answer_is_posted_anew(slack: SlackServer, adapter: SlackAdapter, message, deliveries) -> None:
    reply = adapter.reply(message, deliveries)
    await reply.finish(response("First. [1]"))
    slack.remove("C1", slack.bot_messages("C1")[0]["ts"])
    await reply.finish(response("Second. [1]"))
    assert [m["text"] for m in slack.bot_messages("C1")] == ["Second. [1]"]


async def test_where_edits_are_forbidden_the_list_is_gone_at_the_end(
    slack: SlackServer, adapter: SlackAdapter, message, deliveries
) -> None:
    reply = adapter.reply(message, deliveries)
    await reply.show(todo(StepStatus.PENDING))
    slack.fail("chat.update", status=200, error="edit_window_closed", times=2)
    await reply.show(todo(StepStatus.IN_PROGRESS))
    await reply.show(todo(StepStatus.COMPLETED, status="done"))
    await reply.finish(response("Here. [1]"))
    assert [m["text"] for m in slack.bot_messages("C1")] == ["Here. [1]"]
    slack.fail("chat.update", status=200, error="edit_window_closed")
    await reply.finish(response("Here, better. [1]"))
    assert [m["text"] for m in slack.bot_messages("C1")] == ["Here. [1]", "Here, better. [1]"]


async def test_refused_blocks_become_plain_text(slack: SlackServer, adapter: SlackAdapter, message, deliveries) -> None:
    slack.fail("chat.postMessage", status=200, error="invalid_blocks")
    long = "\n\n".join(f"**Paragraph {n}** " + "a < b & c " * 60 for n in range(20))
    await adapter.reply(message, deliveries).finish(response(long))
    parts = slack.bot_messages("C1")
    assert all(not part.get("blocks") and len(part["text"]) <= 4_000 for part in parts)
    assert [n for n in range(20) if f"*Paragraph {n}*" in "".join(part["text"] for part in parts)] == list(range(20))


async def test_nothing_in_an_answer_pings_anybody(
    slack: SlackServer, adapter: SlackAdapter, message, deliveries
) -> None:
    evil = "<!channel> <!here|here> <@U2> <!subteam^S1> @everyone @channel @here mail@here.example <#C2>"
    title = "<!channel> @here <https://evil.example|click>"
    citation = Citation(n=1, document_id="d", passage_id="d", title=title, quote="", section=evil)
    reply = adapter.reply(message, deliveries)
    step = Step(id="1", team="search", task=evil, result=evil, status=StepStatus.COMPLETED)
    await reply.show(TodoList(steps=(step,), language="en"))
    await reply.finish(response(evil, citations=(citation,), warnings=(evil,)))
    for posted in slack.bot_messages("C1"):
        for text in (posted["text"], shown(posted)):
            for live in ("<!", "<@", "<#", " @everyone", " @channel", " @here", "<https://evil"):
                assert live not in text
    for call in slack.called("chat.postMessage"):
        assert (call.args["parse"], call.args["link_names"], call.args["unfurl_links"]) == ("none", False, False)


async def test_asking_back_and_failing_take_the_answer_s_place(
    slack: SlackServer, adapter: SlackAdapter, message, deliveries
) -> None:
    reply = adapter.reply(message, deliveries)
    await reply.ask(Clarification(question="Which office?", options=("Seoul", "Berlin")))
    [asked] = slack.bot_messages("C1")
    assert asked["blocks"][0]["text"] == "Which office?\n\n1. Seoul\n2. Berlin"
    await reply.fail(Failure(text="This took too long.", language="en"))
    [failed] = slack.bot_messages("C1")
    assert (failed["ts"], failed["text"]) == (asked["ts"], "This took too long.")


async def test_a_file_is_uploaded_once(
    slack: SlackServer, adapter: SlackAdapter, message, deliveries, tmp_path: Path
) -> None:
    path = tmp_path / "plan.md"
    path.write_text("# Plan")
    file = ProducedFile(name="plan.md", media_type="text/markdown", path=str(path), text="the plan")
    reply = adapter.reply(message, deliveries)
    await reply.attach(file)
    await reply.attach(file)
    [posted] = slack.bot_messages("C1")
    assert posted["thread_ts"] == message.key.thread_id
    assert [(f["content"], f["alt"]) for f in slack.files.values()] == [(b"# Plan", "the plan")]
    path.write_text("# Plan, better")
    await reply.attach(file)
    assert [f["content"] for f in slack.files.values()] == [b"# Plan, better"]
    assert len(slack.bot_messages("C1")) == 1


async def test_an_upload_whose_confirmation_was_lost_is_found(
    slack: SlackServer, adapter: SlackAdapter, message, deliveries: MemoryDeliveries, tmp_path: Path
) -> None:
    (tmp_path / "plan.md").write_text("# Plan")
    file = ProducedFile(name="plan.md", media_type="text/markdown", path=str(tmp_path / "plan.md"))
    slack.fail("files.completeUploadExternal", drop=True, done=True)
    await adapter.reply(message, deliveries).attach(file)
    assert len(slack.bot_messages("C1")) == 1


async def test_erasing_takes_everything_back(
    slack: SlackServer, adapter: SlackAdapter, message, deliveries: MemoryDeliveries, tmp_path: Path
) -> None:
    (tmp_path / "plan.md").write_text("# Plan")
    reply = adapter.reply(message, deliveries)
    await reply.show(todo(StepStatus.COMPLETED))
    deliveries.fail_next_record = True
    with pytest.raises(StorageError):
        await reply.finish(response("Here. [1]"))
    await reply.attach(ProducedFile(name="plan.md", media_type="", path=str(tmp_path / "plan.md")))
    slack.remove("C1", slack.bot_messages("C1")[0]["ts"])  # somebody deleted one of them already
    await adapter.erase(message, deliveries)
    await adapter.erase(message, deliveries)
    assert slack.bot_messages("C1") == []
    assert await deliveries.slots(message.turn_id) == []


async def test_a_channel_closed_to_weft_is_told(slack: SlackServer, adapter: SlackAdapter, message, deliveries) -> None:
    slack.channels["C1"] = False
    with pytest.raises(GoneError, match="not_in_channel"):
        await adapter.reply(message, deliveries).finish(response("Here. [1]"))


async def test_a_command_opens_its_thread_once(
    slack: SlackServer, adapter: SlackAdapter, deliveries: MemoryDeliveries
) -> None:
    asked = incoming("C1", "", "13.8.T1", MessageKind.COMMAND)
    asked = replace(asked, text="How many days?\n<!channel> *now*", received_at=float(slack.next_ts()))
    deliveries.fail_next_record = True
    with pytest.raises(StorageError):
        await adapter.open_thread(asked, deliveries)
    key = await adapter.open_thread(asked, deliveries)
    assert await adapter.open_thread(asked, deliveries) == key
    [anchor] = slack.bot_messages("C1")
    assert (key.channel_id, key.thread_id) == ("C1", anchor["ts"])
    assert anchor["text"].startswith("<@U1> asks:\n> How many days?\n> &lt;")
    await adapter.reply(replace(asked, key=key), deliveries).finish(response("25. [1]"))
    assert slack.bot_messages("C1", key.thread_id)[1]["text"] == "25. [1]"


async def test_other_messages_have_their_thread(adapter: SlackAdapter, message, deliveries) -> None:
    assert await adapter.open_thread(message, deliveries) == message.key


async def test_a_command_where_weft_may_not_write_tells_the_asker(
    slack: SlackServer, adapter: SlackAdapter, deliveries
) -> None:
    slack.channels["C2"] = False
    asked = incoming("C2", "", "13.8.T1", MessageKind.COMMAND)
    asked = replace(asked, text="휴가는 며칠인가요?", extra={"response_url": f"{slack.root}/respond/1"})
    with pytest.raises(ClosedError) as closed:
        await adapter.open_thread(asked, deliveries)
    assert closed.value.reason == "not_member"
    await adapter.whisper(asked, say("not_in_channel", "ko"))
    [told] = slack.responses
    assert told["response_type"] == "ephemeral"
    assert "/invite" in told["text"] and "초대" in told["text"]


async def test_a_list_whose_confirmation_was_lost_goes_with_its_question(
    slack: SlackServer, adapter: SlackAdapter, message, deliveries
) -> None:
    slack.fail("chat.postMessage", drop=True, done=True)
    with pytest.raises(UnreachableError):
        await adapter.reply(message, deliveries).show(todo(StepStatus.PENDING))
    assert len(slack.bot_messages("C1")) == 1
    slack.remove("C1", message.message_id)
    await adapter.erase(message, deliveries)
    assert slack.bot_messages("C1") == []


def test_a_list_says_how_many_are_before_a_question_until_its_turn_begins():
    waiting = render.progress(TodoList(steps=(), language="en", before=3))
    assert waiting.text == say("waits_behind", "en", count=3)
    assert "before yours" not in render.progress(TodoList(steps=(), language="en", phase="searching")).text
