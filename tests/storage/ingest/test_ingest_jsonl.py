import json

import pytest

from agent.errors import RefusedFileError
from storage.ingest.parse import parse
from storage.ingest.parsed import Batch, Limits
from storage.ingest.sources import find
from tests.storage.ingest.memory import written


def lines(path, limits=None):
    (item,) = find([path]).items
    batches = list(parse(item, limits or Limits()))
    return Batch(
        documents=tuple(each for batch in batches for each in batch.documents),
        refused=tuple(each for batch in batches for each in batch.refused),
        skipped=tuple(each for batch in batches for each in batch.skipped),
        bytes_read=sum(batch.bytes_read for batch in batches),
    )


def jsonl(path, *rows):
    return written(
        path, "".join((row if isinstance(row, str) else json.dumps(row, ensure_ascii=False)) + "\n" for row in rows)
    )


def test_a_line_is_a_document(tmp_path):
    path = jsonl(
        tmp_path / "docs" / "faq.jsonl",
        {"_id": "a-1", "title": "Pay  day", "text": "\n It is the 25th. \n", "team": "people", "year": 2025},
        {"id": 7, "text": "## [휴가](https://a.example) 안내\n연차는 15일입니다.", "url": "https://b.example/7"},
        {"text": "No id.", "source": "wiki"},
        "",
    )
    found = lines(path.parent)
    first, second, third = found.documents
    assert (first.document_id, first.title, first.metadata) == ("a-1", "Pay day", {"team": "people", "year": 2025})
    assert [passage.text for passage in first.passages] == ["It is the 25th."]
    assert (first.source, first.origin) == (str(path), str(path))
    assert (second.document_id, second.title, second.language) == ("7", "휴가 안내", "ko")
    assert (second.source, second.origin, second.metadata) == ("https://b.example/7", str(path), {})
    assert (third.document_id, third.source) == ("docs/faq.jsonl:3", "wiki")
    assert (found.refused, found.skipped) == ((), ())
    assert found.bytes_read == path.stat().st_size


def test_a_broken_line_is_refused_by_its_number_and_the_others_stay(tmp_path):
    path = jsonl(
        tmp_path / "faq.jsonl",
        {"id": "a", "text": "good"},
        '{"id": "b", "text": ',
        "[1]",
        {"id": "c"},
        {"id": "d", "text": 5},
        {"id": "a", "text": "again"},
        {"id": ["x"], "text": "y"},
        '{"id": "e", "text": "half \\ud83d"}',
        '{"id": "f", "text": "nul \\u0000"}',
        '{"id": "g", "text": ' + "9" * 5000 + "}",
        {"id": "h", "text": "  "},
        {"id": "i", "text": "a literal \\u0000 is fine, and so is 🙂"},
        {"id": "z", "text": "good too"},
    )
    found = lines(path)
    assert [document.document_id for document in found.documents] == ["a", "i", "z"]
    reasons = {refused.path.rpartition(":")[2]: refused.reason for refused in found.refused}
    assert sorted(reasons, key=int) == ["2", "3", "4", "5", "6", "7", "8", "9", "10"]
    assert all(refused.path.startswith(str(path)) for refused in found.refused)
    assert "not JSON" in reasons["2"]
    assert "object" in reasons["3"]
    assert "`text`" in reasons["4"]
    assert "line 1 has the same id 'a'" in reasons["6"]
    assert found.skipped == (f"{path}:11",)


def test_a_line_in_the_korean_code_page_is_read_and_noise_is_refused(tmp_path):
    path = tmp_path / "faq.jsonl"
    written(
        path,
        '{"id": "a", "text": "연차휴가는 15일입니다"}\n'.encode("cp949") + b'{"id": "b", "text": "\xff\xfe\x90"}\n',
    )
    found = lines(path)
    assert found.documents[0].passages[0].text == "연차휴가는 15일입니다"
    assert found.refused[0].path == f"{path}:2"


def test_passages_that_somebody_made_stay_whole_and_longer_texts_are_cut(tmp_path):
    sentence = "One more sentence about the same thing, and then the next one. "
    path = jsonl(tmp_path / "a.jsonl", {"id": "a", "text": sentence * 60}, {"id": "b", "text": sentence * 100})
    short, long = lines(path).documents
    assert [passage.text for passage in short.passages] == [(sentence * 60).strip()]
    assert len(long.passages) > 3
    assert all(passage.text in sentence * 100 for passage in long.passages)


