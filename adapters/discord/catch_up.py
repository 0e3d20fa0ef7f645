"""What was said while nobody listened: read from the history of each place, because Discord sends nothing twice."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from datetime import UTC, datetime
from typing import Any, Protocol

import discord

from adapters.discord.errors import translated
from adapters.discord.marks import Marks
from adapters.discord.parse import STANDS_IN, Place, by_a_person, mentions_me, place_of
from agent.errors import ClosedError, DeliveryError, GoneError, WeftError
from agent.types import IncomingMessage

logger = logging.getLogger(__name__)

PAGE = 100
"""Messages of one call: Discord's limit (docs.discord.com, Get Channel Messages)."""
MOST = 200
"""Messages of one place that are looked at, the latest."""
_AT_ONCE = 4
"""Channels that are read side by side."""


class Heard(Protocol):
    """What takes in what was missed, as if it came now. The lane of the channel is held."""

    async def missed(self, message: discord.Message) -> None:
        """Take a message that was written meanwhile."""
        ...

    async def edited(self, message: discord.Message) -> None:
        """Take the words of a message that was edited meanwhile."""
        ...

    async def gone(self, question: IncomingMessage, place: Place) -> None:
        """Take the news that an accepted message is not there any more."""
        ...

    async def accepted_in(self, place: Place, *, since: float) -> Sequence[IncomingMessage]:
        """Return what was accepted in a channel and its threads since, in seconds since the epoch."""
        ...

    def in_order(self, channel: Any) -> asyncio.Lock:
        """Return the lane of a channel and its threads."""
        ...


