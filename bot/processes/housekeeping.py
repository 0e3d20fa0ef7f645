"""Housekeeping by the clock. Exactly one process runs it: two schedulers would each run every job."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime

from apscheduler.schedulers.asyncio import AsyncIOScheduler
from apscheduler.triggers.interval import IntervalTrigger

from agent.errors import WeftError, where
from storage.attachments import SqliteAttachments
from storage.contracts import Checkpoints, KeptFiles
from storage.deliveries import SqliteDeliveries
from storage.inbox import SqliteInbox
from storage.turns import SqliteTurns

logger = logging.getLogger(__name__)
DAY = 86_400.0


class Housekeeping:
    """What has to be tidied, each job a method that returns how much it did."""

    def __init__(
        self,
        *,
        inbox: SqliteInbox,
        checkpoints: Checkpoints,
        deliveries: SqliteDeliveries,
        turns: SqliteTurns,
        attachments: SqliteAttachments | None = None,
        files: KeptFiles | None = None,
        keep_days: int,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._inbox = inbox
        self._checkpoints = checkpoints
        self._deliveries = deliveries
        self._turns = turns
        self._attachments = attachments
        self._files = files
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
        }


def schedule(housekeeping: Housekeeping, *, every_seconds: float = 3600.0) -> AsyncIOScheduler:
    """Return a scheduler, to be started, that does every job now and then every so many seconds."""
    # Without these two, a job missed by more than a second would be dropped without a word.
    scheduler = AsyncIOScheduler(job_defaults={"coalesce": True, "misfire_grace_time": None}, timezone="UTC")
    for name, job in housekeeping.jobs.items():
        scheduler.add_job(
            _logged(name, job),
            IntervalTrigger(seconds=every_seconds, timezone="UTC"),
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
