"""Figures on the rows themselves: how many, what is missing, totals that do not add up, what moves together."""

import math
from collections.abc import Sequence

from agent.reasoning.analysis_contract import Means
from agent.reasoning.rules.answering.phrases import tell
from agent.teams.analysis import stats
from agent.teams.analysis.columns import Column, Columns, total_of
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


def note_together(ledger: Ledger, measures: Sequence[Column], *, least: float) -> None:
    """Note the pair of columns that move together most, where that is at least so strong."""
    best: tuple[float, Column, Column, int] | None = None
    for at, left in enumerate(measures):
        for right in measures[at + 1 :]:
            pairs = [(a, b) for a, b in zip(left.values, right.values, strict=True) if a is not None and b is not None]
            found = stats.correlation([a for a, _ in pairs], [b for _, b in pairs])
            if found is not None and abs(found) >= least and (best is None or abs(found) > abs(best[0])):
                best = (found, left, right, len(pairs))
    if best is not None:
        value, left, right, count = best
        ledger.add(
            "correlation", "analysis_m_correlation", value, f"{value:.2f}", of=left.name, at=right.name,
            rests_on=tell(
                "analysis_pairs", ledger.language, where=f"{left.letter}, {right.letter}", count=f"{count:,}"
            ),
            count=f"{count:,}",
        )  # fmt: skip


def _near(left: float, right: float, step: float) -> bool:
    return abs(left - right) <= step
