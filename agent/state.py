"""What a conversation keeps, and what a turn works with.

The first part is checkpointed: small, bounded, ids instead of document text, written by `remember`
alone. The second part lives as long as the turn: `UntrackedValue` is never stored, and a turn that
is cut off is run again from its message.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Self, TypedDict, TypeVar

from langgraph.channels import UntrackedValue

from agent.results import Again, Outcome, Told, joined
from agent.retrieval.pack import Left
from agent.types import (
    Aim,
    Block,
    Clarification,
    Draft,
    Grade,
    Memory,
    Pending,
    Plan,
    Profile,
    QualityCheck,
    Remedy,
    Response,
    Said,
    Settled,
    Split,
    Standalone,
    Step,
    Summary,
    TurnRecord,
    Understood,
)

Each = TypeVar("Each")
VERSION = 2
"""Of what the conversation keeps; raised with a migration in `nodes/recall.py`."""


class Gathered(UntrackedValue[Any]):
    """Joins what nodes that run side by side write, and is never checkpointed.

    `Annotated[tuple[int, ...], Gathered(join)]` in the state; `join(old, new)` is a pure function.
    """

    __slots__ = ("join",)

    def __init__(self, join: Callable[[Any, Any], Any]) -> None:
        super().__init__(object)
        self.join = join

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Gathered) and other.join == self.join

    __hash__ = None  # type: ignore[assignment]

    def copy(self) -> Self:
        """Return a copy that shares nothing with this channel but the value."""
        twin = self._empty()
        twin.value = self.value
        return twin

    def from_checkpoint(self, checkpoint: Any) -> Self:
        """Return an empty channel: a new turn begins with nothing."""
        return self._empty()

    def update(self, values: Sequence[Any]) -> bool:
        """Join the values, in the order of the nodes that wrote them."""
        for value in values:
            self.value = self.join(self.value, value) if self.is_available() else value
        return bool(values)

    def _empty(self) -> Self:
        twin = self.__class__(self.join)
        twin.key = self.key
        return twin


def appended(left: Sequence[Each], right: Sequence[Each]) -> tuple[Each, ...]:
    """Add what is new, each once."""
    return tuple(dict.fromkeys((*left, *right)))


def followed(left: Sequence[Each], right: Sequence[Each]) -> tuple[Each, ...]:
    """Put what came later behind it."""
    return (*left, *right)


def added(left: Mapping[str, float], right: Mapping[str, float]) -> dict[str, float]:
    """Add up the figures of each name."""
    return {name: left.get(name, 0.0) + right.get(name, 0.0) for name in (*left, *right)}


@dataclass(frozen=True, kw_only=True, slots=True)
class TeamTask:
    """What one branch of a fan-out is given."""

    step: Step
    number: int = 1
    """Which step of the plan it is, from 1."""
    question: Standalone
    understood: Understood
    before: tuple[Outcome, ...] = ()
    """What the steps that it waited for brought back, in their order."""
    profile: Profile = field(default_factory=Profile)
    turns: tuple[TurnRecord, ...] = ()
    given: Mapping[str, str] = field(default_factory=dict)
    """Fields of a document that the asker told when asked."""
    several: bool = False
    """Whether the plan has other steps that answer: then each gives an answer of its own as well."""
    again: Again | None = None
    """Set where the step was searched for before and too little was found."""


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
    memories: Annotated[tuple[Memory, ...], UntrackedValue] = ()
    """Past questions of the asker that are near this one, whose sources they may still read; in private alone."""
    settled: Annotated[Settled | None, UntrackedValue] = None
    """What the message is to the question back before it, where there was one."""
    understood: Annotated[Understood | None, UntrackedValue] = None
    standalone: Annotated[Standalone | None, UntrackedValue] = None
    pointing: Annotated[bool, UntrackedValue] = False
    """Whether messages of others that were pointed at have a part in this turn: then no memory is kept of it."""
    aim: Annotated[Aim | None, UntrackedValue] = None
    """What is wanted of them, where the message has no question of its own."""
    target: Annotated[Said | None, UntrackedValue] = None
    """Whose question is answered, or whose statement is checked: the words of `standalone`."""
    heard: Annotated[bool, UntrackedValue] = False
    """Whether a message that calls nobody was found to be said to Weft."""
    overheard: Annotated[bool, UntrackedValue] = False
    """Whether the answer is told from what people said in the thread, for want of a document that holds it."""
    given: Annotated[Mapping[str, str], UntrackedValue] = field(default_factory=dict)
    """Fields of a document that the asker told when asked."""
    plan: Annotated[Plan | None, UntrackedValue] = None
    wants: Annotated[Split | None, UntrackedValue] = None
    """What must be asked before a document can be written."""
    outcomes: Annotated[tuple[Outcome, ...], Gathered(joined)] = ()
    told: Annotated[tuple[Told, ...], UntrackedValue] = ()
    """Parts of the answer that teams wrote, on the numbers of `blocks`."""
    blocks: Annotated[tuple[Block, ...], UntrackedValue] = ()
    left: Annotated[tuple[Left, ...], UntrackedValue] = ()
    """What was found and is not among the blocks."""
    nearest: Annotated[tuple[str, ...], UntrackedValue] = ()
    clarification: Annotated[Clarification | None, UntrackedValue] = None
    asking: Annotated[Pending | None, UntrackedValue] = None
    """What this turn asks back, until it is answered."""
    offers: Annotated[bool, UntrackedValue] = False
    """Whether that is only offered: the likeliest thing is assumed, and answered for."""
    draft: Annotated[Draft | None, UntrackedValue] = None
    grounding: Annotated[QualityCheck | None, UntrackedValue] = None
    grade: Annotated[Grade | None, UntrackedValue] = None
    retry_count: Annotated[int, UntrackedValue] = 0
    """How often `compose` was asked to write again, by either check."""
    remarks: Annotated[tuple[Remedy, ...], UntrackedValue] = ()
    """What was wrong with the drafts so far from these blocks."""
    stuck: Annotated[bool, UntrackedValue] = False
    """Whether the answer that was written again is the same as before."""
    iteration_count: Annotated[int, UntrackedValue] = 0
    """How often was searched again for a weak answer."""
    searched_out: Annotated[bool, UntrackedValue] = False
    """Whether another search would be in vain."""
    answer: Annotated[str, UntrackedValue] = ""
    warnings: Annotated[tuple[str, ...], Gathered(appended)] = ()
    errors: Annotated[tuple[str, ...], Gathered(appended)] = ()
    timings: Annotated[dict[str, float], Gathered(added)] = field(default_factory=dict)
    """Milliseconds by node; a node that runs twice counts twice."""
    path: Annotated[tuple[Mapping[str, Any], ...], Gathered(followed)] = ()
    """The nodes that ran, in order, with what each changed, masked."""
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
    memories: tuple[Memory, ...]
    settled: Settled | None
    understood: Understood | None
    standalone: Standalone | None
    pointing: bool
    aim: Aim | None
    target: Said | None
    heard: bool
    overheard: bool
    given: Mapping[str, str]
    plan: Plan | None
    wants: Split | None
    outcomes: tuple[Outcome, ...]
    told: tuple[Told, ...]
    blocks: tuple[Block, ...]
    left: tuple[Left, ...]
    nearest: tuple[str, ...]
    clarification: Clarification | None
    asking: Pending | None
    offers: bool
    draft: Draft | None
    grounding: QualityCheck | None
    grade: Grade | None
    retry_count: int
    remarks: tuple[Remedy, ...]
    stuck: bool
    iteration_count: int
    searched_out: bool
    answer: str
    warnings: tuple[str, ...]
    errors: tuple[str, ...]
    timings: dict[str, float]
    path: tuple[Mapping[str, Any], ...]
    response: Response | None
