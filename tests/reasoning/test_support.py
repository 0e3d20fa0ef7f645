import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.reasoning.grounding.citation_support import check_all, check_sentence, findings, locate, overlap
from agent.types import Sentence, Support
from agent.values.amounts import amounts
from tests.contracts.reasoning import block

ENGLISH = (
    "Every employee receives 25 days of annual leave. Contractors do not receive paid leave. "
    "The limit for Berlin is 1,000 euros and 5% of it may be spent on taxis. Reports are due on 31 March."
)
KOREAN = (
    "증액 청구는 약정한 차임이나 보증금의 20분의 1의 금액을 초과하지 못한다. 식비는 하루 3만원이다. "
    "수습 기간에는 재택근무를 할 수 없다. 정산은 3월 31일까지 한다."
)


def problems(text, source, *, title=""):
    whole = Support(block=1, start=0, end=len(source))
    return check_sentence(Sentence(text=text, support=(whole,)), [block(1, source, title=title)])


@pytest.mark.parametrize(
    "text",
    [
        "Every employee receives 25 days of annual leave.",
        "Employees receive twenty-five days of annual leave.",
        "Contractors receive no paid leave.",
        "The limit for Berlin is 1000 euros.",
        "One twentieth (5 percent) of the Berlin limit may be spent on taxis.",
        "A share of 0.05 of it may be spent on taxis.",
        "Reports are due on March 31.",
    ],
)
def test_what_the_source_says_passes(text):
    assert problems(text, ENGLISH) == []


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("Every employee receives 30 days of annual leave.", "the number 30"),
        ("Every employee receives 25 weeks of annual leave.", "stands for something else"),
        ("Contractors receive paid leave.", "the opposite"),
        ("Employees do not receive annual leave.", "the opposite"),
        ("The limit for Hamburg is 1,000 euros.", "the name Hamburg"),
        ("The limit for Berlin is 10,000 euros.", "the number 10,000"),
        ("Reports are due on 31 May.", "the number May"),
        ("The form HR-12 is needed for annual leave.", "the name HR-12"),
        ("The moon is made of green cheese.", "too few words"),
    ],
)
def test_what_it_does_not_say_is_found_out(text, wrong):
    assert any(wrong in problem for problem in problems(text, ENGLISH))


@pytest.mark.parametrize(
    "text",
    [
        "네, 보증금의 증액은 5%까지 청구할 수 있습니다.",
        "식비는 하루 30,000원입니다.",
        "수습 기간에는 재택근무가 불가능합니다.",
        "정산은 3월 31일까지 합니다.",
    ],
)
def test_korean_that_passes(text):
    assert problems(text, KOREAN) == []


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("보증금의 증액은 10%까지 청구할 수 있습니다.", "10%"),
        ("식비는 하루 5만원입니다.", "5만"),
        ("수습 기간에는 재택근무를 할 수 있습니다.", "the opposite"),
        ("정산은 4월 31일까지 합니다.", "4"),
    ],
)
def test_korean_that_does_not(text, wrong):
    assert any(wrong in problem for problem in problems(text, KOREAN))


def test_another_language_may_tell_it_but_not_change_its_numbers():
    assert problems("직원은 연차 25일을 받습니다.", ENGLISH) == []
    assert problems("직원은 연차 26일을 받습니다.", ENGLISH)


def test_the_title_counts_as_source():
    assert (
        problems("In Berlin the limit per night is 90 euros.", "The limit per night is 90 euros.", title="Berlin") == []
    )


@pytest.mark.parametrize(
    "support",
    [
        (),
        (Support(block=2, start=0, end=5),),
        (Support(block=1, start=5, end=5),),
        (Support(block=1, start=0, end=9999),),
    ],
)
def test_a_place_that_is_not_there(support):
    assert check_sentence(Sentence(text="Every employee receives 25 days.", support=support), [block(1, ENGLISH)])


def test_one_good_source_is_enough():
    places = (Support(block=1, start=0, end=len(ENGLISH)), Support(block=2, start=0, end=10))
    told = Sentence(text="The limit for Berlin is 1,000 euros.", support=places)
    assert check_sentence(told, [block(1, ENGLISH), block(2, "Something else entirely.")]) == []


