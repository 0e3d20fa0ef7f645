"""The SQLite inbox: the contract, and what only a file can suffer."""

import asyncio
import contextlib
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from agent.errors import CorruptError, StorageError
from bot.settings import Settings
from storage.arrivals import arrive
from storage.database import Database
from storage.inbox import LONGEST_LEASE, LONGEST_PAUSE, SqlInbox
from storage.schema import INBOX
from tests.contracts.inbox import InboxContract, Time, message
from tests.databases import another, rows


class TestSqliteInbox(InboxContract):
    @pytest.fixture
    def clock(self):
        return Time()

    @pytest.fixture
    async def inbox(self, tmp_path, clock):
        opened = await SqlInbox.open(tmp_path / "inbox.db", now=clock)
        yield opened
        await opened.close()


class TestPostgresInbox(InboxContract):
    @pytest.fixture
    def clock(self):
        return Time()

    @pytest.fixture
    async def inbox(self, postgres_database, clock):
        return SqlInbox(postgres_database, now=clock)


async def test_the_words_of_peoples_talk_are_gone_from_the_file(tmp_path):
    inbox = await SqlInbox.open(tmp_path / "inbox.db")
    await inbox.add(message("e1", text="a secret between us"))
    row = await inbox.claim("w", lease=30.0, platforms=("slack",))
    await inbox.finish(row, heard=False)
    await inbox.close()
    connection = sqlite3.connect(tmp_path / "inbox.db")
    assert "secret" not in str(connection.execute("SELECT * FROM inbox").fetchall())
    connection.close()


async def test_what_was_left_at_a_console_is_over_and_its_words_are_gone(tmp_path):
    clock = Time()
    inbox = await SqlInbox.open(tmp_path / "inbox.db", now=clock)
    for event, platform in (("e1", "console"), ("e2", "console"), ("e3", "slack")):
        await inbox.add(message(event, event, platform=platform, text="a secret"))
    await inbox.claim("killed", lease=30.0, platforms=("console",))
    clock.at += 86_400.0
    await inbox.add(message("e4", "e4", platform="console"))
    assert await inbox.prune(older_than=clock.at - 1) == 2
    assert await inbox.counts() == {"todo": 2, "doing": 0, "done": 2, "dead": 0}
    rows = [await inbox.claim("w", lease=30.0, platforms=(platform,)) for platform in ("console", "console", "slack")]
    assert [row and row.message.event_id for row in rows] == ["e4", None, "e3"]
    await inbox.close()
    with contextlib.closing(sqlite3.connect(tmp_path / "inbox.db")) as connection:
        assert str(connection.execute("SELECT * FROM inbox").fetchall()).count("a secret") == 1  # that of Slack


async def test_two_processes_share_one_file(tmp_path):
    here = await SqlInbox.open(tmp_path / "inbox.db")
    there = await SqlInbox.open(tmp_path / "inbox.db")
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
from storage.inbox import LONGEST_LEASE, LONGEST_PAUSE, SqlInbox
from storage.schema import INBOX
from tests.contracts.inbox import message
async def main():
    inbox = await SqlInbox.open(Path(sys.argv[1]))
    for n in range(20):
        await inbox.add(message(f"e{n}", f"T{n}"))
    os.kill(os.getpid(), signal.SIGKILL)
