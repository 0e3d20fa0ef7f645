"""Numbers of a question count as held where the evidence says them otherwise: in a range, in another unit's name."""

import pytest

from agent.reasoning.rules.answering.weighted_question import asked, terms_in
from tests.contracts.reasoning import block

RATES = "| Late | Rate |\n|---|---|\n| up to 1 month | 5% |\n| 2 to 6 months | 10% |\n| over 6 months | 12% |"
KOREAN = "| 연체 | 요율 |\n|---|---|\n| 1개월 이하 | 5% |\n| 1개월 초과 6개월 이하 | 10% |\n| 6개월 초과 | 12% |"


@pytest.mark.parametrize(
    ("question", "language", "table", "row"),
    [
        ("rate when 4 months late", "en", RATES, "| 2 to 6 months | 10% |"),
        ("rate when 9 months late", "en", RATES, "| over 6 months | 12% |"),
        ("4달 밀리면", "ko", KOREAN, "| 1개월 초과 6개월 이하 | 10% |"),
        ("일곱 달 밀리면", "ko", KOREAN, "| 6개월 초과 | 12% |"),
    ],
)
def test_the_row_for_a_number_holds_it(question, language, table, row):
    mine = asked(question, language, [block(1, table)])
    held = {line: mine.held(terms_in(line)) for line in table.splitlines()[2:]}
    assert max(held, key=lambda line: held[line]) == row
    assert sorted(held.values())[-2] < held[row]


@pytest.mark.parametrize(
    ("header", "holds"),
    [
        ("Years of service", True),
        ("Months of leave", False),
        ("Served (years)", True),
        ("Served (months)", False),
        ("근무 년", True),
        ("휴직 개월", False),
        ("Served", True),
        ("Share a month", True),  # names no unit of its own
    ],
)
def test_a_bare_number_in_a_row_is_in_the_unit_of_its_column(header, holds):
    page = block(1, f"Text.\n\n| {header} | Days |\n|---|---|\n| 1 to 6 | 15 |\n| 7 to 12 | 18 |")
    assert bool(asked("8년차는 며칠?", "ko", [page]).called) is holds
    assert asked("8개월 되면 며칠?", "ko", [page]).called or "ear" in header or "년" in header


def test_a_limit_in_prose_speaks_for_no_other_number():
    page = block(1, "신청은 이틀 전까지 한다.\n5일에서 9일 동안 쓴다.")
    mine = asked("하루 전에 돼?", "ko", [page])
    assert not mine.called
    assert asked("7일 써도 돼?", "ko", [page]).called


def test_a_number_that_is_asked_for_is_a_word_of_asking():
    mine = asked("거위 몇마리까지 돼?", "ko", [])
    assert mine.weights["몇마"] < 0.5 * mine.weights["마리"] < mine.weights["거위"]


def test_what_a_question_takes_from_its_thread_was_asked_before():
    page = block(1, "From 5 to 9 days the lead approves.")
    assert asked("who approves 7 days?", "en", [page]).called
    assert not asked("who approves it? (7 days)", "en", [page]).called
