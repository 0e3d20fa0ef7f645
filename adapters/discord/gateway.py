"""What is heard: discord.py's events, turned into messages for the intake, in the order they came."""

import asyncio
import logging
import random
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from weakref import WeakSet, WeakValueDictionary

import aiohttp
import discord
from discord.gateway import DiscordWebSocket

from adapters.contract import Adapter, Intake
from adapters.desk import Desk
from adapters.discord.attendance import Attendance
from adapters.discord.errors import translated
from adapters.discord.forum import is_opening, is_solved
from adapters.discord.heartbeats import end_heartbeats
from adapters.discord.interactions import Interactions
from adapters.discord.parse import (
    Place,
    by_a_person,
    mentions_me,
    place_of,
    to_deletion,
    to_edit,
    to_message,
)
from adapters.discord.probe import invitation
from adapters.discord.rest import Rest
from adapters.discord.welcome import welcome
from adapters.thumbs import helpful
from agent.errors import DeliveryError, StorageError, WeftError
from agent.language import say
from agent.language.registry import DEFAULT
from agent.text import language_of
from agent.types import DeliveryRef, IncomingMessage, MessageKind, Rating, ThreadKey

logger = logging.getLogger(__name__)

_LONGEST_WAIT = 60.0
"""Seconds that a call may be held back by a rate limit before it fails."""
_STORE_AGAIN_AFTER = (0.1, 0.4)
"""Seconds; Discord sends nothing twice, and an interaction must be answered within three."""


