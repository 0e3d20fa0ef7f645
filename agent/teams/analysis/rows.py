"""Figures on the rows themselves: how many, what is missing, totals that do not add up."""

import math
from collections.abc import Sequence

from agent.reasoning.analysis_contract import Means
from agent.teams.analysis import stats
from agent.teams.analysis.columns import Columns, total_of
from agent.teams.analysis.ledger import Ledger
from agent.teams.analysis.number_format import written
from agent.teams.analysis.selecting import Selected


def note_rows(ledger: Ledger, selected: Selected) -> None:
    """Note how many rows there are, and which cells of the figures could not be used."""
    count = len({row.number for row in selected.columns.rows})  # a row of many periods is one
    ledger.add("count", "analysis_rows", float(count), f"{count:,}", of="")
    for column in selected.measures:
        lost: Sequence[tuple[Means, str, int]] = (
            ("missing", "analysis_m_missing", column.missing),
            ("unread", "analysis_m_unread", column.unread),
        )
        for means, key, number in lost:
            if number:
                ledger.add(means, key, float(number), f"{number:,}", of=column.name, rests_on=column.letter)


def note_totals(ledger: Ledger, columns: Columns, selected: Selected) -> None:
    """Note the total that the table itself tells, where it is not what its rows add up to."""
    if len(columns.totals) != 1 or len(selected.columns.rows) != len(columns.rows):
        return
    row = columns.totals[0]
    for column in selected.measures:
        told = total_of(row, column)
        values = [value for value in column.values if value is not None]
        if told is None or not column.additive or not values or column.parted:
            continue
        total = math.fsum(values)
        step = 10.0**-column.decimals
        if abs(total - told) > max(step * len(values) / 2, 1e-6 * abs(told)) and not _near(
            told, stats.mean(values), step
        ):
            unit, language = column.unit, ledger.language
            both: Sequence[tuple[Means, str, float]] = (
                ("sum", "analysis_m_sum", total),
                ("total_told", "analysis_m_total_told", told),
            )
            for means, key, value in both:
                ledger.add(
                    means, key, value, written(value, unit, language, column.decimals), of=column.name,
                    unit=unit.name(language),
                    rests_on=f"{column.letter}{row.number}" if value == told else column.letter,
                )  # fmt: skip


def _near(left: float, right: float, step: float) -> bool:
    return abs(left - right) <= step
