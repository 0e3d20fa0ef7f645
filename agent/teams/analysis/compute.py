"""From a table and a question to figures and a chart. Nothing here waits for anything: it is run in a thread."""

import math
from collections import Counter
from dataclasses import dataclass, replace
from itertools import pairwise

from agent.language import say
from agent.reasoning.analysis_contract import Figure
from agent.results import Visualization
from agent.teams.analysis import frame as frames
from agent.teams.analysis.chart import chart_of
from agent.teams.analysis.columns import Columns
from agent.teams.analysis.figures import (
    Course,
    Ledger,
    note_comparison,
    note_distribution,
    note_rows,
    note_totals,
    note_trend,
)
from agent.teams.analysis.frame import Frame, Measure
from agent.teams.analysis.numbers import is_missing
from agent.teams.analysis.selecting import Selected, select
from agent.teams.analysis.table import Row, Table, shown
from agent.teams.analysis.table_question import Asked, Kind
from agent.teams.analysis.units import digits
from agent.types import Language

_MOST_TIMES = 3
"""Measures of a summary whose course is told."""
_LONGEST_TITLE = 90
_MOST_CLASSES = 12
_LEAST_MATCH = 0.6
"""What is left of a confidence where the table holds no word of the question."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Computed:
    """What was computed from a table."""

    kind: Kind
    table: Table
    title: str
    figures: tuple[Figure, ...]
    rows: dict[str, tuple[int, ...]]
    """By the name of a metric: rows of `selected.columns` that it rests on."""
    selected: Selected
    totals: tuple[Row, ...]
    """Rows that sum up others: left out."""
    frame: Frame | None
    """What a trend or a comparison is told by."""
    refused: bool
    """Whether a trend was asked for, and there are no periods."""
    chart: Visualization | None
    confidence: float


def compute(columns: Columns, asked: Asked, match: float, language: Language) -> Computed | None:
    """Return the figures that answer a question, None where the table has none; `match`: how well it fits, 0..1."""
    kind, asked = _kind(columns, asked)
    selected = select(columns, asked, trend=kind == "trend")
    timed = frames.over_time(selected, asked, language)
    refused = kind == "trend" and timed is None
    if refused:
        kind, selected = "comparison", select(columns, asked, trend=False)
        timed = frames.over_time(selected, asked, language)
    by = selected.by
    countable = by is not None and 1 < by.distinct < sum(not is_missing(cell) for cell in by.cells)
    if not selected.measures and not countable:
        return None
    drawn = _drawn(selected, timed, asked, kind, language)
    told = drawn if kind in ("trend", "comparison") else None
    ledger = Ledger(language, [row.number for row in selected.columns.rows])
    note_rows(ledger, selected)
    if told is None:
        _note_all(ledger, selected, drawn, kind, language)
    else:
        for n, measure in enumerate(told.measures):
            if kind == "trend":
                note_trend(ledger, told, measure, whole=n == 0)
            else:
                note_comparison(ledger, told, measure, top=asked.top)
    note_totals(ledger, columns, selected)
    title = _title(selected, drawn, kind, language)
    return Computed(
        kind=kind,
        table=columns.table,
        title=title,
        figures=tuple(ledger.figures),
        rows=ledger.rows,
        selected=selected,
        totals=columns.totals,
        frame=told,
        refused=refused,
        chart=chart_of(drawn, asked, title, language) if drawn else None,
        confidence=confidence(selected, match),
    )


def _kind(columns: Columns, asked: Asked) -> tuple[Kind, Asked]:
    """Return how a question is computed, and what is asked then."""
    times = {period for each in columns.of("period") for period in each.periods if period is not None}
    kind: Kind = asked.kind or ("trend" if len(times) > 1 else "comparison" if columns.of("name") else "distribution")
    if kind != "comparison" or len(asked.spans) < 2 or asked.by or len(times) < 2:
        return kind, asked
    # Periods are compared: what changed from one to the other.
    few = next((each for each in columns.of("name") if 1 < each.distinct <= frames.MOST_LINES), None)
    return "trend", replace(asked, by=few.name) if few is not None else asked


def _drawn(selected: Selected, timed: Frame | None, asked: Asked, kind: Kind, language: Language) -> Frame | None:
    """Return what is drawn; for a trend and a comparison it is what is told as well."""
    if kind == "trend":
        return timed
    named = frames.by_name(selected, asked, language)
    if kind == "distribution":
        rows = None if asked.count else frames.by_row(selected, language)
        return (rows and classes(rows.measures[0], language)) or named
    first, second = (named, timed) if kind == "comparison" else (timed, named)
    return first or second or frames.by_row(selected, language)


def _note_all(ledger: Ledger, selected: Selected, drawn: Frame | None, kind: Kind, language: Language) -> None:
    """Note the middle and the spread of each column, and for a summary also its course or its order."""
    rows, courses = frames.by_row(selected, language), _courses(selected)
    if rows:
        for measure in rows.measures:
            note_distribution(ledger, rows, measure, courses)
    if drawn and rows and kind == "summary" and drawn.periods:
        for measure in drawn.measures[:_MOST_TIMES]:
            note_trend(ledger, drawn, measure, whole=False)
    elif drawn and (kind == "summary" or not rows):
        note_comparison(ledger, drawn, drawn.measures[0])


def _courses(selected: Selected) -> list[Course]:
    """Return for each name its rows with their periods, in time's order; all rows where there are no names."""
    if selected.time is None:
        return []
    names = selected.by.cells if selected.by is not None else [""] * len(selected.time.periods)
    out: dict[str, list[tuple[int, float]]] = {}
    for at, (name, period) in enumerate(zip(names, selected.time.periods, strict=True)):
        if period is not None:
            out.setdefault(name, []).append((at, float(period.at)))
    return [sorted(course, key=lambda each: (each[1], each[0])) for course in out.values()]


