"""A model on this machine: a real, tiny ONNX model and a real tokenizer, made for each test."""

import asyncio
import json
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto

from adapters.services.embedding_folder import ModelFolder, is_folder
from adapters.services.embedding_texts import Encoded, RecentVectors
from adapters.services.local_embeddings import LocalEmbeddings, LocalModel
from agent.errors import ModelError, SettingsError
from tests.local_models import TABLE, WORDS, export, write_folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_folder(tmp_path / "tiny")


@pytest.fixture
async def load(folder: Path) -> AsyncIterator[Callable[..., LocalEmbeddings]]:
    opened = []

    def load(**given: object) -> LocalEmbeddings:
        opened.append(LocalModel(ModelFolder.read(folder)))
        return LocalEmbeddings(opened[-1], **given)

    yield load
    for model in opened:
        model.close()


def unit(row: np.ndarray) -> np.ndarray:
    return row / np.linalg.norm(row)


def tokens(*words: str) -> np.ndarray:
    return TABLE[[WORDS.index(word) for word in words]]


def pooling(folder: Path, **config: object) -> None:
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text(json.dumps(config))


TEXTS = ["leave", "vpn leave holiday", "휴가 연차", "unheard of"]
ROWS = [
    tokens("[CLS]", "leave", "[SEP]"),
    tokens("[CLS]", "vpn", "leave", "holiday", "[SEP]"),
    tokens("[CLS]", "휴가", "연차", "[SEP]"),
    tokens("[CLS]", "[UNK]", "[UNK]", "[SEP]"),
]


