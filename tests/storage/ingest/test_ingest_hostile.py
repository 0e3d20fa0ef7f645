"""Files that somebody made to do harm, or that are broken in ways that could: each is refused alone, with a reason."""

import os
import signal
import subprocess
import sys
import zipfile

import docx
import pytest

from agent.errors import RefusedFileError
from storage.ingest.parsed import Limits
from storage.ingest.readers import environment
from storage.ingest.sources import WorkItem, find
from tests.storage.ingest.memory import read, written
from tests.storage.ingest.office_files import TITLE_ONLY, book, deck, edited, saved, slide, zipped
from tests.storage.ingest.test_ingest_pdf import BODY, pdf
from tests.storage.ingest.test_ingest_readers import collected

LAUGHS = "".join(f'<!ENTITY a{number} "{f"&a{number - 1};" * 10 if number else "ha" * 10}">' for number in range(9))


def word(tmp_path):
    document = docx.Document()
    document.add_paragraph("Harmless.")
    return saved(document, tmp_path / "a.docx")


def presentation(tmp_path):
    made = deck()
    slide(made, TITLE_ONLY, "Harmless.")
    return saved(made, tmp_path / "a.pptx")


def workbook(tmp_path):
    return saved(book({"S": [["Harmless.", "b"]]}), tmp_path / "a.xlsx")


PARTS = [
    (word, "word/document.xml"),
    (presentation, "ppt/slides/slide1.xml"),
    (workbook, "xl/worksheets/sheet1.xml"),
    (workbook, "xl/sharedStrings.xml"),
]


@pytest.mark.parametrize(("make", "part"), PARTS)
def test_entities_that_multiply_are_not_expanded(tmp_path, make, part):
    def change(xml):
        head, _, rest = xml.partition(b"?>\n") if xml.startswith(b"<?xml") else (b"<?xml version='1.0'", b"", xml)
        return f"{head.decode()}?><!DOCTYPE x [{LAUGHS}]>".encode() + rest.replace(b"Harmless.", b"&a8;")

    path = edited(make(tmp_path), part, change)
    try:
        passages = read(path).passages
    except RefusedFileError as error:
        assert "may be broken" in str(error) or "no text" in str(error)
    else:
        assert sum(len(passage.text) for passage in passages) < 1000


@pytest.mark.parametrize(("make", "part"), PARTS)
def test_files_that_entities_name_are_never_opened(tmp_path, make, part):
    secret = written(tmp_path / "secret.txt", "the secret word")

    def change(xml):
        rest = xml.partition(b"?>")[2] if xml.startswith(b"<?xml") else xml
        head = f'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a SYSTEM "file://{secret}">]>'
        return head.encode() + rest.replace(b"Harmless.", b"A&a;B")

    path = edited(make(tmp_path), part, change)
    try:
        text = "".join(passage.text for passage in read(path).passages)
    except RefusedFileError:
        text = ""
    assert "secret" not in text


@pytest.mark.parametrize("name", ["a.docx", "a.pptx", "a.xlsx"])
def test_an_office_file_that_unpacks_to_gigabytes_is_refused_before_it_does(tmp_path, name):
    folder = {"a.docx": "word/document.xml", "a.pptx": "ppt/presentation.xml", "a.xlsx": "xl/workbook.xml"}[name]
    path = zipped(tmp_path / name, {"[Content_Types].xml": "<x/>", folder: b" " * 5_000_000})
    with pytest.raises(RefusedFileError, match=r"unpacks to 5,000,004 bytes; the limit is 400,000"):
        read(path, Limits(document_bytes=100_000))


@pytest.mark.parametrize(("make", "name"), [(word, "a.docx"), (presentation, "a.pptx"), (workbook, "a.xlsx")])
def test_a_truncated_office_file_is_refused(tmp_path, make, name):
    path = make(tmp_path)
    written(path, path.read_bytes()[:-400])
    with pytest.raises(RefusedFileError, match="broken, or its end is missing"):
        read(path)


