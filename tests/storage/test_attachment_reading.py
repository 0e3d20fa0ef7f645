"""Attached files are read in their own process, within bounds, whatever they are."""

import csv
import io
import unicodedata
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openpyxl import Workbook

from agent.errors import RefusedFileError
from agent.types import ATTACHED
from storage import attachment_reading
from storage.attachment_names import display_name, suffix_of
from storage.attachment_reading import LIMITS, UnknownTypeError, read_attachment
from storage.attachment_sheets import Sheets
from storage.ingest.formats.separated import extract
from storage.ingest.passages import build
from tests.storage.ingest.hwpx_files import hwpx, p

HANDBOOK = Path(__file__).parents[2] / "agent" / "packs" / "handbook" / "documents"


@pytest.fixture
def read(tmp_path):
    async def read(data: bytes, name: str, media_type: str = "", **options):
        return await read_attachment(data, name=name, media_type=media_type, key="k", folder=tmp_path, **options)

    return read


def workbook(**sheets) -> bytes:
    book = Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    kept = io.BytesIO()
    book.save(kept)
    return kept.getvalue()


def archive(**files: bytes) -> bytes:
    kept = io.BytesIO()
    with zipfile.ZipFile(kept, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, data in files.items():
            packed.writestr(name.replace("__", "."), data)
    return kept.getvalue()


async def test_a_table_gives_passages_and_all_its_rows(read):
    file = await read(b"region,sales\nSeoul,10\nBusan,20|5\n", "sales.csv")
    (sheet,) = file.sheets
    assert (sheet.name, sheet.header, sheet.whole) == ("sales.csv", ("region", "sales"), True)
    assert sheet.rows == (("Seoul", "10"), ("Busan", "20|5"))
    (passage,) = file.passages
    assert (passage.collection, passage.source, passage.document_id) == (ATTACHED, "sales.csv", "k/sales.csv")
    assert passage.title == "sales" and passage.id == -1 and "Seoul" in passage.text and file.whole


async def test_a_workbook_gives_a_table_for_each_sheet(read):
    rows = [["name", "days"], *([f"Person {n}", n] for n in range(3_000))]
    file = await read(workbook(Leave=rows, 비용=[["항목", "금액"], ["택시", 12000]]), "people.xlsx")
    assert [(sheet.name, sheet.header, len(sheet.rows)) for sheet in file.sheets] == [
        ("Leave", ("name", "days"), 3_000),
        ("비용", ("항목", "금액"), 1),
    ]
    assert file.sheets[0].rows[2_999] == ("Person 2999", "2999") and len(file.passages) > 2


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("en/incident-response.pdf", "incident"),
        ("en/contractors.docx", "contractor"),
        ("en/on-call.html", "on-call"),
        ("ko/vpn.md", ""),
        ("faq.jsonl", "payday"),
        ("en/contacts.txt", "@"),
    ],
)
async def test_every_format_of_ingest_is_read(read, path, words):
    if path == "ko/vpn.md":
        path = "ko/security.md"
    file = await read((HANDBOOK / path).read_bytes(), Path(path).name)
    assert words in " ".join(f"{p.title} {p.text}" for p in file.passages).lower() and file.whole
    assert all(p.source == Path(path).name and p.collection == ATTACHED for p in file.passages)
    assert len({p.public_id for p in file.passages}) == len(file.passages) == len({p.id for p in file.passages})
    assert file.sheets == ()


async def test_restructuredtext_and_a_hangul_document_are_read_too(read, tmp_path):
    (passage,) = (await read(b"Leave\n=====\n\n.. note:: It is paid.\n", "leave.rst")).passages
    assert (passage.title, passage.text) == ("Leave", "Leave\n\nNote: It is paid.")
    document = hwpx(tmp_path / "made.hwpx", p("육아휴직은 열여섯 주이다.")).read_bytes()
    for name, media_type in (("휴가.hwpx", ""), ("휴가", "application/hwp+zip")):
        (passage,) = (await read(document, name, media_type)).passages
        assert passage.text == "육아휴직은 열여섯 주이다."


async def test_the_media_type_tells_what_a_name_does_not(read):
    assert (await read(b"a,b\n1,2\n3,4\n", "Untitled", "text/csv; charset=utf-8")).sheets
    assert (await read(b".. note:: Paid.", "Untitled", "text/x-rst")).passages[0].text == "Note: Paid."
    assert (await read(b'{"a": "words"}', "settings.json", "application/json")).passages
    with pytest.raises(UnknownTypeError):
        await read(b"\x00\x01", "thing.bin", "application/octet-stream")


