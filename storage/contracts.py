"""What only the application asks of storage. The agent's own ports are in `agent.ports`."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Protocol, Self

from agent.language.registry import DEFAULT
from agent.ports import Files
from agent.types import Author, ChannelMode, IncomingMessage, Language, Overlap, ProducedFile, Rating, ThreadKey
from agent.values.timetable import Timetable

if TYPE_CHECKING:
    import numpy as np
    from langgraph.checkpoint.base import BaseCheckpointSaver
    from numpy.typing import NDArray


@dataclass(frozen=True, kw_only=True, slots=True)
class InboxRow:
    """A claimed message: it belongs to `owner` until `lease_until` (seconds since the epoch)."""

    id: int
    message: IncomingMessage
    attempts: int
    """Turns of it that failed."""
    deaths: int
    """Processes that died, or hung, while they held it; whose fault that was is not known."""
    owner: str
    lease_until: float


CLOSED = "closed:"
"""How the `error` of a message begins whose answer Weft might not post; the reason of `ClosedError` follows."""


class Interrupt(StrEnum):
    """Why a turn is to be cut off."""

    STOP = "stop"
    """Somebody asked for it."""
    EDITED = "edited"
    """Its question says something else now: `finish` and `release` give the message back with the new words."""
    DELETED = "deleted"
    """Its question is gone."""
    REPLACED = "replaced"
    """Its author has put another question in its place."""
    REFUSED = "refused"
    """It came over its rate, by so much that it is not taken."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Rates:
    """How many questions are taken within `seconds`: of one person, of one channel. 0: as many as come."""

    person: int = 0
    channel: int = 0
    seconds: float = 60.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Waiting:
    """A message that waits, and what its author is to be told of that."""

    id: int
    message: IncomingMessage
    before: int
    """How many questions are before it."""
    seconds: float
    """In how many seconds it is taken, where it came over its rate; else 0."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Line:
    """That somebody wrote something in a thread, without what; `at` in seconds since the epoch."""

    author: Author
    at: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """A channel, or with an empty `channel` the whole workspace."""

    platform: str
    workspace: str
    channel: str = ""


class ChannelModes(Protocol):
    """Which messages are answered where. A channel of which nothing is set goes by its workspace, that by `THREAD`."""

    async def mode_of(self, place: Place) -> ChannelMode:
        """Return what holds there."""
        ...

    async def set(self, place: Place, mode: ChannelMode | None) -> None:
        """Set what holds there; None: nothing of its own."""
        ...

    async def all(self) -> Sequence[tuple[Place, ChannelMode]]:
        """Return everything that is set, in the order of the places, workspaces before their channels."""
        ...

    async def overlap_of(self, place: Place) -> Overlap:
        """Return what becomes there of messages that come on top of each other: of the channel, else its workspace."""
        ...

    async def conduct_of(self, place: Place) -> tuple[ChannelMode, Overlap]:
        """Return both, as of one moment: what every message is held against before it is acknowledged."""
        ...

    async def set_overlap(self, place: Place, overlap: Overlap | None) -> None:
        """Set that; None: nothing of its own, which is `QUEUE` where its workspace says nothing either."""
        ...

    async def overlaps(self) -> Sequence[tuple[Place, Overlap]]:
        """Return everything that is set of this, in the same order."""
        ...


class ChannelPacks(Protocol):
    """Which pack is in force where. A channel of which nothing is set goes by its workspace."""

    async def pack_of(self, place: Place) -> str:
        """Return the name of the pack that is set there; empty where none is."""
        ...

    async def set(self, place: Place, pack: str | None) -> None:
        """Set the pack of a place; None: none of its own."""
        ...

    async def all(self) -> Sequence[tuple[Place, str]]:
        """Return everything that is set, in the order of the places, workspaces before their channels."""
        ...


class Ratings(Protocol):
    """What people think of answers: of each person the latest, which goes with the turn."""

    async def put(self, turn_id: str, rating: Rating) -> None:
        """Keep a rating, unless one of the same person is kept that was given later.

        A verdict that is only repeated, without a reason, leaves the reason that was given for it.
        """
        ...

    async def of(self, turn_id: str) -> Sequence[Rating]:
        """Return the ratings of an answer that hold, the earliest first."""
        ...

    async def forget(self, user: str) -> int:
        """Forget what somebody thinks of answers, and why; `user` is `platform:workspace:id`. Returns how many."""
        ...


class LastHeard(Protocol):
    """The latest message that was heard in each channel, thread and direct messages: where a listener goes on.

    Places are thread keys; of a channel itself, and of direct messages, `thread_id` is empty, of a whole workspace
    `channel_id` too.
    """

    async def of(self, platform: str) -> Mapping[ThreadKey, str]:
        """Return the ids of the messages by their place."""
        ...

    async def put(self, heard: Mapping[ThreadKey, str]) -> None:
        """Keep these instead of what was kept of their places."""
        ...

    async def prune(self, *, older_than: float) -> int:
        """Forget places, though no whole workspace, of which nothing was put since (seconds since the epoch)."""
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class HumanAnswer:
    """What somebody answered in a thread to a question that the documents did not answer."""

    id: str
    """Of the question's turn: another answer to it takes the place of this one."""
    question: str
    text: str
    """Markdown, as they wrote it."""
    author: str
    at: float
    """Seconds since the epoch."""
    link: str
    """Leads to what they wrote; empty where the platform tells none."""
    note: str
    """Who answered when and where, in words for those who read the document."""


