"""What embeddings cost: those of a question are its asker's, those of documents are nobody's."""

import asyncio
import json
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from agent.language import say
from agent.types import Response
from bot.app import Engine, open_engine
from bot.cli import main
from bot.operator.asking import Asker, Console
from bot.settings import Settings
from storage.database import BUSY_SECONDS, Database
from storage.ingest.run import ingest
from storage.schema import WEFT
from storage.usage import SqlUsage
from tests.local_models import write_folder
from tests.servers.openai import Hang, OpenAIServer, obliging

PACK = "{name: rules, title: {en: Rules, ko: 규정}, description: {en: The rules., ko: 규정입니다.}}"
QUESTION = "What is the default colour of the widget?"
Make = Callable[..., Settings]


@pytest.fixture
async def server() -> AsyncIterator[OpenAIServer]:
    async with OpenAIServer() as server:
        server.answer(obliging)
        server.counts_tokens = True
        yield server


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: OpenAIServer) -> Make:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pack").mkdir()
    (tmp_path / "pack" / "pack.yaml").write_text(PACK)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "guide.md").write_text("# Widget\n\nThe default colour of the widget is teal.\n")
    for name, value in (
        ("DATA", tmp_path / "data"),
        ("PACK", tmp_path / "pack"),
        ("EMBEDDING_MODEL", "embedder"),
        ("EMBEDDING_PRICE", 2.0),
    ):
        monkeypatch.setenv(f"WEFT_{name}", str(value))
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    return lambda **given: Settings.load(**given)


async def ask(engine: Engine, user: str = "ann", text: str = QUESTION) -> Response:
    return await Console(engine, quiet=True).ask(Asker(user=user, channel="hall").message(text, ""))


async def fill(engine: Engine, tmp_path: Path) -> None:
    await ingest([tmp_path / "docs"], library=engine.library, collection="documents")
    await engine.meanings.follow()


def embeddings(tmp_path: Path) -> list[dict[str, Any]]:
    """Return the stored calls of the embedding."""
    with closing(sqlite3.connect(tmp_path / "data" / "weft.db")) as connection:
        connection.row_factory = sqlite3.Row
        found = connection.execute("SELECT * FROM usage WHERE role='embedding' ORDER BY id").fetchall()
        return [dict(row) for row in found]


def words(server: OpenAIServer, since: int = 0) -> list[int]:
    """Return how many words each embedding request held: what the server counts as tokens."""
    asked = [request.body["input"] for request in server.requests[since:] if request.path.endswith("/embeddings")]
    return [sum(len(text.split()) for text in texts) for texts in asked]


async def test_what_documents_cost_is_nobodys_and_what_a_question_costs_is_its_askers(
    made: Make, server: OpenAIServer, tmp_path: Path
) -> None:
    async with open_engine(made()) as engine:
        await fill(engine, tmp_path)
        before = len(server.requests)
        assert "teal" in (await ask(engine)).answer
        await fill(engine, tmp_path)  # in the same task, and not the asker's for that
        (tmp_path / "docs" / "second.md").write_text("# Gadget\n\nThe gadget weighs three stones.\n")
        await fill(engine, tmp_path)
    rows = embeddings(tmp_path)
    assert [(row["user"], row["channel"]) for row in rows] == [
        ("", ""), ("console:local:ann", "console:local:hall"), ("", ""),
    ]  # fmt: skip
    assert [row["tokens_in"] for row in rows] == words(server) and len(words(server, before)) == 2
    for row in rows:
        assert (row["model"], row["outcome"], row["estimated"], row["tokens_out"]) == ("embedder", "ok", 0, 0)
        assert row["cost"] == pytest.approx(row["tokens_in"] * 2 / 1e6)
    assert rows[0]["turn_id"] == rows[2]["turn_id"] == "" != rows[1]["turn_id"]


async def test_every_question_is_its_own_askers_also_side_by_side(made: Make, tmp_path: Path) -> None:
    async with open_engine(made()) as engine:
        await fill(engine, tmp_path)
        names = [f"user{n}" for n in range(6)]
        await asyncio.gather(*(ask(engine, name, f"{QUESTION} {name}") for name in names))
    assert sorted(row["user"] for row in embeddings(tmp_path)[1:]) == [f"console:local:{name}" for name in names]


@pytest.mark.parametrize(
    ("toml", "price"),
    [("", 2.0), ("[models.embedder]\nprice_in = 5", 5.0), ("[models.embedder]\ncontext_tokens = 8192", 2.0)],
)
async def test_what_is_said_of_the_model_itself_is_its_price(
    made: Make, tmp_path: Path, toml: str, price: float
) -> None:
    (tmp_path / "weft.toml").write_text(toml)
    async with open_engine(made()) as engine:
        await ingest([tmp_path / "docs"], library=engine.library, collection="documents")
        followed = await engine.meanings.follow()
    (row,) = embeddings(tmp_path)
    assert row["cost"] == pytest.approx(row["tokens_in"] * price / 1e6)
    assert f"cost {row['cost']:.4f}" in followed.summary


