"""What an answer to a question back means: a number, a name, more words, "just answer", or another question."""

from dataclasses import replace

import pytest

from agent.reasoning.combined_choices import for_each, joined, several
from agent.reasoning.rules import OfflineReasoner
from agent.types import Choice, Pending
from tests.contracts.reasoning import message

GUIDES = ("Employee handbook", "Contractor guide", "Intern guide")
KOREAN = ("제품 A 안내", "제품 B 안내", "휴가 규정 2024")


def pending(*labels: str) -> Pending:
    return Pending(
        question="What is the notice period?",
        asked_back="Which one do you mean?",
        choices=tuple(Choice(label=label) for label in labels),
        slot="",
        asked_of="U1",
        turn_id="t",
        message_id="m",
        asked_at=1.0,
    )


async def settle(text: str, *labels: str):
    return await OfflineReasoner().settle(message(text), pending(*labels))


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("2", 1),
        ("2.", 1),
        ("#3", 2),
        ("option 2", 1),
        ("number 1 please", 0),
        ("the second one", 1),
        ("2nd", 1),
        ("the last one, thanks", 2),
        ("contractors", 1),
        ("Contractor guide", 1),
        ("the contractor one", 1),
        ("contracter guide", 1),
        ("for interns", 2),
        ("I'm an employee", 0),
        ("2번", 1),
        ("2번이요", 1),
        ("두 번째 거요", 1),
        ("두번째", 1),
        ("첫 번째 것", 0),
        ("마지막이요", 2),
    ],
)
async def test_a_choice_by_number_place_or_name(text, place):
    settled = await settle(text, *GUIDES)
    assert (settled.kind, settled.choice) == ("choice", place)


@pytest.mark.parametrize(("text", "place"), [("B요", 1), ("제품 A", 0), ("휴가 규정이요", 2), ("2024년 거", 2)])
async def test_a_choice_by_a_korean_name(text, place):
    settled = await settle(text, *KOREAN)
    assert (settled.kind, settled.choice) == ("choice", place)


@pytest.mark.parametrize(
    "text",
    ["yes", "네",
     "just answer", "just tell me", "whatever", "I don't know", "dont care", "any", "you choose", "go ahead",
     "그냥 답해줘", "그냥 알려주세요", "아무거나", "상관없어요", "모르겠어요", "알아서 해줘"],
)  # fmt: skip
async def test_just_answer(text):
    assert (await settle(text, *GUIDES)).kind == "assume"


@pytest.mark.parametrize(
    ("text", "choice"),
    [("neither", -1), ("none of them", -1), ("둘 다 아니에요", -1), ("7", 6), ("number 4", 3), ("4번이요", 3)],
)
async def test_what_is_none_of_the_choices(text, choice):
    settled = await settle(text, *GUIDES)
    assert (settled.kind, settled.choice) == ("none", choice)


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("both", [0, 1, 2]),
        ("all of them please", [0, 1, 2]),
        ("for all three", [0, 1, 2]),
        ("둘 다", [0, 1, 2]),
        ("모두요", [0, 1, 2]),
        ("둘 다 알려주세요", [0, 1, 2]),
        ("1 and 3", [0, 2]),
        ("3, 1", [0, 2]),
        ("the first and the second", [0, 1]),
        ("1번이랑 2번", [0, 1]),
        ("첫 번째와 세 번째요", [0, 2]),
        ("contractors and interns", [1, 2]),
    ],
)
async def test_several_of_them_are_each_asked_about(text, places):
    settled = await settle(text, *GUIDES)
    chosen = several(settled.detail, pending(*GUIDES).choices)
    assert settled.kind == "detail" and [choice.label for choice in chosen] == [GUIDES[place] for place in places]


def test_a_question_is_asked_once_for_each_choice():
    choices = pending("Staff", "Temps").choices
    assert (
        for_each("How long is the notice?", choices)
        == "How long is the notice (Staff)? How long is the notice (Temps)?"
    )
    assert several(joined(choices), choices) == list(choices)
    assert several("Staff", choices) == several("Staff + more", choices) == several("", choices) == []


@pytest.mark.parametrize(
    ("text", "detail"),
    [
        ("the ones in Berlin", "the ones in Berlin"),
        ("part-time staff.", "part-time staff"),
        ("부산 지사요", "부산 지사요"),
    ],
)
async def test_other_words_are_merged_with_the_question(text, detail):
    settled = await settle(text, *GUIDES)
    assert (settled.kind, settled.detail) == ("detail", detail)


@pytest.mark.parametrize(
    "text",
    ["How do I reset my VPN token?", "what is the travel allowance per day", "thanks", "never mind", "hello",
     "연차는 며칠인가요?", "고마워요", "", "🙂"],
)  # fmt: skip
async def test_something_else_is_a_message_of_its_own(text):
    assert (await settle(text, *GUIDES)).kind == "new"


async def test_a_choice_inside_a_longer_message_counts_when_it_names_one_wholly():
    settled = await settle("I meant the contractor guide, what does it say?", *GUIDES)
    assert (settled.kind, settled.choice) == ("choice", 1)


async def test_a_question_that_names_a_part_of_a_choice_is_one_of_its_own():
    assert (await settle("how is it different from npm install?", "npm-ci", "npm-install-ci-test")).kind != "choice"


async def test_free_text_is_an_answer_where_there_are_no_choices():
    settled = await settle("the industry is retail")
    assert (settled.kind, settled.detail) == ("detail", "the industry is retail")
    assert (await settle("what kinds of documents can you write?")).kind == "new"


@pytest.mark.parametrize(
    "text",
    ["what about the password?", "how long must the password be?", "for temps", "비밀번호는 몇 자리야?", "임시직은요?"],
)
async def test_where_other_meanings_were_only_offered_other_words_are_a_message_of_their_own(text):
    offered = replace(pending(*GUIDES[1:]), assumed=Choice(label=GUIDES[0]))
    assert (await OfflineReasoner().settle(message(text), offered)).kind == "new"
    assert (await OfflineReasoner().settle(message("interns"), offered)).kind == "choice"
