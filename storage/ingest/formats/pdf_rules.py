"""Rules drawn on a PDF page, and the tables that they part into cells."""

from bisect import bisect
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

_NEAR = 2.5
"""Points that a rule is wide at most, and by which rules that meet may miss each other."""
_SHORTEST = 4.0
"""Points of a rule: what is shorter is a part of a drawing."""
_MOST = 1_200
"""Rules of a page; more make a drawing."""
Corner = tuple[float, float]


@dataclass(frozen=True, slots=True)
class _Rule:
    """A line along one axis: where it stands on the other one, and from where to where it goes."""

    at: float
    start: float
    end: float

    def reaches(self, at: float) -> bool:
        """Tell whether it goes through a place."""
        return self.start - _NEAR <= at <= self.end + _NEAR


@dataclass(frozen=True, slots=True)
class Grid:
    """The places of a table's columns, from the left, and of its rows, from below, with what parts its rows."""

    columns: tuple[float, ...]
    rows: tuple[float, ...]
    across: tuple[_Rule, ...] = ()

    def cell(self, x: float, y: float) -> tuple[int, int] | None:
        """Return row, from above, and column of a place; None outside of the table."""
        if not (self.columns[0] <= x < self.columns[-1] and self.rows[0] <= y < self.rows[-1]):
            return None
        return len(self.rows) - 1 - bisect(self.rows, y), bisect(self.columns, x) - 1

    def goes_on(self, row: int, column: int) -> bool:
        """Tell whether no rule parts a cell from the one above it."""
        border, middle = self.rows[len(self.rows) - 1 - row], sum(self.columns[column : column + 2]) / 2
        return not any(abs(rule.at - border) <= _NEAR and rule.reaches(middle) for rule in self.across)


@dataclass(slots=True)
class Rules:
    """Gathers what a page draws."""

    _across: list[_Rule] = field(default_factory=list)
    _down: list[_Rule] = field(default_factory=list)

    def stroke(self, corners: Sequence[Corner]) -> None:
        """Take in lines that are drawn from corner to corner."""
        for start, end in pairwise(corners):
            self._add(start, end)

    def fill(self, corners: Sequence[Corner]) -> None:
        """Take in an area that is filled: a thin one is a line."""
        across, down = [x for x, _ in corners], [y for _, y in corners]
        self._add((min(across), min(down)), (max(across), max(down)))

    def _add(self, start: Corner, end: Corner) -> None:
        width, height = abs(start[0] - end[0]), abs(start[1] - end[1])
        if width <= _NEAR and height >= _SHORTEST:
            self._down.append(_Rule((start[0] + end[0]) / 2, *sorted((start[1], end[1]))))
        elif height <= _NEAR and width >= _SHORTEST:
            self._across.append(_Rule((start[1] + end[1]) / 2, *sorted((start[0], end[0]))))

    def grids(self) -> list[Grid]:
        """Return the tables of two rows and two columns at least."""
        if len(self._across) + len(self._down) > _MOST:
            return []
        return [grid for across, down in _meeting(_joined(self._across), _joined(self._down))
                if (grid := _grid(across, down))]  # fmt: skip


def _joined(rules: Iterable[_Rule]) -> list[_Rule]:
    """Return rules, pieces of one line made one."""
    out: list[_Rule] = []
    for rule in sorted(rules, key=lambda rule: (round(rule.at), rule.start)):
        last = out[-1] if out else None
        if last and abs(last.at - rule.at) <= 1 and rule.start <= last.end + _NEAR:
            out[-1] = _Rule(last.at, last.start, max(last.end, rule.end))
        else:
            out.append(rule)
    return out


def _meeting(across: Sequence[_Rule], down: Sequence[_Rule]) -> Iterator[tuple[list[_Rule], list[_Rule]]]:
    """Yield the rules that hang together."""
    left = [*((rule, True) for rule in across), *((rule, False) for rule in down)]
    while left:
        group, fresh = [left[0]], [left.pop(0)]
        while fresh:
            rule, lies = fresh.pop()
            met = [each for each in left if each[1] != lies and each[0].reaches(rule.at) and rule.reaches(each[0].at)]
            left = [each for each in left if each not in met]
            group += met
            fresh += met
        yield [rule for rule, lies in group if lies], [rule for rule, lies in group if not lies]


def _grid(across: Sequence[_Rule], down: Sequence[_Rule]) -> Grid | None:
    """Return the table of rules that hang together; it may be open at its sides."""
    if not across or not down:
        return None
    columns = _apart([*(rule.at for rule in down), min(r.start for r in across), max(r.end for r in across)])
    rows = _apart([*(rule.at for rule in across), min(r.start for r in down), max(r.end for r in down)])
    return Grid(columns, rows, tuple(across)) if len(columns) > 2 and len(rows) > 2 else None


def _apart(places: Iterable[float]) -> tuple[float, ...]:
    """Return places in order, those that are one by the width of a rule once."""
    out: list[float] = []
    for place in sorted(places):
        if not out or place - out[-1] > 2 * _NEAR:
            out.append(place)
    return tuple(out)
