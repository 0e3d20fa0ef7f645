"""Rows and items meant by a value: those whose range holds an amount, and the one that has most of a column."""

import re
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import zip_longest

from agent.reasoning.rules.answering import readable
from agent.reasoning.rules.answering.passage_units import Shape, Unit
from agent.reasoning.rules.answering.weighted_question import Asked, terms_in
from agent.values.amounts import Amount, amounts, kind_of, unit_named
from agent.values.limits import NOT_OF_IT, distance
from agent.values.names import currencies

MOSTLY = 0.6
"""Share of the cells of a column that are figures where its figures are compared."""
WHOLE = 6_000
"""Characters of a passage up to which its table is whole: longer ones go on in the next (`storage.ingest.passages`)."""
_DIGIT = re.compile(r"\d")


def distance_of(asked: Asked, text: str, units: Sequence[Unit], unit: Unit) -> Fraction | None:
    """Return how far the amounts that are asked about are from those of a row or item, as `limits.distance` has it.

    Of a row its first cell with such an amount tells it; the header may tell the unit.
    """
    if unit.shape not in (Shape.ROW, Shape.ITEM) or not asked.amounts:
        return None
    cells, named = [text[unit.start : unit.end]], tuple[str, ...]()
    if unit.shape is Shape.ROW:
        head = units[unit.header] if unit.header >= 0 else None
        cells = readable.raw_cells(cells[0])
        named = _units_in(text[head.start : head.end]) if head else ()
    for cell, of in zip_longest(cells, named[: len(cells)], fillvalue=""):
        if unit.shape is Shape.ROW and not _DIGIT.search(cell):
            continue
        told = [far for each in asked.amounts if (far := distance(cell, each, of)) is not None]
        if told:
            return NOT_OF_IT if NOT_OF_IT in told else min(told)
    return None


def extreme_row(
    asked: Asked, text: str, units: Sequence[Unit], run: Sequence[Unit], own: Sequence[float]
) -> int | None:
    """Return which row of a whole table has most, or least, of what is asked for; None where that is not plain.

    It is read in the column of figures of one kind that the question names best. Of rows that the question names (at
    least two) only these are compared.
    """
    header = run[-1].header
    if not asked.extreme or header < 0 or units[header] not in run or len(text) > WHOLE:
        return None
    rows = [i for i, unit in enumerate(run) if unit.shape is Shape.ROW and unit != units[header]]
    most = max(own[i] for i in rows)
    named = [i for i in rows if own[i] == most]
    rows = named if len(named) > 1 else rows
    cells = {i: readable.cells(text[run[i].start : run[i].end]) for i in rows}
    columns: dict[float, list[dict[int, Fraction]]] = {}
    head = text[units[header].start : units[header].end]
    for at, (name, of) in enumerate(zip(readable.cells(head), _units_in(head), strict=True)):
        found = {i: _first_of(cells[i][at]) for i in rows if at < len(cells[i])}
        values = {i: kind_of(each, of) for i, first in found.items() for each in first}
        if len(values) < max(2, MOSTLY * len(rows)):
            continue  # it has names
        kinds = {kind for kind, _ in values.values()}
        share = asked.held(terms_in(name)) + asked.total * (asked.of_price and kinds <= currencies())
        columns.setdefault(share, []).append({i: value for i, (_, value) in values.items()} if len(kinds) == 1 else {})
    best = max(columns, default=0.0)
    likely = columns[best][0] if best and len(columns[best]) == 1 else {}
    end = max((asked.extreme * value for value in likely.values()), default=None)
    ends = [i for i, value in likely.items() if asked.extreme * value == end]
    return ends[0] if len(ends) == 1 else None


@lru_cache(maxsize=256)
def _units_in(header: str) -> tuple[str, ...]:
    """Return the unit that each cell of a header tells."""
    return tuple(map(unit_named, readable.cells(header)))


@lru_cache(maxsize=4096)
def _first_of(cell: str) -> tuple[Amount, ...]:
    """Return the first amount of a cell in digits, if there is one."""
    return tuple(amounts(cell)[:1]) if _DIGIT.search(cell) else ()
