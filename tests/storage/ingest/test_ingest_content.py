"""Files that are not what their names say."""

import io

import docx
import pytest

from agent.errors import RefusedFileError
from storage.ingest.sources import find
from tests.storage.ingest.memory import read, written
from tests.storage.ingest.office_files import TITLE_ONLY, book, deck, slide, zipped
from tests.storage.ingest.test_ingest_pdf import BODY, pdf

PAGE = "\ufeff<!-- saved --><!DOCTYPE html><html><body><h1>Export</h1><p>From a wiki.</p></body></html>"


def word():
    document = docx.Document()
    document.add_paragraph("From Word.")
    return document


def presentation():
    made = deck()
    slide(made, TITLE_ONLY, "From PowerPoint")
    return made


def data(document):
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def old(stream: str) -> bytes:
    return b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600) + stream.encode("utf-16-le") + bytes(64)


@pytest.mark.parametrize(
    ("name", "content", "text"),
    [
        ("a.docx", pdf(BODY), "Sentence 1"),
        ("a.txt", pdf(BODY), "Sentence 1"),
        ("a.txt", PAGE, "Export\n\nFrom a wiki."),
        ("a.doc", PAGE, "Export\n\nFrom a wiki."),
        ("a.md", PAGE, "Export\n\nFrom a wiki."),
        ("a.doc", data(word()), "From Word."),
        ("a.pdf", data(word()), "From Word."),
        ("a.docx", data(presentation()), "From PowerPoint"),
        ("a.xls", data(book({"S": [["Item", "Price"], ["Lamp", 10]]})), "| Lamp | 10 |"),
        ("a.xls", "name\tphone\nKim\t02-1\n", "| Kim | 02-1 |"),
        ("a.doc", "Only text.", "Only text."),
    ],
)
def test_a_file_is_read_as_what_it_is(tmp_path, name, content, text):
    assert text in "\n".join(passage.text for passage in read(written(tmp_path / name, content)).passages)


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("a.doc", old("WordDocument"), r"old Word file \(\.doc\); save it as \.docx"),
        ("a.xls", old("Workbook"), r"old Excel file \(\.xls\); save it as \.xlsx"),
        ("a.ppt", old("PowerPoint Document"), r"old PowerPoint file \(\.ppt\); save it as \.pptx"),
        ("a.docx", old("EncryptedPackage"), "encrypted; save it without a password"),
        ("a.xlsx", old("EncryptedPackage"), "encrypted; save it without a password"),
        ("a.doc", old("HwpSummaryInformation"), r"old Hangul file \(\.hwp\); save it as \.hwpx"),
        ("a.hwp", old("HwpSummaryInformation"), r"old Hangul file \(\.hwp\); save it as \.hwpx"),
        ("a.hwp", b"HWP Document File V3.00 \x1a\x01\x02", r"old Hangul file \(\.hwp\); save it as \.hwpx"),
        ("a.doc", old("Something"), "old program"),
        ("a.pdf", PAGE, "no PDF file, but a web page"),
        ("a.xlsx", "text", "no XLSX file"),
        ("a.pptx", b"PK\x03\x04 cut off", "broken, or its end is missing"),
        ("a.md", b"\x89PNG\r\n\x1a\n" + bytes(99), "a picture"),
        ("a.txt", b"\x1f\x8b\x08" + bytes(99), "gzip"),
        ("a.doc", b"{\\rtf1 text}", "RTF"),
        ("a.doc", "MIME-Version: 1.0\nContent-Type: multipart/related\n\n", "web archive"),
        ("a.jsonl", '[\n {"text": "x"}\n]\n', "JSON over several lines"),
        ("a.jsonl", pdf(BODY), "it is a PDF file; name it .pdf"),
        ("a.jsonl", bytes(5000), "not a text file"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_as_what_it_is(tmp_path, name, content, reason):
    with pytest.raises(RefusedFileError, match=reason):
        read(written(tmp_path / name, content))


def test_other_archives_are_refused_as_what_they_are(tmp_path):
    with pytest.raises(RefusedFileError, match=r"other archive; name it \.zip"):
        read(zipped(tmp_path / "a.pdf", {"notes.txt": "hello"}))
    with pytest.raises(RefusedFileError, match="OpenDocument"):
        read(zipped(tmp_path / "a.docx", {"mimetype": "application/vnd.oasis.opendocument.text"}))


def test_a_text_under_an_unknown_name_is_told_what_to_do(tmp_path):
    (refused,) = find([written(tmp_path / "notes.log", "started\nstopped\n")]).refused
    assert "looks like text: name it .txt" in refused.reason
    (refused,) = find([written(tmp_path / "photo.raw", bytes(99) + b"\n")]).refused
    assert "text: name it" not in refused.reason
