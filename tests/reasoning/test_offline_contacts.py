"""Who asks in a thread whom to turn to, and nothing else, is told the line of what was told that says it."""

from dataclasses import replace

import pytest

from agent.reasoning.rules.answering import composition
from agent.reasoning.rules.reading.answer_type import read
from tests.contracts.reasoning import block, brief
from tests.likelihoods import SURE

RULES = "A firing costs 4 euros.\n\nQuestions to Ida Moss, ext. 23."
KOREAN = "소성비는 4천 원입니다.\n\n문의: 가마팀 한이슬 주임 (내선 203)"


@pytest.fixture(autouse=True)
def sure(weighed):
    weighed(SURE)


def told(question, *blocks, language="en"):
    sentences = composition.compose(brief(question, *blocks, language=language))
    return "".join(f"{each.lead}{each.text}" for each in sentences)


@pytest.mark.parametrize(
    ("question", "language", "whom"),
    [
        ("who do I ask about that?", "en", True),
        ("whom do I tell", "en", False),  # a rule may say it
        ("who is responsible for that", "en", True),
        ("who can I call (firing)", "en", True),
        ("누구한테 물어봐야 돼 (소성비)", "ko", True),
        ("누구한테 말해야 돼 (소성비)", "ko", False),
        ("담당자가 누구예요?", "ko", True),
        ("who signs the form", "en", False),
        ("who do I ask about the wheel", "en", False),
        ("when can I call", "en", False),
        ("누가 결재해?", "ko", False),
    ],
)
def test_whom_one_turns_to_is_asked_where_no_matter_is_named(question, language, whom):
    assert read(question, language).asks_whom is whom


@pytest.mark.parametrize(
    ("text", "question", "language", "line"),
    [
        (RULES, "who do I ask about that? (firing)", "en", "Questions to Ida Moss, ext. 23."),
        (KOREAN, "그거 누구한테 물어봐 (소성비)", "ko", "문의: 가마팀 한이슬 주임 (내선 203)"),
    ],
)
@pytest.mark.parametrize("last", [{"told": 1}, {"resumed": 1}])
def test_the_line_of_what_was_told_is_told_alone(text, question, language, line, last):
    mine = replace(block(1, text, language=language), **last)
    other = block(2, text.replace("23", "99").replace("203", "99"), title="Other", language=language)
    answer = told(question, other, mine, language=language)
    assert line in answer and "99" not in answer and "4" not in answer.replace(line, "")


def test_where_it_has_no_such_line_nothing_is_sure_and_outside_of_threads_it_is_searched_for():
    question = "who do I ask about that? (firing)"
    plain = replace(block(1, "A firing costs 4 euros. Ask for it early."), told=1)
    assert composition.found_for(question, brief(question, plain)).doubted
    outside = composition.found_for(question, brief(question, block(1, RULES)))
    assert not outside.doubted and len(outside.rated) == 2
