"""Answers to several questions at once, to questions with slips, and over documents in the other language."""

import pytest

from agent.packs.pack import Limits
from agent.reasoning.offline import OfflineReasoner
from agent.reasoning.support import check_sentence
from tests.contracts.reasoning import PACK, block, brief

LEAVE = block(
    1,
    "## Maternity leave\n\nMaternity leave is 90 days. Maternity leave is fully paid.\n\n"
    "## Partner leave\n\nThe other parent has 20 days of partner leave. It can be split into four parts.\n\n"
    "## Sick leave\n\nYou have 10 paid days of sick leave a year.",
    title="Leave",
)
TABLE = block(
    2,
    "| City | Hotel limit | Per diem |\n|---|---|---|\n"
    "| Tokyo | 220 euros | 65 euros |\n| Berlin | 200 euros | 60 euros |",
    title="Travel",
)
FORMS = block(
    3,
    "Parental leave lasts up to 12 months. Send form HR-12 to apply for parental leave.\n\n"
    "Parents can work reduced hours. Use form HR-13 for reduced hours.",
    title="Parents",
)
HANGUL = block(
    4,
    "## 출산휴가\n출산휴가는 90일입니다.\n\n## 병가\n유급 병가는 1년에 10일입니다.\n\n## 재택근무\n"
    "재택근무는 일주일에 최대 3일까지 할 수 있습니다.\n\n"
    "## 기기\n노트북을 잃어버리면 보안 핫라인 555-0199로 즉시 신고하세요.",
    title="휴가와 근무",
    language="ko",
)


async def sentences(question, *blocks, **more):
    given = brief(question, *blocks, **more)
    said = [sentence async for sentence in OfflineReasoner().compose(given)]
    assert all(not check_sentence(sentence, given.blocks) for sentence in said)
    return said


async def answer(question, *blocks, **more):
    return "".join(sentence.lead + sentence.text for sentence in await sentences(question, *blocks, **more)).strip()


@pytest.mark.parametrize(
    "question",
    [
        "What is the difference between maternity leave and partner leave?",
        "How does maternity leave differ from partner leave?",
        "Compare maternity leave with partner leave",
        "maternity leave\npartner leave",
    ],
)
async def test_what_is_compared_is_told_apart_under_its_name(question):
    told = await answer(question, LEAVE)
    first, second = told.split("\n\n", 1)
    assert first.startswith("**Maternity leave**: Maternity leave is 90 days.")
    assert second.startswith("**Partner leave**: The other parent has 20 days of partner leave.")


async def test_korean_comparisons_are_told_apart_too():
    told = await answer("출산휴가와 병가를 비교해줘", HANGUL, language="ko")
    assert told.startswith("**출산휴가**: 출산휴가는 90일입니다.") and "**병가**: 유급 병가는 1년에 10일입니다." in told


async def test_one_of_two_is_never_told_as_if_it_were_all():
    told = await answer("Compare maternity leave with the stock plan", LEAVE)
    assert told.startswith("The documents do not answer this part: stock plan\n\n**Maternity leave**: Maternity")
    told = await answer("출산휴가와 스톡옵션의 차이는?", HANGUL, language="ko")
    assert told.startswith("문서에서 답을 찾지 못한 부분: 스톡옵션\n\n**출산휴가**:")
    told = await answer("How many days is maternity leave and how much is the stock bonus?", LEAVE)
    assert "do not answer this part: how much is the stock bonus" in told and "90 days" in told


async def test_nothing_is_said_of_parts_where_none_is_answered():
    assert await sentences("Compare the stock plan with the pension fund", LEAVE) == []


async def test_each_question_is_answered_from_its_own_evidence():
    told = await answer("What is the hotel limit in Tokyo and what is the per diem in Berlin?", TABLE, LEAVE)
    assert "220 euros" in told and "60 euros" in told
    told = await answer("Which forms do I need for parental leave and for reduced hours?", FORMS)
    assert "HR-12" in told and "HR-13" in told and "not answer" not in told
    told = await answer("How long are both maternity leave and partner leave?", LEAVE)
    assert "90 days" in told and "20 days" in told


async def test_what_answers_both_parts_is_said_once():
    row = block(1, "Maternity leave and partner leave are both fully paid.", title="Leave")
    told = await answer("Compare maternity leave with partner leave", row)
    assert told.count("fully paid") == 1 and "do not answer" not in told


async def test_no_part_is_left_out_for_want_of_room():
    pack = PACK.model_copy(update={"limits": Limits(answer_sentences=1)})
    told = await answer("Compare maternity leave with partner leave", LEAVE, pack=pack)
    assert "90 days" in told and "20 days" in told


async def test_of_two_compared_things_each_is_told_by_what_is_said_of_it_alone():
    on_call = block(
        1,
        "Every SEV1 and SEV2 gets a written review within 5 working days.\n\n"
        "| Severity | Acknowledge within |\n|---|---|\n| SEV1 | 5 minutes |\n| SEV2 | 15 minutes |",
        title="On-call guide",
    )
    told = await answer("What is the difference between SEV1 and SEV2?", on_call)
    assert "5 minutes" in told and "15 minutes" in told and "review" not in told


# --- slips, missing spaces -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("how many days is maternty leave", "90 days"),
        ("how many days of partnr leave", "20 days"),
        ("what is the hotl limit in Tokyo", "220 euros"),
    ],
)
async def test_a_slip_of_the_keyboard_is_read_as_it_was_meant(question, expected):
    assert expected in await answer(question, LEAVE, TABLE)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("출산휴가는며칠", "90일"),
        ("유급병가는며칠인가요", "10일"),
        ("재택근무일주일에며칠까지가능한가요?", "3일"),
        ("노트북잃어버리면어떻게해야돼", "555-0199"),
    ],
)
async def test_korean_without_spaces_is_read_with_them(question, expected):
    assert expected in await answer(question, HANGUL, language="ko")


@pytest.mark.parametrize(
    "question",
    [
        "how do I set up the printr?",
        "How many days of study leave do I get?",
        "안식년휴가는며칠",
        "스톡옵션은몇주를받나요",
        "Compare the gym with the canteen",
    ],
)
async def test_what_nothing_answers_stays_unanswered(question):
    page = block(
        5, "Do not print confidential documents at home. Use the steady table for the press.", title="Security"
    )
    assert await sentences(question, LEAVE, page, HANGUL, language="ko" if question[0] > "z" else "en") == []


# --- the other language ----------------------------------------------------------------------------------


async def test_a_question_is_answered_from_documents_of_the_other_language_where_its_own_say_nothing():
    english = block(1, "Parental leave lasts up to 12 months for each child.", title="Parental leave")
    assert "12 months" in await answer("육아휴직 기간은 얼마나 되나요?", english, language="ko")
    assert "10일" in await answer("How much sick leave is paid?", HANGUL)
    own = block(2, "육아휴직은 최대 1년입니다.", title="육아휴직", language="ko")
    assert await answer("육아휴직은 최대 몇 년인가요?", english, own, language="ko") == "육아휴직은 최대 1년입니다."


async def test_a_known_word_of_the_other_language_is_no_answer_by_itself():
    english = block(1, "Parental leave lasts up to 12 months for each child.", title="Parental leave")
    assert await sentences("육아휴직 중에 스톡옵션은 어떻게 되나요?", english, language="ko") == []
    assert await sentences("주차 요금은 얼마인가요?", english, language="ko") == []
