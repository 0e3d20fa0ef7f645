"""What a message wants of the calendar, and what is a question all the same."""

import pytest

from agent.reasoning.rules.reading.calendar_order import READ, calendar_order


@pytest.mark.parametrize(
    ("text", "question", "plan"),
    [
        ("every Monday at 9 ask who is on call here", "who is on call", "0 9 * * 1"),
        ("Every Monday at 9, tell us what the office hours are", "what the office hours are", "0 9 * * 1"),
        ("ask here every weekday at 8am: which shifts are open?", "which shifts are open?", "0 8 * * 1,2,3,4,5"),
        ("please ask who is on call every Monday at 9.", "who is on call", "0 9 * * 1"),
        ("every Monday at 9: who is on call?", "who is on call?", "0 9 * * 1"),
        ("schedule for every day at 5pm: what is still open?", "what is still open?", "0 17 * * *"),
        ("매주 월요일 9시에 이번 주 당직이 누구인지 물어봐", "이번 주 당직이 누구인지", "0 9 * * 1"),
        ("매주 월요일 9시에 이번 주 당직이 누구인지 알려줘", "이번 주 당직이 누구인지 알려줘", "0 9 * * 1"),
        ("매주 월요일 오전 10시에 “휴가 규정이 어떻게 돼?”라고 물어봐 줘", "휴가 규정이 어떻게 돼?", "0 10 * * 1"),
        ("매일 9시에 여기에 재고 현황을 물어봐줘", "재고 현황", "0 9 * * *"),
        ("every first Monday of the month at 9 ask who is on call", "who is on call", "0 9 * * 1#1"),
        ("every other Tuesday at 10: who is on call?", "who is on call?", "0 10 * * 2 every 2w"),
        ("격주 화요일 10시에 당직이 누구인지 물어봐 줘", "당직이 누구인지", "0 10 * * 2 every 2w"),
        ("매월 첫째 월요일 9시에 휴가자를 알려줘", "휴가자를 알려줘", "0 9 * * 1#1"),
        ("매월 말일 18시: 마감이 남은 것은?", "마감이 남은 것은?", "0 18 L * *"),
        ("every second ask the time", "the time", "every 1s"),
    ],
)  # fmt: skip
def test_a_question_that_is_to_be_asked_again_and_again(text, question, plan):
    order = calendar_order(text)
    assert (order.wish, order.question, str(order.when.plan)) == ("ask", question, plan)


@pytest.mark.parametrize(
    ("text", "wish", "number"),
    [
        ("what standing questions are there?", "list", None), ("list schedules", "list", None),
        ("예약 목록", "list", None), ("무슨 예약 질문 있어?", "list", None), ("정기 질문 목록 보여 줘", "list", None),
        ("stop asking that", "remove", None), ("Please stop asking that every Monday.", "remove", None),
        ("don't ask that again", "remove", None), ("don’t ask that again", "remove", None),
        ("remove standing question 2", "remove", 2), ("pause standing question #12", "pause", 12),
        ("resume schedule 3", "resume", 3), ("그거 그만 물어봐", "remove", None), ("예약 3 삭제해줘", "remove", 3),
        ("매주 월요일 그만 물어봐", "remove", None), ("예약 3번 일시 중지", "pause", 3),
        ("정기 질문 3번을 재개해 주세요", "resume", 3),
        ("tell me when this changes", "watch", None), ("Let us know if it changes", "watch", None),
        ("바뀌면 알려줘", "watch", None), ("이거 바뀌면 알려 주세요", "watch", None),
        ("stop watching this", "unwatch", None), ("알림 그만", "unwatch", None),
    ],
)  # fmt: skip
def test_what_is_said_about_what_is_set(text, wish, number):
    order = calendar_order(text)
    assert (order.wish, order.number) == (wish, number)


@pytest.mark.parametrize(
    "text",
    [
        "", "what happens every Monday at 9?", "tell me what happens every Monday at 9", "when does the policy change?",
        "schedule a meeting every Monday at 9", "is there a stand-up every Monday at 9 and who asks the questions?",
        "매주 월요일에 회의가 있는지 알려줘", "정책이 바뀌면 어떻게 알려줘야 하나요?",
        "매주 월요일 회의는 몇 시인가요?",
        "stop", "중지", "cancel my booking", "every day at 9 ask", "who gets told when this changes?", "\uf8ff ask who",
        "every Monday at 9 ask " + "x" * READ, "예약은 어떻게 취소하나요?", "회의실 예약 목록은 어디서 보나요?",
    ],
)  # fmt: skip
def test_what_is_about_something_else(text):
    assert calendar_order(text) is None


@pytest.mark.parametrize(
    ("text", "wish"),
    [
        ("remind me to hand in the keys", "unread"),
        ("remind me every Monday at 9 to hand in the keys", "unread"),
        ("every quarter ask who keeps the keys", "unread"),
        ("매분기 열쇠 담당이 누구인지 물어봐 줘", "unread"),
        ("내일 열쇠 반납 리마인드해줘", "unread"),
        ("remind us every Monday of who keeps the keys", "ask"),
        ("remind me what the door code is", None),
    ],
)
def test_what_the_clock_cannot_do_is_known_from_a_question(text, wish):
    order = calendar_order(text)
    assert (order.wish if order else None) == wish
