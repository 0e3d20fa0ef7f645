import asyncio
import json
import sys
from contextlib import aclosing

import pytest

from agent.errors import RefusedFileError, StorageError
from storage.ingest.parsed import Batch, Limits
from storage.ingest.readers import Reader, environment, read_all
from storage.ingest.sources import find
from tests.storage.ingest.memory import written
from tests.storage.ingest.office_files import book, saved, zipped
from tests.storage.ingest.test_ingest_pdf import BODY, pdf


async def collected(items, limits):
    """Return the ids of what was read, with reasons in place of files that were refused."""
    out = []
    async for item, read in read_all(items, limits):
        if isinstance(read, Batch):
            out.extend(document.document_id for document in read.documents)
        elif read is not None:
            out.append(f"{item.document_id}: {read}")
    return out


async def test_what_several_readers_read_comes_in_the_order_of_the_files(tmp_path):
    docs = tmp_path / "docs"
    rows = "".join(json.dumps({"id": f"row-{number:04}", "text": "x" * 500}) + "\n" for number in range(3000))
    written(docs / "a.jsonl", rows)
    for number in range(30):
        written(docs / f"b{number:02}.md", "# Title\n\nText.\n")
    written(docs / "b07.md", "")
    ids = await collected(find([docs]).items, Limits(readers=3))
    assert ids[:3000] == [f"row-{number:04}" for number in range(3000)]
    assert ids[3000:3007] == [f"docs/b{number:02}.md" for number in range(7)]
    assert ids[3007] == "docs/b07.md: it is empty"
    assert ids[3008:] == [f"docs/b{number:02}.md" for number in range(8, 30)]


async def test_a_file_that_takes_too_long_is_given_up_and_the_next_is_tried(tmp_path):
    for name in ("a.md", "b.md"):
        written(tmp_path / "docs" / name, "text")
    reasons = await collected(find([tmp_path / "docs"]).items, Limits(seconds=0, readers=1))
    assert reasons == [
        "docs/a.md: reading it takes longer than 0 s, the limit",
        "docs/b.md: reading it takes longer than 0 s, the limit",
    ]


@pytest.mark.usefixtures("cold")
async def test_a_file_that_needs_too_much_memory_is_refused_alone(tmp_path):
    written(tmp_path / "docs" / "a.txt", "memory " * 6_000_000)
    written(tmp_path / "docs" / "b.txt", "text")
    first, second = await collected(find([tmp_path / "docs"]).items, Limits(memory_bytes=200_000_000, readers=1))
    assert first == "docs/a.txt: reading it takes more memory than 200,000,000 bytes, the limit"
    assert second == "docs/b.txt"


async def test_a_page_that_needs_too_much_computing_is_refused_alone(tmp_path):
    written(tmp_path / "docs" / "a.html", "<html><body>" + "<b>" * 300_000 + "<p>text</p>")
    written(tmp_path / "docs" / "b.html", "<html><body><p>text</p>")
    first, second = await collected(find([tmp_path / "docs"]).items, Limits(markup_seconds=0.3, readers=1))
    assert first == "docs/a.html: reading it takes too much computing: its mark-up is nested or huge"
    assert second == "docs/b.html"


async def test_a_reader_that_dies_costs_one_file(tmp_path):
    rows = "".join(json.dumps({"id": str(number), "text": "x" * 2000}) + "\n" for number in range(3000))
    (long, short) = find([written(tmp_path / "a.jsonl", rows), written(tmp_path / "b.md", "text")]).items
    async with aclosing(Reader(Limits())) as reader:
        with pytest.raises(RefusedFileError, match=r"crashed the parser \(exit code -9\)"):
            async for _ in reader.read(long):
                reader.process.kill()
        assert [len(batch.documents) async for batch in reader.read(short)] == [1]


def test_readers_see_no_secrets(monkeypatch):
    monkeypatch.setenv("SLACK_BOT_TOKEN", "xoxb-secret")
    assert set(environment()) <= {"PYTHONPATH", "SYSTEMROOT"}


@pytest.mark.parametrize(("program", "words"), [("/bin/false", "does not start"), ("/no/where", "cannot be started")])
async def test_a_reader_that_does_not_start_is_no_fault_of_the_file(tmp_path, monkeypatch, program, words):
    monkeypatch.setattr(sys, "executable", program)
    (item,) = find([written(tmp_path / "a.md", "text")]).items
    with pytest.raises(StorageError, match=words):
        await collected([item], Limits())


@pytest.mark.usefixtures("cold")
async def test_a_file_gives_the_same_passages_every_time(tmp_path):
    docs = tmp_path / "docs"
    written(docs / "a.pdf", pdf(BODY, BODY))
    written(docs / "a.html", "<h1>Title</h1><table><tr><th>a<th>b</tr><tr><td>1<td>Kim Haneul</td></tr></table>")
    saved(book({"S": [["Item", "Price"], ["Lamp", 10]]}), docs / "a.xlsx")
    zipped(docs / "a.zip", {"a.md": "# Title\n\nText of Kim Haneul.", "b.csv": "a,b\n1,2\n"})

    async def once():
        found = [read async for _, read in read_all(find([docs]).items, Limits(readers=2))]
        return [document for read in found if isinstance(read, Batch) for document in read.documents]

    first = await once()
    assert len(first) == 5
    assert await once() == first


async def test_a_reader_that_is_cancelled_again_and_again_leaves_no_process_behind(tmp_path):
    rows = "".join(json.dumps({"id": f"row-{number:05}", "text": "x" * 2000}) + "\n" for number in range(5000))
    (item,) = find([written(tmp_path / "docs" / "a.jsonl", rows)]).items
    reader = Reader(Limits())

    async def read():
        async with aclosing(reader), aclosing(reader.read(item)) as batches:
            async for _ in batches:
                begun.set()
                await asyncio.sleep(3600)

    begun = asyncio.Event()
    task = asyncio.create_task(read())
    await asyncio.wait_for(begun.wait(), 60)
    process = reader.process
    while not task.done():
        task.cancel()
        await asyncio.sleep(0)
    assert task.cancelled() and process.returncode is not None and reader.process is None
