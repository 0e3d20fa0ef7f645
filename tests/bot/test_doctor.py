"""`weft doctor`: what it finds, that it finds nothing where nothing is wrong, and that it leaves no trace."""

import asyncio
import json
import os
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from bot.app import open_engine
from bot.cli import main
from bot.process_lock import held
from bot.settings import Settings
from storage.installations import FILE as INSTALLATIONS
from storage.installations import SqlInstallations
from tests.servers.openai import Hang, OpenAIServer, Raw, Said, refusal

PACK = "{name: rules, title: {en: Rules, ko: 규정}, description: {en: The rules., ko: 규정입니다.}}"
SECRET = "sk-very-secret-0123456789"


@pytest.fixture
async def server():
    async with OpenAIServer(key=SECRET) as running:
        running.answer({"ok": True})
        yield running


@pytest.fixture
def data(tmp_path, monkeypatch) -> Path:
    """Give an environment that says nothing but where things are."""
    monkeypatch.chdir(tmp_path)
    for name in list(os.environ):
        if name.startswith(("WEFT_", "SLACK_", "DISCORD_", "OPENAI_", "TAVILY_")) or name == "TZ":
            monkeypatch.delenv(name)
    (tmp_path / "pack").mkdir()
    (tmp_path / "pack" / "pack.yaml").write_text(PACK)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "guide.md").write_text("# Widget\n\nThe default colour of the widget is teal.\n")
    monkeypatch.setenv("WEFT_PACK", str(tmp_path / "pack"))
    monkeypatch.setenv("WEFT_DATA", str(tmp_path / "data"))
    return tmp_path / "data"


@pytest.fixture
def embedding(monkeypatch, server):
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    monkeypatch.setenv("WEFT_MODEL", "test-model")
    monkeypatch.setenv("WEFT_EMBEDDING_MODEL", "first")
    return monkeypatch


async def weft(*args: str):
    """Run a command in a thread of its own, while the server of this one answers."""
    return await asyncio.to_thread(CliRunner().invoke, main, list(args))


async def filled(data: Path, *, reindex: bool = True) -> None:
    assert (await weft("ingest", str(data.parent / "docs"))).exit_code == 0
    if reindex:
        assert (await weft("reindex")).exit_code == 0


async def diagnose(code: int = 0) -> dict[str, dict[str, str]]:
    """Run `weft doctor --json`; returns the checks by name."""
    result = await weft("doctor", "--json")
    assert result.exit_code == code, result.output
    assert result.stderr == "" and SECRET not in result.output
    found = json.loads(result.stdout)
    assert found["ok"] is (code == 0)
    assert all(check["advice"] for check in found["checks"] if check["status"] != "ok")
    assert any(check["status"] == "problem" for check in found["checks"]) is (code == 1)
    return {check["name"]: check for check in found["checks"]}


def flip(path: Path, place: int) -> None:
    content = bytearray(path.read_bytes())
    content[place] ^= 1
    path.write_bytes(content)


def traces(folder: Path) -> dict[str, tuple[int, int]]:
    return {path.name: (path.stat().st_size, path.stat().st_mtime_ns) for path in folder.iterdir()}


@pytest.mark.parametrize("exists", [False, True])
async def test_nothing_is_made_where_nothing_is(data, exists):
    if exists:
        data.mkdir(mode=0o700)
    before = sorted(path.name for path in data.parent.rglob("*"))
    checks = await diagnose()
    assert sorted(path.name for path in data.parent.rglob("*")) == before
    assert checks["data folder"]["status"] == ("ok" if exists else "warning")
    assert checks["pack"]["detail"] == "rules: Rules"
    for name in ("model", "embedding", "web search", "Slack", "Discord"):
        assert checks[name]["status"] == "ok"


async def test_a_folder_in_order_is_said_to_be_and_stays_as_it_is(data, embedding):
    await filled(data)
    before = traces(data)
    checks = await diagnose()
    assert traces(data) == before
    assert {check["status"] for check in checks.values()} == {"ok"}
    assert "1 passages" in checks["documents"]["detail"]
    assert (
        "checksum holds" in checks["word index"]["detail"] and "0 added and 0 removed" in checks["word index"]["detail"]
    )
    assert checks["vectors"]["detail"] == "1 of first, checksum holds"
    assert "test-model (WEFT_MODEL) at 127.0.0.1" in checks["model"]["detail"]
    assert "32 dimensions" in checks["embedding"]["detail"]
    assert "weft.db" in checks and "embeddings.db" in checks and "does not run" in checks["processes"]["detail"]


