"""Search by meaning in the whole application, against a loopback endpoint; and what happens when it breaks."""

import asyncio
import json
import os
import re
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from agent.errors import LockedError, ModelError
from agent.types import Query, SearchRequest
from bot.app import open_engine
from bot.audience import OPERATOR
from bot.cli import main
from bot.models.vector_progress import logged
from bot.operator.asking import Asker, Console
from bot.process_lock import held, ingesting
from bot.settings import Settings
from storage.ingest.run import ingest
from tests.local_models import TABLE, export, write_folder
from tests.servers.openai import OpenAIServer, Request, obliging, refusal

PACK = "{name: rules, title: {en: Rules, ko: 규정}, description: {en: The rules., ko: 규정입니다.}}"


@pytest.fixture
async def server():
    async with OpenAIServer() as running:
        running.answer(obliging)
        yield running


@pytest.fixture
def settings(tmp_path, monkeypatch, server):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pack").mkdir()
    (tmp_path / "pack" / "pack.yaml").write_text(PACK)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "guide.md").write_text("# Widget\n\nThe default colour of the widget is teal.\n")

    def make(embedding: str = "first", **given: object) -> Settings:
        return Settings.load(
            data=tmp_path / "data",
            pack=str(tmp_path / "pack"),
            OPENAI_BASE_URL=server.url,
            OPENAI_API_KEY="k",
            embedding_model=embedding,
            **given,
        )

    return make


def write_many(tmp_path: Path, count: int, word: str = "topic") -> None:
    lines = [
        f'{{"id": "{word}{n}", "title": "{word} {n}", "text": "Rule {n} speaks of {word}{n}."}}' for n in range(count)
    ]
    (tmp_path / "docs" / f"{word}.jsonl").write_text("\n".join(lines) + "\n")


async def fill(engine, tmp_path):
    await ingest([tmp_path / "docs"], library=engine.library, collection="documents")
    return await engine.meanings.follow()


async def ask(engine, text: str = "What is the default colour of the widget?"):
    return await Console(engine, quiet=True).ask(Asker().message(text, ""))


async def agree(engine) -> bool:
    """Tell whether exactly the stored passages have a vector."""
    return np.array_equal(await engine.meanings.file.ids(), await engine.library.ids())


def embedded(server: OpenAIServer, since: int = 0) -> list[str]:
    """Return the texts that the endpoint was asked about."""
    requests = [request for request in server.requests[since:] if request.path.endswith("/embeddings")]
    return [text for request in requests for text in request.body["input"]]


async def test_every_passage_gets_its_vector_and_loses_it_with_its_document(settings, tmp_path):
    async with open_engine(settings()) as engine:
        assert (await fill(engine, tmp_path)).made > 0
        assert await agree(engine)
        await engine.library.remove("docs/guide.md")
        await engine.meanings.follow()
        assert await agree(engine)
        followed = await engine.meanings.follow()
        assert (followed.made, followed.missing, followed.summary) == (0, 0, "")


async def test_a_removed_passage_is_not_found_by_its_meaning_again(settings, tmp_path):
    async with open_engine(settings()) as engine:
        await fill(engine, tmp_path)
        (row,) = await engine.meanings.embeddings.embed(["default colour of the widget teal"])
        found = [i for i, _ in await engine.meanings.file.search(row, 3)]
        teal = (await engine.library.by_reference(["documents\tdocs/guide.md#0"], audience=OPERATOR))[0].id
        assert teal in found
        await engine.library.remove("docs/guide.md")
        await engine.meanings.follow()
    async with open_engine(settings()) as engine:
        assert teal not in [i for i, _ in await engine.meanings.file.search(row, 1000)]


async def test_what_it_cost_is_told_in_a_line(settings, tmp_path, server):
    server.counts_tokens = True
    async with open_engine(settings(embedding_price=2.0)) as engine:
        before = len(server.requests)
        followed = await fill(engine, tmp_path)
        texts = embedded(server, before)
        tokens = sum(len(text.split()) for text in texts)
        assert followed.usage.texts == len(set(texts)) and followed.usage.tokens == tokens
        assert followed.summary == (
            f"{followed.made:,} passages have a new vector: {len(texts):,} texts embedded, about {tokens:,} tokens, "
            f"cost {tokens * 2 / 1e6:.4f}; 0 from the cache"
        )


async def test_the_same_text_is_paid_for_once_over_restarts(settings, tmp_path, server):
    async with open_engine(settings()) as engine:
        await fill(engine, tmp_path)
        await engine.library.remove("docs/guide.md")
        await engine.meanings.follow()
    asked = len(embedded(server))
    async with open_engine(settings()) as engine:
        followed = await fill(engine, tmp_path)
        assert followed.made and (followed.usage.texts, followed.usage.cached) == (0, followed.made)
        assert await agree(engine)
    assert len(embedded(server)) == asked


