"""The answer grows in the thread while it is written: one message, whatever goes wrong, and in the end the answer."""

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest

from adapters import drafts
from adapters.contract import Failure, TodoList
from adapters.drafts import GOES_ON
from adapters.slack import budget
from adapters.slack.adapter import SlackAdapter
from adapters.slack.budget import CallBudget
from agent.errors import DeliveryError, RateLimitedError, StorageError, UnreachableError
from agent.types import (
    Author,
    Citation,
    Clarification,
    IncomingMessage,
    MessageKind,
    Response,
    Step,
    StepStatus,
    ThreadKey,
)
from tests.clock import pass_time
from tests.fakes_deliveries import MemoryDeliveries
from tests.servers.slack import SlackServer

SIGN = GOES_ON.strip()


@pytest.fixture
def message(slack: SlackServer) -> IncomingMessage:
    return incoming(slack.add("C1", "U1", "a question")["ts"])


def incoming(ts: str, text: str = "a question", kind: MessageKind = MessageKind.MENTION) -> IncomingMessage:
    return IncomingMessage(
        key=ThreadKey(platform="slack", workspace_id="T1", channel_id="C1", thread_id=ts),
        event_id=f"slack:T1:C1:{ts}:{kind}",
        message_id=ts,
        author=Author(id="U1"),
        text=text,
        kind=kind,
        received_at=float(ts),
    )


def response(answer: str, **more: object) -> Response:
    values = {
        "thread_id": "t", "turn_id": "t1", "pack": "handbook", "mode": "agent", "language": "en",
        "route": "research", "answer": answer, "response_type": "answer", **more,
    }  # fmt: skip
    return Response(**values)


def texts(slack: SlackServer) -> list[str]:
    """What a reader sees of the app's messages."""
    return [
        "\n".join(block["text"] for block in m["blocks"] if block["type"] == "markdown")
        if m.get("blocks")
        else m["text"]
        for m in slack.bot_messages("C1")
    ]


def count(slack: SlackServer) -> dict[str, int]:
    """How often each method was called that writes or reads messages, and is known here."""
    methods = [call.method for call in slack.calls if call.method.startswith(("chat.", "conversations."))]
    methods = [method for method in methods if method != "chat.startStream"]
    return {method: methods.count(method) for method in sorted(set(methods))}


async def cut_off(slack: SlackServer, method: str, streaming: Coroutine[Any, Any, None]) -> None:
    """Begin to send a draft, and leave when Slack has the request: it is still carried out."""
    task = asyncio.create_task(streaming)
    before = len(slack.called(method))
    await slack.until(lambda: len(slack.called(method)) > before)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_the_message_grows_and_becomes_the_answer(slack, adapter: SlackAdapter, message, deliveries) -> None:
    reply = adapter.reply(message, deliveries)
    await reply.stream("You have **25** days. [1]")
    [draft] = slack.bot_messages("C1")
    assert draft["thread_ts"] == message.key.thread_id
    assert texts(slack) == [f"You have **25** days. [1]\n\n{SIGN}"]
    assert draft["text"].startswith("You have *25* days. [1]")
    await reply.stream("You have **25** days. [1] Ask by May. [2]")
    assert texts(slack) == [f"You have **25** days. [1] Ask by May. [2]\n\n{SIGN}"]
    source = Citation(n=1, document_id="d", passage_id="d#0", title="Leave", quote="q", source="notes.md")
    await reply.finish(response("You have **25** days. [1] Ask by May. [2]", citations=(source,)))
    [answer] = slack.bot_messages("C1")
    assert answer["ts"] == draft["ts"]
    assert texts(slack) == ["You have **25** days. [1] Ask by May. [2]"]
    assert "Leave" in answer["blocks"][1]["elements"][0]["text"]
    assert count(slack) == {"chat.postMessage": 1, "chat.update": 2}


async def test_the_same_text_is_sent_once(slack, adapter, message, deliveries) -> None:
    for _ in range(3):
        await adapter.reply(message, deliveries).stream("One. [1]")
    assert count(slack) == {"chat.postMessage": 1}


