"""Messages of ours in Slack: posted once, found again after a crash, edited, deleted."""

import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar

from slack_sdk.web.async_client import AsyncWebClient

from adapters.contract import Deliveries
from adapters.delivery import post_once
from adapters.slack.api import EditClosedError, patiently, slack_errors
from adapters.slack.render import Post
from agent.errors import DeliveryError, GoneError, UnreachableError
from agent.types import DeliveryRef, ThreadKey

log = logging.getLogger(__name__)

T = TypeVar("T")

_EVENT_TYPE = "weft_turn"
ALT_LIMIT = 1000
"""Characters of a file's description (docs.slack.dev, files.getUploadURLExternal: `alt_txt`)."""
_PAGES = 5  # of 200 messages each, that are searched for a message whose confirmation was lost


class Messages:
    """What Weft writes in Slack."""

    def __init__(self, client: AsyncWebClient, *, retry_pause: float) -> None:
        self._client = client
        self._pause = retry_pause
        self.own_id = ""
        """The user id under which Weft writes, known once connected."""

    async def deliver(
        self,
        deliveries: Deliveries,
        turn_id: str,
        slot: str,
        key: ThreadKey,
        post: Post,
        *,
        since: str,
        patient: bool = True,
        must_show: bool = True,
    ) -> DeliveryRef:
        """Bring the message of a slot to this content.

        Impatient: a rate limit is raised, not waited for. Where edits are forbidden, what must be shown is
        sent anew, and the rest stays as it was.
        `since` is the time stamp of the question: a lost message is looked for after it.
        """

        async def find() -> DeliveryRef | None:
            return await self._find(key, turn_id, slot, since)

        async def send() -> DeliveryRef:
            return await self._tried(lambda: self._post(key, post, turn_id, slot), patient, look=find)

        async def edit(ref: DeliveryRef) -> None:
            try:
                await self._tried(lambda: self._update(ref, post, turn_id, slot), patient)
            except EditClosedError:
                if must_show:
                    raise  # `post_once` sends it anew

        return await post_once(deliveries, turn_id, slot, post.digest, send=send, edit=edit, find=find)

    async def upload(
        self,
        deliveries: Deliveries,
        turn_id: str,
        slot: str,
        key: ThreadKey,
        name: str,
        content: bytes,
        digest: str,
        *,
        shows: str = "",
    ) -> None:
        """Bring a file into the thread once; another content replaces it. `shows` is what is on it, in words."""

        async def find() -> DeliveryRef | None:
            return await self._find_file(key, name)

        async def replace(ref: DeliveryRef) -> None:
            await self.delete_file(ref)
            raise GoneError

        async def send() -> DeliveryRef:
            return await self._tried(lambda: self._upload(key, name, content, shows), patient=True, look=find)

        await post_once(deliveries, turn_id, slot, digest, send=send, edit=replace, find=find)

    async def settle(self, ref: DeliveryRef, post: Post) -> None:
        """Let a message show this from now on; whose turn it belongs to stays as it was."""

        async def attempt() -> None:
            with slack_errors("chat.update"):
                await self._client.chat_update(
                    channel=ref.channel_id, ts=ref.message_id, text=post.text, blocks=list(post.blocks)
                )

        await patiently(attempt, pause=self._pause)

    async def delete(self, ref: DeliveryRef) -> None:
        """Delete a message; one that is gone already is fine."""

        async def attempt() -> None:
            with slack_errors("chat.delete"):
                await self._client.chat_delete(channel=ref.channel_id, ts=ref.message_id)

        await self._gone_is_fine(attempt)

    async def delete_file(self, ref: DeliveryRef) -> None:
        """Delete a file; one that is gone already is fine."""

        async def attempt() -> None:
            with slack_errors("files.delete"):
                await self._client.files_delete(file=ref.message_id)

        await self._gone_is_fine(attempt)

    async def erase(self, deliveries: Deliveries, turn_id: str, key: ThreadKey, *, since: str) -> None:
        """Delete all that was posted for a turn, a message whose confirmation was lost too."""
        for slot, delivery in list(await deliveries.slots(turn_id)):
            name = slot.removeprefix("file:")
            is_file = name != slot
            ref = delivery.ref
            if ref is None:
                with suppress(GoneError):
                    ref = await (self._find_file(key, name) if is_file else self._find(key, turn_id, slot, since))
            if ref is not None:
                await (self.delete_file(ref) if is_file else self.delete(ref))
            await deliveries.forget(turn_id, slot)

    async def _tried(
        self,
        attempt: Callable[[], Awaitable[T]],
        patient: bool,
        look: Callable[[], Awaitable[T | None]] | None = None,
    ) -> T:
        if patient:
            return await patiently(attempt, pause=self._pause, look=look)
        return await attempt()

    async def _gone_is_fine(self, attempt: Callable[[], Awaitable[None]]) -> None:
        try:
            await patiently(attempt, pause=self._pause)
        except GoneError:
            log.info("A message to delete was not there any more.", extra={"action": "slack_delete_gone"})

    async def _post(self, key: ThreadKey, post: Post, turn_id: str, slot: str) -> DeliveryRef:
        with slack_errors("chat.postMessage"):
            response = await self._client.chat_postMessage(
                channel=key.channel_id,
                thread_ts=thread_of(key),
                unfurl_links=False,
                unfurl_media=False,
                **_content(post, turn_id, slot),
            )
        return DeliveryRef(channel_id=str(response["channel"]), message_id=str(response["ts"]))

    async def _update(self, ref: DeliveryRef, post: Post, turn_id: str, slot: str) -> None:
        with slack_errors("chat.update"):
            await self._client.chat_update(
                channel=ref.channel_id, ts=ref.message_id, **_content(post, turn_id, slot, edit=True)
            )

    async def _upload(self, key: ThreadKey, name: str, content: bytes, shows: str) -> DeliveryRef:
        with slack_errors("files.completeUploadExternal"):
            response = await self._client.files_upload_v2(
                filename=name,
                title=name,
                content=content,
                alt_txt=shows[:ALT_LIMIT] or None,
                channel=key.channel_id,
                thread_ts=thread_of(key),
            )
        return DeliveryRef(channel_id=key.channel_id, message_id=str(response["files"][0]["id"]))

    async def _find(self, key: ThreadKey, turn_id: str, slot: str, since: str) -> DeliveryRef | None:
        def is_ours(message: Any) -> bool:
            metadata = message.get("metadata") or {}
            payload = metadata.get("event_payload") or {}
            return metadata.get("event_type") == _EVENT_TYPE and (payload.get("turn_id"), payload.get("slot")) == (
                turn_id,
                slot,
            )

        message = await self._search(key, since, is_ours)
        return DeliveryRef(channel_id=key.channel_id, message_id=str(message["ts"])) if message else None

    async def _find_file(self, key: ThreadKey, name: str) -> DeliveryRef | None:
        def has_it(message: Any) -> bool:
            return message.get("user") == self.own_id and any(
                file.get("name") == name for file in message.get("files") or ()
            )

        message = await self._search(key, key.thread_id if thread_of(key) else "", has_it)
        if message is None:
            return None
        file = next(file for file in message["files"] if file.get("name") == name)
        return DeliveryRef(channel_id=key.channel_id, message_id=str(file["id"]))

    async def _search(self, key: ThreadKey, since: str, wanted: Callable[[Any], bool]) -> Any | None:
        """Return the first wanted message that the thread holds; None when Weft may not look there."""
        cursor = ""
        for _ in range(_PAGES):
            try:
                page = await patiently(partial(self._page, key, since, cursor), pause=self._pause)
            except (UnreachableError, GoneError):
                raise
            except DeliveryError as error:  # a missing scope, say: rather a second message than none
                log.warning("A thread could not be searched: %s", error, extra={"action": "slack_search_refused"})
                return None
            for message in page.get("messages") or ():
                if wanted(message):
                    return message
            cursor = (page.get("response_metadata") or {}).get("next_cursor") or ""
            if not cursor:
                return None
        return None

    async def _page(self, key: ThreadKey, since: str, cursor: str) -> Any:
        window: dict[str, Any] = {
            "oldest": since or None,
            "limit": 200,
            "cursor": cursor or None,
            "include_all_metadata": True,
        }
        thread = thread_of(key)
        if thread is None:
            with slack_errors("conversations.history"):
                return await self._client.conversations_history(channel=key.channel_id, **window)
        with slack_errors("conversations.replies"):
            return await self._client.conversations_replies(channel=key.channel_id, ts=thread, **window)


def thread_of(key: ThreadKey) -> str | None:
    """Return where replies hang; None for a direct message that is one conversation, or for no thread yet."""
    return key.thread_id if key.thread_id not in ("", key.channel_id) else None


def _content(post: Post, turn_id: str, slot: str, *, edit: bool = False) -> dict[str, Any]:
    """Return the arguments that posting and editing share; nothing in a text is turned into a mention."""
    content: dict[str, Any] = {
        "text": post.text,
        "parse": "none",
        "link_names": False,
        "metadata": {"event_type": _EVENT_TYPE, "event_payload": {"turn_id": turn_id, "slot": slot}},
    }
    if post.blocks or edit:
        content["blocks"] = list(post.blocks)
    return content
