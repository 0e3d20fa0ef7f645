"""A turn shown in one message: its plan and, below that, the answer as it is written.

Streamed where Slack does that (`adapters.slack.streams`). A stream that was closed by Slack, begun by a process that
died, or of which nobody knows what it shows, goes on by edits of the same message, which show all of it: nothing is
lost and nothing stands there twice.
"""

import logging

from adapters.contract import Deliveries, TodoList
from adapters.drafts import SLOT, Drafts, is_draft, once_more
from adapters.slack import render
from adapters.slack.api import BlocksRefusedError, StreamRefusedError
from adapters.slack.lost import thread_of
from adapters.slack.messages import Messages
from adapters.slack.mrkdwn import harmless
from adapters.slack.parse import since
from adapters.slack.render import MARKDOWN_LIMIT, PROGRESS, Post
from adapters.slack.streams import STREAMED, Live, text_chunk
from agent.errors import DeliveryError, RateLimitedError, UnreachableError
from agent.text import asked_in
from agent.types import DeliveryRef, IncomingMessage, MessageKind, Response

log = logging.getLogger(__name__)


class OneMessage:
    """The message of one attempt at a turn."""

    def __init__(self, messages: Messages, drafts: Drafts, message: IncomingMessage, deliveries: Deliveries) -> None:
        self._messages = messages
        self._drafts = drafts
        self._message = message
        self._deliveries = deliveries
        self._live: Live | None = None
        self._may_begin = message.kind is not MessageKind.EDIT and thread_of(message.key) is not None
        self._todo: TodoList | None = None
        self._text = ""

    async def show(self, todo: TodoList) -> bool:
        """Show a plan under way; False where it is to be a message of its own. Raises as `Reply.show` does."""
        before, self._todo = self._todo, todo
        turn_id = self._message.turn_id
        if not await self._holds_the_plan():
            self._todo = before
            return False
        if not await self._drafts.have_room(self._message, self._deliveries, "…"):
            return True
        try:
            await self._drafts.send(turn_id, self._bring())
        except StreamRefusedError:
            self._todo = before
            return False
        return True

    async def stream(self, text: str) -> None:
        """Show the answer so far. Raises as `Reply.stream` does."""
        if not await self._drafts.have_room(self._message, self._deliveries, text):
            return
        self._text = text
        if self._messages.edits_closed and self._live is None and not await self._can_begin():
            return
        await self._drafts.send(self._message.turn_id, self._bring(withdrawn=not text))

    async def end(self, first: Post, response: Response | None) -> None:
        """Let a stream end as this post, which is then noted as what it shows; else stop it, to be edited.

        After a reply that was lost it is edited too. Raises RateLimitedError and UnreachableError after patience.
        """
        live, self._live = self._live, None
        if live is None:
            return
        text = first.markdown
        if live.sure and text.startswith(live.text):
            try:
                await self._finish(live, first, response)
            except (StreamRefusedError, BlocksRefusedError, UnreachableError) as error:
                log.info("A stream goes on by edits: %s", error, extra={"action": "slack_stream_left"})
            else:
                await self._deliveries.record(self._message.turn_id, SLOT, live.ref, first.digest)
                return
        await self._messages.streams.close(live.ref)

    async def _holds_the_plan(self) -> bool:
        """Tell whether the plan stands in the answer's message, or may begin to."""
        if self._live is not None:
            return True
        slots = dict(await self._deliveries.slots(self._message.turn_id))
        if PROGRESS in slots:
            return False
        known = slots.get(SLOT)
        return is_draft(known) if known is not None else self._has_room()

    async def _can_begin(self) -> bool:
        return self._has_room() and not await self._deliveries.slots(self._message.turn_id)

    def _has_room(self) -> bool:
        return self._may_begin and self._messages.streams.has_room(self._message)

    async def _bring(self, *, withdrawn: bool = False) -> None:
        """Bring the message to what is true now."""
        if self._live is None and not withdrawn and await self._can_begin():
            try:
                await self._begin()
            except StreamRefusedError:
                if not self._text:  # a plan alone: as a list that is edited
                    raise
            else:
                return
        if self._live is not None and not withdrawn and await self._append(self._live):
            return
        if self._live is not None:
            await self._messages.streams.close(self._live.ref, patient=False)
            self._live = None
        await self._edit(urgent=withdrawn)

    async def _begin(self) -> None:
        """Begin a stream. Whatever Slack refuses, a limit too, is a StreamRefusedError: messages are edited then.

        Where Weft may not write at all, the next post says so.
        """
        self._may_begin = False
        turn_id, live = self._message.turn_id, Live(ref=DeliveryRef(channel_id="", message_id=""))
        text = self._markdown()
        chunks = [*(live.plan.changes(self._todo) if self._todo else ()), *text_chunk(text)]
        await self._deliveries.begin(turn_id, SLOT)
        try:
            live.ref = await self._messages.streams.start(self._message, chunks)
        except UnreachableError:
            raise
        except DeliveryError as error:  # it is not there, for certain
            await self._deliveries.forget(turn_id, SLOT)
            raise StreamRefusedError(str(error)) from error
        live.text = text
        await self._deliveries.record(turn_id, SLOT, live.ref, STREAMED)
        self._live = live

    async def _append(self, live: Live) -> bool:
        """Append what is new; False where the stream does not go on to it."""
        text = self._markdown()
        if not live.sure or not text.startswith(live.text):
            return False
        plan = live.plan.copy()
        chunks = [*(plan.changes(self._todo) if self._todo else ()), *text_chunk(text[len(live.text) :])]
        if not chunks:
            return True
        try:
            await self._messages.streams.append(live, chunks)
        except StreamRefusedError as error:
            log.info("A stream goes on by edits: %s", error, extra={"action": "slack_stream_left"})
            return False
        live.plan, live.text = plan, text
        return True

    async def _finish(self, live: Live, first: Post, response: Response | None) -> None:
        streams, turn_id = self._messages.streams, self._message.turn_id
        language = response.language if response is not None else asked_in(self._message.text, self._message.locale)
        chunks = [*live.plan.end(response, language), *text_chunk(first.markdown[len(live.text) :])]
        below = first.blocks[1:]
        try:
            await streams.stop(live, chunks, below, turn_id, SLOT, patient=False)
        except RateLimitedError:  # there are more appends than stops: the answer is read while its end waits
            if chunks:
                await streams.append(live, chunks, patient=True)
            await streams.stop(live, (), below, turn_id, SLOT)

    def _markdown(self) -> str:
        """Return what of the answer may be appended: no more than its first message will hold."""
        text = harmless(self._text)
        known = self._live.text if self._live is not None else ""
        return text if len(text) <= MARKDOWN_LIMIT else known or render.first_part(text)

    async def _edit(self, *, urgent: bool) -> None:
        if self._messages.edits_closed:
            return
        text = self._text or (once_more(self._message) if urgent else "")
        try:
            await self._show_draft(render.draft(text, self._todo, plain=False), urgent=urgent)
        except BlocksRefusedError:
            await self._show_draft(render.draft(text, self._todo, plain=True), urgent=urgent)

    async def _show_draft(self, post: Post, *, urgent: bool) -> None:
        message = self._message
        await self._messages.draft(
            self._deliveries, message.turn_id, message.key, post, since=since(message), urgent=urgent
        )
