import io

import pytest
from pypdf import PdfReader, PdfWriter
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen import canvas

from agent.errors import RefusedFileError
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


@pytest.mark.parametrize("password", ["", "secret"])
def test_encrypted_files_are_refused_when_they_need_a_password(tmp_path, password):
    writer, out = PdfWriter(clone_from=PdfReader(io.BytesIO(pdf(BODY)))), io.BytesIO()
    writer.encrypt(user_password=password, owner_password="owner", algorithm="RC4-128")
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
