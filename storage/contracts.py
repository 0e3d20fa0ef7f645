"""What only the application asks of storage. The agent's own ports are in `agent.ports`."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from agent.types import Author, ChannelMode, IncomingMessage, Rating, ThreadKey


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


class Inbox(Protocol):
    """Accepted messages, until each has its answer.

    Rows of one thread are claimed one at a time and in order, deletions before what waits; a claim that is not
    renewed comes back, and after some such deaths a row is dead: it blocks nobody and waits for an operator.
    """

    async def add(self, message: IncomingMessage, *, hold: float = 0.0) -> bool:
        """Store a message; False when its event id is already there. Durable when it returns.

        With `hold` nobody claims it before `let_go`, or before so many seconds are over.

        An edit takes the place of its question while that is not answered, a deletion takes it away; the turn that
        runs is told by `interrupted`. Both also apply to a message that comes after them. A reply, an edit or a
        deletion in a thread that is not known waits some minutes for that thread to begin, and is then forgotten.
        """
        ...

    async def let_go(self, message: IncomingMessage) -> None:
        """Let a message that is held be claimed now."""
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
        """Tell whether a message of this thread was ever accepted that was heard, or still waits."""
        ...

    async def thread_of(self, turn_id: str) -> ThreadKey | None:
        """Return the thread of a turn whose message was accepted."""
        ...

    async def accepted_in(self, place: ThreadKey, *, since: float) -> Sequence[IncomingMessage]:
        """Return what was written in a channel (`thread_id` is not looked at) and accepted since, oldest first.

        Each message once, with its latest words; none that was deleted, no clicks and no commands.
        """
        ...

    async def stop(self, key: ThreadKey) -> int:
        """Ask for the running turn of a thread and those waiting behind it to stop; returns how many.

        Deletions go on, and edits of what was answered: they are never sent again.
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
