"""Texts to vectors by a model on this machine, without any network: onnxruntime and tokenizers."""

import asyncio
import importlib
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from adapters.services.embedding_folder import ModelFolder
from adapters.services.embedding_texts import Batches, Encoded, TextEmbeddings, VectorCache
from agent.errors import ModelError, SettingsError
from agent.ports import Vectors

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_EXTRA = "a model on this machine needs onnxruntime and tokenizers: install them with `pip install 'weft[local]'`"
_NUMBERS = {"tensor(int64)": np.int64, "tensor(int32)": np.int32}


class LocalModel:
    """One model in memory, loaded when it is first asked; its work is done one batch at a time, on one thread."""

    def __init__(self, folder: ModelFolder) -> None:
        if not (find_spec("onnxruntime") and find_spec("tokenizers")):
            raise SettingsError(_EXTRA)
        self.folder = folder
        self._session: Any = None
        self._tokenizer: Tokenizer | None = None
        self._padding = 0
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="embeddings")

    async def encode(self, texts: Sequence[str]) -> Encoded:
        """Return a row a text. Raises SettingsError for a folder that cannot be used, ModelError when it fails."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._encode, texts)

    def close(self) -> None:
        """Let go of the thread; the batch that is under way ends."""
        self._thread.shutdown(wait=False, cancel_futures=True)

    def _encode(self, texts: Sequence[str]) -> Encoded:
        tokenizer, session = self._loaded()
        encodings = tokenizer.encode_batch([text.encode(errors="replace").decode() for text in texts])
        width = max(1, *(len(encoding.ids) for encoding in encodings))
        columns = {
            "input_ids": np.full((len(texts), width), self._padding),
            "attention_mask": np.zeros((len(texts), width), dtype=np.int64),
            "token_type_ids": np.zeros((len(texts), width), dtype=np.int64),
        }
        for row, encoding in enumerate(encodings):
            size = len(encoding.ids)
            columns["input_ids"][row, :size] = encoding.ids
            columns["attention_mask"][row, :size] = encoding.attention_mask
            columns["token_type_ids"][row, :size] = encoding.type_ids
        columns["position_ids"] = np.broadcast_to(np.arange(width), (len(texts), width))
        inputs = {each.name: columns[each.name].astype(_NUMBERS[each.type]) for each in session.get_inputs()}
        output = _output(session, self.folder)
        try:
            (values,) = session.run([output], inputs)
        except Exception as error:  # the library's errors have no common base
            raise ModelError(f"The embedding model {self.folder.path} failed ({type(error).__name__}).") from error
        rows = values if values.ndim == 2 else _pooled(values, columns["attention_mask"], self.folder.pooling)
        return Encoded(rows=rows.astype(np.float32), tokens=int(columns["attention_mask"].sum()))

    def _loaded(self) -> "tuple[Tokenizer, Any]":
        if self._tokenizer is None:
            with _readable(self.folder.model):
                session = _session(self.folder)
            with _readable(self.folder.tokenizer):
                tokenizer = _tokenizer(self.folder)
            given = tokenizer.padding or {}
            named = (tokenizer.token_to_id(name) for name in ("[PAD]", "<pad>"))
            self._padding = int(given.get("pad_id") or next((i for i in named if i is not None), 0))
            tokenizer.no_padding()
            self._session, self._tokenizer = session, tokenizer
        return self._tokenizer, self._session


class LocalEmbeddings(TextEmbeddings):
    """Implements `Embeddings` over a model that passages and questions share."""

    def __init__(self, model: LocalModel, *, prefix: str = "", cache: VectorCache | None = None) -> None:
        # Batches wait for one thread: no more than one can use it, and the next should be ready.
        batches = Batches(texts=32, characters=32_000, in_flight=2)
        super().__init__(model.folder.name, prefix=prefix, cache=cache, batches=batches)
        self._model = model

    async def _encode(self, texts: Sequence[str]) -> Encoded:
        return await self._model.encode(texts)


def _session(folder: ModelFolder) -> Any:
    runtime: Any = importlib.import_module("onnxruntime")
    options = runtime.SessionOptions()
    options.log_severity_level = 4  # it would write to standard error by itself
    options.intra_op_num_threads = max(1, (os.cpu_count() or 1) // 2)  # searches and turns want the rest
    session = runtime.InferenceSession(str(folder.model), options, providers=["CPUExecutionProvider"])
    known = {"input_ids", "attention_mask", "token_type_ids", "position_ids"}
    for each in session.get_inputs():
        if each.name not in known or each.type not in _NUMBERS:
            raise SettingsError(
                f"{folder.model} asks for the input {each.name!r} ({each.type}): "
                "it is no model that turns texts into vectors"
            )
    _output(session, folder)
    return session


def _output(session: Any, folder: ModelFolder) -> str:
    """Return which of the model's outputs holds the vectors: of texts, or of their tokens."""
    ranks = {each.name: len(each.shape or ()) for each in session.get_outputs()}
    names = [name for name in ("sentence_embedding", "last_hidden_state", "token_embeddings") if name in ranks]
    names += [name for name, rank in ranks.items() if rank == 3 and name not in names]
    name = next((name for name in names if ranks[name] in (2, 3)), None)
    if name is None:
        raise SettingsError(
            f"{folder.model} gives {', '.join(ranks) or 'nothing'}, and not sentence_embedding, last_hidden_state "
            "or token_embeddings: it is no model that turns texts into vectors"
        )
    if folder.dense and ranks[name] != 2:
        raise SettingsError(f"{folder.path} needs a further layer: export it with the output sentence_embedding")
    return name


def _tokenizer(folder: ModelFolder) -> "Tokenizer":
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(folder.tokenizer))
    tokenizer.enable_truncation(folder.tokens)
    return tokenizer


@contextmanager
def _readable(path: object) -> Iterator[None]:
    """Name the file that a library cannot make sense of; its errors have no common base."""
    try:
        yield
    except SettingsError:
        raise
    except ImportError:
        raise SettingsError(_EXTRA) from None
    except Exception as error:
        raise SettingsError(f"{path} cannot be used ({type(error).__name__}): copy or export it again") from error


def _pooled(values: "NDArray[Any]", mask: NDArray[np.int64], pooling: str) -> Vectors:
    """Return one row a text from one row a token; a text without a token gives its first row."""
    rows = values.astype(np.float32)
    mask = mask.copy()
    mask[:, 0] |= mask.sum(axis=1) == 0
    if pooling == "cls":
        pooled = rows[:, 0]
    elif pooling == "last":
        pooled = rows[np.arange(len(rows)), mask.shape[1] - 1 - np.argmax(mask[:, ::-1], axis=1)]
    elif pooling == "max":
        pooled = np.where(mask[:, :, None] > 0, rows, -np.inf).max(axis=1)
    else:
        pooled = (rows * mask[:, :, None]).sum(axis=1) / mask.sum(axis=1, keepdims=True)
    return pooled.astype(np.float32)
