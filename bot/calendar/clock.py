"""The clock: hands in what is due, and looks whether what is watched has changed.

An entry is due at the first time of its plan after what was last seen to. That time names its event, so that whoever
hands it in again, after a crash or beside another clock, hands in nothing new; however long the clock stood still, one
event comes of it.
"""

import logging
import time
from collections.abc import Awaitable, Callable, Sequence

from agent.types import ChannelMode
from bot.calendar.events import changed, planned
from bot.calendar.watching import Versions, differing, documents_of, mark_of, name_of, with_versions
from storage.contracts import ChannelModes, Inbox, Place, Schedule, ScheduleKind, Schedules

logger = logging.getLogger(__name__)

AHEAD = 86_400.0
"""Seconds that the last time may lie ahead: by more, and the clock was set back, which must not freeze an entry."""


def due_at(entry: Schedule, now: float) -> float | None:
    """Return the time that an entry is due since; None for one that is not.

    A source of which nothing came yet since it was added, or added again, is due at once.
    """
    if entry.paused or entry.plan is None:
        return None
    is_new = entry.kind is ScheduleKind.SOURCE and "at" not in entry.details and not entry.failures
    moment = entry.since if is_new else entry.plan.after(entry.since, entry.zone, since=entry.created)
    return moment if moment <= now else None


class Clock:
    """What the clock does; each method returns how much it did. Raises StorageError."""

    def __init__(
        self,
        *,
        schedules: Schedules,
        inbox: Inbox,
        modes: ChannelModes,
        versions: Callable[[Sequence[tuple[str, str]]], Awaitable[Versions]],
        now: Callable[[], float] = time.time,
    ) -> None:
        self._schedules = schedules
        self._inbox = inbox
        self._modes = modes
        self._versions = versions
        self._now = now

    async def due(self, *kinds: ScheduleKind) -> list[tuple[Schedule, float]]:
        """Return the entries of these kinds whose time has come, with that time.

        Where the clock was set back they go on from now.
        """
        now, found = self._now(), []
        for each in await self._schedules.all():
            if each.kind not in kinds:
                continue
            if not each.paused and each.since > now + AHEAD:
                about = {"action": "clock_set_back"}
                logger.warning("The clock was set back: entry %d goes on from now.", each.id, extra=about)
                await self._schedules.fired(each.id, since=now)
                continue
            moment = due_at(each, now)
            if moment is not None:
                found.append((each, moment))
        return found

    async def ask(self) -> int:
        """Hand in the standing questions and digests that are due."""
        due = await self.due(ScheduleKind.QUESTION, ScheduleKind.DIGEST)
        for entry, moment in due:
            key, now = entry.key, self._now()
            place = Place(platform=key.platform, workspace=key.workspace_id, channel=key.channel_id)
            if entry.private or await self._modes.mode_of(place) is not ChannelMode.OFF:
                await self._inbox.add(planned(entry, moment, now))
                about = {"action": "schedule_fired", "schedule": entry.id}
                logger.info("Entry %d of the calendar is handed in.", entry.id, extra=about)
            await self._schedules.fired(entry.id, since=max(now, moment))
        return len(due)

    async def look(self) -> int:
        """Hand in a word for each watched answer of which a document has another version than was told."""
        watched = [each for each in await self._schedules.all() if each.kind is ScheduleKind.ANSWER and not each.paused]
        names = {name_of(document) for each in watched for document in documents_of(each.details)}
        found, told = await self._versions(sorted(names)), 0
        for entry in watched:
            documents = documents_of(entry.details)
            places = differing(documents, found)
            if not places:
                continue
            now = with_versions(documents, found)
            await self._inbox.add(changed(entry, places, mark_of(now, places), self._now()))
            await self._schedules.went_well(entry.id, details={**entry.details, "documents": now})
            told += 1
        return told
