"""Messages about the answer before are known from questions of their own."""

import pytest

from agent.reasoning.rules.reading.answer_request import about_answer
from agent.types import FollowUp
from tests.cost import spent


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("why?", "why"),
        ("why", "why"),
        ("But why is that?", "why"),
        ("how come?", "why"),
        ("왜?", "why"),
        ("왜요?", "why"),
        ("이유가 뭐예요?", "why"),
        ("왜 그런가요?", "why"),
        ("source?", "source"),
        ("what's your source for that?", "source"),
        ("Where does it say that?", "source"),
        ("which document?", "source"),
        ("how do you know that?", "source"),
        ("출처?", "source"),
        ("출처 알려줘", "source"),
        ("근거가 뭐야?", "source"),
        ("어디에 나와 있어?", "source"),
        ("어느 문서에 있어요?", "source"),
        ("shorter", "shorter"),
        ("make it shorter please", "shorter"),
        ("tl;dr", "shorter"),
        ("too long", "shorter"),
        ("can you summarize that?", "shorter"),
        ("in one sentence please", "shorter"),
        ("요약해줘", "shorter"),
        ("in three sentences please", "shorter"),
        ("summarise it in a few words", "shorter"),
        ("네 줄로 정리해줘", "shorter"),
        ("3문장 이내로 요약", "shorter"),
        ("짧게 말해줘", "shorter"),
        ("한 줄로 정리해줘", "shorter"),
        ("tell me more", "longer"),
        ("more details please", "longer"),
        ("elaborate", "longer"),
        ("더 자세히 알려줘", "longer"),
        ("자세히 설명해줘", "longer"),
        ("as a table", "table"),
        ("put it in a table", "table"),
        ("표로 정리해줘", "table"),
        ("이걸 표로 보여줘", "table"),
        ("as bullet points please", "list"),
        ("목록으로 정리해줘", "list"),
        ("say that again", "repeat"),
        ("다시 한 번 말해줘", "repeat"),
        ("anything else?", "another"),
        ("no, that's wrong", "another"),
        ("this isn't what I meant", "another"),
        ("that didn't answer my question", "another"),
        ("그거 말고 다른 거", "another"),
        ("그건 틀린 것 같아요", "another"),
        ("더 없나요?", "another"),
    ],
)
def test_what_is_wanted_of_the_answer(text, kind):
    followup = about_answer(text)
    assert followup is not None and followup.kind == kind


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("in English", "en"),
        ("translate it to Korean please", "ko"),
        ("영어로 알려줘", "en"),
        ("한국어로 번역해줘", "ko"),
    ],
)
def test_another_language(text, language):
    followup = about_answer(text)
    assert followup is not None and (followup.kind, followup.language) == ("translate", language)


@pytest.mark.parametrize("text", ["translate that", "translation please", "번역해줘", "이거 번역해 주세요"])
def test_a_translation_into_no_language_by_name(text):
    assert about_answer(text) == FollowUp(kind="translate")


@pytest.mark.parametrize(
    ("text", "point"),
    [
        ("what about the first point?", 1),
        ("explain the second step", 2),
        ("more on point 3", 3),
        ("the last item?", -1),
        ("2nd bullet please", 2),
        ("첫 번째 항목 자세히 설명해줘", 1),
        ("두 번째 단계는?", 2),
        ("3번 항목은 뭐야?", 3),
        ("what's step 3", 3),
    ],
)
def test_a_point_of_the_answer(text, point):
    followup = about_answer(text)
    assert followup is not None and (followup.kind, followup.point) == ("point", point)


@pytest.mark.parametrize(
    "text",
    [
        "why do contractors get fewer days?",
        "why was the limit changed in 2024?",
        "where is the source code of the agent?",
        "summarize the travel policy",
        "translate the contract",
        "write the address in two lines",
        "두 줄로 서야 하나요?",
        "which document do I need for the visa?",
        "what is the first step of the approval process?",
        "how long is parental leave?",
        "show me the table of allowances for trips",
        "is there training in English?",
        "more vacation days",
        "왜 재택근무가 제한되나요?",
        "출처 표기 규정이 뭐예요?",
        "여행 규정 요약해줘",
        "영어 교육 지원이 있나요?",
        "표준 근로시간은?",
        "휴가 목록",
        "",
        "??",
        "이유서 양식은 어디 있어?",
    ],
)
def test_questions_of_their_own(text):
    assert about_answer(text) is None


def test_hostile_text_is_read_quickly():
    with spent() as cost:
        for text in (
            "as a " * 2000,
            "요 " * 3000,
            "please make it " * 800,
            "a" * 100_000,
            "the the the the the the the the x",
        ):
            assert about_answer(text) is None
    assert cost.pieces < 100
