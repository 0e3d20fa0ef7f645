"""How much of a text's words its source holds: in other forms, beside each other, in their order."""

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

from agent.language.ko.letters import is_hangul
from agent.language.lexicon import groups, words
from agent.reasoning.grounding.wording import Wording, heads_of
from agent.text import terms_of

RELATED = 0.8
"""What a word counts that the source has in another form (decide, decision) or by another name."""
_VERBAL = words("grounding.verbal_endings")
_SHORT = 4
_APART = 3
"""How many content words may lie between two neighbours in the source."""


def held(text: Wording, source: Wording) -> list[float]:
    """Return for each content word of a text how well the source holds it, 0..1; said twice it must be there twice."""
    used: Counter[str] = Counter()
    out = []
    for place in text.content:
        stem = text.stems[place]
        used[stem] += 1
        found = word_held(stem, source)
        if found == 1.0 and not source.joined and used[stem] > source.counts[stem]:
            found = 0.5
        out.append(found)
    return out


def word_held(stem: str, source: Wording) -> float:
    """Return how well the source holds a word, 0..1."""
    if stem in source.known:
        return 1.0
    if is_hangul(stem):
        return _korean(stem, source)
    if stem in source.initials or not same_as(stem).isdisjoint(source.known):
        return RELATED
    if len(stem) >= 5 and any(_related(stem, other) for other in heads_of(source).get(stem[:4], ())):
        return RELATED
    if source.joined and stem in source.joined:
        return 1.0
    return 0.0


def same_as(stem: str) -> frozenset[str]:
    """Return the stems that stand for this one wherever they are written; none for most."""
    return _groups().get(stem, frozenset())


@lru_cache(maxsize=1)
def _groups() -> dict[str, frozenset[str]]:
    out: dict[str, set[str]] = {}
    for group in groups("grounding.synonyms"):
        stems = {terms_of(word)[0] if word.isascii() and terms_of(word) else word for word in group}
        for stem in stems:
            out.setdefault(stem, set()).update(stems - {stem})
    return {stem: frozenset(others) for stem, others in out.items()}


def _korean(stem: str, source: Wording) -> float:
    if not source.joined:
        return 0.0
    if stem in source.joined and (len(stem) > 1 or stem in source.known):
        return 1.0
    if any(other in source.joined for other in same_as(stem)):
        return RELATED
    if len(stem) == 2 and stem[1] in _VERBAL:
        return RELATED if any(other[0] == stem[0] and len(other) <= _SHORT for other in source.known) else 0.0
    if len(stem) < 3:
        return 0.0
    pairs = [stem[i : i + 2] for i in range(len(stem) - 1)]
    share = sum(pair in source.joined for pair in pairs) / len(pairs)
    if share >= 0.5:
        return 1.0 if stem[:2] in source.joined else RELATED
    return RELATED if stem[:2] in source.joined and len(stem) <= 5 else 0.0


@lru_cache(maxsize=20_000)
def _related(one: str, other: str) -> bool:
    """Tell whether two stems that stemming keeps apart are forms of one word: apply and applic."""
    shared = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        shared += 1
    short, long = sorted((len(one), len(other)))
    return shared >= 4 and (shared >= 0.75 * long or (shared == short >= 5))


def share(found: Sequence[float], weights: Sequence[float]) -> float:
    """Return the weighted share that is held, 0..1; 1.0 where nothing has to be."""
    total = sum(weights)
    return sum(f * w for f, w in zip(found, weights, strict=True)) / total if total else 1.0


def beside(text: Wording, source: Wording) -> float:
    """Return the share of neighbouring content words that are near each other in the source, 0..1."""
    mine = [text.stems[i] for i in text.content]
    if len(mine) < 2:
        return share(held(text, source), text.weights)
    near = _near(source)
    return sum((pair in near or pair[::-1] in near) for pair in pairwise(mine)) / (len(mine) - 1)


@lru_cache(maxsize=512)
def _near_of(stems: tuple[str, ...]) -> frozenset[tuple[str, str]]:
    return frozenset(pair for gap in range(1, _APART + 1) for pair in zip(stems, stems[gap:], strict=False))


def _near(source: Wording) -> frozenset[tuple[str, str]]:
    return _near_of(tuple(source.stems[i] for i in source.content))


def in_order(text: Wording, source: Wording) -> float:
    """Return the share of all words that the source has in the same order (longest common subsequence), 0..1."""
    if not text.stems:
        return 1.0
    return _subsequence(text.stems, source.stems) / len(text.stems)


def _subsequence(one: Sequence[str], other: Sequence[str]) -> int:
    """Return the length of the longest common subsequence, a bit for each word (Hyyrö 2004)."""
    places: dict[str, int] = {}
    for i, stem in enumerate(one):
        places[stem] = places.get(stem, 0) | 1 << i
    full = (1 << len(one)) - 1
    row = full
    for stem in other:
        at = row & places.get(stem, 0)
        row = ((row + at) | (row - at)) & full
    return len(one) - row.bit_count()
