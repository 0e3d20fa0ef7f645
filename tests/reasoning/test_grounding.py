"""Each kind of thing that a sentence may say otherwise than its source, in pairs: one that holds, one that does not."""

import pytest

from agent.reasoning.grounding.citation_support import check_sentence
from agent.reasoning.grounding.matching import likeness
from agent.types import Sentence, Support
from tests.contracts.reasoning import block

ENGLISH = (
    "Employees must submit the travel form at least ten days before the trip. The manager may approve a late form. "
    "All interns receive a badge after the safety briefing, and some of them also get a laptop. "
    "The workshop is open on Monday and closed on Sunday. Rent rose by 4 % in 2024, but energy costs fell by two "
    "thirds. Anna Weber approves travel, while Tom Clarke approves hardware. "
    "The landlord pays the tenant the deposit back. The deposit must not exceed 1,500 euros. "
    "The meeting is on 1 March 2026 at 3 pm. "
    "Contractors do not receive paid leave, but they may use the canteen. Parking is not only free but also guarded. "
    "Attendance is required for the first course and optional for the last one. "
    "The team has 4 engineers and 2 designers. About 1,187 people visited the fair. "
    "Each form is checked by 3 to 5 reviewers. Internal guests need no ticket."
)
KOREAN = (
    "직원은 출장 10일 전까지 신청서를 제출해야 한다. 팀장은 늦은 신청을 승인할 수 있다. "
    "모든 인턴은 안전 교육 후에 출입증을 받는다. 공방은 월요일에 열고 일요일에는 열지 않는다. "
    "임대료는 2024년에 4% 상승하였고 난방비는 3분의 2로 감소하였다. 보증금은 150만원을 초과하지 못한다. "
    "회의는 2026년 3월 1일 오후 3시에 시작한다. 계약직은 유급휴가를 받을 수 없지만 식당은 이용할 수 있다. "
    "만 19세 이상 회원만 참가할 수 있다. 첫 과목의 출석은 필수이고 마지막 과목은 선택이다. "
    "회사는 직원에게 교통비를 지급한다. 검토는 세 명이 이틀 동안 진행한다."
)


def problems(text, source):
    whole = Support(block=1, start=0, end=len(source))
    return check_sentence(Sentence(text=text, support=(whole,)), [block(1, source)])


@pytest.mark.parametrize(
    ("holds", "fails"),
    [
        pytest.param("The rent rose by four percent in 2024.", "The rent rose by 5 % in 2024.", id="number"),
        pytest.param("Energy costs fell by 2/3.", "Energy costs fell by three quarters.", id="share"),
        pytest.param(
            "The form is due ten days before the trip.", "The form is due ten weeks before the trip.", id="unit"
        ),
        pytest.param("Around 1,200 people visited the fair.", "Exactly 1,200 people visited the fair.", id="rounding"),
        pytest.param("3-5 reviewers check each form.", "4-6 reviewers check each form.", id="range"),
        pytest.param("The meeting is on March 1, 2026.", "The meeting is on March 2, 2026.", id="date"),
        pytest.param("The meeting is on 2026-03-01 at 15:00.", "The meeting is on 2026-03-01 at 16:00.", id="time"),
        pytest.param(
            "The meeting is on Sunday, 1 March 2026.", "The meeting is on Friday, 1 March 2026.", id="weekday"
        ),
        pytest.param("Hardware is approved by Tom Clarke.", "Hardware is approved by Jim Clarke.", id="name"),
        pytest.param("Contractors receive no paid leave.", "Contractors receive paid leave.", id="negation lost"),
        pytest.param("Contractors may use the canteen.", "Contractors may not use the canteen.", id="negation added"),
        pytest.param(
            "Contractors may use the canteen, but do not receive paid leave.",
            "Contractors may not use the canteen, but receive paid leave.",
            id="negation of the other clause",
        ),
        pytest.param("Parking is free and also guarded.", "Parking is not free but guarded.", id="not only"),
        pytest.param("Internal guests need no ticket.", "Internal guests need a ticket.", id="no"),
        pytest.param("The deposit is at most 1,500 euros.", "The deposit is at least 1,500 euros.", id="bound"),
        pytest.param(
            "Submit the form ten days or more before.", "Submit the form no more than ten days before.", id="or more"
        ),
        pytest.param(
            "Interns receive a badge after the safety briefing.",
            "Interns receive a badge before the safety briefing.",
            id="after",
        ),
        pytest.param("All interns receive a badge.", "Some interns receive a badge.", id="all"),
        pytest.param("Internal guests need no ticket.", "External guests need no ticket.", id="antonym"),
        pytest.param("Energy costs fell by two thirds.", "Energy costs rose by two thirds.", id="direction"),
        pytest.param(
            "Attendance is required for the first course.",
            "Attendance is optional for the first course.",
            id="required",
        ),
        pytest.param("The manager can approve a late form.", "The manager must approve a late form.", id="may"),
        pytest.param("Employees have to submit the travel form.", "Employees may submit the travel form.", id="must"),
    ],
)
def test_english(holds, fails):
    assert problems(holds, ENGLISH) == []
    assert problems(fails, ENGLISH)


