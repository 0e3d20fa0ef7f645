"""From figures to metrics: the course of a trend, the order of names, the spread of figures; rows and their totals."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from agent.language import say
from agent.reasoning.analysis_contract import Figure, Means
from agent.results import Metric
from agent.teams.analysis import stats
from agent.teams.analysis.columns import Columns, total_of
from agent.teams.analysis.frame import Frame, Measure
from agent.teams.analysis.selecting import Selected
from agent.teams.analysis.units import PERCENT, POINTS, digits, percent, places, written
from agent.types import Language

Course = Sequence[tuple[int, float]]
"""Of one name: places on an axis, each with its moment."""
MOST_OUTLIERS = 3
RANKED = 5
_TIED = 3


@dataclass(slots=True)
class Ledger:
    """The figures in the order in which they are told, each once, with the rows that they rest on."""

    language: Language
    lines: Sequence[int]
    """Of each row its number in the table."""
    figures: list[Figure] = field(default_factory=list)
    rows: dict[str, tuple[int, ...]] = field(default_factory=dict)
    """By the name of the metric: rows of the table, at most the first and the last of many."""

    def add(
        self, means: Means, key: str, value: float, shown: str = "", *, of: str = "", at: str = "", since: str = "",
        unit: str = "", letter: str = "", rows: Sequence[int] = (), trend: bool = False, **more: str,
    ) -> None:  # fmt: skip
        """Note a figure; `key` is its name in the catalogue, and empty for a figure as it stands in the table."""
        name = say(key, self.language, of=of, at=at, since=since, **more) if key else f"{of}, {at}"
        if not math.isfinite(value) or name in self.rows:
            return
        ends = tuple(dict.fromkeys((min(rows), max(rows)))) if rows else ()
        cells = ":".join(f"{letter}{self.lines[row]}" for row in ends)  # `B2:B13`, or `2:13` for several columns
        metric = Metric(name=name, value=value, written=shown or f"{value:,.0f}", unit=unit, rests_on=cells)
        self.figures.append(Figure(means=means, metric=metric, of=of, at=at, since=since, of_trend=trend))
        self.rows[name] = tuple(rows) if len(rows) <= 2 else ends


@dataclass(frozen=True, slots=True)
class _Noting:
    """Notes the figures of one measure."""

    ledger: Ledger
    frame: Frame
    measure: Measure

    def value(self, value: float, *, rounded: bool = False, sign: bool = False) -> str:
        """Return a value as it is written; `rounded`: one that was computed, and has more places than the cells."""
        unit, decimals = self.measure.unit, self.measure.decimals
        if rounded or self.measure.how in ("mean", "median"):
            decimals = places(value, decimals, unit)
        unit = POINTS if sign and unit == PERCENT else unit  # from 10 % to 12 % are 2 points
        return written(value, unit, self.ledger.language, decimals, sign=sign)

    def note(
        self, means: Means, key: str, value: float, shown: str = "", *, at: int | None = None, since: int | None = None,
        unit: str | None = None, name: str = "", trend: bool = False, **more: str,
    ) -> None:  # fmt: skip
        """Note a figure of one label, of two, or of all of them; `name`: of several that are called so."""
        labels, measure = self.frame.labels, self.measure
        of_labels = [each for each in (since, at) if each is not None] or range(len(labels))
        self.ledger.add(
            means, key, value, shown or self.value(value), of=measure.name, letter=measure.letter,
            rows=[row for label in of_labels for row in measure.rows[label]],
            at=name or (labels[at] if at is not None else ""), since=labels[since] if since is not None else "",
            unit=measure.unit.name(self.ledger.language) if unit is None else unit,
            trend=trend or bool(self.frame.periods), **more,
        )  # fmt: skip

    def computed(self, means: Means, value: float) -> None:
        """Note what was computed from all figures."""
        self.note(means, f"analysis_m_{means}", value, self.value(value, rounded=means != "sum"))

    def share(self, means: Means, value: float, *, sign: bool = True, **where: int | str) -> None:
        """Note a percentage."""
        self.note(means, f"analysis_m_{means}", value, percent(value, sign=sign), unit="%", **where)  # type: ignore[arg-type]

    def step(self, means: Means, value: float, since: int, at: int) -> None:
        """Note what one figure is more than another, or less."""
        self.note(means, f"analysis_m_{means}", value, self.value(value, sign=True), since=since, at=at)


def note_trend(ledger: Ledger, frame: Frame, measure: Measure, *, whole: bool) -> None:
    """Note how figures change over their periods; `whole`: all that can be told, and not only first to last."""
    told, known = _Noting(ledger, frame, measure), measure.known
    if not known:
        return
    (first, start), (last, end) = known[0], known[-1]
    if whole:
        ledger.add("periods", "analysis_periods", len(known))
    told.note("first", "", start, at=first)
    if len(known) < 2:
        return
    told.note("last", "", end, at=last)
    told.step("change", end - start, first, last)
    if start > 0 and not measure.is_share:
        told.share("change_share", 100 * (end - start) / start, at=last, since=first)
    if not whole:
        return
    _note_ends(told)
    if len(known) > 2:
        _note_course(told)
    values = [value for _, value in known]
    if measure.additive:
        told.computed("sum", math.fsum(values))
    told.computed("mean", stats.mean(values))


def note_comparison(ledger: Ledger, frame: Frame, measure: Measure, *, top: int = 0) -> None:
    """Note the order of the names, their shares, and who is far from the others."""
    told = _Noting(ledger, frame, measure)
    order = sorted(measure.known, key=lambda each: (-each[1], frame.labels[each[0]]))
    if not order:
        return
    values = [value for _, value in order]
    _note_ends(told)
    for at, value in order[-1 : -abs(top) - 1 : -1] if top < 0 else order[: top or RANKED]:
        told.note("rank", "", value, at=at)
    parts = stats.shares(values) if measure.additive and len(values) > 1 else []
    for part, (at, _) in list(zip(parts, order, strict=False))[: top if top > 0 else RANKED]:
        told.share("share", part, sign=False, at=at)
    if measure.additive:
        told.computed("sum", math.fsum(values))
    if measure.how != "count":
        told.computed("mean", stats.mean(values))
    if len(order) > 1 and values[-1] > 0 and not measure.is_share:
        ratio = values[0] / values[-1]
        shown = say("analysis_times", ledger.language, value=digits(ratio, 2 if ratio < 10 else 1))
        told.note("ratio", "analysis_m_ratio", ratio, shown, at=order[0][0], since=order[-1][0], unit="")
    _note_outliers(told, order, stats.outliers(values))


def note_distribution(ledger: Ledger, frame: Frame, measure: Measure, courses: Sequence[Course] = ()) -> None:
    """Note the middle of the figures, their spread, and who is far from the others.

    What has a course over time (`courses`) is held against that and not against the others: a steady rise is no error.
    """
    told, known = _Noting(ledger, frame, measure), dict(measure.known)
    values = list(known.values())
    if not values:
        return
    if measure.additive:
        told.computed("sum", math.fsum(values))
    told.computed("mean", stats.mean(values))
    low, middle, high = stats.quarters(values)
    told.computed("median", middle)
    if len(values) >= 4:
        told.computed("low_quarter", low)
        told.computed("high_quarter", high)
    _note_ends(told)
    for course in courses:
        own = [(at, moment) for at, moment in course if at in known]
        if len({moment for _, moment in own}) >= stats.FEWEST_FOR_A_LINE:
            running = [(at, known.pop(at)) for at, _ in own]
            off = stats.off_the_line([value for _, value in running], [moment for _, moment in own])
            _note_outliers(told, running, off, trend=True)
    others = sorted(known.items(), key=lambda each: (each[1], frame.labels[each[0]]))
    _note_outliers(told, others, stats.outliers([value for _, value in others]))


def note_rows(ledger: Ledger, selected: Selected) -> None:
    """Note how many rows there are, and which cells of the figures could not be used."""
    ledger.add("count", "analysis_rows", len(set(ledger.lines)))  # a row of many periods is one
    for column in selected.measures:
        if column.missing:
            ledger.add("missing", "analysis_m_missing", column.missing, of=column.name)
        if column.unread:
            ledger.add("unread", "analysis_m_unread", column.unread, of=column.name)


def note_totals(ledger: Ledger, columns: Columns, selected: Selected) -> None:
    """Note the total that the table itself tells, where it is not what its rows add up to."""
    if len(columns.totals) != 1 or len(selected.columns.rows) != len(columns.rows):
        return
    for column in selected.measures:
        told = total_of(columns.totals[0], column)
        values = [value for value in column.values if value is not None]
        if told is None or not column.additive or not values:
            continue
        total, step = math.fsum(values), 10.0**-column.decimals
        adds_up = abs(total - told) <= max(step * len(values) / 2, 1e-6 * abs(told))
        if adds_up or abs(told - stats.mean(values)) <= step:
            continue
        unit, language = column.unit, ledger.language
        both: Sequence[tuple[Means, float]] = (("sum", total), ("total_told", told))
        for means, value in both:
            shown = written(value, unit, language, column.decimals)
            ledger.add(means, f"analysis_m_{means}", value, shown, of=column.name, unit=unit.name(language))


def _note_ends(told: _Noting) -> None:
    """Note the highest and the lowest figure, with all the labels that have it."""
    known = told.measure.known
    values = [value for _, value in known]
    if len(set(values)) < 2:
        return
    ends: Sequence[tuple[Means, float]] = (("highest", max(values)), ("lowest", min(values)))
    for means, end in ends:
        tied = [at for at, value in known if value == end]
        labels = [told.frame.labels[at] for at in tied]
        if not told.frame.periods:
            labels.sort()
        name = ", ".join(labels[:_TIED]) + (f" (+{len(labels) - _TIED})" if len(labels) > _TIED else "")
        told.note(means, f"analysis_m_{means}", end, at=tied[0] if len(tied) == 1 else None, name=name)


def _note_course(told: _Noting) -> None:
    """Note the largest steps from one period to the next, the mean growth, and the periods off the others' course."""
    known = told.measure.known
    values, at = [value for _, value in known], [float(told.frame.periods[place].at) for place, _ in known]
    steps = [(value - before, since, at) for (since, before), (at, value) in pairwise(known)]
    rise, fall = max(steps, key=lambda each: each[0]), min(steps, key=lambda each: each[0])
    if rise[0] > 0:
        told.step("rise", *rise)
    if fall[0] < 0:
        told.step("fall", *fall)
    growth = None if told.measure.is_share else stats.growth(values[0], values[-1], int(at[-1] - at[0]))
    if growth is not None:
        grain = say(f"analysis_{told.frame.grain or 'month'}", told.ledger.language)
        told.share("growth", growth, name=grain, grain=grain)
    _note_outliers(told, known, stats.off_the_line(values, at))


def _note_outliers(
    told: _Noting, known: Sequence[tuple[int, float]], found: Sequence[int], *, trend: bool = False
) -> None:
    if found:
        told.computed("median", stats.quarters([value for _, value in known])[1])
    for at, value in (known[place] for place in found[:MOST_OUTLIERS]):
        told.note("outlier", "analysis_m_outlier", value, at=at, trend=trend)
