"""How well texts match a question token by token (late interaction; Khattab, Zaharia 2020), by what was fitted.

The tokens of the bundled model were taught for their mean. Two maps of low rank turn them to what tells an answer, one
for the tokens of questions and one for those of texts, and a third row weighs the tokens of a question. They are data,
`token_matching.npz`; `python -m benchmarks.fit_matching` fits them.
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from adapters.services.bundled_weights import Floats

FILE = Path(__file__).with_name("token_matching.npz")


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


@cache
def fitted() -> TokenMatcher:
    """Return it as it was fitted. Raises OSError, ValueError where the file is damaged."""
    with np.load(FILE, allow_pickle=False) as data:
        parts = {name: data[name].astype(np.float32) for name in data.files}
    return TokenMatcher(
        question=Turn(parts["question_down"], parts["question_up"]),
        text=Turn(parts["text_down"], parts["text_up"]),
        weight=parts["weight"],
    )
