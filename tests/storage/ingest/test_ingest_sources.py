import os
import unicodedata

import pytest

from agent.errors import UsageError
from storage.ingest.sources import find
from tests.storage.ingest.memory import written


def test_a_folder_is_walked_in_order_and_names_its_documents(tmp_path):
    docs = tmp_path / "docs"
    for name in ("b.md", "a/z.txt", "a/b/deep.html", "A.PDF", "data.jsonl"):
        written(docs / name, "x")
    found = find([docs])
    assert [item.document_id for item in found.items] == [
        "docs/A.PDF",
        "docs/b.md",
        "docs/data.jsonl",
        "docs/a/z.txt",
        "docs/a/b/deep.html",
    ]
    assert [item.format for item in found.items] == ["PDF", "Markdown", "JSONL", "text", "HTML"]


def test_a_single_file_is_named_by_its_name(tmp_path):
    path = written(tmp_path / "deep" / "note.md", "x")
    (item,) = find([path]).items
    assert item.document_id == "note.md"
    assert item.origin == str(path)


def test_the_folder_is_named_also_when_it_is_given_as_a_dot(tmp_path, monkeypatch):
    written(tmp_path / "team" / "note.md", "x")
    monkeypatch.chdir(tmp_path / "team")
    assert [item.document_id for item in find(["."]).items] == ["team/note.md"]


def test_hidden_files_and_folders_stay_hidden_unless_named(tmp_path):
    for name in (".secret.md", ".git/config.md", "open.md"):
        written(tmp_path / "docs" / name, "x")
    assert [item.document_id for item in find([tmp_path / "docs"]).items] == ["docs/open.md"]
    assert [item.document_id for item in find([tmp_path / "docs" / ".secret.md"]).items] == [".secret.md"]


def test_unknown_types_are_skipped_in_folders_and_refused_when_named(tmp_path):
    picture = written(tmp_path / "docs" / "picture.png", "x")
    found = find([tmp_path / "docs"])
    assert (found.items, found.skipped, found.refused) == ([], [str(picture)], [])
    found = find([picture])
    assert found.refused[0].path == str(picture)
    assert ".md" in found.refused[0].reason


def test_loops_of_links_end_and_a_file_is_taken_once(tmp_path):
    docs = tmp_path / "docs"
    note = written(docs / "note.md", "x")
    (docs / "loop").symlink_to(docs)
    (docs / "again.md").symlink_to(note)
    assert [item.document_id for item in find([docs, note, docs]).items] == ["docs/again.md"]


def test_a_link_to_nowhere_is_refused_by_name(tmp_path):
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "gone.md").symlink_to(tmp_path / "nowhere.md")
    (refused,) = find([docs]).refused
    assert refused.path == str(docs / "gone.md")
    assert "cannot be opened" in refused.reason


def test_a_link_to_nowhere_that_is_named_is_told_as_one(tmp_path):
    (tmp_path / "gone.md").symlink_to(tmp_path / "nowhere.md")
    with pytest.raises(UsageError, match="is a link that leads nowhere"):
        find([tmp_path / "gone.md"])


def test_a_pipe_is_not_waited_for(tmp_path):
    docs = tmp_path / "docs"
    docs.mkdir()
    os.mkfifo(docs / "pipe.md")
    found = find([docs])
    assert (found.items, found.skipped) == ([], [str(docs / "pipe.md")])
    for named in (docs / "pipe.md", "/dev/zero"):
        found = find([named])
        assert [each.reason for each in found.refused] == ["it is no file but a pipe or a device"]
        assert (found.items, found.skipped) == ([], [])


def test_a_missing_path_is_named_before_anything_is_read(tmp_path):
    written(tmp_path / "here.md", "x")
    with pytest.raises(UsageError, match="nowhere"):
        find([tmp_path / "here.md", tmp_path / "nowhere"])


def test_decomposed_korean_names_are_composed(tmp_path):
    written(tmp_path / "docs" / unicodedata.normalize("NFD", "휴가.md"), "x")
    assert [item.document_id for item in find([tmp_path / "docs"]).items] == ["docs/휴가.md"]


def test_a_name_that_is_no_unicode_gets_escapes(tmp_path):
    docs = tmp_path / "docs"
    docs.mkdir()
    with open(os.path.join(os.fsencode(docs), b"caf\xe9.md"), "w") as file:
        file.write("x")
    (item,) = find([docs]).items
    assert item.document_id == "docs/caf\\xe9.md"
    item.origin.encode()
