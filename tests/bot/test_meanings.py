"""Search by meaning in the whole application, against a loopback endpoint; and what happens when it breaks."""

import pytest

from bot.app import open_engine
from bot.asking import Asker, Console
from bot.settings import Settings
from storage.ingest.run import ingest
from tests.servers.openai import OpenAIServer, obliging


@pytest.fixture
async def server():
    async with OpenAIServer() as running:
        running.answer(obliging)
        yield running


@pytest.fixture
def settings(tmp_path, monkeypatch, server):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "guide.md").write_text("# Widget\n\nThe default colour of the widget is teal.\n")

    def make(embedding: str = "first") -> Settings:
        return Settings.load(
            data=tmp_path / "data", OPENAI_BASE_URL=server.url, OPENAI_API_KEY="k", embedding_model=embedding
        )

    return make


async def fill(engine, tmp_path) -> None:
    await ingest([tmp_path / "docs"], library=engine.library, collection="documents")
    await engine.meanings.follow()


async def ask(engine, text: str = "What is the default colour of the widget?"):
    return await Console(engine, quiet=True).ask(Asker().message(text, ""))


async def test_every_passage_gets_its_vector_and_loses_it_with_its_document(settings, tmp_path):
    async with open_engine(settings()) as engine:
        await fill(engine, tmp_path)
        assert set(await engine.meanings.file.ids()) == set(await engine.library.ids())
        await engine.library.remove("docs/guide.md")
        await engine.meanings.follow()
        assert set(await engine.meanings.file.ids()) == set(await engine.library.ids())
        assert await engine.meanings.follow() == 0


async def test_a_change_of_the_model_leaves_the_words_until_reindex(settings, tmp_path, caplog):
    async with open_engine(settings("first")) as engine:
        await fill(engine, tmp_path)
    async with open_engine(settings("second")) as engine:
        response = await ask(engine)
        assert "teal" in response.answer and "weft reindex" in caplog.text
        assert "vectors" not in str(response.plan) + response.answer
        made = await engine.meanings.rebuild()
        assert made == len(await engine.library.ids())
        caplog.clear()
        assert "teal" in (await ask(engine)).answer and "weft reindex" not in caplog.text


async def test_a_damaged_file_leaves_the_words(settings, tmp_path, caplog):
    async with open_engine(settings()) as engine:
        await fill(engine, tmp_path)
        path = engine.meanings.file.path
        path.write_bytes(path.read_bytes()[:-3] + b"xyz")
        assert "teal" in (await ask(engine)).answer and "vectors.faiss" in caplog.text


async def test_an_endpoint_that_is_down_keeps_the_old_vectors(settings, tmp_path, server):
    async with open_engine(settings()) as engine:
        await fill(engine, tmp_path)
        before = engine.meanings.file.path.read_bytes()
    dead = settings().model_copy(update={"openai_base_url": "http://127.0.0.1:9/v1"})
    async with open_engine(dead) as engine:
        with pytest.raises(Exception, match="vectors stay"):
            await engine.meanings.rebuild()
        assert engine.meanings.file.path.read_bytes() == before


async def test_a_model_that_talks_nonsense_is_replaced_by_the_documents(settings, tmp_path, server):
    server.answer("%$#@ junk }{")
    async with open_engine(settings("")) as engine:
        await ingest([tmp_path / "docs"], library=engine.library, collection="documents")
        response = await ask(engine)
    assert "teal" in response.answer and response.citations and response.warnings
