"""Who is meant in a thread."""

import pytest

from agent.addressing import asks


@pytest.mark.parametrize(
    "text",
    [
        "and on Windows", "how do I install it", "what about contractors", "ok, and how long does it take", "why",
        "can I carry them over", "tell me more", "sorry, which form was that", "the second one?",
        "그럼 계약직은요", "어떻게 신청해", "두 번째 거 알려줘", "며칠까지 가능한가요", "왜", "표로 정리해줘", "얼마야",
    ],
)  # fmt: skip
def test_questions_and_requests_are_heard(text):
    assert asks(text)


@pytest.mark.parametrize(
    "text",
    ["lol same here", "haha nice", "I will ask Kim about it", "that worked for me", "🎉", "", "ok", "ㅋㅋㅋ 대박",
     "저도 그렇게 했어요", "네 확인했습니다", "good to know", "+1"],
)  # fmt: skip
def test_talk_among_people_is_left_alone(text):
    assert not asks(text)
