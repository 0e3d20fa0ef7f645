"""A linear classifier: each class against all others, with support vectors found in the dual, one example at a time.

Coordinate descent for the squared hinge loss (Hsieh et al., "A Dual Coordinate Descent Method for
Large-scale Linear SVM", ICML 2008, algorithm 1), all classes at once. What the examples would get
from a classifier that has not seen them is learnt in the same pass: beside the columns of the real
one stand those of one for each fold, in which the examples of that fold weigh nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Places = NDArray[np.int64]
Vector = tuple[Places, Floats]
"""Which features a text has, and how much of each."""

FOLDS = 5
_PASSES = 8
_LOOSENESS = 0.5
"""1 / 2C with C = 1: how far an example of the other classes may stay on the wrong side. For the class's own examples
C is the square root of how many others there are for each, or small classes would drown."""
_STILL = 0.02
"""An epoch that moves no multiplier by more is the last."""


@dataclass(frozen=True, slots=True)
class Linear:
    """Weights of every feature for every class; above zero an example is rather of the class than not."""

    weights: Floats
    bias: Floats

    def scores(self, vector: Vector) -> Floats:
        """Return how far a text stands on the side of each class."""
        features, values = vector
        scored: Floats = values @ self.weights[features] + self.bias
        return scored


def fit(vectors: Sequence[Vector], owners: Sequence[int], classes: int, features: int) -> tuple[Linear, Floats]:
    """Return the classifier, and the scores of each example by one that was trained without its fold."""
    columns = classes * (1 + FOLDS)
    folds = _folds(owners, classes)
    signs = np.where(np.eye(classes, dtype=bool), 1.0, -1.0).astype(np.float32)
    signs = np.tile(signs, (1, 1 + FOLDS))
    loose = np.tile(_loosenesses(owners, classes), (1, 1 + FOLDS))
    counts = np.ones((FOLDS, columns), dtype=np.float32)
    for fold in range(FOLDS):
        counts[fold, (1 + fold) * classes : (2 + fold) * classes] = 0.0
    weights = np.zeros((features, columns), dtype=np.float32)
    bias = np.zeros(columns, dtype=np.float32)
    multipliers = np.zeros((len(vectors), columns), dtype=np.float32)
    sizes = [float(values @ values) + 1.0 for _, values in vectors]
    order = np.random.default_rng(0)
    for _ in range(_PASSES):
        moved = 0.0
        for i in order.permutation(len(vectors)).tolist():
            at, values = vectors[i]
            sign, give, before = signs[owners[i]], loose[owners[i]], multipliers[i]
            mine = weights[at]
            slope = sign * (values @ mine + bias) - 1.0 + give * before
            after = np.maximum(before - slope / (sizes[i] + give), 0.0) * counts[folds[i]]
            step = (after - before) * sign
            largest = float(np.abs(step).max())
            if largest < 1e-4:
                continue
            moved = max(moved, largest)
            multipliers[i] = after
            mine += values[:, None] * step
            weights[at] = mine
            bias += step
        if moved < _STILL:
            break
    unseen = np.zeros((len(vectors), classes), dtype=np.float32)
    for i, (at, values) in enumerate(vectors):
        own = slice((1 + folds[i]) * classes, (2 + folds[i]) * classes)
        unseen[i] = values @ weights[at, own] + bias[own]
    return Linear(np.ascontiguousarray(weights[:, :classes]), bias[:classes].copy()), unseen


def _loosenesses(owners: Sequence[int], classes: int) -> Floats:
    """Return, for an example of each class, how loose it is held in the column of each class."""
    sizes = np.bincount(owners, minlength=classes)
    others = np.maximum((len(owners) - sizes) / np.maximum(sizes, 1), 1.0)
    own = (_LOOSENESS / np.sqrt(others)).astype(np.float32)
    loose: Floats = np.where(np.eye(classes, dtype=bool), own[:, None], np.float32(_LOOSENESS))
    return loose


def _folds(owners: Sequence[int], classes: int) -> list[int]:
    """Return the fold of each example: those of one class take turns."""
    seen = [0] * classes
    folds = []
    for owner in owners:
        folds.append(seen[owner] % FOLDS)
        seen[owner] += 1
    return folds
