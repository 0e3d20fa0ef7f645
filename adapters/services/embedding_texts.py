"""What every embedding shares, whatever makes its vectors: each text once, none that is known, in batches.

A passage and a question may want other words before them (e5's `query: `): each has an object of its
own over the same model, with its own prefix and its own cache.
"""

import asyncio
import hashlib
import logging
import re
from abc import ABC, abstractmethod
from collections import OrderedDict, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from agent.errors import ModelError, SettingsError, StorageError
from agent.language.ko.letters import SYLLABLES
from agent.ports import Vectors

logger = logging.getLogger(__name__)

Vector = NDArray[np.float32]

Outcome = Literal["ok", "failed", "not_asked"]
TEXT_CHARACTERS = 8000
"""What is sent of one text. OpenAI's models take 8,192 tokens (platform.openai.com/docs/guides/embeddings), and a
Korean syllable can be a token of its own; a passage is far shorter."""
_HANGUL = re.compile(f"[{SYLLABLES}]")


class VectorCache(Protocol):
    """Vectors by a hash of model and text, so that the same text is paid for once."""

    async def get(self, keys: Sequence[str]) -> Mapping[str, Vector]:
        """Return those of the vectors that are known."""
        ...

    async def put(self, vectors: Mapping[str, Vector]) -> None:
        """Keep vectors."""
        ...


class RecentVectors:
    """Implements `VectorCache` in memory; the ones that were not asked for longest are forgotten."""

    def __init__(self, size: int = 1000) -> None:
        self._size = size
        self._vectors: OrderedDict[str, Vector] = OrderedDict()

    async def get(self, keys: Sequence[str]) -> Mapping[str, Vector]:
        """Return those of the vectors that are known."""
        known = {key: self._vectors[key] for key in keys if key in self._vectors}
        for key in known:
            self._vectors.move_to_end(key)
        return known

    async def put(self, vectors: Mapping[str, Vector]) -> None:
        """Keep vectors."""
        self._vectors.update(vectors)
        while len(self._vectors) > self._size:
            self._vectors.popitem(last=False)


class ForgivingCache:
    """Implements `VectorCache` over one that is done without from when it fails: it only saves work."""

    def __init__(self, cache: VectorCache | None) -> None:
        self._cache = cache

    async def get(self, keys: Sequence[str]) -> dict[str, Vector]:
        """Return those of the vectors that are known."""
        if self._cache is not None:
            try:
                return dict(await self._cache.get(keys))
            except StorageError as error:
                self._without(error)
        return {}

    async def put(self, vectors: Mapping[str, Vector]) -> None:
        """Keep vectors, where that can be done."""
        if self._cache is not None:
            try:
                await self._cache.put(vectors)
            except StorageError as error:
                self._without(error)

    def _without(self, error: StorageError) -> None:
        self._cache = None
        logger.warning("Embedding without its cache: %s", error, extra={"action": "embedding_cache_failed"})


