"""A naive Bayes classifier over what is seen in a text: what a wording is like, in any language. Its weights are data.

Two things are seen in a text: its letters, as pieces of characters that stand side by side, and its frame, the words
that are said in any talk, in their order, with a gap for what the talk is about.
"""

import re
from collections.abc import Collection, Mapping, Set
from dataclasses import dataclass
from itertools import pairwise

from agent.text import normalise

SIZES = (2, 3, 4)
"""Characters of a piece."""
LENGTH = 0.7
"""Power of the number of features that their sum is divided by: those of one word tell nearly the same."""
MOST = 4.0
GAP = "~"
"""Stands for a word that is not said everywhere, before its last character: that may be an ending."""
_WORD = r"[^\W\d_]+(?:['’][^\W\d_]+)*|\d+"
_SAID = re.compile(rf"{_WORD}|[?!]")
_SAID_OR_POINTED = re.compile(rf"{_WORD}|[?!,.]")
_MARKS = str.maketrans("？！’，。", "?!',.")


@dataclass(frozen=True, slots=True)
class NaiveBayes:
    """The log likelihood ratios of features (Manning, Raghavan, Schütze 2008, 13.3)."""

    weights: Mapping[str, float]

    def of(self, features: Collection[str]) -> float:
        """Return how much more these are like those of the one class than of the other, -4..4; 0: like both."""
        known = [self.weights[feature] for feature in sorted(features) if feature in self.weights]
        return max(-MOST, min(MOST, sum(known) / len(known) ** LENGTH)) if known else 0.0


def letters(text: str) -> frozenset[str]:
    """Return the characters that stand side by side in a text: words with one space between them, any number as 0."""
    framed = f"^{' '.join(_said(_SAID, text))}$"
    return frozenset(framed[i : i + size] for size in SIZES for i in range(len(framed) - size + 1))


def frame(text: str, common: Set[str]) -> frozenset[str]:
    """Return the words and marks of a text, and each with its next: those that are common, others as a gap."""
    said = ["^", *(each if each in common else _gap(each) for each in _said(_SAID_OR_POINTED, text)), "$"]
    return frozenset(said) | {f"{one} {next_}" for one, next_ in pairwise(said)}


def _gap(said: str) -> str:
    return f"{GAP}{said[-1]}" if len(said) > 1 else GAP if said.isalpha() else said


def spoken(text: str) -> frozenset[str]:
    """Return the words of a text as a frame knows them."""
    return frozenset(each for each in _said(_SAID, text) if each.isalpha() or "'" in each)


def _said(kind: re.Pattern[str], text: str) -> list[str]:
    """Return the words, numbers and marks of a text; any number is 0."""
    said = normalise(text).lower().translate(_MARKS)
    return ["0" if each[0].isdigit() else each for each in kind.findall(said)]
