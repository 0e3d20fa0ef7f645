import io

import pytest
from pypdf import PdfReader, PdfWriter
from pypdf.generic import NullObject
from reportlab.lib.pagesizes import A4
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfgen import canvas

from agent.errors import RefusedFileError
from agent.types import Category
from tests.storage.ingest.memory import read, written


def pdf(*pages: list[tuple[str, int]], title: str = "") -> bytes:
    """Return a PDF with these lines, each with the size of its type."""
    out = io.BytesIO()
    page = canvas.Canvas(out, pagesize=A4, invariant=True)
    if title:
        page.setTitle(title)
    for lines in pages:
        height = 800
        for text, size in lines:
            page.setFont("Helvetica", size)
            page.drawString(72, height, text)
            height -= size * 2
        page.showPage()
    page.save()
    return out.getvalue()


BODY = [(f"Sentence {number} says something about incidents.", 11) for number in range(6)]


def test_pages_headings_and_title(tmp_path):
    data = pdf(
        [("Incident guide", 20), *BODY, ("Reporting", 14), ("Call the hotline within 30 minutes.", 11)],
        [("The call is free.", 11), ("Afterwards", 14), ("Write a review.", 11)],
        title="The guide",
    )
    document = read(written(tmp_path / "a.pdf", data))
    assert document.title == "The guide"
    assert document.metadata == {"pages": 2}
    assert [(passage.page, passage.section) for passage in document.passages] == [
        (1, "Incident guide"),
        (1, "Incident guide > Reporting"),
        (2, "Incident guide > Reporting"),
        (2, "Incident guide > Afterwards"),
    ]
    assert document.passages[1].text == "Reporting\n\nCall the hotline within 30 minutes."
    assert document.passages[2].text == "The call is free."


@pytest.mark.parametrize("title", ["guide-final.html", "Guide 3.DOCX", "(anonymous)"])
def test_the_name_of_a_file_is_no_title(tmp_path, title):
    document = read(written(tmp_path / "a.pdf", pdf([("Incident guide", 20), *BODY], title=title)))
    assert document.title == "Incident guide"


def test_running_lines_with_the_page_number_are_left_out(tmp_path):
    pages = [
        [(f"Page {number} of 3", 8), (f"Rule {number} holds.", 11), *BODY, ("Hanbit, internal", 8)]
        for number in (1, 2, 3)
    ]
    document = read(written(tmp_path / "a.pdf", pdf(*pages)))
    text = "\n".join(passage.text for passage in document.passages)
    assert "Page" not in text
    assert "internal" not in text
    assert "Rule 2 holds." in text


def test_a_title_that_runs_on_stays_once(tmp_path):
    pages = [[("Incident guide", 11), *BODY, (f"Rule {number * 7} holds.", 11)] for number in (1, 2, 3)]
    document = read(written(tmp_path / "a.pdf", pdf(*pages)))
    assert [passage.text.count("Incident guide") for passage in document.passages] == [1, 0, 0]
    assert [passage.text.endswith(" holds.") for passage in document.passages] == [True, True, True]


def test_pictures_without_text_are_refused(tmp_path):
    writer, out = PdfWriter(), io.BytesIO()
    writer.add_blank_page(200, 200)
    writer.write(out)
    with pytest.raises(RefusedFileError, match="no text"):
        read(written(tmp_path / "scan.pdf", out.getvalue()))


@pytest.mark.parametrize("algorithm", ["RC4-128", "AES-128", "AES-256"])
@pytest.mark.parametrize("password", ["", "secret"])
def test_encrypted_files_are_refused_when_they_need_a_password(tmp_path, password, algorithm):
    writer, out = PdfWriter(clone_from=PdfReader(io.BytesIO(pdf(BODY)))), io.BytesIO()
    writer.encrypt(user_password=password, owner_password="owner", algorithm=algorithm)
    writer.write(out)
    path = written(tmp_path / "a.pdf", out.getvalue())
    if password:
        with pytest.raises(RefusedFileError, match="encrypted"):
            read(path)
    else:
        assert "Sentence 1" in read(path).passages[0].text


@pytest.mark.parametrize("data", [b"%PDF-1.4 nothing", b"<html>no pdf</html>", pdf(BODY)[:400]])
def test_what_is_no_pdf_is_refused(tmp_path, data):
    with pytest.raises(RefusedFileError, match="PDF"):
        read(written(tmp_path / "a.pdf", data))


def placed(*pages: list[tuple[float, float, str]]) -> bytes:
    """Return a PDF with these texts at their places, as word processors write them."""
    out = io.BytesIO()
    page = canvas.Canvas(out, pagesize=A4, invariant=True)
    for texts in pages:
        page.setFont("Helvetica", 11)
        for x, y, text in texts:
            page._code.append(f"BT /F1 11 Tf 1 0 0 1 {x} {y} Tm ({text}) Tj ET")
        page.showPage()
    page.save()
    return out.getvalue()


