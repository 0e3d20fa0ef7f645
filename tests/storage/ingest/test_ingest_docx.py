import io
import zipfile

import docx
import pytest
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls

from agent.errors import RefusedFileError
from agent.types import Category
from storage.ingest.parsed import Limits
from tests.storage.ingest.memory import read, sections, written


def saved(document, path):
    out = io.BytesIO()
    document.save(out)
    return written(path, out.getvalue())


def test_headings_paragraphs_lists_and_tables_in_their_order(tmp_path):
    word = docx.Document()
    word.core_properties.title = ""
    word.add_heading("Contractors", 0)
    word.add_paragraph("Before the table.")
    word.add_heading("Approval", 1)
    table = word.add_table(rows=2, cols=3)
    for number, text in enumerate(["Value", "Approved by", "Since", "up to 10", "head"]):
        table.rows[number // 3].cells[number % 3].text = text
    table.rows[1].cells[1].merge(table.rows[1].cells[2])
    word.add_heading("Papers", 1)
    word.add_paragraph("an agreement", style="List Bullet")
    word.add_paragraph("a contract", style="List Bullet")
    word.add_paragraph("After the list.")
    document = read(saved(word, tmp_path / "a.docx"))
    assert document.title == "Contractors"
    assert sections(document) == [
        ("Contractors", "Contractors\n\nBefore the table."),
        ("Contractors > Approval", "Approval\n\nValue | Approved by | Since\nup to 10 | head"),
        ("Contractors > Papers", "Papers\n\n- an agreement\n- a contract\n\nAfter the list."),
    ]
    assert [passage.category for passage in document.passages] == [Category.PARAGRAPH, Category.TABLE, Category.LIST]


def test_content_controls_are_read_and_deleted_text_is_not(tmp_path):
    word = docx.Document()
    paragraph = word.add_paragraph("It is ")
    paragraph._p.append(parse_xml(f"<w:del {nsdecls('w')}><w:r><w:delText>ten</w:delText><w:tab/></w:r></w:del>"))
    paragraph._p.append(parse_xml(f"<w:ins {nsdecls('w')}><w:r><w:t>twelve</w:t></w:r></w:ins>"))
    control = parse_xml(
        f"<w:sdt {nsdecls('w')}><w:sdtContent><w:p><w:r><w:t>In a control.</w:t></w:r></w:p></w:sdtContent></w:sdt>"
    )
    paragraph._p.addnext(control)
    (passage,) = read(saved(word, tmp_path / "a.docx")).passages
    assert passage.text == "It is twelve\n\nIn a control."


def test_an_empty_document_is_refused(tmp_path):
    with pytest.raises(RefusedFileError, match="no text"):
        read(saved(docx.Document(), tmp_path / "a.docx"))


@pytest.mark.parametrize(
    ("data", "reason"),
    [(b"PK\x03\x04 nothing", "no DOCX"), (b"\xd0\xcf\x11\xe0 old", "old .doc"), (b"text", "no DOCX")],
)
def test_what_is_no_word_document_is_refused(tmp_path, data, reason):
    with pytest.raises(RefusedFileError, match=reason):
        read(written(tmp_path / "a.docx", data))


def test_another_archive_is_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.docx", "w") as archive:
        archive.writestr("notes.txt", "hello")
    with pytest.raises(RefusedFileError, match="other archive"):
        read(tmp_path / "a.docx")


def test_an_archive_that_grows_out_of_bounds_is_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.docx", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", b" " * 5_000_000)
    with pytest.raises(RefusedFileError, match="unpacks to 5,000,000 bytes; the limit is 400,000"):
        read(tmp_path / "a.docx", Limits(document_bytes=100_000))
