"""What a message is read as, how it is searched for, and the steps of its answer."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal

from agent.language.registry import Language
from agent.types.knowledge import Query, SearchFilter, WeightedTerm
from agent.types.people import Preferences

Route = Literal["direct", "decline", "clarify", "followup", "explain", "contextualize", "research"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Intent:
    """What a question is about, as far as the pack's examples tell; `confidence` within 0..1."""

    name: str
    confidence: float
    keywords: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()


Form = Literal["shorter", "longer", "simpler", "list", "table", "translate", "repeat", "recap"]
"""Another form of the answer before; `recap`: of all answers of the thread."""


@dataclass(frozen=True, kw_only=True, slots=True)
class FollowUp:
    """What a message wants done with the answer before it."""

    kind: Form | Literal["why", "source", "how", "point", "section", "another"]
    """`another`: what else answers the question before."""
    point: int = 0
    """Which point of the answer, or which of its documents, from 1, -1 for the last; 0: all of it."""
    sections: tuple[str, ...] = ()
    """Headings of the answer."""
    language: Language | None = None
    """Into which language."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Understood:
    """The reading of one message."""

    question: str
    """Normalised: Unicode NFC, single spaces, no platform mark-up."""
    language: Language
    intent: Intent
    route: Route
    reason: str = ""
    """Why this route, as a word of the catalogue or a short sentence for the trace."""
    slots: Mapping[str, Any] = field(default_factory=dict)
    """What the message names, whomever it tells it of, and also where it only asks."""
    own: Mapping[str, Any] = field(default_factory=dict)
    """What it tells of its author: this alone is remembered of them."""
    not_own: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    """What it says is not, or no longer, the case of its author."""
    cut: tuple[str, ...] = ()
    """Slots of which it names more values than are read."""
    of_others: bool = False
    """Whether it is about somebody else than its author: then nothing that is known of these bears on it."""
    followup: FollowUp | None = None
    """Set on the routes `followup` and `explain`, and on `contextualize` for `another`."""
    personal: Literal["", "about", "forget", "unlearn", "prefer", "recollect", "tell", "other"] = ""
    """What a message wants of the memory of its author; its route is `direct` then."""
    preferences: Preferences | None = None
    """What a message says about how its author wants to be answered."""
    outside: str = ""
    """Set on the routes that search: the declined intent that the message likely is. It is declined after all where no
    document answers it."""
    missing_slot: str = ""
    """Set on the route `clarify`: which slot of the pack's schema must be asked for."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Standalone:
    """A question that can be understood without its conversation."""

    text: str
    terms: tuple[WeightedTerm, ...] = ()
    """What the search inherits from the conversation, below the question's own weight.

    None where the text says all, as with another value in the place of the one that was asked about.
    """
    of_asker: tuple[WeightedTerm, ...] = ()
    """What its asker told of themselves: it shapes the search, and is no part of what is asked."""
    changed: bool = False
    focus: tuple[str, ...] = ()
    """Document ids that the asker chose: their passages come before all others."""
    before: Mapping[str, float] = field(default_factory=dict)
    """Ids of the documents that the turns before rest on: how much more their passages count, 0 for no more."""
    thread: str = ""
    """The questions before it and then itself, in their own words; empty where it is the first one.

    Before an order for a document of the answer each stands alone: that is what the document is about.
    """
    told: tuple[str, ...] = ()
    """References of the passages that the last answer from documents rests on, best first."""
    besides: tuple[str, ...] = ()
    """References of passages that were cited for it before, where what they told is not wanted again."""
    leans: float = 0.0
    """How much of what it means stands in its thread, 0 to 1."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Expansion:
    """How one step of the plan is searched for."""

    step_id: str
    queries: tuple[Query, ...] = ()
    abroad: Query | None = None
    """The question in the words of another language, for passages that are in that one."""
    must_have: tuple[str, ...] = ()
    should_have: tuple[str, ...] = ()
    related_terms: tuple[str, ...] = ()
    boost_weights: Mapping[str, float] = field(default_factory=dict)
    filter: SearchFilter = field(default_factory=SearchFilter)
    """What the step's own words limit the search to; it gives way where nothing is left."""


class StepStatus(StrEnum):
    """Where a step stands; completed, failed and skipped are final."""

    PENDING = "pending"
    IN_PROGRESS = "in_progress"
    COMPLETED = "completed"
    FAILED = "failed"
    SKIPPED = "skipped"

    @property
    def final(self) -> bool:
        """Tell whether the status can no longer change."""
        return self in (StepStatus.COMPLETED, StepStatus.FAILED, StepStatus.SKIPPED)


@dataclass(frozen=True, kw_only=True, slots=True)
class Step:
    """One item of the plan, and of the TODO list that people watch."""

    id: str
    team: str
    task: str
    """A few words, in the asker's language."""
    description: str = ""
    """What the step is to find out or to make, as a question or an order that stands alone."""
    subject: str = ""
    """Of a document the name of its template, of an analysis its type; empty: the team chooses."""
    purpose: Literal["answer", "evidence"] = "answer"
    """Whether what is found is told in the answer, or only serves the steps that wait for it."""
    priority: int = 1
    dependencies: tuple[str, ...] = ()
    status: StepStatus = StepStatus.PENDING
    progress: int = 0
    """Percent."""
    phase: str = ""
    """What the step is doing now, in a few words."""
    started_at: float | None = None
    completed_at: float | None = None
    result: str = ""
    """A few words about what came out."""
    answer: str = ""
    """The step's own answer, where the plan has several; Markdown without citation marks."""
    sources: tuple[str, ...] = ()
    error: str = ""

    @property
    def note(self) -> str:
        """What is told beside the task: why it failed, what came out, or what is being done."""
        return self.error or self.result or self.phase


@dataclass(frozen=True, kw_only=True, slots=True)
class Plan:
    """What will be done for an answer."""

    steps: tuple[Step, ...]
    strategy: Literal["sequential", "parallel"] = "sequential"
    parallel_groups: tuple[tuple[str, ...], ...] = ()
    validation_errors: tuple[str, ...] = ()
    estimated_total_ms: float | None = None
