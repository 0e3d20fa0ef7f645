"""Which chart shows the figures, and what it says in words."""

import math
from dataclasses import replace
from typing import Literal

from agent.language import say
from agent.results import Series, Visualization
from agent.teams.analysis import stats
from agent.teams.analysis.frame import Frame, Measure
from agent.teams.analysis.table_question import Asked
from agent.teams.analysis.units import written
from agent.types import Language

MOST_BARS = 12
MOST_PARTS = 6
MOST_SERIES = 5


def chart_of(frame: Frame, asked: Asked, title: str, language: Language) -> Visualization | None:
    """Return what a chart is drawn from: a line over periods, bars or parts for names; None for too little."""
    labels, first = frame.labels, frame.measures[0]
    shown = [each for each in frame.measures if each.unit == first.unit and each.known]
    if not shown or len(shown[0].known) < 2:
        return None
    known = sorted(shown[0].known, key=lambda each: (each[1] if asked.top < 0 else -each[1], labels[each[0]]))
    is_whole = shown[0].additive and len(known) <= MOST_PARTS and bool(stats.shares([value for _, value in known]))
    kept, left = [at for at, _ in known], list[int]()
    kind: Literal["line", "bar", "pie"] = "bar"
    if frame.periods and asked.chart != "bar":
        kind, kept = "line", list(range(len(labels)))
    elif frame.periods or frame.ordered:
        kept = list(range(len(labels)))[-MOST_BARS:]
    elif is_whole and (asked.chart == "pie" or asked.share):
        kind = "pie"
    else:
        most = min(abs(asked.top) or len(kept), MOST_BARS)
        left = kept[most:] if shown[0].additive and not asked.top else []
        kept = kept[:most]
    rest = say("analysis_other", language, count=f"{len(left):,}") if left else ""
    most = {"line": MOST_SERIES, "bar": 1 if rest else 2, "pie": 1}[kind]
    series = []
    for each in shown[:most]:
        others = [math.fsum(each.values[at] or 0.0 for at in left)] if left else []
        series.append(Series(name=each.name, values=(*(each.values[at] for at in kept), *others)))
    chart = Visualization(
        kind=kind,
        title=title,
        labels=(*(labels[at] for at in kept), *([rest] if rest else [])),
        series=tuple(series),
        unit=first.unit.name(language),
    )
    return replace(chart, text=_in_words(chart, shown[0], language, rest))


def _in_words(chart: Visualization, measure: Measure, language: Language, rest: str) -> str:
    """Return what a chart shows: its kind and range, highest and lowest figures, and the direction of a line.

    `rest` is the bar that stands for all other names: it is no highest and no lowest.
    """

    def told(figure: float) -> str:
        places = measure.decimals if figure == int(figure) else max(2, measure.decimals)
        return written(figure, measure.unit, language, places)

    labels, is_line = chart.labels, chart.kind == "line"
    ends = {"since": labels[0], "at": labels[-1]} if is_line else {}
    said = [say(f"analysis_alt_{chart.kind}", language, title=chart.title, count=f"{len(labels):,}", **ends)]
    for series in chart.series:
        figures = zip(series.values, labels, strict=True)
        known = [(value, label) for value, label in figures if value is not None and label != rest]
        if not known:
            continue
        high, low = max(known, key=lambda each: each[0]), min(known, key=lambda each: each[0])
        values = {"highest": told(high[0]), "at": high[1], "lowest": told(low[0]), "since": low[1]}
        said.append(say("analysis_alt_ends", language, of=series.name, **values))
        if is_line:
            first, last = known[0][0], known[-1][0]
            way = "up" if last > first else "down" if last < first else "level"
            values = {"last": told(last)} | ({"first": told(first)} if way != "level" else {})
            said.append(say(f"analysis_alt_{way}", language, **values))
    return " ".join(said)
