"""How what is said to Weft is worded, and what people say to each other: learnt from talk, the same for any language.

Two figures, each from a naive Bayes classifier: by the letters of a message, and by its frame. Frames are told apart
among what is put as a question, and among all else: there a remark and a topic without a verb are of the same words, in
another order. The weights (`wording.json`) are fitted by `benchmarks/fit_addressed.py`.
"""

import json
from collections.abc import Mapping, Set
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from agent.reasoning.rules.fitted.naive_bayes import NaiveBayes, frame, letters

FILE = Path(__file__).with_name("wording.json")


@dataclass(frozen=True, kw_only=True, slots=True)
class Wording:
    """What is learnt."""

    letters: NaiveBayes
    common: Set[str]
    """Words that are said about anything: a frame keeps them."""
    frames: Mapping[bool, NaiveBayes]
    """By whether a message is put as a question."""

    def of(self, text: str, *, asks: bool) -> Mapping[str, float]:
        """Return the figures of a message, -4..4 each: above 0 it is worded like what is said to Weft."""
        framed = self.frames[asks].of(frame(text, self.common))
        return {"wording": self.letters.of(letters(text)), "frame": framed}


@lru_cache(maxsize=1)
def wording() -> Wording:
    """Return what the talk corpora taught."""
    data = json.loads(FILE.read_text("utf-8"))
    return Wording(
        letters=NaiveBayes(data["letters"]),
        common=frozenset(data["common"]),
        frames={True: NaiveBayes(data["question"]), False: NaiveBayes(data["other"])},
    )