def test_a_line_beyond_the_limit_is_refused_and_read_over(tmp_path):
    path = jsonl(tmp_path / "a.jsonl", {"id": "a", "text": "x" * 5000}, {"id": "b", "text": "ok"})
    found = lines(path, Limits(document_bytes=1000))
    assert [document.document_id for document in found.documents] == ["b"]
    assert "1,000" in found.refused[0].reason
    assert found.bytes_read == path.stat().st_size


@pytest.mark.parametrize(("data", "reason"), [(b"", "empty"), ('{"text": "x"}'.encode("utf-16"), "UTF-8")])
def test_a_file_that_is_none_is_refused(tmp_path, data, reason):
    with pytest.raises(RefusedFileError, match=reason):
        lines(written(tmp_path / "a.jsonl", data))


def test_a_long_first_line_becomes_a_short_title(tmp_path):
    path = jsonl(tmp_path / "a.jsonl", {"id": "a", "text": "word " * 100})
    assert lines(path).documents[0].title == ("word " * 16).strip() + "…"


def test_what_a_line_says_about_its_passage_is_taken_over(tmp_path):
    path = jsonl(
        tmp_path / "a.jsonl",
        {
            "id": "a",
            "text": "Aspirin lowers fever.",
            "kind": "finding",
            "section": ["Results", "Fever"],
            "page": 12,
            "category": "table",
            "entities": ["Aspirin", "Hanbit Trial"],
            "asked": ["what helps", " when  i am hot "],
            "updated_at": "2024-05-06T01:02:03Z",
            "team": "x",
        },
    )
    (document,) = lines(path).documents
    (passage,) = document.passages
    assert (passage.kind, passage.section, passage.page, passage.category) == (
        "finding",
        "Results > Fever",
        12,
        "table",
    )
    assert passage.entities == ("Aspirin", "Hanbit Trial")
    assert passage.asked == ("what helps", "when i am hot")
    assert document.date == "2024-05-06"
    assert document.metadata == {"updated_at": "2024-05-06T01:02:03Z", "team": "x"}


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("kind", "Finding!"),
        ("kind", ["finding"]),
        ("page", 0),
        ("page", "12"),
        ("page", True),
        ("category", "picture"),
        ("section", {"a": 1}),
        ("section", "x" * 500),
        ("entities", "Aspirin"),
        ("entities", ["", "x"]),
        ("asked", "what helps"),
        ("asked", ["what helps", ""]),
        ("asked", ["x" * 201]),
        ("asked", ["what helps"] * 21),
        ("date", "soon"),
    ],
)
def test_what_is_not_valid_there_stays_plain_metadata(tmp_path, key, value):
    (document,) = lines(jsonl(tmp_path / "a.jsonl", {"id": "a", "text": "Some text.", key: value})).documents
    (passage,) = document.passages
    assert document.metadata == {key: value}
    assert (passage.kind, passage.section, passage.page, passage.category, passage.asked, document.date) == (
        "chunk",
        "",
        None,
        "paragraph",
        (),
        "",
    )


def test_every_part_of_a_long_line_has_what_was_said_about_it(tmp_path):
    text = "# Dose\n\n" + "One more sentence about the same thing, and then the next one. " * 100
    row = {"id": "a", "text": text, "section": "Methods", "page": 3, "kind": "finding"}
    (document,) = lines(jsonl(tmp_path / "a.jsonl", row)).documents
    assert len(document.passages) > 3
    assert {(each.kind, each.page, each.section) for each in document.passages} == {("finding", 3, "Methods")}


def test_the_hash_changes_with_each_of_them(tmp_path):
    base = {"id": "a", "text": "Some text."}
    more = [
        {"kind": "finding"},
        {"page": 2},
        {"section": "S"},
        {"category": "list"},
        {"entities": ["X"]},
        {"asked": ["what helps"]},
    ]
    rows = [base, *(base | each for each in more), base | {"date": "2024-01-02"}]
    hashes = {lines(jsonl(tmp_path / "a.jsonl", row)).documents[0].content_hash for row in rows}
    assert len(hashes) == len(rows)


def test_a_line_with_a_mark_in_front_is_read(tmp_path):
    path = written(tmp_path / "a.jsonl", b"\xef\xbb\xbf" + b'{"id": "a", "text": "x"}\n')
    assert lines(path).documents[0].document_id == "a"
