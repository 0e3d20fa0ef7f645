"""What a stranger's folder may hold: links out of it, marks that steer a terminal, dates that are none, NaN."""

import io
import zipfile

import docx
import openpyxl
import pptx
import pytest

from agent.errors import RefusedFileError
from storage.ingest.formats import office
from storage.ingest.parse import parse
from storage.ingest.parsed import Limits, Refused
from storage.ingest.sources import find


def read(path):
    (item,) = find([path]).items
    return [document for batch in parse(item, Limits()) for document in batch.documents]


def without_properties(made) -> bytes:
    """Return a file of an office program without its core properties."""
    whole, bare = io.BytesIO(), io.BytesIO()
    made.save(whole)
    with zipfile.ZipFile(whole) as old, zipfile.ZipFile(bare, "w") as new:
        for name in old.namelist():
            if name == "_rels/.rels":
                parts = old.read(name).decode().split("<Relationship ")
                kept = [part for part in parts if "core-properties" not in part]
                tail = "" if kept[-1].endswith("</Relationships>") else "</Relationships>"
                new.writestr(name, "<Relationship ".join(kept) + tail)
            elif name != "docProps/core.xml":
                new.writestr(name, old.read(name))
    return bare.getvalue()


def word():
    document = docx.Document()
    document.add_paragraph("Parental leave is 16 weeks.")
    return document


def sheet():
    book = openpyxl.Workbook()
    book.active.append(["Leave", "Weeks"])
    book.active.append(["Parental", 16])
    return book


def slides():
    deck = pptx.Presentation()
    deck.slides.add_slide(deck.slide_layouts[0]).shapes.title.text = "Parental leave is 16 weeks"
    return deck


@pytest.mark.parametrize(("suffix", "make"), [("docx", word), ("xlsx", sheet), ("pptx", slides)])
def test_an_office_file_without_properties_has_no_date(tmp_path, suffix, make):
    path = tmp_path / f"leave.{suffix}"
    path.write_bytes(without_properties(make()))
    (document,) = read(path)
    assert document.date == ""


def test_an_office_file_has_the_date_that_it_tells(tmp_path):
    from datetime import datetime

    made = word()
    made.core_properties.created = datetime(2020, 1, 2)
    made.core_properties.modified = datetime(2024, 5, 6, 7, 8, 9)
    made.save(tmp_path / "leave.docx")
    assert read(tmp_path / "leave.docx")[0].date == "2024-05-06"
    word().save(tmp_path / "template.docx")  # the moment at which the template of the library was made
    assert office.day_of((tmp_path / "template.docx").read_bytes()) == ""


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_a_link_out_of_the_folder_is_not_read_unless_told(tmp_path, kind):
    secret, docs = tmp_path / "secret", tmp_path / "docs"
    secret.mkdir()
    docs.mkdir()
    (secret / "key.md").write_text("# Key")
    (docs / "own.md").write_text("# Own")
    (docs / "inner.md").symlink_to(docs / "own.md")
    (docs / "link").with_suffix(".md" if kind == "file" else "").symlink_to(
        secret / "key.md" if kind == "file" else secret
    )
    found = find([docs])
    assert [item.document_id for item in found.items] == ["docs/inner.md"]  # each once, in order
    assert any("a link out of the folder" in name for name in found.skipped)
    assert len(find([docs], follow_links=True).items) == 2


def test_a_folder_that_is_a_link_itself_is_read(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "own.md").write_text("# Own")
    (tmp_path / "docs").symlink_to(tmp_path / "real")
    assert [item.document_id for item in find([tmp_path / "docs"]).items] == ["docs/own.md"]


def test_marks_that_steer_reach_no_title_and_no_source(tmp_path):
    path = tmp_path / "a\x1b[2Jb\u202etxt.md"
    path.write_text("# Pay\u202efdp.\x1b]0;owned\x07 rise\n\nText.")
    (document,) = read(path)
    assert document.title.isprintable() and document.source.isprintable()
    assert document.origin == str(path)
    lines = tmp_path / "lines.jsonl"
    lines.write_text('{"title": "T\\u001b[2J\\u2067x", "url": "https://e.x/\\u202e", "text": "Some words."}\n')
    (document,) = read(lines)
    assert document.title.isprintable() and document.source.isprintable()


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-1e999"])
def test_a_number_that_is_none_is_refused(tmp_path, number):
    path = tmp_path / "lines.jsonl"
    path.write_text(f'{{"text": "Good."}}\n{{"text": "Bad.", "score": {number}}}\n')
    (item,) = find([path]).items
    (batch,) = parse(item, Limits())
    assert [each.path for each in batch.refused] == [f"{path}:2"] and len(batch.documents) == 1
    front = tmp_path / "front.md"
    front.write_text("---\nscore: .nan\n---\n# Title\n\nText.\n")
    with pytest.raises(RefusedFileError, match="metadata"):
        read(front)


def test_a_file_of_pictures_is_a_warning(tmp_path):
    docx.Document().save(tmp_path / "pictures.docx")
    with pytest.raises(RefusedFileError) as told:
        read(tmp_path / "pictures.docx")
    assert Refused(path="", reason=str(told.value)).is_textless
    assert not Refused(path="", reason="it is empty").is_textless
