"""`weft reindex`: both indexes made anew from the documents, beside the ones in use."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import click

from bot.app import open_engine
from bot.meanings import Tell
from bot.settings import Settings

PACE = 5.0
"""Seconds between two lines of progress, where there is no terminal."""


async def reindex(settings: Settings, *, forget: bool) -> int:
    """Make the indexes of words and of vectors anew, telling how far it is and what it cost; returns the exit code."""
    async with open_engine(settings) as engine:
        click.echo(f"words: {await engine.library.index.rebuild():,} passages")
        meanings = engine.meanings
        if meanings.embedders is None:
            click.echo("vectors: none, as WEFT_EMBEDDING_MODEL is not set or there is no endpoint to ask")
            return 0
        with _progress() as tell:
            followed = await meanings.rebuild(tell, forget=forget)
    click.echo(f"vectors: {followed.made:,} passages, by {meanings.embedders.passages.name}: {followed.cost}")
    if followed.problem:
        click.echo(f"{followed.missing:,} passages have no vector yet: {followed.problem}", err=True)
    return 1 if followed.problem else 0


@contextmanager
def _progress() -> Iterator[Tell]:
    """Show how far it is on standard error: a bar on a terminal, else a line now and then."""
    if not sys.stderr.isatty():
        yield _Lines().tell
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("Vectors", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


class _Lines:
    """Tells at the beginning, and then at a pace that a log bears."""

    def __init__(self) -> None:
        self._next = 0.0

    def tell(self, done: int, total: int) -> None:
        """Print a line if it is time for one."""
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + PACE
            click.echo(f"vectors: {done:,} of {total:,} passages", err=True)
