"""How far an ingest is: a bar where standard error is a terminal, else a line now and then."""

import asyncio
import re
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import click

from storage.ingest.report import IngestProgress

PACE = 10.0
"""Seconds between two lines."""
_NAME = 44
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


class Progress:
    """Keeps the last word of an ingest, and passes every word on to whoever shows it."""

    def __init__(self) -> None:
        self.last: IngestProgress | None = None
        self.show: Callable[[IngestProgress], None] = lambda progress: None

    def __call__(self, progress: IngestProgress) -> None:
        """Take the latest word."""
        self.last = progress
        self.show(progress)


@asynccontextmanager
async def shown(progress: Progress, *, quiet: bool, pace: float = PACE) -> AsyncIterator[None]:
    """Show progress on standard error while the body runs; `quiet` leaves out the lines of a file or pipe."""
    if sys.stderr.isatty():
        async with _bar(progress):
            yield
        return
    lines = asyncio.create_task(_lines(progress, pace)) if not quiet else None
    try:
        yield
    finally:
        if lines:
            lines.cancel()


def clean(text: str) -> str:
    """Return a text without what would steer a terminal; a file's name may hold anything."""
    return _CONTROL.sub("?", text)


def line(progress: IngestProgress) -> str:
    """Return how far it is as one line."""
    left = progress.seconds_left
    parts = [
        f"{progress.files_done:,} of {progress.files_total:,} files",
        f"{progress.passages:,} passages, {progress.rate:,.0f}/s",
        f"about {duration(left)} left" if left is not None else "",
        f"{progress.refused:,} refused" if progress.refused else "",
        f"at {_short(progress.current)}" if progress.current else "",
    ]
    return ", ".join(part for part in parts if part)


async def _lines(progress: Progress, pace: float) -> None:
    while True:
        await asyncio.sleep(pace)
        if progress.last:
            click.echo(line(progress.last), err=True)


@asynccontextmanager
async def _bar(progress: Progress) -> AsyncIterator[None]:
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn
    from rich.progress import Progress as Bar

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=20),
        TextColumn("{task.fields[told]}", markup=False),
    )
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("Looking", total=None, told="")

        def show(now: IngestProgress) -> None:
            left = now.seconds_left
            told = [
                f"{now.files_done:,} of {now.files_total:,} files",
                f"{now.passages:,} passages, {now.rate:,.0f}/s",
                f"{duration(left)} left" if left is not None else "",
                f"{now.refused:,} refused" if now.refused else "",
            ]
            bar.update(
                task,
                description=_short(now.current) or "Reading",
                completed=_fraction(now),
                total=1.0,
                told=", ".join(part for part in told if part),
            )

        progress.show = show
        try:
            yield
        finally:
            progress.show = lambda now: None


def _fraction(now: IngestProgress) -> float:
    """Return how much is done: by size, where that is known of all."""
    if now.bytes_total and not now.unfetched:
        return now.bytes_done / now.bytes_total
    return now.files_done / max(now.files_total, 1)


def _short(name: str) -> str:
    """Return the end of a name, where names differ."""
    name = clean(name)
    return name if len(name) <= _NAME else "…" + name[1 - _NAME :]


def duration(seconds: float) -> str:
    """Return a span of time as people read it on a clock: 1:05 for 65 seconds."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