async def test_it_reads_for_people_too(data):
    await filled(data)
    (data / "people.db").write_bytes(b"nonsense" * 1000)
    result = await weft("doctor")
    assert result.exit_code == 1 and "Traceback" not in result.output
    lines = result.stdout.splitlines()
    (place,) = [n for n, line in enumerate(lines) if line.startswith("problem  people.db")]
    assert "→ restore it from a backup" in lines[place + 1]
    assert lines[-1] == "1 problem, 0 warnings"


async def test_it_works_beside_a_running_weft(data, embedding):
    await filled(data)
    async with open_engine(Settings.load()) as engine:
        with held(data / "clock.lock", what="test"):
            await engine.library.remove("docs/guide.md")
            checks = await diagnose()
            assert f"running (process {os.getpid()})" in checks["processes"]["detail"]
            assert checks["documents"]["detail"] == "none yet"
        assert "does not run" in (await diagnose())["processes"]["detail"]


async def test_a_damaged_database_is_a_problem_and_no_stack_trace(data, embedding):
    await filled(data)
    with closing(sqlite3.connect(data / "board.db")) as connection:
        connection.execute("CREATE TABLE a(b)")
    for name in ("weft.db", "inbox.db", "people.db", "checkpoints.db", "board.db", "embeddings.db"):
        path = data / name
        content = path.read_bytes()
        for damaged in (b"nonsense" * 1000, content[:4096] + b"\xff" * (len(content) - 4096)):
            path.write_bytes(damaged)
            checks = await diagnose(1)
            assert str(path) in checks[name]["detail"]
            assert [check["name"] for check in checks.values() if check["status"] == "problem"] == [name]
        path.write_bytes(content)
    await diagnose()


async def test_damaged_installations_are_told_too(data):
    await filled(data)
    store = await SqlInstallations.open(data / INSTALLATIONS)
    await store.put("", "T1", "{}")
    await store.close()
    await diagnose()
    path = data / INSTALLATIONS
    path.write_bytes(path.read_bytes()[:5_000])
    check = (await diagnose(1))[INSTALLATIONS]
    assert str(path) in check["detail"] and "installed again" in check["advice"]


async def test_a_database_of_a_newer_weft_is_a_problem_and_of_an_older_one_is_not(data):
    await filled(data)
    for version, code in ((99, 1), (1, 0)):
        with closing(sqlite3.connect(data / "weft.db")) as connection:
            connection.execute(f"PRAGMA user_version={version}")
        checks = await diagnose(code)
        assert ("newer Weft" if code else "next start") in checks["weft.db"]["detail"]
        assert "documents" not in checks


async def test_a_flipped_byte_of_an_index_asks_for_reindex(data, embedding):
    await filled(data)
    (data.parent / "docs" / "second.md").write_text("# Second\n\nAnother page.\n")
    await filled(data, reindex=False)
    for name, check in (("lexical.idx", "word index"), ("vectors.faiss", "vectors"), ("vectors.faiss.log", "vectors")):
        for where in (30, 100, -100):
            flip(data / name, where)
            checks = await diagnose(1)
            assert checks[check]["status"] == "problem" and name in checks[check]["detail"]
            assert "weft reindex" in checks[check]["advice"]
            flip(data / name, where)
    await diagnose()


async def test_vectors_that_are_missing_are_counted(data, embedding, server):
    server.key = "another"
    assert (await weft("ingest", str(data.parent / "docs"))).exit_code == 0
    server.key = SECRET
    assert "none of 1 passages" in (await diagnose())["vectors"]["detail"]
    await filled(data)
    server.key = "another"
    (data.parent / "docs" / "second.md").write_text("# Second\n\nAnother page.\n")
    await filled(data, reindex=False)
    server.key = SECRET
    checks = await diagnose()
    assert checks["vectors"]["status"] == "warning" and "1 of 2 passages have none" in checks["vectors"]["detail"]
    assert "1 added" in checks["word index"]["detail"]


