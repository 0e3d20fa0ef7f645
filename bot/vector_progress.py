"""How far the vectors are, on standard error."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import click

from bot.ingest_progress import duration
from bot.meanings import Tell

PACE = 5.0
"""Seconds between two lines of progress, where there is no terminal."""


@contextmanager
def shown(*, quiet: bool = False) -> Iterator[Tell]:
    """Show how far it is on standard error: a bar on a terminal, else a line now and then; `quiet`: not at all."""
    if quiet:
        yield lambda done, total: None
        return
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
        self._begun = self._next = time.monotonic()

    def tell(self, done: int, total: int) -> None:
        """Print a line if it is time for one, with the time that the rest will take at the pace so far."""
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + PACE
        left = (now - self._begun) / done * (total - done) if done else 0.0
        rest = f", about {duration(left)} left" if left >= PACE else ""
        click.echo(f"vectors: {done:,} of {total:,} passages{rest}", err=True)
