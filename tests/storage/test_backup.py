"""A backup is of one moment, also while others write, and comes back whole or not at all."""

import asyncio
import io
import json
import os
import sqlite3
import tarfile
import threading
from contextlib import closing

import pytest
from click.testing import CliRunner

from agent.errors import CorruptError, StorageError, UsageError
from bot.app import open_engine
from bot.cli import main
from bot.operator.asking import Asker, Console
from bot.process_lock import held
from bot.settings import Settings
from storage.backup import MANIFEST, backup, restore

GUIDE = "# Parental leave\n\nParental leave is 16 weeks, fully paid.\n"


@pytest.fixture
def data(tmp_path, sampled):
    (tmp_path / "guide.md").write_text(GUIDE, encoding="utf-8")
    result = CliRunner().invoke(main, ["ingest", str(tmp_path / "guide.md"), "--data", str(sampled)])
    assert result.exit_code == 0, result.output
    (sampled / "files" / "t1").mkdir(parents=True)
    (sampled / "files" / "t1" / "plan.docx").write_bytes(b"plan")
    return sampled


async def answered(folder, question: str, thread: str = "t") -> str:
    async with open_engine(Settings.load(data=folder)) as engine:
        return (await Console(engine, quiet=True).ask(Asker().message(question, thread))).answer


@pytest.mark.parametrize("name", ["all.tar", "all.tar.gz"])
async def test_what_was_backed_up_while_it_was_open_answers_elsewhere(tmp_path, data, name):
    async with open_engine(Settings.load(data=data)) as engine:
        first = await Console(engine, quiet=True).ask(Asker().message("How long is parental leave?", "t"))
        await asyncio.to_thread(backup, data, tmp_path / name)
    assert "16 weeks" in first.answer
    assert (tmp_path / name).stat().st_mode & 0o077 == 0
    restore(tmp_path / name, tmp_path / "elsewhere")
    assert (tmp_path / "elsewhere" / "files" / "t1" / "plan.docx").read_bytes() == b"plan"
    assert "16 weeks" in await answered(tmp_path / "elsewhere", "How long is parental leave?")
    with closing(sqlite3.connect(tmp_path / "elsewhere" / "inbox.db")) as inbox:
        assert inbox.execute("SELECT count(*) FROM inbox").fetchone() == (2,)


def test_all_databases_are_of_one_moment(tmp_path):
    """A writer writes a number into one database and then into the other: the second is never ahead of the first."""
    data, stop = tmp_path / "data", threading.Event()
    data.mkdir()
    for name in ("inbox.db", "weft.db"):
        with closing(sqlite3.connect(data / name)) as made:
            made.execute("PRAGMA journal_mode=WAL")
            made.execute("CREATE TABLE n(n INTEGER)")
            made.execute("INSERT INTO n VALUES (0)")
            made.commit()

    def write() -> None:
        number = 0
        with (
            closing(sqlite3.connect(data / "inbox.db", timeout=60)) as one,
            closing(sqlite3.connect(data / "weft.db", timeout=60)) as other,
        ):
            while not stop.is_set():
                number += 1
                for connection in (one, other):
                    connection.execute("UPDATE n SET n=?", (number,))
                    connection.commit()

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for turn in range(20):
            backup(data, tmp_path / f"{turn}.tar")
    finally:
        stop.set()
        writer.join()
    for turn in range(20):
        restore(tmp_path / f"{turn}.tar", tmp_path / f"restored{turn}")
        found = []
        for name in ("inbox.db", "weft.db"):
            with closing(sqlite3.connect(tmp_path / f"restored{turn}" / name)) as read:
                found += read.execute("SELECT n FROM n").fetchone()
        assert found[0] - found[1] in (0, 1), found


def test_a_folder_with_data_is_not_written_over(tmp_path, data):
    backup(data, tmp_path / "all.tar")
    before = {path: path.read_bytes() for path in data.rglob("*") if path.is_file()}
    with pytest.raises(UsageError, match="holds data already"):
        restore(tmp_path / "all.tar", data)
    assert {path: path.read_bytes() for path in data.rglob("*") if path.is_file()} == before


def test_a_folder_that_a_process_serves_is_refused_with_its_number_whatever_is_in_it(tmp_path, data):
    backup(data, tmp_path / "all.tar")
    served = tmp_path / "served"
    served.mkdir()
    with held(served / "clock.lock", what="weft serve"):
        result = CliRunner().invoke(main, ["restore", str(tmp_path / "all.tar"), "--data", str(served)])
        assert (
            result.exit_code == 2 and f"already running on {served} (process {os.getpid()}): stop it" in result.output
        )
        assert [each.name for each in served.iterdir()] == ["clock.lock"]
    assert CliRunner().invoke(main, ["restore", str(tmp_path / "all.tar"), "--data", str(served)]).exit_code == 0


def test_an_empty_folder_and_a_place_that_takes_no_file_are_told(tmp_path, data):
    with pytest.raises(UsageError, match="holds no data"):
        backup(tmp_path / "nothing", tmp_path / "all.tar")
    with pytest.raises(StorageError, match="cannot be written"):
        backup(data, tmp_path / "no" / "folder" / "all.tar")


def rewritten(source, target, change) -> None:
    with tarfile.open(source) as before, tarfile.open(target, "w") as after:
        for entry in before:
            for name, content in change(entry.name, before.extractfile(entry).read()):
                info = tarfile.TarInfo(name)
                info.size = len(content)
                after.addfile(info, io.BytesIO(content))


@pytest.mark.parametrize("how", ["flipped", "lacking", "extra", "escaping", "cut", "foreign", "later"])
def test_what_is_no_whole_backup_leaves_nothing_behind(tmp_path, data, how):
    backup(data, tmp_path / "all.tar")

    def change(name, content):
        if how == "flipped" and name == "weft.db":
            content = content[:-1] + bytes([content[-1] ^ 1])
        if how == "later" and name == MANIFEST:
            content = json.dumps({**json.loads(content), "format": 99}).encode()
        if how == "escaping" and name == MANIFEST:
            listed = json.loads(content)
            content = json.dumps({**listed, "files": {**listed["files"], "../evil": "0"}}).encode()
        if not (how == "lacking" and name == "weft.db"):
            yield name, content
        if name == MANIFEST and how in ("extra", "escaping"):
            yield {"extra": "evil", "escaping": "../evil"}[how], b"evil"

    bad = tmp_path / "bad.tar"
    rewritten(tmp_path / "all.tar", bad, change)
    if how == "cut":
        bad.write_bytes(bad.read_bytes()[:9_000])
    if how == "foreign":
        bad.write_bytes(b"%PDF-1.7")
    with pytest.raises(CorruptError, match=r"bad\.tar is no whole backup") as caught:
        restore(bad, tmp_path / "new")
    assert "\n" not in str(caught.value) and ("it is no tar archive" in str(caught.value)) == (how == "foreign")
    assert not (tmp_path / "new").exists() and not (tmp_path / "evil").exists()


def test_the_commands_tell_what_they_did(tmp_path, data):
    made = CliRunner().invoke(main, ["backup", str(tmp_path / "b.tgz"), "--data", str(data)])
    assert made.exit_code == 0 and "b.tgz" in made.output
    back = CliRunner().invoke(main, ["restore", str(tmp_path / "b.tgz"), "--data", str(tmp_path / "new")])
    assert back.exit_code == 0 and "new" in back.output
    again = CliRunner().invoke(main, ["restore", str(tmp_path / "b.tgz"), "--data", str(tmp_path / "new")])
    assert again.exit_code == 2 and "holds data already" in again.output
