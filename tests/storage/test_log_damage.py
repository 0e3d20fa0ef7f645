"""The log beside a database, as a killed process leaves it: what SQLite passes over without a word is told."""

import asyncio
import logging
import shutil
import sqlite3
import sys
from contextlib import closing

import pytest

from agent.errors import CorruptError
from storage import damage, examination, log_damage
from storage.database import Database
from storage.inbox import SqlInbox
from storage.schema import INBOX, WEFT
from tests.fakes import incoming

HEAD, FRAME = 32, 24 + 4096


@pytest.fixture(autouse=True)
def _nobody_creates(monkeypatch):
    monkeypatch.setattr(damage, "CREATING", 0.0)


def killed(folder, connection: sqlite3.Connection, name: str = "inbox.db"):
    """Copy a database that is open, with its log; returns the copy."""
    copy = folder / "killed"
    copy.mkdir()
    (source,) = (row[2] for row in connection.execute("PRAGMA database_list") if row[1] == "main")
    for side in ("", "-wal"):
        with open(source + side, "rb") as file:
            (copy / f"{name}{side}").write_bytes(file.read())
    return copy / name


def written(path, rows: int = 6) -> sqlite3.Connection:
    """Open a database and end so many transactions in its log."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL").close()
    connection.execute("PRAGMA wal_autocheckpoint=0").close()
    connection.execute("CREATE TABLE t(x)")
    for number in range(rows):
        connection.execute("INSERT INTO t VALUES(?)", (f"{number}" * 1000,))
    return connection


def harmed(path, place: int) -> None:
    log = path.with_name(path.name + "-wal")
    content = bytearray(log.read_bytes())
    content[place] ^= 0x80
    log.write_bytes(content)


@pytest.fixture
def left(tmp_path):
    """A database as a killed process left it, and its log."""
    with closing(written(tmp_path / "t.db")) as connection:
        path = killed(tmp_path, connection)
    return path, path.with_name(path.name + "-wal")


@pytest.mark.parametrize(
    ("place", "words"),
    [
        (3, "head"), (17, "head"), (30, "head"), (HEAD + 24 + 2000, "transactions"), (HEAD + FRAME + 9, "transactions"),
        (HEAD + 3 * FRAME + 18, "transactions"), (HEAD + 3 * FRAME + 24 + 4095, "transactions"),
        (-FRAME - 1, "2 of the"),
    ],
)  # fmt: skip
def test_a_flipped_byte_in_front_of_what_was_ended_is_damage(left, place, words):
    path, log = left
    content = bytearray(log.read_bytes())
    content[place] ^= 0x80
    log.write_bytes(content)
    assert words in log_damage.damaged(path)


def test_the_last_transaction_may_just_have_been_written(left):
    path, log = left
    content = bytearray(log.read_bytes())
    content[-1] ^= 0x80
    log.write_bytes(content)
    assert log_damage.damaged(path) == ""


def test_a_long_log_is_read_in_pieces(tmp_path, monkeypatch):
    monkeypatch.setattr(log_damage, "_CHUNK", 7)
    with closing(written(tmp_path / "t.db", rows=30)) as connection:
        path = killed(tmp_path, connection)
    log = path.with_name(path.name + "-wal")
    assert log_damage.damaged(path) == ""
    content = bytearray(log.read_bytes())
    content[HEAD + 20 * FRAME + 100] ^= 0x80
    log.write_bytes(content)
    with closing(sqlite3.connect(path)) as connection:
        (read,) = connection.execute("SELECT count(*) FROM t").fetchone()
    log.write_bytes(content)
    assert log_damage.damaged(path) == f"its log is: {30 - read} of the transactions in it cannot be read"


SHARED = 128
"""The byte of the index whose lock says that a process has it in memory (`UNIX_SHM_DMS` in SQLite's os_unix.c)."""


async def test_looking_lets_go_of_no_lock_of_this_process(tmp_path):
    """Else another process takes the index for nobody's, and truncates it below the feet of this one."""
    path = tmp_path / "inbox.db"
    first = await SqlInbox.open(path)
    await first.add(incoming())
    log_damage.damaged(path)
    takes = f"import fcntl, sys; fcntl.lockf(open(sys.argv[1], 'r+b'), fcntl.LOCK_EX | fcntl.LOCK_NB, 1, {SHARED})"
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", takes, f"{path}-shm", stderr=asyncio.subprocess.DEVNULL
    )
    assert await process.wait() == 1
    await first.close()


