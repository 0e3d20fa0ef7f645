"""Which sentence answers, by what it does and whom it is about."""

import pytest

from agent.reasoning.offline import OfflineReasoner, render
from agent.reasoning.support import check_sentence
from tests.contracts.reasoning import block, brief

POOL = block(
    1,
    "# The swimming pool\n\nThis page covers opening hours, lockers, lessons and accidents at the pool.\n\n"
    "## Accidents\nAn accident is anything that hurts somebody, such as a slip on wet tiles or a lost tooth. "
    "If somebody is unconscious, press the red button. Stay with the person until help comes.\n\n"
    "A bleeding cut is no accident of the pool. Press a clean towel on a cut. Then ask for a plaster at the desk.\n\n"
    "## Lockers\nLockers cost 2 euros a day. Report a lost locker key to the desk. The lock is changed at once. "
    "Then you get a new key for 5 euros. Lockers are painted green.\n\n"
    "## Lessons\nThe lesson for babies lasts 20 minutes. Diving lessons last up to 2 hours. Otherwise the deep "
    "basin is "
    "closed to guests. Diving masks are rinsed every evening, because they carry germs.\n\n"
    "To change a lesson, write to the desk 2 days before. Book a lesson at the desk at least 7 days before it "
    "begins.\n\n"
    "## People\nThe desk is open until nine. The lifeguard answers questions about safety. Tell the lifeguard, Ada "
    "Brandt, about broken tiles. At night call the caretaker at extension 4410.",
    title="Pool rules",
)
BATH = block(
    2,
    "# 수영장 안내\n\n이 안내는 수영장 이용 시간과 사물함을 설명합니다.\n\n"
    "## 사물함\n사물함은 하루에 2,000원입니다. 사물함 열쇠를 잃어버리면 안내 데스크에 신고합니다. 다른 사람의 "
    "사물함을 열면 "
    "이용이 정지됩니다.\n\n"
    "## 강습\n| 강습 개월 | 요금 |\n|---|---|\n| 1~3개월 | 90,000원 |\n| 4~6개월 | 80,000원 |\n\n"
    "강습은 시작 7일 전까지 안내 데스크에 신청합니다. 날짜를 바꾸려면 강습 2일 전까지 다시 신청합니다.\n\n"
    "## 안전\n물이 넘치면 펌프가 멈춥니다. 문에 갇히면 비상벨을 누르고 기다립니다. 펌프는 3개월에 한 번 점검합니다. "
    "세대당 차량 2대까지 댈 수 있습니다.",
    title="수영장",
    language="ko",
)


async def sentences(question, *blocks, **more):
    given = brief(question, *blocks, **more)
    said = [sentence async for sentence in OfflineReasoner().compose(given)]
    assert all(not check_sentence(sentence, given.blocks) for sentence in said)
    return said


async def answer(question, *blocks, **more):
    return "".join(sentence.lead + sentence.text for sentence in await sentences(question, *blocks, **more))


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("I lost my locker key, what now?", "Report a lost locker key"),
        ("Who do I call at night?", "extension 4410"),
        ("Who is the lifeguard?", "Ada Brandt"),
        ("How often are the masks rinsed?", "every evening"),
        ("Why are the masks rinsed?", "because they carry germs"),
        ("How many minutes do diving lessons last?", "Diving lessons last up to 2 hours"),
        ("By when must I book a lesson?", "at least 7 days before"),
        ("How do I change a lesson?", "To change a lesson"),
    ],
)
async def test_the_sentence_does_what_the_question_asks(question, expected):
    assert expected in (await sentences(question, POOL))[0].text


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("사물함 열쇠를 잃어버렸어요. 어떻게 해야 하나요?", "안내 데스크에 신고"),
        ("강습은 언제까지 신청해야 해?", "시작 7일 전까지"),
        ("문에 갇혔어요. 어떻게 해야 하나요?", "비상벨을 누르고"),
        ("펌프는 얼마나 자주 점검하나요?", "3개월에 한 번"),
        ("차는 몇 대까지 댈 수 있나요?", "2대까지"),
        ("다른 사람의 사물함을 열면 어떻게 되나요?", "이용이 정지"),
    ],
)
async def test_so_it_does_in_korean(question, expected):
    said = await sentences(question, BATH, language="ko")
    assert expected in said[0].text


@pytest.mark.parametrize(
    "question",
    ["Why are lockers painted green?", "Why does a locker cost 2 euros a day?", "Why? (diving lessons at the desk)"],
)
async def test_without_a_reason_there_is_no_answer_to_why(question):
    text = "Lockers are painted green. A locker costs 2 euros a day. Diving lessons begin at the desk."
    assert await answer(question, block(1, text)) == ""


async def test_a_reason_in_the_next_sentence_comes_with_it():
    text = block(
        1, "Bikes are moved out of the hall by nine. The cleaners need room because of their machine. It is red."
    )
    said = await answer("Why must bikes be moved out of the hall?", text)
    assert "Bikes are moved" in said and "because of their machine" in said


async def test_no_reason_given_is_no_reason():
    text = block(1, "Each lesson can be moved once without giving a reason.", title="Lessons")
    assert await answer("Why? (lesson)", text) == ""