asyncio.run(main())
"""
    path = tmp_path / "inbox.db"
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", script, str(path)], cwd=root, check=False)
    assert done.returncode == -9
    inbox = await SqlInbox.open(path)
    assert (await inbox.counts())["todo"] == 20
    await inbox.close()


async def test_a_file_that_is_no_database_is_refused_by_name_and_left_alone(tmp_path):
    path = tmp_path / "inbox.db"
    path.write_bytes(b"this is not a database" * 100)
    with pytest.raises(CorruptError, match=r"inbox\.db"):
        await SqlInbox.open(path)
    assert path.read_bytes() == b"this is not a database" * 100


async def test_a_newer_schema_is_refused(tmp_path):
    path = tmp_path / "inbox.db"
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version=99")
    connection.close()
    with pytest.raises(StorageError, match="newer Weft"):
        await SqlInbox.open(path)


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


@pytest.fixture
def monotonic():
    return Time()


@pytest.fixture
def wall():
    return Time()


@pytest.fixture
async def moved(tmp_path, wall, monotonic):
    """An inbox whose two clocks are in our hands."""
    database = await Database.open(tmp_path / "inbox.db", INBOX, durable=True)
    yield SqlInbox(database, now=wall, clock=monotonic)
    await database.close()


YEAR = 365 * 86_400.0


async def test_a_claim_made_before_the_clock_was_set_back_comes_free(moved, wall, monotonic, caplog):
    await moved.add(message("e1"))
    await moved.claim("killed", lease=30.0, platforms=["slack"])
    wall.at -= YEAR
    assert await moved.claim("w", lease=30.0, platforms=["slack"]) is None  # its owner may be alive
    monotonic.at += 31.0
    row = await moved.claim("w", lease=30.0, platforms=["slack"])
    assert row is not None and row.lease_until == wall.at + 30.0
    assert "clock was set back" in caplog.text
    assert await moved.finish(row)


async def test_a_claim_that_is_renewed_is_kept_when_the_clock_is_set_back(moved, wall, monotonic):
    await moved.add(message("e1"))
    row = await moved.claim("alive", lease=30.0, platforms=["slack"])
    wall.at -= YEAR
    for _ in range(5):
        assert await moved.claim("w", lease=30.0, platforms=["slack"]) is None
        monotonic.at += 10.0
        wall.at += 10.0
        assert await moved.renew(row, lease=30.0)
    assert await moved.finish(row)


@pytest.mark.parametrize("back", [YEAR, 1800.0])
async def test_a_message_that_was_to_wait_does_not_wait_for_a_clock_that_was_set_back(moved, wall, back):
    await moved.add(message("e1"))
    row = await moved.claim("w", lease=30.0, platforms=["slack"])
    await moved.release(row, error="", retry_in=60.0)
    assert await moved.claim("w", lease=30.0, platforms=["slack"]) is None
    wall.at -= back
    assert await moved.claim("w", lease=30.0, platforms=["slack"]) is not None


async def test_no_wait_is_so_long_that_it_is_taken_for_a_clock_set_back(moved, wall):
    await moved.add(message("e1"))
    row = await moved.claim("w", lease=30.0, platforms=["slack"])
    await moved.release(row, error="", retry_in=YEAR)
    assert await moved.claim("w", lease=30.0, platforms=["slack"]) is None
    wall.at += LONGEST_PAUSE
    assert await moved.claim("w", lease=30.0, platforms=["slack"]) is not None


def test_no_lease_that_can_be_set_is_taken_for_a_clock_set_back():
    with pytest.raises(ValueError):
        Settings(lease_seconds=LONGEST_LEASE + 1)
    assert Settings(lease_seconds=LONGEST_LEASE).lease_seconds == LONGEST_LEASE


async def test_a_message_of_which_a_byte_is_damaged_holds_up_nobody(tmp_path, caplog):
    inbox = await SqlInbox.open(tmp_path / "inbox.db")
    for number in range(2):
        await inbox.add(message(f"e{number}", f"T{number}"))
    harm = "UPDATE inbox SET payload=CAST(x'7b22ec22' AS TEXT) WHERE event_id='e0'"
    await inbox._database.write(lambda c: c.execute(harm).close())
    row = await inbox.claim("w", lease=30.0, platforms=["slack"])
    assert row.message.event_id == "e1" and (await inbox.counts())["dead"] == 1
    assert "cannot be read" in caplog.text
    await inbox.close()


async def test_a_thread_with_a_thousand_messages_is_worked_off_in_order_and_no_other_thread_waits_for_it(tmp_path):
    inbox = SqlInbox(await Database.open(tmp_path / "inbox.db", INBOX))
    queued = [message(f"m{number}") for number in range(1_000)]
    await inbox._database.write(lambda c: [arrive(c, each, 1.0) for each in queued])

    async def claimed():
        return await inbox.claim("w", lease=30.0, platforms=["slack"])

    first = await claimed()
    assert await claimed() is None
    await inbox.add(message("x", "T9"))
    assert (await claimed()).message.message_id == "x"
    order = [first.message.message_id]
    await inbox.finish(first)
    while (row := await claimed()) is not None:
        order.append(row.message.message_id)
        await inbox.finish(row)
    assert order == [each.message_id for each in queued]
    await inbox.close()


async def test_a_message_that_cannot_be_read_holds_up_nobody(tmp_path, caplog):
    inbox = await SqlInbox.open(tmp_path / "inbox.db")
    await inbox.add(message("e1", text="a secret"))
    await inbox.add(message("e2"))
    connection = sqlite3.connect(tmp_path / "inbox.db")
    connection.execute("UPDATE inbox SET payload=substr(payload, 1, 40) WHERE event_id='e1'")
    connection.commit()
    connection.close()
    row = await inbox.claim("w", lease=30.0, platforms=["slack"])
    assert row is not None and row.message.event_id == "e2"
    assert (await inbox.counts())["dead"] == 1
    assert "cannot be read" in caplog.text and "secret" not in caplog.text
    assert not await inbox.lines(row.message)
    await inbox.close()


_WAITS = "SELECT 1 FROM pg_stat_activity WHERE datname=current_database() AND wait_event_type='Lock'"


async def test_a_line_whose_question_is_claimed_meanwhile_is_a_question_of_its_own(postgres_database):
    clock = Time()
    inbox = SqlInbox(postgres_database, now=clock)
    await inbox.add(message("e1", text="who is on call"), burst=2.0)
    async with another(postgres_database) as other:
        with other.moment() as claiming:
            claiming.execute("UPDATE inbox SET status='doing', owner='w', lease_until=9e9 WHERE event_id='e1'")
            adding = asyncio.create_task(inbox.add(message("e2", text="and where"), burst=2.0))
            async with asyncio.timeout(60):
                while not await asyncio.to_thread(rows, postgres_database, _WAITS):
                    await asyncio.sleep(0.01)
            claiming.execute("COMMIT")
        assert await adding
    sql = "SELECT event_id, status, head FROM inbox ORDER BY id"
    assert rows(postgres_database, sql) == [("e1", "doing", ""), ("e2", "todo", "")]
