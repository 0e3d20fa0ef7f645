"""The values that the whole project speaks in: frozen, and free of behaviour that needs a port.

What the conversation keeps in its checkpoint is made of these types alone (`CHECKPOINTED` lists
them), so renaming one of those, or a field of it, is a migration.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal, Self
from urllib.parse import quote, unquote

from agent.language.registry import DEFAULT
from agent.language.registry import Language as Language

Mode = Literal["agent", "llm"]
Route = Literal["direct", "decline", "clarify", "followup", "explain", "contextualize", "research"]
Aim = Literal["summary", "decision", "said", "check", "answer"]
"""What is wanted of messages that a question points at.

Told from them alone: a summary, what was decided, who said what. Told from the documents: whether a statement is right,
the answer to a question.
"""
Kind = Literal["chunk", "finding"]
"""A chunk is a piece of a document, in a section; a finding is a short statement that stands for itself."""


# --- people, places, messages ------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, slots=True)
class ThreadKey:
    """Where a conversation lives. `str(key)` is its LangGraph `thread_id` and the name of its lane."""

    platform: str
    workspace_id: str
    channel_id: str
    thread_id: str

    def __str__(self) -> str:
        parts = (self.platform, self.workspace_id, self.channel_id, self.thread_id)
        return ":".join(quote(part, safe="") for part in parts)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the key that `str(key)` wrote. Raises ValueError for anything else."""
        parts = [unquote(part) for part in text.split(":")]
        if len(parts) != 4:
            raise ValueError(f"not a thread key: {text!r}")
        platform, workspace_id, channel_id, thread_id = parts
        return cls(platform=platform, workspace_id=workspace_id, channel_id=channel_id, thread_id=thread_id)


@dataclass(frozen=True, kw_only=True, slots=True)
class Author:
    """Who wrote a message; `id` is unique within the platform's workspace."""

    id: str
    name: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Attachment:
    """A file that came with a message; `size` in bytes."""

    id: str
    name: str
    media_type: str = ""
    size: int = 0
    url: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Pointer:
    """A message that another one points at, by its place: its words are read when they are wanted, and never kept.

    `forward`: what was forwarded within the message itself, whose place this is.
    """

    kind: Literal["reply", "forward", "link"]
    channel_id: str
    message_id: str
    thread_id: str = ""
    """The thread that it stands in, where the platform needs that to find it."""
    workspace_id: str = ""
    """Where the pointer tells it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Said:
    """A message that was read because a question points at it; `text` is Markdown, as in `IncomingMessage`."""

    id: str
    place: str
    """The channel or thread in which it stands."""
    author: Author
    at: float
    """Seconds since the epoch."""
    text: str
    link: str = ""
    by_bot: bool = False


class ChannelMode(StrEnum):
    """Which messages of a channel Weft answers."""

    MENTIONS = "mentions"
    """Those that call it, and what answers a question of its own."""
    THREAD = "thread"
    """Besides, what is asked of it in a thread that it is in."""
    ALL = "all"
    """Besides, every question that the documents answer, wherever it stands in the channel."""
    OFF = "off"
    """None."""


class Overlap(StrEnum):
    """What becomes of a message that comes while one before it in its thread waits or runs."""

    QUEUE = "queue"
    """It waits for its turn."""
    BURST = "burst"
    """Lines that one person types within a pause are one question."""
    REPLACE = "replace"
    """What its author says to Weft cuts off what they asked before in the thread, and takes its place."""


class MessageKind(StrEnum):
    """How a message reached Weft.

    `THREAD_REPLY` and `CHANNEL` call nobody: one in a thread that Weft is in, one anywhere else.
    """

    MENTION = "mention"
    DIRECT = "direct"
    THREAD_REPLY = "thread_reply"
    CHANNEL = "channel"
    COMMAND = "command"
    SHORTCUT = "shortcut"
    BUTTON = "button"
    EDIT = "edit"
    DELETE = "delete"
    STOP = "stop"
    SCHEDULED = "scheduled"
    """A standing question: the clock asks it."""
    NOTICE = "notice"
    """Nobody asks: it is Weft's own word, to be posted in its place."""


def turn_id_of(key: ThreadKey, message_id: str) -> str:
    """Return the id of the turn that answers a message, whichever thread it is in."""
    place = "\0".join((key.platform, key.workspace_id, key.channel_id, message_id))
    return "t" + hashlib.sha256(place.encode("utf-8", "replace")).hexdigest()[:20]