class HumanAnswers(Protocol):
    """Answers of people, as documents that the readers of their channel may read, and nobody else."""

    async def keep(self, place: Place, answer: HumanAnswer) -> None:
        """Keep an answer, in place of the one to the same question."""
        ...


NOBODY = Author(id="")


class ScheduleKind(StrEnum):
    """What is done by the calendar."""

    QUESTION = "question"
    """`text` is asked."""
    DIGEST = "digest"
    """What the documents did not answer there is told."""
    SOURCE = "source"
    """The path or URL `text` is ingested into the collection that `details` names."""
    ANSWER = "answer"
    """The documents that an answer cites (`details`) are watched; it has no plan."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Schedule:
    """One entry of the calendar; times in seconds since the epoch."""

    id: int = 0
    """Given by the store, and never again; 0: not stored yet."""
    kind: ScheduleKind
    key: ThreadKey
    """Where it is told; an empty `thread_id`: in a new thread each time. All is empty where it is told nowhere."""
    owner: Author = NOBODY
    """Who set it; nobody: an operator."""
    private: bool = False
    guests: bool = False
    """Both as in `IncomingMessage`."""
    plan: Timetable | None = None
    zone: str = "UTC"
    text: str = ""
    language: Language = DEFAULT
    origin: str = ""
    """The turn that set it: a turn has one, and one that is run again sets it again."""
    created: float
    since: float
    """It is due at the first time of its plan after this."""
    paused: bool = False
    failures: int = 0
    """One after the other."""
    problem: str = ""
    """What went wrong last."""
    answered: str = ""
    """The turn that it was last answered by."""
    answered_before: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)
    """What its kind needs, as JSON values."""

    @property
    def user(self) -> str:
        """Whose it is, as `Profiles` names people; empty: nobody's."""
        return f"{self.key.platform}:{self.key.workspace_id}:{self.owner.id}" if self.owner.id else ""


class Schedules(Protocol):
    """The calendar. An entry that cannot be read counts as not there; `damaged` tells which those are."""

    async def put(self, schedule: Schedule) -> Schedule:
        """Store an entry, in place of the one of the same origin, and return it with its number."""
        ...

    async def get(self, id: int) -> Schedule | None:
        """Return an entry, or None."""
        ...

    async def all(self) -> Sequence[Schedule]:
        """Return every entry in the order of their numbers."""
        ...

    async def fired(self, id: int, *, since: float) -> None:
        """Note that all its times until then have been seen to."""
        ...

    async def failed(self, id: int, problem: str, *, most: int) -> Schedule | None:
        """Note a failure and return the entry, paused where it is the `most`th one after the other."""
        ...

    async def went_well(self, id: int, *, turn_id: str = "", details: Mapping[str, Any] | None = None) -> None:
        """Note that it was done, by which turn, and what its kind keeps of it (None: what it kept)."""
        ...

    async def pause(self, id: int, *, paused: bool, now: float) -> None:
        """Pause an entry; or let it go on, from now, its failures forgotten."""
        ...

    async def remove(self, id: int) -> bool:
        """Delete an entry; False where there is none."""
        ...

    async def drop(self, origin: str) -> bool:
        """Delete the entry that a turn set; False where it set none."""
        ...

    async def forget(self, user: str) -> int:
        """Delete all entries of somebody; returns how many."""
        ...

    async def prune(self, *, older_than: float) -> int:
        """Delete entries that failures paused, and that were due last before this time; returns how many."""
        ...

    async def damaged(self) -> Sequence[int]:
        """Return the numbers of the entries that cannot be read."""
        ...


