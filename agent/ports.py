"""What the agent asks of the outside. Each Protocol has a contract suite in `tests/contracts/`."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from agent.types import Audience, Passage, Query, SearchFilter

Vectors = NDArray[np.float32]
"""Shape `(texts, dimensions)`, every row of length 1."""


class LexicalIndex(Protocol):
    """BM25 over passages."""

    async def search(
        self, query: Query, *, k: int, filter: SearchFilter, audience: Audience
    ) -> Sequence[tuple[int, float]]:
        """Return at most `k` pairs (passage id, BM25 score), best first, all within filter and audience."""
        ...

    async def document_frequencies(self, words: Sequence[str], *, audience: Audience) -> Sequence[int]:
        """Return for each word how many readable passages hold all of its tokens' terms."""
        ...

    async def documents_holding(
        self, words: Sequence[str], *, filter: SearchFilter, audience: Audience
    ) -> Sequence[NDArray[np.int64]]:
        """Return for each word the documents (`Passage.document`, ascending) in which it stands.

        A word stands in a document when a passage within filter and audience holds all of its tokens' terms.
        """
        ...


class VectorIndex(Protocol):
    """Nearest neighbours by inner product."""

    async def search(
        self, vector: NDArray[np.float32], *, k: int, filter: SearchFilter, audience: Audience
    ) -> Sequence[tuple[int, float]]:
        """Return at most `k` pairs (passage id, similarity), best first, all within filter and audience."""
        ...

    async def ready(self) -> bool:
        """Tell whether there is anything to search."""
        ...


class Embeddings(Protocol):
    """Texts to vectors."""

    @property
    def name(self) -> str:
        """Which model makes the vectors; an index made by another name is refused."""
        ...

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one row a text. Raises ModelError."""
        ...


class Passages(Protocol):
    """The text behind the ids."""

    async def get(self, ids: Sequence[int], *, audience: Audience) -> Sequence[Passage]:
        """Return the readable ones of these passages, in the order asked for."""
        ...

    async def by_public_id(self, ids: Sequence[str], *, audience: Audience) -> Sequence[Passage]:
        """Return the readable ones of these passages by public id, in the order asked for."""
        ...

    async def empty(self, *, audience: Audience, collections: Sequence[str] = ()) -> bool:
        """Tell whether there is nothing that this audience could be answered from."""
        ...
