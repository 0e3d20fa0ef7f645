"""A message with another value in the place of one that was asked about: "and 10 %?" after "may it rise by 5 %?"."""

import re
from collections.abc import Set
from functools import lru_cache

from agent.language.ko.letters import is_hangul
from agent.reasoning.rules.thread.history import READ, Past, Word, content
from agent.text import ENGLISH_STOP_WORDS, normalise, words
from agent.values.amounts import Amount, amounts

_SCALED = re.compile(r"\d\s?[^\W\d_]")
"""A number that is no bare one though it has no unit: 3억, 20 million."""


def swapped(question: str, told: str) -> str:
    """Return the question before with the one value of a message in the place of its own.

    Empty where the message says anything else that was not asked, or where either has more than one value.
    """
    text = normalise(told)
    if len(question) > READ or len(text) > READ:
        return ""
    mine, theirs = _values(question), _values(text)
    if len(mine) != 1 or len(theirs) != 1 or not _alike(mine[0], theirs[0]):
        return ""
    new, old = mine[0], theirs[0]
    said = {word.key for word in content(text)}
    others = {word.key for word in content(question) if not new.start <= word.start <= new.end + 1}  # there is its unit
    others |= {word for word, *_ in words(question[: new.start]) if not is_hangul(word)} - ENGLISH_STOP_WORDS
    if not others <= said:
        return ""
    return text[: old.start] + question[new.start : new.end] + text[old.end :]


def replaced(question: str, asked: str) -> Set[str]:
    """Return the keys of words of an earlier question that are a value of which a message gives another."""
    mine = _values(question[:READ])
    gone = [each for each in _earlier(asked) if any(_alike(each, new) for new in mine)]
    return {word.key for word in content(asked) if any(each.start <= word.start < each.end for each in gone)}


def around(turn: Past, word: Word) -> str | None:
    """Return the value of an earlier question that a word of it is in, as it is written there; None where in none."""
    return next((each.written for each in _earlier(turn.asked) if each.start <= word.start < each.end), None)


def _earlier(asked: str) -> tuple[Amount, ...]:
    """Return the values of an earlier question, at their places in what `content` reads."""
    return _values(normalise(asked[: 2 * READ])[:READ])


@lru_cache(maxsize=128)
def _values(text: str) -> tuple[Amount, ...]:
    return tuple(each for each in amounts(text) if each.unit or each.is_rate or _SCALED.search(each.written))


def _alike(one: Amount, other: Amount) -> bool:
    return one.unit == other.unit and one.is_rate == other.is_rate
