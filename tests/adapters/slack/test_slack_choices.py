"""A question back in Slack: a button for each choice, the first click counts, and shows."""

import asyncio
import json
from dataclasses import replace

import pytest

from adapters.slack.adapter import SlackAdapter
from agent.language import say
from agent.types import Author, Clarification, IncomingMessage, MessageKind, Response, ThreadKey
from bot.turns.conversation import Conversation
from storage.inbox import SqlInbox
from tests.fakes_channels import MemoryChannelModes
from tests.servers.slack import SlackServer

ASKED = Clarification(
    question="Which one do you mean?",
    options=("Employee handbook", "Contractor guide " * 8),
    assumption="I assume: Employee handbook",
)


def question(thread: str) -> IncomingMessage:
    return IncomingMessage(
        key=ThreadKey(platform="slack", workspace_id="T1", channel_id="C1", thread_id=thread),
        event_id="e1", message_id=thread, author=Author(id="U1"), text="notice?", kind=MessageKind.MENTION,
        received_at=1.0,
    )  # fmt: skip


def response(clarification: Clarification | None) -> Response:
    return Response(
        thread_id="t", turn_id="t1", pack="p", mode="agent", language="en", route="clarify", answer="as text",
        response_type="clarification", clarification=clarification,
    )  # fmt: skip


async def asked(slack: SlackServer, adapter: SlackAdapter, deliveries):
    root = slack.add("C1", "U1", "notice?")
    await adapter.reply(question(root["ts"]), deliveries).finish(response(ASKED))
    return slack.messages("C1", root["ts"])[-1], root["ts"]


async def test_a_question_back_has_a_button_for_each_choice(slack, adapter, deliveries) -> None:
    message, _ = await asked(slack, adapter, deliveries)
    [actions] = [block for block in message["blocks"] if block["type"] == "actions"]
    assert actions["elements"][0]["text"]["text"] == "Employee handbook"
    assert all(len(b["text"]["text"]) <= 75 for b in actions["elements"])
    assert len({b["action_id"] for b in actions["elements"]}) == 2
    assert "1. Employee handbook" in message["blocks"][0]["text"] and "I assume" in str(message["blocks"][1])


async def test_what_is_asked_at_the_end_of_an_answer_does_not_replace_it(slack, adapter, deliveries) -> None:
    root = slack.add("C1", "U1", "notice?")
    both = replace(response(ASKED), answer="30 days. Who is the letter for?", response_type="answer")
    await adapter.reply(question(root["ts"]), deliveries).finish(both)
    assert "30 days. Who is the letter for?" in str(slack.messages("C1", root["ts"])[-1]["blocks"])


async def test_a_click_is_a_message_of_its_author_in_the_thread(slack, adapter, deliveries, endpoint, intake) -> None:
    message, thread = await asked(slack, adapter, deliveries)
    answer = await slack.click(endpoint, message, 1, user="U2")
    [taken] = intake.messages
    assert answer.status == 200
    assert (taken.kind, taken.author.id, taken.text) == (MessageKind.BUTTON, "U2", "Contractor guide " * 8)
    assert str(taken.key) == f"slack:T1:C1:{thread}" and not taken.private


async def test_the_first_click_counts_and_takes_the_buttons_away(slack, adapter, deliveries, endpoint, intake) -> None:
    message, thread = await asked(slack, adapter, deliveries)
    await slack.click(endpoint, message, 0)
    await slack.click(endpoint, message, 1)
    assert [m.text for m in intake.messages] == ["Employee handbook"] and len(intake.again) == 1
    await adapter._listener.settle()
    shown = slack.messages("C1", thread)[-1]
    assert not [block for block in shown["blocks"] if block["type"] == "actions"]
    assert "☑️ Employee handbook <@U1>" in str(shown["blocks"][-1])


async def test_of_two_people_who_choose_at_once_the_first_counts(slack, adapter, deliveries, endpoint, intake) -> None:
    message, thread = await asked(slack, adapter, deliveries)
    answers = await asyncio.gather(
        slack.click(endpoint, message, 0, user="U2"), slack.click(endpoint, message, 1, user="U3")
    )
    assert [answer.status for answer in answers] == [200, 200]
    await adapter._listener.settle()
    [taken] = intake.messages
    shown = slack.messages("C1", thread)[-1]
    assert f"☑️ {taken.text} <@{taken.author.id}>" in str(shown["blocks"][-1])
    assert len(intake.again) == 1 and not [block for block in shown["blocks"] if block["type"] == "actions"]