@pytest.mark.parametrize(
    ("holds", "fails"),
    [
        pytest.param("임대료는 2024년에 4퍼센트 상승했습니다.", "임대료는 2024년에 6% 상승했습니다.", id="number"),
        pytest.param("보증금은 1,500,000원까지입니다.", "보증금은 150억원까지입니다.", id="scale"),
        pytest.param(
            "보증금은 백오십만 원을 넘을 수 없습니다.", "보증금은 백육십만 원을 넘을 수 없습니다.", id="spelt"
        ),
        pytest.param("검토는 2일 동안 진행합니다.", "검토는 사흘 동안 진행합니다.", id="days"),
        pytest.param("검토는 3명이 진행합니다.", "검토는 세 달 진행합니다.", id="unit"),
        pytest.param("회의는 2026-03-01 15:00에 시작합니다.", "회의는 2026-03-01 오전 11시에 시작합니다.", id="time"),
        pytest.param("회의는 3월 1일 일요일에 시작합니다.", "회의는 3월 1일 금요일에 시작합니다.", id="weekday"),
        pytest.param("회의는 2026년 3월 1일입니다.", "회의는 2026년 4월 1일입니다.", id="date"),
        pytest.param(
            "계약직은 유급휴가를 받을 수 없습니다.", "계약직은 유급휴가를 받을 수 있습니다.", id="negation lost"
        ),
        pytest.param("계약직도 식당은 이용할 수 있습니다.", "계약직도 식당은 이용할 수 없습니다.", id="negation added"),
        pytest.param(
            "일요일에는 공방을 열지 않습니다.", "월요일에는 공방을 열지 않습니다.", id="negation of the other clause"
        ),
        pytest.param("보증금은 150만원 이하입니다.", "보증금은 150만원 이상입니다.", id="bound"),
        pytest.param("만 19세 이상만 참가할 수 있습니다.", "만 19세 미만만 참가할 수 있습니다.", id="under"),
        pytest.param("만 19세 이상 회원이 참가합니다.", "만 19세 초과 회원이 참가합니다.", id="strict"),
        pytest.param("출입증은 안전 교육 후에 받습니다.", "출입증은 안전 교육 전에 받습니다.", id="after"),
        pytest.param("모든 인턴은 출입증을 받습니다.", "일부 인턴은 출입증을 받습니다.", id="all"),
        pytest.param("난방비는 감소했습니다.", "난방비는 증가했습니다.", id="direction"),
        pytest.param("첫 과목의 출석은 필수입니다.", "첫 과목의 출석은 선택입니다.", id="required"),
        pytest.param("팀장은 늦은 신청을 승인할 수 있습니다.", "팀장은 늦은 신청을 승인해야 합니다.", id="may"),
        pytest.param("직원은 신청서를 제출해야 합니다.", "직원은 신청서를 제출할 수 있습니다.", id="must"),
        pytest.param(
            "직원은 출장 10일 전까지 신청서를 제출해야 합니다.",
            "손님은 출장 10일 전까지 신청서를 제출해야 합니다.",
            id="name",
        ),
    ],
)
def test_korean(holds, fails):
    assert problems(holds, KOREAN) == []
    assert problems(fails, KOREAN)


@pytest.mark.parametrize(
    ("holds", "fails"),
    [
        pytest.param("보증금은 1,500유로를 넘을 수 없습니다.", "보증금은 1,800유로를 넘을 수 없습니다.", id="number"),
        pytest.param("회의는 2026년 3월 1일 오후 3시입니다.", "회의는 2026년 3월 2일 오후 3시입니다.", id="date"),
        pytest.param("공방은 일요일에 닫습니다.", "공방은 토요일에 닫습니다.", id="weekday"),
        pytest.param("출장은 Anna Weber가 승인합니다.", "출장은 Lena Weber가 승인합니다.", id="name"),
    ],
)
def test_across_languages_only_numbers_and_names_count(holds, fails):
    assert problems(holds, ENGLISH) == []
    assert problems(fails, ENGLISH)


