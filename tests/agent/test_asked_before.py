"""What somebody asked before: told when its answer holds no longer, to them alone, and never wrongly."""

from dataclasses import replace

import pytest

from agent.language import say
from agent.packs.pack import Flags
from agent.reasoning.previous_questions import has_changed, is_same, near
from agent.types import Memory
from tests.agent.test_profile_terms import Talk, passage

NOTICE = passage(1, "Notice", "The notice period is 30 days. It is given in writing.")
CHANGED = replace(NOTICE, text="The notice period is 60 days. It is given in writing.")
REWORDED = replace(NOTICE, text="It is given in writing. 30 days is the notice period of all.")
QUESTION = "How long is the notice period?"


def memory(question: str, answer: str = "", at: float = 0.0) -> Memory:
    return Memory(turn_id=question, question=question, answer=answer, at=at, evidence=("documents\tNotice.md#0",))


@pytest.mark.parametrize(
    ("one", "two", "same"),
    [
        (QUESTION, "how long is the notice period", True),
        (QUESTION, "So how long is our notice period then?", True),
        ("연차는 며칠이에요?", "연차가 며칠인가요?", True),
        (QUESTION, "How long is the notice period of contractors?", False),
        (QUESTION, "Who is told about the notice period?", False),
        ("What is the limit for 2 nights?", "What is the limit for 3 nights?", False),
        ("연차는 며칠이에요?", "병가는 며칠이에요?", False),
        ("연차는 며칠이에요?", "연차는 누가 승인해요?", False),
        ("?", "?", False),
    ],
)
def test_the_same_question_differs_in_small_words_alone(one, two, same):
    assert is_same(one, two) is same


def test_near_questions_come_nearest_first_and_are_few():
    kept = [memory("notice period of contractors"), memory("the canteen"), memory("notice period"), memory("period")]
    assert [each.question for each in near("the notice period?", kept)] == [
        "notice period",
        "notice period of contractors",
    ]
    assert near("", kept) == [] and near("notice", []) == []


@pytest.mark.parametrize(
    ("answer", "now", "changed"),
    [
        ("The notice period is 30 days. [1]", NOTICE, False),
        ("The notice period is 30 days. [1]", CHANGED, True),
        ("The notice period is 30 days. [1]", REWORDED, False),
        ("1. It is given in writing. [1]\n2. The notice period is 30 days. [12]", NOTICE, False),
        ("It is given in writing. [1]", CHANGED, False),
        ("It is given by hand. [1]", CHANGED, False),
        ("The notice period is 30 days. [1]\n\n_Made on 2026 rules._", NOTICE, False),
        ("", CHANGED, False),
    ],
)
def test_only_a_figure_that_is_gone_is_a_change(answer, now, changed):
    assert has_changed(memory(QUESTION, answer), [now]) is changed


# --- through the graph


@pytest.fixture
async def talk():
    talk = Talk()
    talk.library.passages[:] = [NOTICE]
    await talk.say(QUESTION, thread="A")
    talk.library.passages[:] = [CHANGED]
    return talk


def told(response) -> bool:
    return any(warning.startswith("You asked this on ") for warning in response.warnings)


async def test_an_answer_that_holds_no_longer_is_told_of(talk):
    response = await talk.say("so how long is the notice period?", thread="B")
    assert "60 days" in response.answer and told(response)


async def test_in_korean_too(talk):
    await talk.say(QUESTION, thread="A")
    talk.library.passages[:] = [replace(NOTICE, text="퇴사 통지는 30일 전에 합니다.")]
    await talk.say("퇴사 통지는 며칠 전에 하나요?", thread="C")
    talk.library.passages[:] = [replace(NOTICE, text="퇴사 통지는 60일 전에 합니다.")]
    response = await talk.say("퇴사 통지는 며칠 전에 해요?", thread="D")
    (warning,) = response.warnings
    assert warning[10:] == say("asked_before_changed", "ko", day="")


async def test_a_follow_up_is_compared_as_it_reads_alone(talk):
    talk.library.passages[:] = [CHANGED, passage(2, "Canteen", "The canteen opens at noon.")]
    await talk.say("When does the canteen open?", thread="B")
    response = await talk.say("and how long is the notice period?", thread="B")
    assert response.route == "contextualize" or told(response)


@pytest.mark.parametrize(
    "how",
    [{"private": False}, {"by": "bob"}, {"thread": "A"}],
    ids=["in front of others", "somebody else", "the same conversation"],
)
async def test_it_is_told_to_nobody_else_and_nowhere_else(talk, how):
    assert not told(await talk.say(QUESTION, **{"thread": "B", **how}))


async def test_what_was_closed_or_deleted_meanwhile_is_not_spoken_of(talk):
    talk.library.readers["documents"] = frozenset({"user:boss"})
    assert not told(await talk.say(QUESTION, thread="B"))
    talk.library.readers.clear()
    talk.library.passages[:] = [passage(5, "Other", "The notice period of others is 60 days.")]
    assert not told(await talk.say(QUESTION, thread="C"))


async def test_an_answer_that_still_holds_and_another_question_are_left_alone(talk):
    assert not told(await talk.say("Who gives notice in writing?", thread="B"))
    talk.library.passages[:] = [NOTICE]
    assert not told(await talk.say(QUESTION, thread="C"))


async def test_a_pack_that_remembers_nothing_tells_nothing(talk):
    talk.pack = talk.pack.model_copy(update={"flags": Flags(memory_mode="none")})
    assert not told(await talk.say(QUESTION, thread="B"))


async def test_near_questions_are_there_for_who_writes_the_answer(talk):
    states = []
    async for _, part in talk.agent._graph.astream(
        {"turn_id": "t9"}, {"configurable": {"thread_id": "B"}},
        context=talk.context(talk.request(QUESTION, thread="B")), stream_mode=["values"],
    ):  # fmt: skip
        states.append(part)
    assert [each.question for each in states[-1]["memories"]] == [QUESTION]
