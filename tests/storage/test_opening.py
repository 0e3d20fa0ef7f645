"""Two processes that start at once create the same files: the second waits for the first."""

import asyncio
import sqlite3
import threading
from contextlib import closing

import pytest

from agent.errors import StorageError
from tests.storage.test_damage import STORES


@pytest.mark.parametrize("name", STORES)
async def test_a_file_that_another_process_writes_its_first_page_into_is_waited_for(tmp_path, name, monkeypatch):
    tried = asyncio.Event()
    loop = asyncio.get_running_loop()

    def pause(_seconds: float) -> None:
        loop.call_soon_threadsafe(tried.set)

    monkeypatch.setattr("storage.database.time.sleep", pause)
    with closing(sqlite3.connect(tmp_path / name, isolation_level=None)) as other:
        other.execute("CREATE TABLE IF NOT EXISTS theirs(x)")
        other.execute("BEGIN IMMEDIATE")
        other.execute("INSERT INTO theirs VALUES(1)")
        opening = asyncio.create_task(STORES[name].open(tmp_path / name))
        refused = asyncio.create_task(tried.wait())
        await asyncio.wait({opening, refused}, return_when=asyncio.FIRST_COMPLETED)
        other.execute("COMMIT")
    refused.cancel()
    store = await opening
    await store.close()
    assert tried.is_set()


@pytest.mark.parametrize("began", [False, True])
async def test_a_file_that_another_process_just_creates_is_neither_damage_nor_a_warning(
    tmp_path, began, monkeypatch, caplog
):
    """Beside others that hold something: two processes that start on a folder of an older Weft."""
    await (await STORES["inbox.db"].open(tmp_path / "inbox.db")).close()
    path, looked = tmp_path / "weft.db", threading.Event()
    monkeypatch.setattr("storage.damage.CREATING", 60.0)
    monkeypatch.setattr("storage.damage.time.sleep", lambda _seconds: looked.set())
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        if began:
            other.execute("PRAGMA journal_mode=WAL").close()
        else:
            path.touch()
        opening = asyncio.create_task(STORES["weft.db"].open(path))
        await asyncio.to_thread(looked.wait, 60)
        assert looked.is_set() and not opening.done()
        other.execute("PRAGMA journal_mode=WAL").close()
        other.execute("CREATE TABLE theirs(x)")
        await (await opening).close()
    assert not [record for record in caplog.records if record.name == "storage.damage"]


async def test_a_file_that_stays_locked_is_told_by_name(tmp_path, monkeypatch):
    monkeypatch.setattr("storage.database.BUSY_SECONDS", 0.05)
    path = tmp_path / "weft.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("CREATE TABLE theirs(x)")
        other.execute("BEGIN IMMEDIATE")
        other.execute("INSERT INTO theirs VALUES(1)")
        with pytest.raises(StorageError, match=r"weft\.db.*locked"):
            await STORES["weft.db"].open(path)