class Inbox(Protocol):
    """Accepted messages, until each has its answer.

    Rows of one thread are claimed one at a time and in order, deletions before what waits; a claim that is not
    renewed comes back, and after some such deaths a row is dead: it blocks nobody and waits for an operator.
    """

    async def add(
        self,
        message: IncomingMessage,
        *,
        hold: float = 0.0,
        burst: float = 0.0,
        joins_only: bool = False,
        replaces: bool = False,
        rates: Rates | None = None,
    ) -> bool:
        """Store a message; False when its event id is already there. Durable when it returns.

        With `hold` nobody claims it before `let_go`, or before so many seconds are over. With `burst`, in seconds, it
        is a line of the question that its author is typing, or waits so long for the next line; the rows of the lines
        behind the first are done, and `claim` gives the question as a whole; with `joins_only` it is nothing else,
        and False is returned where its author types none. `replaces`: what its author asked before in the thread, and
        is not answered, is `REPLACED`. Over its `rates` it waits, or is `REFUSED` where that would take too long.

        An edit takes the place of its question while that is not answered, a deletion takes it away; the turn that
        runs is told by `interrupted`. Both also apply to a message that comes after them. A reply, an edit or a
        deletion in a thread that is not known waits some minutes for that thread to begin, and is then forgotten.
        """
        ...

    async def let_go(self, message: IncomingMessage) -> None:
        """Let a message that is held be claimed now."""
        ...

    async def is_typing(self, message: IncomingMessage) -> bool:
        """Tell whether the author of a message is typing a question which it may be a line of."""
        ...

    async def next_waiting(self, platforms: Collection[str], *, after: float, every: float) -> Waiting | None:
        """Return a message whose author is to be told that it waits, held until `told`; None: there is none.

        It waits for `after` seconds at least, and nothing new is told of it within `every` seconds. Of each news only
        one process hears.
        """
        ...

    async def told(self, waiting: Waiting) -> None:
        """Let a message whose author was told that it waits be claimed again."""
        ...

    async def note(self, message: IncomingMessage) -> bool:
        """Remember an event that needs no answer, so that its redelivery is known; False when it was known."""
        ...

    async def claim(
        self, owner: str, *, lease: float, platforms: Collection[str], thread: ThreadKey | None = None
    ) -> InboxRow | None:
        """Take the oldest message of these platforms (or of this thread) whose thread is free, for `lease` seconds."""
        ...

    async def renew(self, row: InboxRow, *, lease: float) -> bool:
        """Keep a claim; False when it was lost."""
        ...

    async def finish(self, row: InboxRow, *, heard: bool = True, error: str = "") -> bool:
        """Note the answer as given, or give back a message that was edited meanwhile; False when the claim was lost.

        What was not `heard`, people's talk, leaves who wrote it and when, and none of its words. `error`: why the
        answer is nowhere, for whoever looks into it.
        """
        ...

    async def lines(self, message: IncomingMessage, *, most: int = 50) -> Sequence[Line]:
        """Return the last that were written before this message in its thread, oldest first; edits are none."""
        ...

    async def release(self, row: InboxRow, *, error: str, retry_in: float, charge: bool = True) -> None:
        """Give a message back, to be tried again in `retry_in` seconds; without `charge` no turn of it failed."""
        ...

    async def move(self, row: InboxRow, key: ThreadKey) -> InboxRow:
        """Give a claimed message the thread that was opened for it."""
        ...

    async def knows(self, key: ThreadKey) -> bool:
        """Tell whether a message of this thread was accepted that was heard, or still waits, and is not deleted."""
        ...

    async def words_in(self, key: ThreadKey) -> Mapping[str, str]:
        """Return what each question of a thread says now, by its turn, oldest first; only what is still kept."""
        ...

    async def thread_of(self, turn_id: str) -> ThreadKey | None:
        """Return the thread of a turn whose message was accepted."""
        ...

    async def accepted_in(self, place: ThreadKey, *, since: float) -> Sequence[IncomingMessage]:
        """Return what was written in a channel (`thread_id` is not looked at) and accepted since, oldest first.

        Each message once, with its latest words; none that was deleted, no clicks and no commands.
        """
        ...

    async def stop(self, key: ThreadKey, *, only: Author | None = None) -> int:
        """Ask for the running turn of a thread and those waiting behind it, or those of one person, to stop.

        Returns how many. Deletions go on, and edits of what was answered: they are never sent again.
        """
        ...

    async def open_of(self, platform: str, workspace: str, user: str) -> Sequence[ThreadKey]:
        """Return the threads in which questions of somebody wait or are worked on, the oldest question's first."""
        ...

    async def withdraw(self, message: IncomingMessage) -> None:
        """Take back a message that is not answered yet."""
        ...

    async def finished(self, message: IncomingMessage) -> bool:
        """Tell whether nobody works on this message any more, nor will."""
        ...

    async def interrupted(self, *rows: InboxRow) -> Mapping[int, Interrupt]:
        """Return, by id, which of these claimed rows are to be cut off, and why."""
        ...

    async def wait(self, timeout: float) -> None:
        """Return when there may be something to claim, at the latest after `timeout` seconds."""
        ...

    async def counts(self) -> dict[str, int]:
        """Return how many rows have which status: todo, doing, done, dead."""
        ...

    async def prune(self, *, older_than: float) -> int:
        """Forget the words of answered rows accepted before this time (seconds since the epoch); returns how many."""
        ...


