"""How often figures fall in which class: what a chart of a distribution shows."""

import itertools
import math

from agent.language import say
from agent.teams.analysis.frame import Axis, Frame, Measure
from agent.teams.analysis.number_format import digits
from agent.teams.analysis.units import COUNT
from agent.types import Language

_MOST_CLASSES = 12


def classes(measure: Measure, language: Language) -> Frame | None:
    """Return how many figures fall in each of at most twelve classes of one width; None where all are equal."""
    values = [value for value in measure.values if value is not None]
    low, high = min(values, default=0.0), max(values, default=0.0)
    if low == high:
        return None
    step = _nice((high - low) / min(_MOST_CLASSES - 2, max(4, math.isqrt(len(values)))))
    first = math.floor(low / step)
    counts = [0] * (math.floor(high / step) - first + 1)
    for value in values:
        counts[math.floor(value / step) - first] += 1
    edges = [(first + n) * step for n in range(len(counts) + 1)]
    places = max(0, -math.floor(math.log10(step)))
    labels = tuple(f"{digits(a, places)} – {digits(b, places)}" for a, b in itertools.pairwise(edges))
    counted = Measure(
        name=say("analysis_rows", language), unit=COUNT, values=tuple(map(float, counts)), rows=((),) * len(counts),
        where=("",) * len(counts), how="count",
    )  # fmt: skip
    return Frame(axis=Axis(name=measure.name, labels=labels, ordered=True), measures=(counted,))


def _nice(width: float) -> float:
    """Return the nearest width of 1, 2 or 5 times a power of ten that is not below this one."""
    power = 10.0 ** math.floor(math.log10(width))
    return next((each * power for each in (1, 2, 5) if each * power >= width * (1 - 1e-9)), 10 * power)
