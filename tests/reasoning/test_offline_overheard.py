"""Which messages of a thread tell what is asked: of whom, of what, with the kind of value that is wanted."""

import pytest

from agent.reasoning.rules.answering.overheard import told_of
from agent.text import language_of
from agent.types import Author, Said


def talk(*lines: tuple[str, str]) -> list[Said]:
    return [
        Said(id=str(n), place="C1", author=Author(id=f"U-{name}", name=name), at=1.0 + n, text=text)
        for n, (name, text) in enumerate(lines)
    ]


def answers(question: str, *lines: tuple[str, str]) -> list[str]:
    return [each.text for each in told_of(question, language_of(question), talk(*lines))]


DEPLOY = (
    ("Bob", "the build is red again"),
    ("Dana", "the deploy moves to Thursday at 3pm"),
    ("Bob", "ok, I will tell the customer"),
)


@pytest.mark.parametrize(
    "question",
    ["when did Dana say the deploy is?", "When is the deploy?", "when's the deploy again", "what time is the deploy?"],
)
def test_what_somebody_said_answers_a_question_about_it(question):
    assert answers(question, *DEPLOY) == ["the deploy moves to Thursday at 3pm"]


def test_in_korean_too():
    lines = (("민수", "배포는 목요일 오후 3시로 옮겼습니다"), ("지은", "네 알겠습니다"), ("지은", "점심 뭐 먹을까요?"))
    assert answers("배포는 언제예요?", *lines) == ["배포는 목요일 오후 3시로 옮겼습니다"]
    assert answers("민수님이 배포 언제라고 했어요?", *lines) == ["배포는 목요일 오후 3시로 옮겼습니다"]


def test_the_answer_to_a_question_speaks_of_what_that_asks():
    lines = (("Bob", "when is the deploy?"), ("Dana", "Thursday, 3pm"), ("Bob", "thanks"))
    assert answers("when is the deploy?", *lines) == ["Thursday, 3pm"]


def test_a_bare_number_tells_nobody_who_asks_for_something_else():
    days = (("Kim", "신입사원 연차는 며칠이에요?"), ("Lee", "30일로 알고 있어요"))
    assert answers("신입사원 연차 며칠이라고 했지?", *days) == ["30일로 알고 있어요"]
    assert answers("연차 신청은 어떻게 해?", *days) == answers("연차는 누가 승인해?", *days) == []
    deploy = (("Kim", "when is the deploy?"), ("Lee", "Thursday, 3pm"))
    assert (
        answers("when is the deploy?", *deploy) == ["Thursday, 3pm"]
        and answers("how does the deploy work?", *deploy) == []
    )


def test_what_was_changed_later_is_told_with_its_change_in_order():
    lines = (("Dana", "the deploy is on Wednesday"), ("Bob", "hm"), ("Dana", "the deploy is on Thursday now"))
    assert answers("when is the deploy?", *lines) == ["the deploy is on Wednesday", "the deploy is on Thursday now"]


def test_only_who_is_asked_about_is_told():
    lines = (("Bob", "I think the deploy is on Monday"), ("Dana", "the deploy is on Thursday"))
    assert answers("when did Dana say the deploy is?", *lines) == ["the deploy is on Thursday"]
    assert answers("when did Eve say the deploy is?", *lines) == []


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("when is the deploy?", "the deploy script is broken"),  # no time
        ("how much is the budget?", "the budget was approved"),  # no number
        ("when is the deploy?", "should we deploy on Thursday?"),  # a question tells nothing
        ("how many days of parental leave do fathers get in Berlin?", "I am on leave for 3 days"),
        ("when does the cafeteria open?", "the deploy is on Thursday"),
        ("?", "the deploy is on Thursday"),
    ],
)
def test_what_does_not_answer_is_not_told(question, line):
    assert answers(question, ("Dana", line), ("Bob", "ok")) == []


def test_of_nothing_nothing_is_told():
    assert answers("when is the deploy?") == []


def test_a_statement_that_goes_on_from_another_is_no_question():
    lines = (
        ("Bob", "I would rather wait until Monday"),
        ("Ann", "OK, then we ship on Monday and Bob writes the release notes."),
        ("Bob", "Agreed."),
    )
    assert answers("who writes the release notes?", *lines) == [lines[1][1]]
