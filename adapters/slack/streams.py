"""Slack's own streams: a message that grows by what is appended, with a plan above the text.

https://docs.slack.dev/reference/methods/chat.startStream. What is appended cannot be taken back, a stream carries no
metadata until it is stopped, and Slack ends one after some five minutes by itself. So whatever is not certain about a
stream, or does not go on in it, is left to edits of the same message (`adapters.slack.messages`), which show the whole.
"""

import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from slack_sdk.web.async_client import AsyncWebClient

from adapters.drafts import SLOT
from adapters.slack.api import StreamRefusedError
from adapters.slack.budget import CallBudget
from adapters.slack.lost import metadata_of, thread_of
from adapters.slack.pace import Pace
from adapters.slack.plan import Chunk, Plan
from agent.errors import RateLimitedError
from agent.types import DeliveryRef, IncomingMessage, ThreadKey

log = logging.getLogger(__name__)

START, APPEND, STOP = "chat.startStream", "chat.appendStream", "chat.stopStream"
MOST_STARTS = 14
"""Streams that are begun in a minute: Slack takes some 20 a minute and workspace, and as many stops (tier 2)."""
MOST_APPENDS = 80
"""Of some 100 a minute (tier 4), the rest is for ends of answers."""
STREAMED = "draft:stream"
"""What deliveries note of a message while it is a stream: that of a draft (`adapters.drafts.is_draft`)."""


@dataclass(slots=True)
class Live:
    """A stream that this process began: what has been appended to it."""

    ref: DeliveryRef
    slot: str = SLOT
    plan: Plan = field(default_factory=Plan)
    text: str = ""
    sure: bool = True
    """Whether that is all: False while a call is under way, and after one of which nobody knows what came of it."""


class Streams:
    """The streams of one workspace."""

    def __init__(self, client: AsyncWebClient, pace: Pace, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._client = client
        self._pace = pace
        self._starts = CallBudget(MOST_STARTS, clock)
        self._appends = CallBudget(MOST_APPENDS, clock)
        self.refused = False
        """Whether this workspace has no streams."""

    def has_room(self, message: IncomingMessage, place: ThreadKey) -> bool:
        """Tell whether a stream may be begun for a message: it hangs in a thread, somebody is shown it."""
        if self.refused or thread_of(place) is None or not message.author.id:
            return False
        if any(self._pace.closed(method) > 0 for method in (START, APPEND, STOP)):
            return False
        return self._starts.pause() == self._appends.pause() == 0

    async def start(self, message: IncomingMessage, place: ThreadKey, chunks: Sequence[Chunk]) -> DeliveryRef:
        """Begin a stream in a thread, shown as it grows to the author of a message.

        Raises StreamRefusedError where there is none, RateLimitedError at once, and what else Slack says.
        """
        self._starts.spend()

        async def attempt() -> DeliveryRef:
            answer = await self._client.chat_startStream(
                channel=place.channel_id,
                thread_ts=str(thread_of(place)),
                recipient_user_id=message.author.id,
                recipient_team_id=place.workspace_id,
                task_display_mode="plan",
                chunks=list(chunks),
            )
            return DeliveryRef(channel_id=str(answer["channel"]), message_id=str(answer["ts"]))

        try:
            return await self._pace.call(START, place.channel_id, attempt, patient=False)
        except StreamRefusedError as error:
            if error.everywhere and not self.refused:
                self.refused = True
                log.info("Slack streams nothing here; messages are edited: %s", error, extra={"action": "slack_edited"})
            raise

    async def append(self, live: Live, chunks: Sequence[Chunk], *, patient: bool = False) -> None:
        """Append to a stream. Whatever goes wrong, but for a limit, leaves it unsure.

        Impatient: RateLimitedError at once, also when few appends are left.
        """
        if not patient and (pause := self._appends.pause()) > 0:
            raise RateLimitedError("Slack's appends are left to the ends of answers.", retry_after=pause)

        async def attempt() -> None:
            self._appends.spend()
            await self._client.chat_appendStream(
                channel=live.ref.channel_id, ts=live.ref.message_id, chunks=list(chunks)
            )

        await self._surely(live, lambda: self._pace.call(APPEND, "", attempt, patient=patient))

    async def stop(
        self,
        live: Live,
        chunks: Sequence[Chunk],
        blocks: Sequence[dict[str, Any]],
        turn_id: str,
        *,
        patient: bool = True,
    ) -> None:
        """End a stream, with what is left to append and what stands at its bottom."""

        async def attempt() -> None:
            await self._client.chat_stopStream(
                channel=live.ref.channel_id,
                ts=live.ref.message_id,
                chunks=list(chunks) or None,
                blocks=list(blocks) or None,
                metadata=metadata_of(turn_id, live.slot),
            )

        await self._surely(live, lambda: self._pace.call(STOP, "", attempt, patient=patient))

    async def close(self, ref: DeliveryRef, *, patient: bool = True) -> None:
        """Stop a message from being a stream, as it is; one that is none is fine. Impatient: a limit is raised."""

        async def attempt() -> None:
            await self._client.chat_stopStream(channel=ref.channel_id, ts=ref.message_id)

        try:
            await self._pace.call(STOP, "", attempt, patient=patient)
        except StreamRefusedError as error:  # over already
            log.info("A stream was over: %s", error, extra={"action": "slack_stream_over"})

    @staticmethod
    async def _surely(live: Live, call: Callable[[], Awaitable[None]]) -> None:
        live.sure = False
        try:
            await call()
        except RateLimitedError:  # it was not done, for certain
            live.sure = True
            raise
        live.sure = True


def text_chunk(text: str) -> list[Chunk]:
    """Return a text as what is appended; nothing for none."""
    return [{"type": "markdown_text", "text": text}] if text else []
