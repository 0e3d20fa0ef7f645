"""Words in the other language: for a question in one over documents in the other."""

from collections.abc import Sequence
from functools import lru_cache

from agent.language.lexicon import mapping
from agent.reasoning.rules.reading import lexicon
from agent.reasoning.rules.reading.answer_type import FAINT, Term

MOST = 3
"""Words of the other language for one word."""
Trade = tuple[tuple[str, str], ...]
"""Words of a team's trade and what they are called in English, beside those of general language."""


@lru_cache(maxsize=16)
def _korean(trade: Trade) -> dict[str, tuple[str, ...]]:
    out: dict[str, tuple[str, ...]] = {}
    for korean, meant in (*mapping("bilingual.en").items(), *trade):
        english = tuple(word.strip() for word in meant.split(","))
        out.update((word.strip(), english) for word in korean.split(","))
    return out


@lru_cache(maxsize=16)
def _english(trade: Trade) -> dict[str, tuple[str, ...]]:
    out: dict[str, dict[str, None]] = {}
    for korean, english in _korean(trade).items():
        for phrase in english:
            out.setdefault(" ".join(lexicon.stems_of(phrase.lower())), {})[korean] = None
    return {key: tuple(words) for key, words in out.items()}


def others(term: Term, trade: Trade = ()) -> tuple[str, ...]:
    """Return words of the other language for a term; none for one that is not known."""
    if term.weight <= FAINT:
        return ()
    if not term.hangul:
        english = _english(trade)
        found = english.get(term.stem, ()) or english.get(" ".join(lexicon.stems_of(term.word)), ())
        return found[:MOST]
    known = _korean(trade)
    for end in range(len(term.stem), 1, -1):
        if term.stem[:end] in known and (end == len(term.stem) or end > 2):
            rest = known.get(term.stem[end:], ())
            return (*known[term.stem[:end]], *rest)[:MOST]
    return known.get(term.stem, ())[:MOST]


def phrases(terms: Sequence[Term], trade: Trade = ()) -> dict[int, tuple[str, ...]]:
    """Return words of the other language for neighbouring terms that mean something together: annual leave, 연차.

    Each is under the place of the first of its two terms.
    """
    out: dict[int, tuple[str, ...]] = {}
    for i in range(len(terms) - 1):
        first, second = terms[i], terms[i + 1]
        if first.hangul and second.hangul:
            known = _korean(trade)
            found = known.get(f"{first.stem} {second.stem}") or known.get(first.stem + second.stem)
        else:
            found = _english(trade).get(f"{first.stem} {second.stem}")
        if found:
            out[i] = found[:MOST]
    return out