@pytest.mark.parametrize(
    ("config", "pool"),
    [
        ({}, lambda rows: rows.mean(axis=0)),
        ({"pooling_mode_cls_token": False, "pooling_mode_mean_tokens": True}, lambda rows: rows.mean(axis=0)),
        ({"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}, lambda rows: rows[0]),
        ({"pooling_mode_max_tokens": True}, lambda rows: rows.max(axis=0)),
        ({"pooling_mode": "lasttoken"}, lambda rows: rows[-1]),
    ],
)
async def test_tokens_are_pooled_as_the_folder_says(load, folder, config, pool) -> None:
    if config:
        pooling(folder, **config)
    vectors = await load().embed(TEXTS)
    assert vectors.dtype == np.float32
    assert np.allclose(vectors, [unit(pool(rows)) for rows in ROWS], atol=1e-6)


@pytest.mark.parametrize("output", ["last_hidden_state", "token_embeddings", "sentence_embedding", "other"])
@pytest.mark.parametrize("at", ["model.onnx", "onnx/model.onnx"])
async def test_outputs_are_known_by_name(load, folder, output, at) -> None:
    (folder / "model.onnx").unlink()
    export(folder, at=at, output=output)
    alone = await load().embed(["vpn leave holiday"])
    assert np.allclose(alone[0], unit(ROWS[1].sum(axis=0)), atol=1e-6)


@pytest.mark.parametrize("inputs", [("input_ids",), ("input_ids", "attention_mask", "position_ids")])
@pytest.mark.parametrize("kind", [TensorProto.INT64, TensorProto.INT32])
async def test_only_the_inputs_that_the_model_asks_for_are_given(load, folder, inputs, kind) -> None:
    export(folder, inputs=inputs, kind=kind)
    assert np.allclose((await load().embed(TEXTS))[1], unit(ROWS[1].mean(axis=0)), atol=1e-6)


async def test_a_long_text_is_cut_at_the_tokens_that_the_folder_names(load, folder) -> None:
    (folder / "sentence_bert_config.json").write_text('{"max_seq_length": 4}')
    embeddings = load()
    assert np.allclose(
        (await embeddings.embed(["leave vpn " * 50]))[0], unit(tokens(*"[CLS] leave vpn [SEP]".split()).mean(axis=0))
    )
    assert embeddings.usage.tokens == 4


async def test_prefixes_of_the_folder_are_read(folder, load) -> None:
    (folder / "config_sentence_transformers.json").write_text(
        json.dumps({"prompts": {"query": "query: ", "passage": "passage: "}})
    )
    read = ModelFolder.read(folder)
    assert (read.query_prefix, read.document_prefix) == ("query: ", "passage: ")
    asked = await load(prefix=read.query_prefix).embed(["leave"])
    assert np.allclose(asked[0], unit(tokens(*"[CLS] query : leave [SEP]".split()).mean(axis=0)))


async def test_the_name_changes_with_every_file_that_has_a_part_in_the_vectors(folder, tmp_path) -> None:
    names = [ModelFolder.read(folder).name]
    assert names[0].startswith("tiny@") and ModelFolder.read(folder).name == names[0]
    table = TABLE.copy()
    table[3, 2] = np.nextafter(table[3, 2], np.float32(9))
    export(folder, table=table)
    names.append(ModelFolder.read(folder).name)
    for name in ("model.onnx_data", "tokenizer.json"):
        (folder / name).write_bytes(b" " + ((folder / name).read_bytes() if (folder / name).exists() else b""))
        names.append(ModelFolder.read(folder).name)
    pooling(folder, pooling_mode_cls_token=True)
    names.append(ModelFolder.read(folder).name)
    assert len(set(names)) == 5
    (folder / "README.md").write_text("x")
    assert ModelFolder.read(folder).name == names[-1]


async def test_it_works_off_the_event_loop_on_one_thread_and_caches(load, monkeypatch) -> None:
    cache, before, encode = RecentVectors(), set(threading.enumerate()), LocalModel._encode
    begun, going = asyncio.Event(), threading.Event()
    loop = asyncio.get_running_loop()

    def held(model: LocalModel, texts: list[str]) -> Encoded:
        loop.call_soon_threadsafe(begun.set)
        assert going.wait(60), "the event loop is held by the model"
        return encode(model, texts)

    monkeypatch.setattr(LocalModel, "_encode", held)
    embeddings = load(cache=cache)
    both = asyncio.gather(embeddings.embed(["leave"] * 300), embeddings.embed(TEXTS))
    await begun.wait()  # the model works now, and the event loop is here
    going.set()
    first, second = await both
    assert len(first) == 300 and np.allclose(first[0], second[0])
    threads = set(threading.enumerate()) - before
    assert [t.name for t in threads if t.name.startswith("embeddings")] == ["embeddings_0"]
    asked = embeddings.usage.texts
    await embeddings.embed(TEXTS)
    assert embeddings.usage.texts == asked


@pytest.mark.parametrize(
    ("break_it", "words"),
    [
        (lambda f: (f / "model.onnx").unlink(), "no model.onnx or onnx/model.onnx"),
        (lambda f: (f / "tokenizer.json").unlink(), "no tokenizer.json"),
        (lambda f: (f / "model.onnx").write_bytes(b"<html>"), "model.onnx cannot be used"),
        (lambda f: (f / "model.onnx").write_bytes((f / "model.onnx").read_bytes()[:150]), "model.onnx cannot be used"),
        (lambda f: (f / "tokenizer.json").write_text("{}"), "tokenizer.json cannot be used"),
        (lambda f: export(f, inputs=("input_ids", "pixel_values")), "pixel_values"),
        (lambda f: export(f, kind=TensorProto.FLOAT), "cannot be used|input_ids"),
        (lambda f: pooling(f, pooling_mode_weightedmean_tokens=True), "1_Pooling"),
        (lambda f: (f / "sentence_bert_config.json").write_text("{"), "sentence_bert_config.json cannot be read"),
        (
            lambda f: (f / "modules.json").write_text('[{"type": "sentence_transformers.models.Dense"}]'),
            "further layer",
        ),
    ],
)
async def test_a_folder_that_cannot_be_used_is_named_in_one_line(load, folder, break_it, words, capfd) -> None:
    break_it(folder)
    with pytest.raises(SettingsError, match=words) as raised:
        await load().embed(["leave"])
    assert str(folder) in str(raised.value) and "\n" not in str(raised.value)
    assert capfd.readouterr() == ("", "")


async def test_a_model_that_gives_nothing_of_use_is_a_model_error(load, folder) -> None:
    export(folder, table=TABLE[:4])  # it fails at the first word that it does not know
    with pytest.raises(ModelError, match="failed"):
        await load().embed(["vpn leave"])
    export(folder, table=np.zeros_like(TABLE))
    with pytest.raises(ModelError, match="no direction"):
        await load().embed(["vpn leave"])


async def test_a_path_that_is_no_folder_is_said(tmp_path) -> None:
    with pytest.raises(SettingsError, match="not a folder"):
        ModelFolder.read(tmp_path / "nowhere")


def test_names_and_paths_are_told_apart(folder, monkeypatch) -> None:
    monkeypatch.chdir(folder.parent)
    assert is_folder(str(folder)) and is_folder("./tiny") and is_folder("~/models/e5") and is_folder("tiny")
    assert is_folder("/nowhere/at/all")
    assert not is_folder("text-embedding-3-small") and not is_folder("BAAI/bge-m3")


async def test_the_missing_extra_is_named(folder, monkeypatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(sys, "path", [])
        patched.setattr(sys, "path_importer_cache", {})
        for name in [n for n in sys.modules if n.partition(".")[0] in ("onnxruntime", "tokenizers")]:
            patched.delitem(sys.modules, name)
        with pytest.raises(SettingsError, match=r"weft\[local\]"):
            LocalModel(ModelFolder.read(folder))


def test_importing_it_is_cheap() -> None:
    code = "import sys, adapters.services.local_embeddings; assert not {'onnxruntime', 'tokenizers'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
