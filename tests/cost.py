"""What a piece of work costs, told in a fixed piece of work of the same run, as machines differ and are busy."""

import gc
import re
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from unittest import mock

_WORDS = re.compile(r"\w+")
_TEXT = "The vault code of the archive changes every May, and the keeper of the 3 keys tells it. 휴가는 며칠? " * 400


def piece() -> float:
    """Do the fixed piece of work; returns the seconds of the processor that it took, some 10 ms."""
    started = time.thread_time()
    for _ in range(2):
        counts: dict[str, int] = {}
        for word in _WORDS.findall(_TEXT):
            key = "".join(sorted(word.lower()))
            counts[key] = counts.get(key, 0) + 1
        sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        sum(ord(letter) * 31 % 7 for letter in _TEXT)
    return time.thread_time() - started


def unit() -> float:
    """Return what a piece takes on this machine as it is now: the longest of some, as others slow it down by turns."""
    return max(piece() for _ in range(3))


@dataclass(slots=True)
class Cost:
    """What was spent between two moments."""

    pieces: float = 0.0
    unit: float = 0.0
    """Seconds that one of them took meanwhile."""


@contextmanager
def spent() -> Iterator[Cost]:
    """Tell what the body costs the processor, in pieces of work; known when it has ended.

    What counts is its own thread and what it hands to pools of threads. Threads of others do not, nor does looking for
    garbage: that goes through all that earlier tests have left, which takes as long as ten pieces, and falls anywhere.
    """
    jobs: list[float] = []
    cost = Cost()
    with _no_collection(), mock.patch.object(ThreadPoolExecutor, "submit", _timed(ThreadPoolExecutor.submit, jobs)):
        before = unit()
        started = time.thread_time()
        yield cost
        seconds = time.thread_time() - started + sum(jobs)
        cost.unit = max(before, unit())
        cost.pieces = seconds / cost.unit


def _timed(submit: Callable[..., Any], jobs: list[float]) -> Callable[..., Any]:
    """Return a pool's `submit` that adds the seconds of the processor that a job took to `jobs`, when it has ended."""

    def timed(pool: ThreadPoolExecutor, work: Callable[..., Any], /, *args: object, **named: object) -> Any:
        def job() -> Any:
            started = time.thread_time()
            try:
                return work(*args, **named)
            finally:
                jobs.append(time.thread_time() - started)

        return submit(pool, job)

    return timed


@contextmanager
def _no_collection() -> Iterator[None]:
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()
