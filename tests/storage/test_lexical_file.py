"""The word index on disk: opened when good, refused when damaged, passed over when it is of another time."""

import asyncio
import fcntl
import json
import shutil
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from agent.errors import CorruptError, LockedError, StorageError
from agent.types import Audience, Query, SearchFilter
from storage import snapshot
from storage.database import Database
from storage.documents import SqlLibrary
from storage.holdings import LEAST
from storage.ingest.parsed import ParsedDocument, ParsedPassage
from storage.lexical import SqlLexicalIndex
from storage.schema import WEFT
from storage.upkeep import Upkeep

OPERATOR = Audience(principals=frozenset(), operator=True)


def document(identity: str, *texts: str) -> ParsedDocument:
    return ParsedDocument(
        document_id=identity, title="", source=identity, origin=identity, language="en", content_hash="", metadata={},
        passages=tuple(ParsedPassage(text=text, position=n) for n, text in enumerate(texts)),
    )  # fmt: skip


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "lexical.idx"


@pytest.fixture
async def database(tmp_path: Path):
    opened = await Database.open(tmp_path / "weft.db", WEFT)
    yield opened
    await opened.close()


@pytest.fixture
def library(database):
    return SqlLibrary(database)


@pytest.fixture
async def stored(library, file) -> SqlLibrary:
    """A library with a file that covers all of it."""
    await library.put("documents", [document("a", "the vpn is slow", "laptop"), document("b", "another vpn", "휴가")])
    assert await library.index.rebuild() == 4
    assert file.exists()
    return library


def another(library: SqlLibrary) -> SqlLexicalIndex:
    """Return an index as another process has it: it knows nothing yet."""
    return SqlLexicalIndex(library._database)


async def find(index, text: str = "vpn") -> list[int]:
    found = await index.search(Query(text=text), k=9999, filter=SearchFilter(), audience=OPERATOR)
    return sorted(i for i, _ in found)


async def test_what_the_file_covers_is_not_read_from_the_passages(stored, database):
    await database.write(lambda c: c.execute("UPDATE passages SET terms=x'', counts=x''").close())
    assert await find(another(stored)) == [1, 3]


async def test_what_came_and_went_since_is_found_and_not_found_in_every_process(stored):
    running = another(stored)
    assert await find(running) == [1, 3]
    await stored.put("documents", [document("c", "vpn vpn")])
    await stored.remove("a")
    for index in (stored.index, running, another(stored)):
        assert await find(index) == [3, 5]
        assert await find(index, "laptop") == []
    await stored.remove("c")
    await running.rebuild()
    for index in (stored.index, running, another(stored)):
        assert await find(index) == [3]


async def test_removals_whose_terms_nobody_kept_are_counted_all_the_same(stored, database):
    index = another(stored)
    await find(index)
    await stored.remove("a")
    await database.write(lambda c: c.execute("UPDATE removed SET terms=NULL").close())
    alone = await Database.open(database.path.with_name("alone.db"), WEFT)
    try:
        expected = SqlLibrary(alone)
        await expected.put("documents", [document("b", "another vpn", "휴가")])
        for query in (Query(text="vpn"), Query(text="another 휴가")):
            scores = [
                [score for _, score in await each.search(query, k=9, filter=SearchFilter(), audience=OPERATOR)]
                for each in (index, another(stored), expected.index)
            ]
            assert scores[0] == scores[1] == scores[2] != []
    finally:
        await alone.close()


@pytest.mark.parametrize("share", [0.0, 0.001, 0.3, 0.9, 0.9999])
async def test_a_flipped_byte_is_refused_with_the_repair(stored, file, share):
    content = bytearray(file.read_bytes())
    content[int(share * len(content))] ^= 0x04
    file.write_bytes(content)
    index = another(stored)
    for _ in range(2):
        with pytest.raises(CorruptError, match=r"lexical\.idx.*weft reindex"):
            await find(index)
    assert file.read_bytes() == content
    assert not (await index.check()).sound
    assert await index.rebuild() == 4
    assert await find(index) == [1, 3] == await find(another(stored))
    assert (await index.check()).sound


@pytest.mark.parametrize("size", [0, 100, snapshot.HEADER, snapshot.HEADER + 300])
async def test_a_truncated_file_is_refused(stored, file, size):
    file.write_bytes(file.read_bytes()[:size])
    with pytest.raises(CorruptError, match=r"lexical\.idx"):
        await find(another(stored))


