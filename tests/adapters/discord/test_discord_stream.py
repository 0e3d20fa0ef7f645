"""The answer grows on Discord while it is written: one message, whatever goes wrong, and in the end the answer."""

import asyncio
from dataclasses import replace

import pytest

from adapters.contract import Failure
from adapters.drafts import GOES_ON
from agent.errors import DeliveryError, StorageError, UnreachableError
from agent.events import PlanReady, TextDelta
from agent.types import Clarification, MessageKind, Plan, Step
from bot.turns import progress
from bot.turns.progress import Progress
from tests.servers.discord_components import text_of

SIGN = GOES_ON.strip()
CREATE, EDIT = r"/channels/\d+/messages$", r"/channels/\d+/messages/\d+$"


def contents(server, channel):
    return [text_of(message) for message in server.from_bot(channel)]


@pytest.fixture
async def question(adapter, deliveries, ask):
    message = await ask()
    await adapter.open_thread(message, deliveries)
    return message


async def cut_off(server, method, streaming):
    """Begin to send a draft, and leave when Discord has the request: it is still carried out."""
    before = len(server.sent(method, "/channels/"))
    task = asyncio.create_task(streaming)
    await server.until(lambda: len(server.sent(method, "/channels/")) > before)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_the_message_grows_and_becomes_the_answer(discord, adapter, deliveries, question, response, citation):
    reply = adapter.reply(question, deliveries)
    await reply.stream("Hold the button [1].")
    [draft] = discord.from_bot(question.message_id)
    assert draft["content"] == f"Hold the button [1].\n\n{SIGN}"
    for _ in range(2):
        await reply.stream("Hold the button [1]. Tell @everyone [1].")
    assert contents(discord, question.message_id) == [f"Hold the button [1]. Tell @\u200beveryone [1].\n\n{SIGN}"]
    await reply.finish(response("Hold the button [1]. Done.", citations=(citation(),)))
    [answer] = discord.from_bot(question.message_id)
    assert answer["id"] == draft["id"]
    assert answer["content"].startswith("Hold the button [1]. Done.\n\n**Sources**") and SIGN not in answer["content"]
    assert len(discord.sent("POST", CREATE)) == 1 and len(discord.sent("PATCH", EDIT)) == 2


async def test_a_withdrawn_draft_gives_way_to_a_word_and_then_to_the_next(discord, adapter, deliveries, ask, response):
    question = await ask("비밀번호를 어떻게 바꾸나요?")
    reply = adapter.reply(question, deliveries)
    await reply.stream("")
    assert contents(discord, question.message_id) == []
    await reply.stream("틀린 문장입니다 [1].")
    await reply.stream("")
    assert contents(discord, question.message_id) == [f"_답변을 다시 작성하고 있습니다_\n\n{SIGN}"]
    await reply.stream("맞는 문장입니다 [1].")
    await reply.finish(response("맞는 문장입니다 [1].", language="ko"))
    assert contents(discord, question.message_id) == ["맞는 문장입니다 [1]."]
    assert len(discord.sent("POST", CREATE)) == 1


async def test_of_a_long_answer_the_beginning_is_streamed(discord, adapter, deliveries, question, response):
    reply = adapter.reply(question, deliveries)
    code = "\n".join(f"line {n:04}" for n in range(300))
    text = f"Do this:\n\n```python\n{code}\n```\n\nDone [1]."
    await reply.stream(text)
    [draft] = contents(discord, question.message_id)
    assert len(draft) <= 2000 and draft.count("```") == 2 and draft.endswith(SIGN)
    await reply.stream(f"{text} More [1].")
    assert discord.sent("PATCH", EDIT) == []
    await reply.finish(response(text))
    parts = contents(discord, question.message_id)
    assert [line for part in parts for line in part.splitlines() if line.startswith("line")] == code.splitlines()
    assert SIGN not in "".join(parts)


@pytest.mark.parametrize("minutes_later", [False, True])
@pytest.mark.parametrize("then", ["draft", "answer", "failure"])
async def test_after_a_crash_the_half_draft_goes_on_as_whatever_comes(
    discord, adapter, deliveries, question, response, then, minutes_later
):
    deliveries.fail_next_record = True
    with pytest.raises(StorageError):
        await adapter.reply(question, deliveries).stream("One.")
    if minutes_later:
        discord.forget_nonces()
    again = adapter.reply(question, deliveries)
    if then == "failure":
        await again.fail(Failure(text="Other words.", language="en"))
    else:
        if then == "draft":
            await again.stream("Other words.")
        await again.finish(response("Other words."))
    assert contents(discord, question.message_id) == ["Other words."]


async def test_in_a_channel_a_lost_draft_is_told_from_those_of_other_questions(
    discord, adapter, deliveries, ask, response
):
    discord.fault("POST", r".*/threads$", times=2, status=403, code=50013)
    first, second = await ask("first?"), await ask("second?")
    await adapter.reply(second, deliveries).stream("Of the second.")
    await adapter.open_thread(first, deliveries)
    await deliveries.begin(first.turn_id, "answer:0")
    await adapter.reply(first, deliveries).finish(response("Of the first."))
    assert contents(discord, discord.general) == [f"Of the second.\n\n{SIGN}", "Of the first."]