def test_the_verdict_on_an_answer():
    place = (Support(block=1, start=0, end=len(ENGLISH)),)
    good = Sentence(text="Every employee receives 25 days of annual leave.", support=place)
    bad = Sentence(text="Every employee receives 99 days of annual leave.", support=place)
    check = check_all([good, bad], [block(1, ENGLISH)])
    assert (check.is_valid, check.score, check.needs_retry) == (False, 0.5, True)
    assert len(check.suggestions) == 1 and check.suggestions[0].about == bad.text and "99" in check.reason
    assert check_all([good], [block(1, ENGLISH)]).is_valid


def test_a_doubt_lowers_the_mark_and_removes_nothing():
    source = "The office is open on Mondays. Visitors sign in at the desk."
    place = (Support(block=1, start=0, end=30),)
    good = Sentence(text="Visitors sign in at the desk.", support=(Support(block=1, start=31, end=len(source)),))
    doubted = Sentence(text="The office is closed on Mondays.", support=place)
    assert not findings(doubted, [block(1, source)]).refused and findings(doubted, [block(1, source)]).doubts
    check = check_all([good, doubted], [block(1, source)])
    assert (check.is_valid, check.score, check.needs_retry, check.suggestions) == (True, 0.75, False, ())


def test_a_figure_of_the_question_is_a_doubt():
    place = (Support(block=1, start=0, end=len(ENGLISH)),)
    told = Sentence(text="Every employee receives 25 days of annual leave, also after 7 years.", support=place)
    assert findings(told, [block(1, ENGLISH)]).proven
    found = findings(told, [block(1, ENGLISH)], "How many days of annual leave after 7 years?")
    assert not found.proven and any("7" in doubt for doubt in found.doubts)


def test_a_sentence_that_sums_up_the_next_stays_before_it_and_nowhere_else():
    source = "Cakes, candles and balloons may not be brought into the reading room."
    place = (Support(block=1, start=0, end=len(source)),)
    sums_up = Sentence(text="Sadly celebrating there is out of the question.", support=place)
    says = Sentence(text="Candles may not be brought into the reading room.", support=place)
    assert findings(sums_up, [block(1, source)]).unlike
    assert check_all([sums_up, says], [block(1, source)]).is_valid
    assert not check_all([says, sums_up], [block(1, source)]).is_valid


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("5%", 0.05, ""),
        ("five percent", 0.05, ""),
        ("20분의 1", 0.05, ""),
        ("1/20", 0.05, ""),
        ("3만원", 30_000, "won"),
        ("30,000원", 30_000, "won"),
        ("2만5천원", 25_000, "won"),
        ("12만 5,000원", 125_000, "won"),
        ("1억 2천만원", 120_000_000, "won"),
        ("$3.5 million", 3_500_000, "dollar"),
        ("three working days", 3, "day"),
        ("두 달", 2, "month"),
        ("twenty-five days", 25, "day"),
        ("two thirds", 2 / 3, ""),
        ("a quarter of it", 0.25, ""),
        ("fourth", 4, "ordinal"),
        ("삼백만 원", 3_000_000, "won"),
        ("천만 원", 10_000_000, "won"),
        ("스물다섯 명", 25, "people"),
        ("사흘 이내", 3, "day"),
        ("1.2조원", 1_200_000_000_000, "won"),
        ("USD 500", 500, "dollar"),
        ("£2.5m", 2_500_000, "pound"),
        ("25m", 25, ""),
        ("3:30 pm", 15.5, "clock"),
        ("15:30", 15.5, "clock"),
        ("오후 3시 반", 15.5, "clock"),
        ("오전 9시", 9, "clock"),
        ("the 1980s", 1980, "decade"),
        ("1980년대", 1980, "decade"),
        ("25 GB", 25, "gigabyte"),
    ],
)
def test_numbers_however_they_are_written(text, value, unit):
    assert [(float(found.value), found.unit) for found in amounts(text)] == [(value, unit)]