async def test_another_format_is_refused(stored, file):
    content = file.read_bytes()
    file.write_bytes(content.replace(b"weft words 1", b"weft words 9", 1))
    with pytest.raises(CorruptError, match=r"weft reindex"):
        await find(another(stored))
    file.write_bytes(b"something else" * 1000)
    with pytest.raises(CorruptError, match=r"weft reindex"):
        await find(another(stored))


async def test_more_behind_the_end_is_refused(stored, file):
    file.write_bytes(file.read_bytes() + b"\0")
    with pytest.raises(CorruptError):
        await find(another(stored))


async def test_the_file_of_another_library_is_passed_over(stored, file, tmp_path):
    (tmp_path / "other").mkdir()
    database = await Database.open(tmp_path / "other" / "weft.db", WEFT)
    try:
        other = SqlLibrary(database)
        await other.put("documents", [document("x", "quite other vpn"), document("y", "words"), document("z", "words")])
        await other.put("documents", [document("w", "words", "words")])
        shutil.copy(file, tmp_path / "other" / "lexical.idx")
        assert await find(other.index) == [1]
        assert (await other.index.check()).stale
        await other.index.rebuild()
        assert await find(another(other)) == [1]
        assert not (await other.index.check()).stale
    finally:
        await database.close()


async def test_a_backup_put_back_passes_over_the_file_that_came_after_it(stored, database, tmp_path):
    copy = sqlite3.connect(tmp_path / "backup.db")
    await database.read(lambda c: c.backup(copy))
    copy.close()
    await stored.put("documents", [document("c", "vpn of the time after the backup")])
    await stored.index.rebuild()
    await database.close()
    for name in ("weft.db-wal", "weft.db-shm"):
        (tmp_path / name).unlink(missing_ok=True)
    shutil.copy(tmp_path / "backup.db", tmp_path / "weft.db")
    restored = await Database.open(tmp_path / "weft.db", WEFT)
    try:
        library = SqlLibrary(restored)
        assert await find(library.index) == [1, 3]
        await library.put("documents", [document("d", "vpn"), document("e", "words")])  # past what the file covers
        for index in (library.index, another(library)):
            assert set(await find(index)) == {1, 3, 5} and await find(index, "backup") == []
    finally:
        await restored.close()


async def test_the_file_is_made_when_passages_are_many_and_brought_up_when_many_are_new(library, file):
    await library.put("documents", [document("few", "vpn")])
    await library.index.settle()
    assert not file.exists()
    await library.put("documents", [document("many", *(f"vpn {n}" for n in range(LEAST + 1)))])
    await library.index.settle()
    check = await library.index.check()
    assert (check.exists, check.covered, check.behind) == (True, LEAST + 2, 0)
    running = another(library)
    await library.put("documents", [document("one", "a new vpn")])
    await library.remove("few")
    await library.index.settle()
    check = await library.index.check()
    assert (check.covered, check.behind, check.removed) == (LEAST + 2, 1, 1)
    assert len(await find(running)) == LEAST + 2
    before = file.stat().st_ino
    await library.put("documents", [document("more", *(f"laptop {n}" for n in range(LEAST + 1)))])
    assert len(await find(running, "laptop")) == LEAST + 1
    await running.settle()
    assert file.stat().st_ino != before
    for index in (running, library.index, another(library)):
        assert len(await find(index)) == LEAST + 2 and len(await find(index, "laptop")) == LEAST + 1
    await library.remove("many")
    await library.remove("more")
    indexes = (running, library.index, another(library))
    for index in indexes:
        assert await find(index) == [LEAST + 3] and await find(index, "laptop") == []
    await asyncio.gather(*(index.settle() for index in indexes))  # whichever was first makes it
    assert (await running.check()).covered == 1


async def test_what_changes_while_the_file_is_made_is_not_lost(library, file):
    await library.put("documents", [document("many", *(f"vpn {n}" for n in range(LEAST + 1))), document("x", "vpn x")])
    index = library.index
    assert len(await find(index)) == LEAST + 2  # begins to make the file
    await library.put("documents", [document("new", "vpn new")])
    await library.remove("x")
    assert len(await find(index)) == LEAST + 2 and await find(index, "x") == []
    await index.settle()
    assert file.exists()
    assert len(await find(index)) == LEAST + 2 == len(await find(another(library)))


async def test_two_that_make_the_file_at_once_leave_one_good_file(library, file):
    await library.put("documents", [document("many", *(f"vpn {n}" for n in range(LEAST + 1)))])
    indexes = [another(library) for _ in range(3)]
    await asyncio.gather(*(index.settle() for index in indexes), *(index.rebuild() for index in indexes[:2]))
    assert {len(await find(index)) for index in (*indexes, another(library))} == {LEAST + 1}
    check = await indexes[0].check()
    assert check.sound and not check.stale and check.covered == LEAST + 1
    assert not list(file.parent.glob("*.tmp"))


