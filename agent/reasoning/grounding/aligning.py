"""Which sentences of a source speak of what a sentence says, and how alike they are."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from agent.reasoning.grounding.matching import word_held
from agent.reasoning.grounding.wording import Wording, sentences_of, wording_of

_CANDIDATES = 4
"""Sentences of a source that are read closely; the others share fewer words."""
_TIE = 0.1
"""How much less alike a sentence may be and still speak of the same."""


@dataclass(frozen=True, slots=True)
class Near:
    """A sentence of the source, and the share of the other text's words that it holds."""

    text: str
    wording: Wording
    share: float


@lru_cache(maxsize=1024)
def pieces_of(source: str) -> tuple[tuple[str, Wording], ...]:
    """Return the sentences of a source with their words."""
    return tuple((text, read) for text in sentences_of(source) if (read := wording_of(text)).content)


def nearest(text: Wording, source: str, *, without: frozenset[str] = frozenset()) -> list[Near]:
    """Return the sentences of the source that hold most of a text's words, the best first, and those hardly worse.

    Words in `without` do not count: what is asked is whether the rest speaks of the same thing.
    """
    wanted = [(text.stems[i], weight) for i, weight in zip(text.content, text.weights, strict=True)]
    wanted = [(stem, weight) for stem, weight in wanted if stem not in without]
    total = sum(weight for _, weight in wanted)
    if not total:
        return []
    ranked = sorted(pieces_of(source), key=lambda piece: len(text.marks & piece[1].marks), reverse=True)
    found = [Near(piece, words, _share(wanted, words) / total) for piece, words in ranked[:_CANDIDATES]]
    best = max((near.share for near in found), default=0.0)
    return sorted(
        (near for near in found if near.share >= best - _TIE and near.share > 0), key=lambda near: -near.share
    )


def alike(text: Wording, other: Wording) -> float:
    """Return the weighted share of a text's words that another one holds, 0..1; 0 for a text without any."""
    wanted = [(text.stems[i], weight) for i, weight in zip(text.content, text.weights, strict=True)]
    total = sum(weight for _, weight in wanted)
    return _share(wanted, other) / total if total else 0.0


def _share(wanted: Sequence[tuple[str, float]], words: Wording) -> float:
    known = words.known
    return sum(weight if stem in known else weight * word_held(stem, words) for stem, weight in wanted)
