"""Older turns in few words, and what somebody is told of themselves."""

from dataclasses import replace

from agent.reasoning.rules import OfflineReasoner
from agent.reasoning.rules.answering.thread_summary import BYTES
from agent.types import Intent, Memory, Preferences, Profile, Summary, Understood
from tests.contracts.reasoning import message, turn


def answered(question: str, answer: str):
    return replace(turn(question), answer=answer, evidence=("d#0",))


async def summary(before, *turns) -> str:
    return await OfflineReasoner().summarise(before, turns)


async def test_numbers_and_decisions_are_kept_and_pleasantries_are_not():
    told = await summary(
        None,
        answered(
            "How much is the hotel limit in Berlin?",
            "Hotels are booked in the portal. The limit is 140 euros a night. [1]",
        ),
        answered("재택근무 가능해?", "재택근무는 즐겁습니다. 수습 기간에는 할 수 없습니다. [1]"),
        turn("thanks"),
    )
    assert told.splitlines() == [
        "How much is the hotel limit in Berlin? → The limit is 140 euros a night.",
        "재택근무 가능해? → 수습 기간에는 할 수 없습니다.",
        "thanks",
    ]


async def test_the_lines_before_stay_and_a_long_thread_stays_bounded():
    before = Summary(text="first question → The limit is 7 days, Finance decides.", turns=1, until=1.0)
    told = await summary(before, answered("second?", "It takes 9 days. [1]"))
    assert told.splitlines() == ["first question → The limit is 7 days, Finance decides.", "second? → It takes 9 days."]
    text: Summary | None = None
    for number in range(300):
        line = answered(
            f"Question number {number}, which goes on for a while?",
            f"Berlin allows {number} days, and much is said besides. [1]",
        )
        text = Summary(text=await summary(text, line), turns=1, until=1.0)
    assert text is not None and len(text.text.encode()) <= BYTES
    assert "299 days" in text.text and "Question number 9," not in text.text
    assert text.text.startswith("Question number 0,")  # what the thread began with


async def test_facts_outlive_words_when_room_gets_short():
    long = "It is worth saying that the office in Busan grants 17 days, which everybody there is glad about. [1]"
    text: Summary | None = None
    for number in range(14):
        text = Summary(text=await summary(text, answered(f"busan {number}?", long)), turns=1, until=1.0)
    assert text is not None
    first = text.text.splitlines()[0]
    assert first.startswith("busan 0? → 17") and "Busan" in first and "worth saying" not in first


def read(kind: str, language="en"):
    return Understood(
        question="?", language=language, intent=Intent(name="x", confidence=1.0), route="direct", personal=kind
    )


MEMORY = Memory(turn_id="t", question="How long is leave?", answer="25 days. [1]", at=1_700_000_000.0)


async def test_what_is_known_is_told_in_the_askers_language():
    profile = Profile(
        slots={"conditions": ["당뇨", "고혈압"], "bp": {"systolic": 140}}, preferences=Preferences(length="short")
    )
    told = await OfflineReasoner().recollect(replace(message("?"), profile=profile), read("about"), [MEMORY])
    assert "conditions: 당뇨, 고혈압" in told and "bp: systolic 140" in told and "short" in told
    assert "2023-11-1" in told and "How long is leave?" in told and "25 days" not in told
    korean = await OfflineReasoner().recollect(replace(message("?"), profile=profile), read("about", "ko"), [])
    assert "짧게" in korean and "잊어줘" in korean


async def test_nothing_known_and_nothing_asked():
    assert "nothing" in await OfflineReasoner().recollect(message("?"), read("about"), [])
    assert "no earlier question" in await OfflineReasoner().recollect(message("?"), read("recollect"), [])


async def test_a_past_question_comes_with_its_answer_quoted():
    told = await OfflineReasoner().recollect(message("?"), read("recollect"), [MEMORY])
    assert "How long is leave?" in told and "> 25 days. [1]" in told