async def test_korean(slack, adapter, deliveries) -> None:
    message = incoming(slack.add("C1", "U1", "?")["ts"], "연차는 며칠인가요?")
    reply = adapter.reply(message, deliveries)
    await reply.stream("연차는 15일입니다. [1]")
    assert texts(slack) == [f"연차는 15일입니다. [1]\n\n{SIGN}"]
    await reply.stream("")
    assert texts(slack) == [f"_답변을 다시 작성하고 있습니다_\n\n{SIGN}"]
    await reply.finish(response("연차는 16일입니다. [1]", language="ko"))
    assert texts(slack) == ["연차는 16일입니다. [1]"]


async def test_a_withdrawn_draft_gives_way_to_a_word_and_then_to_the_next(slack, adapter, message, deliveries) -> None:
    reply = adapter.reply(message, deliveries)
    await reply.stream("")  # nothing was shown, so nothing is taken back
    assert slack.bot_messages("C1") == []
    await reply.stream("Wrong. [1]")
    await reply.stream("")
    assert texts(slack) == [f"_Writing the answer once more_\n\n{SIGN}"]
    await reply.stream("Right. [1]")
    assert texts(slack) == [f"Right. [1]\n\n{SIGN}"]
    assert count(slack) == {"chat.postMessage": 1, "chat.update": 2}


async def test_nothing_in_a_draft_pings_anybody(slack, adapter, message, deliveries) -> None:
    await adapter.reply(message, deliveries).stream("Tell <!channel>, <@U2> and @here. [1]")
    [draft] = slack.bot_messages("C1")
    for text in (draft["text"], texts(slack)[0]):
        assert not any(live in text for live in ("<!", "<@", " @here"))


async def test_of_a_long_answer_the_beginning_is_streamed(slack, adapter, message, deliveries) -> None:
    reply = adapter.reply(message, deliveries)
    paragraphs = [f"Paragraph {n} " + "with many words " * 40 + f"[{n}]" for n in range(40)]
    await reply.stream("\n\n".join(paragraphs[:30]))
    [draft] = texts(slack)
    assert len(draft) <= 11_000 and draft.endswith(f"]\n\n{SIGN}")
    await reply.stream("\n\n".join(paragraphs))  # the part that is shown is the same
    assert count(slack) == {"chat.postMessage": 1}
    await reply.finish(response("\n\n".join(paragraphs)))
    assert "\n\n".join(texts(slack)) == "\n\n".join(paragraphs)
    assert len(texts(slack)) > 1


@pytest.mark.parametrize("code", ["```\na = 1", "~~~python\n" + "a = 1\n" * 4_000, "Do:\n\n````\n```\na = 1"])
async def test_the_sign_never_stands_in_the_code(slack, adapter, message, deliveries, code) -> None:
    await adapter.reply(message, deliveries).stream(code)
    [draft] = texts(slack)
    fence = "~~~" if "~~~" in code else "````" if "````" in code else "```"
    assert len(draft) <= 11_000 and draft.endswith(f"\n{fence}\n\n{SIGN}")


async def test_refused_blocks_become_plain_text(slack, adapter, message, deliveries) -> None:
    reply = adapter.reply(message, deliveries)
    slack.fail("chat.postMessage", status=200, error="invalid_blocks")
    await reply.stream("A **bold** < word. [1] " * 400)
    [draft] = slack.bot_messages("C1")
    assert not draft.get("blocks") and "*bold* &lt; word" in draft["text"]
    assert draft["text"].endswith(SIGN) and len(draft["text"]) <= 4_000


async def test_a_limit_is_told_and_not_waited_for(slack, adapter, message, deliveries) -> None:
    reply = adapter.reply(message, deliveries)
    slack.fail("chat.postMessage", status=429, retry_after=7)
    with pytest.raises(RateLimitedError) as limit:
        await reply.stream("One. [1]")
    assert limit.value.retry_after == 7
    pass_time(7)
    await reply.stream("One. [1]")
    assert not slack.called("conversations.replies")  # a limit is a clear answer: nothing to look for
    slack.fail("chat.update", status=429, retry_after=0)
    with pytest.raises(RateLimitedError):
        await reply.stream("One. [1] Two. [1]")
    await reply.finish(response("One. [1] Two. [1]"))
    assert texts(slack) == ["One. [1] Two. [1]"]


