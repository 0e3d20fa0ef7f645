"""From figures to metrics: the course of a trend, the order of names, the spread of figures; rows and their totals."""

import math
from collections.abc import Sequence

from agent.language import say
from agent.reasoning.analysis_contract import Means
from agent.teams.analysis import stats
from agent.teams.analysis.columns import Columns, total_of
from agent.teams.analysis.frame import Axis, Measure
from agent.teams.analysis.ledger import Ledger, Noting
from agent.teams.analysis.number_format import digits, percent, written
from agent.teams.analysis.selecting import Selected

Course = Sequence[tuple[int, float]]
"""Of one name: places on an axis, each with its moment."""
MOST_OUTLIERS = 3
RANKED = 5
_TIED = 3


def note_trend(ledger: Ledger, axis: Axis, measure: Measure, *, whole: bool) -> None:
    """Note how figures change over their periods; `whole`: all that can be told, and not only first to last."""
    told = Noting(ledger, axis, measure)
    known = [at for at, value in enumerate(measure.values) if value is not None]
    values = [value for value in measure.values if value is not None]
    if not values:
        return
    first, last = known[0], known[-1]
    if whole:
        ledger.add("periods", "analysis_periods", float(len(known)), f"{len(known):,}", of="")
    told.note("first", "", values[0], at=first)
    if len(values) < 2:
        return
    told.note("last", "", values[-1], at=last)
    change = values[-1] - values[0]
    told.note("change", "analysis_m_change", change, told.value(change, sign=True), at=last, since=first)
    if values[0] > 0 and measure.unit.dimension not in ("%", "%p"):
        share = 100 * change / values[0]
        told.note(
            "change_share", "analysis_m_change_share", share, percent(share, sign=True), at=last, since=first, unit="%"
        )
    if not whole:
        return
    _note_ends(told)
    _note_steps(told, known, values)
    _note_course(told, known, values)
    if measure.additive and measure.how != "mean":
        told.note("sum", "analysis_m_sum", math.fsum(values))
    average = stats.mean(values)
    told.note("mean", "analysis_m_mean", average, told.value(average, rounded=True))


def note_comparison(ledger: Ledger, axis: Axis, measure: Measure, *, top: int = 0) -> None:
    """Note the order of the names, their shares, and who is far from the others."""
    told = Noting(ledger, axis, measure)
    pairs = _ranking(measure, axis)
    if not pairs:
        return
    values = [value for value, _, _ in pairs]
    _note_ends(told)
    wanted = pairs[-1 : -abs(top) - 1 : -1] if top < 0 else pairs[: top or RANKED]
    for value, _, at in wanted:
        told.note("rank", "", value, at=at)
    parts = stats.shares(values) if measure.additive and len(values) > 1 else []
    for part, (_, _, at) in list(zip(parts, pairs, strict=False))[: top if top > 0 else RANKED]:
        told.note("share", "analysis_m_share", part, percent(part), at=at, unit="%")
    if measure.additive:
        told.note("sum", "analysis_m_sum", math.fsum(values))
    if measure.how != "count":
        average = stats.mean(values)
        told.note("mean", "analysis_m_mean", average, told.value(average, rounded=True))
    if len(pairs) > 1 and values[-1] > 0 and measure.unit.dimension not in ("%", "%p"):
        ratio = values[0] / values[-1]
        shown = say("analysis_times", ledger.language, value=digits(ratio, 2 if ratio < 10 else 1))
        told.note("ratio", "analysis_m_ratio", ratio, shown, at=pairs[0][2], since=pairs[-1][2], unit="")
    _note_outliers(told, [at for _, _, at in pairs], stats.outliers(values))


def note_distribution(ledger: Ledger, axis: Axis, measure: Measure, courses: Sequence[Course] = ()) -> None:
    """Note the middle of the figures, their spread, and who is far from the others.

    What has a course over time (`courses`) is held against that and not against the others: a steady rise is no error.
    """
    told = Noting(ledger, axis, measure)
    known = [at for at, value in enumerate(measure.values) if value is not None]
    values = [value for value in measure.values if value is not None]
    if not values:
        return
    if measure.additive:
        told.note("sum", "analysis_m_sum", math.fsum(values))
    low, middle, high = stats.quarters(values)
    average = stats.mean(values)
    told.note("mean", "analysis_m_mean", average, told.value(average, rounded=True))
    told.note("median", "analysis_m_median", middle, told.value(middle, rounded=True))
    if len(values) >= 4:
        told.note("low_quarter", "analysis_m_low_quarter", low, told.value(low, rounded=True))
        told.note("high_quarter", "analysis_m_high_quarter", high, told.value(high, rounded=True))
    _note_ends(told)
    running: set[int] = set()
    for course in courses:
        own = [(at, moment) for at, moment in course if measure.values[at] is not None]
        if len({moment for _, moment in own}) >= stats.FEWEST_FOR_A_LINE:
            running.update(at for at, _ in own)
            found = stats.off_the_line([measure.values[at] or 0.0 for at, _ in own], [moment for _, moment in own])
            _note_outliers(told, [at for at, _ in own], found, trend=True)
    others = [at for at in range(len(values)) if known[at] not in running]
    order = sorted(others, key=lambda at: (values[at], axis.labels[known[at]]))
    ordered = [values[at] for at in order]
    _note_outliers(told, [known[at] for at in order], stats.outliers(ordered))