@pytest.mark.parametrize(
    ("data", "name", "reason"),
    [
        (b"<!doctype html><html><body>Sign in</body></html>", "report.pdf", "login"),
        (b"\x89PNG\r\n\x1a\n" + b"\0" * 50, "chart.csv", "picture"),
        (b"", "empty.txt", "empty"),
        (b"PK\x03\x04 broken", "a.xlsx", "broken|damaged"),
        (b"%PDF-1.4 broken", "a.pdf", "no PDF"),
        (b"\xd0\xcf\x11\xe0" + "EncryptedPackage".encode("utf-16-le"), "a.xlsx", "encrypted"),
        (b"\xd0\xcf\x11\xe0" + "HwpSummaryInformation".encode("utf-16-le"), "a.hwp", "save it as .hwpx"),
    ],
)
async def test_what_cannot_be_read_has_a_reason(read, data, name, reason):
    with pytest.raises(RefusedFileError, match=reason):
        await read(data, name)


async def test_an_archive_is_read_file_by_file(read):
    file = await read(archive(a__csv=b"x,y\n1,2\n3,4\n", b__md=b"# Bee\n\nText of bee.\n", c__png=b"?"), "all.zip")
    assert {p.source for p in file.passages} == {"all.zip/a.csv", "all.zip/b.md"}
    assert [sheet.name for sheet in file.sheets] == ["all.zip/a.csv"]
    assert len({p.reference for p in file.passages}) == len(file.passages)


async def test_a_bomb_does_not_go_off(read):
    with pytest.raises(RefusedFileError):
        await read(archive(bomb__txt=b"0" * 300_000_000), "bomb.zip")


async def test_the_memory_and_time_of_a_file_are_bounded(read):
    rows = b"a,b\n" + b"1,2\n" * 100_000
    with pytest.raises(RefusedFileError, match="takes longer"):
        await read(rows, "slow.csv", limits=replace(LIMITS, seconds=0.001))


async def test_a_table_of_fifty_megabytes_is_read_up_to_the_limits(read):
    line = "2025-03-01,Seoul,Product 17,12,345.67\n"
    data = ("date,region,product,units,revenue\n" + line * (50_000_000 // len(line))).encode()
    file = await read(data, "large.csv")
    (sheet,) = file.sheets
    assert len(sheet.rows) == 40_000 and not sheet.whole and not file.whole
    assert sheet.rows[-1] == tuple(line.strip().split(","))
    assert len(file.passages) <= 2_000 and sum(len(p.text) for p in file.passages) <= 20_000_000


async def test_a_long_text_is_cut_between_lines(read, monkeypatch):
    monkeypatch.setattr(attachment_reading, "TEXT", 5_000)
    file = await read("\n\n".join(f"Line {n} is here." for n in range(2_000)).encode(), "long.txt")
    assert not file.whole and file.passages[-1].text.endswith("is here.")
    assert sum(len(p.text) for p in file.passages) <= 5_000


async def test_at_most_so_many_passages_are_kept(read, monkeypatch):
    monkeypatch.setattr(attachment_reading, "PASSAGES", 3)
    file = await read((HANDBOOK / "en/incident-response.pdf").read_bytes(), "a.pdf")
    assert len(file.passages) == 3 and not file.whole


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("../../etc/passwd", "passwd"),
        ("C:\\Users\\kim\\plan.xlsx", "plan.xlsx"),
        ("invoice\u202exslx.exe", "invoicexslx.exe"),
        ("a\x00b\n\tc.csv", "abc.csv"),
        ("휴가.pdf", "휴가.pdf"),
        (unicodedata.normalize("NFD", "휴가.pdf"), "휴가.pdf"),
        ("  ..  ", "file"),
        ("", "file"),
        ("x" * 500 + ".csv", "x" * 95 + "….csv"),
    ],
)
def test_a_name_is_shown_without_tricks(given, shown):
    assert display_name(given) == shown


async def test_a_name_with_tricks_writes_nowhere_else(read, tmp_path):
    file = await read(b"a,b\n1,2\n3,4\n", "../../up.csv")
    assert file.name == "up.csv" and [path.name for path in tmp_path.iterdir()] == ["attached.csv"]
    assert suffix_of("a.c/../../x", "") == "" and suffix_of("a.CSV", "") == ".csv"


CELL = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cf", "Zl", "Zp", "Cs")), max_size=8)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.lists(CELL.map(lambda c: f"x{c}".strip()), min_size=3, max_size=3), min_size=1, max_size=60))
def test_a_table_comes_back_cell_by_cell(rows):
    written = io.StringIO()
    csv.writer(written, quoting=csv.QUOTE_ALL).writerows([["Name", "Place", "Thing"], *rows])
    sheets = Sheets(10_000)
    for passage in build(extract(written.getvalue().encode())):
        sheets.take(passage, default="t.csv")
    (sheet,) = sheets.all()
    assert sheet.header == ("Name", "Place", "Thing")
    assert sheet.rows == tuple(tuple(" ".join(cell.split()) for cell in row) for row in rows)