async def test_while_slack_wants_no_edits_no_draft_is_begun_and_the_answer_is_posted(
    slack, adapter, message, deliveries
) -> None:
    reply = adapter.reply(message, deliveries)
    await reply.show(TodoList(steps=(Step(id="1", team="search", task="Search"),), language="en"))
    slack.fail("chat.update", status=429, retry_after=30)
    with pytest.raises(RateLimitedError):
        step = Step(id="1", team="search", task="Search", status=StepStatus.IN_PROGRESS)
        await reply.show(TodoList(steps=(step,), language="en"))
    with pytest.raises(RateLimitedError):
        await reply.stream("One. [1]")
    await reply.finish(response("One. [1]"))
    assert texts(slack)[1:] == ["One. [1]"]
    assert count(slack) == {"chat.postMessage": 2, "chat.update": 1}


async def test_drafts_leave_edits_to_lists_and_answers(slack, adapter, message, deliveries, monkeypatch) -> None:
    reply = adapter.reply(message, deliveries)
    await reply.stream("0.")
    for number in range(budget.FOR_DRAFTS):
        await reply.stream(f"{number + 1}.")
    with pytest.raises(RateLimitedError) as limit:
        await reply.stream("One more.")
    assert 0 < limit.value.retry_after <= 60
    await reply.stream("")  # what is withdrawn does not stay
    assert "once more" in texts(slack)[0]
    await reply.finish(response("The answer. [1]"))
    assert texts(slack) == ["The answer. [1]"]


def test_the_budget_is_of_the_last_minute() -> None:
    now = 100.0
    edits = CallBudget(clock=lambda: now)
    for _ in range(budget.FOR_DRAFTS):
        assert edits.pause() == 0
        edits.spend()
    now = 130.0
    assert edits.pause() == 30
    now = 160.0
    assert edits.pause() == 0


@pytest.mark.parametrize("fault", [{"drop": True, "done": True}, {"status": 500, "done": True}])
async def test_a_draft_whose_confirmation_was_lost_is_found(slack, adapter, message, deliveries, fault) -> None:
    reply = adapter.reply(message, deliveries)
    slack.fail("chat.postMessage", **fault)
    with pytest.raises(UnreachableError):
        await reply.stream("One. [1]")
    await reply.stream("One. [1] Two. [1]")
    assert texts(slack) == [f"One. [1] Two. [1]\n\n{SIGN}"]
    await reply.finish(response("One. [1] Two. [1]"))
    assert texts(slack) == ["One. [1] Two. [1]"]


async def test_a_draft_that_may_still_come_is_not_posted_again(slack, adapter, message, deliveries) -> None:
    reply = adapter.reply(message, deliveries)
    slack.fail("chat.postMessage", drop=True)
    with pytest.raises(UnreachableError):
        await reply.stream("One. [1]")
    with pytest.raises(DeliveryError):
        await reply.stream("One. [1] Two. [1]")
    assert len(slack.called("chat.postMessage")) == 1
    await reply.finish(response("One. [1] Two. [1]"))
    assert texts(slack) == ["One. [1] Two. [1]"]


async def test_where_a_lost_draft_cannot_be_looked_for_it_is_not_posted_again(
    slack, adapter, message, deliveries
) -> None:
    reply = adapter.reply(message, deliveries)
    slack.fail("chat.postMessage", drop=True, done=True)
    with pytest.raises(UnreachableError):
        await reply.stream("One. [1]")
    slack.fail("conversations.replies", status=200, error="missing_scope")
    with pytest.raises(DeliveryError):
        await reply.stream("One. [1] Two. [1]")
    assert len(slack.bot_messages("C1")) == 1


