"""What Weft shows in Slack besides its messages: to one person alone, or for a moment."""

import logging
from collections.abc import Sequence
from typing import Any

from slack_sdk.web.async_client import AsyncWebClient

from adapters.slack.lost import thread_of
from adapters.slack.pace import Pace
from adapters.slack.render import Post
from agent.errors import DeliveryError, GoneError, RateLimitedError, UnreachableError
from agent.types import ThreadKey

log = logging.getLogger(__name__)

STATUS = "assistant.threads.setStatus"
"""In any thread, with the scope chat:write (https://docs.slack.dev/reference/methods/assistant.threads.setStatus)."""


class Asides:
    """Shown beside the messages of a turn."""

    def __init__(self, client: AsyncWebClient, pace: Pace) -> None:
        self._client = client
        self._pace = pace
        self._statusless = False

    async def status(self, key: ThreadKey, text: str) -> None:
        """Show what Weft is at in a thread, until it posts there; nothing where this workspace knows no such thing."""
        thread = thread_of(key)
        if thread is None or self._statusless:
            return
        shown = {"channel_id": key.channel_id, "thread_ts": thread, "status": text}
        try:
            await self._pace.call(
                STATUS, key.channel_id, lambda: self._client.api_call(STATUS, json=shown), patient=False
            )
        except (RateLimitedError, UnreachableError, GoneError):
            raise
        except DeliveryError as error:
            self._statusless = True
            log.info("Slack shows no status here: %s", error, extra={"action": "slack_statusless"})

    async def whisper(self, key: ThreadKey, user: str, posts: Sequence[Post]) -> None:
        """Show something to one person alone: where the question stands, else in a direct message."""
        for post in posts:
            try:
                await self.in_thread(key, user, [post])
            except GoneError:
                await self.directly(user, [post])

    async def in_thread(self, key: ThreadKey, user: str, posts: Sequence[Post]) -> None:
        """Show something to one person alone, in a thread. Raises GoneError where they or Weft are not in there."""
        for post in posts:
            await self._in_thread(key, user, _content(post))

    async def directly(self, user: str, posts: Sequence[Post]) -> None:
        """Write somebody direct messages."""
        for post in posts:
            await self._directly(user, _content(post))

    async def _in_thread(self, key: ThreadKey, user: str, content: dict[str, Any]) -> None:
        await self._pace.call(
            "chat.postEphemeral",
            key.channel_id,
            lambda: self._client.chat_postEphemeral(
                channel=key.channel_id, user=user, thread_ts=thread_of(key), **content
            ),
        )

    async def _directly(self, user: str, content: dict[str, Any]) -> None:
        """Post to a person, which opens the direct messages with them."""
        await self._pace.call(
            "chat.postMessage", user, lambda: self._client.chat_postMessage(channel=user, unfurl_links=False, **content)
        )


def _content(post: Post) -> dict[str, Any]:
    content: dict[str, Any] = {"text": post.text, "parse": "none", "link_names": False}
    if post.blocks:
        content["blocks"] = list(post.blocks)
    return content
