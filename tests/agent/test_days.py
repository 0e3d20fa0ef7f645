"""Days that a question names by how far they are from today are read as the dates that the passages have."""

from datetime import date

import pytest

from agent.teams.search import _read_as
from tests.fakes_knowledge import base_of, searched

TEXTS = (
    "Rota | 5 March 2026 | the north desk is run by Kim",
    "Rota | 6 March 2026 | the north desk is run by Lee",
    "Each Sunday the south desk is closed",
    "On March 9 the fire drill begins at noon",
    "당직표 | 3월 6일 | 남문은 박민수",
)
WEDNESDAY = date(2026, 3, 4)


async def read(text, *secret):
    return await searched(text, base_of(TEXTS, *secret), today=WEDNESDAY)


@pytest.mark.parametrize(
    ("text", "read_as", "best"),
    [
        ("who runs the north desk tomorrow", {"tomorrow": "tomorrow March 5"}, 0),
        ("the north desk the day after tomorrow", {"tomorrow": "tomorrow March 6"}, 1),
        ("what's on next Monday?", {"Monday": "Monday March 9"}, 3),
        ("이번 주 금요일에 남문 누구야?", {"금요일에": "금요일에 3월 6일"}, 4),
        ("may I eat at home next monday", {}, None),  # the day has nothing of what is asked
        ("what's on next tuesday?", {}, None),
    ],
)
async def test_a_day_is_read_as_the_date_of_a_passage_about_what_is_asked(text, read_as, best):
    result = await read(text)
    assert result.read_as == read_as
    assert best is None or result.hits[0].passage.id == best


async def test_a_day_without_its_name_is_read_as_that_day_of_the_week_too():
    result = await searched("is the south desk open tomorrow", base_of(TEXTS), today=date(2026, 3, 7))
    assert result.read_as == {"tomorrow": "tomorrow Sunday"} and result.hits[0].passage.id == 2


async def test_a_date_that_may_not_be_read_is_never_told():
    hidden = "Rota | 10 March 2026 | the tower is run by Cho"
    assert (await searched("who runs the tower next tuesday", base_of(TEXTS, hidden), today=WEDNESDAY)).read_as == {}


@pytest.mark.parametrize(
    ("asked", "meant", "told"),
    [
        ("tomorrow", "tomorrow March 5", 'I read "tomorrow" as "March 5".'),
        ("kilm", "kiln", 'I read "kilm" as "kiln".'),
    ],
)
def test_it_is_said_as_which_day_a_word_was_read(asked, meant, told):
    assert _read_as(asked, meant, "en") == told
