"""Figures over one axis: periods in their order, or names; several rows of one label are added up or averaged."""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from agent.language import say
from agent.teams.analysis import numbers
from agent.teams.analysis.columns import Column
from agent.teams.analysis.periods import GRAINS, Grain, Period
from agent.teams.analysis.selecting import Selected
from agent.teams.analysis.table import shown
from agent.teams.analysis.table_question import Asked, coarser
from agent.teams.analysis.units import COUNT, Unit
from agent.types import Language

MOST_PERIODS = 60
"""Periods beyond which they are put together to longer ones: a line of more is not readable on a phone."""
MOST_LINES = 5


@dataclass(frozen=True, kw_only=True, slots=True)
class Axis:
    """What figures are told for."""

    name: str
    labels: tuple[str, ...]
    periods: tuple[Period, ...] = ()
    """Of an axis of time, ascending, one a label."""
    ordered: bool = False
    """Whether the labels have an order of their own, as classes of figures have."""

    @property
    def grain(self) -> Grain | None:
        """How long each period is."""
        return self.periods[0].grain if self.periods else None


@dataclass(frozen=True, kw_only=True, slots=True)
class Measure:
    """Figures of one kind, one a label of the axis; None where there is none."""

    name: str
    unit: Unit
    values: tuple[float | None, ...]
    rows: tuple[tuple[int, ...], ...]
    """Of each label the rows that its figure was made from."""
    letter: str = ""
    """Of the column, as a spreadsheet calls it."""
    how: str = ""
    """`sum`, `mean`, `median` or `count`, where several rows make a figure."""
    decimals: int = 0
    additive: bool = True
    """Whether the figures of the labels may be added up."""

    def pairs(self, labels: Sequence[str]) -> list[tuple[str, float]]:
        """Return label and figure, where there is a figure."""
        return [(label, value) for label, value in zip(labels, self.values, strict=True) if value is not None]


@dataclass(frozen=True, kw_only=True, slots=True)
class Frame:
    """What is computed with."""

    axis: Axis
    measures: tuple[Measure, ...]
    lines_left: int = 0
    """Names of a trend that have no line of their own."""


def over_time(selected: Selected, asked: Asked, language: Language) -> Frame | None:
    """Return the figures over periods; None where there are fewer than two."""
    time = selected.time
    if time is None:
        return None
    present = sorted({each for each in time.periods if each is not None})
    grain = _grain(present, asked)
    if grain is None:
        return None
    buckets = [None if each is None else each.within(grain) for each in time.periods]
    keys = sorted({each for each in buckets if each is not None})
    if len(keys) < 2:
        return None
    coarsened = grain != present[0].grain
    labels = _period_labels(keys, time, buckets, coarsened, language)
    axis = Axis(name=time.name, labels=labels, periods=tuple(keys))
    groups = _grouped(buckets, keys)
    measures: list[Measure] = []
    left = 0
    if selected.parts is not None and (selected.measures or asked.count):
        measures, left = _lines(selected, asked, groups)
    else:
        measures = [_measure(each, groups, asked, across=coarsened, timed=True) for each in selected.measures]
    if not measures or asked.count:
        measures = [_count(groups, language)]
    if all(len(measure.pairs(labels)) < 2 for measure in measures):
        return None
    return Frame(axis=axis, measures=tuple(measures), lines_left=left)


def by_name(selected: Selected, asked: Asked, language: Language) -> Frame | None:
    """Return the figures by name; None where there are fewer than two names. Rows without names have their numbers."""
    by = selected.by
    if by is None:
        return None
    keys = sorted({cell for cell in by.cells if not numbers.is_missing(cell)})
    if len(keys) < 2:
        return None
    groups = _grouped(by.cells, keys)
    across = selected.time is not None and len(set(selected.time.periods)) > 1
    counted = asked.count or not selected.measures
    measures = [_count(groups, language)] if counted else [
        _measure(each, groups, asked, across=across) for each in selected.measures
    ]  # fmt: skip
    labels = tuple(shown(key) for key in keys)
    return Frame(axis=Axis(name=by.name, labels=labels), measures=tuple(measures))


def by_row(selected: Selected, language: Language) -> Frame:
    """Return the figures row by row, called by the first name of the row, or by its number."""
    named = [each for each in (selected.by, selected.time) if each is not None]
    rows = selected.columns.rows
    labels = tuple(
        ", ".join(_cell_label(each, at, language) for each in named if each.cells[at]) or f"#{row.number}"
        for at, row in enumerate(rows)
    )
    groups = [[at] for at in range(len(rows))]
    plain = Asked(text="")
    dated = selected.time is not None  # what is there at a time is not added up over the rows of several
    measures = tuple(_measure(each, groups, plain, across=False, timed=dated) for each in selected.measures)
    return Frame(axis=Axis(name=named[0].name if named else "", labels=labels), measures=measures)


