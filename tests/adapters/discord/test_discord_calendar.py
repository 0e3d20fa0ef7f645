"""What the clock begins on Discord: a message that asks, and the thread below it; a word of Weft's own."""

from dataclasses import replace

import pytest

from adapters.contract import BELOW, HEADING
from agent.types import Author, IncomingMessage, MessageKind, ThreadKey

THREADS = r"/channels/\d+/messages/\d+/threads$"


@pytest.fixture
def standing(discord):
    return IncomingMessage(
        key=ThreadKey(platform="discord", workspace_id=discord.guild_id, channel_id=discord.general, thread_id=""),
        event_id="plan:1:9", message_id="plan-1-9", author=Author(id=discord.alice), text="who is on @everyone call?",
        kind=MessageKind.SCHEDULED, received_at=1_700_000_000.0, extra={HEADING: "Standing question, every hour:"},
    )  # fmt: skip


async def test_what_the_clock_asks_begins_a_thread_and_is_answered_in_it(
    discord, adapter, deliveries, standing, response
):
    key = await adapter.open_thread(standing, deliveries)
    (root,) = discord.from_bot(discord.general)
    assert root["content"].startswith("Standing question, every hour:\n> who is on") and key.thread_id == root["id"]
    assert discord.alice not in root["content"] and "@everyone" not in root["content"]
    assert await adapter.open_thread(standing, deliveries) == key
    await adapter.reply(replace(standing, key=key), deliveries).finish(response("Kim."))
    assert [each["content"] for each in discord.from_bot(key.thread_id)] == ["Kim."]
    assert len(discord.from_bot(discord.general)) == 1


async def test_a_question_whose_confirmation_was_lost_is_found_again(discord, adapter, deliveries, standing):
    key = await adapter.open_thread(standing, deliveries)
    for slot, _ in list(await deliveries.slots(standing.turn_id)):
        await deliveries.forget(standing.turn_id, slot)
    await deliveries.begin(standing.turn_id, "anchor")
    discord.forget_nonces()
    assert await adapter.open_thread(standing, deliveries) == key
    assert len(discord.from_bot(discord.general)) == 1


async def test_directly_it_is_asked_and_answered_in_the_same_place(discord, adapter, deliveries, standing, response):
    channel = await discord.dm(discord.alice)
    key = ThreadKey(platform="discord", workspace_id="@me", channel_id=channel, thread_id=channel)
    message = replace(standing, key=key, private=True)
    assert await adapter.open_thread(message, deliveries) == key
    await adapter.reply(message, deliveries).finish(response("Kim."))
    asked, answered = discord.from_bot(channel)
    assert asked["content"].startswith("Standing question") and answered["content"] == "Kim."


@pytest.mark.parametrize("in_thread", [False, True])
async def test_a_notice_stands_in_its_channel_or_thread_and_begins_none(
    discord, adapter, deliveries, standing, response, in_thread
):
    thread = await discord.thread(discord.general) if in_thread else ""
    key = replace(standing.key, thread_id=thread)
    message = replace(standing, key=key, kind=MessageKind.NOTICE, message_id="notice-1")
    assert await adapter.open_thread(message, deliveries) == key
    for _ in range(2):
        await adapter.reply(message, deliveries).finish(response("The backup is done."))
    place = thread or discord.general
    assert [each["content"] for each in discord.from_bot(place)] == ["The backup is done."]
    assert not discord.sent("POST", THREADS)


async def test_where_no_thread_could_be_made_a_notice_replies_to_the_question(
    discord, adapter, deliveries, standing, ask, response
):
    question = await ask()
    discord.fault("POST", THREADS, times=9, status=403, code=50013)
    await adapter.reply(question, deliveries).finish(response("Hold the button."))
    notice = replace(
        standing, key=question.key, kind=MessageKind.NOTICE, message_id="watch-1-0-ab", extra={BELOW: question.turn_id}
    )
    await adapter.reply(notice, deliveries).finish(response("It has changed."))
    told = discord.from_bot(discord.general)[-1]
    assert told["content"] == "It has changed."
    assert told["message_reference"]["message_id"] == question.message_id