async def test_a_full_disk_costs_no_search_and_no_document(library, file, caplog):
    file.with_name("lexical.idx.tmp").symlink_to("/dev/full")
    await library.put("documents", [document("many", *(f"vpn {n}" for n in range(LEAST + 1)))])
    await library.index.settle()
    assert "No space left on device" in caplog.text and not file.exists()
    assert len(await find(library.index)) == LEAST + 1
    await library.put("documents", [document("one", "vpn")])
    assert len(await find(library.index)) == LEAST + 2
    later = another(library)
    await later.settle()  # there is room again
    assert file.exists() and len(await find(later)) == LEAST + 2
    file.with_name("lexical.idx.tmp").symlink_to("/dev/full")
    with pytest.raises(StorageError, match=r"lexical\.idx cannot be written: No space left on device"):
        await library.index.rebuild()


async def test_a_full_disk_leaves_the_older_file_in_use(stored, file):
    before = file.read_bytes()
    file.with_name("lexical.idx.tmp").symlink_to("/dev/full")
    await stored.put("documents", [document("many", *(f"vpn {n}" for n in range(LEAST + 1)))])
    index = another(stored)
    await index.settle()
    assert file.read_bytes() == before
    assert len(await find(index)) == LEAST + 3
    check = await index.check()
    assert not check.stale and (check.covered, check.behind) == (4, LEAST + 1)


async def test_a_rebuild_says_when_another_process_is_at_it_for_too_long(stored, database, file):
    impatient = Upkeep(database, wait=0.05)
    with file.with_name("lexical.idx.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(LockedError, match=r"lexical\.idx"):
            await asyncio.to_thread(impatient.rebuild)
        assert await find(another(stored)) == [1, 3]


REBUILD = """
import asyncio, resource, signal, sys
from pathlib import Path
from storage.database import Database
from storage.lexical import SqlLexicalIndex
from storage.schema import WEFT

async def main():
    index = SqlLexicalIndex(await Database.open(Path(sys.argv[1]), WEFT))
    how = sys.argv[2]
    if how == "middle":  # the system kills who writes beyond this
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_FSIZE, (6000, 6000))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    elif how == "end":  # killed when all is written, and the file is about to take its place
        def wait(event, arguments):
            if event == "os.rename":
                print("now", flush=True)
                sys.stdin.read()
        sys.addaudithook(wait)
    await index.rebuild()

asyncio.run(main())
"""


@pytest.mark.parametrize("how", ["middle", "end"])
async def test_a_kill_while_the_file_is_written_leaves_the_old_one(stored, database, file, how):
    before = file.read_bytes()
    await stored.put("documents", [document("many", *(f"vpn {n}" for n in range(2000)))])
    await database.read(lambda c: c.execute("PRAGMA wal_checkpoint(TRUNCATE)").close())
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", REBUILD, str(database.path), how,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=Path(__file__).parents[2],
    )  # fmt: skip
    if how == "end":
        assert process.stdout is not None
        assert await process.stdout.readline() == b"now\n"
        process.send_signal(signal.SIGKILL)
    assert await process.wait() == -(signal.SIGKILL if how == "end" else signal.SIGXFSZ)
    assert file.read_bytes() == before
    assert file.with_name("lexical.idx.tmp").exists()
    index = another(stored)
    check = await index.check()
    assert check.sound and not check.stale and (check.covered, check.behind) == (4, 2000)
    assert len(await find(index)) == 2002
    assert await index.rebuild() == 2004
    assert not file.with_name("lexical.idx.tmp").exists()
    assert len(await find(another(stored))) == 2002


async def test_facts_about_the_file(stored, file, tmp_path):
    check = await stored.index.check()
    assert check.path == file and check.size == file.stat().st_size and check.made_at > 0
    assert (check.passages, check.covered, check.behind, check.removed) == (4, 4, 0, 0)
    assert check.exists and check.sound and not check.stale
    file.unlink()
    check = await stored.index.check()
    assert not check.exists and check.behind == 4 and json.dumps(check.passages) == "4"
    assert await find(another(stored)) == [1, 3]


async def test_an_empty_library_has_a_file_too(library, file):
    assert await library.index.rebuild() == 0
    assert await find(another(library)) == []
    admitted = await another(library).admitted(SearchFilter(), OPERATOR)
    assert admitted is not None and not len(admitted)
    await library.put("documents", [document("a", "vpn")])
    assert await find(another(library)) == [1] == await find(library.index)
