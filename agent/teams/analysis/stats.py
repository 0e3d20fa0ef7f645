"""Statistics that a table is told by. Sums are exact (`math.fsum`), so that the order of rows changes nothing."""

import math
import statistics as python
from collections.abc import Sequence

import numpy as np

FEWEST_FOR_OUTLIERS = 5
FEWEST_FOR_A_LINE = 6
_MAD_TO_SIGMA = 0.6745
_MEAN_AD_TO_SIGMA = 1.253314
FAR = 3.5
"""Modified z-score from which a figure is an outlier (Iglewicz, Hoaglin: How to Detect and Handle Outliers, 1993)."""
NOTABLE = 0.05
"""Share of the usual figure by which one is off its course at least: a few that rise evenly have next to no spread."""
_MOST_FOR_A_LINE = 1_000


def mean(values: Sequence[float]) -> float:
    """Return the arithmetic mean."""
    return math.fsum(values) / len(values)


def quarters(values: Sequence[float]) -> tuple[float, float, float]:
    """Return the quartiles, interpolated between the nearest figures (numpy's and spreadsheets' default)."""
    low, middle, high = np.percentile(np.array(values), [25, 50, 75])
    return float(low), float(middle), float(high)


def shares(values: Sequence[float]) -> list[float]:
    """Return the percentages of the total; none where figures are below 0 or add up to 0."""
    total = math.fsum(values)
    if total <= 0 or min(values) < 0:
        return []
    return [100 * value / total for value in values]


def outliers(values: Sequence[float]) -> list[int]:
    """Return the places of the figures that are far from the others, farthest first.

    Far is a modified z-score `0.6745 |x - median| / MAD` above 3.5; where more than half of the figures are equal and
    the median absolute deviation is 0, `|x - median| / (1.2533 * mean absolute deviation)` takes its place.
    """
    if len(values) < FEWEST_FOR_OUTLIERS:
        return []
    middle = python.median(values)
    away = [abs(value - middle) for value in values]
    spread = python.median(away)
    if spread > 0:
        scores = [_MAD_TO_SIGMA * each / spread for each in away]
    else:
        spread = mean(away)
        if spread == 0:
            return []
        scores = [each / (_MEAN_AD_TO_SIGMA * spread) for each in away]
    tiny = 1e-9 * max(abs(middle), 1e-12)
    far = [at for at, score in enumerate(scores) if score > FAR and away[at] > tiny]
    return sorted(far, key=lambda at: (-scores[at], at))


def line(values: Sequence[float], at: Sequence[float]) -> tuple[float, float]:
    """Return slope and intercept of the Theil-Sen line: the median of the slopes between all pairs."""
    x, y = np.array(at, dtype=float), np.array(values, dtype=float)
    if len(x) > _MOST_FOR_A_LINE:
        chosen = np.linspace(0, len(x) - 1, _MOST_FOR_A_LINE).astype(int)
        x, y = x[chosen], y[chosen]
    first, second = np.triu_indices(len(x), 1)
    apart = x[second] != x[first]
    first, second = first[apart], second[apart]
    slope = float(np.median((y[second] - y[first]) / (x[second] - x[first]))) if len(first) else 0.0
    return slope, float(np.median(y - slope * x))


def off_the_line(values: Sequence[float], at: Sequence[float]) -> list[int]:
    """Return the places of the figures that are far from the straight course of the others."""
    if len(values) < FEWEST_FOR_A_LINE:
        return []
    slope, start = line(values, at)
    off = [value - slope * x - start for value, x in zip(values, at, strict=True)]
    least = NOTABLE * python.median(map(abs, values))
    return [place for place in outliers(off) if abs(off[place]) >= least]


def growth(first: float, last: float, steps: int) -> float | None:
    """Return the mean growth a step in percent, `(last / first)^(1 / steps) - 1`; None for figures not above 0."""
    if first <= 0 or last <= 0 or steps < 1:
        return None
    return 100 * (math.pow(last / first, 1 / steps) - 1)
