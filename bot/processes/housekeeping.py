"""Housekeeping by the clock. Exactly one process runs it: two schedulers would each run every job."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime

from apscheduler.schedulers.asyncio import AsyncIOScheduler
from apscheduler.triggers.interval import IntervalTrigger

from agent.errors import WeftError, where
from storage.attachments import SqlAttachments
from storage.contracts import Checkpoints, KeptFiles
from storage.deliveries import SqlDeliveries
from storage.inbox import SqlInbox
from storage.schedules import SqlSchedules
from storage.turns import SqlTurns

logger = logging.getLogger(__name__)
DAY = 86_400.0


class Housekeeping:
    """What has to be tidied, each job a method that returns how much it did."""

    def __init__(
        self,
        *,
        inbox: SqlInbox,
        checkpoints: Checkpoints,
        deliveries: SqlDeliveries,
        turns: SqlTurns,
        attachments: SqlAttachments | None = None,
        files: KeptFiles | None = None,
        schedules: SqlSchedules | None = None,
        keep_days: int,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._inbox = inbox
        self._checkpoints = checkpoints
        self._deliveries = deliveries
        self._turns = turns
        self._attachments = attachments
        self._files = files
        self._schedules = schedules
        self._keep = keep_days * DAY
        self._now = now

    async def prune_conversations(self) -> int:
        """Forget conversations that nobody went on with."""
        idle = await self._checkpoints.idle(since=self._now() - self._keep)
        for thread in idle:
            await self._checkpoints.forget(thread)
        return len(idle)

    async def prune_inbox(self) -> int:
        """Forget the words of messages answered long ago."""
        return await self._inbox.prune(older_than=self._now() - self._keep)

    async def prune_deliveries(self) -> int:
        """Forget what was posted long ago."""
        return await self._deliveries.prune(older_than=self._now() - self._keep)

    async def prune_turns(self) -> int:
        """Forget what was asked and answered long ago."""
        return await self._turns.prune(older_than=self._now() - self._keep)

    async def prune_attachments(self) -> int:
        """Forget the files of questions asked long ago."""
        return await self._attachments.prune(older_than=self._now() - self._keep) if self._attachments else 0

    async def prune_files(self) -> int:
        """Delete what was made for answers long ago."""
        return await self._files.prune(older_than=self._now() - self._keep) if self._files else 0

    async def prune_schedules(self) -> int:
        """Delete what the calendar has failed to do for long."""
        return await self._schedules.prune(older_than=self._now() - self._keep) if self._schedules else 0

    @property
    def jobs(self) -> dict[str, Callable[[], Awaitable[int]]]:
        """Return every job by name."""
        return {
            "prune_conversations": self.prune_conversations,
            "prune_inbox": self.prune_inbox,
            "prune_deliveries": self.prune_deliveries,
            "prune_turns": self.prune_turns,
            "prune_attachments": self.prune_attachments,
            "prune_files": self.prune_files,
            "prune_schedules": self.prune_schedules,
        }


Job = Callable[[], Awaitable[int]]
OFTEN_SECONDS = 10.0


def schedule(
    housekeeping: Housekeeping,
    *,
    every_seconds: float = 3600.0,
    often: Mapping[str, Job] | None = None,
    often_seconds: float = OFTEN_SECONDS,
) -> AsyncIOScheduler:
    """Return a scheduler, to be started, that does every job now and then every so many seconds, some of them `often`.

    A job that is still under way when its time comes is not begun again.
    """
    # Without these two, a job missed by more than a second would be dropped without a word.
    scheduler = AsyncIOScheduler(job_defaults={"coalesce": True, "misfire_grace_time": None}, timezone="UTC")
    jobs = [(name, job, every_seconds) for name, job in housekeeping.jobs.items()]
    jobs += [(name, job, often_seconds) for name, job in (often or {}).items()]
    for name, job, seconds in jobs:
        scheduler.add_job(
            _logged(name, job),
            IntervalTrigger(seconds=seconds, timezone="UTC"),
            id=name,
            next_run_time=datetime.now(UTC),
        )
    return scheduler


def _logged(name: str, job: Callable[[], Awaitable[int]]) -> Callable[[], Awaitable[None]]:
    async def run() -> None:
        try:
            done = await job()
        except WeftError as error:
            logger.error("Housekeeping %s failed: %s", name, where(error), extra={"action": name})
            return
        except asyncio.CancelledError:  # Weft stops; the scheduler would log it with its whole way here
            logger.info("Housekeeping %s was cut off; it is done at the next start.", name, extra={"action": name})
            return
        if done:
            logger.info("Housekeeping %s: %d.", name, done, extra={"action": name})

    return run
