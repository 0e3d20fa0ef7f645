"""Which passages say that they change, or take the place of, what another document says."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import PurePosixPath

from agent.language.ko.letters import SYLLABLES, is_hangul
from agent.language.lexicon import pattern
from agent.text import sentences
from agent.types import Hit, Passage

LEAST = 2
"""Words of a name by which a document can be told, in Hangul twice as many syllables: one is too usual."""
FIRST = 3
"""Passages whose documents may be changed: those that are found best."""
_PARTS = re.compile(r"[:–—|(),]| - ")
"""What the parts of a title stand between."""
BEHIND, BEFORE = 40, 120
"""Characters behind and before what says that something is changed in which the name of that stands: a Korean verb ends
its sentence."""
_BETWEEN_HANGUL = re.compile(f"(?<=[{SYLLABLES}]) (?=[{SYLLABLES}])")
_APART = re.compile(r"[\W_]+")


def changes(one: Passage, other: Passage) -> bool:
    """Tell whether a sentence of a passage says that it changes the document of another, which it calls by its name."""
    if one.document_id == other.document_id or one.collection != other.collection:
        return False
    changed = _said_to_be_changed(one.text)
    return bool(changed) and any(_begins(what, name, whole) for name, whole in _names_of(other) for what in changed)


def _begins(what: str, name: str, whole: bool) -> bool:
    """Tell whether a name stands in what is said to be changed; one that is cut at its beginning."""
    return what.startswith(name) or (whole and f" {name}" in what)


def _names_of(passage: Passage) -> Iterator[tuple[str, bool]]:
    """Yield what the document of a passage may be called, and whether that is whole.

    It is called by its title, by a part of that, by the title without whose it is, or by its file's name.
    """
    title = passage.title
    for name in (title, *_PARTS.split(title), PurePosixPath(passage.document_id).stem):
        if _is_telling(name):
            yield _even(name), True
    if _is_telling(short := " ".join(title.split()[1:])):
        yield _even(short), False


def _is_telling(name: str) -> bool:
    words = [word for word in _APART.split(name) if word and not word.isdigit()]
    return len(words) >= LEAST or sum(map(is_hangul, name)) >= 2 * LEAST


def _even(text: str) -> str:
    """Return the words of a text in small letters, those in Hangul without the spaces between them."""
    return _BETWEEN_HANGUL.sub("", _APART.sub(" ", text.casefold()).strip())


def with_changes(hits: Sequence[Hit], rest: Sequence[Hit]) -> list[Hit]:
    """Return hits, each of the first ones with what changes its document right behind it."""
    out = list(hits)
    for hit in hits[:FIRST]:
        behind = out.index(hit) + 1
        later = [each for each in (*out[behind:], *rest) if each not in out[:behind]]
        mine = next((each for each in later if changes(each.passage, hit.passage)), None)
        if mine is not None:
            out = [*out[:behind], mine, *(each for each in out[behind:] if each != mine)]
    return out


@lru_cache(maxsize=1024)
def _said_to_be_changed(text: str) -> tuple[str, ...]:
    """Return what each sentence of a text says that it changes, or takes the place of."""
    follows, precedes = pattern("documents.changes_what_follows"), pattern("documents.changes_what_precedes")
    told: list[str] = []
    for start, end in sentences(text):
        told += [text[each.end() : min(end, each.end() + BEHIND)] for each in follows.finditer(text, start, end)]
        told += [text[max(start, each.start() - BEFORE) : each.start()] for each in precedes.finditer(text, start, end)]
    return tuple(map(_even, told))
