"""The command line, as checks and people use it: objects, exit codes, one-line errors."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from bot.cli import main
from bot.process_lock import held

ROOT = Path(__file__).parents[2]

KEYS = set(
    """thread_id turn_id pack mode language intent route standalone_query slots expansion plan answer response_type
    structured_data citations excluded_blocks search_strategy grounding grade quality confidence retry_count
    iteration_count keyword_freq keyword_block_counts failed_teams files web_search_performed warnings errors status
    timings total_ms""".split()
)


@pytest.fixture
def weft(tmp_path, sampled, monkeypatch):
    """Run a command on a data folder of its own, as a first start leaves it; returns its result."""
    monkeypatch.chdir(tmp_path)
    for name in list(os.environ):
        if name.startswith(("WEFT_", "SLACK_", "DISCORD_", "OPENAI_")):
            monkeypatch.delenv(name)

    def run(*args: str, data: bool = True, stdin: str | None = None):
        return CliRunner().invoke(main, [*args, *(["--data", str(sampled)] if data else [])], input=stdin)

    return run


@pytest.fixture
def folder(tmp_path):
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "leave.md").write_text(
        "# Leave\n\n## Annual leave\n\nFull-time staff of Orchard Ltd get 26 days of annual leave a year. "
        "Unused days lapse on 31 March.\n\n## Sick leave\n\nA doctor's note is needed from the fourth day of illness.\n"
    )
    (docs / "vpn.md").write_text(
        "# VPN\n\n## Windows\n\nInstall OrchardConnect from the software centre and sign in with your badge number.\n\n"
        "## macOS\n\nInstall OrchardConnect from the App Store and sign in with your badge number.\n"
    )
    (docs / "출장.md").write_text("# 출장\n\n## 식비\n\n국내 출장의 식비는 하루 45,000원까지 지급합니다.\n")
    return docs


def one_line(result) -> str:
    assert "Traceback" not in result.output
    lines = result.stderr.strip().splitlines()
    assert len(lines) == 1, result.stderr
    return lines[0]


def test_ingest_then_ask_gives_a_cited_verbatim_answer(weft, folder):
    report = json.loads(weft("ingest", str(folder), "--json").stdout)
    assert {"added", "updated", "unchanged", "refused", "passages", "seconds"} <= report.keys()
    assert (report["added"], report["refused"]) == (3, [])
    result = weft("ask", "How many days of annual leave do full-time staff get?", "--json")
    assert result.exit_code == 0, result.output
    answer = json.loads(result.stdout)
    assert answer.keys() >= KEYS
    assert "26 days" in answer["answer"] and answer["status"] == "completed" and answer["route"] == "research"
    for citation in answer["citations"]:
        assert citation["quote"] in (folder.parent / citation["document_id"]).read_text()
        assert f"[{citation['n']}]" in answer["answer"]
    again = json.loads(weft("ingest", str(folder), "--json").stdout)
    assert (again["added"], again["unchanged"]) == (0, 3)


def test_a_korean_question_is_answered_in_korean(weft, folder):
    weft("ingest", str(folder))
    answer = json.loads(weft("ask", "출장 식비는 하루에 얼마까지 나와요?", "--json").stdout)
    assert answer["language"] == "ko" and "45,000원" in answer["answer"]


def test_a_follow_up_in_a_thread_stands_alone(weft, folder):
    weft("ingest", str(folder))
    weft("ask", "How do I set up the VPN on macOS?", "--thread", "T", "--json")
    answer = json.loads(weft("ask", "and how do I do that on Windows?", "--thread", "T", "--json").stdout)
    assert answer["route"] == "contextualize"
    assert "vpn" in answer["standalone_query"].lower() and "windows" in answer["standalone_query"].lower()
    assert "software centre" in answer["answer"]


def test_what_the_documents_do_not_say_is_not_invented(weft, folder):
    weft("ingest", str(folder))
    answer = json.loads(weft("ask", "Who won the 1998 football world cup final?", "--json").stdout)
    assert answer["citations"] == [] and answer["status"] == "completed" and "1998" not in answer["answer"]


def test_the_sample_answers_until_there_are_own_documents(weft, folder):
    sample = json.loads(weft("ask", "How do I report a lost laptop?", "--json").stdout)
    assert sample["citations"]
    weft("ingest", str(folder))
    own = json.loads(weft("ask", "How do I report a lost laptop?", "--json").stdout)
    assert own["citations"] == []


def test_events_come_one_a_line_and_end_with_the_response(weft, folder):
    weft("ingest", str(folder))
    lines = [json.loads(line) for line in weft("ask", "annual leave days", "--events").stdout.splitlines()]
    names = [line["event"] for line in lines]
    assert (
        names[:2] == ["phase_began", "plan_ready"]
        and names[-1] == "final_response"
        and names.count("final_response") == 1
    )
    assert names.count("todo_updated") >= 2 and lines[-1]["response"].keys() >= KEYS
    empty = [json.loads(line) for line in weft("ask", "", "--events").stdout.splitlines()]
    assert [line["event"] for line in empty] == ["final_response"]


def test_a_batch_keeps_threads_apart_and_takes_given_answers(weft, folder, tmp_path):
    weft("ingest", str(folder))
    batch = tmp_path / "batch.jsonl"
    lines = [
        {"id": "1", "thread": "A", "text": "How do I set up the VPN on macOS?"},
        {"id": "x", "thread": "A", "assistant": "From the App Store."},
        {"id": "2", "thread": "B", "text": "How long is sick leave without a doctor's note?"},
        {"id": "3", "thread": "A", "text": "and on Windows?"},
    ]
    batch.write_text("\n".join(json.dumps(line) for line in lines))
    result = weft("ask", "--batch", str(batch), "--json")
    out = [json.loads(line) for line in result.stdout.splitlines()]
    assert [line["id"] for line in out] == ["1", "2", "3"]
    assert "vpn" in out[2]["standalone_query"].lower()


def test_a_line_of_a_batch_may_say_who_asks_it_and_where(weft, folder, tmp_path):
    weft("ingest", str(folder))
    batch = tmp_path / "batch.jsonl"

    def asked(*lines: dict) -> list[dict]:
        batch.write_text("\n".join(json.dumps(line) for line in lines))
        return [json.loads(line) for line in weft("ask", "--batch", str(batch), "--json").stdout.splitlines()]

    text = "How do I set up the VPN on macOS?"
    ann, also_ann, bo, nobody = asked(
        {"text": text, "thread": "A", "as": "ann"}, {"text": "and on Windows?", "thread": "A", "as": "ann"},
        {"text": "and on Windows?", "thread": "A", "as": "bo"}, {"text": text, "thread": None, "as": None},
    )  # fmt: skip
    assert ann["thread_id"] == also_ann["thread_id"] != bo["thread_id"] and nobody["status"] == "completed"
    assert "vpn" in also_ann["standalone_query"].lower() and "vpn" not in bo["standalone_query"].lower()
    first, second = asked(
        {"text": text, "thread": "B", "as": "ann", "channel": "hall"},
        {"text": "and on Windows?", "thread": "B", "as": "bo", "channel": "hall"},
    )
    assert first["thread_id"] == second["thread_id"]
    batch.write_text(json.dumps({"text": text, "as": "#general"}))
    refused = weft("ask", "--batch", str(batch))
    assert refused.exit_code == 2 and "batch.jsonl:1" in refused.stderr and "#general" in refused.stderr


def test_the_terminal_shows_the_list_the_answer_and_its_sources(weft, folder):
    weft("ingest", str(folder))
    shown = weft("ask", "annual leave days of full-time staff?").stdout
    assert "✓ Search the documents" in shown and "26 days" in shown and "[1]" in shown and "Sources" in shown


def test_search_prints_hits_and_batches(weft, folder):
    weft("ingest", str(folder))
    found = json.loads(weft("search", "annual leave", "--json", "--k", "2").stdout)
    hit = found["hits"][0]
    assert hit.keys() == {"rank", "score", "document_id", "passage_id", "title", "section", "page", "source", "text"}
    assert hit["rank"] == 1 and hit["document_id"] == "docs/leave.md" and found["query"] == "annual leave"
    out = weft(
        "search", "--batch", "-", "--json", stdin='{"id": "q1", "query": "vpn"}\n{"id": "q2", "query": "식비"}\n'
    )
    assert [json.loads(line)["id"] for line in out.stdout.splitlines()] == ["q1", "q2"]


def test_documents_are_listed_shown_and_removed(weft, folder):
    weft("ingest", str(folder))
    assert "docs/vpn.md" in weft("documents", "list").stdout
    assert "OrchardConnect" in weft("documents", "show", "docs/vpn.md").stdout
    assert weft("documents", "remove", "docs/vpn.md").exit_code == 0
    assert "docs/vpn.md" not in weft("documents", "list", "--collection", "documents").stdout
    assert "no document" in one_line(weft("documents", "remove", "docs/vpn.md"))
    weft("ingest", str(folder))
    assert "docs/vpn.md" in weft("documents", "list").stdout  # it can be brought back


def test_a_broken_file_is_named_and_the_others_stay(weft, folder):
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7 nonsense")
    result = weft("ingest", str(folder), "--json")
    report = json.loads(result.stdout)
    assert result.exit_code == 1 and report["added"] == 3
    assert [Path(r["path"]).name for r in report["refused"]] == ["broken.pdf"] and report["refused"][0]["reason"]


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("ask", "hello", "--pack", "nope"), "no pack named 'nope'"),
        (("ask", "hello", "--pack", "./nowhere"), "pack.yaml"),
        (("ingest", "nowhere"), "nowhere"),
        (("ask",), "either a question or --batch"),
        (("ask", "--batch", "nowhere.jsonl"), "nowhere.jsonl"),
        (("search",), "either a query or --batch"),
        (("packs", "check", "nope"), "no pack named"),
    ],
)
def test_wrong_usage_is_one_line_and_exit_code_2(weft, args, words):
    result = weft(*args, data=args[0] != "packs")
    assert result.exit_code == 2 and words in one_line(result)


def test_a_data_folder_that_cannot_be_used(weft, tmp_path):
    (tmp_path / "other").write_text("a file")
    result = weft("ask", "hello", "--data", str(tmp_path / "other"), data=False)
    assert result.exit_code == 2 and "--data" in one_line(result)


def test_a_corrupt_database_is_named_and_left_alone(weft, tmp_path):
    (tmp_path / "data" / "weft.db").write_bytes(b"nonsense" * 1000)
    result = weft("ask", "hello")
    assert result.exit_code == 2 and "weft.db" in one_line(result)
    assert (tmp_path / "data" / "weft.db").read_bytes() == b"nonsense" * 1000


@pytest.mark.parametrize(("text", "words"), [("", "empty"), ("   ", "empty"), ("x" * 100_000, "100000 characters")])
def test_a_question_that_cannot_be_taken(weft, text, words):
    result = weft("ask", text, "--json")
    answer = json.loads(result.stdout)
    assert result.exit_code == 1 and answer["status"] == "failed" and words in answer["answer"]


def test_mode_llm_without_a_model_says_what_to_set(weft):
    answer = json.loads(weft("ask", "hello", "--mode", "llm", "--json").stdout)
    assert answer["status"] == "failed" and "OPENAI_API_KEY" in answer["answer"]


def test_a_second_serve_on_the_folder_and_a_port_in_use(weft, tmp_path):
    with held(tmp_path / "data" / "clock.lock", what="weft serve"):
        result = weft("serve", "--port", "0")
        assert result.exit_code == 2 and "already running" in one_line(result)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        result = weft("serve", "--port", str(taken.getsockname()[1]))
        assert result.exit_code == 2 and "choose another" in one_line(result)


def test_a_playground_for_others_needs_a_token(weft):
    result = weft("serve", "--host", "0.0.0.0", "--port", "0")
    assert result.exit_code == 2 and "WEFT_TOKEN" in one_line(result)


@pytest.mark.parametrize(
    ("environment", "words"),
    [
        ({"SLACK_BOT_TOKEN": "xoxb-1"}, "SLACK_APP_TOKEN"),
        ({"SLACK_APP_TOKEN": "xapp-1"}, "SLACK_BOT_TOKEN"),
        ({"WEFT_PORT": "many"}, "WEFT_PORT: must be a whole number"),
    ],
)
def test_half_a_setting_is_told(weft, monkeypatch, environment, words):
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    result = weft("serve", "--port", "0") if "WEFT_PORT" not in environment else weft("serve")
    assert result.exit_code == 2 and words in one_line(result)


@pytest.fixture(scope="module")
def cold_start(tmp_path_factory) -> tuple[set[str], int]:
    """Ask in a process that starts as it is; returns what it loaded, and how often it looked for garbage meanwhile."""
    script = f"""
