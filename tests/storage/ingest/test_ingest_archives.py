import io
import json
import stat
import zipfile

import pytest

from storage.ingest import archives
from storage.ingest.parse import parse
from storage.ingest.parsed import Limits
from storage.ingest.sources import find
from tests.storage.ingest.memory import read, written
from tests.storage.ingest.office_files import book, saved, zipped
from tests.storage.ingest.test_ingest_pdf import BODY, pdf
from tests.storage.ingest.test_ingest_readers import collected


def documents(path):
    return [document for item in find([path]).items for batch in parse(item, Limits()) for document in batch.documents]


def reasons(path):
    return {each.path.removeprefix(f"{path}/"): each.reason for each in find([path]).refused}


def test_an_entry_is_a_file_of_its_own(tmp_path):
    workbook = io.BytesIO()
    book({"S": [["Item", "Price"], ["Lamp", 10]]}).save(workbook)
    path = zipped(
        tmp_path / "docs" / "pack.zip",
        {
            "handbook/leave.md": "# Leave\n\nAnnual leave is 15 days.",
            "guide.pdf": pdf(BODY),
            "handbook/prices.xlsx": workbook.getvalue(),
            "faq.jsonl": json.dumps({"text": "One."}) + "\n" + json.dumps({"id": "b", "text": "Two."}) + "\n",
            "handbook/": "",
            "photo.png": "x",
            "__MACOSX/handbook/._leave.md": "x",
            ".git/config.md": "x",
        },
    )
    found = find([path.parent])
    assert [item.document_id for item in found.items] == [
        "docs/pack.zip/handbook/leave.md",
        "docs/pack.zip/guide.pdf",
        "docs/pack.zip/handbook/prices.xlsx",
        "docs/pack.zip/faq.jsonl",
    ]
    assert found.items[0].origin == f"{path}/handbook/leave.md"
    assert found.skipped == [f"{path}/photo.png"]
    assert found.archives == {
        str(path): frozenset((*(item.origin for item in found.items), f"{path}/photo.png")),
    }
    read = documents(path.parent)
    assert [document.document_id for document in read] == [
        "docs/pack.zip/handbook/leave.md",
        "docs/pack.zip/guide.pdf",
        "docs/pack.zip/handbook/prices.xlsx",
        "docs/pack.zip/faq.jsonl:1",
        "b",
    ]
    assert read[0].passages[0].text == "# Leave\n\nAnnual leave is 15 days."
    assert read[0].source == f"{path}/handbook/leave.md"
    assert read[2].title == "prices"


async def test_entries_are_read_at_once_and_a_broken_one_costs_itself(tmp_path):
    entries = {f"n{number:02}.md": f"# Note {number}\n\nText." for number in range(20)}
    path = zipped(tmp_path / "pack.zip", entries | {"n05.md": "", "n07.docx": "PK\x03\x04 broken"})
    ids = await collected(find([path]).items, Limits(readers=2))
    assert len(ids) == 21
    assert ids[5] == "pack.zip/n05.md: it is empty"
    assert ids[20].startswith("pack.zip/n07.docx: it is broken")
    assert ids[6] == "pack.zip/n06.md"


def test_the_stamp_follows_the_entry_and_not_the_archive(tmp_path):
    path = tmp_path / "pack.zip"
    one, two = (zipfile.ZipInfo(name, (2025, 1, 2, 3, 4, 6)) for name in ("one.md", "two.md"))
    before = {item.inner: item.stamp for item in find([zipped(path, [(one, "One."), (two, "Two.")])]).items}
    after = {item.inner: item.stamp for item in find([zipped(path, [(one, "One."), (two, "Too.")])]).items}
    assert before["one.md"] == after["one.md"]
    assert before["two.md"] != after["two.md"]


def test_an_archive_is_read_anew_when_it_changed_in_the_meantime(tmp_path):
    path = zipped(tmp_path / "pack.zip", {"a.md": "First."})
    (item,) = find([path]).items
    assert documents(path)[0].passages[0].text == "First."
    zipped(path, {"a.md": "Then second."})
    (batch,) = parse(find([path]).items[0], Limits())
    assert batch.documents[0].passages[0].text == "Then second."
    zipped(path, {"b.md": "Gone."})
    with pytest.raises(archives.RefusedFileError, match="no longer in its archive"):
        list(parse(item, Limits()))


def test_korean_names_are_read_in_every_way_they_are_written(tmp_path):
    path = zipped(
        tmp_path / "pack.zip",
        [("유니코드.md", "One."), ("규정/휴가.md".encode("cp949"), "Two."), ("맥.md".encode(), "Three.")],
    )
    assert [item.inner for item in find([path]).items] == ["유니코드.md", "규정/휴가.md", "맥.md"]
    assert [document.passages[0].text for document in documents(path)] == ["One.", "Two.", "Three."]


