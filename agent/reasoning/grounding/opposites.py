"""Words that exclude each other: open and closed, employer and employee, north and south, 증가 and 감소.

What only denies (forbidden, 불가) is read by `polarity`, not here.
"""

from collections.abc import Iterable
from functools import lru_cache

from agent.language.ko.letters import is_hangul
from agent.language.lexicon import groups
from agent.reasoning.grounding.wording import Wording

_LONGEST = 6
Kind = tuple[int, int]
"""A group, and one of its kinds."""


def kinds_of(text: Wording) -> dict[Kind, tuple[str, ...]]:
    """Return the opposites of a text: by group and kind, the stems that say so."""
    out: dict[Kind, list[str]] = {}
    known = _kinds()
    for stem, word in zip(text.stems, text.words, strict=True):
        for kind in known.get(word, ()) or (_korean_kinds(word) if is_hangul(word) else ()):
            out.setdefault(kind, []).append(stem)
    for word in _hyphenated(text):
        for kind in known.get(word, ()):
            out.setdefault(kind, []).extend(word.split("-"))
    return {kind: tuple(stems) for kind, stems in out.items()}


def others(kind: Kind, kinds: Iterable[Kind]) -> list[Kind]:
    """Return the kinds that exclude this one."""
    return [other for other in kinds if other[0] == kind[0] and other[1] != kind[1]]


def _hyphenated(text: Wording) -> list[str]:
    return [f"{a}-{b}" for a, b in zip(text.words, text.words[1:], strict=False) if b == "time"]


@lru_cache(maxsize=20_000)
def _korean_kinds(word: str) -> tuple[Kind, ...]:
    known = _kinds()
    found: dict[Kind, None] = {}
    for start in range(len(word)):
        for size in range(min(_LONGEST, len(word) - start), 0, -1):
            part = word[start : start + size]
            # A single syllable counts only as the whole word, a longer form anywhere in a compound.
            if part in known and (size > 1 or (start == 0 and size == len(word))):
                found.update(dict.fromkeys(known[part]))
                break
    longest = dict(found)
    for kind in list(found):  # 불가능 is not 가능, 비공개 is not 공개
        if any(other in longest for other in others(kind, found)) and not _outermost(word, kind):
            longest.pop(kind, None)
    return tuple(longest)


def _outermost(word: str, kind: Kind) -> bool:
    """Tell whether the longest form of its group that stands in the word is of this kind."""
    forms = [(len(form), held) for form, kinds in _kinds().items() if form in word for held in kinds]
    return max((each for each in forms if each[1][0] == kind[0]), default=(0, kind))[1] == kind


@lru_cache(maxsize=1)
def _kinds() -> dict[str, tuple[Kind, ...]]:
    """Return the kinds by word, and of Korean by the form that may stand in a compound."""
    return kinds_by_form("grounding.opposites")


def kinds_by_form(entry: str, sign: int = 1) -> dict[str, tuple[Kind, ...]]:
    """Return the kinds of an entry by their forms; `sign` keeps the groups of two entries apart."""
    out: dict[str, list[Kind]] = {}
    for number, group in enumerate(groups(entry), start=1):
        for side, forms in enumerate(group):
            for form in forms.split():
                out.setdefault(form, []).append((sign * number, side))
    return {form: tuple(kinds) for form, kinds in out.items()}
