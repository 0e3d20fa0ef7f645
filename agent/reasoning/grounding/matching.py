"""How much of a text's words its source holds, in other forms too, and how like it the text is by that, 0..1.

The likeness is a logistic function of a few shares, each within 0..1, weighed as `WEIGHTS` says.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from math import exp

from agent.language.ko.letters import is_hangul
from agent.language.lexicon import words
from agent.reasoning.grounding.wording import Wording, sentences_of, wording_of

RELATED = 0.8
"""What a word counts that the source has in another form."""
WEIGHTS = {"held": 3.5, "order": 3.0, "beside": 1.0, "missing": -1.8, "asks": -1.0, "speaker": -0.3}
BIAS = -4.3
_VERBAL = words("grounding.verbal_endings")
_SPEAKER = words("grounding.speaker_words")
_SHORT = 4
_APART = 3
"""How many content words may lie between two neighbours in the source."""
_READ = 6
"""Sentences of the source whose order of words is looked at."""
_MOST = 6.0
"""Weight of missing words beyond which a text is not less supported."""


def likeness(text: str, source: str) -> float:
    """Return how much a text is like its source by its words alone, 0..1."""
    total = BIAS + sum(WEIGHTS[name] * value for name, value in shares(text, source).items())
    return 1 / (1 + exp(-total))


def shares(text: str, source: str) -> Mapping[str, float]:
    """Return what a text has in common with its source, each within 0..1.

    - held: of its content words, weighed, those that the source has;
    - order: of all its words, those that one sentence of the source has in the same order;
    - beside: of its neighbouring words, those that are near each other in the source;
    - missing: the weight of the words that the source lacks, of `_MOST`;
    - asks: 1 where it asks something;
    - speaker: 1 where it speaks of its speaker or hearer, and the source does not.
    """
    told, known = wording_of(text), wording_of(source)
    found = held(told, known)
    # A number may be written in many ways; whether the source gives it is asked apart.
    weights = [
        0.0 if not each and told.words[place][0].isdigit() else weight
        for each, weight, place in zip(found, told.weights, told.content, strict=True)
    ]
    lost = sum((1 - each) * weight for each, weight in zip(found, weights, strict=True))
    read = [wording_of(sentence) for sentence in sentences_of(source)]
    near = sorted(read, key=lambda sentence: -len(told.marks & sentence.marks))[:_READ]
    return {
        "held": share(found, weights),
        "order": max((in_order(told, each) for each in near), default=0.0),
        "beside": beside(told, known),
        "missing": min(1.0, lost / _MOST),
        "asks": float("?" in text),
        "speaker": float(any(word in _SPEAKER and word not in known.known for word in told.words)),
    }


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
    if not is_hangul(stem):
        return RELATED if stem in source.initials else float(bool(source.joined) and stem in source.joined)
    if not source.joined:
        return 0.0
    if len(stem) > 1 and stem in source.joined:
        return 1.0
    if len(stem) == 2 and stem[1] in _VERBAL:
        return RELATED if any(other[0] == stem[0] and len(other) <= _SHORT for other in source.known) else 0.0
    if len(stem) < 3:
        return 0.0
    pairs = [stem[i : i + 2] in source.joined for i in range(len(stem) - 1)]
    if sum(pairs) >= len(pairs) / 2:
        return 1.0 if pairs[0] else RELATED
    return RELATED if pairs[0] and len(stem) <= 5 else 0.0


def share(found: Sequence[float], weights: Sequence[float]) -> float:
    """Return the weighted share that is held, 0..1; 1.0 where nothing has to be."""
    total = sum(weights)
    return sum(f * w for f, w in zip(found, weights, strict=True)) / total if total else 1.0


def beside(text: Wording, source: Wording) -> float:
    """Return the share of neighbouring content words that are near each other in the source, 0..1."""
    mine = [text.stems[i] for i in text.content]
    if len(mine) < 2:
        return share(held(text, source), text.weights)
    near = _near(tuple(source.stems[i] for i in source.content))
    return sum((pair in near or pair[::-1] in near) for pair in pairwise(mine)) / (len(mine) - 1)


@lru_cache(maxsize=512)
def _near(stems: tuple[str, ...]) -> frozenset[tuple[str, str]]:
    return frozenset(pair for gap in range(1, _APART + 1) for pair in zip(stems, stems[gap:], strict=False))


def in_order(text: Wording, source: Wording) -> float:
    """Return the share of all words that the source has in the same order (longest common subsequence), 0..1."""
    return _subsequence(text.stems, source.stems) / len(text.stems) if text.stems else 1.0


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
