"""From a table and a question to figures and a chart. Nothing here waits for anything: it is run in a thread."""

import itertools
import math
from dataclasses import dataclass, replace

from agent.language import say
from agent.reasoning.analysis_contract import Figure
from agent.results import Visualization
from agent.teams.analysis import frame as frames
from agent.teams.analysis import numbers
from agent.teams.analysis.chart import chart_of
from agent.teams.analysis.column_reading import columns_of
from agent.teams.analysis.columns import Columns
from agent.teams.analysis.data_notes import notes_on
from agent.teams.analysis.figures import (
    Course,
    note_comparison,
    note_distribution,
    note_rows,
    note_totals,
    note_trend,
)
from agent.teams.analysis.frame import Axis, Frame, Measure
from agent.teams.analysis.ledger import Ledger
from agent.teams.analysis.melting import joined_periods, melted
from agent.teams.analysis.number_format import digits
from agent.teams.analysis.selecting import Selected, select
from agent.teams.analysis.table import Table, shown, tidy
from agent.teams.analysis.table_question import Asked, Kind
from agent.teams.analysis.units import COUNT
from agent.types import Language

_MOST_TIMES = 3


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
    chart: Visualization | None
    notes: tuple[str, ...]
    """On the data, in the asker's language."""
    confidence: float


def read_columns(table: Table) -> Columns:
    """Return the columns of a table as they are computed with: one row a period, however the table is laid out."""
    return joined_periods(melted(columns_of(tidy(table))))


def compute(columns: Columns, asked: Asked, match: float, language: Language) -> Computed | None:
    """Return the figures that answer a question, None where the table has none; `match` as `finding.match` has it."""
    selected, kind, refused = _selected(columns, asked)
    if not selected.measures and not _countable(selected):
        return None
    ledger = Ledger(language, [row.number for row in selected.columns.rows])
    note_rows(ledger, selected)
    frame, chart_frame = _frames(selected, asked, kind, language)
    if kind == "trend" and frame is not None:
        for n, measure in enumerate(frame.measures):
            note_trend(ledger, frame.axis, measure, whole=n == 0)
    elif kind == "comparison" and frame is not None:
        for measure in frame.measures:
            note_comparison(ledger, frame.axis, measure, top=asked.top)
    else:
        _note_all(ledger, selected, chart_frame, kind, language)
    note_totals(ledger, columns, selected)
    title = _title(selected, frame or chart_frame, kind, language)
    return Computed(
        kind=kind,
        table=columns.table,
        title=title,
        figures=tuple(ledger.figures),
        rows=ledger.rows,
        selected=selected,
        chart=chart_of(chart_frame, asked, title, language) if chart_frame else None,
        notes=notes_on(columns, selected, frame, refused=refused, language=language),
        confidence=confidence(selected, match),
    )


def _selected(columns: Columns, asked: Asked) -> tuple[Selected, Kind, bool]:
    """Return what is asked for, the kind that the table bears, and whether a trend was asked for in vain."""
    times = {period for each in columns.of("period") for period in each.periods if period is not None}
    kind: Kind = asked.kind or ("trend" if len(times) > 1 else "comparison" if columns.of("name") else "distribution")
    if kind == "comparison" and len(asked.spans) > 1 and not asked.by and len(times) > 1:
        kind = "trend"  # periods are compared: what changed from one to the other
        few = next((each for each in columns.of("name") if 1 < each.distinct <= frames.MOST_LINES), None)
        asked = replace(asked, by=few.name) if few is not None else asked
    selected = select(columns, asked, trend=kind == "trend")
    if kind == "trend" and frames.over_time(selected, asked, "en") is None:
        return select(columns, asked, trend=False), "comparison", True
    return selected, kind, False


def _countable(selected: Selected) -> bool:
    """Tell whether rows can be counted by a name: one that repeats itself."""
    by = selected.by
    return by is not None and 1 < by.distinct < len([cell for cell in by.cells if not numbers.is_missing(cell)])


def _frames(selected: Selected, asked: Asked, kind: Kind, language: Language) -> tuple[Frame | None, Frame | None]:
    """Return what is computed with, and what is drawn."""
    if kind == "trend":
        found = frames.over_time(selected, asked, language)
        return found, found
    named = frames.by_name(selected, asked, language)
    timed = frames.over_time(selected, asked, language)
    if kind == "comparison":
        found = named or timed or _by_row(selected, language)
        return found, found
    if kind == "distribution":
        if not selected.measures or asked.count:
            return None, named
        rows = frames.by_row(selected, language)
        return None, classes(rows.measures[0], language) or named
    return None, timed or named or _by_row(selected, language)


def _by_row(selected: Selected, language: Language) -> Frame | None:
    return frames.by_row(selected, language) if selected.measures else None


def _note_all(ledger: Ledger, selected: Selected, drawn: Frame | None, kind: Kind, language: Language) -> None:
    """Note the middle and the spread of each column, and for a summary also its course or its order."""
    if not selected.measures:
        if drawn is not None:
            for measure in drawn.measures:
                note_comparison(ledger, drawn.axis, measure)
        return
    rows = frames.by_row(selected, language)
    for measure in rows.measures:
        note_distribution(ledger, rows.axis, measure, _courses(selected))
    if kind == "summary" and drawn is not None:
        for measure in drawn.measures[:_MOST_TIMES]:
            if drawn.axis.periods:
                note_trend(ledger, drawn.axis, measure, whole=False)
        if not drawn.axis.periods:
            note_comparison(ledger, drawn.axis, drawn.measures[0])


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
    if kind == "summary" or frame is None or not frame.measures:
        return shown(say("analysis_title_summary", language, of=name), 90)
    measures = list(dict.fromkeys(shown(each.name) for each in selected.measures)) or [frame.measures[0].name]
    of = ", ".join(measures) if len(measures) <= 2 else name
    if len(selected.only) == 1:
        of = f"{of} ({shown(selected.only[0])})"
    if kind == "distribution":
        return shown(say("analysis_title_distribution", language, of=of), 90)
    if kind == "trend":
        return shown(say("analysis_title_trend", language, of=of), 90)
    by = frame.axis.name
    return shown(say("analysis_title_by", language, of=of, by=by) if by else of, 90)


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
        how="count",
    )  # fmt: skip
    return Frame(axis=Axis(name=measure.name, labels=labels, ordered=True), measures=(counted,))


def _nice(width: float) -> float:
    """Return the nearest width of 1, 2 or 5 times a power of ten that is not below this one."""
    power = 10.0 ** math.floor(math.log10(width))
    return next((each * power for each in (1, 2, 5) if each * power >= width * (1 - 1e-9)), 10 * power)


_LEAST_MATCH = 0.6
"""What is left where the table holds no word of the question."""


def confidence(selected: Selected, match: float) -> float:
    """Return a confidence within 0..1, the product of three parts, rounded to two places.

    Rows: `1 - 1 / (n + 1)` for `n` rows with a figure. Completeness: the share of the cells that could be used. Match:
    from 0.6 to 1 by the share of the question's words that the table holds.
    """
    main = selected.measures[0] if selected.measures else None
    rows = len(selected.columns.rows)
    figures = sum(value is not None for value in main.values) if main else rows
    complete = figures / rows if rows else 0.0
    return round((1 - 1 / (figures + 1)) * complete * (_LEAST_MATCH + (1 - _LEAST_MATCH) * match), 2)
