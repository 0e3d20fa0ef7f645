"""What was heard, written down; and what was not, because nobody listened, caught up with."""

import asyncio
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence

import discord

from adapters.contract import Intake
from adapters.discord.catch_up import CatchUp, Heard
from adapters.discord.marks import Marks
from adapters.discord.parse import PLATFORM, Place
from agent.errors import StorageError
from agent.types import ThreadKey

logger = logging.getLogger(__name__)


class Attendance:
    """The marks of one client, and the way to catch up; nothing happens before `begin`."""

    def __init__(self, client: discord.Client, hearer: Heard, *, seconds: float, mark_every: float) -> None:
        self._client = client
        self._hearer = hearer
        self._seconds = seconds
        self._mark_every = mark_every
        self._intake: Intake | None = None
        self._away: set[int] = set()
        """Servers that Discord told to be unavailable."""
        self.marks = Marks({})
        self._catching_up = CatchUp(client, self.marks, hearer, seconds=seconds)

    async def begin(self, intake: Intake) -> None:
        """Go on where the last listener ended. Raises StorageError."""
        self.marks = Marks(await intake.last_heard(PLATFORM))
        self._catching_up = CatchUp(self._client, self.marks, self._hearer, seconds=self._seconds)
        self._intake = intake

    def session_began(self, guilds: Iterable[discord.Guild], mine: Callable[[int], bool]) -> None:
        """Note a session of these servers, and of all others of its connection: it knows nothing of what was said.

        Direct messages are of server 0.
        """
        self.leave(mine)
        self._catching_up.know(guild.id for guild in guilds if mine(guild.id))

    def leave(self, guild: Callable[[int], bool]) -> None:
        """Note that what was said in these servers may have been missed."""
        if self._seconds > 0:
            self.marks.leave(guild)

    def is_away(self, guild: discord.Guild) -> None:
        """Note that Discord cannot serve a server for a while: what is said there is not told."""
        self.leave(lambda id: id == guild.id)
        self._away.add(guild.id)

    async def is_back(self, guild: discord.Guild) -> None:
        """Catch up with a server that was away."""
        if guild.id in self._away:
            await self.catch_up([guild], directs=False)

    def heard(self, place: Place, message_id: int) -> None:
        """Note that a message was dealt with."""
        self.marks.heard(place, message_id)

    async def before(self, message: discord.Message, place: Place) -> None:
        """Catch up with the place of a message that came now. Its lane is held."""
        await self._catching_up.before(message, place)

    async def catch_up(self, guilds: Sequence[discord.Guild], *, directs: bool) -> None:
        """Read what was missed in these servers, and with `directs` in direct messages."""
        if self._intake is None:
            return
        away = {guild.id for guild in guilds if guild.unavailable}
        self._away = self._away.difference(guild.id for guild in guilds) | away
        catching_up, before = self._catching_up, self._catching_up.found
        await catching_up.guilds(guilds)
        if directs:
            await catching_up.directs()
        found = catching_up.found - before
        if found:
            facts = {"action": "discord_caught_up", "messages": found}
            logger.info("Messages that were written while nobody listened, dealt with now: %d.", found, extra=facts)

    async def write_marks(self) -> None:
        """Write down how far each place was heard, now and then while anything is said, until cancelled."""
        while True:
            await self._write(await self.marks.unwritten())
            await asyncio.sleep(self._mark_every)

    async def write_now(self) -> None:
        """Write down what is not written yet."""
        await self._write(self.marks.take_unwritten())

    async def _write(self, marks: Mapping[ThreadKey, str]) -> None:
        if self._intake is None or not marks:
            return
        try:
            await self._intake.note_heard(marks)
        except StorageError as error:  # after a restart some messages are read once more, and known
            logger.error("How far places were heard is not kept: %s", error, extra={"action": "discord_not_marked"})