async def test_vectors_of_another_embedding_are_a_problem_and_without_one_are_idle(data, embedding):
    await filled(data)
    embedding.setenv("WEFT_EMBEDDING_MODEL", "second")
    checks = await diagnose(1)
    assert "'first'" in checks["vectors"]["detail"] and "'second'" in checks["vectors"]["detail"]
    assert "weft reindex" in checks["vectors"]["advice"]
    embedding.delenv("WEFT_EMBEDDING_MODEL")
    assert (await diagnose())["vectors"]["status"] == "warning"


async def test_a_wrong_key_is_told_and_not_shown(data, embedding, server):
    server.key = "another"
    embedding.setenv("OPENAI_BASE_URL", server.url.replace("http://", f"http://user:{SECRET}@"))
    checks = await diagnose(1)
    assert "OPENAI_API_KEY" in checks["model"]["advice"]
    assert checks["embedding"]["status"] == "problem" and "401" in checks["embedding"]["detail"]


async def test_an_endpoint_that_is_away_is_told(data, embedding):
    embedding.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    checks = await diagnose(1)
    assert checks["model"]["status"] == checks["embedding"]["status"] == "problem"
    assert "127.0.0.1:9" in checks["model"]["detail"]


@pytest.mark.parametrize(
    ("answer", "status", "words"),
    [
        (Raw(status=404), "ok", "answers, asks for JSON by schema"),
        (Raw(status=500), "ok", "answers, asks for JSON by schema"),
        (Raw(body=b"<html>"), "ok", "answers, asks for JSON by schema"),
        (Raw(body=b"{}"), "ok", "answers, asks for JSON by schema"),
        (Raw(body=b'{"data": [{"id": "other", "object": "model"}]}'), "warning", "does not list test-model"),
    ],
)
async def test_what_lists_of_models_tell(data, embedding, server, answer, status, words):
    server.models = answer
    checks = await diagnose(int(status == "problem"))
    assert checks["model"]["status"] == status and words in checks["model"]["detail"]


@pytest.mark.parametrize(
    ("formats", "words"),
    [
        ({"json_schema"}, "by schema"),
        ({"json_object"}, "by JSON mode"),
        (set(), "by prompt"),
    ],
)
async def test_how_a_model_is_asked_for_json_is_told(data, embedding, server, formats, words):
    server.formats = formats
    assert (await diagnose())["model"]["detail"].endswith(f"answers, asks for JSON {words}")


async def test_every_model_that_may_be_asked_is_asked_once_and_all_at_the_same_time(data, embedding, server):
    pack = PACK.rstrip("}") + "}, models: {small: pack-small}}"
    (data.parent / "pack" / "pack.yaml").write_text(pack)
    (data.parent / "weft.toml").write_text(
        'small_model = "never-asked"\n'
        '[channel_models."slack:T1:C1"]\nlarge = "special"\n'
        '[channel_models."slack:T1:C2"]\nlarge = "special"\nsmall = "pack-small"\ntemperature = 0.9\n'
        '[channel_models."slack:T1:C3"]\ntemperature = 0.5\n'
    )
    names = {"test-model", "pack-small", "special"}
    server.models = Raw(body=json.dumps({"data": [{"id": name} for name in names]}).encode())
    together = asyncio.Barrier(3)

    async def meet(_):
        async with asyncio.timeout(120):
            await together.wait()

    server.before_chat = meet
    checks = await diagnose()
    assert sorted(request.body["model"] for request in server.chats) == sorted(names)
    assert all(request.body["max_tokens"] <= 200 for request in server.chats)
    assert "test-model (WEFT_MODEL)" in checks["model"]["detail"]
    assert 'weft.toml [channel_models."slack:T1:C1"]' in checks["model special"]["detail"]
    assert 'weft.toml [channel_models."slack:T1:C2"]' in checks["model special"]["detail"]
    detail = checks["model pack-small"]["detail"]
    assert 'pack-small (pack.yaml, weft.toml [channel_models."slack:T1:C2"])' in detail
    assert {checks[f"model{name}"]["status"] for name in ("", " special", " pack-small")} == {"ok"}


