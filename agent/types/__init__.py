"""The values that the whole project speaks in: frozen, and free of behaviour that needs a port; a module an idea.

What the conversation keeps in its checkpoint is made of these types alone (`CHECKPOINTED` lists
them), so renaming one of those, or a field of it, is a migration.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from agent.language.registry import Language as Language
from agent.types.answers import Block as Block
from agent.types.answers import Citation as Citation
from agent.types.answers import Draft as Draft
from agent.types.answers import Grade as Grade
from agent.types.answers import ProducedFile as ProducedFile
from agent.types.answers import QualityCheck as QualityCheck
from agent.types.answers import Remedy as Remedy
from agent.types.answers import Sentence as Sentence
from agent.types.answers import Support as Support
from agent.types.knowledge import ATTACHED as ATTACHED
from agent.types.knowledge import KEPT as KEPT
from agent.types.knowledge import OF_NO_PACK as OF_NO_PACK
from agent.types.knowledge import RESERVED as RESERVED
from agent.types.knowledge import SAID as SAID
from agent.types.knowledge import WEB as WEB
from agent.types.knowledge import AttachedFile as AttachedFile
from agent.types.knowledge import Category as Category
from agent.types.knowledge import Concept as Concept
from agent.types.knowledge import Hit as Hit
from agent.types.knowledge import Kind as Kind
from agent.types.knowledge import Passage as Passage
from agent.types.knowledge import Query as Query
from agent.types.knowledge import SearchFilter as SearchFilter
from agent.types.knowledge import SearchRequest as SearchRequest
from agent.types.knowledge import SearchResult as SearchResult
from agent.types.knowledge import SectionGroup as SectionGroup
from agent.types.knowledge import Sheet as Sheet
from agent.types.knowledge import TermCounts as TermCounts
from agent.types.knowledge import WebPage as WebPage
from agent.types.knowledge import WeightedTerm as WeightedTerm
from agent.types.knowledge import reference_of as reference_of
from agent.types.messages import REASON_CHARACTERS as REASON_CHARACTERS
from agent.types.messages import Aim as Aim
from agent.types.messages import Around as Around
from agent.types.messages import Attachment as Attachment
from agent.types.messages import Audience as Audience
from agent.types.messages import Author as Author
from agent.types.messages import ChannelMode as ChannelMode
from agent.types.messages import Delivery as Delivery
from agent.types.messages import DeliveryRef as DeliveryRef
from agent.types.messages import IncomingMessage as IncomingMessage
from agent.types.messages import MessageKind as MessageKind
from agent.types.messages import Mode as Mode
from agent.types.messages import Overlap as Overlap
from agent.types.messages import Pointer as Pointer
from agent.types.messages import Rating as Rating
from agent.types.messages import Reason as Reason
from agent.types.messages import ReasonKind as ReasonKind
from agent.types.messages import Said as Said
from agent.types.messages import ThreadKey as ThreadKey
from agent.types.messages import turn_id_of as turn_id_of
from agent.types.people import MOST_VALUES as MOST_VALUES
from agent.types.people import Memory as Memory
from agent.types.people import Preferences as Preferences
from agent.types.people import Profile as Profile
from agent.types.planning import Expansion as Expansion
from agent.types.planning import FollowUp as FollowUp
from agent.types.planning import Intent as Intent
from agent.types.planning import Plan as Plan
from agent.types.planning import Route as Route
from agent.types.planning import Standalone as Standalone
from agent.types.planning import Step as Step
from agent.types.planning import StepStatus as StepStatus
from agent.types.planning import Understood as Understood


@dataclass(frozen=True, kw_only=True, slots=True)
class Clarification:
    """A question back, with choices to pick from."""

    question: str
    options: tuple[str, ...] = ()
    assumption: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Choice:
    """One thing that a question may mean: `label` is shown, and joins the question when it is picked."""

    label: str
    documents: tuple[str, ...] = ()
    """Ids of the documents that speak of it."""
    sections: tuple[str, ...] = ()
    """The headings in these below which they do; empty where whole documents do."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "documents", tuple(self.documents))
        object.__setattr__(self, "sections", tuple(self.sections))

    def holds(self, passage: Passage) -> bool:
        """Tell whether a passage stands where this is spoken of."""
        if passage.document_id not in self.documents:
            return False
        return not self.sections or any(passage.is_below(section) for section in self.sections)


