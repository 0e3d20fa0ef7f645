"""A section of the answer before is meant by its name where it is part of a case, else where the message says so."""

import pytest

from agent.packs.cases import CasesSpec
from agent.packs.slots import Words
from agent.reasoning.rules.thread.told_sections import named
from tests.reasoning.test_offline_revise import answered

CASES = CasesSpec(sections=("착안", "기법", "Points to examine"), common=("사례", "조사"), ask=Words(en="Which?"))
OF_CASES = "**Oil case**\n\n- a [1]\n\n**착안**\n\n- b [2]\n\n**기법**\n\n- c [3]\n\n**Points to examine**\n\n- d [4]"
OF_GUIDE = "**Refunds › Fees of couriers**\n\nThey are paid back. [1]\n\n**Refunds › 신청 절차**\n\nBy form. [2]"


def sections(text, answer, cases=(CASES,)):
    wanted = named(text, answered(answer, ("c\td#0", "c\td#1")), cases)
    return wanted and (wanted.kind, wanted.sections, wanted.point)


@pytest.mark.parametrize(
    ("text", "names", "point"),
    [
        ("기법이 뭐예요?", ("기법",), 0),
        ("착안 사항 다시 알려줘", ("착안",), 0),
        ("조사 기법은?", ("기법",), 0),
        ("두 번째 사례의 착안만 알려줘", ("착안",), 2),
        ("what are the points to examine?", ("Points to examine",), 0),
        ("the points to examine of the second case, please", ("Points to examine",), 2),
    ],
)
def test_a_section_of_the_cases_that_were_told(text, names, point):
    assert sections(text, OF_CASES) == ("section", names, point)
    assert sections(text, OF_GUIDE) is None


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("방금 알려준 신청 절차 부분 다시 보여줘", ("신청 절차",)),
        ("the couriers part of what you just told me", ("Fees of couriers",)),
        ("tell me the fees section of that answer again", ("Fees of couriers",)),
    ],
)
def test_a_section_of_what_was_just_told(text, names):
    assert sections(text, OF_GUIDE, ()) == ("section", names, 0)


def test_a_section_of_one_of_several_versions():
    dated = OF_GUIDE.replace("couriers**", "couriers** (2025-02-01)").replace("절차**", "절차** (2023)")
    assert sections("the couriers part of what you just told me", dated, ()) == ("section", ("Fees of couriers",), 0)
    assert sections("방금 알려준 신청 절차 부분 다시 보여줘", dated, ()) == ("section", ("신청 절차",), 0)


@pytest.mark.parametrize(
    "text",
    [
        "기부금 조사 기법은?",  # of another case
        "합병 착안을 알려줘",
        "신청 절차가 뭐예요?",  # does not say that it means what was told: searched for
        "fees of couriers?",
        "방금 알려준 신청 절차와 위약금은?",
        "다시 보여줘",
        "",
    ],
)
def test_what_asks_for_something_else(text):
    assert sections(text, OF_CASES) is None and sections(text, OF_GUIDE) is None
