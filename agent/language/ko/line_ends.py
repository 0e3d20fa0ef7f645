"""Where a line of Korean ends inside a word: page layout parts words between any two syllables, without a hyphen.

Whether a line's end stands between two words is a logistic regression over how often words end with the last syllable
and begin with the next, and what the lines of the same document write together and apart elsewhere. Its weights
(`line_ends.json`) are fitted by `benchmarks/fit_line_ends.py`; no text is in them.
"""

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

from agent.language.ko.letters import SYLLABLES, is_hangul

_LONG = 6
"""Syllables from which a word is long."""
LONGEST = 12
"""Characters of a word that are read."""
CLEAR = 1.0
"""How much likelier it must be, as a natural logarithm, that lines end anywhere: what is whole rather stays so."""
_LAST = re.compile(rf"(?<![0-9A-Za-z{SYLLABLES}])[0-9A-Za-z{SYLLABLES}]++$")
_FIRST = re.compile(rf"[{SYLLABLES}]{{1,{LONGEST}}}")
_DIGIT, _LATIN = "0", "a"
"""What stands for every digit, and every Latin letter, among the syllables that words end with."""


@dataclass(frozen=True, slots=True)
class Weights:
    """What is fitted."""

    ends: Mapping[str, float]
    """By syllable, the log-odds that a word ends with it; 0 where it was too seldom seen."""
    begins: Mapping[str, float]
    """The same of words that begin with it."""
    figures: Mapping[str, float]
    parted: float
    """Share of the line ends that stand between words, where lines end anywhere."""


class LineEnds:
    """Which ends of a document's lines stand inside a word; `pairs` are lines that follow each other in a paragraph."""

    def __init__(self, pairs: Sequence[tuple[str, str]], weights: Weights | None = None) -> None:
        self._weights = weights or fitted()
        self._words: Counter[str] = Counter()
        self._begun: Counter[str] = Counter()
        self._beside: Counter[str] = Counter()
        self._apart: Counter[str] = Counter()
        opened = [pair for pair in pairs if is_open(*pair)]
        for line in {line for pair in pairs for line in pair} if opened else ():
            self._learn(line)
        likely = [self.apart(*pair) for pair in opened]
        evidence = sum(math.log(max(each, 1e-3) / self._weights.parted) for each in likely)
        self.anywhere = evidence < -CLEAR
        """Whether lines end anywhere, and not all of them between words."""

    def is_inside(self, before: str, after: str) -> bool:
        """Tell whether the end of the first line stands inside a word, which goes on in the second."""
        return self.anywhere and is_open(before, after) and self.apart(before, after) < 0.5

    def apart(self, before: str, after: str) -> float:
        """Return how likely the end of a line stands between two words, 0..1, where lines end anywhere."""
        figures = self.figures(before, after)
        total = sum(self._weights.figures.get(name, 0.0) * value for name, value in figures.items())
        return 1 / (1 + math.exp(-total))

    def figures(self, before: str, after: str) -> Mapping[str, float]:
        """Return what is seen of an open line end."""
        head, tail = _last(before), _first(after)
        end, begin = _kind(head[-1]), tail[0]
        whole = [head + tail[:length] for length in range(1, len(tail) + 1)]
        return {
            "bias": 1.0,
            "ends": self._weights.ends.get(end, 0.0),
            "begins": self._weights.begins.get(begin, 0.0),
            "together": math.log((self._beside[end + begin] + 0.5) / (self._apart[end + begin] + 0.5)),
            "known": float(any(self._begun[each] for each in whole)),
            "whole": math.log1p(self._begun[whole[-1]]),
            "head": math.log1p(self._words[head]),
            "tail": math.log1p(self._words[tail]),
            "head_long": min(len(head), _LONG) / 3,
            "tail_long": min(len(tail), _LONG) / 3,
        }

    def _learn(self, line: str) -> None:
        """Count what a line writes together and apart; its first and last word may be parts of words."""
        for word in line.split()[1:-1]:
            bare = word.strip(".,()[]\"'")[:LONGEST]
            self._words[bare] += 1
            self._begun.update(bare[:length] for length in range(2, len(bare) + 1))
        self._beside.update(together(line))
        self._apart.update(apart(line))


def is_open(before: str, after: str) -> bool:
    """Tell whether a word of the first line may go on in the second."""
    return is_hangul(after) and bool(_last(before))


def together(text: str) -> Iterable[str]:
    """Yield each character and the syllable that is written to it."""
    return (_kind(a) + b for a, b in pairwise(text) if is_hangul(b) and _kind(a))


def apart(text: str) -> Iterable[str]:
    """Yield each character with which a word ends and the syllable with which the next begins."""
    around = zip(text, text[1:], text[2:], strict=False)
    return (_kind(a) + c for a, b, c in around if b == " " and is_hangul(c) and _kind(a))


@cache
def fitted() -> Weights:
    """Return the weights that were fitted."""
    return Weights(**json.loads(Path(__file__).with_suffix(".json").read_text("utf-8")))


def _last(line: str) -> str:
    found = _LAST.search(line[-LONGEST:])
    return found.group() if found else ""


def _first(line: str) -> str:
    found = _FIRST.match(line)
    return found.group() if found else ""


def _kind(character: str) -> str:
    """Return a syllable itself, what stands for a digit or a letter, nothing for a sign."""
    if is_hangul(character):
        return character
    return _DIGIT if character.isdecimal() else _LATIN if character.isascii() and character.isalpha() else ""