async def test_a_change_of_the_model_leaves_the_words_until_reindex(settings, tmp_path, caplog):
    async with open_engine(settings("first")) as engine:
        await fill(engine, tmp_path)
    async with open_engine(settings("second")) as engine:
        response = await ask(engine)
        assert "teal" in response.answer and "weft reindex" in caplog.text
        assert "vectors" not in str(response.plan) + response.answer
        followed = await engine.meanings.follow()
        assert "weft reindex" in followed.summary and "'first'" in followed.summary and "'second'" in followed.summary
        rebuilt = await engine.meanings.rebuild()
        assert rebuilt.made == len(await engine.library.ids())
        caplog.clear()
        assert "teal" in (await ask(engine)).answer and "weft reindex" not in caplog.text


async def test_another_prefix_of_passages_asks_for_reindex_and_one_of_questions_does_not(settings, tmp_path, server):
    async with open_engine(settings()) as engine:
        await fill(engine, tmp_path)
    async with open_engine(settings(embedding_query_prefix="query: ", embedding_query_model="asking")) as engine:
        assert (await engine.meanings.follow()).problem == ""
        await engine.knowledge.search(SearchRequest(queries=(Query(text="colours"),)), OPERATOR)
        assert server.requests[-1].body["input"] == ["query: colours"]
        assert server.requests[-1].body["model"] == "asking"
    async with open_engine(settings(embedding_document_prefix="passage: ")) as engine:
        assert "weft reindex" in (await engine.meanings.follow()).problem
        await engine.meanings.rebuild()
        assert await agree(engine)
        assert all(text.startswith("passage: ") for text in server.requests[-1].body["input"])


async def test_a_damaged_file_leaves_the_words(settings, tmp_path, caplog):
    async with open_engine(settings()) as engine:
        await fill(engine, tmp_path)
        path = engine.meanings.file.path
        path.write_bytes(path.read_bytes()[:-3] + b"xyz")
        assert "teal" in (await ask(engine)).answer and "vectors.faiss" in caplog.text
        assert "vectors.faiss" in (await engine.meanings.follow()).problem
        await engine.meanings.rebuild()
        assert await agree(engine)


async def test_an_endpoint_that_is_down_keeps_the_old_vectors(settings, tmp_path, server):
    async with open_engine(settings()) as engine:
        await fill(engine, tmp_path)
        before = engine.meanings.file.path.read_bytes()
        await engine.meanings.embedders.cache.clear()
    dead = settings().model_copy(update={"openai_base_url": "http://127.0.0.1:9/v1"})
    async with open_engine(dead) as engine:
        with pytest.raises(ModelError, match="old vectors stay"):
            await engine.meanings.rebuild()
        assert engine.meanings.file.path.read_bytes() == before


async def test_a_rebuild_that_was_stopped_goes_on_where_it_was(settings, tmp_path, server):
    write_many(tmp_path, 1500)
    async with open_engine(settings("first")) as engine:
        await fill(engine, tmp_path)
        total = len(await engine.library.ids())
    before = len(server.requests)
    server.refuse_text = lambda text: refusal(418, "teapot") if "topic1490." in text else None
    async with open_engine(settings("second")) as engine:
        with pytest.raises(ModelError, match="weft reindex") as raised:
            await engine.meanings.rebuild()
        kept = re.search(r"([\d,]+) new vectors are kept", str(raised.value))
        assert kept is not None and int(kept[1].replace(",", "")) > 1000
    async with open_engine(settings("first")) as engine:
        assert await agree(engine)
        assert "teal" in (await ask(engine)).answer
    server.refuse_text = None
    assert len(embedded(server, before)) > 1000
    again = len(server.requests)
    async with open_engine(settings("second")) as engine:
        rebuilt = await engine.meanings.rebuild()
        assert rebuilt.made == total and await agree(engine)
    assert 0 < len(embedded(server, again)) <= 64
    assert not list((tmp_path / "data").glob("vectors.faiss.new*"))


async def test_what_is_kept_of_a_stopped_rebuild_needs_no_cache(settings, tmp_path, server):
    write_many(tmp_path, 1500)
    async with open_engine(settings()) as engine:
        await ingest([tmp_path / "docs"], library=engine.library, collection="documents")
        server.refuse_text = lambda text: refusal(418, "teapot") if "topic1490." in text else None
        with pytest.raises(ModelError):
            await engine.meanings.rebuild()
        await engine.meanings.embedders.cache.clear()
        server.refuse_text = None
        again = len(server.requests)
        await engine.meanings.rebuild()
        assert await agree(engine)
        assert len(embedded(server, again)) < 700


