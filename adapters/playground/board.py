"""What the playground asks of storage: its threads and posts, and a feed of their changes.

The page and the turn may live in different processes, so what a turn has to show goes through a
`Board` and not through memory. `tests/contracts/board.py` is its contract suite.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol


class Thread(Protocol):
    """A conversation; times are seconds since the epoch."""

    @property
    def id(self) -> str: ...  # noqa: D102
    @property
    def title(self) -> str: ...  # noqa: D102
    @property
    def created(self) -> float: ...  # noqa: D102
    @property
    def updated(self) -> float:
        """When the last question was asked."""
        ...


class Post(Protocol):
    """One thing to see in a thread."""

    @property
    def thread(self) -> str: ...  # noqa: D102
    @property
    def id(self) -> str: ...  # noqa: D102
    @property
    def role(self) -> str:
        """`user`, `todo`, `answer`, `clarification`, `error` or `file`."""
        ...

    @property
    def payload(self) -> Mapping[str, Any]:
        """What the role needs, as JSON values."""
        ...

    @property
    def created(self) -> float: ...  # noqa: D102
    @property
    def updated(self) -> float: ...  # noqa: D102
    @property
    def version(self) -> int:
        """Grows with every change of the board."""
        ...


class Change(Protocol):
    """What became of a thread (`post_id` empty) or of a post; both values None: it is gone."""

    @property
    def version(self) -> int: ...  # noqa: D102
    @property
    def thread_id(self) -> str: ...  # noqa: D102
    @property
    def post_id(self) -> str: ...  # noqa: D102
    @property
    def thread(self) -> Thread | None: ...  # noqa: D102
    @property
    def post(self) -> Post | None: ...  # noqa: D102


class Changes(Protocol):
    """A piece of the feed, oldest first; ask again from `cursor`."""

    @property
    def items(self) -> Sequence[Change]: ...  # noqa: D102
    @property
    def cursor(self) -> str: ...  # noqa: D102
    @property
    def reset(self) -> bool:
        """True where the cursor asked for means nothing here (another board): read everything anew."""
        ...


class Wall(Protocol):
    """The board as the page reads it."""

    async def threads(self, *, limit: int = 200) -> Sequence[Thread]:
        """Return the threads, the last asked in first."""
        ...

    async def thread(self, thread_id: str) -> Thread | None:
        """Return a thread, or None when it is not there."""
        ...

    async def posts(self, thread_id: str) -> Sequence[Post]:
        """Return the posts of a thread in the order in which they first appeared."""
        ...

    async def cursor(self) -> str:
        """Return the place in the feed behind the last change."""
        ...

    async def changes_since(self, cursor: str, *, thread_id: str = "") -> Changes:
        """Return what changed behind this place, each thing once and as it is now; "" is the beginning."""
        ...

    async def wait(self, cursor: str) -> None:
        """Return as soon as there may be changes behind this place, made by this process or another."""
        ...


class Desk(Protocol):
    """The board as it is written on. Everything may be done twice."""

    async def create_thread(self, thread_id: str, title: str) -> bool:
        """Open a thread, also one that was deleted; False when it is there."""
        ...

    async def rename_thread(self, thread_id: str, title: str) -> bool:
        """Give a thread another title; False when it is not there."""
        ...

    async def delete_thread(self, thread_id: str) -> bool:
        """Delete a thread and its posts for good; False when it is not there."""
        ...

    async def post(
        self, thread_id: str, post_id: str, role: str, payload: Mapping[str, Any], *, replace: bool = True
    ) -> bool:
        """Put up a post, or put a new one in the place of the one with this id; False when the thread is gone.

        Without `replace` a post that is there stays as it is.
        """
        ...

    async def remove(self, thread_id: str, post_id: str) -> bool:
        """Take a post down; False when it is not there."""
        ...


class Uploads(Protocol):
    """Files on their way from the page to the turn that reads them; they are let go within days."""

    async def upload(self, upload_id: str, name: str, media_type: str, data: bytes) -> None:
        """Keep a file."""
        ...

    async def uploaded(self, upload_id: str) -> tuple[str, str, int] | None:
        """Return name, media type and size in bytes of a file; None when it is not there."""
        ...

    async def let_go(self, upload_id: str) -> None:
        """Delete a file; one that is not there is fine."""
        ...

    async def upload_data(self, upload_id: str) -> bytes | None:
        """Return the bytes of a file; None when it is not there."""
        ...


class Board(Wall, Desk, Uploads, Protocol):
    """All of it."""