async def test_a_model_that_is_unknown_is_named_with_where_it_is_set(data, embedding, server):
    embedding.setenv("WEFT_SMALL_MODEL", "tinny")
    server.refuses = lambda request: refusal(404, "no such model") if request.body["model"] == "tinny" else None
    checks = await diagnose(1)
    assert checks["model"]["status"] == "ok" and checks["model tinny"]["status"] == "problem"
    assert "tinny (WEFT_SMALL_MODEL) at 127.0.0.1" in checks["model tinny"]["detail"]
    assert "404" in checks["model tinny"]["detail"] and "does not list tinny" in checks["model tinny"]["detail"]
    assert "does not know the model" in checks["model tinny"]["advice"]
    assert "no such model" not in str(checks)


async def test_an_address_without_its_path_is_told(data, embedding, server):
    embedding.setenv("OPENAI_BASE_URL", server.url.removesuffix("/v1"))
    embedding.delenv("WEFT_EMBEDDING_MODEL")
    check = (await diagnose(1))["model"]
    assert "404" in check["detail"] and "/v1" in check["advice"]


async def test_the_model_that_an_endpoint_serves_is_asked_where_none_is_named(data, embedding, server):
    embedding.delenv("WEFT_MODEL")
    result = await weft("doctor", "--json")
    (check,) = [each for each in json.loads(result.stdout)["checks"] if each["name"] == "model"]
    assert check["status"] == "ok" and "test-model (the endpoint's own" in check["detail"]
    assert {request.body["model"] for request in server.chats} == {"test-model"}


async def test_what_is_wrong_with_all_models_is_told_once(data, embedding, server):
    embedding.setenv("WEFT_SMALL_MODEL", "little")
    server.key = "another"
    checks = await diagnose(1)
    assert [name for name in checks if name.startswith("model")] == ["model"]
    assert "test-model (WEFT_MODEL), little (WEFT_SMALL_MODEL) at 127.0.0.1" in checks["model"]["detail"]


@pytest.mark.parametrize(
    ("answer", "code", "words", "advice"),
    [
        (Raw(body=b"<html>secret page</html>", content_type="text/html"), 1, "no chat completion", "OPENAI_BASE_URL"),
        (Raw(status=500, body=b"secret"), 1, "status 500", "look at the endpoint"),
        (refusal(403, "secret"), 1, "status 403", "OPENAI_API_KEY"),
        (Said(text="A secret."), 0, "no JSON object", "another model"),
        (Said(text="{", finish="length"), 0, "length limit", "another model"),
        (Said(text=None, refusal="secret"), 0, "refused", "another model"),
    ],
)
async def test_what_a_model_answers_is_judged_and_not_shown(data, embedding, server, answer, code, words, advice):
    server.answer(answer)
    check = (await diagnose(code))["model"]
    assert check["status"] == ("problem" if code else "warning")
    assert words in check["detail"] and advice in check["advice"] and "secret" not in str(check)


async def test_a_model_that_is_silent_is_told_after_a_moment(data, embedding, server, monkeypatch):
    (data.parent / "pack" / "pack.yaml").write_text(f"{PACK[:-1]}, limits: {{deadline_seconds: 0.5}}}}")
    server.answer(Hang())
    check = (await diagnose(1))["model"]
    assert "did not answer in time" in check["detail"] and "it hangs, or is far too slow" in check["advice"]


@pytest.mark.parametrize(
    ("deadline", "timeout", "takes", "detail", "advice"),
    [
        (120, "", 0.05, "as of a model that had to be loaded", ""),
        (120, "", 20.0, "slow, not broken: a few words took", "if people should not wait so long"),
        (
            120,
            "",
            60.0,
            "reads, answers and checks takes some 180 s",
            "limits.deadline_seconds of the pack (120 s) to 190;",
        ),
        (120, "", 200.0, "takes some 600 s", "(120 s) to 210 or more; the offline rules answer until then"),
        (600, "15", 60.0, "takes some 180 s", "raise WEFT_MODEL_TIMEOUT to 120 or leave it unset"),
        (120, "", None, "a prompt of usual length more than the 120 s of a turn", "use a smaller model"),
    ],
)
async def test_a_slow_model_is_told_from_a_broken_one(
    data, embedding, server, monkeypatch, deadline, timeout, takes, detail, advice
):
    async def usual(*_: object) -> float | None:
        return takes

    monkeypatch.setattr("bot.doctor.models.SECONDS", 0.0)
    monkeypatch.setattr("bot.doctor.models._usual", usual)
    monkeypatch.setattr("bot.doctor.models.listed", none_listed)
    if timeout:
        embedding.setenv("WEFT_MODEL_TIMEOUT", timeout)
    (data.parent / "pack" / "pack.yaml").write_text(f"{PACK[:-1]}, limits: {{deadline_seconds: {deadline}}}}}")
    check = (await diagnose())["model"]
    assert detail in check["detail"] and advice in check["advice"]
    assert check["status"] == ("warning" if advice else "ok")