class Gateway(discord.Client):
    """The client: silent for whoever only answers, and handing in what it hears while `intake` is set."""

    def __init__(
        self,
        *,
        intents: discord.Intents,
        identify_pause: float,
        catch_up_seconds: float = 0.0,
        settle: float = 2.0,
        mark_every: float = 1.0,
        **options: Any,
    ) -> None:
        super().__init__(
            intents=intents,
            allowed_mentions=discord.AllowedMentions.none(),
            max_ratelimit_timeout=_LONGEST_WAIT,
            guild_ready_timeout=settle,
            activity=discord.CustomActivity(name=say("presence", DEFAULT)),
            **options,
        )
        self.intake: Intake | None = None
        self.attendance = Attendance(self, self, seconds=catch_up_seconds, mark_every=mark_every)
        self._identify_pause = identify_pause
        self._lanes: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()
        self._interactions = Interactions(self)
        self.desk: Desk | None = None
        self.platform: Adapter | None = None
        self.rest: Rest | None = None
        self._handling: set[asyncio.Task[Any]] = set()
        self._sockets: WeakSet[aiohttp.ClientWebSocketResponse] = WeakSet()
        self._connect, self.http.ws_connect = self.http.ws_connect, self._open_socket  # type: ignore[method-assign]

    @property
    def me(self) -> int:
        """The bot's own user id."""
        if self.user is None:
            raise DeliveryError("The Discord adapter is not connected.")
        return self.user.id

    @property
    def ever_connected(self) -> bool:
        """True once there was a socket, open or not."""
        return isinstance(self.ws, DiscordWebSocket)  # discord.py's annotation hides that it begins as None

    async def handled(self) -> None:
        """Wait for the events that are being handed in, and write down how far that went."""
        if self._handling:
            await asyncio.wait(self._handling, timeout=5.0)
        await self.attendance.write_now()

    async def close(self) -> None:
        """Let go of everything; nothing waits any more for the servers of a session that has just begun."""
        if self._connection._ready_task is not None:
            self._connection._ready_task.cancel()
        await super().close()
        for socket in tuple(self._sockets):  # discord.py forgets one whose session had not yet begun
            await socket.close()
        await end_heartbeats(self._connection)

    def dispatch(self, event: str, /, *args: Any, **kwargs: Any) -> None:
        """Tell of an event; of one that comes when all is let go of to nobody: there is no loop to tell it in."""
        if self.loop is not discord.utils.MISSING:
            super().dispatch(event, *args, **kwargs)

    # --- events

    async def on_message(self, message: discord.Message) -> None:
        """Take a new message, after those that were missed before it."""
        async with self.in_order(message.channel):
            place = await self.place(message.channel)
            if place is None:
                return
            await self.attendance.before(message, place)
            if by_a_person(message):
                await self._take_message(message, place)
            self.attendance.heard(place, message.id)

    async def missed(self, message: discord.Message) -> None:
        """Take a message that was written while nobody listened; it is as old as it is."""
        place = place_of(message.channel)
        if place is not None:
            await self._take_message(message, place, at=message.created_at.timestamp())

    async def _take_message(self, message: discord.Message, place: Place, *, at: float | None = None) -> None:
        key = await self._replied_key(message, place)
        kind = await self._kind(message, place, key)
        if kind is None:
            return
        taken = replace(to_message(message, place, kind, self.me), key=key)
        taken = taken if at is None else replace(taken, received_at=at)
        if not await self._hand_in(taken) and taken.addressed:
            with translated():
                await message.reply(
                    say("not_taken", language_of(taken.text)),
                    allowed_mentions=discord.AllowedMentions.none(),
                    mention_author=False,
                )

    async def _replied_key(self, message: discord.Message, place: Place) -> ThreadKey:
        """Return the conversation of a message; in a channel it may go on with that of what it replies to."""
        key, reference = place.key(str(message.id)), message.reference
        if place.thread_id or self.intake is None or reference is None or reference.message_id is None:
            return key
        found = reference.resolved
        if isinstance(found, discord.Message) and self.me != found.author.id and not mentions_me(message, self.me):
            return key  # people who talk to each other
        posted = DeliveryRef(channel_id=place.channel_id, message_id=str(reference.message_id))
        return await self.intake.follows(posted) or key

    async def _kind(self, message: discord.Message, place: Place, key: ThreadKey) -> MessageKind | None:
        if place.private:
            return MessageKind.DIRECT
        if mentions_me(message, self.me):
            return MessageKind.MENTION
        if not message.content and not message.attachments:
            return None
        if is_opening(message) and is_solved(message):
            return None
        heard = await self.intake.hears(key, str(message.author.id)) if self.intake is not None else None
        in_thread = key.thread_id != str(message.id)
        return heard if heard is None or in_thread else MessageKind.CHANNEL

    async def on_raw_message_edit(self, event: discord.RawMessageUpdateEvent) -> None:
        """Take the new words of a question; a preview that Discord adds is no edit."""
        message, before = event.message, event.cached_message
        if message.edited_at is None or not by_a_person(message) or (before and before.content == message.content):
            return
        if not message.content and not message.attachments:
            return  # without the content intent nobody tells what it says now
        async with self.in_order(message.channel):
            await self.edited(message)

    async def edited(self, message: discord.Message) -> None:
        """Take the new words of a question; its lane is held."""
        place = await self.place(message.channel)
        if place is None or not by_a_person(message):
            return
        key = await self._accepted_key(place, message.id)
        if await self._takes_part(key):
            await self._hand_in(replace(to_edit(message, place, self.me), key=key))
        elif mentions_me(message, self.me):  # called only now: the edit is the question
            await self._hand_in(to_message(message, place, MessageKind.MENTION, self.me))

    async def on_raw_message_delete(self, event: discord.RawMessageDeleteEvent) -> None:
        """Take the news that a question is gone."""
        await self._deleted(event.channel_id, event.message_id, event.cached_message)

    async def on_raw_bulk_message_delete(self, event: discord.RawBulkMessageDeleteEvent) -> None:
        """Take the news that questions were removed together."""
        known = {message.id: message for message in event.cached_messages}
        for message_id in sorted(event.message_ids):
            await self._deleted(event.channel_id, message_id, known.get(message_id))

    async def _deleted(self, channel_id: int, message_id: int, message: discord.Message | None) -> None:
        if message is not None and message.author.bot:
            return
        channel = self.get_channel(channel_id) or self.get_partial_messageable(channel_id)
        async with self.in_order(channel):
            place = await self.place(channel)
            key = await self._accepted_key(place, message_id) if place is not None else None
            if place is not None and key is not None and await self._takes_part(key):
                gone = to_deletion(message_id, message.author if message else None, place)
                await self._hand_in(replace(gone, key=key))

    async def gone(self, question: IncomingMessage, place: Place) -> None:
        """Take the news that a question was deleted while nobody listened; its lane is held."""
        deleted = to_deletion(int(question.message_id), None, place)
        await self._hand_in(replace(deleted, key=question.key, author=question.author))

    async def accepted_in(self, place: Place, *, since: float) -> Sequence[IncomingMessage]:
        """Return what was accepted in a channel and its threads since."""
        return await self.intake.accepted_in(place.key(""), since=since) if self.intake is not None else ()

    async def on_raw_reaction_add(self, event: discord.RawReactionActionEvent) -> None:
        """Keep a thumb under one of Weft's messages as what somebody thinks of the answer."""
        if event.message_author_id in (None, self.me):
            await self._rate(event, given=True)

    async def on_raw_reaction_remove(self, event: discord.RawReactionActionEvent) -> None:
        """Take such a thumb back."""
        await self._rate(event, given=False)

    async def _rate(self, event: discord.RawReactionActionEvent, *, given: bool) -> None:
        verdict = helpful(event.emoji.name or "")
        if verdict is None or event.user_id == self.me or self.intake is None:
            return
        posted = DeliveryRef(channel_id=str(event.channel_id), message_id=str(event.message_id))
        rating = Rating(user=str(event.user_id), helpful=verdict if given else None, at=time.time())
        if await self.intake.rate(posted, rating):
            logger.info("An answer was rated.", extra={"action": "discord_rated"})

    async def on_interaction(self, interaction: discord.Interaction) -> None:
        """Take a command, a click or a form."""
        await self._interactions.take(interaction)

    async def on_connect(self) -> None:
        """Note that a session begins which knows nothing of what was said before it: that is to be read."""
        self.attendance.session_began(self.guilds, lambda _: True)

    async def on_ready(self) -> None:
        """Tell how far Weft is heard, and read what was missed."""
        self.tell_ready()
        await self.attendance.catch_up(self.guilds, directs=True)

    async def on_guild_unavailable(self, guild: discord.Guild) -> None:
        """Note that a server is not heard for a while."""
        self.attendance.is_away(guild)

    async def on_guild_available(self, guild: discord.Guild) -> None:
        """Read what was missed in a server that was away."""
        await self.attendance.is_back(guild)

    async def on_guild_join(self, guild: discord.Guild) -> None:
        """Hear a new server from now on, and greet it."""
        await self.attendance.catch_up([guild], directs=False)
        if self.intake is not None and self.rest is not None:
            await welcome(guild, self.rest, str(self.application_id))

    def tell_ready(self) -> None:
        """Log how far Weft is heard, and how it is invited."""
        servers, invite = len(self.guilds), invitation(str(self.application_id))
        told = f"{servers} server{'' if servers == 1 else 's'}"
        about = {"action": "discord_ready"}
        if servers:
            logger.info("Discord: connected as %s in %s. Invite it with %s", self.user, told, invite, extra=about)
        else:
            logger.warning("Discord: %s is in no server yet. Invite it with %s", self.user, invite, extra=about)

    async def look_after(self) -> None:
        """Do nothing: a single connection is looked after by discord.py."""

    async def hang_up(self) -> None:
        """Close the connection."""
        if self.ever_connected and self.ws.open:
            await self.ws.close(code=1000)

    async def on_error(self, event_method: str, /, *args: Any, **kwargs: Any) -> None:
        """Log what went wrong with one event; the next one is taken all the same."""
        error, about = sys.exception(), {"action": "discord_event_failed", "event": event_method}
        if isinstance(error, WeftError):
            logger.error("An event from Discord could not be handled: %s", error, extra=about)
        else:
            logger.exception("An event from Discord could not be handled.", extra=about)

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:
        """Wait before a new session, which Discord asks for after it ended one."""
        if not initial:
            await asyncio.sleep(self._identify_pause * random.uniform(0.5, 1.0))  # noqa: S311

    async def _run_event(self, coro: Any, event_name: str, *args: Any, **kwargs: Any) -> None:
        task = asyncio.current_task()
        if task is not None:
            self._handling.add(task)
            task.add_done_callback(self._handling.discard)
        await super()._run_event(coro, event_name, *args, **kwargs)

    async def _open_socket(self, url: str, *, compress: int = 0) -> aiohttp.ClientWebSocketResponse:
        socket = await self._connect(url, compress=compress)
        self._sockets.add(socket)
        return socket

    # --- what the events share

    async def _hand_in(self, message: IncomingMessage, *, hold: float = 0.0) -> bool:
        """Store a message; False when it could not be stored, which is logged."""
        return await self.accepted(message, hold=hold) is not None

    async def accepted(self, message: IncomingMessage, *, hold: float = 0.0) -> bool | None:
        """Store a message and tell whether it is new; None when it could not be stored."""
        if self.intake is None:
            return None
        for delay in (*_STORE_AGAIN_AFTER, None):
            try:
                new = await self.intake.accept(message, hold=hold)
            except StorageError as error:
                if delay is None:
                    logger.error("A message could not be stored: %s", error, extra={"action": "discord_not_stored"})
                    return None
                await asyncio.sleep(delay)
            else:
                logger.info(
                    "A message arrived." if new else "A message arrived again.",
                    extra={"action": "discord_accepted", "kind": message.kind.value},
                )
                return new
        return None

    async def _takes_part(self, key: ThreadKey) -> bool:
        return self.intake is not None and await self.intake.takes_part(key)

    async def _accepted_key(self, place: Place, message_id: int) -> ThreadKey:
        """Return the conversation that a message was taken for; of one in a channel only the inbox may know it."""
        key = place.key(str(message_id))
        if place.thread_id or self.intake is None:
            return key
        return await self.intake.thread_of(key, str(message_id)) or key

    async def place(self, channel: Any) -> Place | None:
        """Return where a channel is, asking Discord about one that is not in the cache."""
        place = place_of(channel)
        if place is None and isinstance(channel, discord.PartialMessageable):
            with translated():
                place = place_of(await self.fetch_channel(channel.id))
        return place

    def in_order(self, channel: Any) -> asyncio.Lock:
        """Return the lock that keeps the events of a channel and its threads in order: a thread follows its root."""
        return self._lanes.setdefault(getattr(channel, "parent_id", None) or channel.id, asyncio.Lock())
