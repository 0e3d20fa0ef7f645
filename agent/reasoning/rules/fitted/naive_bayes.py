"""A naive Bayes classifier over the pieces of a text: what a wording is like, in any language. Its weights are data."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from agent.text import normalise

SIZES = (2, 3, 4)
"""Characters of a piece."""
LENGTH = 0.7
"""Power of the number of pieces that their sum is divided by: those of one word tell nearly the same."""
MOST = 4.0
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*|\d+|[?!？！]")
_MARKS = str.maketrans("？！’", "?!'")


@dataclass(frozen=True, slots=True)
class NaiveBayes:
    """The log likelihood ratios of pieces (Manning, Raghavan, Schütze 2008, 13.3)."""

    weights: Mapping[str, float]

    def of(self, text: str) -> float:
        """Return how much more a text is worded like those of the one class than of the other, -4..4; 0: like both."""
        known = [self.weights[piece] for piece in sorted(pieces(text)) if piece in self.weights]
        return max(-MOST, min(MOST, sum(known) / len(known) ** LENGTH)) if known else 0.0


def pieces(text: str) -> frozenset[str]:
    """Return the characters that stand side by side in a text: words with one space between them, any number as 0."""
    said = normalise(text).lower().translate(_MARKS)
    written = " ".join("0" if word[0].isdigit() else word for word in _WORD.findall(said))
    framed = f"^{written}$"
    return frozenset(framed[i : i + size] for size in SIZES for i in range(len(framed) - size + 1))
