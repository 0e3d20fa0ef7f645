"""Messages of ours in Slack: posted once, edited, deleted."""

import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

from slack_sdk.web.async_client import AsyncWebClient

from adapters.contract import Deliveries
from adapters.delivery import edit_once, post_once
from adapters.drafts import SLOT, digest_of_draft, is_draft
from adapters.slack.api import EditClosedError, StreamingError
from adapters.slack.asides import Asides
from adapters.slack.budget import LISTS, CallBudget
from adapters.slack.lost import Lost, metadata_of, thread_of
from adapters.slack.pace import Pace
from adapters.slack.render import Post
from adapters.slack.sessions import Sessions
from adapters.slack.streams import Streams
from agent.errors import DeliveryError, GoneError, RateLimitedError, UnreachableError
from agent.types import DeliveryRef, ThreadKey

log = logging.getLogger(__name__)

Look = Callable[[], Awaitable[DeliveryRef | None]]

_PART = "part"
"""What deliveries note of a stream that holds a part of an answer for good, below a plan that is to go."""
ALT_LIMIT = 1000
"""Characters of a file's description (docs.slack.dev, files.getUploadURLExternal: `alt_txt`)."""


class Messages:
    """What Weft writes in Slack."""

    def __init__(self, client: AsyncWebClient, pace: Pace) -> None:
        self._client = client
        self._pace = pace
        self._lost = Lost(client, self._pace)
        self._edits = CallBudget()
        self._lists = CallBudget(LISTS)
        self.asides = Asides(client, self._pace)
        self.streams = Streams(client, self._pace)
        self.sessions = Sessions(client, self._pace)
        self.opens_sources = False
        """Whether there is somebody who opens passages for who asks to see them."""
        self.edits_closed = False
        """Whether the workspace was found to forbid edits: of a message that was minutes old."""

        self._parts: set[DeliveryRef] = set()
        """Parts of answers that may not be edited any more; there are few, of workspaces that forbid it."""
        self.plain_markdown = False
        """Whether the workspace was found not to know tables, or what stands below an answer to be pressed."""

    def known_as(self, user: str) -> None:
        """Take the user id under which Weft writes."""
        self._lost.own_id = user

    def begin_list(self) -> None:
        """Count a list that is about to be posted. Raises RateLimitedError where few edits are left to end it."""
        if (pause := max(self._lists.pause(), self._edits.pause(), self._pace.closed("chat.update"))) > 0:
            raise RateLimitedError("Slack's edits are left to what stands there already.", retry_after=pause)
        self._lists.spend()

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
            return await self._lost.message(deliveries, key, turn_id, slot, since)

        async def posted() -> DeliveryRef | None:  # a stream would not show this
            return await self._lost.message(deliveries, key, turn_id, slot, since, streamed=False)

        async def send() -> DeliveryRef:
            return await self._post(key, post, turn_id, slot, patient=patient, look=posted)

        async def edit(ref: DeliveryRef) -> None:
            try:
                await self._update(ref, post, turn_id, slot, patient=patient)
            except EditClosedError:
                if not must_show:
                    self.edits_closed = True
                    return
                known = await deliveries.get(turn_id, slot)
                if known is not None and (is_draft(known) or ref in self._parts):
                    await self.delete(ref)
                raise  # `post_once` sends it anew

        return await post_once(deliveries, turn_id, slot, post.digest, send=send, edit=edit, find=find)

    async def end(
        self, deliveries: Deliveries, turn_id: str, slot: str, key: ThreadKey, post: Post, *, since: str
    ) -> None:
        """Bring a message to its last content where it is there; one that may not be edited any more is deleted."""

        async def find() -> DeliveryRef | None:
            return await self._lost.message(deliveries, key, turn_id, slot, since)

        async def edit(ref: DeliveryRef) -> None:
            try:
                await self._update(ref, post, turn_id, slot, patient=True)
            except EditClosedError:
                self.edits_closed = True
                await self.delete(ref)
                raise

        await edit_once(deliveries, turn_id, slot, post.digest, edit=edit, find=find)

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
        pause = max(self._edits.pause(), self._pace.closed("chat.update"))
        if not urgent and pause > 0:
            raise RateLimitedError("Slack's edits are left to the answers.", retry_after=pause)

        async def send() -> DeliveryRef:
            if known is not None:
                raise DeliveryError("Whether the draft of the answer was posted is not known.")
            try:
                return await self._post(key, post, turn_id, SLOT, patient=False)
            except DeliveryError as error:
                if not isinstance(error, UnreachableError):  # it is not there, for certain
                    await deliveries.forget(turn_id, SLOT)
                raise

        async def edit(ref: DeliveryRef) -> None:
            try:
                await self._update(ref, post, turn_id, SLOT, patient=False)
            except GoneError as error:
                self.edits_closed = self.edits_closed or isinstance(error, EditClosedError)
                raise DeliveryError("The draft of the answer cannot be edited any more.") from error

        async def find() -> DeliveryRef | None:
            return await self._lost.message(deliveries, key, turn_id, SLOT, since, patient=False)

        await post_once(deliveries, turn_id, SLOT, digest, send=send, edit=edit, find=find)

    async def leave(self, deliveries: Deliveries, turn_id: str, slot: str, ref: DeliveryRef, post: Post) -> None:
        """Let a stream that Slack ended stand as this part of an answer, without its plan where that can be at once.

        In the end it is brought to this once more, unless the workspace forbids edits: it shows the text already.
        """
        digest = post.digest
        try:
            await self._update(ref, post, turn_id, slot, patient=False)
        except EditClosedError:
            self.edits_closed = True
            self._parts.add(ref)
        except DeliveryError as error:
            log.info("The plan of a part of an answer stays for now: %s", error, extra={"action": "slack_plan_stays"})
            digest = _PART
        await deliveries.record(turn_id, slot, ref, digest)

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
            return await self._lost.file(key, name)

        async def replace(ref: DeliveryRef) -> None:
            await self.delete_file(ref)
            raise GoneError

        async def send() -> DeliveryRef:
            return await self._upload(key, name, content, shows, look=find)

        await post_once(deliveries, turn_id, slot, digest, send=send, edit=replace, find=find)

    async def settle(self, ref: DeliveryRef, post: Post) -> None:
        """Let a message show this from now on; whose turn it belongs to stays as it was."""
        await self._pace.call(
            "chat.update",
            ref.channel_id,
            lambda: self._client.chat_update(
                channel=ref.channel_id, ts=ref.message_id, text=post.text, blocks=list(post.blocks)
            ),
        )

    async def delete(self, ref: DeliveryRef) -> None:
        """Delete a message; one that is gone already is fine."""

        async def attempt() -> None:
            await self._client.chat_delete(channel=ref.channel_id, ts=ref.message_id)

        await self._stopped(ref, lambda: self._gone_is_fine("chat.delete", attempt))

    async def delete_file(self, ref: DeliveryRef) -> None:
        """Delete a file; one that is gone already is fine."""
        await self._gone_is_fine("files.delete", lambda: self._client.files_delete(file=ref.message_id))

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
                        lost.file(key, name) if is_file else lost.message(deliveries, key, turn_id, slot, since)
                    )
            if ref is not None:
                await (self.delete_file(ref) if is_file else self.delete(ref))
            await deliveries.forget(turn_id, slot)

    async def _gone_is_fine(self, method: str, attempt: Callable[[], Awaitable[object]]) -> None:
        try:
            await self._pace.call(method, "", attempt)
        except GoneError:
            log.info("A message to delete was not there any more.", extra={"action": "slack_delete_gone"})

    async def _post(
        self, key: ThreadKey, post: Post, turn_id: str, slot: str, *, patient: bool, look: Look | None = None
    ) -> DeliveryRef:
        async def attempt() -> DeliveryRef:
            response = await self._client.chat_postMessage(
                channel=key.channel_id,
                thread_ts=thread_of(key),
                unfurl_links=False,
                unfurl_media=False,
                **_content(post, turn_id, slot),
            )
            return DeliveryRef(channel_id=str(response["channel"]), message_id=str(response["ts"]))

        return await self._pace.call("chat.postMessage", key.channel_id, attempt, patient=patient, look=look)

    async def _update(self, ref: DeliveryRef, post: Post, turn_id: str, slot: str, *, patient: bool) -> None:
        async def attempt() -> None:
            self._edits.spend()
            await self._client.chat_update(
                channel=ref.channel_id, ts=ref.message_id, **_content(post, turn_id, slot, edit=True)
            )

        async def update() -> None:
            await self._pace.call("chat.update", ref.channel_id, attempt, patient=patient)

        await self._stopped(ref, update, patient=patient)

    async def _stopped(
        self, ref: DeliveryRef, change: Callable[[], Awaitable[object]], *, patient: bool = True
    ) -> None:
        """Change a message that may still be a stream: of a process that died, or whose end was lost."""
        try:
            await change()
        except StreamingError:
            await self.streams.close(ref, patient=patient)
            await change()

    async def _upload(self, key: ThreadKey, name: str, content: bytes, shows: str, *, look: Look) -> DeliveryRef:
        async def attempt() -> DeliveryRef:
            response = await self._client.files_upload_v2(
                filename=name,
                title=name,
                content=content,
                alt_txt=shows[:ALT_LIMIT] or None,
                channel=key.channel_id,
                thread_ts=thread_of(key),
            )
            return DeliveryRef(channel_id=key.channel_id, message_id=str(response["files"][0]["id"]))

        return await self._pace.call("files.completeUploadExternal", key.channel_id, attempt, look=look)


def _content(post: Post, turn_id: str, slot: str, *, edit: bool = False) -> dict[str, Any]:
    """Return the arguments that posting and editing share; nothing in a text is turned into a mention."""
    content: dict[str, Any] = {
        "text": post.text,
        "parse": "none",
        "link_names": False,
        "metadata": metadata_of(turn_id, slot),
    }
    if post.blocks or edit:
        content["blocks"] = list(post.blocks)
    return content