class CatchUp:
    """Reads what was missed in each place, at most so many seconds back; 0: nothing."""

    def __init__(
        self,
        client: discord.Client,
        marks: Marks,
        heard: Heard,
        *,
        seconds: float,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._client = client
        self._marks = marks
        self._heard = heard
        self._seconds = seconds
        self._now = now
        self._places = asyncio.Semaphore(_AT_ONCE)
        self.found = 0
        """Messages of people that were written while nobody listened."""

    def know(self, guilds: Iterable[int]) -> None:
        """Note that these servers are heard: what was said before that in a new one is not answered."""
        now = discord.utils.time_snowflake(datetime.fromtimestamp(self._now(), UTC))
        for guild in guilds:
            self._marks.know(guild, now)

    async def guilds(self, guilds: Collection[discord.Guild]) -> None:
        """Catch up with these servers; one that was never heard before begins now."""
        session = self._marks.sessions
        self.know(guild.id for guild in guilds)
        async with asyncio.TaskGroup() as group:
            for guild in guilds:
                known = [(place, each) for each in (*guild.channels, *guild.threads) if (place := place_of(each))]
                self._marks.look_at(guild.id, [(place, self._after(each, place)) for place, each in known])
                threads: dict[int, list[discord.Thread]] = {}
                for thread in guild.threads:
                    threads.setdefault(thread.parent_id, []).append(thread)
                for channel in guild.channels:
                    if isinstance(channel, discord.CategoryChannel):
                        continue
                    own = () if isinstance(channel, discord.ForumChannel) else (channel,)
                    places = [*own, *threads.get(channel.id, ())]
                    group.create_task(self._one_of_many(self._channel(channel, places, session)))

    async def directs(self) -> None:
        """Catch up with the direct messages in which Weft was written to before."""
        async with asyncio.TaskGroup() as group:
            for id in self._marks.direct() if self._seconds > 0 else ():
                group.create_task(self._one_of_many(self._direct(id)))

    async def before(self, message: discord.Message, place: Place) -> None:
        """Catch up with the place of a message that came now, so that it is taken after those. Its lane is held."""
        if not self._marks.is_behind(place):
            return
        session = self._marks.sessions
        known = self._accepted_here(await self._accepted(place), place)
        await self._read_safely(message.channel, place, known, session, message)

    async def _channel(self, channel: discord.abc.GuildChannel, places: Sequence[Any], session: int) -> None:
        parent = place_of(channel)
        if parent is None:
            return
        accepted = await self._accepted(parent)
        for each in places:
            place = place_of(each)
            if place is None:
                continue
            async with self._heard.in_order(each):
                known = self._accepted_here(accepted, place)
                if self._may_have_missed(each, place, known):
                    await self._read_safely(each, place, known, session)
                else:
                    self._marks.reached(place, _last_of(each), session=session)

    async def _direct(self, id: int) -> None:
        session = self._marks.sessions
        with translated():
            channel = await self._client.fetch_channel(id)
        place = place_of(channel)
        if place is None or not isinstance(channel, discord.DMChannel):
            return
        async with self._heard.in_order(channel):
            known = self._accepted_here(await self._accepted(place), place)
            await self._read_safely(channel, place, known, session)

    async def _one_of_many(self, work: Awaitable[None]) -> None:
        """Await what is done for one place; that it fails does not end the others."""
        async with self._places:
            try:
                await work
            except WeftError as error:
                _not_read(error)

    async def _accepted(self, place: Place) -> Sequence[IncomingMessage]:
        return await self._heard.accepted_in(place, since=self._now() - self._seconds)

    @staticmethod
    def _accepted_here(accepted: Iterable[IncomingMessage], place: Place) -> Sequence[IncomingMessage]:
        return [each for each in accepted if each.extra.get(STANDS_IN) == place.stands_in]

    def _may_have_missed(self, channel: Any, place: Place, known: Collection[IncomingMessage]) -> bool:
        if self._seconds <= 0 or not self._marks.is_behind(place):
            return False
        return bool(known) or _last_of(channel) > self._after(channel, place)

    def _after(self, channel: Any, place: Place) -> int:
        """Return the id behind which messages are read; a place without a mark was made meanwhile."""
        oldest = discord.utils.time_snowflake(datetime.fromtimestamp(self._now() - self._seconds, UTC))
        mark = self._marks.behind(place)
        return max(channel.id - 1 if mark is None else mark, oldest, self._marks.known_since(place))

    async def _read_safely(
        self,
        channel: Any,
        place: Place,
        known: Sequence[IncomingMessage],
        session: int,
        until: discord.Message | None = None,
    ) -> None:
        try:
            with translated():
                reached = await self._read(channel, place, known, until)
        except (ClosedError, GoneError) as error:  # nothing to be read there, now or later
            _not_read(error)
            self._marks.reached(place, _last_of(channel), session=session)
        except DeliveryError as error:  # it stays behind: the next message there, or the next start, tries again
            _not_read(error)
        else:
            self._marks.reached(place, reached, session=session)

    async def _read(
        self, channel: Any, place: Place, known: Sequence[IncomingMessage], until: discord.Message | None
    ) -> int:
        """Take what was missed, and return up to which message that is."""
        after, mark = self._after(channel, place), self._marks.behind(place)
        read: list[discord.Message] = []  # the latest first
        while len(read) < MOST:
            earlier = read[-1] if read else until
            page = [each async for each in channel.history(limit=PAGE, before=earlier, oldest_first=False)]
            read += page
            if len(page) < PAGE or page[-1].id <= after:
                break
        missed = [each for each in reversed(read) if each.id > after]
        told = [each for each in known if until is None or int(each.message_id) < until.id]
        await self._take_changes(read, place, told, mark)
        people = [each for each in missed if by_a_person(each)]
        for number, message in enumerate(people):
            if not self._answered_by_others(message, people[number + 1 :], place):
                await self._heard.missed(message)
        self.found += len(people)
        return missed[-1].id if missed else max(after, mark or 0)

    async def _take_changes(
        self, read: Sequence[discord.Message], place: Place, known: Sequence[IncomingMessage], mark: int | None
    ) -> None:
        """Take what was edited or deleted of what had been heard; farther back than was read nothing is seen.

        `known`: what was accepted of the messages before the one that is read up to.
        """
        if mark is None:
            return
        since, there = discord.utils.snowflake_time(mark), {str(message.id) for message in read}
        for message in reversed(read):
            if message.id <= mark and message.edited_at is not None and message.edited_at > since:
                await self._heard.edited(message)
        first = min((message.id for message in read), default=0) if len(read) >= PAGE else 0
        for question in known:
            if question.message_id not in there and first <= int(question.message_id) <= mark:
                await self._heard.gone(question, place)

    def _answered_by_others(self, message: discord.Message, later: Sequence[discord.Message], place: Place) -> bool:
        """Tell whether a message that calls nobody is people's talk by now: somebody else went on after it."""
        me = self._client.user
        if place.private or (me is not None and mentions_me(message, me.id)):
            return False
        return any(each.author.id != message.author.id for each in later)


def _last_of(channel: Any) -> int:
    """Return the id of the last message of a place, as far as discord.py knows it: of direct messages it does not."""
    return getattr(channel, "last_message_id", None) or int(channel.id)


def _not_read(error: WeftError) -> None:
    logger.warning("A place could not be caught up with: %s", error, extra={"action": "discord_not_caught_up"})
