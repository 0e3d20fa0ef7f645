"""What the steps of a plan bring back, each team its own."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from agent.cases import Lookup
from agent.types import (
    Block,
    Expansion,
    Hit,
    Passage,
    ProducedFile,
    SearchResult,
    Sentence,
    Step,
)

Risk = Literal["low", "medium", "high"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Told:
    """A part of the answer that a team wrote itself: sentences on blocks of its own, numbered from 1."""

    title: str
    sentences: tuple[Sentence, ...] = ()
    """A sentence without support is the team's own remark: a heading, or a figure that it computed."""
    blocks: tuple[Block, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Compliance:
    """One rule that a document was held against."""

    rule: str
    passed: bool
    note: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Review:
    """The verdict on a document before it is handed over."""

    risk_level: Risk
    risks: tuple[str, ...] = ()
    recommendations: tuple[str, ...] = ()
    compliance_check: tuple[Compliance, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class DocumentResult:
    """A document that was drafted, reviewed and made final."""

    template: str
    title: str
    markdown: str
    fields: Mapping[str, str] = field(default_factory=dict)
    blanks: tuple[str, ...] = ()
    """Titles of the fields that were left open, marked as blanks in the text."""
    review: Review | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Metric:
    """A figure computed from a table; `written` is how the answer shows it."""

    name: str
    value: float
    written: str
    unit: str = ""
    rests_on: str = ""
    """Which cells it was computed from, and how, in words."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Insight:
    """A statement about the data, with the names of the metrics that it rests on."""

    text: str
    metrics: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Series:
    """Values of one line or set of bars, one for each label of its chart; None where there is none."""

    name: str
    values: tuple[float | None, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Visualization:
    """What a chart shows."""

    kind: Literal["line", "bar", "pie"]
    title: str
    labels: tuple[str, ...]
    series: tuple[Series, ...]
    unit: str = ""
    text: str = ""
    """The same in words."""


@dataclass(frozen=True, kw_only=True, slots=True)
class AnalysisResult:
    """What the figures of the documents, or of an attached table, tell."""

    type: str
    metrics: tuple[Metric, ...] = ()
    insights: tuple[Insight, ...] = ()
    report: str = ""
    """Markdown."""
    visualization_data: Visualization | None = None
    recommendations: tuple[str, ...] = ()
    confidence: float = 0.0
    """Within 0..1."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Outcome:
    """What one step of the plan brought back."""

    step_id: str
    step: Step | None = None
    """The step as it ended."""
    expansion: Expansion | None = None
    hits: tuple[Hit, ...] = ()
    search: SearchResult | None = None
    """All that the search tells besides its hits."""
    web: bool = False
    """Whether pages of the web are among the hits."""
    sentences: tuple[Sentence, ...] = ()
    """The step's own answer."""
    told: Told | None = None
    lookup: Lookup | None = None
    """The cases found, where the question looks cases up."""
    whole: tuple[Passage, ...] = ()
    """The passages of the document that is to be summed up, in its order."""
    document: DocumentResult | None = None
    analysis: AnalysisResult | None = None
    files: tuple[ProducedFile, ...] = ()
    result: str = ""
    """A few words for the step of the TODO list."""
    sources: tuple[str, ...] = ()
    """Titles of what it rests on, for the TODO list."""
    warnings: tuple[str, ...] = ()
    error: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Again:
    """What a second search for the same step is to do otherwise."""

    iteration: int
    """From 1."""
    tried: Expansion
    hits: Sequence[Hit] = ()
    """What the first one found, best first."""


def joined(left: Sequence[Outcome], right: Sequence[Outcome]) -> tuple[Outcome, ...]:
    """Keep the results of steps that ran side by side, one a step."""
    found = {outcome.step_id: outcome for outcome in (*left, *right)}
    return tuple(found.values())
