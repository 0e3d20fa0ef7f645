"""Messages of ours whose confirmation was lost, found again in their thread."""

import logging
from collections.abc import Callable
from typing import Any

from slack_sdk.web.async_client import AsyncWebClient

from adapters.contract import Deliveries
from adapters.slack.pace import Pace
from agent.errors import DeliveryError, GoneError, UnreachableError
from agent.types import DeliveryRef, ThreadKey

log = logging.getLogger(__name__)

EVENT_TYPE = "weft_turn"
"""Of the metadata in which a message carries its turn and slot."""
ANSWER = "answer:"
"""How the slots of the messages of an answer begin; their number follows."""
_PAGES = 5  # of 200 messages each, that are searched for a message whose confirmation was lost


class Lost:
    """Looks for messages that Weft may have written."""

    def __init__(self, client: AsyncWebClient, pace: Pace) -> None:
        self._client = client
        self._pace = pace
        self.own_id = ""
        """The user id under which Weft writes, known once connected."""

    async def message(
        self,
        deliveries: Deliveries,
        key: ThreadKey,
        turn_id: str,
        slot: str,
        since: str,
        *,
        patient: bool = True,
        streamed: bool = True,
    ) -> DeliveryRef | None:
        """Return the message of a slot posted after `since`; None where there is none, or Weft may not look.

        A message of an answer may be a stream, which carries no metadata until it is stopped: in a thread nothing
        else of Weft's is without, but for streams that are known, also of questions that wait; not `streamed`: it is
        none. Impatient: raises DeliveryError where it cannot look at once.
        """
        streams: list[Any] = []

        def is_ours(message: Any) -> bool:
            metadata = message.get("metadata") or {}
            own = own_id and message.get("user") == own_id
            if own and not metadata and not message.get("files"):
                streams.append(message)
            payload = metadata.get("event_payload") or {}
            return metadata.get("event_type") == EVENT_TYPE and (payload.get("turn_id"), payload.get("slot")) == (
                turn_id,
                slot,
            )

        own_id = self.own_id if streamed and slot.startswith(ANSWER) and thread_of(key) is not None else ""
        found = await self._search(key, since, is_ours, patient)
        for each in [found] if found else streams:
            ref = DeliveryRef(channel_id=key.channel_id, message_id=str(each["ts"]))
            if found or await deliveries.turn_of(ref) is None:
                return ref
        return None

    async def file(self, key: ThreadKey, name: str) -> DeliveryRef | None:
        """Return a file of this name that Weft uploaded to the thread."""

        def has_it(message: Any) -> bool:
            return message.get("user") == self.own_id and any(
                file.get("name") == name for file in message.get("files") or ()
            )

        message = await self._search(key, key.thread_id if thread_of(key) else "", has_it, patient=True)
        if message is None:
            return None
        file = next(file for file in message["files"] if file.get("name") == name)
        return DeliveryRef(channel_id=key.channel_id, message_id=str(file["id"]))

    async def _search(self, key: ThreadKey, since: str, wanted: Callable[[Any], bool], patient: bool) -> Any | None:
        """Return the first wanted message that the thread holds."""
        cursor = ""
        for _ in range(_PAGES):
            try:
                page = await self._page(key, since, cursor, patient)
            except (UnreachableError, GoneError):
                raise
            except DeliveryError as error:  # a missing scope, say: rather a second message than none
                if not patient:
                    raise
                log.warning("A thread could not be searched: %s", error, extra={"action": "slack_search_refused"})
                return None
            for message in page.get("messages") or ():
                if wanted(message):
                    return message
            cursor = (page.get("response_metadata") or {}).get("next_cursor") or ""
            if not cursor:
                return None
        return None

    async def _page(self, key: ThreadKey, since: str, cursor: str, patient: bool) -> Any:
        window: dict[str, Any] = {
            "oldest": since or None,
            "limit": 200,
            "cursor": cursor or None,
            "include_all_metadata": True,
        }
        thread, client, place = thread_of(key), self._client, key.channel_id
        if thread is None:
            return await self._pace.call(
                "conversations.history",
                place,
                lambda: client.conversations_history(channel=place, **window),
                patient=patient,
            )
        return await self._pace.call(
            "conversations.replies",
            place,
            lambda: client.conversations_replies(channel=place, ts=thread, **window),
            patient=patient,
        )


def metadata_of(turn_id: str, slot: str) -> dict[str, Any]:
    """Return what a message carries, by which it is found again."""
    return {"event_type": EVENT_TYPE, "event_payload": {"turn_id": turn_id, "slot": slot}}


def thread_of(key: ThreadKey) -> str | None:
    """Return where replies hang; None for a direct message that is one conversation, or for no thread yet."""
    return key.thread_id if key.thread_id not in ("", key.channel_id) else None
