"""The kind of question, learnt from the pack's examples: which one, how surely, or none of them."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from math import log, sqrt

import numpy as np

from agent.language.lexicon import pattern
from agent.language.registry import scripts
from agent.packs.pack import IntentSpec
from agent.reasoning.message.smalltalk import slips
from agent.reasoning.rules.fitted import linear_classifier
from agent.reasoning.rules.fitted.linear_classifier import Floats, Vector
from agent.reasoning.rules.reading import answer_type
from agent.reasoning.rules.reading.lexicon import FAINT_WORDS
from agent.text import strip_particle, terms_of, words

LOST = 0.005
"""Share of the examples that are understood rightly which may be taken for none of the kinds: what is less like its
kind than the rest of them is refused."""
NEIGHBOURS = 3
"""Examples of an intent that nearness is taken from."""
_STEEPNESS = np.geomspace(0.5, 12.0, 24, dtype=np.float32)
_USUAL = 3.0
"""Steepness that is believed until examples tell otherwise, as strongly as a handful of them would."""


@dataclass(frozen=True, slots=True)
class Guess:
    """The likeliest intent and how sure it is (0..1); `inside` is False for what resembles no intent enough."""

    name: str
    confidence: float
    inside: bool
    shares: dict[str, float]
    """How sure each intent is; what is missing to 1 is for none of them."""


NOTHING = Guess("", 0.0, False, {})


class Intents:
    """A classifier of messages, trained when it is made; the same examples give the same one."""

    def __init__(self, specs: Sequence[IntentSpec]) -> None:
        self.specs = {spec.name: spec for spec in specs}
        self._names = list(self.specs)
        examples = [(i, example) for i, spec in enumerate(specs) for example in spec.examples]
        self._owners = [owner for owner, _ in examples]
        counts = [Counter(features(text)) for _, text in examples]
        df: Counter[str] = Counter(feature for found in counts for feature in found)
        self._places = {feature: i for i, feature in enumerate(df)}
        self._unknown = 1.0 + log(1 + len(examples))
        self._rarity = np.array([1.0 + log((1 + len(examples)) / (1 + n)) for n in df.values()], dtype=np.float32)
        self._examples = [self._vector(found) for found in counts]
        self._vocabulary = {
            spec.name: frozenset(stem for example in spec.examples for stem in (*stems(example), *_said(example)))
            for spec in specs
        }
        if self._names:
            self._linear, unseen = linear_classifier.fit(self._examples, self._owners, len(self._names), len(df))
            self._none, self._steepness = _calibrate(unseen, np.array(self._owners))

    def best(self, text: str) -> Guess:
        """Return what kind of question a text is."""
        if not self._names:
            return NOTHING
        scores = self._linear.scores(self._vector(Counter(features(text))))
        shares = _shares(scores[None, :], self._none, self._steepness)[0]
        top = int(scores.argmax())
        return Guess(
            self._names[top],
            float(shares[top]),
            bool(scores[top] >= self._none),
            dict(zip(self._names, shares.tolist(), strict=True)),
        )

    def nearness(self, text: str) -> dict[str, float]:
        """Return how like the nearest examples of each intent a text is, 0..1."""
        mine = np.zeros(len(self._rarity), dtype=np.float32)
        at, values = self._vector(Counter(features(text)))
        mine[at] = values
        similar: dict[str, list[float]] = {name: [] for name in self._names}
        for owner, (place, weights) in zip(self._owners, self._examples, strict=True):
            similar[self._names[owner]].append(float(weights @ mine[place]))
        out = {}
        for name, found in similar.items():
            nearest = sorted(found, reverse=True)[:NEIGHBOURS]
            out[name] = 0.7 * nearest[0] + 0.3 * sum(nearest) / len(nearest)
        return out

    def strange(self, name: str, text: str) -> set[str]:
        """Return the meaningful words of a text that the examples of an intent do not have, by stem."""
        known = self._vocabulary.get(name, frozenset())
        return {stem for stem in stems(text) if not _in(stem, known)}

    def _vector(self, counts: Counter[str]) -> Vector:
        """Return the weighted features; unknown ones count for the length alone, so that they make a text less sure."""
        known = [(place, 1.0 + log(n)) for f, n in counts.items() if (place := self._places.get(f)) is not None]
        unknown = sum((1.0 + log(n)) ** 2 for f, n in counts.items() if f not in self._places)
        at = np.array([place for place, _ in known], dtype=np.int64)
        weights = np.array([weight for _, weight in known], dtype=np.float32) * self._rarity[at]
        length = sqrt(float(weights @ weights) + unknown * self._unknown**2) or 1.0
        return at, weights / np.float32(length)


def _said(text: str) -> Iterator[str]:
    """Yield the words as they stand: a slip of the keyboard in a faint one is no strange word."""
    for word, _, _ in words(text):
        yield word


_ASKED_FOR = pattern("reading.asked_for")


def stems(text: str) -> set[str]:
    """Return the meaningful words of a text, by stem."""
    return {
        term.stem
        for term in answer_type.read(text).terms
        if term.tells and not (term.hangul and _ASKED_FOR.match(term.word))
    }


def _in(stem: str, known: Set[str]) -> bool:
    """Tell whether a stem is known: as it is, a slip of the keyboard away, or written together of known ones."""
    if stem in known:
        return True
    if stem.isascii():
        return len(stem) > 3 and any(slips(stem, other, most=1) >= 0 for other in known if len(other) > 3)
    return len(stem) > 3 and _made_of(stem, known)


def _made_of(joined: str, known: Set[str]) -> bool:
    """Tell whether Korean words written without a space are known ones; a particle may follow each."""
    reached = {0}
    for end in range(2, len(joined) + 1):
        for start in [at for at in reached if end - at >= 2]:
            piece = joined[start:end]
            if piece in known or piece in FAINT_WORDS or strip_particle(piece) in known:
                reached.add(end)
    return len(joined) in reached


def _calibrate(unseen: Floats, owners: linear_classifier.Places) -> tuple[float, float]:
    """Return the score from which a text is of a kind at all, and how steeply scores turn into shares."""
    right = unseen.argmax(axis=1) == owners
    tops = np.sort(unseen.max(axis=1)[right if right.any() else slice(None)])
    none = float(tops[int(LOST * len(tops))])
    own = np.arange(len(owners))

    def loss(steepness: float) -> float:
        told = _shares(unseen, none, steepness)[own, owners]
        return float(-np.log(told + 1e-9).sum()) + 5.0 * log(steepness / _USUAL) ** 2

    return none, min((float(steepness) for steepness in _STEEPNESS), key=loss)


def _shares(scores: Floats, none: float, steepness: float) -> Floats:
    """Return the softmax of the scores beside that of being none of them."""
    beside = np.concatenate([scores, np.full((len(scores), 1), none, dtype=np.float32)], axis=1)
    powers = np.exp(np.float32(steepness) * (beside - beside.max(axis=1, keepdims=True)))
    shares: Floats = (powers / powers.sum(axis=1, keepdims=True))[:, :-1]
    return shares


_HANGUL = scripts()["hangul"].letters
_FROM, _TO = min(filter(str.isalpha, _HANGUL)), max(filter(str.isalpha, _HANGUL))
"""Between the single sounds and the syllables stand ideographs: they are read a sign at a time, too."""
_RUN = re.compile(rf"[{_HANGUL}]+(?:\s+[{_HANGUL}]+)*|[^\W_{_HANGUL}]+")
_SYLLABLES = (1, 2, 3)
_LETTERS = 4


def features(text: str) -> Iterator[str]:
    """Yield what tells kinds of question apart.

    English: words, stems, pairs of stems, four letters in a row. Korean: one to three syllables in a row, whatever
    the spacing. Both: the kind of answer that is asked for.
    """
    before = "^"
    for match in _RUN.finditer(text.lower().replace("'", "").replace("’", "")):
        said = match.group()
        if _FROM <= said[0] <= _TO:
            joined = f"<{''.join(said.split())}>"
            for size in _SYLLABLES:
                for i in range(len(joined) - size + 1):
                    yield joined[i : i + size]
            before = "#"
            continue
        stem = (terms_of(said) or (said,))[0]
        yield f"w:{said}"
        yield f"s:{stem}"
        yield f"p:{before} {stem}"
        before = stem
        joined = f"<{said}>"
        for i in range(len(joined) - _LETTERS + 1):
            yield f"c:{joined[i : i + _LETTERS]}"
    yield f"p:{before} $"
    for kind in answer_type.read(text).kinds:
        yield f"k:{kind.value}"