@pytest.mark.parametrize("then", ["draft", "answer", "failure"])
async def test_after_a_crash_the_half_draft_goes_on_as_whatever_comes(
    slack, adapter, message, deliveries: MemoryDeliveries, then
) -> None:
    deliveries.fail_next_record = True
    with pytest.raises(StorageError):
        await adapter.reply(message, deliveries).stream("One. [1]")
    again = adapter.reply(message, deliveries)
    if then == "draft":
        await again.stream("Other words. [1]")
        await again.finish(response("Other words. [1]"))
    elif then == "answer":
        await again.finish(response("Other words. [1]"))
    else:
        await again.fail(Failure(text="Other words. [1]", language="en"))
    assert texts(slack) == ["Other words. [1]"]
    assert len(slack.called("chat.postMessage")) == 1


async def test_a_draft_of_an_earlier_attempt_goes_on(slack, adapter, message, deliveries) -> None:
    await adapter.reply(message, deliveries).stream("One. [1]")
    again = adapter.reply(message, deliveries)
    await again.stream("Other words. [1]")
    assert texts(slack) == [f"Other words. [1]\n\n{SIGN}"]


@pytest.mark.parametrize("said", ["answer", "failure", "question", "lost"])
async def test_an_answer_that_stood_there_gives_way_to_the_next_answer_only(
    slack, adapter, message, deliveries: MemoryDeliveries, said
) -> None:
    reply = adapter.reply(message, deliveries)
    if said == "lost":
        deliveries.fail_next_record = True
        with pytest.raises(StorageError):
            await reply.finish(response("Old. [1]"))
    elif said == "answer":
        await reply.finish(response("Old. [1]"))
    elif said == "failure":
        await reply.fail(Failure(text="Old. [1]", language="en"))
    else:
        await reply.ask(Clarification(question="Old. [1]"))
    edit = adapter.reply(incoming(message.message_id, kind=MessageKind.EDIT), deliveries)
    await edit.stream("New. [1]")
    assert texts(slack) == ["Old. [1]"]
    await edit.finish(response("New. [1]"))
    assert texts(slack) == ["New. [1]"]
    assert len(slack.called("chat.postMessage")) == 1


async def test_what_ends_a_turn_takes_the_place_of_its_draft(slack, adapter, message, deliveries) -> None:
    reply = adapter.reply(message, deliveries)
    await reply.stream("One. [1]")
    await adapter.reply(message, deliveries).ask(Clarification(question="Which office?", options=("Seoul", "Berlin")))
    assert texts(slack) == ["Which office?\n\n1. Seoul\n2. Berlin"]
    await adapter.reply(message, deliveries).fail(Failure(text="Stopped.", language="en"))
    assert texts(slack) == ["Stopped."]


async def test_a_draft_that_somebody_deleted_is_not_sent_anew(slack, adapter, message, deliveries) -> None:
    reply = adapter.reply(message, deliveries)
    await reply.stream("One. [1]")
    slack.remove("C1", slack.bot_messages("C1")[0]["ts"])
    with pytest.raises(DeliveryError):
        await reply.stream("One. [1] Two. [1]")
    assert slack.bot_messages("C1") == []
    await reply.finish(response("One. [1] Two. [1]"))
    assert texts(slack) == ["One. [1] Two. [1]"]


async def test_where_the_draft_cannot_be_edited_the_answer_stands_alone(
    slack, adapter, message, deliveries, make_adapter
) -> None:
    reply = adapter.reply(message, deliveries)
    await reply.stream("One. [1]")
    slack.fail("chat.update", status=200, error="edit_window_closed", times=99)
    with pytest.raises(DeliveryError):
        await reply.stream("One. [1] Two. [1]")
    await reply.stream("One. [1] Two. [1] Three. [1]")  # nothing: the workspace is known now
    await reply.finish(response("One. [1] Two. [1] Three. [1]"))
    assert texts(slack) == ["One. [1] Two. [1] Three. [1]"]
    other = incoming(slack.add("C1", "U1", "another question")["ts"])
    await adapter.reply(other, MemoryDeliveries()).stream("One. [1]")
    assert len(slack.bot_messages("C1")) == 1


