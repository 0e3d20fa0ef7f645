"""A question back on Discord: a button for each choice, the first click counts, and shows."""

import asyncio
from dataclasses import replace

import pytest

from agent.language import say
from agent.types import Clarification, MessageKind
from bot.turns.conversation import Conversation
from storage.inbox import SqlInbox
from tests.fakes_channels import MemoryChannelModes

ASKED = Clarification(
    question="Which one do you mean?",
    options=("Employee handbook", "Contractor guide " * 8),
    assumption="I assume: Employee handbook",
)


def clicks(intake):
    return [message for message in intake.messages if message.kind is MessageKind.BUTTON]


async def asked_back(discord, adapter, deliveries, ask, response, **place):
    question = await ask(**place)
    key = await adapter.open_thread(question, deliveries)
    await adapter.reply(question, deliveries).finish(response(clarification=ASKED, response_type="clarification"))
    return discord.from_bot(key.thread_id if not place else question.key.channel_id)[-1], key


async def test_what_is_asked_at_the_end_of_an_answer_does_not_replace_it(discord, adapter, deliveries, ask, response):
    asking = await ask()
    key = await adapter.open_thread(asking, deliveries)
    await adapter.reply(asking, deliveries).finish(response(answer="30 days. Who is it for?", clarification=ASKED))
    assert "30 days. Who is it for?" in discord.from_bot(key.thread_id)[-1]["content"]


async def test_a_question_back_has_a_button_for_each_choice(discord, adapter, deliveries, ask, response):
    message, _ = await asked_back(discord, adapter, deliveries, ask, response)
    [row] = message["components"]
    assert row["components"][0]["label"] == "Employee handbook"
    assert all(len(b["label"]) <= 80 and len(b["custom_id"]) <= 100 for b in row["components"])
    assert "1. Employee handbook" in message["content"] and "I assume" in message["content"]


async def test_a_click_is_a_message_of_its_author_in_the_conversation(
    discord, adapter, deliveries, ask, response, listening, intake
):
    message, key = await asked_back(discord, adapter, deliveries, ask, response)
    await discord.click(message, 0, discord.alice, locale="ko")
    [taken] = await discord.until(lambda: clicks(intake))
    assert (taken.kind, taken.author.id, taken.text) == (MessageKind.BUTTON, discord.alice, "Employee handbook")
    assert taken.key == key and taken.locale == "ko" and not taken.private


async def test_a_click_in_direct_messages_is_private(discord, adapter, deliveries, ask, response, listening, intake):
    message, key = await asked_back(discord, adapter, deliveries, ask, response, private=True)
    await discord.click(message, 0, discord.alice)
    [taken] = await discord.until(lambda: clicks(intake))
    assert taken.private and taken.key == key


async def test_the_first_click_counts_and_takes_the_buttons_away(
    discord, adapter, deliveries, ask, response, listening, intake
):
    message, key = await asked_back(discord, adapter, deliveries, ask, response)
    before = dict(message)
    first = await discord.click(before, 0, discord.alice)
    await discord.until(lambda: first["state"] == "done")
    second = await discord.click(before, 1, discord.alice)
    await discord.until(lambda: second["state"] == "done")
    assert [m.text for m in clicks(intake)] == ["Employee handbook"]
    assert second["data"] == {"content": say("choice_settled", "en"), "flags": 64} | second["data"]
    shown = discord.from_bot(key.thread_id)[-1]
    assert not shown["components"] and f"☑️ Employee handbook · <@{discord.alice}>" in shown["content"]


@pytest.mark.parametrize("named", [True, False])
async def test_who_clicks_a_choice_that_is_taken_away_is_told_so(
    discord, adapter, deliveries, ask, response, listening, intake, named
):
    message, key = await asked_back(discord, adapter, deliveries, ask, response)
    before = dict(message)
    first = await discord.click(before, 0, discord.alice)
    await discord.until(lambda: first["state"] == "done")
    now = dict(discord.from_bot(key.thread_id)[-1])  # Discord hands over the message as it is, not as it was shown
    if not named:
        del now["components"]
    late = await discord.click(before, 1, discord.bob, stands=now)
    await discord.until(lambda: late["state"] == "done")
    assert [m.text for m in clicks(intake)] == ["Employee handbook"]
    assert late["data"] == {"content": say("choice_settled", "en"), "flags": 64} | late["data"]


async def test_of_two_people_who_choose_at_once_the_first_counts(
    discord, adapter, deliveries, ask, response, listening, intake
):
    message, key = await asked_back(discord, adapter, deliveries, ask, response)
    shown = dict(message)
    who = (discord.alice, discord.bob)
    pressed = await asyncio.gather(*(discord.click(shown, n, each) for n, each in enumerate(who)))
    await discord.until(lambda: all(each["state"] == "done" for each in pressed))
    [taken] = clicks(intake)
    late = pressed[1 - who.index(taken.author.id)]
    assert late["data"] == {"content": say("choice_settled", "en"), "flags": 64} | late["data"]
    ended = discord.from_bot(key.thread_id)[-1]
    assert not ended["components"] and f"☑️ {taken.text} · <@{taken.author.id}>" in ended["content"]


async def test_the_answer_to_a_choice_goes_to_the_thread(
    discord, adapter, deliveries, ask, response, listening, intake
):
    message, key = await asked_back(discord, adapter, deliveries, ask, response)
    await discord.click(message, 0, discord.alice)
    [taken] = await discord.until(lambda: clicks(intake))
    assert await adapter.open_thread(taken, deliveries) == key
    await adapter.reply(taken, deliveries).finish(response())
    assert discord.from_bot(key.thread_id)[-1]["content"] == "Hold the button [1]."


async def test_a_click_that_cannot_be_stored_is_declined(
    discord, adapter, deliveries, ask, response, listening, intake
):
    message, _ = await asked_back(discord, adapter, deliveries, ask, response)
    intake.broken = 99
    click = await discord.click(message, 0, discord.alice)
    await discord.until(lambda: click["state"] == "done")
    assert click["data"]["flags"] & 64 and message["components"]


async def test_answered_in_words_the_buttons_go_and_a_late_click_is_told_so_in_private(
    discord, adapter, deliveries, ask, response, listening, tmp_path
):
    inbox = await SqlInbox.open(tmp_path / "inbox.db")
    listening._connected().intake = Conversation(inbox, MemoryChannelModes())
    question = await ask()
    key = await adapter.open_thread(question, deliveries)
    reply = adapter.reply(question, deliveries)
    await reply.finish(response(clarification=ASKED, response_type="clarification"))
    before = dict(discord.from_bot(key.thread_id)[-1])  # as it still stands on somebody's screen

    async def first(event_id: str) -> bool:
        return await inbox.note(replace(question, event_id=event_id))

    await reply.close_choices(ASKED, first)
    [shown] = discord.from_bot(key.thread_id)
    assert not shown["components"] and shown["content"] == before["content"]
    late = await discord.click(before, 1, discord.bob, locale="ko")
    await discord.until(lambda: late["state"] == "done")
    assert late["data"]["content"] == say("choice_settled", "ko") and late["data"]["flags"] & 64
    await reply.close_choices(ASKED, first)  # as after a crash
    assert (await inbox.counts())["todo"] == 1  # the question, and no click
    assert len(discord.from_bot(key.thread_id)) == 1
    await inbox.close()
