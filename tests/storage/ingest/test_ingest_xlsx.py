import datetime

import pytest

from agent.errors import RefusedFileError
from agent.types import Category
from storage.ingest.formats.numbers import shown
from storage.ingest.parsed import Limits
from tests.storage.ingest.memory import read, sections
from tests.storage.ingest.office_files import book, edited, saved


def test_a_sheet_with_a_title_a_header_of_two_rows_and_merged_cells(tmp_path):
    workbook = book(
        {
            "가격표": [
                ["2025년 가격표", None, None, None],
                ["단위: 원"],
                [],
                ["분류", "제품", "가격"],
                [None, None, "국내", "해외"],
                ["프린터", "P100", 150000, 120],
                [None, "P200", 250000, 200.5],
                [],
                ["주: 바뀔 수 있습니다."],
            ]
        }
    )
    sheet = workbook["가격표"]
    for cells in ("A1:D1", "A4:A5", "B4:B5", "C4:D4", "A6:A7"):
        sheet.merge_cells(cells)
    for row in (6, 7):
        sheet.cell(row, 3).number_format = '#,##0"원"'
        sheet.cell(row, 4).number_format = "[$$-409]#,##0.00"
    workbook.properties.title = "제품 가격"
    document = read(saved(workbook, tmp_path / "prices.xlsx"))
    assert (document.title, document.language) == ("제품 가격", "ko")
    assert sections(document) == [
        (
            "가격표",
            "가격표\n\n2025년 가격표\n단위: 원\n\n"
            "| 분류 | 제품 | 가격 국내 | 가격 해외 |\n| --- | --- | --- | --- |\n"
            "| 프린터 | P100 | 150,000원 | $120.00 |\n| 프린터 | P200 | 250,000원 | $200.50 |\n\n"
            "주: 바뀔 수 있습니다.",
        )
    ]
    assert document.passages[0].category is Category.TABLE


def test_every_sheet_is_a_section_and_hidden_ones_stay_hidden(tmp_path):
    workbook = book({"Teams": [["Team", "2023"], ["Ops", 5]], "Lists": [["secret"]], "Notes": [["Only a line."]]})
    workbook["Lists"].sheet_state = "hidden"
    workbook.properties.modified = datetime.datetime(2024, 12, 31)
    document = read(saved(workbook, tmp_path / "a.xlsx"))
    assert [section for section, _ in sections(document)] == ["Teams", "Notes"]
    assert document.title == "a"
    assert document.metadata == {"sheets": 2}


def test_formulas_are_told_by_their_stored_result_and_otherwise_as_they_are(tmp_path):
    path = saved(book({"S": [["Item", "Sum"], ["a", "=1+1"], ["b", "=2+2"]]}), tmp_path / "a.xlsx")
    path = edited(
        path, "xl/worksheets/sheet1.xml", lambda xml: xml.replace(b"<f>1+1</f><v></v>", b"<f>1+1</f><v>2</v>")
    )
    document = read(
        edited(path, "xl/worksheets/sheet1.xml", lambda xml: xml.replace(b"<f>1+1</f><v />", b"<f>1+1</f><v>2</v>"))
    )
    assert "| a | 2 |" in document.passages[0].text
    assert "| b | =2+2 (not calculated) |" in document.passages[0].text
    assert document.metadata["formulas_without_result"] == 1


def test_every_part_of_a_long_table_has_the_header(tmp_path):
    rows = [["제품", "가격"], *([f"위젯 {number}", number * 10] for number in range(1, 1001))]
    document = read(saved(book({"목록": rows}), tmp_path / "a.xlsx"))
    assert len(document.passages) > 5
    first, *others = (each.text for each in document.passages)
    assert first.startswith("목록\n\n| 제품 | 가격 |\n| --- | --- |\n| 위젯 1 | 10 |")
    assert all(text.startswith("| 제품 | 가격 |\n| --- | --- |\n| 위젯 ") for text in others)
    assert all(each.section == "목록" for each in document.passages)
    lines = [line for text in (first, *others) for line in text.splitlines() if line.startswith("| 위젯")]
    assert lines == [f"| 위젯 {number} | {number * 10} |" for number in range(1, 1001)]


def test_rows_of_numbers_after_an_empty_row_belong_to_the_table_above(tmp_path):
    rows = [["Team", "Budget"], ["A", 10], [], ["B", 20], [], ["Name", "Phone"], ["Kim", "02-1"]]
    (passage,) = read(saved(book({"S": rows}), tmp_path / "a.xlsx")).passages
    assert "| A | 10 |\n| B | 20 |" in passage.text
    assert "| Name | Phone |\n| --- | --- |\n| Kim | 02-1 |" in passage.text


@pytest.mark.parametrize(
    ("value", "code", "text"),
    [
        (1234567, "#,##0", "1,234,567"),
        (0.1 + 0.2, "General", "0.3"),
        (12.0, "General", "12"),
        (0.125, "0.0%", "12.5%"),
        (1234.5, '"₩"#,##0', "₩1,235"),
        (-1234.5, "#,##0.00;(#,##0.00)", "(1,234.50)"),
        (-5, "#,##0;[Red]-#,##0", "-5"),
        (15000, '#,##0"원"', "15,000원"),
        (1234, "00000", "01234"),
        (1e-7, "General", "1e-07"),
        (123456789012, "General", "123456789012"),
        (0.5, "# ?/?", "0.5"),
        (True, "General", "TRUE"),
        (datetime.datetime(2024, 5, 1), "yyyy-mm-dd", "2024-05-01"),
        (datetime.datetime(2024, 5, 1), "mmm yyyy", "2024-05"),
        (datetime.datetime(2024, 5, 1, 9, 30), "m/d/yy h:mm", "2024-05-01 09:30"),
        (datetime.time(9, 5), "h:mm", "09:05"),
        (datetime.timedelta(hours=30), "[h]:mm", "30:00"),
    ],
)
def test_numbers_and_dates_are_told_as_they_are_shown(value, code, text):
    assert shown(value, code) == text


def test_more_cells_than_the_limit_are_refused_before_they_are_read(tmp_path):
    path = saved(book({"S": [["a", "b"]] * 60}), tmp_path / "a.xlsx")
    with pytest.raises(RefusedFileError, match=r"more than 100 cells, the limit; export the data as \.csv"):
        read(path, Limits(cells=100))
    assert read(path, Limits(cells=120))


def test_a_cell_at_the_far_corner_of_a_sheet_costs_nothing(tmp_path):
    workbook = book({"S": [["Item", "Price"], ["a", 1]]})
    workbook["S"].cell(1_048_576, 16_384).value = "far away"
    (passage,) = read(saved(workbook, tmp_path / "a.xlsx")).passages
    assert passage.text == "S\n\n| Item | Price |\n| --- | --- |\n| a | 1 |\n\nfar away"


def test_an_empty_workbook_is_refused(tmp_path):
    with pytest.raises(RefusedFileError, match="no text"):
        read(saved(book({"S": []}), tmp_path / "a.xlsx"))
