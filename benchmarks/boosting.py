"""Fit symmetric trees to examples by gradient boosting, on the log loss, with Newton's steps in the leaves."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from agent.reasoning.rules.fitted.symmetric_trees import Tree, Trees

Floats = NDArray[np.float64]
Places = NDArray[np.int64]
CUTS = 32
"""Places at which a figure may be cut: its quantiles."""
PENALTY = 5.0
"""Of large leaves; added to the weight of the examples in a leaf."""


def boosted(
    rows: Sequence[Mapping[str, float]], wanted: Sequence[bool], *, trees: int = 500, depth: int = 4, rate: float = 0.08
) -> Trees:
    """Return trees that tell how likely an example is wanted, each fitted to what those before it leave wrong."""
    names = sorted(rows[0])
    y = np.array(wanted, dtype=float)
    columns = [np.array([row[name] for row in rows]) for name in names]
    cuts = [_cuts(column) for column in columns]
    bins = [np.searchsorted(places, column, side="left") for places, column in zip(cuts, columns, strict=True)]
    odds = np.zeros(len(y))
    grown = []
    for _ in range(trees):
        p = 1 / (1 + np.exp(-odds))
        slope, curve = y - p, p * (1 - p)
        chosen: list[tuple[str, float]] = []
        leaf = np.zeros(len(y), dtype=np.int64)
        for level in range(depth):
            figure, place = _best(bins, cuts, leaf, 1 << level, slope, curve)
            chosen.append((names[figure], round(float(cuts[figure][place]), 3)))
            leaf += (bins[figure] > place).astype(np.int64) << level
        sums = [np.bincount(leaf, each, minlength=1 << depth) for each in (slope, curve)]
        leaves = np.round(rate * sums[0] / (sums[1] + PENALTY), 3)
        odds += leaves[leaf]
        grown.append(Tree(chosen, leaves.tolist()))
    return Trees(grown)


def _cuts(column: Floats) -> Floats:
    """Return where a figure may be cut: rounded, so that what is kept cuts as what was fitted."""
    return np.unique(np.round(np.quantile(column, np.linspace(0, 1, CUTS + 1)[:-1]), 3))


def _best(
    bins: Sequence[Places], cuts: Sequence[Floats], leaf: Places, leaves: int, slope: Floats, curve: Floats
) -> tuple[int, int]:
    """Return the figure, and the place of the cut, that explain most, in all leaves together."""
    best = (-1.0, 0, 0)
    for figure, (column, places) in enumerate(zip(bins, cuts, strict=True)):
        wide = len(places) + 1
        both = leaf * wide + column
        sums = [
            np.bincount(both, each, minlength=leaves * wide).reshape(leaves, wide).cumsum(axis=1)
            for each in (slope, curve)
        ]
        below = [each[:, :-1] for each in sums]
        above = [each[:, -1:] - each[:, :-1] for each in sums]
        gains = sum(np.square(s) / (c + PENALTY) for s, c in (below, above))
        told = gains.sum(axis=0)
        place = int(told.argmax())
        if told[place] > best[0]:
            best = (float(told[place]), figure, place)
    return best[1], best[2]
