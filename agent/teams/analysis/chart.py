"""Which chart shows the figures, and what it says in words."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from agent.language import say
from agent.results import Series, Visualization
from agent.teams.analysis import stats
from agent.teams.analysis.frame import Frame, Measure
from agent.teams.analysis.number_format import written
from agent.teams.analysis.table_question import Asked
from agent.types import Language

MOST_BARS = 12
MOST_PARTS = 6
MOST_SERIES = 5


def chart_of(frame: Frame, asked: Asked, title: str, language: Language) -> Visualization | None:
    """Return what a chart is drawn from: a line over periods, bars or parts for names; None for too little."""
    labels, first = frame.axis.labels, frame.measures[0] if frame.measures else None
    shown = [each for each in frame.measures if first and each.unit == first.unit and each.pairs(labels)][:MOST_SERIES]
    if first is None or not shown or len(shown[0].pairs(labels)) < 2:
        return None
    kind: Literal["line", "bar", "pie"] = "bar"
    left: list[int] = []
    if frame.axis.periods or frame.axis.ordered:
        kind = "line" if frame.axis.periods and asked.chart != "bar" else "bar"
        kept = list(range(len(labels)) if kind == "line" else range(max(0, len(labels) - MOST_BARS), len(labels)))
    elif (asked.chart == "pie" or asked.share) and _is_whole(shown[0]):
        kind, kept = "pie", _order(shown[0], labels)
    else:
        order = _order(shown[0], labels, last=asked.top < 0)
        kept = order[: min(abs(asked.top) or len(order), MOST_BARS)]
        left = order[len(kept) :] if shown[0].additive and not asked.top else []
    rest = say("analysis_other", language, count=f"{len(left):,}") if left else ""
    most = {"line": MOST_SERIES, "bar": 1 if rest else 2, "pie": 1}[kind]
    chart = Visualization(
        kind=kind,
        title=title,
        labels=(*(labels[at] for at in kept), *([rest] if rest else [])),
        series=tuple(Series(name=each.name, values=_values(each, kept, left)) for each in shown[:most]),
        unit=first.unit.name(language),
    )
    return replace(chart, text=in_words(chart, shown[0], language, rest=rest))


def _values(measure: Measure, kept: Sequence[int], left: Sequence[int]) -> tuple[float | None, ...]:
    """Return the figures that are shown, and behind them the sum of those that are left."""
    others = math.fsum(value for at in left if (value := measure.values[at]) is not None)
    return (*(measure.values[at] for at in kept), *([others] if left else []))


def in_words(chart: Visualization, measure: Measure, language: Language, *, rest: str = "") -> str:
    """Return what a chart shows: its kind and range, highest and lowest figures, and the direction of a line.

    `rest` is the bar that stands for all other names: it is no highest and no lowest.
    """
    count = f"{len(chart.labels):,}"
    key = {"line": "analysis_alt_line", "bar": "analysis_alt_bar", "pie": "analysis_alt_pie"}[chart.kind]
    ends = {"since": chart.labels[0], "at": chart.labels[-1]} if chart.kind == "line" else {}
    said = [say(key, language, title=chart.title, count=count, **ends)]

    def told(figure: float) -> str:
        return written(
            figure, measure.unit, language, measure.decimals if figure == int(figure) else max(2, measure.decimals)
        )

    for series in chart.series:
        pairs = [
            (value, at) for at, value in enumerate(series.values) if value is not None and chart.labels[at] != rest
        ]
        if not pairs:
            continue
        high, low = max(pairs, key=lambda each: each[0]), min(pairs, key=lambda each: each[0])
        said.append(
            say(
                "analysis_alt_ends",
                language,
                of=series.name,
                highest=told(high[0]),
                at=chart.labels[high[1]],
                lowest=told(low[0]),
                since=chart.labels[low[1]],
            )
        )
        if chart.kind == "line":
            first, last = pairs[0][0], pairs[-1][0]
            direction = "up" if last > first else "down" if last < first else "level"
            keys = {"up": "analysis_alt_up", "down": "analysis_alt_down", "level": "analysis_alt_level"}
            values = {"last": told(last)} | ({"first": told(first)} if direction != "level" else {})
            said.append(say(keys[direction], language, **values))
    return " ".join(said)


def _is_whole(measure: Measure) -> bool:
    values = [value for value in measure.values if value is not None]
    return measure.additive and 2 <= len(values) <= MOST_PARTS and bool(stats.shares(values))


def _order(measure: Measure, labels: Sequence[str], *, last: bool = False) -> list[int]:
    """Return the places of the figures, highest first, or lowest first."""
    found = [(value, labels[at], at) for at, value in enumerate(measure.values) if value is not None]
    return [at for _, _, at in sorted(found, key=lambda each: (each[0] if last else -each[0], each[1]))]
