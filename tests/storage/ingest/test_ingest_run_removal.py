"""What leaves the library, and what must not."""

import asyncio
import os
import zipfile

import pytest

from storage.ingest.run import ingest
from tests.storage.ingest.memory import MemoryLibrary, written


@pytest.fixture
def library():
    return MemoryLibrary()


def brought(*paths, library, **options):
    return ingest(paths, library=library, collection="docs", **options)


def lines(*names):
    return "".join(f'{{"id": "{name}", "text": "text {name}"}}\n' for name in names)


async def test_lines_taken_out_of_a_file_leave_the_library(tmp_path, library):
    faq = written(tmp_path / "faq.jsonl", lines("a", "b", "c"))
    other = written(tmp_path / "other.jsonl", lines("x", "y"))
    await brought(faq, other, library=library)
    written(faq, lines("a", "d"))
    report = await brought(faq, library=library)
    assert (report.added, report.unchanged, report.removed) == (1, 1, 2)
    assert library.ids() == ["a", "d", "x", "y"]
    report = await brought(faq, other, library=library)
    assert (report.unchanged, report.removed) == (4, 0)


async def test_a_file_with_a_flaw_takes_nothing_away(tmp_path, library):
    faq = written(tmp_path / "faq.jsonl", lines("a", "b", "c"))
    await brought(faq, library=library)
    written(faq, lines("a") + "{broken\n")
    report = await brought(faq, library=library)
    assert (report.removed, len(report.refused), library.ids()) == (0, 1, ["a", "b", "c"])
    written(faq, b"\xff\xfe" + lines("a").encode("utf-16-le"))
    report = await brought(faq, library=library)
    assert (report.removed, len(report.refused), library.ids()) == (0, 1, ["a", "b", "c"])
    written(faq, lines("a"))
    assert (await brought(faq, library=library)).removed == 2


async def test_a_line_that_moves_to_another_file_stays(tmp_path, library):
    first, second = written(tmp_path / "a.jsonl", lines("a", "b")), written(tmp_path / "b.jsonl", lines("c"))
    await brought(first, second, library=library)
    written(first, lines("b"))
    written(second, lines("a", "c"))
    report = await brought(first, second, library=library)
    assert (report.added, report.removed) == (1, 1)
    assert library.ids() == ["a", "b", "c"]
    assert library.documents["docs"]["a"].origin == str(second)


async def test_what_is_gone_from_a_folder_leaves_and_comes_back(tmp_path, library):
    docs = tmp_path / "docs"
    a, _ = written(docs / "a.md", "A."), written(docs / "b.md", "B.")
    await brought(docs, library=library)
    a.rename(tmp_path / "away")
    report = await brought(docs, library=library)
    assert (report.removed, library.ids()) == (1, ["docs/b.md"])
    # Whatever the file system says of it, it is read again.
    status = os.stat(tmp_path / "away")
    (tmp_path / "away").rename(a)
    assert os.stat(a).st_mtime_ns == status.st_mtime_ns
    assert library.noted["docs"][str(a)] == ""
    assert (await brought(docs, library=library)).added == 1


async def test_an_empty_folder_takes_nothing_away_whatever_else_is_read(tmp_path, library):
    full, share = tmp_path / "full", tmp_path / "share"
    written(full / "a.md", "A.")
    path = written(share / "b.md", "B.")
    await brought(full, share, library=library)
    path.unlink()
    for paths in ([share], [full, share]):
        report = await brought(*paths, library=library)
        assert (report.removed, library.ids()) == (0, ["full/a.md", "share/b.md"])
    written(share / "c.md", "C.")
    assert (await brought(full, share, library=library)).removed == 1


async def test_a_file_that_cannot_be_looked_for_is_not_gone(tmp_path, library):
    docs = tmp_path / "docs"
    sub = written(docs / "sub" / "a.md", "A.").parent
    written(docs / "b.md", "B.")
    await brought(docs, library=library)
    # A name in a loop of links cannot be looked up, as in a folder without permission or on a share that is down.
    sub.rename(tmp_path / "away")
    sub.symlink_to(sub)
    report = await brought(docs, library=library)
    assert (report.removed, library.ids()) == (0, ["docs/b.md", "docs/sub/a.md"])