@pytest.mark.parametrize("length", [None, HEAD + 3 * FRAME + 100, HEAD + 2 * FRAME, HEAD, 10, 0])
def test_what_is_in_order_or_looks_like_a_power_cut_is_none(left, length):
    path, log = left
    log.write_bytes(log.read_bytes()[:length])
    assert log_damage.damaged(path) == ""


def test_a_transaction_that_was_not_ended_is_none(tmp_path):
    with closing(written(tmp_path / "t.db")) as connection:
        connection.execute("PRAGMA cache_size=1").close()
        connection.execute("BEGIN")
        for _ in range(50):
            connection.execute("INSERT INTO t VALUES(?)", ("x" * 3000,))
        path = killed(tmp_path, connection)
        connection.execute("ROLLBACK")
    assert path.with_name(path.name + "-wal").stat().st_size > 20 * FRAME
    assert log_damage.damaged(path) == ""


def test_frames_of_a_log_before_this_one_are_none_and_neither_is_what_another_process_writes(tmp_path):
    with closing(written(tmp_path / "t.db", rows=20)) as connection:
        connection.execute("PRAGMA wal_checkpoint(RESTART)").close()
        connection.execute("INSERT INTO t VALUES('again')")
        assert log_damage.damaged(tmp_path / "t.db") == ""
        path = killed(tmp_path, connection)
    assert log_damage.damaged(path) == ""


async def _left_by_the_store(tmp_path, name: str, store):
    with closing(sqlite3.connect(tmp_path / name)) as other:  # keeps the log from being folded
        other.execute("SELECT count(*) FROM sqlite_master").fetchone()
        path = killed(tmp_path, other, name)
    await store.close()
    log = path.with_name(path.name + "-wal")
    content = bytearray(log.read_bytes())
    content[HEAD + (len(content) - HEAD) // FRAME * 4 // 5 * FRAME + 100] ^= 0x80
    log.write_bytes(content)
    return path


async def test_the_inbox_goes_on_with_what_stands_before_it_and_says_so(tmp_path, caplog):
    inbox = await SqlInbox.open(tmp_path / "inbox.db")
    for number in range(20):
        await inbox.add(incoming(message_id=f"m{number}"))
    path = await _left_by_the_store(tmp_path, "inbox.db", inbox)
    shutil.copytree(path.parent, tmp_path / "other")
    with pytest.raises(CorruptError, match=r"inbox.db is damaged \(its log is: \d+ of the transactions"):
        examination.schema_of(tmp_path / "other" / "inbox.db", INBOX)
    with caplog.at_level(logging.WARNING):
        again = await SqlInbox.open(path)
    assert "what was written last is lost" in caplog.text
    assert 0 < (await again.counts())["todo"] < 20
    assert await again.add(incoming(message_id="new"))
    await again.close()


async def test_that_of_the_documents_is_refused_until_the_advice_is_followed(tmp_path):
    database = await Database.open(tmp_path / "weft.db", WEFT)
    for number in range(20):
        await database.write(lambda c, n=number: c.execute("INSERT INTO facts VALUES(?,'')", (f"f{n}",)).close())
    path = await _left_by_the_store(tmp_path, "weft.db", database)
    with pytest.raises(CorruptError, match=r"its log is.*`mv .*weft.db.damaged` and then `weft ingest`"):
        await Database.open(path, WEFT)
    path.rename(f"{path}.damaged")  # the log stays where it is
    again = await Database.open(path, WEFT)
    assert await again.read(lambda c: c.execute("SELECT count(*) FROM facts WHERE name GLOB 'f[0-9]*'").fetchall()) == [
        (0,)
    ]
    await again.close()


async def test_a_database_without_the_log_that_held_its_tables_is_no_fresh_start(tmp_path, caplog):
    other = await SqlInbox.open(tmp_path / "inbox.db")
    for name, migrations in (("weft.db", WEFT), ("people.db", INBOX)):
        with closing(sqlite3.connect(tmp_path / name)) as begun:
            begun.execute("PRAGMA journal_mode=WAL").close()
            begun.execute("PRAGMA user_version=0").close()
        assert (tmp_path / name).stat().st_size > 0
        if name == "weft.db":
            with pytest.raises(CorruptError, match=r"weft.db is damaged \(it is empty, but inbox.db is not\)"):
                await Database.open(tmp_path / name, migrations)
            continue
        with caplog.at_level(logging.WARNING):
            await (await Database.open(tmp_path / name, migrations)).close()
    assert "people.db is empty, and begins anew" in caplog.text
    await other.close()