import gc, sys
from bot.cli import main
before = gc.get_stats()[0]["collections"]
try:
    main(["ask", "hello", "--json", "--data", {str(tmp_path_factory.mktemp("cold") / "d")!r}])
except SystemExit:
    pass
print(gc.get_stats()[0]["collections"] - before, *sys.modules, file=sys.stderr)
"""
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True,
        env={k: v for k, v in os.environ.items() if not k.startswith(("OPENAI_", "WEFT_"))},
    )  # fmt: skip
    collections, *loaded = done.stderr.splitlines()[-1].split()
    return set(loaded), int(collections)


def test_asking_loads_no_platform_and_no_model(cold_start):
    """Cold start counts: what a console question does not use is not imported."""
    loaded, _ = cold_start
    assert "bot.app" in loaded
    assert not loaded & {
        "discord", "slack_bolt", "openai", "faiss", "uvicorn", "starlette", "apscheduler", "docx", "pypdfium2", "bs4",
    }  # fmt: skip


def test_what_a_command_loads_is_not_looked_through_for_garbage_while_it_loads(cold_start):
    _, collections = cold_start
    assert collections < 30


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('{"text": null}', "text must be a text"),
        ('{"text": ["a"]}', "text must be a text"),
        ("not json", "not JSON"),
        ('{"id": 1}', 'needs an object with "text"'),
    ],
)
def test_a_wrong_batch_line_is_told_before_anything_is_asked(weft, folder, tmp_path, line, words):
    batch = tmp_path / "batch.jsonl"
    batch.write_text('{"id": "1", "text": "annual leave"}\n' + line)
    result = weft("ask", "--batch", str(batch), "--json")
    assert result.exit_code == 2 and words in one_line(result) and ":2" in one_line(result) and not result.stdout


def test_batch_lines_without_a_thread_stand_alone_and_ids_come_back_unchanged(weft, folder, tmp_path):
    weft("ingest", str(folder))
    batch = tmp_path / "batch.jsonl"
    batch.write_text('{"id": 5, "thread": null, "text": "annual leave days"}\n' * 2)
    out = [json.loads(line) for line in weft("ask", "--batch", str(batch), "--json").stdout.splitlines()]
    assert [line["id"] for line in out] == [5, 5] and out[0]["thread_id"] != out[1]["thread_id"]


def test_a_file_that_is_gone_is_no_longer_answered_from(weft, folder):
    weft("ingest", str(folder))
    (folder / "leave.md").rename(folder / "time-off.md")
    report = json.loads(weft("ingest", str(folder), "--json").stdout)
    assert (report["added"], report["removed"]) == (1, 1)
    answer = json.loads(weft("ask", "How many days of annual leave do full-time staff get?", "--json").stdout)
    assert {c["document_id"] for c in answer["citations"]} == {"docs/time-off.md"}


def test_a_folder_that_is_empty_all_at_once_removes_nothing(weft, folder):
    weft("ingest", str(folder))
    for file in folder.iterdir():
        file.unlink()
    assert json.loads(weft("ingest", str(folder), "--json").stdout)["removed"] == 0
    assert "docs/leave.md" in weft("documents", "list").stdout


def test_a_document_whose_place_was_taken_is_read_again_when_it_comes_back(weft, tmp_path):
    first, second = tmp_path / "C" / "docs", tmp_path / "D" / "docs"
    for place, text in ((first, "Apples are red."), (second, "Bananas are yellow.")):
        place.mkdir(parents=True)
        (place / "x.md").write_text(text)
    weft("ingest", str(first))
    first.rename(tmp_path / "away")
    weft("ingest", str(second))
    (tmp_path / "away").rename(first)
    weft("ingest", str(first))
    for word in ("apples", "bananas"):
        assert json.loads(weft("search", word, "--json").stdout)["hits"], word


def test_two_ingests_at_once_store_the_documents_of_both(weft, tmp_path):
    for name, text in (("A", "apples"), ("B", "bananas")):
        place = tmp_path / name / "docs"
        place.mkdir(parents=True)
        for n in range(10):
            (place / f"f{n}.md").write_text(f"{text} number {n}")
    command = [sys.executable, "-m", "bot.cli", "ingest", "--data", str(tmp_path / "data")]
    running = [subprocess.Popen([*command, str(tmp_path / name / "docs")], cwd=ROOT) for name in ("A", "B")]
    assert [process.wait(60) for process in running] == [0, 0]
    stored = weft("documents", "list", "--collection", "documents").stdout.splitlines()
    assert len(stored) == 20


def test_the_samples_collection_takes_no_documents(weft, folder):
    result = weft("ingest", str(folder), "--collection", "handbook")
    assert result.exit_code == 2 and "--collection" in one_line(result)


def test_own_documents_take_the_samples_words_away(weft, folder):
    assert "parental" in json.loads(weft("ask", "hi", "--json").stdout)["answer"].lower()
    weft("ingest", str(folder))
    own = json.loads(weft("ask", "hi", "--json").stdout)["answer"].lower()
    assert "handbook" not in own and "parental" not in own


def test_reindex_without_an_embedding_model_makes_the_index_of_words_and_says_what_to_set(weft):
    result = weft("reindex")
    assert result.exit_code == 0 and "WEFT_EMBEDDING_MODEL" in result.stdout


@pytest.mark.parametrize("hosts", ["weft.example, other.example", '["weft.example","other.example"]'])
def test_hosts_are_given_with_commas(monkeypatch, tmp_path, hosts):
    from bot.settings import Settings

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WEFT_ALLOWED_HOSTS", hosts)
    assert Settings.load().allowed_hosts == ("weft.example", "other.example")


def test_a_log_line_ends_with_what_finds_its_turn():
    import logging

    from bot.processes.logs import Lines

    record = logging.LogRecord("bot", logging.ERROR, "", 0, "A turn failed.", None, None)
    record.turn_id, record.action = "t1", "turn_failed"
    assert Lines("%(message)s").format(record) == "A turn failed. [action=turn_failed turn_id=t1]"
    assert Lines("%(message)s").format(logging.LogRecord("b", 20, "", 0, "Plain.", None, None)) == "Plain."


def test_a_long_procedure_is_answered_with_all_of_its_steps(weft, folder):
    steps = "\n".join(
        f"{n}. Carry bucket number {n} to the gate and write the time on the sheet." for n in range(1, 31)
    )
    (folder / "feeding.md").write_text(f"# Animal care\n\n## Feeding the zebra\n\nFeed it like this:\n\n{steps}\n")
    weft("ingest", str(folder))
    answer = json.loads(weft("ask", "How do I feed the zebra step by step?", "--json").stdout)["answer"]
    assert [f"{n}. Carry bucket number {n} " in answer for n in range(1, 31)] == [True] * 30