class Checkpoints(Protocol):
    """What conversations keep between turns. `prune` and `forget` belong to whoever holds the thread's lane."""

    @property
    def saver(self) -> "BaseCheckpointSaver[str]":
        """What LangGraph reads and writes."""
        ...

    async def readable(self, thread: str, *, version: int) -> bool | None:
        """Tell whether what a thread has kept can be read, and is of this version of the state or an earlier one.

        None where there is nothing. Raises StorageError.
        """
        ...

    async def prune(self, thread: str) -> None:
        """Keep only the latest checkpoint of a thread, and note that the thread was used."""
        ...

    async def idle(self, *, since: float) -> Sequence[str]:
        """Return the threads that were not used after this time (seconds since the epoch)."""
        ...

    async def forget(self, thread: str) -> None:
        """Delete what a thread has kept. Raises StorageError."""
        ...


class KeptFiles(Files, Protocol):
    """The files of turns (`agent.ports.Files`), until they are forgotten with them. Each raises StorageError."""

    async def here(self, turn_id: str, files: Sequence[ProducedFile]) -> tuple[ProducedFile, ...]:
        """Return the files of a turn as they stand on this machine, brought here where another one made them."""
        ...

    async def forget(self, turn_id: str) -> None:
        """Delete the files of a turn."""
        ...

    async def prune(self, *, older_than: float) -> int:
        """Delete the files of turns that wrote none since this time (seconds since the epoch); returns how many."""
        ...


class VectorStore(Protocol):
    """A vector for every passage, each of length 1, all of one embedding.

    Raises CorruptError for a damaged file and SettingsError where those that are there are of another embedding.
    """

    async def count(self) -> int:
        """Return how many vectors there are."""
        ...

    async def ids(self) -> "NDArray[np.int64]":
        """Return the ids that have a vector, ascending."""
        ...

    async def add(self, ids: "NDArray[np.int64]", vectors: "NDArray[np.float32]") -> None:
        """Set the vectors of these ids, replacing those that are there; it lasts from `save` on."""
        ...

    async def remove(self, ids: "NDArray[np.int64]") -> int:
        """Drop the vectors of these ids; returns how many there were."""
        ...

    async def clear(self) -> None:
        """Begin anew, whatever is there."""
        ...

    async def save(self, *, whole: bool = False) -> None:
        """Make last what was changed; `whole`: so that it can be taken."""
        ...

    def beside(self) -> Self:
        """Return the vectors that are made anew, beside these, as a call that failed left them."""
        ...

    async def take(self, other: Self) -> None:
        """Put others, made beside these and saved whole, in their place, in one step."""
        ...

    async def close(self) -> None:
        """Let go of it; changes that were not saved are lost."""
        ...