async def test_a_click_that_could_not_be_stored_may_be_pressed_again(
    slack, adapter, deliveries, endpoint, intake
) -> None:
    message, _ = await asked(slack, adapter, deliveries)
    intake.refuse = 1
    assert (await slack.click(endpoint, message, 0)).status == 500
    assert (await slack.click(endpoint, message, 0)).status == 200
    assert [m.text for m in intake.messages] == ["Employee handbook"]


async def test_an_answer_after_all_has_no_buttons_left(slack, adapter, deliveries) -> None:
    _, thread = await asked(slack, adapter, deliveries)
    await adapter.reply(question(thread), deliveries).finish(response(None))
    shown = slack.messages("C1", thread)[-1]
    assert "actions" not in [block["type"] for block in shown["blocks"]] and "as text" in str(shown["blocks"])


async def test_where_blocks_are_refused_the_choices_stand_in_the_text(slack, adapter, deliveries) -> None:
    slack.fail("chat.postMessage", status=200, error="invalid_blocks")
    _, thread = await asked(slack, adapter, deliveries)
    _, *shown = slack.messages("C1", thread)
    assert "1. Employee handbook" in shown[0]["text"] and not any(message.get("blocks") for message in shown)


@pytest.fixture
async def inbox(tmp_path):
    inbox = await SqlInbox.open(tmp_path / "inbox.db")
    yield inbox
    await inbox.close()


async def answered_in_words(adapter, deliveries, inbox, asking) -> None:
    """Do what the application does once somebody has answered in words."""

    async def first(event_id: str) -> bool:
        return await inbox.note(replace(asking, event_id=event_id))

    await adapter.reply(asking, deliveries).close_choices(ASKED, first)


async def test_answered_in_words_the_buttons_go_and_a_late_click_is_told_so_in_private(
    slack, adapter, deliveries, endpoint, inbox
) -> None:
    adapter.bind(Conversation(inbox, MemoryChannelModes()))
    message, thread = await asked(slack, adapter, deliveries)
    before = json.loads(json.dumps(message))  # as it still stands on somebody's screen
    await answered_in_words(adapter, deliveries, inbox, question(thread))
    shown = slack.messages("C1", thread)[-1]
    assert "actions" not in [block["type"] for block in shown["blocks"]] and "Which one" in str(shown["blocks"])
    assert (await slack.click(endpoint, before, 1, user="U2")).status == 200
    [told] = await slack.until(lambda: slack.responses)
    assert told["response_type"] == "ephemeral" and not told["replace_original"]
    assert told["text"] == say("choice_settled", "en")
    assert (await inbox.counts())["todo"] == 0 and len(slack.bot_messages("C1", thread)) == 1


async def test_what_was_picked_by_a_click_stays_as_it_is(slack, adapter, deliveries, endpoint, inbox) -> None:
    adapter.bind(Conversation(inbox, MemoryChannelModes()))
    message, thread = await asked(slack, adapter, deliveries)
    await slack.click(endpoint, message, 0)
    await adapter._listener.settle()
    await answered_in_words(adapter, deliveries, inbox, question(thread))
    assert "☑️ Employee handbook <@U1>" in str(slack.messages("C1", thread)[-1]["blocks"][-1])


async def test_where_edits_are_closed_a_click_is_too_late_all_the_same(
    slack, adapter, deliveries, endpoint, inbox
) -> None:
    adapter.bind(Conversation(inbox, MemoryChannelModes()))
    message, thread = await asked(slack, adapter, deliveries)
    slack.fail("chat.update", status=200, error="edit_window_closed")
    await answered_in_words(adapter, deliveries, inbox, question(thread))
    await slack.click(endpoint, message, 1)
    assert (await slack.until(lambda: slack.responses))[0]["text"] == say("choice_settled", "en")
    assert len(slack.bot_messages("C1", thread)) == 1