async def test_what_carries_a_sentence_on_comes_with_it():
    said = await answer("What should I do with a bleeding cut?", POOL)
    assert said.endswith("Press a clean towel on a cut. Then ask for a plaster at the desk.")
    text = "Guests may swim until nine. However, children leave at seven. Towels are blue."
    said = await answer("Until when may guests swim?", block(1, text))
    assert "children leave at seven" in said and "Towels" not in said


async def test_a_page_that_announces_itself_answers_little():
    said = await answer("What do lockers at the pool cost?", POOL)
    assert "2 euros" in said and "This page covers" not in said


async def test_the_thing_itself_wins_over_another_of_its_kind():
    text = block(
        1,
        "The other team has 20 paid days of guest training. Night training is 90 days. "
        "Team training lasts up to 12 months for each member.",
        title="Training",
    )
    assert (await answer("How many days of team training do I get?", text)).startswith("Team training lasts")


async def test_steps_of_something_else_are_not_the_steps():
    text = block(
        1,
        "## Boards\nAfter you create a board, run the check once. To restore a created board, use the archive. "
        "To create a board, press New and choose a name.",
        title="Boards",
    )
    assert (await answer("How do I create a board?", text)).startswith("To create a board")


async def test_a_comparison_quotes_what_is_said_of_each():
    text = block(
        1,
        "P1 faults are reviewed like P2 faults. P1 is a fault that stops the line. P2 is a fault with a way around it. "
        "A report is due for every P1 or P2 fault.",
        title="Faults",
    )
    said = await answer("What is the difference between P1 and P2 faults?", text)
    assert "P1 is a fault that stops" in said and "P2 is a fault with a way" in said and "report is due" not in said


async def test_a_case_that_the_documents_do_not_know_is_not_answered():
    assert "Book a lesson" in await answer("How do I book a diving lesson?", POOL)
    assert await answer("How do I book a diving lesson for my parrot?", POOL) == ""


async def test_a_row_that_says_no_is_quoted_too():
    table = block(
        1,
        "| Role | May swim | May dive |\n|---|---|---|\n| Guest | yes | no |\n| Member | yes | yes |",
        title="Who may do what",
    )
    assert "May dive: no" in await answer("May a guest dive?", table)


@pytest.mark.parametrize(
    ("text", "acts"),
    [
        ("Report it to the desk.", True),
        ("If it rains, close the roof.", True),
        ("Do not run.", True),
        ("2. Turn the key.", True),
        ("You must wear a cap.", True),
        ("The roof is closed when it rains.", False),
        ("Use of the slide is free.", False),
        ("벨을 누르고 기다립니다.", True),
        ("모자를 쓰세요.", True),
        ("요금은 5,000원입니다.", False),
        ("수영장은 지하에 있습니다.", False),
    ],
)
def test_telling_somebody_to_act(text, acts):
    assert speech.instructs(text) is acts


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("Diving lessons last up to 2 hours.", "Diving lessons"),
        ("Every Friday somebody sweeps.", "Every Friday somebody sweeps."),
        ("열쇠는 데스크에 있습니다.", "열쇠는"),
    ],
)
def test_whom_a_sentence_is_about(text, subject):
    assert speech.subject_of(text) == subject


TABLE = (
    "Annual leave depends on your years of service.\n\n"
    "| Years of service | Days of annual leave a year |\n| --- | --- |\n| 1 to 2 | 15 |\n| 3 to 4 | 16 |\n\n"
    "Up to 5 unused days of annual leave are carried over into the next year."
)
LEAVE_KO = (
    "| 근속연수 | 연차휴가 일수 |\n| --- | --- |\n| 1~2년 | 15일 |\n| 3~4년 | 16일 |\n\n"
    "사용하지 않은 연차휴가는 최대 5일까지 다음 해로 이월됩니다."
)


@pytest.mark.parametrize(
    ("question", "text", "said", "unsaid"),
    [
        ("How many days of annual leave do I get?", TABLE, "| 1 to 2 | 15 |", "carried over"),
        ("How many days of annual leave does an employee get?", TABLE, "| 1 to 2 | 15 |", "carried over"),
        ("How many unused days are carried over?", TABLE, "Up to 5 unused days", "| 1 to 2 |"),
        ("연차휴가는 며칠인가요?", LEAVE_KO, "| 1~2년 | 15일 |", "이월"),
        ("사용하지 않은 연차휴가는 며칠까지 이월되나요?", LEAVE_KO, "최대 5일", "| 1~2년 |"),
    ],
)
async def test_what_is_left_of_a_thing_is_not_the_thing(question, text, said, unsaid):
    language = "ko" if text is LEAVE_KO else "en"
    asked = brief(question, block(1, text, title="Annual leave", language=language), language=language)
    answer = "\n".join([sentence.text async for sentence in OfflineReasoner().compose(asked)])
    assert said in answer and unsaid not in answer


@pytest.mark.parametrize(
    ("text", "tidied"),
    [
        ("49.9", "49.9"),
        ("3.5 % a year", "3.5 % a year"),
        ("1. Open it", "Open it"),
        ("2)Close it", "Close it"),
        ("7.", "7."),
    ],
)
def test_a_decimal_number_is_no_list_mark(text, tidied):
    assert render.tidy(text) == tidied
