"""`weft ingest`: files and folders into a collection, with progress and a report."""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from agent.errors import UsageError
from bot.app import open_engine
from bot.lock import ingesting
from bot.settings import Settings
from storage.ingest.run import IngestProgress, IngestReport, ingest

if TYPE_CHECKING:
    from rich.progress import TaskID


async def ingest_paths(settings: Settings, paths: Sequence[Path], collection: str, *, as_json: bool) -> int:
    """Bring files and folders into a collection and say what came of it; returns the exit code."""
    async with open_engine(settings) as engine:
        if collection == engine.pack.name and engine.pack.sample:
            raise UsageError(f"{collection!r} holds the sample documents: choose another --collection")
        await engine.library.declare(collection)
        async with ingesting(settings.data, collection):
            with _bar(shown=not as_json) as progress:
                report = await ingest(paths, library=engine.library, collection=collection, progress=progress)
        await engine.meanings.follow()
    if as_json:
        click.echo(json.dumps(report.as_json(), ensure_ascii=False))
    else:
        _say(report, collection)
    return 1 if report.refused else 0


def _say(report: IngestReport, collection: str) -> None:
    click.echo(
        f"{report.added} added, {report.updated} updated, {report.unchanged} unchanged, {report.removed} removed "
        f"in {collection!r}: "
        f"{report.passages} passages in {report.seconds:.1f} s"
    )
    for name in report.skipped:
        click.echo(f"skipped {name}", err=True)
    for refused in report.refused:
        click.echo(f"refused {refused.path}: {refused.reason}", err=True)


@contextmanager
def _bar(*, shown: bool) -> Iterator[Callable[[IngestProgress], None] | None]:
    """Show how far an ingest is, on standard error, where that is a terminal."""
    if not shown:
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[passages]} passages, {task.fields[rate]:,.0f}/s"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task: TaskID = bar.add_task("Reading", total=None, passages=0, rate=0.0)

        def tell(progress: IngestProgress) -> None:
            one_file = progress.files_total == 1  # then the bytes tell more than the files
            done = progress.bytes_done if one_file else progress.files_done
            total = progress.bytes_total if one_file else progress.files_total
            bar.update(task, completed=done, total=total, passages=progress.passages, rate=progress.rate)

        yield tell
