"""How near texts are in meaning by a few passages alone: latent semantic analysis of what was found for a question.

Words that stand in the same passages draw together, so that a text can be near a question without its words
(Deerwester et al. 1990). The analysis of what one search brought, and not of all documents, costs a few milliseconds,
needs nothing to be kept, and knows no more than its reader may (Hull 1994: local latent semantic indexing).
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from agent.reasoning.rules.answering.weighted_question import tokens_in
from agent.types import Block

DIMENSIONS = 6
"""Of the space; with as many as there are passages nothing would draw together. From 4 to 9 hardly anything changes."""
READ = 4_000
"""Characters of a passage that are read."""
Vector = NDArray[np.float64]


class Space:
    """The space that some passages span."""

    def __init__(self, blocks: Sequence[Block]) -> None:
        """Take the passages with their headings."""
        counts = [Counter(_whole(block)) for block in blocks]
        holding = Counter(term for each in counts for term in each)
        self._columns = {term: n for n, term in enumerate(holding)}
        self._rarity = [math.log(1 + len(blocks) / held) for held in holding.values()]
        self._axes: Vector | None = None
        if self._columns:
            rows = np.zeros((len(blocks), len(self._columns)))
            for row, each in zip(rows, counts, strict=True):
                columns, weights = self._weighed(each)
                row[columns] = weights
            self._axes = np.linalg.svd(_unit(rows), full_matrices=False)[2][:DIMENSIONS]

    def of(self, terms: Iterable[str]) -> Vector | None:
        """Return the place of a text by its terms, a vector of length 1; None where it has no word of the passages."""
        columns, weights = self._weighed(Counter(terms))
        return _unit(self._axes[:, columns] @ np.array(weights)) if self._axes is not None and columns else None

    def _weighed(self, counts: Counter[str]) -> tuple[list[int], list[float]]:
        """Return the columns of the terms that are known, and what each counts."""
        known = [(self._columns[term], count) for term, count in counts.items() if term in self._columns]
        return [n for n, _ in known], [(1 + math.log(count)) * self._rarity[n] for n, count in known]


def cosine(one: Vector | None, other: Vector | None) -> float:
    """Return how near two places are, -1..1; 0 where one is nowhere."""
    return 0.0 if one is None or other is None else float(one @ other)


def _whole(block: Block) -> Sequence[str]:
    passage = block.passage
    return (*tokens_in(f"{passage.title}\n{passage.section}"), *tokens_in(passage.text[:READ]))


def _unit(rows: Vector) -> Vector:
    """Return rows of length 1; what is nothing stays nothing."""
    length = np.linalg.norm(rows, axis=-1, keepdims=True)
    return np.asarray(rows / np.where(length > 0, length, 1.0))
