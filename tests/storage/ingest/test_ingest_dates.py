import datetime

import pytest

from storage.ingest.dates import day, told
from tests.storage.ingest.memory import read, written


@pytest.mark.parametrize(
    "value",
    [
        "2024-03-05",
        "2024-03-05T23:00:00Z",
        "2024/3/5",
        "2024. 3. 5.",
        "2024년 3월 5일",
        "D:20240305101010+09'00'",
        "20240305",
        "March 5, 2024",
        "5 Mar 2024",
        "Tue, 05 Mar 2024 10:00:00 GMT",
        datetime.date(2024, 3, 5),
        datetime.datetime(2024, 3, 5, 23),
    ],
)
def test_a_date_is_known_in_many_spellings(value):
    assert day(value) == "2024-03-05"


@pytest.mark.parametrize(
    "value",
    [
        "2024",
        "2024-13-01",
        "2024-02-30",
        "0001-01-01",
        "9999-12-31",
        "soon",
        "2024-03",
        "v2024.1.2345",
        20240305,
        None,
        "x" * 500,
    ],
)
def test_what_is_no_date_is_none(value):
    assert day(value) == ""


def test_a_change_says_more_than_a_publication():
    assert told({"created": "2020-01-01", "date": "2021-01-01", "Updated-At": "2024-05-06"}) == "2024-05-06"
    assert told({"updated": "soon", "date": "2021-01-01"}) == "2021-01-01"
    assert told({"title": "2024-01-01"}) == ""


def test_front_matter_tells_the_date_and_the_file_system_does_not(tmp_path):
    assert read(written(tmp_path / "a.md", "---\nupdated: 2024-05-06\n---\nText.")).date == "2024-05-06"
    assert read(written(tmp_path / "b.md", "Text.")).date == ""
