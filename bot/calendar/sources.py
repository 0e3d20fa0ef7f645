"""Folders, files and URLs that are ingested again by the clock: only what changed, by a process of its own.

A document that brings a reader down, or fills the memory, takes that process with it and nothing else.
"""

import asyncio
import json
import logging
import os
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from agent.errors import WeftError, where
from agent.task_group import end
from bot.calendar.clock import Clock
from storage.contracts import Schedule, ScheduleKind, Schedules

logger = logging.getLogger(__name__)

NEVER = 2**31
"""Failures after which a source is paused: it may come back any day."""
_LONGEST = 200
"""Characters of what went wrong."""
Report = dict[str, Any]
Ingest = Callable[[Schedule], Awaitable[Report]]
"""Ingests a source and returns the report of `weft ingest --json`. Raises WeftError where there is none."""


class Sources:
    """Ingests what is due, one after the other."""

    def __init__(
        self, schedules: Schedules, clock: Clock, ingest: Ingest, *, now: Callable[[], float] = time.time
    ) -> None:
        self._schedules = schedules
        self._clock = clock
        self._ingest = ingest
        self._now = now
        self._task: asyncio.Task[None] | None = None

    async def begin(self) -> int:
        """Ingest what is due, unless that is under way; it does not wait, since a folder may take an hour."""
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._refreshed())
        return 0

    async def close(self) -> None:
        """Break off what is under way; the next start goes on with it."""
        if self._task is not None:
            await end(self._task)

    async def _refreshed(self) -> None:
        try:
            await self.refresh()
        except WeftError as error:
            logger.error("Watched sources could not be looked after: %s", where(error), extra={"action": "sources"})

    async def refresh(self) -> int:
        """Ingest the sources that are due, and note what came of it; returns how many there were."""
        due = await self._clock.due(ScheduleKind.SOURCE)
        for entry, moment in due:
            try:
                report = await self._ingest(entry)
                problem = _problem_of(report)
            except WeftError as error:
                report, problem = {}, str(error)
            kept = {**entry.details, "at": self._now()}
            if report:
                names = ("added", "updated", "unchanged", "removed")
                kept["report"] = {name: int(report.get(name, 0)) for name in names}
                kept["refused"] = len(report.get("refused", ()))
            if problem:
                logger.warning("A watched source was not ingested: %s", problem, extra={"action": "source_failed"})
                await self._schedules.failed(entry.id, problem[:_LONGEST], most=NEVER)
            else:
                await self._schedules.went_well(entry.id, details=kept)
            await self._schedules.fired(entry.id, since=max(self._now(), moment + 1.0))
        return len(due)


def ingesting(data: Path, pack: str) -> Ingest:
    """Return what runs `weft ingest` on this data folder."""

    async def run(entry: Schedule) -> Report:
        command = [sys.executable, "-m", "bot.cli", "ingest", entry.text, "--json", "--data", str(data)]
        command += ["--collection", str(entry.details.get("collection", "documents"))]
        process = await asyncio.create_subprocess_exec(
            *command,
            env={**os.environ, "WEFT_PACK": pack},
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        try:
            out, err = await process.communicate()
        except asyncio.CancelledError:  # what was stored stays stored, and the next run goes on from there
            if process.returncode is None:
                process.terminate()
                await process.wait()
            raise
        return report_of(out, err, process.returncode)

    return run


def report_of(out: bytes, err: bytes, code: int | None) -> Report:
    """Return what `weft ingest --json` reported. Raises WeftError, with its last word, where that is nothing."""
    try:
        report = json.loads(out)
    except ValueError:
        lines = err.decode(errors="replace").strip().splitlines() or [f"it ended with {code}"]
        raise WeftError(lines[-1].removeprefix("weft: ")) from None
    return report if isinstance(report, dict) else {}


def _problem_of(report: Report) -> str:
    """Return why nothing at all was read; empty where something was."""
    read = any(report.get(name) for name in ("added", "updated", "unchanged"))
    refused = [each for each in report.get("refused", ()) if isinstance(each, dict)]
    return f"{refused[0].get('path')}: {refused[0].get('reason')}" if refused and not read else ""