def test_what_could_do_harm_is_refused_by_entry_and_the_rest_is_read(tmp_path):
    link = zipfile.ZipInfo("link.md")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    path = zipped(
        tmp_path / "pack.zip",
        [
            ("good.md", "Good."),
            ("../up.md", "x"),
            ("a/../../up.md", "x"),
            ("/etc/x.md", "x"),
            ("C:\\x.md", "x"),
            (b"bell\x07.md", "x"),
            (link, "/etc/passwd"),
            ("bomb.txt", b"0" * 3_000_000),
            ("inner.zip", "PK"),
            ("good.md", "Another."),
        ],
    )
    assert reasons(path) == {
        "../up.md": "its name leads out of the archive",
        "a/../../up.md": "its name leads out of the archive",
        "/etc/x.md": "its name leads out of the archive",
        "C:/x.md": "its name leads out of the archive",
        "bell\ufffd.md": "its name is none of a file",
        "link.md": "it is a link or a device, not a file",
        "bomb.txt": "it unpacks to 3,000,000 bytes, more than 200 times what it is packed: a zip bomb?",
        "inner.zip": "it is an archive within an archive; unpack it first",
        "good.md": "another entry has the same name",
    }
    assert [document.passages[0].text for document in documents(path)] == ["Good."]


def test_encrypted_and_strangely_packed_entries_are_refused(tmp_path):
    path = zipped(tmp_path / "pack.zip", {"a.md": "One.", "b.md": "Two.", "c.md": "Three."})
    data = bytearray(path.read_bytes())
    first = data.find(b"PK\x01\x02")
    second = data.find(b"PK\x01\x02", first + 4)
    data[first + 8] |= 1  # encrypted
    data[second + 10] = 9  # Deflate64
    written(path, bytes(data))
    assert reasons(path) == {
        "a.md": "it is encrypted; pack it without a password",
        "b.md": "it is packed in a way that is not known (method 9); pack it as ordinary zip",
    }
    assert [document.passages[0].text for document in documents(path)] == ["Three."]


def test_entries_beyond_the_sum_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(archives, "MOST_BYTES", 10)
    path = zipped(tmp_path / "pack.zip", {"a.md": "12345", "b.md": "1234567", "c.md": "12345"})
    assert [item.inner for item in find([path]).items] == ["a.md", "c.md"]
    assert "unpacks to more than 10 bytes" in reasons(path)["b.md"]


def test_an_entry_cannot_hold_more_than_it_states(tmp_path):
    path = zipped(tmp_path / "pack.zip", {"a.txt": "many words " * 10_000})
    data = bytearray(path.read_bytes())
    start = data.find(b"PK\x01\x02")
    data[start + 24 : start + 28] = (20).to_bytes(4, "little")
    written(path, bytes(data))
    with pytest.raises(archives.RefusedFileError, match="damaged"):
        documents(path)


def test_a_damaged_entry_is_refused_and_the_next_is_read(tmp_path):
    path = zipped(tmp_path / "pack.zip", [(zipfile.ZipInfo("a.md"), "The first text."), ("b.md", "The second.")])
    written(path, path.read_bytes().replace(b"first", b"wurst"))
    broken, good = find([path]).items
    with pytest.raises(archives.RefusedFileError, match="damaged"):
        list(parse(broken, Limits()))
    (batch,) = parse(good, Limits())
    assert batch.documents[0].passages[0].text == "The second."


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "no zip archive"),
        (b"PK\x03\x04 cut off", "no zip archive"),
        (b"PK\x05\x06" + bytes(18), "no files in it"),
        (b"no archive at all", "no zip archive"),
    ],
)
def test_a_broken_archive_is_refused_and_what_it_held_is_not_known(tmp_path, data, reason):
    path = written(tmp_path / "pack.zip", data)
    found = find([path])
    assert [(each.path, reason in each.reason) for each in found.refused] == [(str(path), True)]
    assert (found.items, found.archives) == ([], {})


def test_too_many_entries_and_too_long_a_table_of_contents_are_refused(tmp_path, monkeypatch):
    path = zipped(tmp_path / "pack.zip", {f"{number}.md": "x" for number in range(30)})
    monkeypatch.setattr(archives, "MOST_ENTRIES", 20)
    assert "30 entries; the limit is 20" in find([path]).refused[0].reason
    monkeypatch.setattr(archives._Bounded, "most", 1000)
    assert "table of contents takes" in find([path]).refused[0].reason


def test_a_document_named_zip_is_read_as_what_it_is(tmp_path):
    path = saved(book({"S": [["Item", "Price"], ["Lamp", 10]]}), tmp_path / "a.xlsx")
    assert "| Lamp | 10 |" in read(path.rename(tmp_path / "a.zip")).passages[0].text