@dataclass(frozen=True, kw_only=True, slots=True)
class Usage:
    """What embedding has cost."""

    texts: int = 0
    """Texts that a model was asked about."""
    cached: int = 0
    """Texts whose vector was known."""
    tokens: int = 0
    """As the model counts them; estimated where it does not tell."""

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            texts=self.texts + other.texts, cached=self.cached + other.cached, tokens=self.tokens + other.tokens
        )

    def __sub__(self, other: "Usage") -> "Usage":
        return Usage(
            texts=self.texts - other.texts, cached=self.cached - other.cached, tokens=self.tokens - other.tokens
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class EmbeddingCall:
    """One batch that was asked of an endpoint, with all its tries."""

    model: str
    outcome: Outcome
    """`not_asked`: the endpoint failed a moment ago, and was left alone."""
    tokens: int = 0
    estimated: bool = False
    """Whether the endpoint did not tell them."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Batches:
    """How much goes to the model at once."""

    texts: int = 64
    characters: int = 64_000
    in_flight: int = 4


@dataclass(frozen=True, kw_only=True, slots=True)
class Encoded:
    """What a model made of some texts: a row for each, of any length, and how many tokens they had."""

    rows: Vectors
    tokens: int
    estimated: bool = False
    """Whether the model did not tell how many."""


class SmallerError(Exception):
    """The batch was too much at once: what it holds is to be asked for in smaller ones."""


class TextEmbeddings(ABC):
    """Implements `Embeddings`. `dimensions` None: as many as the model's first vector has.

    `name` tells which vectors can be compared: it names the model, and the prefix where there is one.
    """

    def __init__(
        self,
        name: str,
        *,
        prefix: str = "",
        dimensions: int | None = None,
        cache: VectorCache | None = None,
        batches: Batches | None = None,
    ) -> None:
        self._name = f"{name} after {prefix!r}" if prefix else name
        self._prefix = prefix
        self._dimensions = dimensions
        self._cache = ForgivingCache(cache)
        self._batches = batches or Batches()
        self._usage = Usage()

    @property
    def name(self) -> str:
        """Which model makes the vectors."""
        return self._name

    @property
    def dimensions(self) -> int | None:
        """How long a vector is; None before the first answer where none were given."""
        return self._dimensions

    @property
    def usage(self) -> Usage:
        """What was asked of this object so far."""
        return self._usage

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one row a text, each of length 1. Raises ModelError, SettingsError.

        When a batch fails, what the others brought is in the cache for the next time.
        """
        if not texts:
            return np.empty((0, self._dimensions or 0), dtype=np.float32)
        # An endpoint refuses an empty text; a full stop stands for it.
        sent = [self._prefix + (text[:TEXT_CHARACTERS] if text.strip() else ".") for text in texts]
        keys = [self._key(text) for text in sent]
        known = await self._cache.get(list(dict.fromkeys(keys)))
        missing = {key: text for key, text in zip(keys, sent, strict=True) if key not in known}
        self._usage += Usage(cached=len(known))
        known |= await self._fresh(missing)
        return np.stack([self._checked(known[key]) for key in keys])

    @abstractmethod
    async def _encode(self, texts: Sequence[str]) -> Encoded:
        """Ask the model about one batch. Raises ModelError, SettingsError, SmallerError: then `_at_once` is less."""

    def _variant(self) -> str:
        """Return what besides name and text makes a vector another one."""
        return ""

    def _at_once(self) -> Batches:
        """Return how much may go to the model now."""
        return self._batches

    async def _fresh(self, missing: Mapping[str, str]) -> dict[str, Vector]:
        waiting = deque(sorted(missing.items(), key=lambda pair: len(pair[1])))
        made: dict[str, Vector] = {}
        failed: list[ModelError | SettingsError] = []

        async def one(batch: Mapping[str, str]) -> None:
            try:
                encoded = await self._encode(list(batch.values()))
                rows = self._unit(encoded.rows, len(batch))
            except SmallerError:
                waiting.extendleft(reversed(list(batch.items())))
                return
            except (ModelError, SettingsError) as error:
                failed.append(error)
                return
            fresh = dict(zip(batch, rows, strict=True))
            self._usage += Usage(texts=len(batch), tokens=encoded.tokens)
            made.update(fresh)
            await self._cache.put(fresh)

        async def some() -> None:
            while waiting and not failed:  # the ones under way may finish, they are paid for; no other begins
                await one(_taken(waiting, self._at_once()))

        await asyncio.gather(*(some() for _ in range(min(self._batches.in_flight, len(missing)))))
        if failed:
            raise failed[0]
        return made

    def _unit(self, rows: Vectors, expected: int) -> Vectors:
        if len(rows) != expected:
            raise ModelError(f"The embedding {self._name!r} returned {len(rows)} vectors for {expected} texts.")
        lengths = np.linalg.norm(rows.astype(np.float64), axis=1, keepdims=True)
        if not np.isfinite(lengths).all() or (lengths == 0).any():
            raise ModelError(f"The embedding {self._name!r} returned a vector that has no direction.")
        self._checked(rows[0])
        unit: Vectors = (rows / lengths).astype(np.float32)
        return unit

    def _checked(self, vector: Vector) -> Vector:
        if self._dimensions is None:
            self._dimensions = len(vector)
        if len(vector) != self._dimensions:
            raise ModelError(
                f"The embedding {self._name!r} has {len(vector)} dimensions where {self._dimensions} are expected: "
                "check the embedding's settings."
            )
        return vector

    def _key(self, text: str) -> str:
        return hashlib.sha256(f"{self._name}\0{self._variant()}\0{text}".encode(errors="replace")).hexdigest()


def about_tokens(texts: Sequence[str]) -> int:
    """Return roughly how many tokens texts have: a Korean syllable is about one, four other characters are one."""
    return sum((hangul := len(_HANGUL.findall(text))) + (len(text) - hangul + 3) // 4 for text in texts)


def _taken(waiting: deque[tuple[str, str]], limits: Batches) -> Mapping[str, str]:
    """Take the next batch, those of like length together: at least one text."""
    batch: dict[str, str] = {}
    size = 0
    while waiting and len(batch) < limits.texts and (not batch or size + len(waiting[0][1]) <= limits.characters):
        key, text = waiting.popleft()
        batch[key] = text
        size += len(text)
    return batch