@pytest.mark.parametrize(
    ("make", "part"),
    [(word, "word/document.xml"), (presentation, "ppt/presentation.xml"), (workbook, "xl/workbook.xml")],
)
def test_an_office_file_with_a_broken_part_is_refused(tmp_path, make, part):
    with pytest.raises(RefusedFileError, match=r"it cannot be read as \w+, it may be broken \(\w+\)"):
        read(edited(make(tmp_path), part, lambda xml: xml[: len(xml) // 2]))


def test_an_office_file_with_encrypted_parts_is_refused(tmp_path):
    path = word(tmp_path)
    data = bytearray(path.read_bytes())
    data[data.find(b"PK\x01\x02") + 8] |= 1
    with pytest.raises(RefusedFileError, match="encrypted"):
        read(written(path, bytes(data)))


def test_a_pdf_that_is_cut_off_is_read_as_far_as_it_goes_or_refused(tmp_path):
    whole = pdf(BODY, BODY, BODY)
    for share in (0.2, 0.5, 0.9):
        path = written(tmp_path / "a.pdf", whole[: int(len(whole) * share)])
        try:
            assert read(path).passages
        except RefusedFileError as error:
            assert "PDF" in str(error) or "no text" in str(error)


def test_a_pdf_with_more_pages_than_the_limit_is_refused(tmp_path):
    path = written(tmp_path / "a.pdf", pdf(BODY, BODY, BODY))
    with pytest.raises(RefusedFileError, match="3 pages; the limit is 2"):
        read(path, Limits(pages=2))


@pytest.mark.parametrize("name", ["a.txt", "a.pdf", "a.csv", "a.html", "a.docx", "a.jsonl"])
def test_a_gigabyte_of_nothing_is_refused_without_reading_it(tmp_path, name):
    path = written(tmp_path / name, "")
    os.truncate(path, 1_000_000_000)
    with pytest.raises(RefusedFileError, match=r"1,000,000,000 bytes; the limit is 100,000,000|binary data"):
        read(path)


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.html", b"<div><table><tr><td>" * 3_000),
        ("a.html", b"<ul><li>" * 5_000),
        ("a.md", b"> " * 20_000 + b"deep"),
        ("a.md", b"- " * 20_000 + b"deep"),
        ("a.md", b"[" * 50_000 + b"deep"),
        ("a.jsonl", b'{"text": ' + b"[" * 100_000 + b"\n"),
        ("a.txt", b"- \n" * 50_000 + b"end"),
        ("a.csv", b'"' * 50_000),
        ("a.csv", b"," * 1_999 + b"\n" + b"a,b\n" * 1000),
    ],
)
def test_deep_nesting_ends_in_time(tmp_path, name, data):
    (item,) = find([written(tmp_path / name, data)]).items
    from storage.ingest.parse import parse

    try:
        for batch in parse(item, Limits()):
            assert batch.documents or batch.refused or batch.skipped
    except RefusedFileError as error:
        assert str(error)


async def test_a_parser_that_hangs_is_ended_and_the_other_files_go_on(tmp_path):
    docs = tmp_path / "docs"
    os.mkfifo(written(docs / "b.md", "x").with_name("a.md"))
    stuck = WorkItem(path=str(docs / "a.md"), document_id="docs/a.md", format="Markdown", size=0, stamp="")
    items = [stuck, *find([docs]).items, *find([written(tmp_path / "c.md", "y")]).items]
    assert await collected(items, Limits(seconds=1.5, readers=1)) == [
        "docs/a.md: reading it takes longer than 1.5 s, the limit",
        "docs/b.md",
        "c.md",
    ]


async def test_an_entry_that_needs_too_much_memory_is_refused_alone(tmp_path):
    path = zipped(tmp_path / "pack.zip", [(zipfile.ZipInfo("a.txt"), "memory " * 6_000_000), ("b.md", "text")])
    first, second = await collected(find([path]).items, Limits(memory_bytes=220_000_000, readers=1))
    assert first == "pack.zip/a.txt: reading it takes more memory than 220,000,000 bytes, the limit"
    assert second == "pack.zip/b.md"


def test_a_reader_that_nobody_watches_any_more_ends_by_itself():
    program = (
        "from storage.ingest import worker; from storage.ingest.parsed import Limits; worker._SLACK = 0.0;"
        "worker._bound(Limits(seconds=0.1))\nwhile True: pass"
    )
    done = subprocess.run([sys.executable, "-c", program], env=environment(), timeout=60, check=False)
    assert done.returncode == -signal.SIGXCPU
