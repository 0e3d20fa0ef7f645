"""What a piece of work costs, told in a fixed piece of work of the same run, as machines differ and are busy."""

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

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
    """Tell what the body costs the processor, all threads, in pieces of work; known when it has ended."""
    cost, before = Cost(), unit()
    started = time.process_time()
    yield cost
    seconds = time.process_time() - started
    cost.unit = max(before, unit())
    cost.pieces = seconds / cost.unit