def _cell_label(column: Column, row: int, language: Language) -> str:
    period = column.periods[row] if column.periods else None
    return _written(column.cells[row], period, language)


def _written(cell: str, period: Period | None, language: Language) -> str:
    """Return a period as the table writes it; a bare year as people write it."""
    return period.name(language) if period is not None and cell.strip().isdigit() else shown(cell)


def _grain(present: Sequence[Period], asked: Asked) -> Grain | None:
    if not present:
        return None
    own = present[0].grain
    if asked.grain is not None and GRAINS.index(asked.grain) > GRAINS.index(own) and present[0].dated:
        return asked.grain
    grain = own
    for longer in coarser(own) if present[0].dated else ():
        if len({each.within(grain) for each in present}) <= MOST_PERIODS:
            break
        grain = longer
    return grain


def _period_labels(
    keys: Sequence[Period], time: Column, buckets: Sequence[Period | None], coarsened: bool, language: Language
) -> tuple[str, ...]:
    """Return the labels of the periods as the table writes them, where it writes each in one way."""
    if coarsened:
        return tuple(key.name(language) for key in keys)
    written: dict[Period, str] = {}
    for cell, bucket in zip(time.cells, buckets, strict=True):
        if bucket is not None:
            written.setdefault(bucket, _written(cell, bucket, language))
    return tuple(written[key] for key in keys)


def _grouped(cells: Sequence[object], keys: Sequence[object]) -> list[list[int]]:
    place = {key: at for at, key in enumerate(keys)}
    groups: list[list[int]] = [[] for _ in keys]
    for row, cell in enumerate(cells):
        at = place.get(cell)
        if at is not None:
            groups[at].append(row)
    return groups


def _lines(selected: Selected, asked: Asked, groups: Sequence[Sequence[int]]) -> tuple[list[Measure], int]:
    """Return one measure a name: those with the most, where there are more than can be told apart."""
    parts, column = selected.parts, selected.measures[0] if selected.measures and not asked.count else None
    assert parts is not None  # noqa: S101 - asked before
    sizes: dict[str, list[float]] = {}
    for at in (at for group in groups for at in group):
        value = 1.0 if column is None else column.values[at]
        if value is not None and not numbers.is_missing(parts.cells[at]):
            sizes.setdefault(parts.cells[at], []).append(abs(value))
    names = sorted(sizes, key=lambda name: (-math.fsum(sizes[name]), name))
    found = []
    for name in names[:MOST_LINES]:
        rows = [[at for at in group if parts.cells[at] == name] for group in groups]
        if column is None:
            found.append(_counted(rows, shown(name)))
        else:
            found.append(_measure(column, rows, asked, across=True, name=shown(name), timed=True))
    return found, max(0, len(names) - MOST_LINES)


def _measure(
    column: Column, groups: Sequence[Sequence[int]], asked: Asked, *, across: bool, name: str = "", timed: bool = False
) -> Measure:
    """Return a column's figures group by group.

    `across`: rows of a group may be of several periods; `timed`: the groups are of periods.
    """
    values: list[float | None] = []
    kept: list[tuple[int, ...]] = []
    how = ""
    adds = column.flow if across else column.additive
    way = "mean" if asked.average else "median" if asked.median else "sum" if adds else "mean"
    for group in groups:
        rows = tuple(at for at in group if column.values[at] is not None)
        figures = [value for at in rows if (value := column.values[at]) is not None]
        kept.append(rows)
        if len(figures) > 1:
            how = way
        values.append(_combined(figures, way))
    return Measure(
        name=name or shown(column.name),
        unit=column.unit,
        values=tuple(values),
        rows=tuple(kept),
        letter=column.letter,
        how=how,
        decimals=column.decimals,
        additive=(column.flow if timed else column.additive) and (not how or way == "sum"),
    )


def _combined(figures: Sequence[float], way: str) -> float | None:
    if not figures:
        return None
    if len(figures) == 1:
        return figures[0]
    if way == "sum":
        return math.fsum(figures)
    return statistics.median(figures) if way == "median" else math.fsum(figures) / len(figures)


def _count(groups: Sequence[Sequence[int]], language: Language) -> Measure:
    return _counted(groups, say("analysis_rows", language))


def _counted(groups: Sequence[Sequence[int]], name: str) -> Measure:
    return Measure(
        name=name,
        unit=COUNT,
        values=tuple(float(len(group)) if group else None for group in groups),
        rows=tuple(tuple(group) for group in groups),
        how="count",
    )