def note_rows(ledger: Ledger, selected: Selected) -> None:
    """Note how many rows there are, and which cells of the figures could not be used."""
    count = len(set(ledger.lines))  # a row of many periods is one
    ledger.add("count", "analysis_rows", float(count), f"{count:,}", of="")
    for column in selected.measures:
        lost: Sequence[tuple[Means, int]] = (("missing", column.missing), ("unread", column.unread))
        for means, number in lost:
            if number:
                ledger.add(means, f"analysis_m_{means}", float(number), f"{number:,}", of=column.name)


def note_totals(ledger: Ledger, columns: Columns, selected: Selected) -> None:
    """Note the total that the table itself tells, where it is not what its rows add up to."""
    if len(columns.totals) != 1 or len(selected.columns.rows) != len(columns.rows):
        return
    for column in selected.measures:
        told = total_of(columns.totals[0], column)
        values = [value for value in column.values if value is not None]
        if told is None or not column.additive or not values:
            continue
        total = math.fsum(values)
        step = 10.0**-column.decimals
        adds_up = abs(total - told) <= max(step * len(values) / 2, 1e-6 * abs(told))
        if adds_up or abs(told - stats.mean(values)) <= step:
            continue
        unit, language = column.unit, ledger.language
        both: Sequence[tuple[Means, float]] = (("sum", total), ("total_told", told))
        for means, value in both:
            shown = written(value, unit, language, column.decimals)
            ledger.add(means, f"analysis_m_{means}", value, shown, of=column.name, unit=unit.name(language))


def _ranking(measure: Measure, axis: Axis) -> list[tuple[float, str, int]]:
    """Return value, label and place, highest first; equal ones by their labels."""
    found = [(value, axis.labels[at], at) for at, value in enumerate(measure.values) if value is not None]
    return sorted(found, key=lambda each: (-each[0], each[1]))


def _note_ends(told: Noting) -> None:
    """Note the highest and the lowest figure, with all the labels that have it."""
    pairs = [(value, at) for at, value in enumerate(told.measure.values) if value is not None]
    if len(pairs) < 2:
        return
    ends: Sequence[tuple[Means, str, float]] = (
        ("highest", "analysis_m_highest", max(value for value, _ in pairs)),
        ("lowest", "analysis_m_lowest", min(value for value, _ in pairs)),
    )
    for means, key, end in ends:
        tied = [at for value, at in pairs if value == end]
        if len(tied) == len(pairs):
            return
        labels = [told.axis.labels[at] for at in tied]
        if not told.axis.periods:
            labels.sort()
        name = ", ".join(labels[:_TIED]) + (f" (+{len(labels) - _TIED})" if len(labels) > _TIED else "")
        told.note(means, key, end, at=tied[0] if len(tied) == 1 else None, name=name)


def _note_steps(told: Noting, known: Sequence[int], values: Sequence[float]) -> None:
    """Note the largest rise and the largest fall from one period to the next."""
    if len(values) < 3:
        return
    steps = [(values[n + 1] - values[n], known[n], known[n + 1]) for n in range(len(values) - 1)]
    rise, fall = max(steps, key=lambda each: each[0]), min(steps, key=lambda each: each[0])
    if rise[0] > 0:
        told.note("rise", "analysis_m_rise", rise[0], told.value(rise[0], sign=True), since=rise[1], at=rise[2])
    if fall[0] < 0:
        told.note("fall", "analysis_m_fall", fall[0], told.value(fall[0], sign=True), since=fall[1], at=fall[2])


def _note_course(told: Noting, known: Sequence[int], values: Sequence[float]) -> None:
    """Note the mean growth, and the periods that are off the course of the others."""
    if len(values) < 3:
        return
    at = [float(told.axis.periods[place].at) for place in known]
    grain = say(f"analysis_{told.axis.grain or 'month'}", told.ledger.language)
    if told.measure.unit.dimension not in ("%", "%p"):
        rate = stats.growth(values[0], values[-1], int(at[-1] - at[0]))
        if rate is not None:
            told.note("growth", "analysis_m_growth", rate, percent(rate, sign=True), unit="%", name=grain, grain=grain)
    _note_outliers(told, known, stats.off_the_line(values, at))


def _note_outliers(told: Noting, known: Sequence[int], found: Sequence[int], *, trend: bool = False) -> None:
    values = [value for at in known if (value := told.measure.values[at]) is not None]
    if found:
        middle = stats.quarters(values)[1]
        told.note("median", "analysis_m_median", middle, told.value(middle, rounded=True))
    for place in found[:MOST_OUTLIERS]:
        told.note("outlier", "analysis_m_outlier", values[place], at=known[place], trend=trend)
