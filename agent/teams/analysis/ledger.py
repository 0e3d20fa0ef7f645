"""The figures of an analysis as they are noted: value, written form, and the cells that each rests on."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from agent.language import say
from agent.reasoning.analysis_contract import Figure, Means
from agent.results import Metric
from agent.teams.analysis.frame import Axis, Measure
from agent.teams.analysis.number_format import places, written
from agent.teams.analysis.units import PERCENT, POINTS
from agent.types import Language


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
        self,
        means: Means,
        key: str,
        value: float,
        shown: str,
        *,
        of: str,
        at: str = "",
        since: str = "",
        unit: str = "",
        letter: str = "",
        rows: Sequence[int] = (),
        trend: bool = False,
        **more: str,
    ) -> None:
        """Note a figure; `key` is its name in the catalogue, and empty for a figure as it stands in the table."""
        name = say(key, self.language, of=of, at=at, since=since, **more) if key else f"{of}, {at}"
        if not math.isfinite(value) or name in self.rows:
            return
        metric = Metric(name=name, value=value, written=shown, unit=unit, rests_on=self._cells(letter, rows))
        self.figures.append(Figure(means=means, metric=metric, of=of, at=at, since=since, of_trend=trend))
        self.rows[name] = tuple(rows) if len(rows) <= 2 else (min(rows), max(rows))

    def _cells(self, letter: str, rows: Sequence[int]) -> str:
        """Return from which cell to which, as a spreadsheet writes it: `B2:B13`, or `2:13` for several columns."""
        ends = dict.fromkeys((min(rows), max(rows)) if rows else ())
        return ":".join(f"{letter}{self.lines[row]}" for row in ends)


@dataclass(frozen=True, slots=True)
class Noting:
    """Notes the figures of one measure."""

    ledger: Ledger
    axis: Axis
    measure: Measure

    def value(self, value: float, *, rounded: bool = False, sign: bool = False) -> str:
        """Return a value as it is written; `rounded`: one that was computed, and has more places than the cells."""
        measure = self.measure
        decimals = measure.decimals
        if rounded or measure.how in ("mean", "median"):
            decimals = places(value, measure.decimals, measure.unit)
        unit = POINTS if sign and measure.unit == PERCENT else measure.unit  # from 10 % to 12 % are 2 points
        return written(value, unit, self.ledger.language, decimals, sign=sign)

    def note(
        self, means: Means, key: str, value: float, shown: str = "", *, at: int | None = None, since: int | None = None,
        unit: str | None = None, name: str = "", trend: bool = False, **more: str,
    ) -> None:  # fmt: skip
        """Note a figure of one label, of two, or of all of them; `name`: of several that are called so."""
        labels, measure = self.axis.labels, self.measure
        places_ = [each for each in (since, at) if each is not None] or range(len(labels))
        self.ledger.add(
            means, key, value, shown or self.value(value), of=measure.name, letter=measure.letter,
            rows=[row for place in places_ for row in measure.rows[place]],
            at=name or (labels[at] if at is not None else ""), since=labels[since] if since is not None else "",
            unit=measure.unit.name(self.ledger.language) if unit is None else unit,
            trend=trend or bool(self.axis.periods), **more,
        )  # fmt: skip
