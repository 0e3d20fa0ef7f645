"""Words that Korean took over by their sound: which Latin word a Korean one may be written for (라우터, router).

Two things are told of a Korean word: which consonants a Latin word must have to sound like it, by which such words are
looked up, and how likely it is one of them. The latter is a logistic regression over how well the sounds of the one
give the letters of the other (a joint model of letters, as in Li, Zhang, Su 2004), and how foreign its syllables are.
The weights (`loanwords.json`) are fitted by `benchmarks/fit_loanwords.py` on the pairs of `bilingual.yaml`.
"""

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import chain, pairwise
from pathlib import Path

from agent.language.ko.letters import SYLLABLES, sounds
from agent.language.lexicon import mapping

LONGEST = 12
"""Syllables of a word that is looked at."""
CHUNK = 3
"""Letters that one sound may stand for, at most."""
ALIKE = 0.5
"""How much likelier than by chance (natural logarithm), a sound, words of one meaning sound alike if they are one."""
SPELT = 3
"""Syllables of the names of letters that stand for an abbreviation, at least."""
_MOST_SOUNDS = 600
"""Ways that the consonants of one word may be written; a word with more is none of these."""
EDGE = "^"
_SILENT = frozenset("aeiouwyh")
_VOWELS = frozenset("aeiouy")
_CLASSES: Mapping[str, str] = {
    **dict.fromkeys("bpfv", "P"),
    **dict.fromkeys("cgkq", "K"),
    **dict.fromkeys("dt", "T"),
    **dict.fromkeys("jsz", "S"),
    **dict.fromkeys("lr", "L"),
    "m": "M",
    "n": "N",
    "x": "KS",
}
_FIRST: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys("ㄱㄲㅋ", ("K",)),
    **dict.fromkeys("ㄷㄸㅌ", ("T",)),
    **dict.fromkeys("ㅂㅃㅍ", ("P",)),
    **dict.fromkeys("ㅅㅆㅈㅉㅊ", ("S", "K", "T")),
    **dict.fromkeys("ㅇㅎ", ("",)),
    "ㄴ": ("N",),
    "ㄹ": ("L",),
    "ㅁ": ("M",),
}
"""Classes that the first sound of a syllable is written by: 서 of service and of circle, 스 of Python's th."""
_LAST: Mapping[str, tuple[str, ...]] = {
    "": ("",),
    **dict.fromkeys("ㄱㅋ", ("K",)),
    **dict.fromkeys("ㄷㅅㅌ", ("T",)),
    **dict.fromkeys("ㅂㅍ", ("P",)),
    "ㄴ": ("N",),
    "ㄹ": ("L",),
    "ㅁ": ("M",),
    "ㅇ": ("NK", "N"),
}
_LATIN = re.compile(r"[a-z]{3,}")
_KOREAN = re.compile(f"[{SYLLABLES}]+")
_PROGRESSIVE = "ing"
"""What the stems of the index lack of words that Korean takes over with it: 서핑 of surfing."""


@dataclass(frozen=True, slots=True)
class Weights:
    """What is fitted."""

    letters: Mapping[str, Mapping[str, float]]
    """By sound, how likely it stands for letters."""
    usual: Mapping[str, float]
    """How likely a letter is in any Latin word."""
    foreign: Mapping[str, float]
    """By two sounds in a row, how much likelier (natural logarithm) they are in words taken over."""
    figures: Mapping[str, float]
    """Of the regression; `bias` is its intercept."""


def sound_of(latin: str) -> str:
    """Return the classes of the consonants that are heard in a Latin word of small letters; empty for another word."""
    if not _LATIN.fullmatch(latin):
        return ""
    out: list[str] = []
    last = ""
    for at, letter in enumerate(latin):
        if letter in _SILENT:
            last = "" if letter in _VOWELS else last
            continue
        after = latin[at + 1 : at + 3]
        heard = letter != "r" or (after[:1] in _VOWELS and after != "e")
        mine = _CLASSES[letter] if heard else ""
        if mine and mine != last:
            out.append(mine)
        last = mine[-1:] or last
    return "".join(out)


