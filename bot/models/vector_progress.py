"""How far the vectors are: on standard error, or in the log of a process that runs on."""

import logging
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

from bot.models.vector_sync import Tell
from bot.progress_bar import duration

logger = logging.getLogger(__name__)

PACE = 5.0
"""Seconds between two lines of progress, where there is no terminal."""
LOG_PACE = 60.0
"""The same in a log."""


@contextmanager
def shown(*, quiet: bool = False) -> Iterator[Tell]:
    """Show how far it is on standard error: a bar on a terminal, else a line now and then; `quiet`: not at all."""
    if quiet:
        yield lambda done, total: None
        return
    if not sys.stderr.isatty():
        yield _Lines(lambda line: click.echo(line, err=True), PACE).tell
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("Vectors", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def logged() -> Tell:
    """Return what tells it the log: at the beginning, now and then, and at the end."""
    return _Lines(lambda line: logger.info("%s", line, extra={"action": "vectors"}), LOG_PACE).tell


class _Lines:
    """Tells at the beginning, at the end, and at a pace in between."""

    def __init__(self, say: Callable[[str], None], pace: float) -> None:
        self._say = say
        self._pace = pace
        self._begun = self._next = time.monotonic()

    def tell(self, done: int, total: int) -> None:
        """Print a line if it is time for one, with the time that the rest will take at the pace so far."""
        now = time.monotonic()
        if now < self._next and done < total:
            return
        self._next = now + self._pace
        left = (now - self._begun) / done * (total - done) if done else 0.0
        rest = f", about {duration(left)} left" if left >= PACE else ""
        self._say(f"vectors: {done:,} of {total:,} passages{rest}")
