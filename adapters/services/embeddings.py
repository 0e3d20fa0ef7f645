"""Texts to vectors by any endpoint that speaks OpenAI's embeddings."""

import asyncio
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

import numpy as np
import openai
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, ValidationError

from agent.errors import ModelError
from agent.ports import Vectors

Vector = NDArray[np.float32]

TEXT_CHARACTERS = 8000
"""What is sent of one text. OpenAI's models take 8,192 tokens (platform.openai.com/docs/guides/embeddings), and a
Korean syllable can be a token of its own; a passage is far shorter."""
_RETRIES = 3


class VectorCache(Protocol):
    """Vectors by a hash of model and text, so that the same text is paid for once."""

    async def get(self, keys: Sequence[str]) -> Mapping[str, Vector]:
        """Return those of the vectors that are known."""
        ...

    async def put(self, vectors: Mapping[str, Vector]) -> None:
        """Keep vectors."""
        ...


class _Row(BaseModel):
    model_config = ConfigDict(extra="ignore")

    index: int
    embedding: list[float]


class _Answer(BaseModel):
    model_config = ConfigDict(extra="ignore")

    data: list[_Row]


class OpenAIEmbeddings:
    """Implements `Embeddings`. `dimensions` None: as many as the endpoint's first answer has.

    Given dimensions are asked for; an endpoint that cannot choose is asked without them, and what
    it returns must still have as many. `timeout` (seconds) bounds one batch with its retries.
    """

    def __init__(
        self,
        client: openai.AsyncOpenAI,
        *,
        model: str,
        dimensions: int | None = None,
        batch: int = 64,
        timeout: float = 30.0,
        cache: VectorCache | None = None,
    ) -> None:
        self._client = client.with_options(max_retries=_RETRIES, timeout=timeout)
        self._model = model
        self._dimensions = dimensions
        self._asks_for_dimensions = dimensions is not None
        self._batch = batch
        self._timeout = timeout
        self._cache = cache

    @property
    def name(self) -> str:
        """Which model makes the vectors."""
        return self._model

    @property
    def dimensions(self) -> int | None:
        """How long a vector is; None before the first answer where none were given."""
        return self._dimensions

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one row a text, each of length 1. Raises ModelError."""
        if not texts:
            return np.empty((0, self._dimensions or 0), dtype=np.float32)
        # An endpoint refuses an empty text; a full stop stands for it.
        sent = [text[:TEXT_CHARACTERS] if text.strip() else "." for text in texts]
        keys = [self._key(text) for text in sent]
        known = dict(await self._cache.get(list(dict.fromkeys(keys)))) if self._cache else {}
        missing = {key: text for key, text in zip(keys, sent, strict=True) if key not in known}
        wanted = list(missing.items())
        for start in range(0, len(wanted), self._batch):
            part = wanted[start : start + self._batch]
            rows = await self._call([text for _, text in part])
            fresh = {key: row for (key, _), row in zip(part, rows, strict=True)}
            if self._cache:
                await self._cache.put(fresh)
            known |= fresh
        return np.stack([self._checked(known[key]) for key in keys])

    async def _call(self, texts: list[str]) -> Vectors:
        with translated():
            async with asyncio.timeout(self._timeout):
                rows = sorted(await self._rows(texts), key=lambda row: row.index)
        if [row.index for row in rows] != list(range(len(texts))):
            raise ModelError(f"The embedding endpoint returned {len(rows)} vectors for {len(texts)} texts.")
        if len({len(row.embedding) for row in rows}) != 1:
            raise ModelError("The embedding endpoint returned vectors of different lengths.")
        vectors = np.asarray([row.embedding for row in rows], dtype=np.float32)
        lengths = np.linalg.norm(vectors.astype(np.float64), axis=1, keepdims=True)
        if not np.isfinite(lengths).all() or (lengths == 0).any():
            raise ModelError("The embedding endpoint returned a vector that has no direction.")
        for vector in vectors:
            self._checked(vector)
        unit: Vectors = (vectors / lengths).astype(np.float32)
        return unit

    async def _rows(self, texts: list[str]) -> list[_Row]:
        create: Any = self._client.embeddings.with_raw_response.create
        # Plain numbers: the library's own default, base64, is not understood everywhere.
        request = {"model": self._model, "input": texts, "encoding_format": "float"}
        if self._asks_for_dimensions:
            try:
                raw = await create(**request, dimensions=self._dimensions)
                return _Answer.model_validate_json(raw.content).data
            except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
                if "dimension" not in str(error.body).lower():
                    raise
                self._asks_for_dimensions = False
        raw = await create(**request)
        return _Answer.model_validate_json(raw.content).data

    def _checked(self, vector: Vector) -> Vector:
        if self._dimensions is None:
            self._dimensions = len(vector)
        if len(vector) != self._dimensions:
            raise ModelError(
                f"The embedding {self._model!r} has {len(vector)} dimensions where {self._dimensions} are expected: "
                "check the embedding's settings."
            )
        return vector

    def _key(self, text: str) -> str:
        asked = self._dimensions if self._asks_for_dimensions else ""
        return hashlib.sha256(f"{self._model}\0{asked}\0{text}".encode()).hexdigest()


@contextmanager
def translated() -> Iterator[None]:
    """Turn what the vendor's library raises into ModelError, without the endpoint's own words.

    They may repeat the key or the text, and an error's words end in logs.
    """
    try:
        yield
    except openai.APIStatusError as error:
        advice = ": check OPENAI_API_KEY" if error.status_code in (401, 403) else ""
        advice = ": check OPENAI_BASE_URL and the embedding's name" if error.status_code == 404 else advice
        raise ModelError(f"The embedding endpoint answered with status {error.status_code}{advice}.") from None
    except (openai.APITimeoutError, TimeoutError):
        raise ModelError("The embedding endpoint did not answer in time.") from None
    except openai.APIConnectionError:
        raise ModelError("The embedding endpoint could not be reached: check OPENAI_BASE_URL.") from None
    except (openai.OpenAIError, ValidationError, json.JSONDecodeError, UnicodeError):
        raise ModelError("The embedding endpoint sent something that is no list of vectors.") from None
