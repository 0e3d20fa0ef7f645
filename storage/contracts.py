"""What only the application asks of storage. The agent's own ports are in `agent.ports`."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Protocol

from agent.types import Author, ChannelMode, IncomingMessage, ThreadKey


@dataclass(frozen=True, kw_only=True, slots=True)
class InboxRow:
    """A claimed message: it belongs to `owner` until `lease_until` (seconds since the epoch)."""

    id: int
    message: IncomingMessage
    attempts: int
    owner: str
    lease_until: float


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


class Inbox(Protocol):
    """Accepted messages, until each has its answer.

    Rows of one thread are claimed one at a time and in order; a claim that is not renewed comes
    back, and after `max_attempts` claims a row is dead: it blocks nobody and waits for an operator.
    """

    async def add(self, message: IncomingMessage) -> bool:
        """Store a message; False when its event id is already there. Durable when it returns."""
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

    async def finish(self, row: InboxRow, *, heard: bool = True) -> bool:
        """Note the answer as given; False when the claim was lost.

        What was not `heard`, people's talk, leaves who wrote it and when, and none of its words.
        """
        ...

    async def lines(self, message: IncomingMessage, *, most: int = 50) -> Sequence[Line]:
        """Return the last that were written before this message in its thread, oldest first; edits are none."""
        ...

    async def release(self, row: InboxRow, *, error: str, retry_in: float, charge: bool = True) -> None:
        """Give a message back, to be tried again in `retry_in` seconds; without `charge` the attempt does not count."""
        ...

    async def move(self, row: InboxRow, key: ThreadKey) -> InboxRow:
        """Give a claimed message the thread that was opened for it."""
        ...

    async def knows(self, key: ThreadKey) -> bool:
        """Tell whether a message of this thread was ever accepted that was heard, or still waits."""
        ...

    async def stop(self, key: ThreadKey) -> int:
        """Ask for the running turn of a thread and those waiting behind it to stop; returns how many.

        Edits and deletions go on: they are never sent again.
        """
        ...

    async def withdraw(self, message: IncomingMessage) -> None:
        """Take back a message that is not answered yet."""
        ...

    async def finished(self, message: IncomingMessage) -> bool:
        """Tell whether nobody works on this message any more, nor will."""
        ...

    async def stopping(self, *rows: InboxRow) -> Collection[int]:
        """Return the ids of those among the rows whose turns somebody asked to stop."""
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