@lru_cache(maxsize=1_024)
def sounds_of(korean: str) -> frozenset[str]:
    """Return what `sound_of` may give for a Latin word that a Korean one is written for; none for no such word."""
    if not _KOREAN.fullmatch(korean) or not 1 < len(korean) <= LONGEST:
        return frozenset()
    ways = {("", "")}  # the classes so far, and the last one if no vowel stands behind it
    before = ""
    for first, vowel, final in map(sounds, korean):
        heads = ("",) if first == before == "ㄹ" else _FIRST[first]
        ways = {
            _joined(_joined(way, head, parted=vowel != "ㅡ" or not head), tail)
            for way in ways
            for head in heads
            for tail in _LAST.get(final, ())
        }
        if len(ways) > _MOST_SOUNDS:
            return frozenset()
        before = final
    found = {way for way, _ in ways if way}
    if _is_progressive(korean):
        found |= {way[:-2] for way in found if way.endswith("NK")}
    return frozenset(found)


def _joined(way: tuple[str, str], more: str, *, parted: bool = False) -> tuple[str, str]:
    """Return a way with further classes; what is heard twice in a row, with no vowel between, is written once."""
    classes, last = way
    for each in more:
        classes += "" if each == last else each
        last = each
    return classes, "" if parted else last


def _is_progressive(korean: str) -> bool:
    return sounds(korean[-1])[1:] == ("ㅣ", "ㅇ")


def likely(korean: str, stem: str, rivals: int, weights: Weights | None = None) -> float:
    """Return how likely a Korean word is written for a Latin one, 0..1, of so many that sound alike."""
    weights = weights or fitted()
    held = weights.figures
    odds = sum(held[name] * value for name, value in figures(korean, stem, rivals, weights).items()) + held["bias"]
    return 1 / (1 + math.exp(-odds))


def is_written_for(korean: str, latin: str) -> bool:
    """Tell whether one of two words that mean the same was taken over from the other."""
    if not sound_of(latin) or sound_of(latin) not in sounds_of(korean):
        return False
    heard = heard_in(korean)
    return alike(heard, latin, fitted()) > ALIKE * len(heard)


def figures(korean: str, stem: str, rivals: int, weights: Weights) -> Mapping[str, float]:
    """Return what the regression is made of."""
    heard = heard_in(korean)
    forms = (stem, stem + _PROGRESSIVE) if _is_progressive(korean) else (stem,)
    best = max(-2.0 * len(heard), *(alike(heard, form, weights) for form in forms))
    return {
        "alike": best / len(heard),
        "together": best / 10,
        "foreign": foreign(heard, weights) / (len(heard) + 1),
        "syllables": math.log(len(korean)),
        "rivals": math.log1p(rivals),
    }


def heard_in(korean: str) -> tuple[str, ...]:
    """Return the sounds of a Korean word in order; a final consonant is another sound than a first one."""
    parts = map(sounds, korean)
    heard = ((first if first != "ㅇ" else "", vowel, final and f"-{final}") for first, vowel, final in parts)
    return tuple(filter(None, chain.from_iterable(heard)))


def alike(heard: Sequence[str], latin: str, weights: Weights) -> float:
    """Return how much likelier these sounds give this word than chance does, as a natural logarithm."""
    given = forward(heard, latin, weights.letters)[-1][-1]
    if given <= 0:
        return -math.inf
    return math.log(given) - sum(math.log(weights.usual.get(letter, 1e-4)) for letter in latin)


def forward(heard: Sequence[str], latin: str, letters: Mapping[str, Mapping[str, float]]) -> list[list[float]]:
    """Return (sounds + 1, letters + 1): how likely the first sounds give the first letters, in whatever parts."""
    rows = [[1.0, *([0.0] * len(latin))]]
    for sound in heard:
        row = [0.0] * (len(latin) + 1)
        given = letters.get(sound, {})
        for start, before in enumerate(rows[-1]):
            if before:
                for end in range(start, min(start + CHUNK, len(latin)) + 1):
                    row[end] += before * given.get(latin[start:end], 0.0)
        rows.append(row)
    return rows


def foreign(heard: Sequence[str], weights: Weights) -> float:
    """Return how much likelier these sounds are in a word that was taken over, as a natural logarithm."""
    return sum(weights.foreign.get("".join(pair), 0.0) for pair in pairwise((EDGE, *heard, EDGE)))


def spelt(korean: str) -> Iterator[str]:
    """Yield the abbreviations that a word spells by the names of its letters: api of 에이피아이."""
    if SPELT <= len(korean) <= LONGEST and _KOREAN.fullmatch(korean):
        yield from (letters for letters in _spelt(korean) if len(letters) > 1)


def _spelt(korean: str) -> Iterator[str]:
    if not korean:
        yield ""
    for name, letter in mapping("text.letter_names", "ko").items():
        if korean.startswith(name):
            yield from (letter + rest for rest in _spelt(korean[len(name) :]))


@cache
def fitted() -> Weights:
    """Return the weights as they were fitted."""
    return Weights(**json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8")))