async def test_a_file_that_changes_while_it_is_read_is_left_as_it_was(tmp_path):
    class Meddling(MemoryLibrary):
        """Changes the file when something of it is stored."""

        def __init__(self, meddle):
            super().__init__()
            self.meddle = meddle

        async def before_put(self):
            self.meddle()

    for meddle, reason in (
        (lambda: written(tmp_path / "a.jsonl", lines("other")), "changed"),
        ((tmp_path / "a.jsonl").unlink, "disappeared"),
    ):
        path = written(tmp_path / "a.jsonl", lines(*map(str, range(9_000))))
        library = Meddling(meddle)
        report = await brought(path, library=library)
        (refused,) = report.refused
        assert refused.path == str(path)
        assert refused.reason == f"it {reason} while it was read: ingest it again"
        assert 1_000 <= report.added < 9_000
        assert report.removed == 0
        assert library.noted == {}
        assert len(library.ids()) == report.added


async def test_a_file_that_disappears_before_it_is_read_is_named(tmp_path, library):
    docs = tmp_path / "docs"
    a, _ = written(docs / "a.md", "A."), written(docs / "b.md", "B.")

    def meddle(progress):
        a.unlink(missing_ok=True)

    report = await brought(docs, library=library, progress=meddle)
    assert [(each.path, "No such file" in each.reason) for each in report.refused] == [(str(a), True)]
    assert library.ids() == ["docs/b.md"]


async def test_names_that_are_not_utf8_and_links_in_a_circle(tmp_path, library):
    docs = tmp_path / "docs"
    written(docs / os.fsdecode(b"caf\xe9.md"), "# Coffee\n\nIt is hot.\n")
    (docs / "loop").symlink_to(docs)
    (docs / "self.md").symlink_to(docs / "self.md")
    seen = []
    report = await brought(docs, library=library, progress=seen.append)
    assert library.ids() == ["docs/caf\\xe9.md"]
    assert [each.path for each in report.refused] == [str(docs / "self.md")]
    assert seen[-1].refused == 1
    assert (await brought(docs, library=library)).unchanged == 1


async def test_what_is_being_stored_is_waited_for_but_not_for_ever(tmp_path, monkeypatch):
    monkeypatch.setattr("storage.ingest.ledger._PATIENCE", 0.01)

    class Stuck(MemoryLibrary):
        def __init__(self):
            super().__init__()
            self.reached = asyncio.Event()

        async def before_put(self):
            self.reached.set()
            await asyncio.Event().wait()

    library, told = Stuck(), []
    path = written(tmp_path / "a.jsonl", lines(*map(str, range(1_200))))
    task = asyncio.create_task(brought(path, library=library, progress=told.append))
    await library.reached.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (told[-1].stored, library.ids()) == (0, [])


def packed(path, **files):
    with zipfile.ZipFile(path, "w") as out:
        for name, content in files.items():
            out.writestr(f"{name}.md", content)
    return path


async def test_files_taken_out_of_an_archive_leave_with_it(tmp_path, library):
    docs = tmp_path / "docs"
    path = packed(written(docs / "b.md", "B.").with_name("pack.zip"), a="A.", b="B.", c="C.")
    inside = [f"docs/pack.zip/{name}.md" for name in "abc"]
    await brought(docs, library=library)
    assert library.ids() == ["docs/b.md", *inside]
    packed(path, a="A.", b="", c="C, changed.")
    report = await brought(docs, library=library)
    assert (report.updated, report.removed, len(report.refused)) == (1, 0, 1)  # what cannot be read is still there
    packed(path, c="C, changed.")
    assert (await brought(path, library=library)).removed == 2

    # An archive that tells nothing takes nothing away; one that is gone does.
    path.write_bytes(path.read_bytes()[:-30])
    report = await brought(docs, library=library)
    assert (report.removed, len(report.refused), library.ids()) == (0, 1, ["docs/b.md", inside[2]])
    path.unlink()
    report = await brought(docs, library=library)
    assert (report.removed, library.ids()) == (1, ["docs/b.md"])


async def test_a_folder_that_became_a_file_is_gone(tmp_path, library):
    docs = tmp_path / "docs"
    written(docs / "a.md", "A.")
    inner = written(docs / "b" / "c.md", "C.")
    await brought(docs, library=library)
    inner.unlink()
    inner.parent.rmdir()
    written(docs / "b", "now a file")
    report = await brought(docs, library=library)
    assert (report.removed, library.ids()) == (1, ["docs/a.md"])
