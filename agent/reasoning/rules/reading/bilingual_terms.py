"""Words in the other language: for a question in one over documents in the other."""

from collections.abc import Sequence
from functools import lru_cache

from agent.language.ko.glossary import glossary
from agent.reasoning.rules.reading import lexicon
from agent.reasoning.rules.reading.answer_type import FAINT, SPECIFIC, Term

MOST = 3
"""Words of the other language for one word."""
Trade = tuple[tuple[str, str], ...]
"""Words of a team's trade and what they are called in English, beside those of general language."""


@lru_cache(maxsize=16)
def _korean(trade: Trade) -> dict[str, tuple[str, ...]]:
    out = dict(glossary())
    for korean, meant in trade:
        english = tuple(word.strip() for word in meant.split(","))
        out.update((word.strip(), english) for word in korean.split(","))
    return out


@lru_cache(maxsize=32)
def _english(trade: Trade, *, as_written: bool = False) -> dict[str, tuple[str, ...]]:
    out: dict[str, dict[str, None]] = {}
    for korean, english in _korean(trade).items():
        for phrase in map(str.lower, english):
            out.setdefault(phrase if as_written else " ".join(lexicon.stems_of(phrase)), {})[korean] = None
    return {key: tuple(words) for key, words in out.items()}


def in_other_language(terms: Sequence[Term], trade: Trade = ()) -> list[tuple[str, ...]]:
    """Return for each term what it may be called in the other language, the likeliest first.

    Neighbours that mean something together stand at the first of the two (annual leave, 연차). In a question in
    Korean a word in other letters is a name, and stays; so does any word that is not known and may be one.
    """
    korean = any(term.hangul for term in terms)
    out: list[tuple[str, ...]] = []
    for i, term in enumerate(terms):
        pair = _together(term, terms[i + 1], trade) if i + 1 < len(terms) else ()
        if i and (before := _together(terms[i - 1], term, trade)) and out[-1] == before[:MOST]:
            out.append(())
        elif korean and not term.hangul:
            out.append((term.word,))
        else:
            known = (pair or _alone(term, trade))[:MOST]
            out.append(known or ((term.word,) if term.weight >= SPECIFIC else ()))
    return out


def _alone(term: Term, trade: Trade) -> tuple[str, ...]:
    if term.weight <= FAINT:
        return ()
    if not term.hangul:
        english = _english(trade)
        written = _english(trade, as_written=True).get(term.word.lower(), ())  # "paid" is something else than "pay"
        return written or english.get(term.stem, ()) or english.get(" ".join(lexicon.stems_of(term.word)), ())
    known = _korean(trade)
    for end in range(len(term.stem), 1, -1):
        head, rest = known.get(term.stem[:end], ()), term.stem[end:]
        if head and rest in known:
            return (f"{head[0]} {known[rest][0]}", *head)
        if head and (end > 2 or len(rest) < 2):
            return head
    return known.get(term.stem, ())


def _together(first: Term, second: Term, trade: Trade) -> tuple[str, ...]:
    if not first.hangul and not second.hangul:
        return _english(trade).get(f"{first.stem} {second.stem}", ())
    known = _korean(trade)
    return known.get(f"{first.stem} {second.stem}") or known.get(first.stem + second.stem, ())
