"""Words that a team uses for the same thing, as its pack lists them: 전세금, 임대차 보증금."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from agent.language.ko.letters import SYLLABLES, is_hangul

Synonyms = Sequence[Sequence[str]]
"""Groups of phrases that mean the same."""
MOST = 6
"""Other phrases that one question is searched in."""


def others(text: str, groups: Synonyms) -> tuple[str, ...]:
    """Return what else the things that a text names are called."""
    return tuple(dict.fromkeys(phrase for _, rest in named_in(text, groups) for phrase in rest))[:MOST]


def all_named(text: str, sentence: str, groups: Synonyms) -> str | None:
    """Return what a text names besides the things of these groups; None where a sentence lacks one of the latter."""
    for group in _named(text, groups):
        if not any(_pattern(phrase).search(sentence) for phrase in group):
            return None
        for phrase in group:
            text = re.sub(rf"{_pattern(phrase).pattern}[{SYLLABLES}]*", " ", text, flags=re.IGNORECASE)
    return text


def as_written(text: str, groups: Synonyms, passages: Sequence[str]) -> str:
    """Return a question in the words of these passages, for each thing that none of them calls as it does."""
    for said, others in named_in(text, groups):
        held = [phrase for phrase in (*said, *others) if any(_pattern(phrase).search(passage) for passage in passages)]
        if held and not any(phrase in held for phrase in said):
            text = _pattern(said[0]).sub(lambda _, word=held[0]: word, text)  # type: ignore[misc]
    return text


def named_in(text: str, groups: Synonyms) -> Iterator[tuple[list[str], list[str]]]:
    """Yield for each thing that a text names what it calls that, and what else it is called."""
    for group in _named(text, groups):
        said = [phrase for phrase in group if _pattern(phrase).search(text)]
        yield said, [phrase for phrase in group if phrase not in said]


def _named(text: str, groups: Synonyms) -> Iterator[Sequence[str]]:
    yield from (group for group in groups if any(_pattern(phrase).search(text) for phrase in group))


@lru_cache(maxsize=4_000)
def _pattern(phrase: str) -> re.Pattern[str]:
    """Return a pattern for a phrase where a word begins; behind a Korean one may stand a particle."""
    before = rf"(?<![{SYLLABLES}])" if is_hangul(phrase[0]) else r"(?<![^\W_])"
    after = "" if is_hangul(phrase[-1]) else rf"(?![^\W_{SYLLABLES}])"
    return re.compile(before + re.escape(phrase) + after, re.IGNORECASE)