@dataclass(frozen=True, kw_only=True, slots=True)
class IncomingMessage:
    """One message, as every adapter hands it over: platform mark-up turned into Markdown."""

    key: ThreadKey
    """`thread_id` is empty while the thread is still to be opened (see `Adapter.open_thread`)."""
    event_id: str
    """Equal for every redelivery of the same event, and for two events about the same message."""
    message_id: str
    """The question's own id on the platform; an edit or a deletion carries the id of its question."""
    author: Author
    text: str
    kind: MessageKind
    received_at: float
    """Seconds since the epoch."""
    private: bool = False
    """True where only the author reads along (a direct message, the console)."""
    guests: bool = False
    """True where the platform says that its author, or somebody who reads along, is not of its workspace."""
    author_is_guest: bool | None = None
    """The same of its author alone; None where that is not known."""
    locale: str = ""
    permalink: str = ""
    calls: tuple[str, ...] = ()
    """Ids of the others that it mentions, people and groups, and of the person whose message it replies to."""
    replies_to_weft: bool = False
    """Whether it replies, by the platform's own means, to a message of Weft's."""
    attachments: tuple[Attachment, ...] = ()
    points_at: tuple[Pointer, ...] = ()
    """The messages of others that it replies to, holds as forwarded, or links to."""
    mode: Mode = "agent"
    edited: float = 0.0
    """When these words were written, in seconds since the epoch by the platform's clock; 0 where never edited."""
    replaces: MessageKind | None = None
    """Of an edit that came before its question was answered: how the question had reached Weft."""
    extra: Mapping[str, str] = field(default_factory=dict)
    """What the adapter itself needs to answer later; nobody else reads it."""

    @property
    def turn_id(self) -> str:
        """The id of the turn that answers this message; an edit shares it with its question."""
        return turn_id_of(self.key, self.message_id)

    @property
    def addressed(self) -> bool:
        """Whether it is said to Weft; else that has to be found out first, and nothing may be shown until then."""
        return self.private or self.kind not in (MessageKind.THREAD_REPLY, MessageKind.CHANNEL)


@dataclass(frozen=True, kw_only=True, slots=True)
class Around:
    """What stands around a message that calls nobody: it tells whom the message is for."""

    calls_others: bool = False
    """Whether it mentions somebody else, or replies to them."""
    replies_to_weft: bool = False
    only_settles: bool = False
    """Whether it counts only as the answer to a question back."""
    names: tuple[str, ...] = ()
    """What the others are called who wrote in the thread."""
    since: tuple[str, ...] = ()
    """Who wrote since Weft's last answer, oldest first: ids, one for each message."""
    minutes: float | None = None
    """Since that answer; None where there was none."""


@dataclass(frozen=True, kw_only=True, slots=True)
class DeliveryRef:
    """A message of ours on a platform."""

    channel_id: str
    message_id: str


class ReasonKind(StrEnum):
    """What was wrong with an answer, in the order in which it is offered: `reason_KIND` in the messages."""

    WRONG = "wrong"
    OUTDATED = "outdated"
    INCOMPLETE = "incomplete"
    OFF_TOPIC = "off_topic"
    OTHER = "other"


REASON_CHARACTERS = 1000
"""What is kept of a reason in somebody's own words."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Reason:
    """Why somebody calls an answer not helpful."""

    kind: ReasonKind
    text: str = ""
    """In their own words, at most `REASON_CHARACTERS` of which are kept; never in a log."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Rating:
    """What somebody thinks of an answer."""

    user: str
    """Their id within the platform's workspace."""
    helpful: bool | None
    """None: taken back."""
    at: float
    """Seconds since the epoch, by the platform's clock."""
    reason: Reason | None = None
    """Given after the thumb down, which it repeats: a rating without one leaves the reason of the same verdict."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Delivery:
    """What is known about one message of a turn: `ref` is None while a send was begun and not confirmed."""

    ref: DeliveryRef | None
    digest: str = ""
    """Of the content that `ref` shows now."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Audience:
    """Who will read an answer, as the principals that every one of them holds.

    Principals are `*` (anybody), `workspace:P:W`, `channel:P:W:C` and `user:P:W:U`. A collection is
    readable when one of its readers is among them; the operator (the console) may read all.
    """

    principals: frozenset[str]
    operator: bool = False

    def may_read(self, readers: frozenset[str]) -> bool:
        """Tell whether all of the audience may read what these readers may."""
        return self.operator or not self.principals.isdisjoint(readers)


