import pytest

from agent.errors import RefusedFileError
from storage.ingest.parse import parse
from storage.ingest.parsed import Limits
from storage.ingest.sources import find
from tests.storage.ingest.memory import read, written
from tests.storage.ingest.office_files import zipped


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("a.md", b"", "empty"),
        ("a.txt", b" \n\t\r\n", "empty"),
        ("a.txt", bytes(range(256)), "not a text file"),
        ("a.md", b"---\n\n---\n", "no text"),
        ("a.html", b"<html><body><script>1</script></body></html>", "no text"),
        ("a.html", b"<div>" * 20_000 + b"deep", "nested too deeply"),
    ],
)
def test_a_file_without_anything_to_read_is_refused_with_a_reason(tmp_path, name, data, reason):
    with pytest.raises(RefusedFileError, match=reason):
        read(written(tmp_path / name, data))


def test_a_file_beyond_the_limit_is_refused_with_its_size(tmp_path):
    with pytest.raises(RefusedFileError, match="2,000 bytes; the limit is 1,999"):
        read(written(tmp_path / "a.txt", "x" * 2000), Limits(document_bytes=1999))
    assert read(tmp_path / "a.txt", Limits(document_bytes=2000)).title == "a"


def test_a_file_that_cannot_be_opened_is_refused_without_a_trace(tmp_path):
    path = written(tmp_path / "a.txt", "x")
    (item,) = find([path]).items
    path.unlink()
    with pytest.raises(RefusedFileError, match="cannot be opened: No such file"):
        list(parse(item, Limits()))


@pytest.mark.parametrize("part", ["word/document.xml", "xl/workbook.xml"])
def test_what_a_parser_trips_over_is_a_refusal_that_names_the_error(tmp_path, part):
    zipped(tmp_path / "a.docx", {"[Content_Types].xml": "<x/>", part: "<y/>"})
    with pytest.raises(RefusedFileError, match=r"cannot be read as DOCX, it may be broken \(\w+Error\)"):
        read(tmp_path / "a.docx")


def test_the_hash_changes_with_what_is_read_and_not_with_the_file_s_bytes(tmp_path):
    path = tmp_path / "a.html"
    first = read(written(path, "<p>One</p>")).content_hash
    assert read(written(path, "<p>One</p>\n<!-- -->")).content_hash == first
    assert read(written(path, "<p>Two</p>")).content_hash != first


def test_the_hash_changes_with_what_a_line_is_and_with_the_date(tmp_path):
    path = tmp_path / "a.html"
    first = read(written(path, "<h2>One</h2><p>Two</p>")).content_hash
    assert read(written(path, "<p>One</p><p>Two</p>")).content_hash != first
    dated = '<meta name="date" content="2024-01-02"><h2>One</h2><p>Two</p>'
    assert read(written(path, dated)).content_hash != first


def test_a_file_without_a_heading_is_called_by_its_folder_and_its_name(tmp_path):
    for folder in ("", "teams", "teams/red"):
        written(tmp_path / "docs" / folder / "README.md", "Just text.\n")
    written(tmp_path / "docs" / "teams" / "rates.csv", "a,b\n1,2\n3,4\n")
    written(tmp_path / "docs" / "teams" / "named.md", "# Rules\n\nText.\n")
    batches = (batch for item in find([tmp_path / "docs"]).items for batch in parse(item, Limits()))
    titles = {document.document_id: document.title for batch in batches for document in batch.documents}
    assert titles == {
        "docs/README.md": "README",
        "docs/teams/README.md": "teams/README",
        "docs/teams/red/README.md": "red/README",
        "docs/teams/rates.csv": "rates",
        "docs/teams/named.md": "Rules",
    }