async def test_an_answer_that_stood_there_gives_way_to_the_next_answer_only(
    discord, adapter, deliveries, question, response
):
    await adapter.reply(question, deliveries).finish(response("Old."))
    edit = adapter.reply(replace(question, kind=MessageKind.EDIT), deliveries)
    await edit.stream("New.")
    assert contents(discord, question.message_id) == ["Old."]
    await edit.finish(response("New."))
    assert contents(discord, question.message_id) == ["New."]


async def test_asking_back_takes_the_place_of_the_draft(discord, adapter, deliveries, question):
    await adapter.reply(question, deliveries).stream("One.")
    await adapter.reply(question, deliveries).ask(Clarification(question="Which?", options=("A", "B")))
    [asked] = discord.from_bot(question.message_id)
    assert asked["content"].startswith("Which?") and len(asked["components"]) == 1


async def test_a_draft_does_not_wait_for_better_times(discord, adapter, deliveries, question, response):
    reply = adapter.reply(question, deliveries)
    discord.fault("POST", CREATE, status=503)
    with pytest.raises(UnreachableError):
        await reply.stream("One.")
    await reply.stream("One.")
    discord.fault("PATCH", EDIT, status=503)
    with pytest.raises(UnreachableError):
        await reply.stream("One. Two.")
    await reply.finish(response("One. Two."))
    assert contents(discord, question.message_id) == ["One. Two."]


async def test_a_draft_whose_confirmation_was_lost_is_found(discord, adapter, deliveries, question, response):
    reply = adapter.reply(question, deliveries)
    discord.fault("POST", CREATE, drop=True, after=True)
    with pytest.raises(UnreachableError):
        await reply.stream("One.")
    discord.forget_nonces()
    await reply.stream("One. Two.")
    await reply.finish(response("One. Two. Three."))
    assert contents(discord, question.message_id) == ["One. Two. Three."]


async def test_a_draft_that_somebody_deleted_is_not_sent_anew(discord, adapter, deliveries, question, response):
    reply = adapter.reply(question, deliveries)
    await reply.stream("One.")
    [draft] = discord.from_bot(question.message_id)
    await discord.delete(question.message_id, draft["id"])
    with pytest.raises(DeliveryError):
        await reply.stream("One. Two.")
    assert contents(discord, question.message_id) == []
    await reply.finish(response("One. Two."))
    assert contents(discord, question.message_id) == ["One. Two."]


async def test_in_an_archived_thread_the_draft_goes_on(discord, adapter, deliveries, question):
    reply = adapter.reply(question, deliveries)
    await reply.stream("One.")
    await discord.archive(question.message_id)
    await reply.stream("One. Two.")
    assert contents(discord, question.message_id) == [f"One. Two.\n\n{SIGN}"]


async def test_a_draft_being_posted_neither_doubles_nor_overtakes_the_answer(
    discord, adapter, deliveries, question, response
):
    gate = asyncio.Event()
    discord.fault("POST", CREATE, hold=gate)
    await cut_off(discord, "POST", adapter.reply(question, deliveries).stream("One."))
    finishing = asyncio.create_task(adapter.reply(question, deliveries).finish(response("One. Two.")))
    await asyncio.sleep(0.02)
    gate.set()
    await finishing
    assert contents(discord, question.message_id) == ["One. Two."]


async def test_a_draft_being_edited_never_has_the_last_word(discord, adapter, deliveries, question, response):
    # with room for several edits at once, discord.py sends the answer while the draft is under way
    discord.limits = {"X-RateLimit-Bucket": "b", "X-RateLimit-Limit": "5", "X-RateLimit-Remaining": "4"}
    discord.limits["X-RateLimit-Reset-After"] = "60"
    reply, gate = adapter.reply(question, deliveries), asyncio.Event()
    await reply.stream("One.")
    await reply.stream("One. Two")
    discord.fault("PATCH", EDIT, hold=gate)
    await cut_off(discord, "PATCH", reply.stream("One. Half"))
    finishing = asyncio.create_task(adapter.reply(question, deliveries).finish(response("One. Two.")))
    await discord.until(lambda: contents(discord, question.message_id) == ["One. Two."])  # the answer is there at once
    gate.set()  # and now the draft is carried out
    await finishing
    assert contents(discord, question.message_id) == ["One. Two."]


async def test_the_draft_of_a_turn_stands_below_its_list_and_ends_with_the_turn(
    discord, adapter, deliveries, question, monkeypatch
):
    monkeypatch.setattr(progress, "FIRST_WORDS", 0.0)
    step = Step(id="s", team="search", task="Search")
    async with Progress(adapter.reply(question, deliveries), adapter.capabilities, "en") as shown:
        shown.feed(PlanReady(plan=Plan(steps=(step,), parallel_groups=(("s",),))))
        shown.feed(TextDelta(text="One [1]."))
        await discord.until(lambda: len(contents(discord, question.message_id)) == 2)
        await shown.settle()
    await adapter.reply(question, deliveries).fail(Failure(text="Stopped.", language="en"))
    plan, answer = contents(discord, question.message_id)
    assert plan.startswith("**Working on it**") and answer == "Stopped."