async def none_listed(*_: object) -> list[str]:
    return []


async def test_a_slow_model_is_asked_something_of_usual_length(data, embedding, server, monkeypatch):
    monkeypatch.setattr("bot.doctor.models.SECONDS", 0.0)
    monkeypatch.setattr("bot.doctor.models.listed", none_listed)
    assert "had to be loaded" in (await diagnose())["model"]["detail"]
    short, usual = (len(request.text) for request in server.chats)
    assert usual > 20 * short and SECRET not in server.chats[-1].text


async def test_the_models_of_a_pack_that_is_wrong_are_left_out(data, embedding, server):
    (data.parent / "pack" / "pack.yaml").write_text("name: rules\ntitel: x\n")
    checks = await diagnose(1)
    assert checks["pack"]["status"] == "problem" and checks["model"]["status"] == "ok"


async def test_what_the_doctor_asks_is_stored_nowhere(data, embedding, server):
    await filled(data)
    await diagnose()
    with closing(sqlite3.connect(data / "weft.db")) as connection:
        roles = connection.execute("SELECT role, COUNT(*) FROM usage GROUP BY role").fetchall()
        assert roles == [("embedding", 1)]  # of the ingest
        assert connection.execute("SELECT COUNT(*) FROM dialects").fetchone() == (0,)


async def test_an_embedding_that_cannot_be_had_is_a_problem(data, monkeypatch):
    await filled(data)
    monkeypatch.setenv("WEFT_EMBEDDING_MODEL", "first")
    assert "no endpoint" in (await diagnose(1))["embedding"]["detail"]
    monkeypatch.setenv("WEFT_EMBEDDING_MODEL", str(data / "nowhere"))
    checks = await diagnose(1)
    assert "not a folder" in checks["embedding"]["detail"]


@pytest.mark.parametrize(
    ("given", "check", "words"),
    [
        ({"SLACK_BOT_TOKEN": "xoxp-1-secret", "SLACK_APP_TOKEN": "xapp-1"}, "Slack", "SLACK_BOT_TOKEN does not begin"),
        ({"SLACK_BOT_TOKEN": "xoxb-1-secret", "SLACK_APP_TOKEN": "xoxb-secret"}, "Slack", "SLACK_APP_TOKEN does not"),
        ({"SLACK_BOT_TOKEN": "xoxb-1-secret", "SLACK_SIGNING_SECRET": "secret"}, "Slack", "32 hexadecimal"),
        ({"SLACK_BOT_TOKEN": "xoxb-1-secret"}, "Slack", "one of them is needed"),
        ({"SLACK_APP_TOKEN": "xapp-1-secret"}, "Slack", "SLACK_BOT_TOKEN is missing"),
        ({"SLACK_BOT_TOKEN": "xoxb-1 secret", "SLACK_APP_TOKEN": "xapp-1"}, "Slack", "SLACK_BOT_TOKEN does not begin"),
        ({"DISCORD_TOKEN": "Bot secret"}, "Discord", "three parts"),
    ],
)
async def test_tokens_that_are_plainly_wrong_are_told_and_not_shown(data, monkeypatch, given, check, words):
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    found = (await diagnose(1))[check]
    assert words in found["detail"] and "secret" not in json.dumps(found)


async def test_files_that_are_gone_and_documents_without_passages_are_named(data):
    (data.parent / "docs" / "\x1b[31mred.md").write_text("# Red\n\nA page.\n")
    await filled(data)
    for path in (data.parent / "docs").iterdir():
        path.unlink()
    with closing(sqlite3.connect(data / "weft.db")) as connection:
        connection.execute("DELETE FROM passages WHERE text LIKE '%teal%'")
        connection.commit()
    checks = await diagnose()
    assert checks["source files"]["status"] == "warning" and "2 are gone" in checks["source files"]["detail"]
    assert "guide.md" in checks["source files"]["detail"]
    assert checks["empty documents"]["detail"].startswith("1 without a passage: ")
    assert "\x1b[31m" not in (await weft("doctor")).output


