"""The kind of question, by the pack's examples: the nearest ones by words, word pairs and character n-grams."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import exp, log

import numpy as np

from agent.packs.pack import IntentSpec
from agent.reasoning.offline.lexicon import FAINT_ENGLISH, FAINT_KOREAN
from agent.text import strip_particle, terms_of, words

NEIGHBOURS = 3
"""Examples of an intent that its score is taken from."""
_SHARPNESS = 0.08
_ENOUGH = 0.45
"""Similarity from which an example counts as the same thing said otherwise."""
_EDGES = re.compile(r"[^\w\s]|_")


class Intents:
    """Examples of intents, searched by similarity."""

    def __init__(self, specs: Sequence[IntentSpec]) -> None:
        self.specs = {spec.name: spec for spec in specs}
        examples = [(spec.name, example) for spec in specs for example in spec.examples]
        counts = [Counter(_features(text)) for _, text in examples]
        df: Counter[str] = Counter(feature for found in counts for feature in found)
        self._idf = {feature: 1.0 + log((1 + len(examples)) / (1 + n)) for feature, n in df.items()}
        self._names = list(self.specs)
        self._owner = np.array([self._names.index(name) for name, _ in examples], dtype=np.int64)
        postings: dict[str, list[tuple[int, float]]] = defaultdict(list)
        for i, found in enumerate(counts):
            weighted = self._weigh(found)
            for feature, weight in weighted.items():
                postings[feature].append((i, weight))
        self._postings = {
            feature: (np.array([i for i, _ in rows], dtype=np.int64), np.array([w for _, w in rows]))
            for feature, rows in postings.items()
        }
        self._vocabulary = {
            spec.name: frozenset(stem for example in spec.examples for stem in stems(example)) for spec in specs
        }

    def scores(self, text: str) -> dict[str, float]:
        """Return the similarity of a text to each intent, 0..1."""
        if not self._names:
            return {}
        similar = np.zeros(len(self._owner))
        for feature, weight in self._weigh(Counter(_features(text))).items():
            rows = self._postings.get(feature)
            if rows is not None:
                similar[rows[0]] += weight * rows[1]
        out = {}
        for i, name in enumerate(self._names):
            mine = np.sort(similar[self._owner == i])[::-1][:NEIGHBOURS]
            out[name] = float(0.7 * mine[0] + 0.3 * mine.mean()) if len(mine) else 0.0
        return out

    def best(self, text: str) -> tuple[str, float, dict[str, float]]:
        """Return the likeliest intent, how sure that is (0..1), and all similarities."""
        scores = self.scores(text)
        if not scores:
            return "", 0.0, scores
        name = max(scores, key=lambda key: scores[key])
        top = scores[name]
        rivals = sum(exp((score - top) / _SHARPNESS) for score in scores.values())
        return name, min(1.0, top / _ENOUGH) / rivals, scores

    def knows(self, name: str, text: str) -> bool:
        """Tell whether every meaningful word of a text is in the examples of an intent."""
        return self._vocabulary.get(name, frozenset()).issuperset(stems(text))

    def _weigh(self, counts: Counter[str]) -> dict[str, float]:
        unknown = 1.0 + log(1 + len(self._owner)) if hasattr(self, "_owner") else 1.0
        weights = {f: (1 + log(n)) * self._idf.get(f, unknown) for f, n in counts.items()}
        norm = sum(w * w for w in weights.values()) ** 0.5 or 1.0
        return {feature: weight / norm for feature, weight in weights.items()}


def stems(text: str) -> set[str]:
    """Return the meaningful words of a text, by stem."""
    out: set[str] = set()
    for word, _, _ in words(text):
        if "가" <= word[0] <= "힣":
            if word not in FAINT_KOREAN:
                out.add(strip_particle(word))
        elif word not in FAINT_ENGLISH:
            out.update(terms_of(word))
    return out


def _features(text: str) -> Iterator[str]:
    plain = " ".join(_EDGES.sub(" ", text.lower().replace("'", "")).split())
    said = plain.split()
    for word in said:
        yield f"w:{word}"
        for stem in terms_of(word)[:1] if not "가" <= word[0] <= "힣" else (strip_particle(word),):
            yield f"s:{stem}"
        padded = f"<{word}>"
        size = 2 if "가" <= word[0] <= "힣" else 4
        for i in range(len(padded) - size + 1):
            yield f"c:{padded[i : i + size]}"
    for a, b in pairwise(said):
        yield f"p:{a} {b}"
