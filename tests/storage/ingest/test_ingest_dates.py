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


@pytest.mark.parametrize(
    ("head", "date"),
    [
        ("Version 2, in force from 1 March 2024. Replaced by version 3 on 1 May 2026.", "2024-03-01"),
        ("Valid from 1 January 2025 until 31 January 2026. All prices are in euro.", "2025-01-01"),
        ("Valid until 31 January 2026", ""),
        ("Edition of 4 May 2023, superseded on 1 March 2025", "2023-05-04"),
        ("일부개정 2023. 1. 1.  ※ 2025. 3. 1. 전부개정으로 폐지", "2023-01-01"),
        ("Edition 6, 4 May 2026. For everybody.", "2026-05-04"),
        ("Date: Tuesday 5 May 2026, 10:00 to 12:05. Glazing room.", "2026-05-05"),
        ("일시: 2026년 5월 5일(화) 10:00 ~ 12:05. 작업실.", "2026-05-05"),
        ("Deadline: 5 May 2026. Nobody is late.", ""),
        ("The house was founded on 3 May 1998.", ""),
        ("2026년 3월 1일 개정 시행. 이 규약은 2022년 1월 1일 규약을 대체한다.", "2026-03-01"),
        ("가마는 2021년 8월 30일에 들여왔습니다.", ""),
    ],
)
def test_the_head_of_a_document_tells_since_when_it_holds(tmp_path, head, date):
    assert read(written(tmp_path / "a.md", f"# Kiln rules\n\n{head}\n\n## Use\n\nAsk first.\n")).date == date


def test_the_end_of_a_time_in_a_title_is_not_the_date_of_the_document(tmp_path):
    content = "# 가마 규칙 (2022년 5월 1일 시행, 2026년 2월 28일까지)\n\n먼저 물어보세요.\n"
    assert read(written(tmp_path / "a.md", content)).date == "2022-05-01"


@pytest.mark.parametrize(
    ("head", "title"),
    [
        ("From: Ann\nTo: all\nSubject: RE: Fwd: Kiln times\n\nHello all,\n\nIt is free.\n", "Kiln times"),
        ("MEMO\nFrom: Ann / Stores\nRe:  New gloves\n\nHi,\n\nTake them.\n", "New gloves"),
        ("보낸 사람: 김가마\n제목: RE: 가마 시간\n\n이물레님\n가마는 비어 있습니다.\n", "가마 시간"),
    ],
)
def test_a_letter_is_called_what_it_is_about(tmp_path, head, title):
    assert read(written(tmp_path / "a.txt", head)).title == title


def test_a_subject_without_a_letter_is_no_title(tmp_path):
    text = "# Kiln forms\n\nSubject: what you write there\n\nFill it in.\n"
    assert read(written(tmp_path / "a.md", text)).title == "Kiln forms"