async def test_messages_that_wait_or_were_given_up_are_counted(data):
    await filled(data)
    values = [("a", "todo", time.time() - 7200), ("b", "dead", time.time() - 9000), ("c", "done", 0.0)]
    sql = "INSERT INTO inbox(event_id, platform, thread, payload, status, created) VALUES(?,'slack','t','{}',?,?)"
    with closing(sqlite3.connect(data / "inbox.db")) as connection:
        connection.executemany(sql, values[1:])
        connection.commit()
        found = (await diagnose())["inbox"]
        assert found["status"] == "warning" and "0 waiting, 0 in work, 1 given up" in found["detail"]
        connection.executemany(sql, values[:1])
        connection.commit()
    found = (await diagnose())["inbox"]
    assert found["status"] == "warning" and "1 waiting" in found["detail"] and "2 hours" in found["detail"]


async def test_answers_that_had_no_place_and_those_that_wait_for_a_platform_are_told(data):
    await filled(data)
    columns = "event_id, platform, thread, payload, status, created, error"
    sql = f"INSERT INTO inbox({columns}) VALUES(?,'slack','t','{{}}',?,?,?)"
    with closing(sqlite3.connect(data / "inbox.db")) as connection:
        connection.execute(sql, ("a", "todo", time.time(), "TokenError"))
        connection.execute(sql, ("b", "done", time.time() - 90_000, "closed:rights"))
        connection.commit()
        found = (await diagnose())["inbox"]
        assert found["status"] == "warning" and "1 wait because their platform is away" in found["detail"]
        connection.execute(sql, ("c", "done", time.time(), "closed:not_member"))
        connection.commit()
    found = (await diagnose())["inbox"]
    assert found["status"] == "warning" and "1 in a day might not be posted" in found["detail"]
    assert "place_closed" in found["advice"]


async def test_a_pack_that_is_wrong_is_a_problem(data):
    (data.parent / "pack" / "pack.yaml").write_text("name: rules\ntitel: x\n")
    checks = await diagnose(1)
    assert "pack.yaml" in checks["pack"]["detail"]


async def test_a_zone_that_is_not_there_is_told(data, monkeypatch):
    monkeypatch.setenv("TZ", "Asia/Soul")
    assert "Asia/Soul" in (await diagnose())["clock"]["detail"]
    monkeypatch.setenv("TZ", "Asia/Seoul")
    checks = await diagnose()
    assert checks["clock"]["status"] == "ok" and "Asia/Seoul" in checks["clock"]["detail"]


async def test_a_data_folder_that_is_none_is_a_problem(data):
    data.write_text("")
    checks = await diagnose(1)
    assert "is no folder" in checks["data folder"]["detail"] and "--data" in checks["data folder"]["advice"]


async def test_others_who_may_look_into_the_folder_are_told(data):
    await filled(data)
    data.chmod(0o755)
    checks = await diagnose()
    assert checks["data folder"]["status"] == "warning" and "chmod 700" in checks["data folder"]["advice"]


async def test_wrong_settings_are_an_error_of_one_line(data, monkeypatch):
    monkeypatch.setenv("WEFT_PORT", "many")
    result = await weft("doctor", "--json")
    assert result.exit_code == 2 and result.stderr.startswith("weft: settings: ") and result.stdout == ""


@pytest.mark.parametrize(
    ("key", "address", "status", "words"),
    [
        ("", "", "ok", "off"),
        ("tvly-0123456789", "", "ok", "on, at api.tavily.com"),
        ("sk-0123456789", "", "warning", "tvly-"),
        ("tvly-0123456789", "http://search.example.org", "problem", "not https://"),
    ],
)
async def test_it_tells_whether_the_web_is_searched(data, monkeypatch, key, address, status, words):
    monkeypatch.setenv("TAVILY_API_KEY", key)
    if address:
        monkeypatch.setenv("TAVILY_BASE_URL", address)
    check = (await diagnose(1 if status == "problem" else 0))["web search"]
    assert check["status"] == status and words in check["detail"] and not (key and key in str(check))
