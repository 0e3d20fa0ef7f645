"""Discord: what people told each other in a thread, where no document holds it; a thread summed up unasked."""

import pytest

from agent.language import say
from tests.adapters.discord.test_discord_pointing import TALK, room  # noqa: F401 - a fixture

RETRO = "the retro moves to Thursday at 3pm"


@pytest.mark.parametrize(
    ("line", "question", "language"),
    [
        (RETRO, "when did bob say the retro is?", "en"),
        ("회고는 목요일 오후 3시로 옮겼습니다", "회고는 언제예요?", "ko"),
    ],
)
async def test_a_fact_that_stands_only_in_the_thread_is_told_with_a_link(
    room, line, question, language  # noqa: F811
):  # fmt: skip
    id = await room.talk(line)
    told = await room.ask(question, room.place)
    assert line in told and "**bob**" in told and say("told_here", language) in told
    assert room.link(room.place, id) in told


async def test_documents_win_where_they_answer(room):  # noqa: F811
    await room.talk("I think there are 99 sick days in a year", "really?")
    told = await room.ask("how many sick days are there in a year?", room.place)
    assert "10 paid days" in told and "99 sick days" not in told


async def test_a_request_about_the_thread_that_calls_nobody_is_read_like_one_to_weft(room):  # noqa: F811
    place = await room.discord.thread(room.discord.general, "offsite")
    await room.ask("how many sick days are there in a year?", place)
    await room.talk(*TALK, place=place)
    told = await room.ask("summarize this thread", place, call=False)
    assert "**bob**" in told and "Busan" in told
    await room.talk("hm, not all of it", place=place)
    assert await room.ask("can someone summarize this thread?", place, call=False) == ""
