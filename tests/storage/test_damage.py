"""A damaged database is refused by name, with what repairs it, and no thread of it keeps the process from ending."""

import logging
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest
from langgraph.checkpoint.base import empty_checkpoint

from agent.errors import CorruptError
from storage import damage, examination
from storage.board import BoardStore
from storage.checkpoints import SqliteCheckpoints
from storage.database import Database
from storage.inbox import SqlInbox
from storage.profiles import SqlProfiles
from storage.schema import INBOX, WEFT
from tests.fakes import incoming


@pytest.fixture(autouse=True)
def _nobody_creates(monkeypatch):
    monkeypatch.setattr(damage, "CREATING", 0.0)


class Documents:
    @staticmethod
    async def open(path: Path) -> Database:
        return await Database.open(path, WEFT)


STORES = {
    "weft.db": Documents,
    "inbox.db": SqlInbox,
    "people.db": SqlProfiles,
    "checkpoints.db": SqliteCheckpoints,
    "board.db": BoardStore,
}


def flipped(content: bytes, place: int) -> bytes:
    return content[:place] + bytes([content[place] ^ 0x80]) + content[place + 1 :]


DAMAGES = {
    "magic": lambda content: flipped(content, 7),
    "a word of the schema": lambda content: flipped(content, content.find(b"CREATE TABLE") + 2),
    "a name of the schema": lambda content: flipped(content, content.find(b"CREATE TABLE") + 15),
    "cut": lambda content: content[: len(content) // 2],
    "a page short": lambda content: content[:-4096],
    "foreign": lambda content: b"%PDF-1.7\n" + bytes(range(256)) * 40,
}


@pytest.mark.parametrize("harm", DAMAGES)
@pytest.mark.parametrize("name", STORES)
async def test_damage_is_refused_by_name_and_leaves_no_thread(tmp_path, name, harm):
    path = tmp_path / name
    await (await STORES[name].open(path)).close()
    path.write_bytes(DAMAGES[harm](path.read_bytes()))
    before = set(threading.enumerate())
    with pytest.raises(CorruptError, match=f"{name} is damaged.*`mv .*{name}.damaged`"):
        await STORES[name].open(path)
    with pytest.raises(CorruptError, match=name):
        examination.schema_of(path)
    for thread in set(threading.enumerate()) - before:
        if thread.name.startswith("asyncio_"):  # of the loop, which ends it
            continue
        thread.join(timeout=30)
        assert not thread.is_alive()


async def test_what_the_graph_finds_damaged_in_its_checkpoints_names_the_file(tmp_path):
    path = tmp_path / "checkpoints.db"
    checkpoints = await SqliteCheckpoints.open(path)
    try:
        for table in ("writes", "checkpoints", "used"):
            await checkpoints.database.read(lambda c, table=table: c.execute(f"DROP TABLE {table}").close())
        config = {"configurable": {"thread_id": "t", "checkpoint_ns": "", "checkpoint_id": "1"}}
        for broken in (
            checkpoints.prune("t"),
            checkpoints.idle(since=0.0),
            checkpoints.forget("t"),
            checkpoints.readable("t", version=1),
            checkpoints.saver.aput(config, empty_checkpoint(), {}, {}),
            checkpoints.saver.aput_writes(config, [("a", 1)], "task"),
        ):
            with pytest.raises(CorruptError, match=r"checkpoints.db is damaged .*no such table.*`mv "):
                await broken
    finally:
        await checkpoints.close()


async def test_a_database_of_another_kind_is_refused(tmp_path):
    await (await SqlInbox.open(tmp_path / "weft.db")).close()
    with pytest.raises(CorruptError, match=r"weft.db is damaged \(it has no "):
        await Database.open(tmp_path / "weft.db", WEFT[: len(INBOX)])
    with pytest.raises(CorruptError, match=r"weft.db is damaged \(it has no "):
        examination.schema_of(tmp_path / "weft.db", WEFT)


async def test_no_documents_beside_other_files_is_damage_and_no_fresh_start(tmp_path):
    (tmp_path / "weft.db").touch()
    await (await Database.open(tmp_path / "weft.db", WEFT)).close()  # alone it was left by a start that was killed
    await (await SqlInbox.open(tmp_path / "inbox.db")).close()
    (tmp_path / "weft.db").write_bytes(b"")
    with pytest.raises(CorruptError, match=r"weft.db is damaged \(it is empty, but inbox.db is not\)"):
        await Database.open(tmp_path / "weft.db", WEFT)
    with pytest.raises(CorruptError, match="it is empty"):
        examination.schema_of(tmp_path / "weft.db", WEFT)


async def test_any_other_empty_file_begins_anew_with_a_warning(tmp_path, caplog):
    await (await Database.open(tmp_path / "weft.db", WEFT)).close()
    (tmp_path / "people.db").touch()
    with caplog.at_level(logging.WARNING):
        await (await SqlProfiles.open(tmp_path / "people.db")).close()
    assert "people.db is empty, and begins anew" in caplog.text


async def test_a_file_written_by_a_process_that_was_killed_is_whole(tmp_path):
    """What is in the log beside the file counts: the file itself may be shorter than its header tells."""
    path = tmp_path / "inbox.db"
    inbox = await SqlInbox.open(path)
    for number in range(50):
        await inbox.add(incoming(message_id=f"m{number}", text="x" * 500))
    copy = tmp_path / "copy"
    copy.mkdir()
    for side in ("", "-wal"):
        (copy / f"inbox.db{side}").write_bytes((tmp_path / f"inbox.db{side}").read_bytes())
    await inbox.close()
    again = await SqlInbox.open(copy / "inbox.db")
    assert (await again.counts())["todo"] == 50
    await again.close()


async def test_a_text_of_which_a_byte_is_damaged_is_read_without_it(tmp_path):
    path = tmp_path / "inbox.db"
    inbox = await SqlInbox.open(path)
    await inbox.add(incoming(text="our secret plan"))
    with closing(sqlite3.connect(path)) as other:
        other.execute("UPDATE inbox SET error=CAST(x'61ff62' AS TEXT)")
        other.commit()
    database = await Database.open(path, INBOX)
    assert await database.read(lambda c: c.execute("SELECT error FROM inbox").fetchone()) == ("a\ufffdb",)
    await database.close()
    await inbox.close()


def test_what_is_stored_is_never_quoted(tmp_path):
    """As the connections say it that look into a file without opening it as Weft does."""
    path = tmp_path / "inbox.db"
    with closing(sqlite3.connect(path)) as connection, pytest.raises(sqlite3.OperationalError) as raised:
        connection.execute("SELECT CAST(CAST(' secret ' AS BLOB) || x'ff' AS TEXT)").fetchone()
    assert "secret" in str(raised.value)
    told = damage.translated(path, raised.value)
    assert isinstance(told, CorruptError) and "a text in it is none" in str(told) and "secret" not in str(told)


def test_advice_can_be_pasted(tmp_path):
    assert "mv 'a b/weft.db' 'a b/weft.db.damaged'" in damage.advice(Path("a b/weft.db"))
    assert "rm x/embeddings.db" in damage.advice(Path("x/embeddings.db"))
