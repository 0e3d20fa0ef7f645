"""Files of answers on the disk, and the fake that stands in for it."""

import os

import pytest

from agent.errors import StorageError
from storage.files import TurnFiles
from tests.contracts.files import MEDIA, FilesContract
from tests.fakes_files import MemoryFiles


class TestOnDisk(FilesContract):
    @pytest.fixture
    def files(self, tmp_path):
        return TurnFiles(tmp_path / "files")


class TestInMemory(FilesContract):
    @pytest.fixture
    def files(self):
        return MemoryFiles()

    async def read(self, files, produced):
        return files.kept[produced.path]


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "files"


async def test_files_are_their_owners_alone_and_no_half_one_is_left(folder):
    files = TurnFiles(folder)
    made = await files.keep("t1", "a.md", MEDIA, b"x")
    assert os.stat(made.path).st_mode & 0o077 == 0
    assert [path.name for path in (folder / "t1").iterdir()] == ["a.md"]


async def test_a_turn_is_forgotten_with_its_files(folder):
    files = TurnFiles(folder)
    await files.keep("t1", "a.md", MEDIA, b"x")
    kept = await files.keep("t2", "a.md", MEDIA, b"y")
    await files.forget("t1")
    await files.forget("t1")
    await files.forget("never")
    assert [path.name for path in folder.iterdir()] == ["t2"] and kept.path == str(folder / "t2" / "a.md")
    with pytest.raises(StorageError):
        await files.forget("../files")


async def test_what_is_old_is_deleted_and_what_was_written_since_stays(folder):
    files = TurnFiles(folder)
    assert await files.prune(older_than=0) == 0
    for turn in ("old", "rewritten", "new"):
        await files.keep(turn, "a.md", MEDIA, b"x")
    for turn in ("old", "rewritten"):
        for path in (*(folder / turn).iterdir(), folder / turn):
            os.utime(path, (1000, 1000))
    await files.keep("rewritten", "b.md", MEDIA, b"x")
    assert await files.prune(older_than=2000) == 1
    assert sorted(path.name for path in folder.iterdir()) == ["new", "rewritten"]


async def test_a_folder_that_cannot_be_written_is_said(tmp_path):
    (tmp_path / "files").write_text("in the way")
    with pytest.raises(StorageError, match="files"):
        await TurnFiles(tmp_path / "files").keep("t1", "a.md", MEDIA, b"x")
