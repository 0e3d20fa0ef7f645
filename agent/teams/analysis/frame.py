"""Figures over one axis: periods in their order, or names; several rows of one label are added up or averaged."""

import math
import statistics
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass

from agent.language import say
from agent.teams.analysis import stats
from agent.teams.analysis.columns import Column
from agent.teams.analysis.numbers import is_missing
from agent.teams.analysis.periods import GRAINS, Grain, Period
from agent.teams.analysis.selecting import Selected
from agent.teams.analysis.table import shown
from agent.teams.analysis.table_question import Asked
from agent.teams.analysis.units import BARE, Unit
from agent.types import Language

MOST_PERIODS = 60
"""Periods beyond which they are put together to longer ones: a line of more is not readable on a phone."""
MOST_LINES = 5
_COMBINE: Mapping[str, Callable[[Sequence[float]], float]] = {
    "sum": math.fsum,
    "mean": stats.mean,
    "median": statistics.median,
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Measure:
    """Figures of one kind, one a label of the axis; None where there is none."""

    name: str
    unit: Unit = BARE
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

    @property
    def known(self) -> list[tuple[int, float]]:
        """The figures that there are, each with the place of its label."""
        return [(at, value) for at, value in enumerate(self.values) if value is not None]

    @property
    def is_share(self) -> bool:
        """Tell whether the figures are percentages: those have no change in percent."""
        return self.unit.dimension in ("%", "%p")


@dataclass(frozen=True, kw_only=True, slots=True)
class Frame:
    """What is computed with: measures, and the axis that they are told for."""

    name: str
    labels: tuple[str, ...]
    measures: tuple[Measure, ...]
    periods: tuple[Period, ...] = ()
    """Of an axis of time, ascending, one a label."""
    ordered: bool = False
    """Whether the labels have an order of their own, as classes of figures have."""
    lines_left: int = 0
    """Names of a trend that have no line of their own."""

    @property
    def grain(self) -> Grain | None:
        """How long each period is."""
        return self.periods[0].grain if self.periods else None


def over_time(selected: Selected, asked: Asked, language: Language) -> Frame | None:
    """Return the figures over periods; None where there are fewer than two."""
    time = selected.time
    present = sorted({each for each in time.periods if each is not None}) if time else []
    if time is None or not present:
        return None
    grain = _grain(present, asked)
    buckets = [None if each is None else each.within(grain) for each in time.periods]
    keys = sorted({each for each in buckets if each is not None})
    if len(keys) < 2:
        return None
    longer = grain != present[0].grain
    written: dict[Period | None, str] = {}
    for cell, bucket in zip(time.cells, buckets, strict=True):
        written.setdefault(bucket, _written(cell, bucket, language))
    groups, left = _grouped(buckets, keys), 0
    if selected.parts is not None and selected.measures and not asked.count:
        measures, left = _lines(selected.measures[0], selected.parts, asked, groups)
    else:
        measures = _measures(selected, asked, groups, language, across=longer, timed=True)
    if all(len(measure.known) < 2 for measure in measures):
        return None
    labels = tuple(key.name(language) if longer else written[key] for key in keys)
    return Frame(name=time.name, labels=labels, periods=tuple(keys), measures=tuple(measures), lines_left=left)


def by_name(selected: Selected, asked: Asked, language: Language) -> Frame | None:
    """Return the figures by name; None where there are fewer than two names."""
    by, time = selected.by, selected.time
    keys = sorted({cell for cell in by.cells if not is_missing(cell)}) if by else []
    if by is None or len(keys) < 2:
        return None
    across = time is not None and len(set(time.periods)) > 1
    measures = _measures(selected, asked, _grouped(by.cells, keys), language, across=across)
    return Frame(name=by.name, labels=tuple(map(shown, keys)), measures=tuple(measures))


def by_row(selected: Selected, language: Language) -> Frame | None:
    """Return the figures row by row, called by the first name of the row, or by its number; None without figures."""
    if not selected.measures:
        return None
    named = [each for each in (selected.by, selected.time) if each is not None]
    labels = tuple(
        ", ".join(
            _written(each.cells[at], each.periods[at] if each.periods else None, language)
            for each in named
            if each.cells[at]
        )
        or f"#{row.number}"
        for at, row in enumerate(selected.columns.rows)
    )
    groups = [[at] for at in range(len(labels))]
    dated = selected.time is not None  # what is there at a time is not added up over the rows of several
    measures = tuple(_measure(each, groups, Asked(text=""), timed=dated) for each in selected.measures)
    return Frame(name=named[0].name if named else "", labels=labels, measures=measures)


def _written(cell: str, period: Period | None, language: Language) -> str:
    """Return a period as the table writes it; a bare year as people write it."""
    return period.name(language) if period is not None and cell.strip().isdigit() else shown(cell)


def _grain(present: Sequence[Period], asked: Asked) -> Grain:
    """Return how long the periods of an axis are: as is asked, or so long that there are not too many."""
    grain = present[0].grain
    longer = GRAINS[GRAINS.index(grain) + 1 :] if present[0].dated else ()
    if asked.grain in longer:
        return asked.grain
    for each in longer:
        if len({period.within(grain) for period in present}) <= MOST_PERIODS:
            break
        grain = grain if each in ("week", "half") else each
    return grain


def _grouped(cells: Sequence[Hashable], keys: Sequence[Hashable]) -> list[list[int]]:
    """Return the rows of each key."""
    groups: dict[Hashable, list[int]] = {key: [] for key in keys}
    for row, cell in enumerate(cells):
        if cell in groups:
            groups[cell].append(row)
    return list(groups.values())


def _lines(column: Column, parts: Column, asked: Asked, groups: Sequence[Sequence[int]]) -> tuple[list[Measure], int]:
    """Return one measure a name, those with the most where there are too many; and how many are left out."""
    sizes: dict[str, list[float]] = {}
    for row in (row for group in groups for row in group):
        value = column.values[row]
        if value is not None and not is_missing(parts.cells[row]):
            sizes.setdefault(parts.cells[row], []).append(abs(value))
    names = sorted(sizes, key=lambda name: (-math.fsum(sizes[name]), name))
    return [
        _measure(
            column,
            [[row for row in group if parts.cells[row] == name] for group in groups],
            asked,
            across=True,
            timed=True,
            name=shown(name),
        )
        for name in names[:MOST_LINES]
    ], max(0, len(names) - MOST_LINES)


def _measures(
    selected: Selected,
    asked: Asked,
    groups: Sequence[Sequence[int]],
    language: Language,
    *,
    across: bool,
    timed: bool = False,
) -> list[Measure]:
    """Return the figures of each column group by group; where rows are to be counted, how many there are."""
    if selected.measures and not asked.count:
        return [_measure(each, groups, asked, across=across, timed=timed) for each in selected.measures]
    counts = tuple(float(len(group)) if group else None for group in groups)
    rows = tuple(map(tuple, groups))
    return [Measure(name=say("analysis_rows", language), values=counts, rows=rows, how="count")]


def _measure(
    column: Column,
    groups: Sequence[Sequence[int]],
    asked: Asked,
    *,
    across: bool = False,
    timed: bool = False,
    name: str = "",
) -> Measure:
    """Return a column's figures group by group.

    `across`: rows of a group may be of several periods; `timed`: the groups are of periods.
    """
    adds = column.flow if across else column.additive
    way = "mean" if asked.average else "median" if asked.median else "sum" if adds else "mean"
    rows = [tuple(row for row in group if column.values[row] is not None) for group in groups]
    figures = [[value for row in group if (value := column.values[row]) is not None] for group in rows]
    how = way if any(len(each) > 1 for each in figures) else ""
    return Measure(
        name=name or shown(column.name),
        unit=column.unit,
        values=tuple(_COMBINE[way](each) if each else None for each in figures),
        rows=tuple(rows),
        letter=column.letter,
        how=how,
        decimals=column.decimals,
        additive=(column.flow if timed else column.additive) and how in ("", "sum"),
    )