def _title(selected: Selected, frame: Frame | None, kind: Kind, language: Language) -> str:
    name = selected.columns.table.name
    if kind == "summary" or frame is None:
        return shown(say("analysis_title_summary", language, of=name), _LONGEST_TITLE)
    measures = list(dict.fromkeys(shown(each.name) for each in selected.measures)) or [frame.measures[0].name]
    of = ", ".join(measures) if len(measures) <= 2 else name
    if len(selected.only) == 1:
        of = f"{of} ({shown(selected.only[0])})"
    key = "by" if kind == "comparison" else kind
    titled = of if key == "by" and not frame.name else say(f"analysis_title_{key}", language, of=of, by=frame.name)
    return shown(titled, _LONGEST_TITLE)


def classes(measure: Measure, language: Language) -> Frame | None:
    """Return how many figures fall in each of at most twelve classes of one width; None where all are equal."""
    values = [value for _, value in measure.known]
    low, high = min(values, default=0.0), max(values, default=0.0)
    if low == high:
        return None
    step = _nice((high - low) / min(_MOST_CLASSES - 2, max(4, math.isqrt(len(values)))))
    counts = Counter(math.floor(value / step) for value in values)
    held = range(min(counts), max(counts) + 1)
    places = max(0, -math.floor(math.log10(step)))
    edges = [digits(n * step, places) for n in (*held, held.stop)]
    counted = Measure(
        name=say("analysis_rows", language),
        values=tuple(float(counts[n]) for n in held),
        rows=((),) * len(held),
        how="count",
    )
    labels = tuple(f"{start} – {end}" for start, end in pairwise(edges))
    return Frame(name=measure.name, labels=labels, measures=(counted,), ordered=True)


def _nice(width: float) -> float:
    """Return the nearest width of 1, 2 or 5 times a power of ten that is not below this one."""
    power = 10.0 ** math.floor(math.log10(width))
    return next((each * power for each in (1, 2, 5) if each * power >= width * (1 - 1e-9)), 10 * power)


def confidence(selected: Selected, match: float) -> float:
    """Return a confidence within 0..1, the product of three parts, rounded to two places.

    Rows: `1 - 1 / (n + 1)` for `n` rows with a figure. Completeness: the share of the cells that could be used. Match:
    from 0.6 to 1 by the share of the question's words that the table holds.
    """
    rows = len(selected.columns.rows)
    figures = rows - selected.measures[0].values.count(None) if selected.measures else rows
    complete = figures / rows if rows else 0.0
    return round((1 - 1 / (figures + 1)) * complete * (_LEAST_MATCH + (1 - _LEAST_MATCH) * match), 2)
