"""How well texts match a question token by token (late interaction; Khattab, Zaharia 2020), by what was fitted.

The tokens of the bundled model were taught for their mean. Two maps of low rank turn them to what tells an answer, one
for the tokens of questions and one for those of texts, and a third row weighs the tokens of a question. Those of texts
are kept as codes, a byte for each six numbers (product quantization; Jégou, Douze, Schmid 2011). All of it is data,
`token_matching.npz`; `python -m benchmarks.fit_matching` fits it.
"""

import zlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from adapters.services.bundled_weights import Floats

FILE = Path(__file__).with_name("token_matching.npz")
PARTS = 64
"""Bytes that are kept of a token."""
Codes = NDArray[np.uint8]
"""Shape `(tokens, PARTS)`: what is kept of a text."""


@dataclass(frozen=True, slots=True)
class Turn:
    """The identity and a map of low rank."""

    down: Floats
    """(width, rank)."""
    up: Floats
    """(rank, width)."""

    def of(self, states: Floats) -> Floats:
        """Return the tokens turned, (tokens, width), each of length 1."""
        turned = states + states @ self.down @ self.up
        unit: Floats = turned / np.linalg.norm(turned, axis=1, keepdims=True)
        return unit


@dataclass(frozen=True, slots=True)
class Codebook:
    """Tokens as codes: each part of a token is the nearest of its centres."""

    centres: Floats
    """(parts, centres, width / parts)."""

    def codes(self, states: Floats) -> Codes:
        """Return the codes of tokens."""
        parts = len(self.centres)
        cut = states.reshape(len(states), parts, -1)
        offsets = (self.centres**2).sum(axis=2) / 2
        nearest = [(cut[:, n] @ self.centres[n].T - offsets[n]).argmax(axis=1) for n in range(parts)]
        return np.stack(nearest, axis=1).astype(np.uint8)

    def states(self, codes: Codes) -> Floats:
        """Return what the codes stand for, (tokens, width), each of length 1."""
        states = self.centres[np.arange(len(self.centres)), codes].reshape(len(codes), self.centres[:, 0].size)
        unit: Floats = states / np.maximum(np.linalg.norm(states, axis=1, keepdims=True), 1e-9)
        return unit


@dataclass(frozen=True, slots=True)
class TokenMatcher:
    """What was fitted."""

    question: Turn
    text: Turn
    weight: Floats
    """(width,): its product with a question's token is the logarithm of what that token counts."""

    def counts(self, states: Floats) -> Floats:
        """Return what each token of a question counts, (tokens,); together they count 1."""
        logarithms = states @ self.weight
        counts: Floats = np.exp(logarithms - logarithms.max(initial=0.0))
        return counts / max(float(counts.sum()), 1e-9)

    def matches(self, question: Floats, texts: Floats, begins: NDArray[np.int64]) -> Floats:
        """Return how near its nearest one in each text is to each token of a question, weighed: (texts,).

        `texts` are the turned tokens of all, one text after the other; each begins at its place in `begins`, and none
        is empty.
        """
        near = texts @ self.question.of(question).T
        best: Floats = np.maximum.reduceat(near, begins, axis=0) @ self.counts(question)
        return best


def name() -> str:
    """Return what tells the codes of these maps from those of others."""
    return f"{zlib.crc32(FILE.read_bytes()):08x}"


@cache
def fitted(path: Path = FILE) -> tuple[TokenMatcher, Codebook]:
    """Return them as they were fitted. Raises OSError, ValueError where the file is damaged."""
    with np.load(path, allow_pickle=False) as data:
        parts = {name: data[name].astype(np.float32) for name in data.files}
    matcher = TokenMatcher(
        question=Turn(parts["question_down"], parts["question_up"]),
        text=Turn(parts["text_down"], parts["text_up"]),
        weight=parts["weight"],
    )
    return matcher, Codebook(parts["centres"])