async def test_searches_during_a_rebuild_use_the_old_vectors_and_nothing_ingested_meanwhile_is_lost(
    settings, tmp_path, server
):
    async with open_engine(settings()) as engine, open_engine(settings()) as other:
        await fill(engine, tmp_path)
        await engine.meanings.embedders.cache.clear()
        asked, go_on = asyncio.Event(), asyncio.Event()

        async def hold(request: Request) -> None:
            if "teal" in str(request.body["input"]):
                asked.set()
                async with asyncio.timeout(60):
                    await go_on.wait()

        server.before_embedding = hold
        rebuilding = asyncio.create_task(engine.meanings.rebuild())
        async with asyncio.timeout(60):
            await asked.wait()
        with pytest.raises(LockedError, match="weft reindex is already running"):
            await other.meanings.rebuild()
        for each in (engine, other):
            assert await agree(each)
            result = await each.knowledge.search(SearchRequest(queries=(Query(text="widget"),)), OPERATOR)
            assert "teal" in result.hits[0].passage.text
        write_many(tmp_path, 3, "meanwhile")
        assert (await fill(other, tmp_path)).made == 3
        go_on.set()
        followed = await rebuilding
        assert followed.missing == 0
        for each in (engine, other):
            assert await agree(each)


async def test_what_an_ingest_did_not_come_to_is_made_in_the_background(
    settings, tmp_path, server, monkeypatch, caplog
):
    monkeypatch.setattr("bot.models.vector_sync.FIRST_PAUSE", 0.01)
    caplog.set_level("INFO")
    write_many(tmp_path, 200)
    async with open_engine(settings()) as engine:  # an ingest that was broken off before its vectors
        await ingest([tmp_path / "docs"], library=engine.library, collection="documents")
    failed, go_on = asyncio.Event(), asyncio.Event()

    async def hold(request: Request) -> None:
        if "topic150." in str(request.body["input"]):
            server.script(refusal(418, "teapot")) if not failed.is_set() else await go_on.wait()
            failed.set()

    server.before_embedding = hold
    async with open_engine(settings()) as engine:
        completing = asyncio.create_task(engine.meanings.complete(logged()))
        async with asyncio.timeout(60):
            await failed.wait()
            assert "teal" in (await ask(engine)).answer  # by its words, at once
            go_on.set()
            await completing
        assert await agree(engine)
    assert "passages have no vector yet" in caplog.text and "vectors: 0 of 201 passages" in caplog.text


async def test_who_waits_for_another_that_makes_vectors_is_told(settings, tmp_path):
    told = asyncio.Event()
    async with open_engine(settings()) as engine:
        await ingest([tmp_path / "docs"], library=engine.library, collection="documents")
        async with ingesting(tmp_path / "data", "\1vectors"):
            following = asyncio.create_task(engine.meanings.follow(waiting=told.set))
            async with asyncio.timeout(60):
                await told.wait()
        assert (await following).made == 1


async def test_what_is_made_is_written_step_by_step(settings, tmp_path, server):
    write_many(tmp_path, 100)
    server.refuse_text = lambda text: refusal(418, "teapot") if "topic90." in text else None
    async with open_engine(settings()) as engine:
        followed = await fill(engine, tmp_path)
        assert followed.missing and followed.made == len(await engine.meanings.file.ids()) >= 32


async def test_two_who_follow_at_once_pay_once(settings, tmp_path, server):
    write_many(tmp_path, 200)
    async with open_engine(settings()) as engine, open_engine(settings()) as other:
        await ingest([tmp_path / "docs"], library=engine.library, collection="documents")
        before = len(server.requests)
        first, second = await asyncio.gather(engine.meanings.follow(), other.meanings.follow())
        texts = embedded(server, before)
        assert len(texts) == len(set(texts)) and first.made + second.made == 201
        assert await agree(engine) and await agree(other)


async def test_a_damaged_cache_costs_money_and_nothing_else(settings, tmp_path, caplog):
    async with open_engine(settings()) as engine:
        pass
    for path in (tmp_path / "data").glob("embeddings.db*"):
        path.unlink()
    (tmp_path / "data" / "embeddings.db").write_bytes(b"nonsense" * 999)
    async with open_engine(settings()) as engine:
        assert "embeddings.db" in caplog.text
        await fill(engine, tmp_path)
        assert await agree(engine)


