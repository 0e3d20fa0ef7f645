"""How what is said to Weft is worded, and what people say to each other: learnt from talk, the same for any language.

Two figures, each from a naive Bayes classifier: by the letters of a message (pieces of characters that stand side by
side), and by its frame (the words that are said in any talk, in their order, with a gap for what the talk is about).
Frames are told apart among what is put as a question, and among all else: there a remark and a topic without a verb are
of the same words, in another order. The weights (`wording.json`) are fitted by `benchmarks/fit_addressed.py`.
"""

import json
import re
from collections.abc import Collection, Mapping, Set
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

from agent.text import normalise

FILE = Path(__file__).with_name("wording.json")
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


@dataclass(frozen=True, kw_only=True, slots=True)
class Wording:
    """What is learnt."""

    letters: Mapping[bool, NaiveBayes]
    """By whether a message is put as a question, as frames are."""
    common: Set[str]
    """Words that are said about anything: a frame keeps them."""
    frames: Mapping[bool, NaiveBayes]

    def of(self, text: str, *, asks: bool) -> Mapping[str, float]:
        """Return the figures of a message, -4..4 each: above 0 it is worded like what is said to Weft."""
        framed = self.frames[asks].of(frame(text, self.common))
        return {"wording": self.letters[asks].of(letters(text)), "frame": framed}


@lru_cache(maxsize=1)
def wording() -> Wording:
    """Return what the talk corpora taught."""
    data = json.loads(FILE.read_text("utf-8"))
    kinds = {True: data["question"], False: data["other"]}
    return Wording(
        letters={asks: NaiveBayes(kind["letters"]) for asks, kind in kinds.items()},
        common=frozenset(data["common"]),
        frames={asks: NaiveBayes(kind["frames"]) for asks, kind in kinds.items()},
    )
