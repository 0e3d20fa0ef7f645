import pytest

from agent.errors import RefusedFileError
from agent.types import Category
from tests.storage.ingest.memory import read, written

TABLE = "| 제품 | 가격 |\n| --- | --- |\n| 프린터 | 1,500 |\n| 스캐너, 소형 | 900 |"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp949", "utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_separator_and_encoding_are_found(tmp_path, encoding, separator):
    rows = [["제품", "가격"], ["프린터", "1,500"], ["스캐너, 소형", "900"]]
    quoted = [f'"{cell}"' if "," in cell and separator == "," else cell for row in rows for cell in row]
    lines = [separator.join(quoted[at : at + 2]) for at in (0, 2, 4)]
    document = read(written(tmp_path / "a.csv", "\r\n".join(lines).encode(encoding)))
    assert [each.text for each in document.passages] == [TABLE]
    assert (document.title, document.language) == ("a", "ko")
    assert document.passages[0].category is Category.TABLE


def test_lines_above_the_table_are_text_and_cells_may_hold_line_breaks(tmp_path):
    text = 'Price list 2025\n\nItem,Remark,Price\n"Lamp","bright\nand small",10\n\nChair,,20\n'
    (passage,) = read(written(tmp_path / "a.csv", text)).passages
    assert passage.text == (
        "Price list 2025\n\n| Item | Remark | Price |\n| --- | --- | --- |\n| Lamp | bright and small | 10 |\n"
        "| Chair |  | 20 |"
    )


def test_a_table_without_a_header_has_none(tmp_path):
    (passage,) = read(written(tmp_path / "a.csv", "2024-01-02,10,Kim\n2024-01-03,20,Lee\n")).passages
    assert passage.text == "| 2024-01-02 | 10 | Kim |\n| 2024-01-03 | 20 | Lee |"


def test_the_separator_that_the_file_names_is_taken(tmp_path):
    (passage,) = read(written(tmp_path / "a.csv", "sep=;\nName;Rate\nA, B;1,5\n")).passages
    assert passage.text == "| Name | Rate |\n| --- | --- |\n| A, B | 1,5 |"


def test_a_quotation_mark_that_is_never_closed_does_not_swallow_the_file(tmp_path):
    rows = "".join(f"item {number},{number}\n" for number in range(20_000))
    document = read(written(tmp_path / "a.csv", f'name,count\n"broken,1\n{rows}'))
    assert '| "broken | 1 |' in document.passages[0].text
    assert document.passages[-1].text.endswith("| item 19999 | 19999 |")
    assert document.passages[-1].text.startswith("| name | count |\n| --- | --- |")


def test_one_column_is_a_list_of_lines(tmp_path):
    assert read(written(tmp_path / "a.tsv", "Name\nKim\nLee\n")).passages[0].text == "Name\nKim\nLee"


def test_a_bar_within_a_cell_does_not_end_it(tmp_path):
    assert "| a\\|b | 1 |" in read(written(tmp_path / "a.csv", "Key,Count\na|b,1\nc,2\n")).passages[0].text


def test_a_row_of_thousands_of_columns_is_refused(tmp_path):
    with pytest.raises(RefusedFileError, match="3,000 columns; the limit is 2,000"):
        read(written(tmp_path / "a.csv", ",".join("x" * 3000) + "\n"))


FAQ = """Kind,Question,Answer,Changed
Oven,How hot is it?,It bakes at 240 degrees on all three decks.,2025
Oven,Who cleans it?,The night shift cleans it on Sundays.,2025
Shop,When do you open?,We open at seven; on Sundays at eight.,2024
Shop,Is there parking?,Behind the house there are four places.,2023
"""


def test_each_row_of_questions_and_answers_is_a_section_of_its_kind(tmp_path):
    passages = read(written(tmp_path / "faq.csv", FAQ)).passages
    assert [(each.section, "Sundays" in each.text) for each in passages] == [
        ("Oven > How hot is it?", False),
        ("Oven > Who cleans it?", True),
        ("Shop > When do you open?", True),
        ("Shop > Is there parking?", False),
    ]
    assert "Changed: 2023" in passages[-1].text and "|" not in passages[-1].text


def test_columns_that_are_called_so_need_no_question_mark(tmp_path):
    rows = "문의,답변\n화덕 온도,240도입니다.\n청소하는 날,일요일입니다.\n여는 시간,7시입니다.\n"
    sections = [each.section for each in read(written(tmp_path / "faq.csv", rows)).passages]
    assert sections == ["화덕 온도", "청소하는 날", "여는 시간"]


def test_a_table_with_a_question_in_it_stays_a_table(tmp_path):
    rows = "Topic,State\nOven?,open\nShop,closed\nYard,closed\nRoof,open\n"
    (passage,) = read(written(tmp_path / "a.csv", rows)).passages
    assert passage.text.startswith("| Topic | State |")