async def test_the_commands_count_what_they_embed(made: Make, server: OpenAIServer, tmp_path: Path) -> None:
    async def weft(*args: str) -> Any:
        result = await asyncio.to_thread(CliRunner().invoke, main, list(args))
        assert result.exit_code == 0, result.output
        return result

    await weft("ingest", str(tmp_path / "docs"))
    await weft("reindex")  # all of it is in the cache
    assert len(embeddings(tmp_path)) == 1
    await weft("reindex", "--forget")
    await weft("search", QUESTION)
    rows = embeddings(tmp_path)
    assert [row["user"] for row in rows] == ["", "", ""]
    report = json.loads((await weft("usage", "--by", "role", "--json")).stdout)
    (only,) = report["sums"]
    assert (only["name"], only["calls"], only["tokens_in"]) == ("embedding", 3, sum(words(server)))
    assert only["cost"] == pytest.approx(sum(words(server)) * 2 / 1e6)
    table = (await weft("usage", "--by", "user")).stdout.splitlines()
    assert table[1].split()[:2] == ["-", "3"]


async def test_a_failure_is_counted_and_what_failed_a_moment_ago_is_not_asked(
    made: Make, server: OpenAIServer, tmp_path: Path
) -> None:
    async with open_engine(made()) as engine:
        await fill(engine, tmp_path)
        server.key = "another"
        for _ in range(2):
            assert "teal" in (await ask(engine)).answer
    first, *others = ((row["outcome"], row["tokens_in"]) for row in embeddings(tmp_path)[1:])
    assert first == ("failed", 0) and set(others) == {("not_asked", 0)}


async def test_one_that_nobody_waits_for_any_more_is_estimated(
    made: Make, server: OpenAIServer, tmp_path: Path
) -> None:
    async with open_engine(made()) as engine:
        await fill(engine, tmp_path)
        server.script(Hang())
        waiting = asyncio.create_task(engine.meanings.embedders.questions.embed(["two words"]))
        while len(words(server)) < 2:
            await asyncio.sleep(0.01)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
    row = embeddings(tmp_path)[-1]
    assert (row["outcome"], row["estimated"]) == ("failed", 1) and row["tokens_in"] > 0


def limited(response: Response, scope: str) -> bool:
    begin = say(f"budget_{scope}", "en", until="|").partition("|")[0]  # type: ignore[arg-type]
    return any(each.startswith(begin) for each in response.warnings)


async def test_what_documents_cost_counts_against_no_limit(made: Make, server: OpenAIServer, tmp_path: Path) -> None:
    server.usage = {"prompt_tokens": 10, "completion_tokens": 1}
    lines = "\n\n".join(f"Rule {n} is a rule about widgets." for n in range(500))
    (tmp_path / "docs" / "many.md").write_text(f"# Many\n\n{lines}")
    async with open_engine(made(limit_day_tokens=3000)) as engine:
        await fill(engine, tmp_path)
        async with asyncio.timeout(60):  # they are written while the turns go on
            while sum(row["tokens_in"] for row in embeddings(tmp_path)) <= 3000:
                await asyncio.sleep(0.01)
        assert not limited(await ask(engine), "day")


async def test_what_questions_cost_counts_and_no_limit_stops_it(
    made: Make, server: OpenAIServer, tmp_path: Path
) -> None:
    server.usage = {"prompt_tokens": 10, "completion_tokens": 1}
    async with open_engine(made(limit_day_tokens=9)) as engine:
        await fill(engine, tmp_path)
        assert limited(await ask(engine), "day")
        chats = len(server.chats)
        assert limited(await ask(engine, text="Which colour has the widget, and what weighs it?"), "day")
        assert len(server.chats) == chats == 1
    day = embeddings(tmp_path)[0]["day"]
    of_questions = [row for row in embeddings(tmp_path) if row["user"]]
    assert len({row["turn_id"] for row in of_questions}) == 2 and {row["outcome"] for row in of_questions} == {"ok"}
    database = await Database.open(tmp_path / "data" / "weft.db", WEFT)
    store = SqlUsage(database)
    for of in ({}, {"user": "console:local:ann"}, {"channel": "console:local:hall"}):
        assert (await store.spent(day, **of))[0] == 11 + sum(row["tokens_in"] for row in of_questions)
    assert (await store.spent(day, user="console:local:bob"))[0] == 0
    await database.close()


async def test_a_turn_counts_the_embeddings_of_its_question(made: Make, server: OpenAIServer, tmp_path: Path) -> None:
    server.usage = {"prompt_tokens": 10, "completion_tokens": 1}
    async with open_engine(made(limit_turn_tokens=150)) as engine:
        await fill(engine, tmp_path)
        assert not limited(await ask(engine), "turn")
        before = len(server.chats)
        assert limited(await ask(engine, text=f"{QUESTION} {' '.join(['colour'] * 200)}"), "turn")
    after = server.chats[before:]
    assert after and not any(request.streaming for request in after)  # it was read and searched for; the rules answer


async def test_a_locked_database_delays_no_ingest_and_no_search(
    made: Make, server: OpenAIServer, tmp_path: Path
) -> None:
    async with open_engine(made()) as engine:
        await fill(engine, tmp_path)
        with closing(sqlite3.connect(tmp_path / "data" / "weft.db", isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            async with asyncio.timeout(BUSY_SECONDS * 0.9):  # whoever waited for the lock would come after that
                await engine.meanings.embedders.questions.embed(["a question of nobody"])
                assert len(await engine.library.ids())  # what reads is not behind what waits to be written
            other.execute("ROLLBACK")
    assert len(embeddings(tmp_path)) == 2


async def test_a_model_on_this_machine_is_not_counted(
    made: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEFT_EMBEDDING_MODEL", str(write_folder(tmp_path / "model")))
    async with open_engine(made()) as engine:
        await fill(engine, tmp_path)
        await ask(engine)
    assert embeddings(tmp_path) == []
