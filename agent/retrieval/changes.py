"""Which passages say that they change, or take the place of, what another document says."""

import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import PurePosixPath

from agent.language.lexicon import pattern
from agent.text import days_apart, sentences, tokens
from agent.types import Hit, Passage
from agent.values.dates import dates

LEAST = 2
"""Terms of a name by which a document can be told: one word is too usual."""
FIRST = 3
"""Passages whose documents may be changed: those that are found best."""
_BETWEEN_WORDS = re.compile(r"[\W_]+")
_PARTS = re.compile(r"[:–—|(),]| - ")
"""What the parts of a title stand between."""


def changes(one: Passage, other: Passage) -> bool:
    """Tell whether a sentence of a passage says that it changes the document of another, which it calls by its name."""
    if one.document_id == other.document_id or one.collection != other.collection:
        return False
    changed = _said_to_be_changed(one.text)
    return bool(changed) and any(name <= terms for name in _names_of(other) for terms in changed)


def _names_of(passage: Passage) -> tuple[frozenset[str], ...]:
    """Return the same of the document of a passage: its file has a name, too."""
    return (*_names(passage.title), *_names(_BETWEEN_WORDS.sub(" ", PurePosixPath(passage.document_id).stem)))


@lru_cache(maxsize=1024)
def _names(title: str) -> tuple[frozenset[str], ...]:
    """Return the terms of what a document may be called by: its title, a part of that, or the end of one.

    Before it there may stand whose document it is.
    """
    parts = [part.split() for part in (title, *_PARTS.split(title))]
    ends = [name_terms(" ".join(part[at:])) for part in parts for at in range((len(part) + 1) // 2)]
    return tuple(dict.fromkeys(name for name in ends if len(name) >= LEAST))


def with_changes(hits: Sequence[Hit], rest: Sequence[Hit]) -> list[Hit]:
    """Return hits, each of the first ones with what changes its document right behind it."""
    behind: dict[int, Hit] = {}
    for place, hit in enumerate(hits[:FIRST]):
        later = (each for each in (*hits[place + 1 :], *rest) if each not in behind.values())
        mine = next((each for each in later if changes(each.passage, hit.passage)), None)
        if mine is not None:
            behind[hit.passage.id] = mine
    moved = {hit.passage.id for hit in behind.values()}
    out: list[Hit] = []
    for hit in hits:
        if hit.passage.id not in moved:
            out += [hit, *filter(None, [behind.get(hit.passage.id)])]
    return out


@lru_cache(maxsize=4096)
def name_terms(text: str) -> frozenset[str]:
    """Return the terms of a name without its numbers."""
    told = days_apart(text, dates(text), shown=False)
    return frozenset(term for term in tokens(told) if not term[0].isdigit())


@lru_cache(maxsize=1024)
def _said_to_be_changed(text: str) -> tuple[frozenset[str], ...]:
    """Return the terms of each sentence that says that something is changed, or replaced."""
    said = pattern("documents.changes").search
    told = (text[start:end] for start, end in sentences(text))
    return tuple(frozenset(tokens(sentence)) for sentence in told if said(sentence))
