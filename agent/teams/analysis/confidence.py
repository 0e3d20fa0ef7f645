"""How far the figures can be relied on."""

from agent.teams.analysis.selecting import Selected

_PARTED = 0.8
"""What cells in other units take off."""
_LEAST_MATCH = 0.6
"""What is left where the table holds no word of the question."""


def confidence(selected: Selected, match: float) -> float:
    """Return a confidence within 0..1, the product of four parts, rounded to two places.

    Rows: `1 - 1 / (n + 1)` for `n` rows with a figure. Completeness: the share of the cells that could be used. Units:
    0.8 where a column has units that cannot be added up. Match: from 0.6 to 1 by the share of the question's words that
    the table holds.
    """
    main = selected.measures[0] if selected.measures else None
    rows = len(selected.columns.rows)
    figures = sum(value is not None for value in main.values) if main else rows
    complete = figures / rows if rows else 0.0
    if main is not None and main.parted:
        complete = max(complete, (rows - main.missing - main.unread) / rows if rows else 0.0) * _PARTED
    return round((1 - 1 / (figures + 1)) * complete * (_LEAST_MATCH + (1 - _LEAST_MATCH) * match), 2)
