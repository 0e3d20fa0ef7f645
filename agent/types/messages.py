"""Who wrote what, where, who may read it, and what people think of an answer."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal, Self
from urllib.parse import quote, unquote

Mode = Literal["agent", "llm"]
Aim = Literal["summary", "decision", "said", "check", "answer"]
"""What is wanted of messages that a question points at.

Told from them alone: a summary, what was decided, who said what. Told from the documents: whether a statement is right,
the answer to a question.
"""


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
