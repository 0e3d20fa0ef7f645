"""Messages read again from Slack, because a question points at them. Nothing of them is kept."""

import asyncio
from collections.abc import Sequence
from typing import Any

from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from adapters.contract import Excerpt
from adapters.slack.names import Names
from adapters.slack.pace import Pace
from adapters.slack.parse import Identity, permalink
from adapters.slack.pointing import is_written, people_of, said_of, shared_in
from agent.errors import DeliveryError, RateLimitedError, UnreadableError
from agent.types import IncomingMessage, MessageKind, Pointer, Said

PAGE, LARGE_PAGE = 200, 999
"""Messages of the first page, and of those after it. Slack allows fewer than 1,000, and 15 to apps that are sold
outside its marketplace (docs.slack.dev, conversations.replies)."""
PAGES = 6
"""Of one thread that are read: some 5,000 messages."""
CHANNEL = 50
"""Messages that are read of a channel where there is no thread."""
RECENT = 24 * 3600.0
"""Seconds before a question in which what was said in its channel may be meant."""
MEMBER_PAGES = 10
"""Of the members of a channel, 1,000 each, among whom the asker is looked for."""
LONGEST_WAIT = 3.0
"""Seconds that a limit of Slack's is waited for, once in a reading."""
_CLOSED = frozenset(("missing_scope", "not_in_channel", "channel_not_found", "no_permission", "access_denied"))
_GONE = frozenset(("thread_not_found", "message_not_found"))

Json = dict[str, Any]


