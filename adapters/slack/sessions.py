"""Slack's agent view: suggested prompts, and sessions with a title, a state and a Stop button.

https://docs.slack.dev/ai/agent-sessions, https://docs.slack.dev/ai/migrating-to-agent-messaging. An app that is not
declared an agent has none of it: the first refusal is remembered.
"""

import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from slack_sdk.web.async_client import AsyncWebClient

from adapters.slack.budget import CallBudget
from adapters.slack.lost import thread_of
from adapters.slack.pace import Pace
from agent.errors import DeliveryError, GoneError, RateLimitedError, UnreachableError
from agent.text import clipped, normalise
from agent.types import IncomingMessage, ThreadKey

log = logging.getLogger(__name__)

SESSION, PROMPTS = "agents.sessions.setStatus", "assistant.threads.setSuggestedPrompts"
MOST_PROMPTS = 4
_TITLE = 200
_PROMPT_TITLE = 75
_MOST = 20
"""Sessions begun in a minute: a method of 50 calls (tier 3), of which each takes two."""


class Sessions:
    """The sessions of one workspace."""

    def __init__(self, client: AsyncWebClient, pace: Pace) -> None:
        self._client = client
        self._pace = pace
        self._begun = CallBudget(_MOST)
        self._open: set[ThreadKey] = set()
        self._since = time.time()
        self.refused = False
        """Whether the app is no agent in this workspace."""

    async def begin(self, message: IncomingMessage, place: ThreadKey) -> None:
        """Tell that the thread in which a message is answered is worked on, under the question as its title."""
        thread = thread_of(place)
        if self.refused or thread is None or place in self._open or self._begun.pause() > 0:
            return
        if self._pace.closed(SESSION) > 0:
            return
        self._begun.spend()
        session: dict[str, Any] = {"initiator_user_id": message.author.id} if message.author.id else {}
        if title := clipped(normalise(message.text), _TITLE):
            session["title"] = title
        if await self._set(place, "processing", patient=False, **session):
            self._open.add(place)

    async def over(self, message: IncomingMessage, place: ThreadKey) -> None:
        """Tell that a message is not worked on any more, where this process, or one before it, told that it is."""
        await self.end(place, always=message.received_at < self._since)

    async def end(self, key: ThreadKey, *, always: bool = False) -> None:
        """Tell that a thread is not worked on any more, where that was told before, or `always`."""
        if key in self._open or (always and not self.refused and thread_of(key) is not None):
            self._open.discard(key)
            await self._set(key, "active", patient=True)

    async def _set(self, key: ThreadKey, status: str, *, patient: bool, **more: Any) -> bool:
        async def attempt() -> None:
            await self._client.agents_sessions_setStatus(
                channel_id=key.channel_id, thread_ts=thread_of(key), status=status, **more
            )

        return await self._tried(SESSION, key.channel_id, attempt, patient=patient)

    async def suggest(self, channel: str, prompts: Sequence[str], *, title: str, thread: str = "") -> None:
        """Offer questions to begin with."""
        shown = [{"title": clipped(each, _PROMPT_TITLE), "message": each} for each in prompts[:MOST_PROMPTS]]
        if not shown:
            return

        async def attempt() -> None:
            await self._client.assistant_threads_setSuggestedPrompts(
                channel_id=channel, thread_ts=thread or None, title=title, prompts=shown
            )

        await self._tried(PROMPTS, channel, attempt, patient=True)

    async def _tried(self, method: str, channel: str, attempt: Callable[[], Awaitable[None]], *, patient: bool) -> bool:
        """Call; False where it was not taken: what only shows a state is worth no more than a line in the log."""
        try:
            await self._pace.call(method, channel, attempt, patient=patient)
        except (RateLimitedError, UnreachableError, GoneError) as error:
            log.info("A session was not shown: %s", error, extra={"action": "slack_session_unshown"})
            return False
        except DeliveryError as error:
            self.refused = self.refused or method == SESSION
            log.info("Slack shows no sessions here: %s", error, extra={"action": "slack_sessionless"})
            return False
        return True
