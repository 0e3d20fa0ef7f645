"""Messages read again from Discord, because a question points at them. Nothing of them is kept."""

import json
from collections.abc import Awaitable, Mapping, Sequence
from typing import Any, TypeVar

import discord

from adapters.contract import Excerpt
from adapters.discord.errors import translated
from adapters.discord.parse import NO_GUILD, STANDS_IN, TARGET, to_markdown
from adapters.discord.pointing import STARTER, forwarded_in, is_written, names_in, said, seconds, words_of
from adapters.discord.rights import MANAGE_THREADS, is_open, permissions, reads
from agent.errors import DeliveryError, UnreadableError
from agent.types import IncomingMessage, Pointer, Said

T = TypeVar("T")
Json = dict[str, Any]

PAGE = 100
"""Messages of one call: Discord's limit (docs.discord.com, Get Channel Messages)."""
CHANNEL = 50
"""Messages that are read of a channel where there is no thread."""
RECENT = 24 * 3600.0
"""Seconds before a question in which what was said in its channel may be meant."""
_THREADS = (10, 11, 12)
_PRIVATE_THREAD = 12
_DIRECT = (1, 3)
_CLOSED = (50001, 50013)
"""No access to the channel, or not the permission to read its history."""


class History:
    """Reads threads, channels and single messages."""

    def __init__(self, client: discord.Client, me: int) -> None:
        self._client = client
        self._me = me

    async def around(self, message: IncomingMessage, *, most: int) -> Excerpt:
        """Return what was written before a message where it stands. Raises UnreadableError."""
        place = message.extra.get(STANDS_IN, "")
        if message.private or not place:
            return Excerpt()
        in_thread = place != message.key.channel_id
        found, cut = await self._before(place, message.message_id, most if in_thread else min(most, CHANNEL))
        if in_thread and cut:
            first = await self._first(message.key.channel_id, place)
            found = [*([first] if first else []), *found[-most + 1 :]]
        if not in_thread:
            since = message.received_at - RECENT
            found = [each for each in found if seconds(each.get("timestamp")) > since]
        self._check_words(found)
        return Excerpt(said=self._said(self._others(found), message.key.workspace_id), cut=cut and in_thread)

    async def pointed_at(self, message: IncomingMessage, pointer: Pointer, *, most: int) -> Excerpt:
        """Return what a message points at. Raises UnreadableError."""
        here, everybody, is_thread = True, True, False
        if pointer.channel_id != message.extra.get(STANDS_IN):
            here, everybody, is_thread = await self._readers(message, pointer)
        target = _sent_along(message, pointer) or await self._one(pointer)
        guild = message.key.workspace_id if pointer.workspace_id in ("", NO_GUILD) else pointer.workspace_id
        if pointer.kind == "forward":
            found: tuple[Said, ...] = tuple(self._snapshots(target, guild))
            ids = tuple(each.id for each in found)
        else:
            around, cut = [target], False
            if is_thread:
                around, cut = await self._before(pointer.channel_id, str(int(target["id"]) + 1), most)
            self._check_words([target])
            found, ids = self._said(self._others(around), guild), (str(target["id"]),)
            return Excerpt(said=found, target=ids, cut=cut, here=here, open=everybody)
        if not found:
            raise UnreadableError("What was forwarded holds no words.", reason="gone")
        return Excerpt(said=found, target=ids)

    async def _readers(self, message: IncomingMessage, pointer: Pointer) -> tuple[bool, bool, bool]:
        """Tell whether all who read along may read a linked channel, all of the server may, and it is a thread.

        Raises UnreadableError where its author may not.
        """
        refused = UnreadableError("The asker may not read that channel.", reason="elsewhere")
        channel: Json = {**await self._ask(self._client.http.get_channel(int(pointer.channel_id)))}
        if channel["type"] in _DIRECT or str(channel.get("guild_id")) != pointer.workspace_id:
            raise refused
        if not message.private and pointer.workspace_id != message.key.workspace_id:
            raise refused
        parent = channel
        if channel["type"] in _THREADS:
            parent = {**await self._ask(self._client.http.get_channel(int(channel["parent_id"])))}
        guild = await self._ask(self._client.http.get_guild(int(pointer.workspace_id)))
        asker = int(message.author.id or 0)
        try:
            member = await self._ask(self._client.http.get_member(int(pointer.workspace_id), asker))
        except UnreadableError as error:
            raise refused from error
        allowed = permissions(guild, parent, member)
        if not reads(allowed):
            raise refused
        private = channel["type"] == _PRIVATE_THREAD
        if private and not allowed & MANAGE_THREADS:
            try:
                await self._ask(self._client.http.get_thread_member(int(channel["id"]), asker))
            except UnreadableError as error:
                raise refused from error
        here = str(parent["id"]) == message.key.channel_id and not private
        return here, is_open(guild, parent) and not private, channel["type"] in _THREADS

    async def _one(self, pointer: Pointer) -> Json:
        return dict(await self._ask(self._client.http.get_message(int(pointer.channel_id), int(pointer.message_id))))

    async def _before(self, place: str, before: str, most: int) -> tuple[list[Json], bool]:
        """Return the latest messages of a place, oldest first, and whether there are more."""
        out: list[Json] = []
        while len(out) < most:
            wanted = min(PAGE, most - len(out))
            page = await self._ask(self._client.http.logs_from(int(place), wanted, before=int(before)))
            out += [dict(each) for each in page]
            if len(page) < wanted:
                return [_starter(each) for each in reversed(out)], False
            before = str(page[-1]["id"])
        return [_starter(each) for each in reversed(out)], True

    async def _first(self, channel: str, thread: str) -> Json | None:
        """Return the message that a thread was made from, or the first of a forum post: it has the thread's own id."""
        for place in (channel, thread):
            try:
                return dict(await self._ask(self._client.http.get_message(int(place), int(thread))))
            except UnreadableError as error:
                if error.reason == "away":
                    raise
        return None

    def _others(self, messages: Sequence[Json]) -> list[Json]:
        return [each for each in messages if is_written(each) and str(each["author"]["id"]) != str(self._me)]

    def _check_words(self, messages: Sequence[Json]) -> None:
        """Raise UnreadableError where Discord shows messages without their words: the content intent is off."""
        written = [each for each in self._others(messages) if not each.get("attachments")]
        if written and not any(words_of(each) or each.get("message_snapshots") for each in written):
            raise UnreadableError("Discord does not show what the messages say.", reason="closed")

    def _said(self, messages: Sequence[Json], guild: str) -> tuple[Said, ...]:
        out = []
        for each in messages:
            forwarded = [f"> {line}" for own in forwarded_in(each) for line in self._text(own).splitlines()]
            text = "\n".join([self._text(each), *forwarded]).strip()
            place = str(each["channel_id"])
            out.append(said(each, text, place=place, link=_link(guild, place, str(each["id"]))))
        return tuple(each for each in out if each.text)

    def _snapshots(self, message: Json, guild: str) -> Sequence[Said]:
        """Return what a message holds as forwarded. Discord tells when it was written, and not by whom."""
        reference = message.get("message_reference") or {}
        link = _link(
            str(reference.get("guild_id") or guild),
            str(reference.get("channel_id") or message["channel_id"]),
            str(reference.get("message_id") or message["id"]),
        )
        out = []
        for number, each in enumerate(forwarded_in(message)):
            named = {**each, "id": f"{message['id']}:{number}"}
            out.append(said(named, self._text(each), place=str(message["channel_id"]), link=link))
        return [each for each in out if each.text]

    def _text(self, message: Mapping[str, Any]) -> str:
        names = names_in(message)
        return to_markdown(words_of(message), lambda kind, id: names.get(id, "") if kind == "user" else "", self._me)

    async def _ask(self, call: Awaitable[T]) -> T:
        """Await a call. Raises UnreadableError."""
        try:
            with translated():
                return await call
        except DeliveryError as error:
            cause = error.__cause__
            gone = isinstance(cause, discord.NotFound)
            closed = isinstance(cause, discord.Forbidden) or getattr(cause, "code", 0) in _CLOSED
            raise UnreadableError(str(error), reason="closed" if closed else "gone" if gone else "away") from error


def _sent_along(message: IncomingMessage, pointer: Pointer) -> Json | None:
    """Return the message that came with a command about it."""
    kept: Json = json.loads(message.extra.get(TARGET) or "{}")
    return kept if kept.get("id") == pointer.message_id else None


def _starter(message: Json) -> Json:
    """Return a message, or the one that a thread's opening notice refers to."""
    referenced = message.get("referenced_message")
    return dict(referenced) if message.get("type") == STARTER and referenced else message


def _link(guild: str, channel: str, message: str) -> str:
    return f"https://discord.com/channels/{guild}/{channel}/{message}"
