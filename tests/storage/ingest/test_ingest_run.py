import asyncio
import json
import os
from dataclasses import replace

import pytest

from agent.errors import StorageError, UsageError
from storage.ingest.report import IngestProgress
from storage.ingest.run import ingest
from tests.storage.ingest.memory import MemoryLibrary, written


@pytest.fixture
def library():
    return MemoryLibrary()


def brought(*paths, library, **options):
    return ingest(paths, library=library, collection="docs", **options)


async def test_new_changed_and_unchanged_documents_are_told_apart(tmp_path, library):
    docs = tmp_path / "docs"
    written(docs / "a.md", "# A\n\nText.\n")
    written(docs / "b.txt", "Text.")
    written(docs / "faq.jsonl", '{"id": "one", "text": "1"}\n{"id": "two", "text": "2"}\n')
    written(docs / "picture.png", "x")
    report = await brought(docs, library=library)
    assert (report.added, report.updated, report.unchanged, report.passages) == (4, 0, 0, 4)
    assert report.skipped == (str(docs / "picture.png"),)
    assert library.ids() == ["docs/a.md", "docs/b.txt", "one", "two"]

    report = await brought(docs, library=library)
    assert (report.added, report.updated, report.unchanged, report.passages) == (0, 0, 4, 0)

    written(docs / "a.md", "# A\n\nOther text.\n")
    written(
        docs / "faq.jsonl", '{"id": "one", "text": "1"}\n{"id": "two", "text": "22"}\n{"id": "three", "text": "3"}\n'
    )
    report = await brought(docs, library=library)
    assert (report.added, report.updated, report.unchanged, report.passages) == (1, 2, 2, 3)
    assert library.documents["docs"]["docs/a.md"].passages[0].text.endswith("Other text.")
    assert report.as_json() == {
        "added": 1,
        "updated": 2,
        "unchanged": 2,
        "removed": 0,
        "refused": [],
        "skipped": [str(docs / "picture.png")],
        "emptied": {},
        "passages": 3,
        "seconds": report.as_json()["seconds"],
    }


async def test_a_file_that_is_known_is_not_even_opened(tmp_path, library):
    path = written(tmp_path / "a.md", "Text.")
    await brought(path, library=library)
    # Whoever reads the file would find that it is not what the library says it is.
    stored = library.documents["docs"]["a.md"]
    library.documents["docs"]["a.md"] = replace(stored, content_hash="another")
    report = await brought(path, library=library)
    assert (report.unchanged, report.updated, library.puts) == (1, 0, [1])


async def test_a_touched_file_is_read_and_found_unchanged(tmp_path, library):
    path = written(tmp_path / "a.md", "Text.")
    await brought(path, library=library)
    os.utime(path, (1_000_000_000, 1_000_000_000))
    report = await brought(path, library=library)
    assert (report.added, report.updated, report.unchanged, library.puts) == (0, 0, 1, [1])


async def test_broken_files_are_named_each_time_and_the_others_stay(tmp_path, library):
    docs = tmp_path / "docs"
    written(docs / "bad.pdf", "no pdf")
    written(docs / "empty.md", "")
    written(docs / "faq.jsonl", '{"id": "one", "text": "1"}\n{broken\n')
    written(docs / "good.md", "Text.")
    for added, unchanged in ((2, 0), (0, 2)):
        report = await brought(docs, library=library)
        assert (report.added, report.unchanged) == (added, unchanged)
        assert [refused.path for refused in report.refused] == [
            str(docs / "bad.pdf"),
            str(docs / "empty.md"),
            f"{docs / 'faq.jsonl'}:2",
        ]
        assert all(refused.reason for refused in report.refused)


async def test_a_missing_path_is_an_error_and_nothing_is_stored(tmp_path, library):
    with pytest.raises(UsageError, match="nowhere"):
        await brought(written(tmp_path / "a.md", "x"), tmp_path / "nowhere", library=library)
    assert library.documents == {}


async def test_an_id_that_another_file_holds_gets_a_suffix_and_keeps_it(tmp_path, library):
    first = written(tmp_path / "x" / "faq.jsonl", '{"id": "one", "text": "first"}\n')
    second = written(tmp_path / "y" / "faq.jsonl", '{"id": "one", "text": "second"}\n')
    notes = [written(tmp_path / name / "docs" / "a.md", name) for name in ("x", "y")]
    report = await brought(first, second, *(note.parent for note in notes), library=library)
    assert (report.added, report.updated) == (4, 0)
    ids = library.ids()
    assert ids[0] == "docs/a.md"
    assert ids[1].startswith("docs/a.md~")
    assert ids[2] == "one"
    assert ids[3].startswith("one~")
    assert library.documents["docs"]["one"].passages[0].text == "first"

    written(second, '{"id": "one", "text": "second, changed"}\n')
    written(notes[1], "changed")
    report = await brought(second, notes[1].parent, library=library)
    assert (report.added, report.updated, library.ids()) == (0, 2, ids)
    assert library.documents["docs"][ids[3]].passages[0].text == "second, changed"


