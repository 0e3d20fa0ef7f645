"""Messages of ours in Slack: posted once, edited, deleted."""

import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, TypeVar

from slack_sdk.web.async_client import AsyncWebClient

from adapters.contract import Deliveries
from adapters.delivery import post_once
from adapters.drafts import SLOT, digest_of_draft, is_draft
from adapters.slack.api import EditClosedError, patiently, slack_errors
from adapters.slack.budget import EditBudget
from adapters.slack.lost import EVENT_TYPE, Lost, thread_of
from adapters.slack.render import Post
from agent.errors import DeliveryError, GoneError, RateLimitedError, UnreachableError
from agent.types import DeliveryRef, ThreadKey

log = logging.getLogger(__name__)

T = TypeVar("T")

ALT_LIMIT = 1000
"""Characters of a file's description (docs.slack.dev, files.getUploadURLExternal: `alt_txt`)."""


class Messages:
    """What Weft writes in Slack."""

    def __init__(self, client: AsyncWebClient, *, retry_pause: float) -> None:
        self._client = client
        self._pause = retry_pause
        self._lost = Lost(client, retry_pause=retry_pause)
        self._edits = EditBudget()
        self.own_id = ""
        """The user id under which Weft writes, known once connected."""
        self.edits_closed = False
        """Whether the workspace was found to forbid edits: of a message that was minutes old."""

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
        sent anew, a draft in its place deleted, and the rest stays as it was.
        `since` is the time stamp of the question: a lost message is looked for after it.
        """

        async def find() -> DeliveryRef | None:
            return await self._lost.message(key, turn_id, slot, since)

        async def send() -> DeliveryRef:
            return await self._tried(lambda: self._post(key, post, turn_id, slot), patient, look=find)

        async def edit(ref: DeliveryRef) -> None:
            try:
                await self._tried(lambda: self._update(ref, post, turn_id, slot), patient)
            except EditClosedError:
                if not must_show:
                    self.edits_closed = True
                    return
                known = await deliveries.get(turn_id, slot)
                if known is not None and is_draft(known):
                    await self.delete(ref)
                raise  # `post_once` sends it anew

        return await post_once(deliveries, turn_id, slot, post.digest, send=send, edit=edit, find=find)

    async def draft(
        self, deliveries: Deliveries, turn_id: str, key: ThreadKey, post: Post, *, since: str, urgent: bool = False
    ) -> None:
        """Bring the first message of the answer to a draft, at once or not at all.

        Raises RateLimitedError, also when few edits are left and it is not urgent, and DeliveryError where there is
        nothing to edit any more, or no edit is taken: a draft is never sent anew, not even when its first post
        got no answer and is not found. By the time of the answer that is clearer.
        """
        known = await deliveries.get(turn_id, SLOT)
        digest = digest_of_draft(post.digest)
        if known is not None and known.digest == digest:
            return
        if not urgent and (pause := self._edits.pause()):
            raise RateLimitedError("Slack's edits are left to the answers.", retry_after=pause)

        async def send() -> DeliveryRef:
            if known is not None:
                raise DeliveryError("Whether the draft of the answer was posted is not known.")
            try:
                return await self._post(key, post, turn_id, SLOT)
            except DeliveryError as error:
                if not isinstance(error, UnreachableError):  # it is not there, for certain
                    await deliveries.forget(turn_id, SLOT)
                raise

        async def edit(ref: DeliveryRef) -> None:
            try:
                await self._update(ref, post, turn_id, SLOT)
            except GoneError as error:
                self.edits_closed = self.edits_closed or isinstance(error, EditClosedError)
                raise DeliveryError("The draft of the answer cannot be edited any more.") from error

        async def find() -> DeliveryRef | None:
            return await self._lost.message(key, turn_id, SLOT, since, patient=False)

        await post_once(deliveries, turn_id, SLOT, digest, send=send, edit=edit, find=find)

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
            return await self._lost.file(key, name, self.own_id)

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
                    lost = self._lost
                    ref = await (
                        lost.file(key, name, self.own_id) if is_file else lost.message(key, turn_id, slot, since)
                    )
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
        self._edits.spend()
        try:
            with slack_errors("chat.update"):
                await self._client.chat_update(
                    channel=ref.channel_id, ts=ref.message_id, **_content(post, turn_id, slot, edit=True)
                )
        except RateLimitedError as limit:
            self._edits.refused(limit.retry_after)
            raise

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


def _content(post: Post, turn_id: str, slot: str, *, edit: bool = False) -> dict[str, Any]:
    """Return the arguments that posting and editing share; nothing in a text is turned into a mention."""
    content: dict[str, Any] = {
        "text": post.text,
        "parse": "none",
        "link_names": False,
        "metadata": {"event_type": EVENT_TYPE, "event_payload": {"turn_id": turn_id, "slot": slot}},
    }
    if post.blocks or edit:
        content["blocks"] = list(post.blocks)
    return content
