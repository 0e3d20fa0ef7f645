"""The playground as a platform: what people do on the page goes to the intake, answers to the board.

The process that runs turns needs no web server, only the board; the page's server (`http.py`)
calls `ask`, `edit`, `stop` and `forget` of the adapter that listens.
"""

import asyncio
import hashlib
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from adapters.contract import HEADING, Capabilities, Deliveries, Intake, Reply
from adapters.playground.board import Board, Post
from adapters.playground.reply import PlaygroundReply, answer_post, delivering, todo_post
from agent.errors import AttachmentError, StorageError, UsageError
from agent.language import say
from agent.types import Attachment, Author, IncomingMessage, Language, MessageKind, Rating, Reason, ThreadKey

TITLE_LIMIT = 80
_ZONE = "zone"
"""In `extra` of a question: the time zone of its browser."""


class NotThereError(UsageError):
    """There is no such thread or question."""


class NotListeningError(StorageError):
    """Weft is starting or stopping: try again in a moment."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """Where a question was put."""

    thread: str
    message: str
    turn: str


class PlaygroundAdapter:
    """The platform `playground`. Everybody who may open the page is the same person, `author`."""

    name = "playground"
    capabilities = Capabilities(text_limit=1_000_000, edit_interval=0.1, buttons=True, streaming=True)

    def __init__(
        self,
        board: Board,
        *,
        author: Author | None = None,
        editing: bool = True,
        upload_bytes: int = 50_000_000,
        uploads_most: int = 5,
        now: Callable[[], float] = time.time,
    ) -> None:
        self.board = board
        self.editing = editing
        """Whether the page offers to edit a question, which needs an application that takes EDIT messages."""
        self.closing = asyncio.Event()
        """Set when open streams should end."""
        self.intake: Intake | None = None
        """Where questions go while somebody listens."""
        self.now = now
        self.upload_bytes = upload_bytes
        """How large an attached file may be."""
        self.uploads_most = uploads_most
        """How many go with one question."""
        self._author = author or Author(id="you")

    # --- as an adapter

    async def connect(self) -> None:
        """Nothing to do: the server is ours."""

    async def listen(self, intake: Intake) -> None:
        """Hand in what people do on the page, until cancelled."""
        self.intake = intake
        try:
            await asyncio.Event().wait()
        finally:
            self.intake = None

    async def open_thread(self, message: IncomingMessage, deliveries: Deliveries) -> ThreadKey:
        """Return the message's own thread: on the page every question has one, but for what the clock begins."""
        if message.key.thread_id:
            return message.key
        thread = message.turn_id[:17]
        async with delivering():
            await self.board.create_thread(thread, title_of(message.extra.get(HEADING, "") or message.text))
            if message.kind is MessageKind.SCHEDULED:
                await self.board.post(thread, message.message_id, "user", _question(message), replace=False)
        return replace(message.key, thread_id=thread)

    def reply(self, message: IncomingMessage, deliveries: Deliveries) -> Reply:
        """Return the way to answer this message."""
        return PlaygroundReply(self.board, message)

    async def settle(self, message: IncomingMessage) -> None:
        """Nothing to wait for: the board is written to in one piece."""

    async def erase(self, message: IncomingMessage, deliveries: Deliveries) -> None:
        """Take down what was posted for the turn of this message."""
        async with delivering():
            for post in await self.board.posts(message.key.thread_id):
                if post.role != "user" and post.payload.get("turn") == message.turn_id:
                    await self.board.remove(post.thread, post.id)

    async def fetch(self, message: IncomingMessage, attachment: Attachment, *, most: int) -> bytes:
        """Return a file that was given to the page. Raises AttachmentError."""
        async with delivering():
            data = await self.board.upload_data(attachment.id)
        if data is None:
            raise AttachmentError("The file is not on the board any more.", reason="gone")
        if len(data) > most:
            raise AttachmentError(f"The file is larger than {most:,} bytes.", reason="too_large")
        return data

    async def zone_of(self, message: IncomingMessage) -> str:
        """Return the time zone of the browser that a message was written in; empty where it told none."""
        return message.extra.get(_ZONE, "")

    async def close(self) -> None:
        """End the streams of open pages."""
        self.closing.set()

    # --- as the page uses it

    async def upload(self, *, name: str, media_type: str, data: bytes) -> str:
        """Keep a file that goes with a question to come; returns its id. Raises StorageError."""
        identity = secrets.token_hex(16)
        await self.board.upload(identity, name, media_type, data)
        return identity

    async def ask(
        self, *, thread: str, text: str, client_id: str, locale: str = "", zone: str = "", files: Sequence[str] = ()
    ) -> Asked:
        """Put a question, in a new thread where none is named; the same `client_id` twice is one question.

        `files` are ids that `upload` gave. Raises NotThereError for a thread or file that is not there, StorageError
        when it could not be kept.
        """
        intake = self._listening()
        attachments = [await self._attachment(identity) for identity in files]
        opening = not thread
        # From the client's own id, so that a repeated request finds the thread that the first one opened.
        thread = thread or "t" + hashlib.sha256(f"{self._author.id}\0{client_id}".encode()).hexdigest()[:16]
        kind = MessageKind.DIRECT if opening else MessageKind.THREAD_REPLY
        message = self._message(thread, client_id, text, kind, locale=locale, zone=zone, attachments=attachments)
        if opening:
            await self.board.create_thread(thread, title_of(text))
        # Before the intake, since a worker may answer at once; an earlier attempt's post is left as it is.
        known = any(post.id == client_id for post in await self.board.posts(thread))
        if not await self.board.post(thread, client_id, "user", _question(message), replace=False):
            raise NotThereError("this thread was deleted")
        try:
            await intake.accept(message)
        except StorageError:
            if not known:
                await (self.board.delete_thread(thread) if opening else self.board.remove(thread, client_id))
            raise
        return Asked(thread=thread, message=client_id, turn=message.turn_id)

    async def edit(
        self, *, thread: str, message_id: str, text: str, client_id: str, locale: str = "", zone: str = ""
    ) -> Asked:
        """Put a question in other words; what it was answered with is taken down.

        Raises NotThereError for a question that is not there, StorageError when it could not be kept.
        """
        intake = self._listening()
        questions = await self._questions(thread)
        old = next((post for post in questions if post.id == message_id), None)
        if old is None:
            raise NotThereError("this question is not there any more")
        kind = MessageKind.EDIT
        if await self._came_to_nothing(thread, str(old.payload.get("turn", ""))):
            # The application keeps no turn that it could edit, so this is the question's first.
            kind = MessageKind.DIRECT if questions[0].id == message_id else MessageKind.THREAD_REPLY
        message = self._message(
            thread,
            message_id,
            text,
            kind,
            event=f"edit:{client_id}",
            locale=locale,
            zone=zone,
            attachments=[_attached(file) for file in old.payload.get("files", ())],
        )
        # The board first, since a worker may answer at once; the intake knows a repeated request by its event.
        if old.payload.get("edit") != client_id:
            await self.board.post(thread, message_id, "user", {**_question(message), "edit": client_id})
            for post_id in (todo_post(message.turn_id), answer_post(message.turn_id)):
                await self.board.remove(thread, post_id)
            if questions[0].id == message_id:
                await self.board.rename_thread(thread, title_of(text))
        await intake.accept(message)
        return Asked(thread=thread, message=message_id, turn=message.turn_id)

    async def rate(self, *, thread: str, post_id: str, helpful: bool | None, reason: Reason | None = None) -> None:
        """Keep whether an answer is called helpful, and why not, and show it. Raises NotThereError, StorageError."""
        intake = self._listening()
        post = next((post for post in await self.board.posts(thread) if post.id == post_id), None)
        if post is None or post.role != "answer" or post.payload.get("draft"):
            raise NotThereError("this answer is not there any more")
        rating = Rating(user=self._author.id, helpful=helpful, at=self.now(), reason=reason)
        if await intake.rate(str(post.payload["turn"]), rating):
            await self.board.post(thread, post_id, post.role, {**post.payload, "rated": helpful})

    async def stop(self, *, thread: str, message_id: str, language: Language) -> None:
        """Stop what runs in the thread of this question, and drop what waits. Raises as `edit` does."""
        intake = self._listening()
        posts = await self.board.posts(thread)
        if not any(post.id == message_id and post.role == "user" for post in posts):
            raise NotThereError("this question is not there any more")
        event = f"stop:{secrets.token_hex(8)}"
        await intake.accept(self._message(thread, message_id, "", MessageKind.STOP, event=event))
        seen = {post.id for post in posts}
        words = {"text": say("turn_stopped", language), "language": language}
        for post in posts:
            turn = str(post.payload.get("turn", ""))
            if post.role == "user" and todo_post(turn) not in seen:
                await self.board.post(thread, answer_post(turn), "error", {"turn": turn, **words}, replace=False)

    async def forget(self, thread: str) -> None:
        """Delete a thread, and have the application forget its turns. Raises as `edit` does."""
        intake = self._listening()
        if await self.board.thread(thread) is None:
            raise NotThereError("this thread was deleted")
        questions = await self._questions(thread)
        if questions:
            event = f"stop:{secrets.token_hex(8)}"
            await intake.accept(self._message(thread, questions[-1].id, "", MessageKind.STOP, event=event))
        for post in questions:
            await intake.accept(self._message(thread, post.id, "", MessageKind.DELETE, event="delete"))
            for file in post.payload.get("files", ()):
                await self.board.let_go(file["id"])
        await self.board.delete_thread(thread)

    def _listening(self) -> Intake:
        if self.intake is None:
            raise NotListeningError
        return self.intake

    async def _questions(self, thread: str) -> list[Post]:
        return [post for post in await self.board.posts(thread) if post.role == "user"]

    async def _came_to_nothing(self, thread: str, turn: str) -> bool:
        """Tell whether a turn was stopped or failed before it had a response."""
        ends = [post for post in await self.board.posts(thread) if post.id == answer_post(turn)]
        return any(post.role == "error" and "response_type" not in post.payload for post in ends)

    async def _attachment(self, identity: str) -> Attachment:
        found = await self.board.uploaded(identity)
        if found is None:
            raise NotThereError("a file of this question is not there any more")
        name, media_type, size = found
        return Attachment(id=identity, name=name, media_type=media_type, size=size)

    def _message(
        self,
        thread: str,
        message_id: str,
        text: str,
        kind: MessageKind,
        *,
        event: str = "",
        locale: str = "",
        zone: str = "",
        attachments: Sequence[Attachment] = (),
    ) -> IncomingMessage:
        key = ThreadKey(platform=self.name, workspace_id="local", channel_id="web", thread_id=thread)
        return IncomingMessage(
            key=key,
            event_id=":".join(filter(None, (self.name, thread, message_id, event))),
            message_id=message_id,
            author=self._author,
            text=text,
            kind=kind,
            received_at=self.now(),
            private=True,
            locale=locale,
            attachments=tuple(attachments),
            extra={_ZONE: zone} if zone else {},
        )


def title_of(text: str) -> str:
    """Return the beginning of a question, cut between words."""
    title = " ".join(text[: TITLE_LIMIT * 4].split())
    if len(title) <= TITLE_LIMIT:
        return title
    return title[: TITLE_LIMIT - 1].rsplit(" ", 1)[0].rstrip(".,;:") + "…"


def _question(message: IncomingMessage) -> dict[str, object]:
    files = [
        {"id": file.id, "name": file.name, "media_type": file.media_type, "size": file.size}
        for file in message.attachments
    ]
    return {"turn": message.turn_id, "text": message.text, **({"files": files} if files else {})}


def _attached(file: Mapping[str, Any]) -> Attachment:
    return Attachment(id=file["id"], name=file["name"], media_type=file["media_type"], size=file["size"])
