"""A sum of symmetric trees: figures by name in, a likelihood out. Its cuts and leaves are data.

In a symmetric tree all nodes of a level make the same cut (Prokhorenkova et al., "CatBoost", NeurIPS 2018), so that a
tree is a few cuts and a leaf for each way in which they can turn out.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Tree:
    """One tree: 2**n leaves for n cuts."""

    cuts: Sequence[tuple[str, float]]
    """The name of a figure, and what it must be above to count."""
    leaves: Sequence[float]
    """Log odds, by the number that the cuts make in binary, the first its lowest digit."""

    def of(self, figures: Mapping[str, float]) -> float:
        """Return the log odds that the tree adds. Raises KeyError where a figure is missing."""
        place = sum((figures[name] > least) << level for level, (name, least) in enumerate(self.cuts))
        return self.leaves[place]


@dataclass(frozen=True, slots=True)
class Trees:
    """Trees whose leaves are added up."""

    trees: Sequence[Tree]

    def of(self, figures: Mapping[str, float]) -> float:
        """Return the likelihood, 0..1. Raises KeyError where a figure is missing."""
        odds = sum(tree.of(figures) for tree in self.trees)
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, odds))))