async def test_a_model_that_talks_nonsense_is_replaced_by_the_documents(settings, tmp_path, server):
    server.answer("%$#@ junk }{")
    async with open_engine(settings("")) as engine:
        await ingest([tmp_path / "docs"], library=engine.library, collection="documents")
        response = await ask(engine)
    assert "teal" in response.answer and response.citations and response.warnings


async def weft(*args: str):
    """Run a command in a thread of its own, while the server of this one answers."""
    return await asyncio.to_thread(CliRunner().invoke, main, list(args))


@pytest.fixture
def environment(settings, tmp_path, monkeypatch, server):
    for name in list(os.environ):
        if name.startswith(("WEFT_", "SLACK_", "DISCORD_", "OPENAI_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("WEFT_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("WEFT_PACK", str(tmp_path / "pack"))
    return monkeypatch


async def test_reindex_without_an_embedding_makes_the_index_of_words(environment, tmp_path):
    await weft("ingest", str(tmp_path / "docs"))
    result = await weft("reindex")
    assert result.exit_code == 0, result.output
    assert "words: " in result.stdout and "WEFT_EMBEDDING_MODEL" in result.stdout
    index = tmp_path / "data" / "lexical.idx"
    content = bytearray(index.read_bytes())
    content[-30] ^= 1
    index.write_bytes(content)
    assert (await weft("reindex")).exit_code == 0
    assert index.read_bytes() != bytes(content)
    found = await weft("search", "colour of the widget")
    assert found.exit_code == 0 and "teal" in found.stdout


async def test_reindex_tells_how_far_it_is_and_what_it_cost(environment, tmp_path, server):
    environment.setenv("OPENAI_BASE_URL", server.url)
    environment.setenv("WEFT_EMBEDDING_MODEL", "first")
    environment.setenv("WEFT_EMBEDDING_PRICE", "0.02")
    await weft("ingest", str(tmp_path / "docs"))
    environment.setenv("WEFT_EMBEDDING_MODEL", "second")
    result = await weft("reindex")
    assert result.exit_code == 0, result.output
    assert "by second: " in result.stdout and "texts embedded" in result.stdout and "cost 0.00" in result.stdout
    assert " of " in result.stderr
    again = await weft("reindex")
    assert ": 0 texts embedded" in again.stdout
    asked = len(server.requests)
    assert ": 0 texts embedded" not in (await weft("reindex", "--forget")).stdout
    assert len(server.requests) > asked
    with held(tmp_path / "data" / "reindex.lock", what="test"):
        second = await weft("reindex")
    assert second.exit_code == 2 and "already running" in second.stderr


async def test_a_model_on_this_machine_needs_no_endpoint(environment, tmp_path, caplog):
    folder = write_folder(tmp_path / "tiny")
    environment.setenv("WEFT_EMBEDDING_MODEL", str(folder))
    (tmp_path / "docs" / "days.md").write_text("# Days\n\nleave leave leave holiday\n")
    assert (await weft("ingest", str(tmp_path / "docs"))).exit_code == 0
    result = await weft("reindex")
    assert result.exit_code == 0 and "by tiny@" in result.stdout and "2 from the cache" in result.stdout
    checks = {check["name"]: check for check in json.loads((await weft("doctor", "--json")).stdout)["checks"]}
    assert checks["vectors"]["status"] == "ok" and "on this machine, 6 dimensions" in checks["embedding"]["detail"]
    export(folder, table=TABLE + 1)
    assert (await weft("search", "leave")).exit_code == 0 and "run `weft reindex`" in caplog.text
    assert (await weft("reindex")).exit_code == 0
    caplog.clear()
    assert (await weft("search", "leave")).exit_code == 0 and not caplog.text
    (folder / "tokenizer.json").unlink()
    gone = await weft("search", "leave")
    assert gone.exit_code == 2 and "tokenizer.json" in gone.stderr and len(gone.stderr.splitlines()) == 1


async def test_reindex_with_the_endpoint_away_says_so_in_a_line(environment, tmp_path, server):
    environment.setenv("OPENAI_BASE_URL", server.url)
    environment.setenv("WEFT_EMBEDDING_MODEL", "first")
    await weft("ingest", str(tmp_path / "docs"))
    environment.setenv("WEFT_EMBEDDING_MODEL", "second")
    server.refuse_text = lambda text: refusal(401, "wrong key sk-123")
    result = await weft("reindex")
    assert result.exit_code == 1 and "OPENAI_API_KEY" in result.stderr and "go on from there" in result.stderr
    assert "Traceback" not in result.output and "sk-123" not in result.output
