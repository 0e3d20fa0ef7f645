"""A fitted logistic regression: figures by name in, a likelihood out. Its weights are data."""

import math
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Regression:
    """A logistic regression: the weights of figures by name."""

    bias: float
    weights: Mapping[str, float]

    def of(self, figures: Mapping[str, float]) -> float:
        """Return the likelihood, 0..1. Raises KeyError where a figure is missing."""
        z = self.bias + sum(weight * figures[name] for name, weight in self.weights.items())
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, z))))
