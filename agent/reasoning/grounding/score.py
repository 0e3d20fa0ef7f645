"""How much a text is like its source by its words, 0..1.

The score is a logistic function of a few shares, each within 0..1, weighed as `WEIGHTS` says.
"""

from collections.abc import Mapping
from math import exp

from agent.language.lexicon import words
from agent.reasoning.grounding.matching import beside, held, in_order, share
from agent.reasoning.grounding.wording import Wording, sentences_of, wording_of

_SPEAKER = words("grounding.speaker_words")
_READ = 6
"""Sentences of the source whose order of words is looked at."""
_MOST = 6.0
"""Weight of missing words beyond which a text is not less supported."""


WEIGHTS = {"held": 3.5, "order": 3.0, "beside": 1.0, "missing": -1.8, "asks": -1.0, "speaker": -0.3}
BIAS = -4.3


def likeness(text: str, source: str) -> float:
    """Return how much a text is like its source by its words alone, 0..1."""
    total = BIAS + sum(WEIGHTS[name] * value for name, value in shares(text, source).items())
    return 1 / (1 + exp(-total))


def _likely(text: Wording, source: str) -> list[Wording]:
    """Return the sentences of a source that share most marks with a text."""
    read = [wording_of(sentence) for sentence in sentences_of(source)]
    return sorted(read, key=lambda sentence: -len(text.marks & sentence.marks))[:_READ]


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
    return {
        "held": share(found, weights),
        "order": max((in_order(told, near) for near in _likely(told, source)), default=0.0),
        "beside": beside(told, known),
        "missing": min(1.0, lost / _MOST),
        "asks": float("?" in text),
        "speaker": float(any(word in _SPEAKER and word not in known.known for word in told.words)),
    }
