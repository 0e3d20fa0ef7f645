"""What a conversation keeps, and what a turn works with.

The first part is checkpointed: small, bounded, ids instead of document text, written by `remember`
alone. The second part lives as long as the turn: `UntrackedValue` is never stored, and a turn that
is cut off is run again from its message.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, TypedDict

from langgraph.channels import UntrackedValue

from agent.channels import Gathered
from agent.retrieval.pack import Left
from agent.types import (
    Block,
    Citation,
    Clarification,
    Draft,
    Expansion,
    Hit,
    Pending,
    Plan,
    Profile,
    QualityCheck,
    Response,
    SearchResult,
    Settled,
    Standalone,
    Step,
    Summary,
    TurnRecord,
    Understood,
)

VERSION = 2
"""Of what the conversation keeps; raised with a migration in `nodes/recall.py`."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """What one step of the plan brought back."""

    step_id: str
    step: Step | None = None
    """The step as it ended."""
    expansion: Expansion | None = None
    hits: tuple[Hit, ...] = ()
    search: SearchResult | None = None
    """All that the search tells besides its hits."""
    warnings: tuple[str, ...] = ()
    error: str = ""


def joined(left: Sequence[Found], right: Sequence[Found]) -> tuple[Found, ...]:
    """Keep the results of steps that ran side by side, one a step."""
    found = {result.step_id: result for result in (*left, *right)}
    return tuple(found.values())


def appended(left: Sequence[str], right: Sequence[str]) -> tuple[str, ...]:
    """Add what is new, each text once."""
    return tuple(dict.fromkeys((*left, *right)))


def added(left: Mapping[str, float], right: Mapping[str, float]) -> dict[str, float]:
    """Add up the figures of each name."""
    return {name: left.get(name, 0.0) + right.get(name, 0.0) for name in (*left, *right)}


@dataclass(frozen=True, kw_only=True, slots=True)
class TeamTask:
    """What one branch of a fan-out is given."""

    step: Step
    question: Standalone
    understood: Understood


@dataclass(kw_only=True)
class Input:
    """What starts a turn; everything else about it is in the `Context`."""

    turn_id: Annotated[str, UntrackedValue]


@dataclass(kw_only=True)
class State:
    """The state of the graph."""

    turns: list[TurnRecord] = field(default_factory=list)
    """Kept: the latest turns, oldest first."""
    summary: Summary | None = None
    """Kept: of the turns before those."""
    pending: Pending | None = None
    """Kept: the question back that waits for its answer."""
    version: int = VERSION
    """Kept: of the shape of what is kept."""

    turn_id: Annotated[str, UntrackedValue] = ""
    earlier: Annotated[tuple[TurnRecord, ...], UntrackedValue] = ()
    """The turns before this one: for an edited question, those before its first asking."""
    before: Annotated[Summary | None, UntrackedValue] = None
    """The summary that goes with `earlier`."""
    profile: Annotated[Profile, UntrackedValue] = field(default_factory=Profile)
    """Of the asker, as far as this place may use it."""
    settled: Annotated[Settled | None, UntrackedValue] = None
    """What the message is to the question back before it, where there was one."""
    understood: Annotated[Understood | None, UntrackedValue] = None
    standalone: Annotated[Standalone | None, UntrackedValue] = None
    plan: Annotated[Plan | None, UntrackedValue] = None
    found: Annotated[tuple[Found, ...], Gathered(joined)] = ()
    blocks: Annotated[tuple[Block, ...], UntrackedValue] = ()
    left: Annotated[tuple[Left, ...], UntrackedValue] = ()
    """What was found and is not among the blocks."""
    nearest: Annotated[tuple[str, ...], UntrackedValue] = ()
    clarification: Annotated[Clarification | None, UntrackedValue] = None
    asking: Annotated[Pending | None, UntrackedValue] = None
    """What this turn asks back, until it is answered."""
    draft: Annotated[Draft | None, UntrackedValue] = None
    grounding: Annotated[QualityCheck | None, UntrackedValue] = None
    retry_count: Annotated[int, UntrackedValue] = 0
    """How often `compose` was asked to write again."""
    answer: Annotated[str, UntrackedValue] = ""
    citations: Annotated[tuple[Citation, ...], UntrackedValue] = ()
    warnings: Annotated[tuple[str, ...], Gathered(appended)] = ()
    errors: Annotated[tuple[str, ...], Gathered(appended)] = ()
    timings: Annotated[dict[str, float], Gathered(added)] = field(default_factory=dict)
    """Milliseconds by node; a node that runs twice counts twice."""
    response: Annotated[Response | None, UntrackedValue] = None


class Update(TypedDict, total=False):
    """What a node may change."""

    turns: list[TurnRecord]
    summary: Summary | None
    pending: Pending | None
    version: int
    earlier: tuple[TurnRecord, ...]
    before: Summary | None
    profile: Profile
    settled: Settled | None
    understood: Understood | None
    standalone: Standalone | None
    plan: Plan | None
    found: tuple[Found, ...]
    blocks: tuple[Block, ...]
    left: tuple[Left, ...]
    nearest: tuple[str, ...]
    clarification: Clarification | None
    asking: Pending | None
    draft: Draft | None
    grounding: QualityCheck | None
    retry_count: int
    answer: str
    citations: tuple[Citation, ...]
    warnings: tuple[str, ...]
    errors: tuple[str, ...]
    timings: dict[str, float]
    response: Response | None
