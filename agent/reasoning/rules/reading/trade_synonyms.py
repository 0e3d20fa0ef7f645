"""Words that a team uses for the same thing, as its pack lists them: 전세금, 임대차 보증금.

English ones stand for their other forms (reset for resetting) and for the same words with hyphens, Korean ones for what
is written together or apart (육아휴직, 육아 휴직). What a longer phrase says, a shorter one within it does not say.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, zip_longest

from agent.language.ko.letters import LETTERS, SYLLABLES, is_hangul
from agent.text import terms_of, tokens

Synonyms = Sequence[Sequence[str]]
"""Groups of phrases that mean the same."""
MOST = 6
"""Other phrases that one question is searched in."""
LONG = 4
"""Syllables from which a Korean word may be two."""
_LATIN = re.compile(rf"[^\W_{LETTERS}]+")
_KOREAN = re.compile(f"[{SYLLABLES}]")
_ENDING = re.compile(f"[{SYLLABLES}]*")

Named = tuple[frozenset[str], tuple[frozenset[str], ...]]
"""The index terms of what is named, and those of each way to say it."""
Place = tuple[int, int]
"""Where a phrase begins in a text, and where it ends."""


def others(text: str, groups: Synonyms) -> tuple[str, ...]:
    """Return what else the things that a text names are called, of each in turn; no form that says the same again."""
    known = set(tokens(text))
    out: list[str] = []
    for phrase in chain.from_iterable(zip_longest(*(rest for _, rest in named_in(text, groups)))):
        if phrase is not None and not known.issuperset(tokens(phrase)):
            known.update(tokens(phrase))
            out.append(phrase)
    return tuple(out[:MOST])


def terms_named(text: str, groups: Synonyms) -> Iterator[Named]:
    """Yield the terms of each thing that a text names, with those of each of its names: any of them says all."""
    for said, more in named_in(text, groups):
        own = frozenset(chain.from_iterable(map(tokens, said)))
        ways = dict.fromkeys(terms for phrase in (*said, *more) if (terms := frozenset(tokens(phrase))))
        if own:
            yield own, tuple(terms for terms in ways if not own <= terms)


def all_named(text: str, sentence: str, groups: Synonyms) -> str | None:
    """Return what a text names besides the things of these groups; None where a sentence lacks one of the latter."""
    rest = list(text)
    for said, more in named_in(text, groups):
        if not any(_places(phrase, sentence) for phrase in (*said, *more)):
            return None
        for start, end in chain.from_iterable(_places(phrase, text) for phrase in said):
            stop = _ENDING.match(text, end).end()  # type: ignore[union-attr]
            rest[start:stop] = " " * (stop - start)
    return "".join(rest)


def named_in(text: str, groups: Synonyms) -> Iterator[tuple[list[str], list[str]]]:
    """Yield for each thing that a text names what it calls that, and what else it is called."""
    begins = _by_beginning(tuple(map(tuple, groups)))
    found: dict[int, dict[str, list[Place]]] = {}
    for group, _, phrase in sorted({each for first in {*text, *_heard(text).known} for each in begins.get(first, ())}):
        if places := _places(phrase, text):
            found.setdefault(group, {})[phrase] = places
    every = {place for said in found.values() for places in said.values() for place in places}
    for group, said in found.items():
        if any(not _is_within(place, every) for places in said.values() for place in places):
            yield list(said), [phrase for phrase in groups[group] if phrase not in said]


def _is_within(place: Place, every: set[Place]) -> bool:
    return any(start <= place[0] and place[1] <= end and (start, end) != place for start, end in every)


def _places(phrase: str, text: str) -> list[Place]:
    first, stems = _begin(phrase)
    if stems is None:
        return [match.span() for match in _pattern(phrase).finditer(text)] if first in text else []
    heard = _heard(text)
    if first not in heard.known:
        return []
    return [
        (heard.places[at][0], heard.places[at + len(stems) - 1][1])
        for at in range(len(heard.stems) - len(stems) + 1)
        if heard.stems[at : at + len(stems)] == stems
    ]


@lru_cache(maxsize=16)
def _by_beginning(groups: tuple[tuple[str, ...], ...]) -> dict[str, list[tuple[int, int, str]]]:
    """Return the phrases by what they begin with, each with the place of its group and its own in that."""
    out: dict[str, list[tuple[int, int, str]]] = {}
    for number, group in enumerate(groups):
        for place, phrase in enumerate(group):
            out.setdefault(_begin(phrase)[0], []).append((number, place, phrase))
    return out


@dataclass(frozen=True, slots=True)
class _Heard:
    """The Latin words of a text without their endings, each with its place; those of asking count as others."""

    stems: tuple[str, ...]
    places: tuple[Place, ...]
    known: frozenset[str]


@lru_cache(maxsize=8_000)
def _heard(text: str) -> _Heard:
    words = list(_LATIN.finditer(text))
    stems = tuple((terms_of(word.group()) or (word.group().lower(),))[0] for word in words)
    return _Heard(stems=stems, places=tuple(word.span() for word in words), known=frozenset(stems))


@lru_cache(maxsize=8_000)
def _begin(phrase: str) -> tuple[str, tuple[str, ...] | None]:
    """Return the first syllable or stem of a phrase, which most texts lack, and all stems where they are Latin."""
    if (syllable := _KOREAN.search(phrase)) is not None:
        return syllable.group(), None
    stems = _heard(phrase).stems
    return (stems[0] if stems else "", stems)


@lru_cache(maxsize=8_000)
def _pattern(phrase: str) -> re.Pattern[str]:
    """Return a pattern for a Korean phrase where a word begins; behind it may stand a particle."""
    before = rf"(?<![{SYLLABLES}])" if is_hangul(phrase[0]) else r"(?<![^\W_])"
    after = "" if is_hangul(phrase[-1]) else rf"(?![^\W_{SYLLABLES}])"
    return re.compile(before + " ?".join(map(_spaced, phrase.split())) + after, re.IGNORECASE)


def _spaced(word: str) -> str:
    """Return a pattern for a word, which may be written as two if it is long enough; neither has one syllable."""
    if len(word) < LONG or not all(map(is_hangul, word)):
        return re.escape(word)
    return word[:2] + "".join(f" ?{syllable}" for syllable in word[2:-1]) + word[-1]
