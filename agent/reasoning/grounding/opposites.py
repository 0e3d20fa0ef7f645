"""Words that exclude each other: open and closed, employer and employee, north and south, 증가 and 감소.

What only denies (forbidden, 불가) is read by `polarity`, not here.
"""

from collections.abc import Iterable
from functools import lru_cache

from agent.language.ko.letters import is_hangul
from agent.language.lexicon import groups
from agent.reasoning.grounding.wording import Wording

Kind = tuple[int, int]
"""A group, and one of its kinds."""


def kinds_of(text: Wording) -> dict[Kind, tuple[str, ...]]:
    """Return the opposites of a text: by group and kind, the stems that say so."""
    out: dict[Kind, list[str]] = {}
    known = _kinds()
    for stem, word in zip(text.stems, text.words, strict=True):
        for kind in known.get(word, ()) or known.get(stem, ()) or (_korean_kinds(word) if is_hangul(word) else ()):
            out.setdefault(kind, []).append(stem)
    return {kind: tuple(stems) for kind, stems in out.items()}


def others(kind: Kind, kinds: Iterable[Kind]) -> list[Kind]:
    """Return the kinds that exclude this one."""
    return [other for other in kinds if other[0] == kind[0] and other[1] != kind[1]]


@lru_cache(maxsize=20_000)
def _korean_kinds(word: str) -> tuple[Kind, ...]:
    """Return the kinds that stand in a compound; of one group the longest: 불가능 is not 가능, 비공개 is not 공개.

    A single syllable counts only as the whole word.
    """
    known = _kinds()
    forms = [(len(form), kind) for form, kinds in known.items() if len(form) > 1 and form in word for kind in kinds]
    longest: dict[int, tuple[int, Kind]] = {}
    for each in forms:
        longest[each[1][0]] = max(each, longest.get(each[1][0], each))
    return tuple(kind for _, kind in longest.values())


@lru_cache(maxsize=1)
def _kinds() -> dict[str, tuple[Kind, ...]]:
    """Return the kinds by word, and of Korean by the form that may stand in a compound."""
    out: dict[str, list[Kind]] = {}
    for number, group in enumerate(groups("grounding.opposites")):
        for side, forms in enumerate(group):
            for form in forms.split():
                out.setdefault(form, []).append((number, side))
    return {form: tuple(kinds) for form, kinds in out.items()}