@dataclass(frozen=True, kw_only=True, slots=True)
class Split:
    """Different things that the evidence speaks of and the question does not choose between."""

    question: str
    """What to ask, in the asker's language."""
    choices: tuple[Choice, ...] = ()
    """At most four; the first is what would be assumed. None: the answer is free text."""
    slot: str = ""
    """The slot that the answer fills, where one is missing."""
    first: bool = True
    """Whether it is asked before anything is answered; else the first choice is assumed, and the others are offered."""
    about: str = ""
    """What is asked about, where that is only a part of the question."""
    wanted: tuple[str, ...] = ()
    """The fields of a document that the answer fills."""
    given: Mapping[str, str] = field(default_factory=dict)
    """The fields that are known already."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Pending:
    """A question back that waits for its answer, or a document that may be corrected."""

    question: str
    """The question that was asked back about, standing alone."""
    asked_back: str
    choices: tuple[Choice, ...]
    slot: str
    asked_of: str
    """The author whose question it was."""
    turn_id: str
    message_id: str
    """Of the message that was asked back about."""
    asked_at: float
    """Seconds since the epoch."""
    wanted: tuple[str, ...] = ()
    """The fields of a document that were asked for."""
    given: Mapping[str, str] = field(default_factory=dict)
    """The fields that are known already."""
    assumed: Choice | None = None
    """What was answered for already, where the choices were only offered."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "choices", tuple(self.choices))
        object.__setattr__(self, "wanted", tuple(self.wanted))

    @property
    def meanings(self) -> tuple[Choice, ...]:
        """All that was meant by the question, what was assumed among it."""
        return (self.assumed, *self.choices) if self.assumed is not None else self.choices

    @property
    def made(self) -> bool:
        """Tell whether nothing is asked: a document was made of what was given, which its asker may put right."""
        return bool(self.given) and not self.wanted


@dataclass(frozen=True, kw_only=True, slots=True)
class Settled:
    """What a message after a question back turned out to be.

    `choice`: one of the choices; `detail`: words to be merged with the question; `assume`: answer
    without choosing; `none`: none of the choices; `new`: something else; `late`: an answer to a
    question back that is over; `finished`: an order to send or reword a document that was made.
    """

    kind: Literal["choice", "detail", "assume", "none", "new", "late", "finished"]
    choice: int = -1
    """From 0; with `none` a number that no choice has, or -1 where all were turned down."""
    detail: str = ""


ResponseType = Literal["answer", "passages", "not_found", "clarification", "declined", "document", "analysis", "error"]
"""`passages`: what comes closest, told with a word of doubt; `not_found`: nothing in the documents comes near."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Response:
    """All that came out of a turn: what adapters show, and what `weft ask --json` prints."""

    thread_id: str
    turn_id: str
    pack: str
    mode: Mode
    language: Language
    route: str
    answer: str
    """Markdown, with citation marks `[n]`."""
    response_type: ResponseType
    status: Literal["completed", "failed"] = "completed"
    intent: Intent | None = None
    standalone_query: str = ""
    slots: Mapping[str, Any] = field(default_factory=dict)
    expansion: tuple[Expansion, ...] = ()
    plan: Plan | None = None
    citations: tuple[Citation, ...] = ()
    nearest: tuple[str, ...] = ()
    """Titles near the question, where nothing answered it."""
    clarification: Clarification | None = None
    structured_data: Mapping[str, Any] = field(default_factory=dict)
    excluded_blocks: tuple[Mapping[str, Any], ...] = ()
    search_strategy: str = ""
    grounding: QualityCheck | None = None
    grade: QualityCheck | None = None
    quality: Mapping[str, float] = field(default_factory=dict)
    confidence: float = 0.0
    retry_count: int = 0
    iteration_count: int = 0
    keyword_freq: Mapping[str, int] = field(default_factory=dict)
    keyword_block_counts: Mapping[str, int] = field(default_factory=dict)
    failed_teams: tuple[str, ...] = ()
    files: tuple[ProducedFile, ...] = ()
    web_search_performed: bool = False
    warnings: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    receipt: Mapping[str, Any] = field(default_factory=dict)
    """The way of the turn: why it went so, the passages considered, what was left out, the log of its nodes."""
    timings: Mapping[str, float] = field(default_factory=dict)
    """Milliseconds by node."""
    total_ms: float = 0.0

    @property
    def only_asks(self) -> bool:
        """Tell whether the question back is all there is; else it stands at the end of the answer."""
        return self.clarification is not None and self.response_type == "clarification"


@dataclass(frozen=True, kw_only=True, slots=True)
class TurnRecord:
    """One finished turn, as the conversation remembers it: words and ids, never document text."""

    turn_id: str
    message_id: str
    asked_by: str
    question: str
    standalone: str
    answer: str
    route: str
    at: float
    """Seconds since the epoch."""
    evidence: tuple[str, ...] = ()
    """References of the passages that the answer cites, by their numbers."""
    titles: tuple[str, ...] = ()
    """Titles of the documents that the answer cites."""
    documents: tuple[str, ...] = ()
    """Ids of the documents that the answer cites, then of those that were found best; also where nothing is cited."""
    confidence: float = 1.0
    """How likely the answer holds what was asked for, 0 to 1; 1 where that was not kept."""

    def __post_init__(self) -> None:
        for name in ("evidence", "titles", "documents"):  # the checkpoint hands tuples back as lists
            object.__setattr__(self, name, tuple(getattr(self, name)))


@dataclass(frozen=True, kw_only=True, slots=True)
class Summary:
    """Turns that a conversation no longer keeps word for word."""

    text: str
    """Names, numbers and decisions of these turns, oldest first."""
    turns: int
    """How many turns it was made of."""
    until: float
    """When the last of them ended, in seconds since the epoch: it covers every turn up to then."""


CHECKPOINTED: tuple[type, ...] = (TurnRecord, Pending, Choice, Summary)
"""Every type that a checkpoint may hold."""
