"""The SQLite inbox: the contract, and what only a file can suffer."""

import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from agent.errors import CorruptError, StorageError
from storage.database import Database
from storage.inbox import SqliteInbox
from tests.contracts.inbox import InboxContract, Time, message


class TestSqliteInbox(InboxContract):
    @pytest.fixture
    def clock(self):
        return Time()

    @pytest.fixture
    async def inbox(self, tmp_path, clock):
        opened = await SqliteInbox.open(tmp_path / "inbox.db", now=clock)
        yield opened
        await opened.close()


async def test_the_words_of_peoples_talk_are_gone_from_the_file(tmp_path):
    inbox = await SqliteInbox.open(tmp_path / "inbox.db")
    await inbox.add(message("e1", text="a secret between us"))
    row = await inbox.claim("w", lease=30.0, platforms=("slack",))
    await inbox.finish(row, heard=False)
    await inbox.close()
    connection = sqlite3.connect(tmp_path / "inbox.db")
    assert "secret" not in str(connection.execute("SELECT * FROM inbox").fetchall())
    connection.close()


async def test_two_processes_share_one_file(tmp_path):
    here = await SqliteInbox.open(tmp_path / "inbox.db")
    there = await SqliteInbox.open(tmp_path / "inbox.db")
    await here.add(message("e1"))
    assert not await there.add(message("e1"))
    row = await there.claim("w", lease=30, platforms=["slack"])
    assert row is not None and await here.claim("w", lease=30, platforms=["slack"]) is None
    await here.close()
    await there.close()


async def test_what_was_accepted_survives_a_process_that_is_killed(tmp_path):
    script = """
import asyncio, os, sys, signal
from pathlib import Path
from storage.inbox import SqliteInbox
from tests.contracts.inbox import message
async def main():
    inbox = await SqliteInbox.open(Path(sys.argv[1]))
    for n in range(20):
        await inbox.add(message(f"e{n}", f"T{n}"))
    os.kill(os.getpid(), signal.SIGKILL)
asyncio.run(main())
"""
    path = tmp_path / "inbox.db"
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", script, str(path)], cwd=root, check=False)
    assert done.returncode == -9
    inbox = await SqliteInbox.open(path)
    assert (await inbox.counts())["todo"] == 20
    await inbox.close()


async def test_a_file_that_is_no_database_is_refused_by_name_and_left_alone(tmp_path):
    path = tmp_path / "inbox.db"
    path.write_bytes(b"this is not a database" * 100)
    with pytest.raises(CorruptError, match=r"inbox\.db"):
        await SqliteInbox.open(path)
    assert path.read_bytes() == b"this is not a database" * 100


async def test_a_newer_schema_is_refused(tmp_path):
    path = tmp_path / "inbox.db"
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version=99")
    connection.close()
    with pytest.raises(StorageError, match="newer Weft"):
        await SqliteInbox.open(path)


async def test_a_failed_write_leaves_nothing_behind(tmp_path):
    database = await Database.open(tmp_path / "x.db", ["CREATE TABLE t(a INTEGER)"])

    def work(connection: sqlite3.Connection) -> None:
        connection.execute("INSERT INTO t VALUES(1)")
        connection.execute("INSERT INTO nowhere VALUES(1)")

    with pytest.raises(StorageError, match="nowhere"):
        await database.write(work)
    assert await database.read(lambda c: c.execute("SELECT count(*) FROM t").fetchone()) == (0,)
    await database.close()
    with pytest.raises(StorageError, match="closed"):
        await database.read(lambda c: c.execute("SELECT 1"))
