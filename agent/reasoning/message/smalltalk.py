"""Messages that are only talk: hiii, thx!!, 고마웡ㅎㅎ, calls for help, "what documents do you have?", "never mind"."""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

from agent.language.ko.stems import plain_ending
from agent.language.lexicon import ordered, pattern, regex

_NOISE = re.compile(r"<[@#!][^>]*>|<a?:\w+:\d+>|:[a-z0-9_+-]+:|@\S+|[^\w\s]|_")
_LAUGHTER = pattern("reading.laughter")
_LAUGHTER_IN_WORDS = pattern("reading.laughter_in_words")
_DRAWN_OUT = re.compile(r"([^\W\d_])\1{2,}")

_SAID = regex("reading.acknowledged")
_AROUND = regex("reading.around_thanks")
_THANKS = regex("reading.thanks")
DOCUMENTS = "documents"
"""What a message asks for that wants to know which documents there are."""
_PATTERNS = (
    ("greeting", re.compile(rf"^(?:{regex('reading.greeting')}(?: {regex('reading.addressed')})* ?)+$")),
    ("thanks", re.compile(rf"^(?:(?:{_AROUND}|{_SAID}) )*{_THANKS}(?: (?:{_AROUND}|{_SAID}|{_THANKS}))*$")),
    (DOCUMENTS, re.compile(rf"^{regex('reading.asks_for_documents')}$")),
    ("help", re.compile(rf"^{regex('reading.call_for_help')}$")),
)
_NOTED = re.compile(
    rf"^(?:(?:{_AROUND} )*{_SAID}(?: (?:{_AROUND}|{_SAID}))*"
    rf"|(?:(?:{_AROUND}|{_SAID}) )+{regex('reading.short_thanks')})$"
)
_CLOSED = regex("reading.closed")
_CLOSING = re.compile(
    rf"^(?:(?:(?:{_AROUND}|{_SAID}|{_THANKS}) )*{_CLOSED}(?: (?:{_AROUND}|{_SAID}|{_THANKS}|{_CLOSED}))*"
    rf"|{regex('reading.agreed')})$"
)
_CALLED = re.compile(r"(?<=[a-z])(?<!^[Nn]o) (?:[A-Z][a-z]+|bye)$")
"""Somebody's name at the end of a greeting or of thanks; what stands behind a no was meant instead."""
_MOST = 60
"""Characters of small talk; a longer message says something."""


_ROWS = tuple(row + " " + row[::-1] for row in ordered("reading.keyboard_rows"))
_TYPED_BLINDLY = pattern("reading.typed_blindly")


def is_unreadable(text: str) -> bool:
    """Tell whether a message has no words at all: emoji, punctuation, laughter, keys pressed in a row."""
    said = _LAUGHTER.sub("", _NOISE.sub(" ", text)).split()
    return all(_is_typed_blindly(word) for word in said)


def _is_typed_blindly(word: str) -> bool:
    """Tell whether a word is made of neighbouring keys alone, one after the other: asdf, qwer, ㅁㄴㅇㄹ."""
    if _TYPED_BLINDLY.match(word):
        return not any(pattern.match(word) for _, pattern in _PATTERNS)
    low = word.lower()
    return len(low) > 3 and any(_is_made_of(low, row) for row in _ROWS)


def _is_made_of(word: str, row: str) -> bool:
    """Tell whether a word is pieces of a row of keys, each of four keys or more."""
    if not word:
        return True
    sizes = range(len(word), 3, -1)
    return any(word[:size] in row and _is_made_of(word[size:], row) for size in sizes)


def without_laughter(text: str) -> str:
    """Return a message without the ㅋㅋ and ㅎㅎ in it, unless it is made of nothing else."""
    calm = " ".join(_LAUGHTER_IN_WORDS.sub(" ", text).split())
    return calm or text


def small_talk(text: str) -> str:
    """Return what a message is that is nothing else: `greeting`, `thanks`, `closing`, `help`, `documents`; or empty."""
    asked = "?" in text
    spoken = " ".join(_NOISE.sub(" ", text.replace("'", "").replace("’", "")).split())
    if len(spoken) > _MOST:
        return ""
    forms = [spoken] if asked else [spoken, _CALLED.sub("", spoken)]
    forms += [" ".join(_LAUGHTER.sub(" ", form).split()) for form in forms]
    for said in dict.fromkeys(variant for form in forms for variant in _variants(form.lower(), slips=not asked)):
        for name, form in _PATTERNS:
            if form.match(said):
                return name
        if not asked and _NOTED.match(said):
            return "thanks"
        if not asked and _CLOSING.match(said):
            return "closing"
    return ""


def _variants(said: str, *, slips: bool) -> Iterator[str]:
    """Yield a message as it is, then with drawn-out letters, playful endings and slips of the keyboard put right."""
    yield said
    short = _DRAWN_OUT.sub(r"\1", said)
    yield short
    yield (plain := " ".join(plain_ending(word) for word in short.split()))
    if slips:
        yield " ".join(_corrected(word) for word in plain.split())


_WORDS = ordered("reading.small_talk_words")


@lru_cache(maxsize=1000)
def _corrected(word: str) -> str:
    """Return the word of small talk that a word is a slip of the keyboard away from, or the word itself."""
    if len(word) < 4 or len(word) > 16:
        return word
    spelt = unicodedata.normalize("NFD", word)
    for known in _WORDS:
        letters = unicodedata.normalize("NFD", known)
        if spelt == letters:
            return word
        if slips(spelt, letters, most=1 if len(letters) < 9 else 2) >= 0:
            return known
    return word


def slips(a: str, b: str, *, most: int) -> int:
    """Return how many slips (a letter more, less, wrong, or two swapped) lie between two words; -1 for too many."""
    if abs(len(a) - len(b)) > most or not a or not b or a[0] != b[0]:
        return -1
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, letter in enumerate(a, start=1):
        following = [i]
        for j, (other, (diagonal, above)) in enumerate(zip(b, pairwise(row), strict=True), start=1):
            best = min(diagonal + (letter != other), above + 1, following[-1] + 1)
            if i > 1 and j > 1 and letter == b[j - 2] and a[i - 2] == other:
                best = min(best, before[j - 2] + 1)
            following.append(best)
        if min(following) > most:
            return -1
        before, row = row, following
    return row[-1] if row[-1] <= most else -1
