"""One turn answered in Slack: a TODO list that ticks, and below it the answer, shown as it is written."""

import asyncio
import hashlib
import logging
from collections.abc import Awaitable, Callable
from pathlib import Path

from adapters.contract import Deliveries, Failure, TodoList
from adapters.drafts import Drafts
from adapters.slack import render
from adapters.slack.api import BlocksRefusedError
from adapters.slack.lost import ANSWER
from adapters.slack.messages import Messages
from adapters.slack.one_message import OneMessage
from adapters.slack.parse import click_on, place_of, since
from adapters.slack.render import PROGRESS, Post
from agent.errors import DeliveryError
from agent.types import Clarification, IncomingMessage, MessageKind, ProducedFile, Response

log = logging.getLogger(__name__)


class SlackReply:
    """The `Reply` of Slack; made again after a crash it goes on with the same messages."""

    def __init__(self, messages: Messages, drafts: Drafts, message: IncomingMessage, deliveries: Deliveries) -> None:
        self._messages = messages
        self._drafts = drafts
        self._message = message
        self._deliveries = deliveries
        self._place = place_of(message)
        self._one = OneMessage(messages, drafts, message, self._place, deliveries)

    async def typing(self, todo: TodoList) -> None:
        """Show what Weft is at behind its name, until it posts, two minutes at most."""
        if self._message.kind is not MessageKind.EDIT:  # whose answer is there already, and is not posted
            await self._messages.sessions.begin(self._message, self._place)
            await self._messages.asides.status(self._place, render.status(todo))

    async def show(self, todo: TodoList) -> None:
        """Show the plan in the answer's message where that is a stream; else post the TODO list, later only edit it.

        While work goes on it does not wait: RateLimitedError tells when to come again with what is true then.
        """
        if todo.status == "working" and await self._one.show(todo):
            return
        bring = self._begin if todo.status == "working" else self._end
        post = render.progress(todo)
        try:
            await bring(post)
        except BlocksRefusedError:
            await bring(Post(text=post.text))

    async def stream(self, text: str) -> None:
        """Show the answer's message with its first words, later bring it up to date."""
        await self._one.stream(text)

    async def ask(self, clarification: Clarification) -> None:
        """Ask back, with a button for each choice."""
        await self._ask(clarification)

    async def close_choices(self, clarification: Clarification, first: Callable[[str], Awaitable[bool]]) -> None:
        """Take the buttons off the question back, as far as Slack lets it be edited."""
        post = render.without_buttons(render.question(clarification, plain=False)[-1])
        slots = [each for each in await self._deliveries.slots(self._message.turn_id) if each[0].startswith(ANSWER)]
        slot, ref = (slots[-1][0], slots[-1][1].ref) if slots else ("", None)
        if ref is None or not await first(click_on(self._message.key.workspace_id, ref.channel_id, ref.message_id)):
            return
        try:
            await self._messages.settle(ref, post)
        except DeliveryError as error:  # a click on them is too late all the same
            log.warning("The choices stay to be seen: %s", error, extra={"action": "slack_choices_stay"})
        else:
            await self._deliveries.record(self._message.turn_id, slot, ref, post.digest)

    async def finish(self, response: Response) -> None:
        """Post the answer below the TODO list, in as many messages as it needs; a later call edits them."""
        if response.only_asks and response.clarification is not None:
            await self._ask(response.clarification, response)
            return
        standing = self._one.standing(response.answer)
        await self._answer(
            lambda plain: self._below(render.answer(response, plain=plain, standing=standing), response),
            response,
            standing=len(standing),
        )

    async def attach(self, file: ProducedFile) -> None:
        """Upload a file to the thread."""
        content = await asyncio.to_thread(Path(file.path).read_bytes)
        await self._messages.upload(
            self._deliveries,
            self._message.turn_id,
            f"file:{file.name}",
            self._place,
            file.name,
            content,
            hashlib.sha256(content).hexdigest(),
            shows=file.text,
        )

    async def fail(self, failure: Failure) -> None:
        """Say in the answer's place that there is none."""
        await self._answer(lambda plain: render.notice(failure.text, plain=plain))

    async def _ask(self, clarification: Clarification, response: Response | None = None) -> None:
        await self._answer(lambda plain: render.question(clarification, plain=plain), response)

    async def _answer(
        self, rendered: Callable[[bool], list[Post]], response: Response | None = None, *, standing: int = 0
    ) -> None:
        """Bring the messages to what is rendered; `standing`: how many of them hold their text already."""
        await self._drafts.give_way(
            self._message.turn_id, self._deliveries, lambda: self._write(rendered, response, standing)
        )
        await self._messages.sessions.over(self._message, self._place)

    def _below(self, posts: list[Post], response: Response) -> list[Post]:
        if self._messages.plain_markdown:
            return posts
        return render.below(posts, response, opens_sources=self._messages.opens_sources)

    def _tabled(self, posts: list[Post]) -> list[Post]:
        """Return messages with their tables as Slack's own; one whose table was streamed stays as it was read."""
        if self._messages.plain_markdown:
            return posts
        return [post if f"{ANSWER}{n}" == self._one.as_read else render.tabled(post) for n, post in enumerate(posts)]

    async def _write(self, rendered: Callable[[bool], list[Post]], response: Response | None, standing: int) -> None:
        posts = rendered(False)
        last = [each[standing] for each in (self._tabled(posts), posts) if standing < len(each)]
        await self._one.end(last, response, standing)
        posts = self._tabled(posts)
        try:
            await self._fill(posts)
        except BlocksRefusedError:  # of this message; the next one may be as it should
            await self._fill_simply(posts, rendered)

    async def _fill_simply(self, posts: list[Post], rendered: Callable[[bool], list[Post]]) -> None:
        """Fill the messages without what only newer Slacks know, tables and thumbs; else without any blocks."""
        self._messages.plain_markdown = True
        simpler = rendered(False)
        if simpler != posts:
            try:
                await self._fill(simpler)
            except BlocksRefusedError:
                self._messages.plain_markdown = False
            else:
                return
        self._messages.plain_markdown = False
        await self._fill(rendered(True))

    async def _fill(self, posts: list[Post]) -> None:
        """Bring the messages of the answer to these posts, and delete those beyond them."""
        for index, post in enumerate(posts):
            await self._deliver(f"{ANSWER}{index}", post)
        turn_id = self._message.turn_id
        for slot, delivery in list(await self._deliveries.slots(turn_id)):
            if slot.startswith(ANSWER) and int(slot.removeprefix(ANSWER)) >= len(posts):
                if delivery.ref is not None:
                    await self._messages.delete(delivery.ref)
                await self._deliveries.forget(turn_id, slot)

    async def _begin(self, post: Post) -> None:
        if not self._messages.edits_closed:  # it could never be brought to its end
            if await self._deliveries.get(self._message.turn_id, PROGRESS) is None:
                self._messages.begin_list()
            await self._deliver(PROGRESS, post, patient=False)

    async def _end(self, post: Post) -> None:
        message = self._message
        await self._messages.end(self._deliveries, message.turn_id, PROGRESS, self._place, post, since=since(message))

    async def _deliver(self, slot: str, post: Post, *, patient: bool = True) -> None:
        message = self._message
        await self._messages.deliver(
            self._deliveries,
            message.turn_id,
            slot,
            self._place,
            post,
            since=since(message),
            patient=patient,
            must_show=slot != PROGRESS,
        )
