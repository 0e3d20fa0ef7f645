"""What should be looked at in a table, where its figures give ground for it: never what to decide."""

from collections.abc import Iterator

from agent.reasoning.analysis_contract import AnalysisBrief, Figure
from agent.reasoning.rules.answering.phrases import tell

MOST = 4
MISSING = 0.05
"""Share of missing cells from which they are worth filling."""
CONCENTRATED = 50.0
"""Percent of the total in one of several names."""
_FEW_PERIODS = 4
_FEW_NAMES = 3


def advice(brief: AnalysisBrief) -> tuple[str, ...]:
    """Return recommendations, the most urgent first; none where nothing in the figures asks for one."""
    return tuple(dict.fromkeys(_advice(brief)))[:MOST]


def _advice(brief: AnalysisBrief) -> Iterator[str]:
    figures, language = brief.figures, brief.language
    rows = next((each.metric.value for each in figures if each.means == "count"), 0.0)
    for figure in figures:
        if figure.means == "total_told":
            yield tell("analysis_check_total", language, of=figure.of)
    for of, units in brief.parted:
        yield tell("analysis_one_unit", language, of=of, units=units)
    for figure in figures:
        if figure.means == "outlier":
            yield tell("analysis_check_outlier", language, of=figure.of, at=figure.at, value=figure.metric.written)
    for figure in figures:
        if figure.means in ("missing", "unread") and figure.metric.value >= MISSING * max(1.0, rows):
            key = "analysis_fill" if figure.means == "missing" else "analysis_correct"
            yield tell(key, language, of=figure.of, count=figure.metric.written)
    concentrated = _concentrated(brief)
    if concentrated is not None:
        yield tell(
            "analysis_look_first", language, of=concentrated.of, at=concentrated.at, share=concentrated.metric.written
        )
    periods = next((each.metric.value for each in figures if each.means == "periods"), _FEW_PERIODS)
    if periods < _FEW_PERIODS:
        yield tell("analysis_wait", language)


def _concentrated(brief: AnalysisBrief) -> Figure | None:
    shares = [each for each in brief.figures if each.means == "share"]
    if len(shares) < _FEW_NAMES or shares[0].metric.value < CONCENTRATED:
        return None
    return shares[0]
