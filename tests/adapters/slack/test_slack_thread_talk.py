"""Slack: what people told each other in a thread, where no document holds what is asked; a thread summed up unasked."""

import asyncio
import json

import pytest

from agent.language import say
from tests.adapters.slack.test_slack_pointing import TALK, room  # noqa: F401 - a fixture

SICK, RETRO = "how many sick days are there in a year?", "the retro moves to Thursday at 3pm"
FLOWERS = "the launch codes are under the third flower pot"


async def said_unaddressed(room, text: str, thread: str, user: str = "U1") -> str:  # noqa: F811
    """Say something in a thread without calling Weft; return what it shows of it."""
    sent = await room.slack.message(room.endpoint, text, thread_ts=thread, user=user)
    return await room._answer(sent.ts, thread, "C1")


async def wefts_thread(room) -> str:  # noqa: F811
    """Ask in the channel; return the thread of that question."""
    await room.ask(SICK)
    return next(m["ts"] for m in room.slack.messages("C1") if SICK in m["text"])


@pytest.mark.parametrize(
    ("lines", "question", "name", "language"),
    [
        (("the build is red", RETRO), "when did Chloe say the retro is?", "Chloe", "en"),
        (("the build is red", RETRO), "when is the retro?", "Chloe", "en"),
        (("when is the retro?", "Thursday, 3pm"), "when is the retro?", "Chloe", "en"),
        (("빌드가 또 깨졌어요", "회고는 목요일 오후 3시로 옮겼습니다"), "회고는 언제예요?", "Chloe", "ko"),
    ],
)
async def test_a_fact_that_stands_only_in_the_thread_is_told_by_who_said_it_with_a_link(
    room, lines, question, name, language  # noqa: F811
):  # fmt: skip
    thread = room.thread(*lines)
    told = await room.ask(question, thread)
    assert lines[1] in told and f"**{name}**" in told and say("told_here", language) in told
    said = next(m["ts"] for m in room.slack.messages("C1", thread) if m["text"] == lines[1])
    assert f"p{said.replace('.', '')}" in told and lines[0] not in told


async def test_in_wefts_own_thread_too(room):  # noqa: F811
    thread = await wefts_thread(room)
    assert say("told_here", "en") not in await room.ask("when is the retro?", thread)
    room.says(RETRO, thread, "U3")
    assert RETRO in await room.ask("when is the retro?", thread)
    assert "Chloe · " in await room.ask("source?", thread)


async def test_documents_win_where_they_answer(room):  # noqa: F811
    thread = room.thread("I think there are 99 sick days in a year", "really?")
    told = await room.ask(SICK, thread)
    assert "10 paid days" in told and "99 sick days" not in told and say("told_here", "en") not in told


async def test_where_the_thread_does_not_hold_it_either_the_answer_stands(room):  # noqa: F811
    thread = room.thread("the build is red", "oh no")
    assert say("told_here", "en") not in await room.ask("when is the retro?", thread)


async def test_nothing_of_the_thread_is_kept_but_what_is_told(room):  # noqa: F811
    thread = room.thread(FLOWERS, RETRO)
    assert "launch codes" not in await room.ask("when is the retro?", thread)
    kept = room.kept()
    assert "launch codes" not in kept and RETRO in kept
    assert not await room.engine.profiles.memories("slack:T1:U1", room.engine.pack.name, "", k=9)


async def test_a_thread_is_read_only_where_the_documents_do_not_answer(room):  # noqa: F811
    thread = await wefts_thread(room)
    await room.ask("and how many days of annual leave are there?", thread)
    assert not room.slack.called("conversations.replies")


@pytest.mark.parametrize(
    "text", ["summarize this thread", "Please summarise the discussion above", "이 스레드 요약해줘"]
)
async def test_a_request_about_the_thread_that_calls_nobody_is_read_like_one_to_weft(room, text):  # noqa: F811
    thread = await wefts_thread(room)
    for n, line in enumerate(TALK):
        room.says(line, thread, ("U2", "U3")[n % 2])
    told = await said_unaddressed(room, text, thread)
    assert "**Bob**" in told and "Busan" in told


@pytest.mark.parametrize(
    "text",
    [
        "can someone summarize this thread?", "I'll summarize this thread later", "Bob, can you summarize this thread?",
        "<@U2> summarize this thread", "누가 이 스레드 좀 요약해줄래요?", "can you summarize the discussion above?",
    ],
)  # fmt: skip
async def test_a_request_to_people_is_not_read_and_nothing_is_read_for_it(room, text):  # noqa: F811
    thread = await wefts_thread(room)
    await said_unaddressed(room, "hm, not what I meant", thread, user="U2")
    assert await said_unaddressed(room, text, thread) == ""
    assert not room.slack.called("conversations.replies")


async def test_in_a_thread_that_weft_has_no_part_in_it_is_nobodys(room):  # noqa: F811
    assert await said_unaddressed(room, "summarize this thread", room.thread(*TALK)) == ""
    assert not room.slack.called("conversations.replies")


async def test_a_thread_that_cannot_be_read_leaves_the_answer(room):  # noqa: F811
    thread = await wefts_thread(room)
    room.slack.missing_scopes.add("conversations.replies")
    told = await room.ask("when is the retro?", thread)
    assert told and say("told_here", "en") not in told


async def test_a_platform_that_does_not_come_back_leaves_the_answer(room, monkeypatch):  # noqa: F811
    monkeypatch.setattr("bot.turns.pointed_messages.READ_SECONDS", 0.05)
    thread = await wefts_thread(room)
    room.slack.holds["conversations.replies"] = asyncio.Event()
    told = await room.ask("when is the retro?", thread)
    room.slack.holds["conversations.replies"].set()
    assert told and say("told_here", "en") not in json.dumps(told)
