"""`weft ingest`: files, folders and URLs into a collection, with progress and a report."""

import asyncio
import json
import re
import shlex
import signal
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from agent.errors import StorageError, UsageError
from bot.app import open_engine
from bot.models import vector_progress
from bot.operator.collection_names import check_new
from bot.process_lock import workspace
from bot.progress_bar import Progress, clean, shown
from bot.settings import Settings
from storage.ingest.report import IngestReport
from storage.ingest.run import ingest
from storage.ingest.urls import is_url

if TYPE_CHECKING:
    from adapters.services.fetch import Fetcher

_LISTED = 20
"""Refusals that are shown one by one."""
_SKIPPED = 10
_REASONS = 8
_ADVICE = {
    "disk is full": "make room",
    "disk I/O": "is the disk full?",
    "locked": "another program holds the database",
}


async def ingest_paths(
    settings: Settings, paths: Sequence[str | Path], collection: str, *, follow_links: bool = False, as_json: bool
) -> int:
    """Bring files, folders and URLs into a collection and say what came of it; returns the exit code."""
    progress = Progress()
    with _stoppable() as stopped:
        try:
            report = await _bring(settings, paths, collection, progress, follow_links=follow_links, as_json=as_json)
        except asyncio.CancelledError:
            click.echo(f"weft: stopped: {_so_far(progress)}", err=True)
            if not stopped:
                raise
            return 128 + signal.SIGTERM
        except StorageError as error:
            advice = next((f" ({advice})" for word, advice in _ADVICE.items() if word in str(error)), "")
            so_far = f": {_so_far(progress)}" if progress.last else ""
            raise type(error)(f"{error}{advice}{so_far}") from error
    if as_json:
        click.echo(json.dumps(report.as_json(), ensure_ascii=False))
    else:
        _say(report, collection)
    return 1 if any(not each.is_textless for each in report.refused) else 0


async def _bring(
    settings: Settings,
    paths: Sequence[str | Path],
    collection: str,
    progress: Progress,
    *,
    follow_links: bool,
    as_json: bool,
) -> IngestReport:
    def waiting() -> None:
        if not as_json:
            click.echo(f"another ingest into {collection!r} is running: waiting for it", err=True)

    def vectors_made() -> None:
        if not as_json:
            click.echo("another Weft is making vectors: waiting for it; what was read is found by its words", err=True)

    await check_new(settings, collection)
    async with open_engine(settings, follows=True) as engine:
        if collection == engine.pack.name and engine.pack.sample:
            raise UsageError(f"{collection!r} holds the sample documents: choose another --collection")
        await engine.database.widen()
        await engine.library.declare(collection)
        begun = time.monotonic()
        async with engine.locks.ingesting(collection, waiting=waiting):
            with _fetcher(settings, paths) as fetch:
                async with shown(progress, quiet=as_json):
                    report = await ingest(
                        paths,
                        library=engine.library,
                        collection=collection,
                        progress=progress,
                        fetch=fetch,
                        follow_links=follow_links,
                    )
        await engine.library.index.settle()
        with vector_progress.shown(quiet=as_json or engine.meanings.embedders is None) as tell:
            followed = await engine.meanings.follow(tell, waiting=vectors_made)
        if followed.summary:
            click.echo(followed.summary, err=True)
        return replace(report, seconds=time.monotonic() - begun)


@contextmanager
def _fetcher(settings: Settings, paths: Sequence[str | Path]) -> Iterator["Fetcher | None"]:
    """Give what fetches URLs, where there are any."""
    if not any(map(is_url, paths)):
        yield None
        return
    from adapters.services.fetch import Fetcher

    with workspace(settings.data) as place:
        yield Fetcher(place, private=settings.fetch_private, most=settings.fetch_bytes, seconds=settings.fetch_seconds)


@contextmanager
def _stoppable() -> Iterator[list[int]]:
    """Let SIGTERM end the task as Ctrl-C does; the list tells that it was so."""
    task, loop = asyncio.current_task(), asyncio.get_running_loop()
    stopped: list[int] = []

    def stop() -> None:
        stopped.append(signal.SIGTERM)
        if task:
            task.cancel()

    with suppress(NotImplementedError, RuntimeError, ValueError):  # not every thread may take signals
        loop.add_signal_handler(signal.SIGTERM, stop)
    try:
        yield stopped
    finally:
        with suppress(NotImplementedError, RuntimeError, ValueError):
            loop.remove_signal_handler(signal.SIGTERM)


def _so_far(progress: Progress) -> str:
    stored = progress.last.stored if progress.last else 0
    return f"{stored} documents were stored; the same command goes on from there"


def _say(report: IngestReport, collection: str) -> None:
    click.echo(
        f"{report.added} added, {report.updated} updated, {report.unchanged} unchanged, {report.removed} removed "
        f"in {collection!r}: "
        f"{report.passages} passages in {report.seconds:.1f} s"
    )
    for line in (*_skipped(report), *_refused(report), *_emptied(report, collection)):
        click.echo(clean(line), err=True)


def _skipped(report: IngestReport) -> Iterator[str]:
    if len(report.skipped) <= _SKIPPED:
        yield from (f"skipped {name}" for name in report.skipped)
        return
    kinds = Counter(Path(re.sub(r":\d+$", "", name)).suffix or "without a suffix" for name in report.skipped)
    parts = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common(_REASONS))
    yield f"skipped {len(report.skipped)}: {parts}{', …' if len(kinds) > _REASONS else ''}"


def _refused(report: IngestReport) -> Iterator[str]:
    yield from (
        f"{'warning' if each.is_textless else 'refused'} {each.path}: {each.reason}"
        for each in report.refused[:_LISTED]
    )
    rest = report.refused[_LISTED:]
    if not rest:
        return
    yield f"refused {len(rest)} more (all of them with --json):"
    kinds = Counter(re.sub(r"\d[\d,.]*", "…", each.reason) for each in rest)
    for kind, count in kinds.most_common(_REASONS):
        yield f"  {count} × {kind}"
    if len(kinds) > _REASONS:
        yield f"  {len(kinds) - _REASONS} other reasons"


def _emptied(report: IngestReport, collection: str) -> Iterator[str]:
    remove = f"`weft documents remove ID --collection {shlex.quote(collection)}`"
    for folder, count in report.emptied.items():
        kept = "1 document of it is" if count == 1 else f"{count} documents of it are"
        yield f"no file is found in {folder} any more: {kept} kept, as it may not be mounted; {remove} removes for good"
