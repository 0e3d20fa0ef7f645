"""What the analysis team gives to a reasoner, and gets from it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from agent.packs.pack import Pack
from agent.results import Insight, Metric
from agent.types import Language

Means = Literal[
    "count", "periods", "sum", "mean", "median", "low_quarter", "high_quarter", "highest", "lowest", "first", "last",
    "change", "change_share", "growth", "rise", "fall", "share", "ratio", "rank", "outlier", "missing", "unread",
    "total_told",
]  # fmt: skip


@dataclass(frozen=True, kw_only=True, slots=True)
class Figure:
    """A metric and what it means, so that a rule can put it in words."""

    means: Means
    metric: Metric
    of: str
    """What was measured: the name of a column, or of a line of a trend."""
    at: str = ""
    """The row or period that it is of; of a change, a rise or a fall the later one; of a growth the kind
    of period."""
    since: str = ""
    """The earlier period of a change; the other one of a ratio."""
    of_trend: bool = False
    """Whether it was computed over periods."""


@dataclass(frozen=True, kw_only=True, slots=True)
class AnalysisBrief:
    """What insights are to be drawn from: figures that were computed, and nothing else."""

    question: str
    language: Language
    pack: Pack
    type: str
    """`trend`, `comparison`, `distribution` or `summary`."""
    subject: str
    """What the figures are of: the title of their table."""
    metrics: Sequence[Metric]
    figures: Sequence[Figure] = ()
    """The same metrics with what they mean, in the same order."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Reading:
    """What the figures tell."""

    insights: Sequence[Insight] = ()
    recommendations: Sequence[str] = ()