# --- knowledge ---------------------------------------------------------------------------------


class Category(StrEnum):
    """What a passage is made of."""

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    TABLE = "table"
    LIST = "list"
    CODE = "code"
    FIGURE = "figure"


def reference_of(collection: str, public_id: str) -> str:
    """Return what names one passage of one collection."""
    return f"{collection}\t{public_id}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Passage:
    """A piece of a document, as search returns it. `text` is a verbatim slice of what was parsed."""

    id: int
    document_id: str
    collection: str
    title: str
    text: str
    section: str = ""
    """Headings above the passage, outermost first, joined by ` > `."""
    page: int | None = None
    position: int = 0
    """Which passage of its document this is, from 0."""
    category: Category = Category.PARAGRAPH
    language: Language = DEFAULT
    source: str = ""
    """A path or URL that leads a person to the document."""
    entities: tuple[str, ...] = ()
    kind: Kind = "chunk"
    date: str = ""
    """Of the document, `YYYY-MM-DD`; empty where it tells none."""
    document: int = 0
    """The document's number in this library: the same document, the same number, as long as it is unchanged."""

    @property
    def public_id(self) -> str:
        """The id that people and other programs see."""
        return f"{self.document_id}#{self.position}"

    @property
    def reference(self) -> str:
        """What names this passage alone: another collection may hold a document of the same id."""
        return reference_of(self.collection, self.public_id)


WEB = "web"
"""The collection that passages of web pages carry."""
ATTACHED = "attached"
"""The collection that passages of files carry which came with a question."""
SAID = "said"
"""The collection that passages of messages carry which a question points at."""
OF_NO_PACK = "*"
"""Stands for every collection that is no pack's: what a team has brought itself."""
KEPT = "thread-answers-"
"""Begins the names of the collections of what people answered in a channel: searched beside those that a pack names."""
RESERVED = frozenset((WEB, ATTACHED, SAID))
"""Names that no collection of the library may have: a citation would lead to another text."""


@dataclass(frozen=True, kw_only=True, slots=True)
class WebPage:
    """What a search of the web tells of a page."""

    url: str
    title: str
    text: str
    """Plain text, paragraphs with a line between them."""
    score: float = 0.0
    """As the service gives it; comparable within one answer only."""
    date: str = ""
    """When it was published, `YYYY-MM-DD`; empty where that is not known."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Concept:
    """A thing of a terminology that a text names."""

    id: str
    """Its number in the terminology, such as C0011849 of UMLS."""
    name: str
    """What the terminology calls it."""
    words: str
    """What the text calls it."""
    types: tuple[str, ...] = ()
    """Numbers of its semantic types, such as T047 of UMLS: a disease or syndrome."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Sheet:
    """A table of a file, every cell as the text that a person sees."""

    name: str
    header: tuple[str, ...]
    """Empty where nothing names the columns."""
    rows: tuple[tuple[str, ...], ...]
    whole: bool = True
    """False: only the first rows were kept."""


