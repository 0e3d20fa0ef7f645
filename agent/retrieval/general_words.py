"""Words that are no general English ones: what stands in no document is then a slip of the keyboard, or a name.

`english.txt` lists the general ones by stem; `benchmarks/usual.py` makes it of public passages.
"""

import re
from collections.abc import Container, Mapping
from functools import lru_cache
from itertools import islice
from pathlib import Path

from agent.edits import edits
from agent.text import indexed_words, terms_of

FILE = Path(__file__).with_name("english.txt")
SHORTEST, LONGEST = 5, 24
"""Letters of a word that is told from others: shorter ones are too near to each other."""
PART = 3
"""Letters of each part of a word that others write in two."""
MOST = 3
"""Strange words of a text that are told from slips, which takes up to 10 ms a word."""
_PLAIN = re.compile(r"[A-Za-z]?[a-z]+")


def strange_words(text: str, held: Container[str]) -> dict[str, str]:
    """Return words of a text that are no general ones and whose term is not held, each with its term."""
    out: dict[str, str] = {}
    for word in indexed_words(text):
        if SHORTEST <= len(word) <= LONGEST and _PLAIN.fullmatch(word) and len(terms_of(word)) == 1:
            (term,) = terms_of(word)
            if term not in held and term not in _english():
                out[word] = term
    return out


@lru_cache(maxsize=32)  # a turn asks it of the same question several times
def names_not_held(text: str, held: frozenset[str]) -> Mapping[str, str]:
    """Return those of the first strange words that are no slip of what is held, or general, nor two such in one."""
    strange = islice(strange_words(text, held).items(), MOST)
    return {word: term for word, term in strange if not _is_slip(word.lower(), held)}


def in_two(word: str) -> list[tuple[str, str]]:
    """Return the ways to part a word in two."""
    return [(word[:n], word[n:]) for n in range(PART, len(word) - PART + 1)]


def _is_slip(word: str, held: Container[str]) -> bool:
    def is_known(written: str) -> bool:
        return all(term in held or term in _english() for term in terms_of(written))

    return any(map(is_known, edits(word))) or any(all(map(is_known, parts)) for parts in in_two(word))


@lru_cache(maxsize=1)
def _english() -> frozenset[str]:
    return frozenset(FILE.read_text(encoding="utf-8").split())
