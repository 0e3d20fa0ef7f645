"""How well texts match questions token by token, by the bundled model: the tokens of a text are made once and kept."""

import hashlib
from collections.abc import Sequence

import numpy as np

from adapters.services import token_matching
from adapters.services.bundled_embeddings import BundledModel
from adapters.services.embedding_texts import ForgivingCache, VectorCache
from adapters.services.token_matching import Codes
from agent.ports import Vectors

_AT_ONCE = 8
"""Texts that are read at once: who else wants a question embedded waits for no more, and no more is lost."""


class BundledMatching:
    """Implements `TokenMatching`.

    A text takes some 15 ms of one core when it is first read, by `asking` where a question waits for it, by `storing`
    when it is ingested. What is kept of it is 64 bytes a token.
    """

    def __init__(self, *, asking: BundledModel, storing: BundledModel, cache: VectorCache) -> None:
        self._asking = asking
        self._storing = storing
        self._cache = ForgivingCache(cache)
        self._maps = token_matching.name()

    async def match(self, questions: Sequence[str], texts: Sequence[str]) -> Vectors:
        """Return (questions, texts): how well they match token by token. Raises ModelError."""
        return await self._asking.match(questions, await self._codes(texts, self._asking))

    async def prepare(self, texts: Sequence[str]) -> None:
        """Read texts before anybody asks about them. Raises ModelError."""
        await self._codes(texts, self._storing)

    async def _codes(self, texts: Sequence[str], model: BundledModel) -> list[Codes]:
        keys = [self._key(text) for text in texts]
        known = {key: _as_codes(kept) for key, kept in (await self._cache.get(list(dict.fromkeys(keys)))).items()}
        missing = list({key: text for key, text in zip(keys, texts, strict=True) if key not in known}.items())
        for begin in range(0, len(missing), _AT_ONCE):
            some = dict(missing[begin : begin + _AT_ONCE])
            fresh = dict(zip(some, await model.codes(list(some.values())), strict=True))
            await self._cache.put({key: _as_numbers(codes) for key, codes in fresh.items()})
            known |= fresh
        return [known[key] for key in keys]

    def _key(self, text: str) -> str:
        return hashlib.sha256(f"{self._asking.name}\0tokens {self._maps}\0{text}".encode(errors="replace")).hexdigest()


def _as_numbers(codes: Codes) -> "np.ndarray[tuple[int], np.dtype[np.float32]]":
    """Return codes as what the cache keeps bit by bit: four to a number."""
    return codes.reshape(-1).view("<f4")


def _as_codes(kept: Vectors) -> Codes:
    return kept.view(np.uint8).reshape(-1, token_matching.PARTS)
