"""What a turn has to do with the calendar: orders, what is new since the last answer, Weft's own words, failures."""

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from adapters.contract import Adapter, Surveying
from agent.errors import GoneError
from agent.language import say
from agent.types import Audience, IncomingMessage, Language, MessageKind, Response
from bot.calendar.comparison import NOTE, clipped, what_changed
from bot.calendar.digest import digest_of
from bot.calendar.events import entry_of, watch_of
from bot.calendar.orders import CalendarOrders, CalendarRules
from bot.calendar.watching import Versions, documents_of, told_changes
from bot.calendar.words import told_day
from storage.catalogue import versions
from storage.contracts import ChannelModes, Schedule, ScheduleKind, Schedules
from storage.documents import SqlLibrary
from storage.sql import SqlDatabase
from storage.turns import SqlTurns

logger = logging.getLogger(__name__)

GIVE_UP_AFTER = 3
"""Times, one after the other, that a place could not be written to, after which an entry is paused."""


class Calendar:
    """The calendar, as turns use it."""

    def __init__(
        self,
        *,
        schedules: Schedules,
        turns: SqlTurns,
        library: SqlLibrary,
        database: SqlDatabase,
        rules: CalendarRules,
        modes: ChannelModes | None = None,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._schedules = schedules
        self._turns = turns
        self._library = library
        self._database = database
        self._now = now
        self._orders = CalendarOrders(schedules, turns, self._versions, rules, modes=modes, now=now)

    async def carried_out(self, message: IncomingMessage, adapter: Adapter) -> str | None:
        """Do what a message says about the calendar, and return what to say; None where it is about else."""
        return await self._orders.carried_out(message, adapter)

    async def surveyed(self, message: IncomingMessage, adapter: Adapter) -> IncomingMessage:
        """Return a message of the clock as its place is now: guests may have come since it was set."""
        if message.kind not in (MessageKind.SCHEDULED, MessageKind.NOTICE) or not isinstance(adapter, Surveying):
            return message
        return await adapter.surveyed(message)

    async def compared(self, message: IncomingMessage, response: Response) -> Response:
        """Return an answer to a standing question with what is new since the last one at its end."""
        entry = await self._entry(message)
        if entry is None:
            return response
        last = entry.answered_before if entry.answered == response.turn_id else entry.answered
        before = await self._turns.get(last) if last else None
        if before is None:
            return response
        note = what_changed(before.response, response, response.language, told_day(before.at, entry.zone))
        if not note:
            return response
        note = f"\n\n{note}"
        data = {**response.structured_data, NOTE: note}
        return replace(response, answer=response.answer + note, structured_data=data)

    async def answered(self, message: IncomingMessage) -> None:
        """Note that a standing question has its answer."""
        entry = await self._entry(message)
        if entry is not None:
            await self._schedules.went_well(entry.id, turn_id=message.turn_id)

    async def told(self, message: IncomingMessage, audience: Audience, language: Language) -> str:
        """Return what a notice says to this audience, Markdown; empty where there is nothing to say any more."""
        if message.text:
            return message.text
        if (watched := watch_of(message.message_id)) is not None:
            return await self._told_changes(*watched, audience, language)
        entry = await self._entry(message)
        if entry is None or entry.kind is not ScheduleKind.DIGEST:
            return ""
        channel = str(replace(entry.key, thread_id=""))
        text = await digest_of(self._database, channel, language, now=self._now())
        await self._schedules.went_well(entry.id)
        return text

    async def missed(self, message: IncomingMessage, error: GoneError) -> str:
        """Note that the place of an entry cannot be written to; returns what its owner is told, empty for nothing."""
        watched = watch_of(message.message_id)
        number = watched[0] if watched else entry_of(message.message_id)
        if number is None:
            return ""
        entry = await self._schedules.failed(number, str(error), most=GIVE_UP_AFTER)
        if entry is None or not entry.paused:
            return ""
        about = {"action": "schedule_paused"}
        logger.warning("Entry %d of the calendar is paused: %s", number, error, extra=about)
        question = clipped(entry.text or str(entry.details.get("question", "")))
        return say("schedule_given_up", entry.language, question=question, count=entry.failures, number=number)

    async def drop(self, turn_id: str) -> None:
        """Forget what a message set."""
        await self._schedules.drop(turn_id)

    async def _told_changes(self, number: int, places: Sequence[int], audience: Audience, language: Language) -> str:
        entry = await self._schedules.get(number)
        if entry is None:
            return ""
        documents = documents_of(entry.details)
        wanted = [documents[place] for place in places if place < len(documents)]
        lines = await told_changes(wanted, self._library, audience, language)
        head = say("watch_changed", language, question=clipped(str(entry.details.get("question", ""))))
        return "\n".join([head, *(f"- {line}" for line in lines)]) if lines else ""

    async def _entry(self, message: IncomingMessage) -> Schedule | None:
        """Return the entry that a message of the clock comes from; one that somebody edited is their own question."""
        number = entry_of(message.message_id) if message.kind is not MessageKind.EDIT else None
        return await self._schedules.get(number) if number is not None else None

    async def _versions(self, wanted: Sequence[tuple[str, str]]) -> Versions:
        return await versions(self._database, wanted)
