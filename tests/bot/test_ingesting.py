"""`weft ingest` as people run it: killed, stopped, two at once, on a full disk; and what it says of itself."""

import asyncio
import json
import os
import re
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner

from bot.cli import main
from bot.process_lock import ingesting, workspace
from bot.progress_bar import Progress, line, shown
from storage.ingest.report import IngestProgress
from tests.servers.web import WebServer, text

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def clean(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in list(os.environ):
        if name.startswith(("WEFT_", "SLACK_", "DISCORD_", "OPENAI_")):
            monkeypatch.delenv(name)


@pytest.fixture(scope="module")
def used(tmp_path_factory):
    """A data folder with the sample documents in it, made once."""
    folder = tmp_path_factory.mktemp("used")
    (folder / "first.md").write_text("# First\n\nA first document.\n")
    result = CliRunner().invoke(main, ["ingest", str(folder / "first.md"), "--data", str(folder / "data")])
    assert result.exit_code == 0, result.output
    return folder / "data"


@pytest.fixture
def data(used, tmp_path):
    return shutil.copytree(used, tmp_path / "data")


def weft(*args, data):
    return CliRunner().invoke(main, ["ingest", *map(str, args), "--data", str(data)])


@pytest.fixture
def started():
    """Start the command in a process group of its own; `limit`: no file may grow beyond so many bytes."""
    processes: list[subprocess.Popen[str]] = []
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # what a shell has in the background ignores it

    def start(*args, data, limit: int = 0) -> subprocess.Popen[str]:
        def bounded() -> None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

        processes.append(
            subprocess.Popen(
                [sys.executable, "-P", "-m", "bot.cli", "ingest", *map(str, args), "--data", str(data)],
                env={**os.environ, "PYTHONPATH": str(ROOT)},
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                start_new_session=True,
                preexec_fn=bounded if limit else None,
            )
        )
        return processes[-1]

    yield start
    for process in processes:
        if process.poll() is None:
            process.kill()
            process.communicate()
    signal.signal(signal.SIGINT, before)


def stored(data, collection="documents") -> dict[str, str]:
    """Return the documents of a collection with their hashes, each of them whole."""
    with sqlite3.connect(data / "weft.db") as connection:
        sql = """SELECT d.document_id, d.content_hash, count(p.id), d.characters, sum(length(p.text))
        FROM documents d JOIN collections c ON c.id=d.collection LEFT JOIN passages p ON p.document=d.id
        WHERE c.name=? GROUP BY d.id"""
        rows = connection.execute(sql, (collection,)).fetchall()
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        orphans = "SELECT count(*) FROM passages WHERE document NOT IN (SELECT id FROM documents)"
        assert connection.execute(orphans).fetchone() == (0,)
    connection.close()
    for document_id, _, passages, characters, length in rows:
        assert passages > 0 and characters == length, document_id
    return {row[0]: row[1] for row in rows}


def many(path: Path, count: int, start: int = 0) -> Path:
    lines = (
        {"id": f"n{n}", "text": f"Entry {n}: the tram to stop {n % 97} leaves at {n % 24}."}
        for n in range(start, start + count)
    )
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


@contextmanager
def held(data, process, count: int = 1_000) -> Iterator[None]:
    """Wait until so many documents are there, and let no other be stored while the body runs."""
    connection = sqlite3.connect(data / "weft.db", timeout=60, isolation_level=None)
    while True:
        connection.execute("BEGIN IMMEDIATE")
        if connection.execute("SELECT count(*) FROM documents").fetchone()[0] >= count:
            break
        connection.execute("ROLLBACK")
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    yield
    connection.execute("ROLLBACK")
    connection.close()


def until_alone(process) -> None:
    """Wait until no process of the group is left."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        try:
            os.killpg(process.pid, 0)
        except ProcessLookupError:
            return
        time.sleep(0.01)
    raise AssertionError("a reader process is left behind")


def one_line(stderr: str) -> str:
    assert "Traceback" not in stderr
    (only,) = stderr.strip().splitlines()
    return only


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_run_that_is_stopped_says_what_it_stored_and_the_next_goes_on(data, tmp_path, started, number, code):
    path = many(tmp_path / "many.jsonl", 20_000)
    before = len(stored(data))
    process = started(path, data=data)
    with held(data, process):
        process.send_signal(number)
    out, err = process.communicate(timeout=240)
    assert (process.returncode, out) == (code, "")
    said = re.fullmatch(
        r"weft: stopped: (\d+) documents were stored; the same command goes on from there", one_line(err)
    )
    assert said and int(said[1]) == len(stored(data)) - before
    assert 0 < int(said[1]) < 20_000
    until_alone(process)


def test_a_run_that_is_killed_leaves_whole_documents_and_no_processes(data, tmp_path, started):
    path = many(tmp_path / "many.jsonl", 4_000)
    process = started(path, data=data)
    with held(data, process):
        process.kill()
    process.communicate(timeout=240)
    until_alone(process)
    left = stored(data)
    assert 1_000 <= len(left) < 4_000
    report = json.loads(weft(path, "--json", data=data).stdout)
    assert (report["added"], report["unchanged"]) == (4_001 - len(left), len(left) - 1)
    assert len(stored(data)) == 4_001


def test_a_full_disk_is_one_line_and_what_was_stored_is_whole(data, tmp_path, started):
    path = many(tmp_path / "many.jsonl", 5_000)
    before = stored(data)
    room = (data / "weft.db").stat().st_size + 1_200_000
    process = started(path, data=data, limit=room)
    out, err = process.communicate(timeout=240)
    assert (process.returncode, out) == (2, "")
    assert "weft.db" in one_line(err) and "full" in err
    said = re.search(r"(\d+) documents were stored; the same command goes on from there", err)
    after = stored(data)
    assert said and int(said[1]) == len(after) - len(before) > 0
    assert before.items() <= after.items() and len(after) < 5_001
    assert weft(path, data=data).exit_code == 0
    assert len(stored(data)) == 5_001


@pytest.mark.parametrize("collections", [("one", "one"), ("one", "two")])
def test_two_at_once_store_what_one_after_the_other_would(data, tmp_path, started, collections):
    first, second = many(tmp_path / "a.jsonl", 600), many(tmp_path / "b.jsonl", 600, start=400)
    processes = [
        started(path, "--collection", collection, "--json", data=data)
        for path, collection in zip((first, second), collections, strict=True)
    ]
    reports = [json.loads(process.communicate(timeout=240)[0]) for process in processes]
    assert [process.returncode for process in processes] == [0, 0]
    assert sum(report["added"] for report in reports) == 1_200
    # Where both share a collection, the ids that both files have are told apart by whoever came second.
    assert len(stored(data, "one")) == (1_200 if collections == ("one", "one") else 600)
    for path, collection in zip((first, second), collections, strict=True):
        report = json.loads(weft(path, "--collection", collection, "--json", data=data).stdout)
        assert (report["added"], report["updated"], report["unchanged"]) == (0, 0, 600)


async def test_who_waits_for_another_ingest_says_so_and_can_be_stopped(tmp_path):
    told = asyncio.Event()
    async with ingesting(tmp_path, "docs"):

        async def second():
            async with ingesting(tmp_path, "docs", waiting=told.set):
                raise AssertionError("two are in")

        waiting = asyncio.create_task(second())
        await told.wait()
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        async with ingesting(tmp_path, "other"):
            pass
    async with ingesting(tmp_path, "docs"):
        pass


def test_a_database_that_another_program_holds_is_one_line(data, tmp_path, monkeypatch):
    monkeypatch.setattr("storage.database.BUSY_SECONDS", 0.1)
    path = many(tmp_path / "many.jsonl", 10)
    other = sqlite3.connect(data / "weft.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    result = weft(path, data=data)
    other.execute("ROLLBACK")
    other.close()
    assert result.exit_code == 2
    assert "is locked (another program holds the database)" in one_line(result.stderr)
    assert weft(path, data=data).exit_code == 0


@pytest.mark.parametrize("folder", ["/proc", "/dev/null/data"])
def test_a_data_folder_that_takes_nothing_is_one_line(folder, tmp_path):
    result = weft(many(tmp_path / "many.jsonl", 1), data=folder)
    assert result.exit_code == 2
    assert "cannot be used" in one_line(result.stderr)


def test_names_of_any_bytes_are_reported_without_steering_the_terminal(data, tmp_path):
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / os.fsdecode(b"caf\xe9.md")).write_text("# Coffee\n\nIt is hot.\n")
    (docs / "\x1b[2Jred.pdf").write_text("no pdf")
    result = weft(docs, data=data)
    assert result.exit_code == 1
    assert "1 added" in result.stdout
    assert "\x1b" not in result.stderr and "?[2Jred.pdf" in result.stderr
    report = json.loads(weft(docs, "--json", data=data).stdout)
    assert [Path(each["path"]).name for each in report["refused"]] == ["\x1b[2Jred.pdf"]
    assert "docs/caf\\xe9.md" in stored(data)


def test_a_missing_path_is_told_by_its_name(data, tmp_path):
    result = weft(tmp_path / "nowhere", data=data)
    assert result.exit_code == 2
    assert "nowhere" in one_line(result.stderr)


def test_many_tiny_files_and_hundreds_of_bad_ones_make_a_short_report(data, tmp_path):
    docs = tmp_path / "docs"
    for number in range(600):
        folder = docs / str(number % 10)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{number}.md").write_text(f"# Note {number}\n\nText.\n" if number % 2 else "")
        (folder / f"{number}.{('png', 'xyz', 'gif')[number % 3]}").write_text("x")
    result = weft(docs, data=data)
    assert result.exit_code == 1
    assert "300 added" in result.stdout
    lines = result.stderr.splitlines()
    assert len(lines) < 40
    assert lines[0] == "skipped 600: 200 .png, 200 .xyz, 200 .gif"
    assert sum(line.startswith("refused /") for line in lines) == 20
    assert lines[-2:] == ["refused 280 more (all of them with --json):", "  280 × it is empty"]
    report = json.loads(weft(docs, "--json", data=data).stdout)
    assert (report["unchanged"], len(report["refused"]), len(report["skipped"])) == (300, 300, 600)
    assert report.keys() == {
        *("added", "updated", "unchanged", "refused", "passages", "seconds"),
        *("removed", "skipped", "emptied"),
    }


def test_a_folder_that_lost_its_last_file_is_told_with_what_is_kept_of_it(data, tmp_path):
    docs, other = tmp_path / "docs", tmp_path / "other"
    for folder in (docs, other):
        folder.mkdir()
    (docs / "gate.md").write_text("# Gate\n\nThe gate closes at nine.\n")
    (other / "lift.md").write_text("# Lift\n\nThe lift is out of order.\n")
    assert weft(docs, other, data=data).stderr == ""
    (docs / "gate.md").rename(docs / "gate.png")
    result = weft(docs, other, data=data)
    assert result.exit_code == 0 and "0 removed" in result.stdout
    assert result.stderr.splitlines()[-1] == (
        f"no file is found in {docs} any more: 1 document of it is kept, as it may not be mounted; "
        "`weft documents remove ID --collection documents` removes for good"
    )
    assert json.loads(weft(docs, other, "--json", data=data).stdout)["emptied"] == {str(docs): 1}
    gone = CliRunner().invoke(main, ["documents", "remove", "docs/gate.md", "--data", str(data)])
    assert gone.exit_code == 0 and "no file is found" not in weft(docs, other, data=data).stderr


async def test_urls_are_fetched_where_the_settings_allow_it(data, tmp_path, monkeypatch):
    async with WebServer() as server:
        server.pages["/a"] = text("<h1>Tram</h1><p>It leaves at nine.", "text/html")
        server.pages["/huge"] = text("x" * 5_000)
        paths = [server.url("/a"), server.url("/huge"), "http://me:pw@127.0.0.1/"]
        result = await asyncio.to_thread(lambda: weft(*paths, data=data))
        assert result.exit_code == 1 and "WEFT_FETCH_PRIVATE" in result.stderr and "pw" not in result.stderr
        assert server.requests == []

        monkeypatch.setenv("WEFT_FETCH_PRIVATE", "true")
        monkeypatch.setenv("WEFT_FETCH_BYTES", "4000")
        (data / "passing-left").mkdir()
        result = await asyncio.to_thread(lambda: weft(*paths, "--json", data=data))
        report = json.loads(result.stdout)
        assert (result.exit_code, report["added"]) == (1, 1)
        assert [each["path"] for each in report["refused"]] == ["http://127.0.0.1/", server.url("/huge")]
        assert "4,000 bytes" in report["refused"][1]["reason"]
        assert server.url("/a") in stored(data)
        assert list(data.glob("passing-*")) == []


def test_a_workspace_of_a_living_process_is_left_alone(tmp_path):
    with workspace(tmp_path) as one:
        (one / "file").write_text("x")
        with workspace(tmp_path) as two:
            assert one != two and (one / "file").exists()
        assert not two.exists()
    assert not one.exists()


def told(**changes) -> IngestProgress:
    given = {
        "files_done": 3,
        "files_total": 1_234,
        "bytes_done": 10,
        "bytes_total": 1_000,
        "documents": 9,
        "passages": 5_000,
        "seconds": 10.0,
        "refused": 2,
        "current": "/docs/" + "long" * 20 + "\x1b.pdf",
    }
    return IngestProgress(**{**given, **changes})


def test_progress_is_a_line():
    assert line(told()) == (
        "3 of 1,234 files, 5,000 passages, 500/s, about 16:30 left, 2 refused, "
        "at …nglonglonglonglonglonglonglonglonglong?.pdf"
    )
    assert line(told(bytes_done=0, refused=0, current="", seconds=0.0)) == "3 of 1,234 files, 5,000 passages, 0/s"
    assert "left" not in line(told(unfetched=1))
    assert "about 2:00:00 left" in line(told(bytes_done=1, bytes_total=2, seconds=7_200.0))


async def test_lines_come_where_there_is_no_terminal(capsys):
    progress = Progress()
    err: Sequence[str] = ()
    async with shown(progress, quiet=False, pace=0.001):
        progress(told())
        while not err:
            await asyncio.sleep(0.001)
            err = capsys.readouterr().err.splitlines()
    assert err[0] == line(told())
    async with shown(progress, quiet=True, pace=0.001):
        await asyncio.sleep(0.01)
    assert capsys.readouterr().err == ""


async def test_a_bar_shows_the_file_at_work_on_a_terminal(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "160")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    progress = Progress()
    async with shown(progress, quiet=True):
        progress(told(current="/docs/[bold]a.pdf"))
    err = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", capsys.readouterr().err)
    assert "/docs/[bold]a.pdf" in err
    assert "3 of 1,234 files, 5,000 passages, 500/s, 16:30 left, 2 refused" in err


def test_a_file_of_pictures_fails_no_cron_job(data, tmp_path):
    import docx

    docx.Document().save(tmp_path / "scan.docx")
    for _ in range(2):
        result = weft(tmp_path / "scan.docx", data=data)
        assert result.exit_code == 0 and f"warning {tmp_path / 'scan.docx'}: it has no text" in result.output
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.7 nothing")
    assert weft(tmp_path / "scan.docx", tmp_path / "broken.pdf", data=data).exit_code == 1


def test_a_link_out_of_the_folder_is_named_and_read_only_when_told(data, tmp_path):
    docs = tmp_path / "docs"
    docs.mkdir()
    (tmp_path / "private.md").write_text("# Private\n\nA private word.")
    (docs / "own.md").write_text("# Own\n\nAn own word.")
    (docs / "link.md").symlink_to(tmp_path / "private.md")
    result = weft(docs, data=data)
    assert "1 added" in result.output and "link.md (a link out of the folder" in result.output
    assert "1 added" in weft(docs, "--follow-links", data=data).output