def test_cells_under_one_another_are_a_table(tmp_path):
    rows = [("Item", "Price", "Stock"), ("Lamp", "150,000", "12"), ("Chair, large and red", "99,000", "3")]
    cells = [(x, 700 - 18 * y, text) for y, row in enumerate(rows) for x, text in zip((72, 220, 320), row, strict=True)]
    path = written(tmp_path / "a.pdf", placed([(72, 760, "The "), (95, 760, "prices of 2025."), *cells]))
    (passage,) = read(path).passages
    assert passage.text == (
        "The prices of 2025.\n\n| Item | Price | Stock |\n| --- | --- | --- |\n"
        "| Lamp | 150,000 | 12 |\n| Chair, large and red | 99,000 | 3 |"
    )


def test_cells_that_were_written_one_after_the_other_are_rows(tmp_path):
    head = [(100, 700, "Step"), (200, 700, "What happens"), (380, 700, "By when")]
    first = [(72, 672, "Check"), (160, 679, "Missing fields are sent back"), (160, 665, "to the supplier")]
    second = [(72, 632, "Repair"), (160, 639, "A plan for each weakness that"), (160, 625, "was found")]
    texts = [
        *head,
        *first,
        (360, 672, "3 days"),
        *second,
        (360, 639, "Critical: 7 days,"),
        (360, 625, "others: 30 days"),
    ]
    (passage,) = read(written(tmp_path / "a.pdf", placed(texts))).passages
    assert passage.text == (
        "| Step | What happens | By when |\n| --- | --- | --- |\n"
        "| Check | Missing fields are sent back to the supplier | 3 days |\n"
        "| Repair | A plan for each weakness that was found | Critical: 7 days, others: 30 days |"
    )


def test_columns_of_text_that_were_written_one_after_the_other_are_no_table(tmp_path):
    columns = [[f"The {side} column says in line {number} that" for number in range(8)] for side in ("left", "right")]
    texts = [
        (x, 700 - 14 * y, line) for x, column in zip((72, 320), columns, strict=True) for y, line in enumerate(column)
    ]
    text = "\n\n".join(passage.text for passage in read(written(tmp_path / "a.pdf", placed(texts))).passages)
    assert "|" not in text
    assert " ".join(text.split()) == " ".join(line for column in columns for line in column)


def test_columns_that_were_written_line_by_line_are_read_one_after_the_other(tmp_path):
    left = [f"The left column, line {number}, goes on and" for number in range(8)]
    right = [f"the right one, line {number}, does so too" for number in range(8)]
    texts = [(x, 700 - 14 * y, line[y]) for y in range(8) for x, line in ((72, left), (320, right))]
    text = "\n".join(passage.text for passage in read(written(tmp_path / "a.pdf", placed(texts))).passages)
    assert text.split("\n\n") == [" ".join(left), " ".join(right)]


def test_words_parted_at_the_end_of_a_line_are_whole_again(tmp_path):
    lines = ["We speak here of inter-", "national work, of a long-", "term plan and of each", "other long-term plan."]
    texts = [(72, 700 - 14 * number, line) for number, line in enumerate(lines)]
    (passage,) = read(written(tmp_path / "a.pdf", placed(texts))).passages
    assert passage.text == (
        "We speak here of international work, of a long-term plan and of each other long-term plan."
    )


def korean(*lines: str) -> bytes:
    """Return a page with these lines."""
    pdfmetrics.registerFont(UnicodeCIDFont("HYSMyeongJo-Medium"))
    out = io.BytesIO()
    page = canvas.Canvas(out, pagesize=A4, invariant=True)
    page.setFont("HYSMyeongJo-Medium", 11)
    for number, line in enumerate(lines):
        page.drawString(72, 700 - 14 * number, line)
    page.showPage()
    page.save()
    return out.getvalue()


def test_korean_words_parted_at_the_end_of_a_line_are_whole_again(tmp_path):
    lines = (
        "남은 연차 휴가는 다음 해로 넘",
        "길 수 있으며 3월까지 사용하",
        "여야 합니다. 더 남은 휴가는",
        "급여로 지급합니다.",
    )
    (passage,) = read(written(tmp_path / "a.pdf", korean(*lines))).passages
    assert (
        passage.text
        == "남은 연차 휴가는 다음 해로 넘길 수 있으며 3월까지 사용하여야 합니다. 더 남은 휴가는 급여로 지급합니다."
    )


def test_a_space_at_the_end_of_a_line_and_the_mark_of_a_list_part_words(tmp_path):
    spaced = ("남은 연차 휴가는 다음 해로 넘 ", "길 수 있으며 3월까지 사용하 ", "여야 합니다.")
    (passage,) = read(written(tmp_path / "a.pdf", korean(*spaced))).passages
    assert passage.text == "남은 연차 휴가는 다음 해로 넘 길 수 있으며 3월까지 사용하 여야 합니다."
    listed = ("다음을 준비하", "여야 합니다", "가. 신청서와 사", "유서", "나. 신분증")
    (passage,) = read(written(tmp_path / "b.pdf", korean(*listed))).passages
    assert passage.text == "다음을 준비하여야 합니다\n\n가. 신청서와 사유서\n나. 신분증"