@dataclass(frozen=True, kw_only=True, slots=True)
class AttachedFile:
    """A file that came with a question of the thread."""

    name: str
    """As people see it: without folders, and without characters that are not to be seen."""
    passages: tuple[Passage, ...] = ()
    """In order; of the collection `attached`, with ids below 0 that are unique in the turn."""
    sheets: tuple[Sheet, ...] = ()
    """The tables of CSV and XLSX, for whoever calculates."""
    whole: bool = True
    """False: only the beginning was kept."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SearchFilter:
    """What a search is limited to; an empty field limits nothing."""

    collections: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    """Whole sources, or names of files, which stand at the end of a source."""
    categories: tuple[Category, ...] = ()
    page_range: tuple[int, int] | None = None
    entity: str = ""
    language: Language | None = None
    kinds: tuple[Kind, ...] = ()
    date_range: tuple[str, str] | None = None
    """First and last day, `YYYY-MM-DD`, both included; an empty side is open. A document without a date is outside."""
    names: tuple[str, ...] = ()
    """Names and codes, all of which a passage must name (`Passage.entities`)."""
    documents: tuple[int, ...] = ()
    """Numbers of documents (`Passage.document`)."""


@dataclass(frozen=True, kw_only=True, slots=True)
class WeightedTerm:
    """Words to search for at another weight than the text's own 1.0; `text` is tokenised like a document."""

    text: str
    weight: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Query:
    """One way of asking: a text, and terms that join it at their own weights."""

    text: str
    terms: tuple[WeightedTerm, ...] = ()
    weight: float = 1.0
    by_meaning: bool = True
    """Whether it is worth a vector; else it goes by words alone."""
    factors: tuple[tuple[str, float], ...] = ()
    """What single terms of the index count of their weight; all others count in full."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SearchRequest:
    """All variations of one question, searched and fused together; `k` passages come back."""

    queries: tuple[Query, ...]
    k: int = 10
    filter: SearchFilter = SearchFilter()
    must_have: tuple[str, ...] = ()
    before: Mapping[str, float] = field(default_factory=dict)
    """By document id, what the passages of a document count more by words: .2 is a fifth more."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Hit:
    """A passage that a search found; `score` is its fused rank score, best first from `rank` 1."""

    passage: Passage
    rank: int
    score: float
    near: float | None = None
    """How near it is to the question in meaning: the cosine of their vectors; None where there are none."""
    words: float = 0.0
    """Its score by words for the first query: 1 is what the best has without phrases, 0 what words did not find."""
    resumed: int = 0
    """Its place, from 1, among the passages of the documents that the turns before rest on; 0: it is of no such."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SectionGroup:
    """The chunks of the target documents that stand in sections of one name, best first."""

    section: str
    hits: tuple[Hit, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class TermCounts:
    """In how many of some passages each of some terms stands."""

    passages: int
    """How many there are in all."""
    holding: Mapping[str, int] = field(default_factory=dict)
    """By term; 0 for one that none of them holds."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SearchResult:
    """What a search found, and what it had to give up on the way."""

    hits: tuple[Hit, ...]
    """Findings and chunks together, best first."""
    findings: tuple[Hit, ...] = ()
    sections: tuple[SectionGroup, ...] = ()
    excluded: tuple[Hit, ...] = ()
    """What was ranked too, but is not among the hits."""
    folded: Mapping[int, int] = field(default_factory=dict)
    """Of the excluded that say what a better passage says, by `Passage.id`: which one."""
    must_have: tuple[str, ...] = ()
    """The must-have words that the target documents hold: all of them, or the largest part that any document holds."""
    nowhere: tuple[str, ...] = ()
    """Must-have words that no document holds."""
    target_documents: int = 0
    """How many documents hold all of them; 0 where nothing was a must."""
    keyword_freq: Mapping[str, int] = field(default_factory=dict)
    """How often each must-have word stands in what was found."""
    keyword_block_counts: Mapping[str, int] = field(default_factory=dict)
    """In how many of the hits each must-have word stands."""
    rarity: Mapping[str, float] = field(default_factory=dict)
    """How rare each term of the question is among what the audience may read: its inverse document frequency."""
    read_as: Mapping[str, str] = field(default_factory=dict)
    """Misspelt words of the question, each with what was searched for in its place."""
    warnings: tuple[str, ...] = ()
    """Keys of the catalogue."""
    total_ms: float = 0.0


# --- what is known of a person ---------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, slots=True)
class Preferences:
    """How somebody wants to be answered; empty: as the question suggests."""

    language: Language | None = None
    length: Literal["", "short", "long"] = ""
    format: Literal["", "list", "table"] = ""


MOST_VALUES = 50
"""Values of one list that are remembered of somebody."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Profile:
    """What somebody told of themselves: the pack's slots, and how they want to be answered."""

    slots: Mapping[str, Any] = field(default_factory=dict)
    preferences: Preferences = Preferences()


@dataclass(frozen=True, kw_only=True, slots=True)
class Memory:
    """A question that somebody asked, and what was answered."""

    turn_id: str
    question: str
    answer: str
    at: float
    """Seconds since the epoch."""
    evidence: tuple[str, ...] = ()
    """References of the passages that the answer cites: it is shown only to who may read them all."""