async def test_a_list_that_cannot_be_edited_tells_the_same(slack, adapter, message, deliveries) -> None:
    reply = adapter.reply(message, deliveries)
    await reply.show(TodoList(steps=(Step(id="1", team="search", task="Search"),), language="en"))
    slack.fail("chat.update", status=200, error="edit_window_closed")
    step = Step(id="1", team="search", task="Search", status=StepStatus.IN_PROGRESS)
    await reply.show(TodoList(steps=(step,), language="en"))
    await reply.stream("One. [1]")
    assert len(slack.bot_messages("C1")) == 1


async def test_an_old_answer_that_cannot_be_edited_says_nothing_about_drafts(
    slack, adapter, message, deliveries
) -> None:
    await adapter.reply(message, deliveries).finish(response("Old. [1]"))
    slack.fail("chat.update", status=200, error="edit_window_closed")
    await adapter.reply(message, deliveries).finish(response("New. [1]"))
    assert texts(slack) == ["Old. [1]", "New. [1]"]
    other = incoming(slack.add("C1", "U1", "another question")["ts"])
    await adapter.reply(other, MemoryDeliveries()).stream("One. [1]")
    assert texts(slack)[-1] == f"One. [1]\n\n{SIGN}"


# --- a draft under way when the turn ends


async def test_a_draft_being_posted_neither_doubles_nor_overtakes_the_answer(
    slack, adapter, message, deliveries
) -> None:
    gate = asyncio.Event()
    slack.fail("chat.postMessage", hold=gate)
    await cut_off(slack, "chat.postMessage", adapter.reply(message, deliveries).stream("One. [1]"))
    finishing = asyncio.create_task(adapter.reply(message, deliveries).finish(response("One. [1] Two. [1]")))
    await asyncio.sleep(0.02)
    assert slack.bot_messages("C1") == []  # whether to post or to edit is not known yet
    gate.set()
    await finishing
    assert texts(slack) == ["One. [1] Two. [1]"]
    assert len(slack.called("chat.postMessage")) == 1


async def test_a_draft_being_edited_never_has_the_last_word(slack, adapter, message, deliveries) -> None:
    reply, gate = adapter.reply(message, deliveries), asyncio.Event()
    await reply.stream("One. [1]")
    slack.fail("chat.update", hold=gate)
    await cut_off(slack, "chat.update", reply.stream("One. [1] Half"))
    finishing = asyncio.create_task(adapter.reply(message, deliveries).finish(response("One. [1] Two. [1]")))
    await slack.until(lambda: texts(slack) == ["One. [1] Two. [1]"])  # the answer is there at once
    gate.set()  # and now the draft is carried out
    await finishing
    assert texts(slack) == ["One. [1] Two. [1]"]
    assert len(slack.called("chat.postMessage")) == 1


async def test_a_draft_that_nobody_hears_of_any_more_is_given_up_and_the_answer_repeated(
    slack, adapter, message, deliveries, monkeypatch
) -> None:
    monkeypatch.setattr(drafts, "LONGEST", 0.05)
    reply, gate = adapter.reply(message, deliveries), asyncio.Event()
    await reply.stream("One. [1]")
    slack.fail("chat.update", hold=gate)
    await cut_off(slack, "chat.update", reply.stream("One. [1] Half"))
    async with asyncio.timeout(60):
        await adapter.reply(message, deliveries).finish(response("One. [1] Two. [1]"))
    gate.set()
    assert texts(slack) == ["One. [1] Two. [1]"]
    assert len(slack.called("chat.update")) == 3


async def test_a_new_attempt_shows_no_draft_beside_one_under_way(slack, adapter, message, deliveries) -> None:
    gate = asyncio.Event()
    slack.fail("chat.postMessage", hold=gate)
    await cut_off(slack, "chat.postMessage", adapter.reply(message, deliveries).stream("One. [1]"))
    again = adapter.reply(message, deliveries)
    await again.stream("Other words. [1]")
    gate.set()
    await again.finish(response("Other words. [1]"))
    assert texts(slack) == ["Other words. [1]"]
