"""Which chart shows the figures, and what it says in words."""

import math
from collections.abc import Sequence

from agent.reasoning.rules.answering.phrases import tell
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
    unit = frame.measures[0].unit if frame.measures else None
    shown = [each for each in frame.measures if each.unit == unit and each.pairs(frame.axis.labels)][:MOST_SERIES]
    if unit is None or not shown or len(shown[0].pairs(frame.axis.labels)) < 2:
        return None
    name, rest = unit.name(language), ""
    if frame.axis.periods and asked.chart != "bar":
        chart = Visualization(
            kind="line", title=title, labels=frame.axis.labels, unit=name,
            series=tuple(Series(name=each.name, values=each.values) for each in shown),
        )  # fmt: skip
    elif frame.axis.periods or frame.axis.ordered:
        kept = range(max(0, len(frame.axis.labels) - MOST_BARS), len(frame.axis.labels))
        chart = _bars(frame.axis.labels, kept, shown[:2], title, name, rest="")
    elif (asked.chart == "pie" or asked.share) and _is_whole(shown[0]):
        order = _order(shown[0], frame.axis.labels)
        chart = Visualization(
            kind="pie", title=title, labels=tuple(frame.axis.labels[at] for at in order), unit=name,
            series=(Series(name=shown[0].name, values=tuple(shown[0].values[at] for at in order)),),
        )  # fmt: skip
    else:
        order = _order(shown[0], frame.axis.labels, last=asked.top < 0)
        wanted = abs(asked.top) or len(order)
        kept_bars = order[: min(wanted, MOST_BARS)]
        left = order[len(kept_bars) :] if not asked.top else []
        rest = tell("analysis_other", language, count=f"{len(left):,}") if left and shown[0].additive else ""
        chart = _bars(
            frame.axis.labels, kept_bars, shown[:2] if not rest else shown[:1], title, name, rest=rest, left=left
        )
    text = in_words(chart, shown[0], language, rest=rest)
    return Visualization(
        kind=chart.kind, title=chart.title, labels=chart.labels, series=chart.series, unit=chart.unit, text=text
    )


def in_words(chart: Visualization, measure: Measure, language: Language, *, rest: str = "") -> str:
    """Return what a chart shows: its kind and range, highest and lowest figures, and the direction of a line.

    `rest` is the bar that stands for all other names: it is no highest and no lowest.
    """
    count = f"{len(chart.labels):,}"
    key = {"line": "analysis_alt_line", "bar": "analysis_alt_bar", "pie": "analysis_alt_pie"}[chart.kind]
    ends = {"since": chart.labels[0], "at": chart.labels[-1]} if chart.kind == "line" else {}
    said = [tell(key, language, title=chart.title, count=count, **ends)]

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
            tell(
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
            said.append(tell(keys[direction], language, **values))
    return " ".join(said)


def _is_whole(measure: Measure) -> bool:
    values = [value for value in measure.values if value is not None]
    return measure.additive and 2 <= len(values) <= MOST_PARTS and bool(stats.shares(values))


def _order(measure: Measure, labels: Sequence[str], *, last: bool = False) -> list[int]:
    """Return the places of the figures, highest first, or lowest first."""
    found = [(value, labels[at], at) for at, value in enumerate(measure.values) if value is not None]
    return [at for _, _, at in sorted(found, key=lambda each: (each[0] if last else -each[0], each[1]))]


def _bars(
    labels: Sequence[str], kept: Sequence[int], measures: Sequence[Measure], title: str, unit: str, *, rest: str,
    left: Sequence[int] = (),
) -> Visualization:  # fmt: skip
    series = []
    for measure in measures:
        values = [measure.values[at] for at in kept]
        if rest:
            values.append(math.fsum(value for at in left if (value := measure.values[at]) is not None))
        series.append(Series(name=measure.name, values=tuple(values)))
    names = [labels[at] for at in kept] + ([rest] if rest else [])
    return Visualization(kind="bar", title=title, labels=tuple(names), series=tuple(series), unit=unit)