class History:
    """Reads threads, channels and single messages, with the names of who wrote them."""

    def __init__(self, client: AsyncWebClient, names: Names, pace: Pace) -> None:
        self._client = client
        self._pace = pace
        self._names = names

    async def around(self, message: IncomingMessage, me: Identity, *, most: int, patient: bool = True) -> Excerpt:
        """Return what was written before a message where it stands. Raises UnreadableError."""
        key = message.key
        if message.private or message.kind in (MessageKind.COMMAND, MessageKind.SHORTCUT):
            return Excerpt()
        if key.thread_id != message.message_id:
            found, cut = await self._thread(key.channel_id, key.thread_id, latest=message.message_id, patient=patient)
        else:
            oldest = f"{float(message.message_id) - RECENT:.6f}"
            wanted = {
                "channel": key.channel_id,
                "oldest": oldest,
                "latest": message.message_id,
                "limit": min(most, CHANNEL),
            }
            answer = await self._ask("conversations.history", wanted, patient=patient)
            found, cut = list(reversed(answer.get("messages") or [])), False
        before = [each for each in self._others(found, me) if float(each["ts"]) < float(message.message_id)]
        kept, left = _bounded(before, most)
        return Excerpt(said=await self._said(kept, key.channel_id, me), cut=cut or left)

    async def pointed_at(self, message: IncomingMessage, pointer: Pointer, me: Identity, *, most: int) -> Excerpt:
        """Return what a message points at. Raises UnreadableError."""
        if pointer.kind == "forward":
            return await self._forwarded(pointer, me)
        here = pointer.channel_id == message.key.channel_id
        everybody = here or await self._open_to(message, pointer.channel_id)
        root = pointer.thread_id or pointer.message_id
        found, cut = await self._thread(pointer.channel_id, root)
        others = [each for each in self._others(found, me) if each.get("ts") != message.message_id]
        if not any(each.get("ts") == pointer.message_id for each in others):
            raise UnreadableError("The message that is linked to is not there.", reason="gone")
        kept, left = _bounded(others, most, also=pointer.message_id)
        said = await self._said(kept, pointer.channel_id, me)
        return Excerpt(said=said, target=(pointer.message_id,), cut=cut or left, here=here, open=everybody)

    async def _forwarded(self, pointer: Pointer, me: Identity) -> Excerpt:
        """Return what a message holds as shared: whoever reads the message has read it."""
        root, ts = pointer.thread_id or pointer.message_id, pointer.message_id
        wanted = {"channel": pointer.channel_id, "ts": root, "oldest": ts, "latest": ts, "inclusive": True, "limit": 2}
        answer = await self._ask("conversations.replies", wanted)
        own = next((each for each in answer.get("messages") or () if each.get("ts") == ts), None)
        if own is None:
            raise UnreadableError("The message is not there any more.", reason="gone")
        shared = tuple(shared_in(own, await self._names.of(people_of([own])), own_id=me.user_id))
        if not shared:
            raise UnreadableError("Nothing of what was shared can be read.", reason="gone")
        return Excerpt(said=shared, target=tuple(each.id for each in shared))

    async def _open_to(self, message: IncomingMessage, channel: str) -> bool:
        """Tell whether everybody of the workspace may see a channel.

        Raises UnreadableError where its author is not in that channel.
        """
        cursor = ""
        for _ in range(MEMBER_PAGES):
            page = await self._ask("conversations.members", {"channel": channel, "limit": 1000, "cursor": cursor})
            if message.author.id in (page.get("members") or ()):
                about = await self._about(channel)
                return bool(about.get("is_channel")) and not about.get("is_private", True)
            cursor = str((page.get("response_metadata") or {}).get("next_cursor") or "")
            if not cursor:
                break
        raise UnreadableError("The asker is not in that channel.", reason="elsewhere")

    async def _about(self, channel: str) -> Json:
        return dict((await self._ask("conversations.info", {"channel": channel})).get("channel") or {})

    async def _thread(
        self, channel: str, root: str, *, latest: str = "", patient: bool = True
    ) -> tuple[list[Json], bool]:
        """Return the messages of a thread, oldest first, and whether there are more than were read."""
        out: list[Json] = []
        wanted: Json = {"channel": channel, "ts": root, "limit": PAGE, **({"latest": latest} if latest else {})}
        for _ in range(PAGES):
            try:
                page = await self._ask("conversations.replies", wanted, patient=patient)
            except UnreadableError as error:
                if out and error.reason == "away":  # what was read by then is better than nothing
                    return out, True
                raise
            out += page.get("messages") or []
            cursor = str((page.get("response_metadata") or {}).get("next_cursor") or "")
            if not cursor:
                return out, False
            wanted |= {"cursor": cursor, "limit": LARGE_PAGE}
        return out, True

    def _others(self, messages: Sequence[Json], me: Identity) -> list[Json]:
        """Return what somebody else than Weft wrote, each message once."""
        own = {me.user_id, me.bot_id} - {""}
        mine = {str(m.get("ts")): m for m in messages if is_written(m)}
        return [m for m in mine.values() if own.isdisjoint((m.get("user"), m.get("bot_id")))]

    async def _said(self, messages: Sequence[Json], channel: str, me: Identity) -> tuple[Said, ...]:
        names = await self._names.of_many(people_of(messages))
        out = []
        for each in messages:
            thread = str(each.get("thread_ts") or "")
            link = permalink(me, channel, str(each["ts"]), thread)
            out.append(said_of(each, names, place=channel, link=link, own_id=me.user_id))
        return tuple(each for each in out if each.text)

    async def _ask(self, method: str, wanted: Json, *, patient: bool = True) -> Json:
        """Call a method, at the pace of all; with patience a short limit is waited for once. Raises UnreadableError."""

        async def call() -> Json:
            return dict((await self._client.api_call(method, params=wanted)).data)  # type: ignore[arg-type]

        for waits in (patient, False):
            try:
                return await self._pace.call(method, "", call, patient=False)
            except RateLimitedError as error:
                pause = max(error.retry_after, self._pace.closed(method))
                if not waits or pause > LONGEST_WAIT:
                    raise UnreadableError(str(error), reason="away") from error
                await asyncio.sleep(pause)
            except DeliveryError as error:
                raise UnreadableError(str(error), reason=_reason(error)) from error
        raise AssertionError("the second try returns or raises")


def _reason(error: DeliveryError) -> Any:
    cause = error.__cause__
    code = str(cause.response.get("error")) if isinstance(cause, SlackApiError) else ""
    return "closed" if code in _CLOSED else "gone" if code in _GONE else "away"


def _bounded(messages: Sequence[Json], most: int, *, also: str = "") -> tuple[list[Json], bool]:
    """Return of too many messages the first, the latest, and one that is wanted besides; and whether any are left."""
    if len(messages) <= most:
        return list(messages), False
    latest = messages[len(messages) - most + 1 :]
    between = [each for each in messages[1 : len(messages) - most + 1] if also and each.get("ts") == also]
    return [messages[0], *between, *latest[len(between) :]], True