PROSE = [
    "Everybody who works here has twenty-five days of paid leave in a",
    "year, and may carry five of these over into the next one.",
]


def test_a_line_that_ends_where_the_next_word_had_room_ends_its_paragraph(tmp_path):
    lines = [*PROSE, "Ask your lead.", *PROSE]
    texts = [(72, 700 - 14 * number, line) for number, line in enumerate(lines)]
    (passage,) = read(written(tmp_path / "a.pdf", placed(texts))).passages
    assert passage.text == "\n\n".join([" ".join(PROSE), "Ask your lead.", " ".join(PROSE)])


def test_items_whose_marks_are_drawn_are_a_list(tmp_path):
    items = ["A passport", "Two photographs that are not older than six months, and their", "negatives", "A pen"]
    lines = [(72, line) for line in PROSE] + [(90, line) for line in items] + [(72, line) for line in PROSE]
    texts = [(x, 700 - 14 * number, line) for number, (x, line) in enumerate(lines)]
    (passage,) = read(written(tmp_path / "a.pdf", placed(texts))).passages
    listed = "- A passport\n- Two photographs that are not older than six months, and their negatives\n- A pen"
    assert passage.text == "\n\n".join([" ".join(PROSE), listed, " ".join(PROSE)])


def test_numbers_of_pages_are_left_out_wherever_counting_begins_and_on_left_and_right_pages(tmp_path):
    def page(number):
        side = [("Hanbit Annual Report", 11)] if number % 2 else [("Results of the year", 11)]
        return [*side, ("internal", 11), *BODY, (f"Rule {number * 7} holds.", 11), (f"{number + 4} / 30", 11)]

    text = "\n".join(each.text for each in read(written(tmp_path / "a.pdf", pdf(*map(page, range(1, 9))))).passages)
    assert " / 30" not in text
    assert (text.count("Hanbit Annual Report"), text.count("Results of the year"), text.count("internal")) == (1, 1, 1)
    assert text.count(" holds.") == 8


def test_what_runs_through_some_pages_of_many_is_left_out_however_large(tmp_path):
    pages = [[(f"Boats and {'oars' if page < 5 else 'sails'}", 13), *BODY, (f"Rule {page * 7} holds.", 11)]
             for page in range(20)]  # fmt: skip
    text = "\n".join(each.text for each in read(written(tmp_path / "a.pdf", pdf(*pages))).passages)
    assert (text.count("Boats and oars"), text.count("Boats and sails")) == (1, 1)
    assert text.count(" holds.") == 20


def test_the_running_title_of_a_chapter_is_left_out(tmp_path):
    pages = [[(f"Chapter {(page - 1) // 4}: Rules {page + 2}", 11), *BODY] for page in range(1, 13)]
    text = "\n".join(each.text for each in read(written(tmp_path / "a.pdf", pdf(*pages))).passages)
    assert "Chapter" not in text


def test_marks_in_front_of_lines_make_a_list(tmp_path):
    texts = [
        (72, 700 - 14 * number, line) for number, line in enumerate(["You need:", "- a form and", "a pen", "- time"])
    ]
    (passage,) = read(written(tmp_path / "a.pdf", placed(texts))).passages
    assert passage.text == "You need:\n\n- a form and a pen\n- time"
    assert passage.category is Category.LIST


def test_the_date_and_no_empty_title_come_from_the_properties(tmp_path):
    writer, out = PdfWriter(clone_from=PdfReader(io.BytesIO(pdf(BODY)))), io.BytesIO()
    writer.add_metadata({"/Title": "Microsoft Word - draft.docx", "/ModDate": "D:20250304050607+09'00'"})
    writer.write(out)
    document = read(written(tmp_path / "plan.pdf", out.getvalue()))
    assert (document.title, document.date) == ("plan", "2025-03-04")


@pytest.mark.parametrize("moment", ["D:20000101000000+00'00'", "D:19700101000000Z"])
def test_a_moment_that_a_library_puts_into_every_file_is_no_date(tmp_path, moment):
    for made, date in ((moment, ""), ("D:20000101093000Z", "2000-01-01")):
        writer, out = PdfWriter(clone_from=PdfReader(io.BytesIO(pdf(BODY)))), io.BytesIO()
        writer.add_metadata({"/ModDate": moment, "/CreationDate": made})
        writer.write(out)
        assert read(written(tmp_path / "plan.pdf", out.getvalue())).date == date


def test_a_broken_page_costs_no_other_page_and_no_number(tmp_path):
    writer, out = (
        PdfWriter(clone_from=PdfReader(io.BytesIO(pdf(*([(f"Rule {n} holds.", 11)] for n in "abc"))))),
        io.BytesIO(),
    )
    writer.root_object["/Pages"]["/Kids"][1] = NullObject()
    writer.write(out)
    assert [passage.page for passage in read(written(tmp_path / "a.pdf", out.getvalue())).passages] == [1, 3]
