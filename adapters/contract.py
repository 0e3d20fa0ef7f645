"""What a platform is, and what it may ask of the application.

An adapter turns platform events into `IncomingMessage`s for the `Intake`, and answers through the
`Reply` that it makes for a turn. `Reply` may be made again after a crash: what it posted before is
in `Deliveries`, so that every method can be called twice and nothing appears twice.
"""

import math
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

from agent.events import Phase
from agent.language import say
from agent.types import (
    Attachment,
    Clarification,
    Delivery,
    DeliveryRef,
    IncomingMessage,
    Language,
    MessageKind,
    Pointer,
    ProducedFile,
    Rating,
    Response,
    Said,
    Step,
    ThreadKey,
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Capabilities:
    """What the renderer of an adapter may use."""

    text_limit: int
    """Characters of one message."""
    edit_interval: float
    """Seconds that should pass between two edits in a turn, be it of the TODO list or of the answer under way."""
    list_after: float = 0.0
    """Seconds that a turn lasts until its TODO list is posted, a message that people are told of. 0: it always is."""
    threads: bool = True
    buttons: bool = False
    ephemeral: bool = False
    streaming: bool = False
    """Whether `Reply.stream` shows the answer as it is written."""
    later: bool = True
    """Whether something can be told there later, which nobody waits for."""


_AT: dict[Phase | None, str] = {
    None: "at_reading",
    "planning": "at_planning",
    "searching": "at_searching",
    "writing": "at_writing",
    "checking": "at_checking",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class TodoList:
    """The plan as people watch it."""

    steps: tuple[Step, ...]
    language: Language
    status: Literal["working", "done", "failed", "stopped"] = "working"
    phase: Phase | None = None
    """What the turn is at; None while the question is being read, and at the end."""
    elapsed_ms: float = 0.0
    before: int = 0
    """How many questions are before this one, whose turn has not begun."""
    starts_in: float = 0.0
    """Seconds until its turn may begin, where there were too many at once."""

    @property
    def waits(self) -> str:
        """Why the turn has not begun, in words; nothing where it has."""
        if self.starts_in:
            return say("waits_for_rate", self.language, seconds=math.ceil(self.starts_in))
        if self.before:
            return say("waits_behind", self.language, count=self.before)
        return ""

    @property
    def at(self) -> str:
        """What the turn is at, in words."""
        return say(_AT[self.phase], self.language)


LIST_AFTER = 1.0
"""`Capabilities.list_after` where a message makes a sound: who has the answer within a second needs no list."""
SHORT_MS = 1000.0
"""What took less is not told as having taken time."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Failure:
    """A turn that came to nothing, in words for the asker."""

    text: str
    language: Language


@dataclass(frozen=True, kw_only=True, slots=True)
class Excerpt:
    """Messages of others that were read from a platform, oldest first: none of Weft's own, nor of the asker's question.

    Who asked may see them all.
    """

    said: tuple[Said, ...] = ()
    target: tuple[str, ...] = ()
    """Ids of those among them that were pointed at; the others stand around them."""
    cut: bool = False
    """Whether there are more than were read."""
    here: bool = True
    """Whether everybody may see them who reads the place of the question."""
    open: bool = True
    """Whether everybody of the workspace may see them."""


HEADING = "heading"
"""In `extra` of a standing question: what stands above it in the thread that begins with it, one line of Markdown."""


BELOW = "below"
"""In `extra` of a notice: the turn below whose answer it belongs."""


class Deliveries(Protocol):
    """What was posted for which turn; kept over restarts."""

    async def get(self, turn_id: str, slot: str) -> Delivery | None:
        """Return what is known, or None when nothing was tried yet."""
        ...

    async def begin(self, turn_id: str, slot: str) -> None:
        """Note that a send is about to be tried."""
        ...

    async def record(self, turn_id: str, slot: str, ref: DeliveryRef, digest: str) -> None:
        """Note what was posted, or what it shows after an edit."""
        ...

    async def slots(self, turn_id: str) -> Sequence[tuple[str, Delivery]]:
        """Return everything known of a turn, in the order in which it was begun."""
        ...

    async def turn_of(self, posted: DeliveryRef) -> str | None:
        """Return the turn that a message belongs to; None where nobody knows."""
        ...

    async def forget(self, turn_id: str, slot: str) -> None:
        """Drop a message that is no longer there."""
        ...


class Intake(Protocol):
    """Where adapters hand in what they hear."""

    async def accept(self, message: IncomingMessage, *, hold: float = 0.0) -> bool:
        """Store the message durably; only then may the platform be told that it arrived.

        With `hold` its turn begins after `let_go`, or after so many seconds where that never comes. Returns False
        for a message that was accepted before. Raises StorageError when it could not be stored: the platform must
        then redeliver.
        """
        ...

    async def let_go(self, message: IncomingMessage) -> None:
        """Let the turn of a message that is held begin. Raises StorageError."""
        ...

    async def takes_part(self, key: ThreadKey) -> bool:
        """Tell whether Weft has been asked something in this thread."""
        ...

    async def hears(self, key: ThreadKey, by: str = "") -> MessageKind | None:
        """Return as what a message that calls nobody is to be handed in; None: thread and mode say that it is not.

        `THREAD_REPLY` where Weft takes part in its thread, else `CHANNEL`. `by`: the id of its author, who may be
        typing a question line by line.
        """
        ...

    async def follows(self, posted: DeliveryRef) -> ThreadKey | None:
        """Return the conversation that a reply goes on with, where its place has no threads.

        `posted` is what it replies to: a message of Weft's, or the question that it answered there.
        """
        ...

    async def thread_of(self, key: ThreadKey, message_id: str) -> ThreadKey | None:
        """Return the conversation that a message was accepted for, which its place alone (`key`) does not tell."""
        ...

    async def is_off(self, key: ThreadKey) -> bool:
        """Tell whether nothing is answered in the channel of this thread."""
        ...

    async def last_heard(self, platform: str) -> Mapping[ThreadKey, str]:
        """Return the id of the latest message heard in each place, as `note_heard` was told. Raises StorageError."""
        ...

    async def note_heard(self, heard: Mapping[ThreadKey, str]) -> None:
        """Keep how far places were heard, for what was missed after a pause. Raises StorageError.

        Of a channel itself, and of direct messages, `thread_id` is empty, of a whole workspace `channel_id` too.
        """
        ...

    async def accepted_in(self, place: ThreadKey, *, since: float) -> Sequence[IncomingMessage]:
        """Return what people wrote in a channel and its threads that was accepted since and is not deleted."""
        ...

    async def plan_of(self, posted: DeliveryRef) -> TodoList | None:
        """Return the steps of the turn that a message of Weft's belongs to, as they ended; None where none are kept."""
        ...

    async def rate(self, answer: DeliveryRef | str, rating: Rating) -> bool:
        """Keep what somebody thinks of an answer, named by one of its messages or by its turn's id.

        A reason comes after the thumb down, as a `Rating` with `helpful=False` and the reason in it. Returns False
        where it is no answer. Raises StorageError.
        """
        ...


class Reply(Protocol):
    """How one turn is answered on a platform. Raises DeliveryError."""

    async def typing(self, todo: TodoList) -> None:
        """Show for some seconds, and without a message, that Weft is at it; a platform that cannot ignores it.

        What is posted next takes it away. It does not wait.
        """
        ...

    async def show(self, todo: TodoList) -> None:
        """Show the plan, or bring the shown one up to date. One at its end is never posted anew, only brought there."""
        ...

    async def stream(self, text: str) -> None:
        """Show the answer so far, whole sentences; a platform that cannot stream ignores it. Empty text: withdrawn.

        The draft stands where `finish`, `ask` and `fail` then put what they have to say, and ends with a sign that it
        goes on. It never takes the place of an answer that stood there before. It does not wait: RateLimitedError
        tells when to come again with what is true then. A call that is cancelled may still be carried out by the
        platform, but never so that it stands beside or instead of what comes after it.
        """
        ...

    async def ask(self, clarification: Clarification) -> None:
        """Ask back."""
        ...

    async def close_choices(self, clarification: Clarification, first: Callable[[str], Awaitable[bool]]) -> None:
        """Take the buttons off this turn's question back, which waits no longer; that it cannot be done is a warning.

        `first` takes the event id that every click on them has, and tells whether there was none; from then on one
        is too late. After a click the message stays as that left it.
        """
        ...

    async def finish(self, response: Response) -> None:
        """Deliver the final answer; a later call edits what is there."""
        ...

    async def attach(self, file: ProducedFile) -> None:
        """Deliver a file."""
        ...

    async def fail(self, failure: Failure) -> None:
        """Say that there is no answer, and why."""
        ...


class Adapter(Protocol):
    """A platform."""

    @property
    def name(self) -> str:
        """The `platform` of its thread keys."""
        ...

    @property
    def capabilities(self) -> Capabilities:
        """What its messages can do."""
        ...

    async def connect(self) -> None:
        """Check the token and get ready to answer. Raises SettingsError when the platform refuses it."""
        ...

    async def listen(self, intake: Intake) -> None:
        """Hand in what is heard until cancelled. Only the process that listens calls it."""
        ...

    async def open_thread(self, message: IncomingMessage, deliveries: Deliveries) -> ThreadKey:
        """Return the key of the thread that answers this message, making the thread where there is none."""
        ...

    def reply(self, message: IncomingMessage, deliveries: Deliveries) -> Reply:
        """Return the way to answer this message."""
        ...

    async def settle(self, message: IncomingMessage) -> None:
        """Wait until nothing that shows the turn of this message is under way: no call that was cut off comes later."""
        ...

    async def erase(self, message: IncomingMessage, deliveries: Deliveries) -> None:
        """Delete what was posted for the turn of this message."""
        ...

    async def fetch(self, message: IncomingMessage, attachment: Attachment, *, most: int) -> bytes:
        """Return a file that came with this message, of at most `most` bytes. Raises AttachmentError.

        The platform's token goes to the platform's own hosts alone, wherever the attachment says that the file lies.
        """
        ...

    async def close(self) -> None:
        """Let go of connections."""
        ...


@runtime_checkable
class Whispering(Protocol):
    """A platform that can tell one person something; asked for with `isinstance`."""

    async def whisper(self, message: IncomingMessage, text: str) -> None:
        """Tell the author of a message something, Markdown, that nobody else sees, over the way that is left.

        Raises DeliveryError where there is none.
        """
        ...


@runtime_checkable
class Managed(Protocol):
    """A platform whose channels are managed by some of their members; asked for with `isinstance`."""

    async def may_manage(self, message: IncomingMessage) -> bool:
        """Tell whether the author of a message may manage its channel. Raises DeliveryError."""
        ...


@runtime_checkable
class Zoned(Protocol):
    """A platform that knows in which time zone somebody is; asked for with `isinstance`."""

    async def zone_of(self, message: IncomingMessage) -> str:
        """Return the zone of a message's author, such as Asia/Seoul; empty where it is not known."""
        ...


@runtime_checkable
class Surveying(Protocol):
    """A platform that tells who reads a place by now, for what the clock asks there; asked for with `isinstance`."""

    async def surveyed(self, message: IncomingMessage) -> IncomingMessage:
        """Return a message that tells whether guests read along; where that is not known, they do."""
        ...


@runtime_checkable
class Readable(Protocol):
    """A platform whose messages can be read again; asked for with `isinstance`. Each raises UnreadableError."""

    async def around(self, message: IncomingMessage, *, most: int, patient: bool = True) -> Excerpt:
        """Return what was written before a message where it stands: of its thread the first and the latest messages.

        At most `most` in all; in a channel only the latest. `patient`: a short limit of the platform's is waited for.
        """
        ...

    async def pointed_at(self, message: IncomingMessage, pointer: Pointer, *, most: int) -> Excerpt:
        """Return the message that another one points at; with it, for a link, the thread that it stands in.

        `elsewhere` is raised for what the author of the message may not see, before anything is read there.
        """
        ...
