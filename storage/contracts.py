"""What only the application asks of storage. The agent's own ports are in `agent.ports`."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Protocol

from agent.types import IncomingMessage, ThreadKey


@dataclass(frozen=True, kw_only=True, slots=True)
class InboxRow:
    """A claimed message: it belongs to `owner` until `lease_until` (seconds since the epoch)."""

    id: int
    message: IncomingMessage
    attempts: int
    owner: str
    lease_until: float


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

    async def finish(self, row: InboxRow) -> bool:
        """Note the answer as given; False when the claim was lost."""
        ...

    async def release(self, row: InboxRow, *, error: str, retry_in: float, charge: bool = True) -> None:
        """Give a message back, to be tried again in `retry_in` seconds; without `charge` the attempt does not count."""
        ...

    async def move(self, row: InboxRow, key: ThreadKey) -> InboxRow:
        """Give a claimed message the thread that was opened for it."""
        ...

    async def knows(self, key: ThreadKey) -> bool:
        """Tell whether a message of this thread was ever accepted."""
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