async def test_a_folder_that_moved_brings_its_documents_along(tmp_path, library):
    written(tmp_path / "old" / "docs" / "a.md", "Text.")
    await brought(tmp_path / "old" / "docs", library=library)
    (tmp_path / "old").rename(tmp_path / "new")
    report = await brought(tmp_path / "new" / "docs", library=library)
    assert (report.added, report.updated, library.ids()) == (0, 1, ["docs/a.md"])
    assert library.documents["docs"]["docs/a.md"].source == str(tmp_path / "new" / "docs" / "a.md")


async def test_a_file_found_through_another_folder_stays_the_document_it_is(tmp_path, library):
    path = written(tmp_path / "docs" / "sub" / "a.md", "Text.")
    await brought(tmp_path / "docs", library=library)
    written(path, "Other.")
    report = await brought(tmp_path / "docs" / "sub", library=library)
    assert (report.updated, library.ids()) == (1, ["docs/sub/a.md"])


async def test_collections_do_not_know_of_each_other(tmp_path, library):
    path = written(tmp_path / "a.md", "Text.")
    await brought(path, library=library)
    report = await ingest([path], library=library, collection="other")
    assert (report.added, library.ids("docs"), library.ids("other")) == (1, ["a.md"], ["a.md"])


def many(path, count):
    return written(path, "".join(json.dumps({"id": f"{n:04}", "text": f"text {n}"}) + "\n" for n in range(count)))


async def test_documents_are_stored_in_batches(tmp_path, library):
    docs = tmp_path / "docs"
    many(docs / "a.jsonl", 2_450)
    for number in range(20):
        written(docs / f"b{number}.md", "Text.")
    await brought(docs, library=library)
    assert library.puts == [1_000, 1_000, 470]


@pytest.mark.parametrize(("done", "left"), [(0, None), (59, None), (10_000, 990.0), (1_000_000, 0.0)])
def test_how_long_a_large_file_takes_is_not_told_by_a_small_one(done, left):
    progress = IngestProgress(
        files_done=1, files_total=2, bytes_done=done, bytes_total=1_000_000, documents=1, passages=1, seconds=10.0
    )
    assert progress.seconds_left == left


async def test_progress_grows_to_the_whole(tmp_path, library):
    docs = tmp_path / "docs"
    many(docs / "a.jsonl", 450)
    written(docs / "b.md", "Text.")
    seen = []
    await brought(docs, library=library, progress=seen.append)
    assert seen[0].files_done == 0
    assert seen[0].seconds_left is None
    last = seen[-1]
    assert (last.files_done, last.files_total, last.documents, last.passages) == (2, 2, 451, 451)
    assert last.bytes_done == last.bytes_total > 0
    assert last.seconds_left == 0
    assert last.rate > 0
    assert [each.bytes_done for each in seen] == sorted(each.bytes_done for each in seen)


async def test_what_was_stored_stays_when_it_is_cancelled_and_the_next_run_goes_on(tmp_path):
    class Waiting(MemoryLibrary):
        def __init__(self):
            super().__init__()
            self.reached, self.go_on = asyncio.Event(), asyncio.Event()

        async def before_put(self):
            if self.puts:
                self.reached.set()
                await self.go_on.wait()

    library = Waiting()
    path = many(tmp_path / "a.jsonl", 5_000)
    told = []
    task = asyncio.create_task(brought(path, library=library, progress=told.append))
    await library.reached.wait()
    task.cancel()
    library.go_on.set()  # what has begun is finished, so that it is known
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (len(library.ids()), told[-1].stored, library.noted) == (2_000, 2_000, {})

    report = await brought(path, library=library)
    assert (report.added, report.unchanged, len(library.ids())) == (3_000, 2_000, 5_000)


async def test_a_library_that_fails_ends_it_with_its_own_error(tmp_path):
    class Full(MemoryLibrary):
        async def before_put(self):
            raise StorageError("The disk is full.")

    library = Full()
    with pytest.raises(StorageError, match="disk is full"):
        await brought(many(tmp_path / "a.jsonl", 1000), library=library)
    assert library.noted == {}


async def test_the_loop_stays_free_while_files_are_read(tmp_path, library):
    """Other work gets its turn between any two batches: reading happens elsewhere."""
    path = many(tmp_path / "a.jsonl", 5000)
    ticks = 0

    async def tick():
        nonlocal ticks
        while True:
            ticks += 1
            await asyncio.sleep(0.001)

    ticking = asyncio.create_task(tick())
    await brought(path, library=library)
    ticking.cancel()
    assert ticks > 20