@pytest.mark.parametrize(("one", "other"), [("3월 31일", "31 March"), ("2024-03-31", "March 31, 2024")])
def test_dates_meet(one, other):
    assert {found.value for found in amounts(one)} == {found.value for found in amounts(other)}


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("3-5 days", [(3, "day"), (5, "day")]),
        ("5~10%", [(0.05, ""), (0.1, "")]),
        ("between 3 and 5 weeks", [(3, "week"), (5, "week")]),
        ("제3조 2항", [(3, ""), (2, "")]),
        ("3분기", [(3, "")]),
        ("10:1", [(10, ""), (1, "")]),
    ],
)
def test_numbers_beside_each_other(text, read):
    assert [(float(found.value), found.unit) for found in amounts(text)] == read


@pytest.mark.parametrize(
    "text", ["만일 그가 온다면", "이 시간에는", "백만장자", "일이 없다", "at second hand", "that may be"]
)
def test_words_that_look_like_numbers(text):
    assert amounts(text) == []


def test_a_number_knows_its_place():
    (found,) = amounts("It costs 1,000 euros a day.")
    assert "It costs 1,000 euros a day."[found.start : found.end] == "1,000"
    assert found == amounts("1,000 euros")[0]


def test_the_marks_of_a_list_are_no_numbers():
    assert amounts("1. Open the door\n2. Go in") == []


@given(st.text(alphabet="0123456789,.%/-년월일만억천원 분의", max_size=30))
def test_any_heap_of_digits_can_be_read(text):
    assert all(found.value >= 0 for found in amounts(text))


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("every  employee receives\n25 days", "Every employee receives 25 days"),
        ("annual leave is 25 days", "Every employee receives 25 days of annual leave."),
        ("The Berlin limit: 1000 euros", "The limit for Berlin is 1,000 euros and 5% of it may be spent on taxis."),
    ],
)
def test_a_statement_is_found_in_its_source(text, place):
    start, end = locate(text, ENGLISH)
    assert ENGLISH[start:end] == place


@pytest.mark.parametrize("text", ["quantum physics", "", "   "])
def test_what_stands_nowhere_is_not_found(text):
    assert locate(text, ENGLISH) is None


def test_overlap():
    assert overlap("annual leave for employees", ENGLISH) == 1.0
    assert overlap("purple elephants", ENGLISH) == 0.0
    assert overlap("of the and", ENGLISH) == 1.0


@pytest.mark.parametrize(
    ("text", "values"),
    [("3-5 %", ["3%", "5%"]), ("3 - 5 %", ["3%", "5%"]), ("3 to 5 %", ["3%", "5%"]), ("in 02 -1%", ["02", "1%"])],
)
def test_a_minus_is_no_range(text, values):
    assert [amount.written.replace(" ", "").lstrip("-") for amount in amounts(text)] == values


@pytest.mark.parametrize("text", ["2026-01-07에", "2026-01-07부터", "2026.1.7까지", "on 2026-01-07, then"])
def test_a_date_ends_where_its_figures_end(text):
    assert [(int(a.value), a.unit) for a in amounts(text)] == [(2026, ""), (1, "month_name"), (7, "")]


def test_what_is_too_long_for_a_figure_is_none():
    text = f"The key is {'7' * 9000}."
    told = Sentence(text=text, support=(Support(block=1, start=0, end=len(ENGLISH)),))
    assert findings(told, [block(1, ENGLISH)]).refused


@pytest.mark.parametrize(
    ("text", "source", "held"),
    [
        ("한 주 동안 주 담당은 250,000원을 받습니다.", "Each week on call is paid with 250,000 KRW.", True),
        ("한 달 동안 30,000원을 받습니다.", "The company pays 30,000 KRW a month.", True),
        ("한 달 동안 30,000원을 받습니다.", "The company pays 30,000 KRW a week.", False),
        ("두 주 동안 250,000원을 받습니다.", "Each week on call is paid with 250,000 KRW.", False),
    ],
)
def test_one_unit_of_time_is_what_each_is(text, source, held):
    sentence = Sentence(text=text, support=(Support(block=1, start=0, end=len(source)),))
    assert (findings(sentence, [block(1, source)]).proven == ()) == held
