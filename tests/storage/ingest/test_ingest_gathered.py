"""JSONL lines of one `document`: findings and sections become the passages of a case."""

import pytest

from tests.storage.ingest.test_ingest_jsonl import jsonl, lines

FIRST = {
    "document": "case-1", "title": "합병 사례", "id": "1", "kind": "finding", "section": "적출 사례",
    "text": "미환류소득을 적출함",
    "code": "C26", "entities": ["C26"], "date": "2024-03-01",
}  # fmt: skip


def part(id, text, section="착안", document="case-1", **more):
    return {"document": document, "id": id, "section": section, "text": text, **more}


def test_lines_of_one_document_are_its_passages(tmp_path):
    path = jsonl(
        tmp_path / "cases.jsonl", FIRST, part("2", "승계를 본다"), "",
        part("3", "원장을 대조한다", "기법", author="Lee"),
        {"document": "case-2", "text": "둘째 사례"}, {"id": "alone", "text": "혼자인 문서"},
    )  # fmt: skip
    found = lines(path)
    assert (found.refused, found.skipped) == ((), ())
    first, second, alone = found.documents
    assert (first.document_id, first.title, first.date) == ("case-1", "합병 사례", "2024-03-01")
    assert [(p.position, p.kind, p.section, p.text) for p in first.passages] == [
        (0, "finding", "적출 사례", "미환류소득을 적출함"), (1, "chunk", "착안", "승계를 본다"),
        (2, "chunk", "기법", "원장을 대조한다"),
    ]  # fmt: skip
    assert all("C26" in passage.entities for passage in first.passages)
    assert first.metadata == {"code": "C26", "date": "2024-03-01", "author": "Lee"}
    assert (second.document_id, second.title) == ("case-2", "둘째 사례")
    assert alone.document_id == "alone"


def test_a_document_is_whole_across_batches(tmp_path):
    path = jsonl(tmp_path / "cases.jsonl", *(part(str(n), f"{n}번 적출") for n in range(450)))
    (document,) = lines(path).documents
    assert [passage.position for passage in document.passages] == list(range(450))


@pytest.mark.parametrize("changed", [{"text": "다른 글"}, {"section": "기법"}, {"kind": "finding"}])
def test_a_change_of_any_line_is_a_change_of_the_document(tmp_path, changed):
    (before,) = lines(jsonl(tmp_path / "a.jsonl", FIRST, part("2", "승계를 본다"))).documents
    (after,) = lines(jsonl(tmp_path / "a.jsonl", FIRST, {**part("2", "승계를 본다"), **changed})).documents
    assert before.content_hash != after.content_hash


def test_what_is_wrong_costs_its_line_alone(tmp_path):
    path = jsonl(
        tmp_path / "cases.jsonl", FIRST, part("1", "같은 id"), {"document": "case-1", "id": "4"}, part("5", "본다"),
        part("1", "다른 문서의 id", document="case-2"), part("6", "다시 나온 문서"),
        {"document": 7, "text": "이름이 아님"}, {"document": " ", "text": "빈 이름"},
    )  # fmt: skip
    found = lines(path)
    assert [len(document.passages) for document in found.documents] == [2, 1]
    assert [(each.path.rpartition(":")[2], each.reason) for each in found.refused] == [
        ("2", "document 'case-1' has a line of the id '1' already"),
        ("3", "the line has no `text`"),
        ("6", "document 'case-1' began at line 1 and has ended; its lines stand one after the other"),
        ("7", "`document` is not a name of 1 to 400 characters"),
        ("8", "`document` is not a name of 1 to 400 characters"),
    ]


def test_a_case_of_two_megabytes_is_read(tmp_path):
    path = jsonl(tmp_path / "cases.jsonl", FIRST, part("2", "원장과 계약서를 대조하여 본다. " * 70_000))
    (document,) = lines(path).documents
    assert path.stat().st_size > 2_000_000
    assert len(document.passages) > 500
    assert max(len(passage.text) for passage in document.passages) <= 2_400
