"""What the agent asks of the outside. Each Protocol has a contract suite in `tests/contracts/`."""

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from agent.types import (
    Audience,
    Concept,
    Memory,
    Passage,
    Preferences,
    ProducedFile,
    Profile,
    Query,
    Response,
    SearchFilter,
    TermCounts,
    WebPage,
)

NOTHING: Mapping[str, Sequence[Any]] = MappingProxyType({})
Vectors = NDArray[np.float32]
"""Shape `(texts, dimensions)`, every row of length 1."""


class LexicalIndex(Protocol):
    """BM25 over passages."""

    async def search(
        self, query: Query, *, k: int, filter: SearchFilter, audience: Audience
    ) -> Sequence[tuple[int, float]]:
        """Return at most `k` pairs (passage id, BM25 score), best first, all within filter and audience."""
        ...

    async def counts(self, terms: Collection[str], *, audience: Audience) -> TermCounts:
        """Return how many readable passages there are, and how many hold each of these terms of `agent.text.tokens`."""
        ...

    async def near(self, terms: Collection[str], *, audience: Audience) -> Mapping[str, Sequence[str]]:
        """Return for each of these terms those of readable passages that are a slip of a letter away (`agent.edits`).

        The most frequent first, at most five.
        """
        ...

    async def sounding(self, sounds: Collection[str], *, audience: Audience) -> Sequence[str]:
        """Return the terms of readable passages that sound like this (`agent.language.ko.loanwords.sound_of`).

        The most frequent first, at most two hundred.
        """
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


class TokenMatching(Protocol):
    """How well texts match questions, token by token (late interaction; Khattab, Zaharia 2020)."""

    async def match(self, questions: Sequence[str], texts: Sequence[str]) -> Vectors:
        """Return (questions, texts): how near its nearest one in the text is to each token of a question, weighed.

        Raises ModelError.
        """
        ...


class Passages(Protocol):
    """The text behind the ids."""

    async def get(self, ids: Sequence[int], *, audience: Audience) -> Sequence[Passage]:
        """Return the readable ones of these passages, in the order asked for."""
        ...

    async def by_reference(self, references: Sequence[str], *, audience: Audience) -> Sequence[Passage]:
        """Return the readable ones of these passages by `Passage.reference`, in the order asked for."""
        ...

    async def of_document(
        self, collection: str, document_id: str, *, start: int, stop: int, audience: Audience
    ) -> Sequence[Passage]:
        """Return the readable passages of a document whose positions are within `start:stop`, in its order."""
        ...

    async def titles(self, *, audience: Audience, collections: Sequence[str] = (), k: int) -> tuple[int, Sequence[str]]:
        """Return how many documents this audience could be answered from, and the titles of `k`, latest first."""
        ...

    async def empty(self, *, audience: Audience, collections: Sequence[str] = ()) -> bool:
        """Tell whether there is nothing that this audience could be answered from."""
        ...


class Files(Protocol):
    """Where what was made for an answer is kept until it is delivered."""

    async def keep(self, turn_id: str, name: str, media_type: str, data: bytes, *, text: str = "") -> ProducedFile:
        """Keep a file of a turn, in place of the one of its name. Raises StorageError."""
        ...


class StepTimes(Protocol):
    """How long the steps of each team took before."""

    async def typical(self) -> Mapping[str, float]:
        """Return the median milliseconds of a step by its team; a team of which nothing is known is not there."""
        ...


class Answers(Protocol):
    """The responses of turns that are over."""

    async def response(self, turn_id: str) -> Response | None:
        """Return what came of a turn; None where nothing is kept of it."""
        ...


class WebSearch(Protocol):
    """Pages of the web that answer a question."""

    async def search(self, query: str, *, k: int) -> Sequence[WebPage]:
        """Return at most `k` pages, best first, each URL once. Raises WebSearchError.

        URLs are `http` or `https`; titles and texts hold nothing that is not to be seen.
        """
        ...


class Concepts(Protocol):
    """The things of a trade that a text names, however it calls them."""

    async def find(self, text: str) -> Sequence[Concept]:
        """Return what a text names, in its order. Raises ConceptsError."""
        ...


class Profiles(Protocol):
    """What is remembered of each person, and shown to nobody else. `user` is `platform:workspace:id`."""

    async def load(self, user: str, pack: str) -> Profile:
        """Return what is known; an empty profile for somebody new."""
        ...

    async def fill(
        self,
        user: str,
        pack: str,
        slots: Mapping[str, Any],
        *,
        gone: Mapping[str, Sequence[Any]] = NOTHING,
        turn_id: str = "",
    ) -> Sequence[str]:
        """Set these slots, which a turn told, keeping the others; returns those lists that were full.

        None takes a slot away, and `gone` these values of one. A list joins the values that are known already; of
        more than `agent.types.MOST_VALUES` the oldest are dropped.
        """
        ...

    async def prefer(self, user: str, preferences: Preferences) -> None:
        """Set how somebody wants to be answered, in every pack."""
        ...

    async def keep(self, user: str, pack: str, memory: Memory) -> None:
        """Keep a question with its answer, in place of the one of its turn; the oldest beyond a bound are dropped."""
        ...

    async def memories(self, user: str, pack: str, text: str, *, k: int) -> Sequence[Memory]:
        """Return the `k` past questions nearest to a text, nearest first; for an empty text the latest."""
        ...

    async def drop(self, turn_id: str) -> None:
        """Forget what a turn left: the question, and what it told of its asker."""
        ...

    async def forget(self, user: str) -> int:
        """Forget everything about somebody; returns how many things that were."""
        ...
