"""How often, in people's words."""

import pytest

from agent.values.recurrence import recurrence


@pytest.mark.parametrize(
    ("text", "plan"),
    [
        ("every Monday at 9", "0 9 * * 1"), ("every Mon, Wed and Fri at 14:30", "30 14 * * 1,3,5"),
        ("at 9 every Tuesday", "0 9 * * 2"), ("each Sunday", "0 9 * * 0"), ("on Mondays at 2", "0 14 * * 1"),
        ("every Saturday morning", "0 9 * * 6"), ("weekly on Friday at noon", "0 12 * * 5"),
        ("every weekday at 17:00", "0 17 * * 1,2,3,4,5"), ("on weekdays at 8am", "0 8 * * 1,2,3,4,5"),
        ("every day at 02:00", "0 2 * * *"), ("daily at 9.30 am", "30 9 * * *"), ("each evening", "0 18 * * *"),
        ("every month on the 31st", "0 9 31 * *"), ("on the 1st of every month at 10", "0 10 1 * *"),
        ("every hour", "0 * * * *"), ("every 6 hours", "0 0,6,12,18 * * *"), ("every 7 hours", "every 25200s"),
        ("every 10 minutes", "every 600s"), ("every second", "every 1s"), ("every 12am", None),
        ("매주 월요일 9시", "0 9 * * 1"), ("매주 월/수/금 오후 2시 반에", "30 14 * * 1,3,5"),
        ("월요일과 목요일마다 밤 11시에", "0 23 * * 1,4"), ("매주 화요일 밤 12시", "0 0 * * 2"),
        ("매주 월요일 두 시에", "0 14 * * 1"), ("매일 아침", "0 9 * * *"), ("매일 새벽 2시", "0 2 * * *"),
        ("평일 오전 9시 30분에", "30 9 * * 1,2,3,4,5"), ("매월 1일과 15일 10시에", "0 10 1,15 * *"),
        ("매시간", "0 * * * *"), ("3시간마다", "0 0,3,6,9,12,15,18,21 * * *"), ("10분마다", "every 600s"),
        ("매초", "every 1s"), ("매주 일요일 정오", "0 12 * * 0"),
        ("every first Monday of the month at 9", "0 9 * * 1#1"), ("every first Monday", "0 9 * * 1#1"),
        ("on the last Friday of every month at 17:00", "0 17 * * 5#L"),
        ("every second Monday of the month", "0 9 * * 1#2"),
        ("every month on the first and third Wednesday at 10:30", "30 10 * * 3#1,3#3"),
        ("on the last day of every month at 6 pm", "0 18 L * *"), ("at the end of each month", "0 9 L * *"),
        ("every second Monday", "0 9 * * 1 every 2w"), ("every other Tuesday at 10", "0 10 * * 2 every 2w"),
        ("every two weeks on Mon and Thu", "0 9 * * 1,4 every 2w"),
        ("biweekly on Friday at noon", "0 12 * * 5 every 2w"),
        ("매월 첫째 월요일", "0 9 * * 1#1"), ("매달 둘째 주 화요일 오후 2시에", "0 14 * * 2#2"),
        ("매월 첫 번째, 세번째 수요일 10시", "0 10 * * 3#1,3#3"), ("매월 마지막 금요일 저녁 6시에", "0 18 * * 5#L"),
        ("첫째 월요일마다", "0 9 * * 1#1"), ("매월 말일 18시에", "0 18 L * *"),
        ("격주 화요일 10시", "0 10 * * 2 every 2w"),
        ("2주마다 목요일 9시에", "0 9 * * 4 every 2w"), ("3주에 한 번 월/수", "0 9 * * 1,3 every 3w"),
        ("every third Monday", None), ("every second day", None), ("on Monday at 9", None), ("매월 40일", None),
        ("every 0 weeks on Monday", None), ("on the first Monday", None), ("첫째 월요일", None),
        ("every day at 25:00", None), ("every 0 hours", None), ("everyday life at work", None), ("오늘 9시에", None),
    ],
)  # fmt: skip
def test_how_often_something_comes(text, plan):
    found = recurrence(text)
    if plan is None:
        assert found is None
    else:
        assert (str(found.plan), found.start, found.end) == (plan, 0, len(text))


def test_a_week_without_its_day_takes_the_day_on_which_it_is_said():
    found = recurrence("please, every week at 10")
    assert found.any_day and found.timed and str(found.on(3)) == "0 10 * * 4"
    assert str(recurrence("매주 10시에").on(0)) == "0 10 * * 1"
    assert str(recurrence("every other week").on(3)) == "0 9 * * 4 every 2w"
    assert str(recurrence("격주로 10시에").on(0)) == "0 10 * * 1 every 2w"