# --- a turn ------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, slots=True)
class Intent:
    """What a question is about, as far as the pack's examples tell; `confidence` within 0..1."""

    name: str
    confidence: float
    keywords: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class FollowUp:
    """What a message wants done with the answer before it."""

    kind: Literal[
        "why", "source", "how", "shorter", "longer", "simpler", "list", "table", "translate", "point", "section",
        "repeat",
    ]  # fmt: skip
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
    """Set on the routes `followup` and `explain`."""
    personal: Literal["", "about", "forget", "unlearn", "prefer", "recollect", "tell", "other"] = ""
    """What a message wants of the memory of its author; its route is `direct` then."""
    preferences: Preferences | None = None
    """What a message says about how its author wants to be answered."""
    missing_slot: str = ""
    """Set on the route `clarify`: which slot of the pack's schema must be asked for."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Standalone:
    """A question that can be understood without its conversation."""

    text: str
    terms: tuple[WeightedTerm, ...] = ()
    """What the search inherits from the conversation, below the question's own weight."""
    changed: bool = False
    focus: tuple[str, ...] = ()
    """Document ids that the asker chose: their passages come before all others."""
    before: Mapping[str, float] = field(default_factory=dict)
    """Ids of the documents that the turns before rest on: how much more their passages count, 0 for no more."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Expansion:
    """How one step of the plan is searched for."""

    step_id: str
    queries: tuple[Query, ...] = ()
    must_have: tuple[str, ...] = ()
    should_have: tuple[str, ...] = ()
    related_terms: tuple[str, ...] = ()
    boost_weights: Mapping[str, float] = field(default_factory=dict)
    filter: SearchFilter = SearchFilter()
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


@dataclass(frozen=True, kw_only=True, slots=True)
class Block:
    """A passage that the answer may rest on; `n` is its number in the composer's context, from 1."""

    n: int
    passage: Passage
    score: float
    near: float | None = None
    words: float = 0.0
    resumed: int = 0
    """All three as in `Hit`."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Support:
    """The characters `start:end` of a block's text that a sentence rests on."""

    block: int
    start: int
    end: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Sentence:
    """A piece of an answer that is checked, cited and streamed as one."""

    text: str
    """Markdown without citation marks."""
    support: tuple[Support, ...] = ()
    lead: str = " "
    """What stands before it: a space, a line break, a list bullet."""
    hedged: bool = False
    """Whether it is told as what comes closest, and not as the answer."""
    part: str = ""
    """Which question of a message it answers, where its writer knows."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Draft:
    """An answer before it is checked. No sentence: nothing in the evidence answers the question."""

    sentences: tuple[Sentence, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Remedy:
    """What another draft can do better."""

    kind: Literal["unsupported", "unanswered", "repeats", "language"]
    """A sentence does not hold, or says the question again; a part of the question, or its language, is left out."""
    about: str
    """That sentence or part, or the code of that language."""
    problem: str = ""
    """Of what does not hold: what is wrong with it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class QualityCheck:
    """The verdict of a check; `score` within 0..1."""

    is_valid: bool
    score: float
    reason: str = ""
    suggestions: tuple[Remedy, ...] = ()
    needs_retry: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Grade:
    """How good an answer is, whether or not it is true: see `QualityCheck` for what is to be done about it."""

    check: QualityCheck
    """`needs_retry`: write again with the suggestions."""
    score: float
    """Within 0..1: the weighted mean of the terms that have data."""
    length: float | None = None
    evidence: float | None = None
    personalization: float | None = None
    """None: there is nothing to judge it by."""
    confidence: float = 0.0
    """How likely the answer holds what was asked for, within 0..1: one calibrated figure."""
    unanswered: tuple[str, ...] = ()
    """The questions of a message that the answer leaves open."""
    final: bool = False
    """Whether it is in vain to search again."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Citation:
    """A source of the answer. `quote` stands verbatim in the document."""

    n: int
    document_id: str
    passage_id: str
    title: str
    quote: str
    section: str = ""
    page: int | None = None
    source: str = ""
    score: float = 0.0
    collection: str = ""


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

    def __post_init__(self) -> None:
        object.__setattr__(self, "documents", tuple(self.documents))


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
    """A question back that waits for its answer."""

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

    def __post_init__(self) -> None:
        object.__setattr__(self, "choices", tuple(self.choices))
        object.__setattr__(self, "wanted", tuple(self.wanted))


@dataclass(frozen=True, kw_only=True, slots=True)
class Settled:
    """What a message after a question back turned out to be.

    `choice`: one of the choices; `detail`: words to be merged with the question; `assume`: answer
    without choosing; `new`: something else; `late`: an answer to a question back that is over.
    """

    kind: Literal["choice", "detail", "assume", "new", "late"]
    choice: int = -1
    """From 0."""
    detail: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class ProducedFile:
    """A file made for the answer."""

    name: str
    media_type: str
    path: str
    text: str = ""
    """What it shows, in words: for who cannot see it."""


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


# --- what a conversation keeps -----------------------------------------------------------------


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
