"""A turn shown in one message: its plan and, below that, the answer as it is written.

Streamed where Slack does that (`adapters.slack.streams`). A stream that Slack ended goes on in another one below it,
with what was not sent yet. Where there is none, or it was begun by a process that died, or nobody knows what it shows,
the first message goes on by edits, which show all of it: nothing is lost and nothing stands there twice.
"""

import logging
from collections.abc import Sequence

from adapters.contract import Deliveries, TodoList
from adapters.drafts import SLOT, Drafts, is_draft, once_more, open_fence
from adapters.slack import render
from adapters.slack.api import BlocksRefusedError, StreamRefusedError
from adapters.slack.lost import ANSWER, thread_of
from adapters.slack.messages import Messages
from adapters.slack.mrkdwn import harmless
from adapters.slack.parse import since
from adapters.slack.render import MARKDOWN_LIMIT, PROGRESS, Post
from adapters.slack.streams import STREAMED, Live, text_chunk
from agent.errors import DeliveryError, RateLimitedError, UnreachableError
from agent.text import asked_in
from agent.types import DeliveryRef, IncomingMessage, MessageKind, Response, ThreadKey

log = logging.getLogger(__name__)


class OneMessage:
    """The message of one attempt at a turn."""

    def __init__(
        self,
        messages: Messages,
        drafts: Drafts,
        message: IncomingMessage,
        place: ThreadKey,
        deliveries: Deliveries,
    ) -> None:
        self._messages = messages
        self._drafts = drafts
        self._message = message
        self._place = place
        self._deliveries = deliveries
        self._live: Live | None = None
        self._may_begin = message.kind is not MessageKind.EDIT and thread_of(place) is not None
        self._todo: TodoList | None = None
        self._text = ""
        self.as_read = ""
        """The slot of a message that ended as a stream with its table in it, which is no other any more."""
        self._standing: list[str] = []
        """What of the answer the messages before the stream hold for good: those of streams that Slack ended."""

    async def show(self, todo: TodoList) -> bool:
        """Show a plan under way; False where it is to be a message of its own. Raises as `Reply.show` does."""
        before, self._todo = self._todo, todo
        turn_id = self._message.turn_id
        if not await self._holds_the_plan():
            self._todo = before
            return False
        if not await self._has_place("…"):
            return True
        try:
            await self._drafts.send(turn_id, self._bring())
        except StreamRefusedError:
            self._todo = before
            return False
        return True

    async def stream(self, text: str) -> None:
        """Show the answer so far. Raises as `Reply.stream` does."""
        if not await self._has_place(text):
            return
        self._text = text
        if self._messages.edits_closed and self._live is None and not await self._can_begin():
            return
        await self._drafts.send(self._message.turn_id, self._bring(withdrawn=not text))

    def standing(self, answer: str) -> tuple[str, ...]:
        """Return what messages hold for good of an answer that begins with it; nothing of another answer."""
        return tuple(self._standing) if self._rest(answer) is not None else ()

    async def end(self, posts: Sequence[Post], response: Response | None, standing: int) -> None:
        """Let a stream end as the first of these posts that goes on from it, which is noted as what it shows.

        Else it is stopped, to be edited; so it is after a reply that was lost. The posts are the same one with its
        table as Slack's own, and as Markdown. `standing` messages of the answer come before it.
        Raises RateLimitedError and UnreachableError after patience.
        """
        live, self._live = self._live, None
        if live is None:
            return
        next_one = live.sure and live.slot == f"{ANSWER}{standing}"
        post = next((each for each in posts if next_one and each.markdown.startswith(live.text)), None)
        if post is not None:
            try:
                await self._finish(live, post, response)
            except (StreamRefusedError, BlocksRefusedError, UnreachableError) as error:
                log.info("A stream goes on by edits: %s", error, extra={"action": "slack_stream_left"})
            else:
                self.as_read = live.slot if post == posts[-1] else ""
                await self._deliveries.record(self._message.turn_id, live.slot, live.ref, post.digest)
                return
        await self._messages.streams.close(live.ref)

    async def _has_place(self, text: str) -> bool:
        if self._standing and self._live is None:  # whether the next one was begun is not known
            return False
        slot = f"{ANSWER}{len(self._standing)}"
        return await self._drafts.have_room(self._message, self._deliveries, text, slot=slot)

    async def _holds_the_plan(self) -> bool:
        """Tell whether the plan stands in the answer's message, or may begin to."""
        if self._live is not None or self._standing:
            return True
        slots = dict(await self._deliveries.slots(self._message.turn_id))
        if PROGRESS in slots:
            return False
        known = slots.get(SLOT)
        return is_draft(known) if known is not None else self._has_room()

    async def _can_begin(self) -> bool:
        return self._has_room() and not await self._deliveries.slots(self._message.turn_id)

    def _has_room(self) -> bool:
        return self._may_begin and self._messages.streams.has_room(self._message, self._place)

    async def _bring(self, *, withdrawn: bool = False) -> None:
        """Bring the message to what is true now."""
        if self._live is None and not withdrawn and await self._can_begin():
            try:
                await self._begin(SLOT)
            except StreamRefusedError:
                if not self._text:  # a plan alone: as a list that is edited
                    raise
            else:
                return
        live = self._live
        if live is not None and not withdrawn:
            try:
                if await self._append(live):
                    return
            except StreamRefusedError as error:
                log.info("A stream is left: %s", error, extra={"action": "slack_stream_left"})
                if self._live is not live:  # the turn has come to its end meanwhile
                    return
                if error.ended and await self._go_on(live):
                    return
        if self._live is not None:
            await self._messages.streams.close(self._live.ref, patient=False)
            self._live = None
        await self._gather()
        await self._edit(urgent=withdrawn)

    async def _begin(self, slot: str) -> None:
        """Begin a stream. Whatever Slack refuses, a limit too, is a StreamRefusedError: messages are edited then.

        Where Weft may not write at all, the next post says so.
        """
        self._may_begin = False
        turn_id, live = self._message.turn_id, Live(ref=DeliveryRef(channel_id="", message_id=""), slot=slot)
        text = self._markdown()
        chunks = [*(live.plan.changes(self._todo) if self._todo else ()), *text_chunk(text)]
        await self._deliveries.begin(turn_id, slot)
        try:
            live.ref = await self._messages.streams.start(self._message, self._place, chunks)
        except UnreachableError:
            raise
        except DeliveryError as error:  # it is not there, for certain
            await self._deliveries.forget(turn_id, slot)
            raise StreamRefusedError(str(error)) from error
        live.text = text
        await self._deliveries.record(turn_id, slot, live.ref, STREAMED)
        self._live = live

    async def _append(self, live: Live) -> bool:
        """Append what is new; False where the stream does not go on to it. Raises StreamRefusedError."""
        if not live.sure or not self._follows(live):
            return False
        plan, text = live.plan.copy(), self._markdown()
        chunks = [*(plan.changes(self._todo) if self._todo else ()), *text_chunk(text[len(live.text) :])]
        if not chunks:
            return True
        await self._messages.streams.append(live, chunks)
        live.plan, live.text = plan, text
        return True

    async def _go_on(self, ended: Live) -> bool:
        """Go on in another stream below one that Slack ended; False where there is none, or no place to cut at.

        One that shows nothing but a plan gives way to the other.
        """
        if not self._messages.streams.has_room(self._message, self._place) or not _may_end(ended.text):
            return False
        turn_id, self._live = self._message.turn_id, None
        if not ended.text:
            await self._messages.delete(ended.ref)
            await self._deliveries.forget(turn_id, ended.slot)
        else:
            self._standing.append(ended.text)
        try:
            await self._begin(f"{ANSWER}{len(self._standing)}")
        except StreamRefusedError:
            if ended.text:
                self._standing.pop()
                self._live = ended
            return False
        finally:
            if ended.text and ended is not self._live:
                await self._messages.leave(self._deliveries, turn_id, ended.slot, ended.ref, render.part(ended.text))
        return True

    async def _gather(self) -> None:
        """Take away the messages below the first, which is to show the whole."""
        turn_id = self._message.turn_id
        for slot, known in list(await self._deliveries.slots(turn_id)) if self._standing else ():
            if slot.startswith(ANSWER) and slot != SLOT and known.ref is not None:
                await self._messages.delete(known.ref)
                await self._deliveries.forget(turn_id, slot)
        self._standing.clear()

    async def _finish(self, live: Live, post: Post, response: Response | None) -> None:
        streams, turn_id = self._messages.streams, self._message.turn_id
        language = response.language if response is not None else asked_in(self._message.text, self._message.locale)
        chunks = [*live.plan.end(response, language), *text_chunk(post.markdown[len(live.text) :])]
        below = post.below
        try:
            await streams.stop(live, chunks, below, turn_id, patient=False)
        except RateLimitedError:  # there are more appends than stops: the answer is read while its end waits
            if chunks:
                await streams.append(live, chunks, patient=True)
            await streams.stop(live, (), below, turn_id)

    def _rest(self, text: str) -> str | None:
        """Return what of a text is left behind what stands in messages for good; None of one that begins otherwise."""
        rest = harmless(text)
        for part in self._standing:
            rest = rest.lstrip()
            if not rest.startswith(part):
                return None
            rest = rest.removeprefix(part)
        return rest.lstrip() if self._standing else rest

    def _follows(self, live: Live) -> bool:
        """Tell whether the answer so far goes on from what a stream shows."""
        rest = self._rest(self._text)
        return rest is not None and rest.startswith(live.text)

    def _markdown(self) -> str:
        """Return what of the answer may be appended: no more than its message will hold."""
        text = self._rest(self._text) or ""
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
            self._deliveries, message.turn_id, self._place, post, since=since(message), urgent=urgent
        )


def _may_end(text: str) -> bool:
    """Tell whether a message may end with this, and the next one begin behind it: not in code, nor in a table."""
    return not open_fence(text) and not text.rstrip().rpartition("\n")[2].lstrip().startswith("|")
