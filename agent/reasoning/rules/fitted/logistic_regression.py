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
        return expit(z)


def expit(log_odds: float) -> float:
    """Return the likelihood of log odds, 0..1."""
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, log_odds))))


def logit(likely: float, *, least: float = 1e-9) -> float:
    """Return the log odds of a likelihood, which is taken to be at least `least` and at most one less that."""
    likely = min(max(likely, least), 1 - least)
    return math.log(likely / (1 - likely))
