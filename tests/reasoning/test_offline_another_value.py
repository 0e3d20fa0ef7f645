"""A follow-up that gives another value for the one that was asked about asks the rest again."""

import pytest

from agent.reasoning.rules.thread.history import Past
from agent.reasoning.rules.thread.standalone_question import standalone


def after(before, question):
    return standalone(question, [Past(before, before)])


@pytest.mark.parametrize(
    ("before", "question", "full"),
    [
        (
            "Can the rent of the kiln rise by 5%?",
            "what about 10 percent?",
            "Can the rent of the kiln rise by 10 percent?",
        ),
        ("Who signs an order of 800,000 won?", "and 20 million won?", "Who signs an order of 20 million won?"),
        ("How long do I wait after 3 months?", "after 4 months?", "How long do I wait after 4 months?"),
        ("가마 임대료 5% 올려도 돼?", "10%는?", "가마 임대료 10% 올려도 돼?"),
        ("가마 임대료 5% 올려도 돼?", "그럼 임대료 1할은?", "가마 임대료 1할 올려도 돼?"),
        ("3달 밀리면 얼마야?", "그럼 넉 달은?", "넉달 밀리면 얼마야?"),
        ("가마가 2억인데 세금이 얼마야?", "3억이면?", "가마가 3억인데 세금이 얼마야?"),
        ("3년차 도공은 며칠 쉬어?", "7년차는?", "7년차 도공은 며칠 쉬어?"),
        ("도공은 7년 일하면 며칠 쉬어?", "3년 지나면?", "도공은 3년 일하면 며칠 쉬어?"),
        ("도공은 7년 일하면 며칠 쉬어?", "10년이 넘으면요?", "도공은 10년 일하면 며칠 쉬어?"),
        ("How long do I wait after 3 months?", "and after 10?", "How long do I wait after 10 months?"),
        ("Can the rent of the kiln rise by 5%?", "10?", "Can the rent of the kiln rise by 10%?"),
    ],
)
def test_another_value_stands_in_the_place_of_the_one_before(before, question, full):
    result = after(before, question)
    assert "".join(result.text.split()) == "".join(full.split())
    assert result.changed and result.leans == 1.0


@pytest.mark.parametrize(
    ("before", "question", "full"),
    [
        ("도공은 며칠 쉬어?", "3년 지나면?", "3년 지나면 도공은 며칠 쉬어?"),
        ("가마는 몇 도야?", "그럼 두 달 동안 안 쓰면요?", "두 달 동안 안 쓰면 가마는 몇 도야?"),
        ("가마 임대료 5% 올려도 돼?", "3년 지나면?", "3년 지나면 가마 임대료 5% 올려도 돼?"),
        ("How long does the lease run?", "after 3 years?", "How long does the lease run after 3 years?"),
        ("Who signs an order?", "ok and if it is over 800 won?", "Who signs an order if it is over 800 won?"),
    ],
)
def test_what_only_supposes_a_value_asks_the_question_before_under_it(before, question, full):
    result = after(before, question)
    assert result.text == full and result.changed and result.leans == 1.0


@pytest.mark.parametrize(
    ("before", "question"),
    [
        ("Can the rent rise by 5%?", "and 10 days?"),  # of something else
        ("Can it rise by 5% or by 7%?", "and 10%?"),  # in whose place is open
        ("Can the rent rise by 5%?", "who takes 10% off?"),
        ("가마 임대료 5% 올려도 돼?", "계약금 10%는 언제 내?"),
        ("Where is the kiln?", "and 10%?"),
        ("How long does the lease run?", "after 3 years what happens?"),
        ("How long do I wait after 3 months?", "and for 4 kids?"),
        ("Can the rent rise by 5%?", "and in 2026?"),
        ("도공은 며칠 쉬어?", "3년 지나면 가마를 어떻게 해?"),
        ("도공은 며칠 쉬어?", "after 3 years?"),
    ],
)
def test_no_other_value_is_put_in_its_place(before, question):
    assert after(before, question).text.startswith(question.rstrip("?"))


def test_a_value_is_no_subject_of_a_question():
    assert after("가마 임대료 5% 올려도 돼?", "창고는?").text == "창고는? (가마)"
    assert "5" not in {term.text for term in after("가마 임대료 5% 올려도 돼?", "계약금 10%는?").terms}