@pytest.mark.parametrize(
    ("text", "source", "told"),
    [
        ("Guests pay in cash.", "Guests never pay in cash.", "opposite"),
        ("The hut opens after 1 May.", "The hut opens before 1 May.", "limit after"),
        ("Members should wear a helmet.", "Members must wear a helmet.", "says should where its source says must"),
        (
            "The king met the queen near the northern gate of the old town.",
            "The king met the queen near the southern gate of the old town.",
            "says northern where its source says southern",
        ),
        (
            "In spring Marta Lind leads the choir of the small town.",
            "In spring Paul Berg leads the choir of the small town. Marta Lind sings.",
            "where its source says",
        ),
        (
            "The park borders the river at the south and the lake at the south of the town.",
            "The park borders the river at the north and the lake at the south of the town.",
            "says south where its source says north",
        ),
        (
            "이전 회사는 새 공장을 세우고 직원을 두 배로 늘렸다.",
            "이후 회사는 새 공장을 세우고 직원을 두 배로 늘렸다.",
            "이전",
        ),
        ("회사는 소송에서 원고를 지원했다.", "회사는 소송에서 원고를 지원하지 않았다.", "opposite"),
    ],
)
def test_what_is_wrong_is_said(text, source, told):
    assert any(told in problem for problem in problems(text, source))


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("You need not register.", "You don't have to register."),
        ("Every club strives to teach its young members.", "Every club aims to teach its young members."),
        ("there are several kinds of boats in the harbour.", "There are multiple types of boats in the harbour."),
        ("Sales rose in 2020.", "Sales fell in 2019. Sales rose in 2020."),
        ("Dogs are welcome whether or not they are small.", "Small and large dogs are welcome."),
        ("No, guests do not pay.", "Guests do not pay."),
        ("The report is due by 31 March.", "The report is due no later than 31 March."),
        ("The HR team answers within two weeks.", "The Human Resources team answers within 14 days."),
        ("The tower was built in the 1980s.", "The tower was built in 1987."),
        ("휴가는 팀장 승인 없이 쓸 수 있습니다.", "휴가는 팀장의 승인 없이 사용할 수 있다."),
        ("신청하지 않으면 받을 수 없습니다.", "신청하지 않으면 받지 못한다."),
        ("잘못 보낸 돈은 돌려받는다.", "잘못 보낸 돈은 돌려받을 수 있다."),
    ],
)
def test_other_words_for_the_same_are_not_blamed(text, source):
    assert problems(text, source) == []


def test_the_likeness_is_graded():
    quoted = likeness("Employees must submit the travel form at least ten days before the trip.", ENGLISH)
    reworded = likeness("The travel form is to be handed in ten days ahead of a trip.", ENGLISH)
    elsewhere = likeness("Penguins live on the southern ice.", ENGLISH)
    assert 1 >= quoted > reworded > elsewhere >= 0


def test_a_question_and_an_opinion_are_less_like_it_than_a_statement():
    told = "The workshop is open on Monday."
    assert likeness(told, ENGLISH) > likeness("Is the workshop open on Monday?", ENGLISH)
    assert likeness(told, ENGLISH) > likeness("I like that my workshop is open on Monday.", ENGLISH)


@pytest.mark.parametrize("text", ["", "   ", "...", "네.", "?", "[1]"])
@pytest.mark.parametrize("source", ["", "   ", "A short note.", "짧은 글."])
def test_nothing_much_is_no_error(text, source):
    problems(text, source)
    assert 0 <= likeness(text, source) <= 1


ON_CALL = "There is always a primary and a secondary. The secondary is called after 10 minutes."
당직 = "당직은 둘입니다. 첫째 담당이 10분 안에 받지 않으면 둘째 담당에게 갑니다."


@pytest.mark.parametrize(
    ("source", "holds", "fails"),
    [
        (ON_CALL, "1차 담당과 2차 담당이 있습니다.", "1차 담당과 3차 담당이 있습니다."),
        (ON_CALL, "10분 뒤에 2차 담당을 부릅니다.", "10분 뒤에 2차선으로 갑니다."),
        (당직, "After 10 minutes the 2nd one is called.", "After 10 minutes 2 engineers are called."),
        (당직, "After 10 minutes the 2nd one is called.", "After 10 minutes the 4th one is called."),
    ],
)
def test_a_place_in_an_order_may_be_named_in_the_source_where_the_sentence_counts(source, holds, fails):
    assert problems(holds, source) == []
    assert any("number" in each for each in problems(fails, source))
