"""Tells a damaged log beside a SQLite database, which SQLite itself passes over without a word.

Each frame of a log carries the salt of its head and a checksum that goes on from the frame before. SQLite reads up to
the first frame that does not hold, and takes what is behind it for never written, as after a power cut; the next write
goes over it. It is damage where transactions that were ended stand behind such a frame: more than one, since the last
may just have been written when its process was killed. Format: https://www.sqlite.org/fileformat2.html, 4.1 and 4.2.

Only the log is opened, never the database or the index beside the log: closing one of those would let go of the locks
that this process holds on it (https://www.sqlite.org/howtocorrupt.html, 2.2).
"""

import struct
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

_HEAD, _FRAME_HEAD = 32, 24
_MAGIC = (0x377F0682, 0x377F0683)
_CHUNK = 1_000
"""Frames that are read at once: some megabytes."""
_AGAIN = 0.05
"""Seconds until a log is looked at again: another process may just be writing what was read."""
_MASK = 0xFFFFFFFF
Words = NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class _Seen:
    """What one look at a log found."""

    head: bytes
    holds: bool = True
    broken: int = -1
    """The first frame that does not hold; -1: there is none."""
    lost: int = 0
    """Transactions that were ended behind it."""


def damaged(path: Path) -> str:
    """Return what is damaged in the log of a database; empty for nothing, or no log."""
    try:
        with path.with_name(path.name + "-wal").open("rb") as log:
            seen = _look(log)
            if seen.holds and seen.lost < 2:
                return ""
            time.sleep(_AGAIN)
            if _look(log) != seen:  # it was being written
                return ""
    except OSError:
        return ""  # there is none
    if not seen.holds:
        return "its log cannot be read: the head of it is damaged"
    return f"its log is: {seen.lost} of the transactions in it cannot be read"


def _look(log: BinaryIO) -> _Seen:
    log.seek(0)
    head = log.read(_HEAD)
    if len(head) < _HEAD:
        return _Seen(b"")  # nothing was written yet
    magic, _, page, *_, first, second = struct.unpack(">8I", head)
    order = ">u4" if magic & 1 else "<u4"
    if magic not in _MAGIC or _sums(np.frombuffer(head[:24], order)[None], (0, 0))[0] != (first, second):
        return _Seen(head, holds=False)
    sums, broken, lost = (first, second), -1, 0
    for number, (frames, words) in enumerate(_chunks(log, page, order)):
        ours = (frames[:, 8:16] == np.frombuffer(head[16:24], np.uint8)).all(axis=1)
        ends = ours & frames[:, 4:8].any(axis=1)
        place = 0
        if broken < 0:
            carried = np.ascontiguousarray(frames[:, 16:24]).view(">u4")
            for place, found in enumerate(_sums(words, sums)):
                if not ours[place] or found != (int(carried[place, 0]), int(carried[place, 1])):
                    broken = number * _CHUNK + place
                    break
                sums = found
        if broken >= 0:
            lost += int(ends[place:].sum())
    return _Seen(head, broken=broken, lost=lost)


def _chunks(log: BinaryIO, page: int, order: str) -> Iterator[tuple[NDArray[np.uint8], Words]]:
    """Yield frames, and the words of each that its checksum is of: half of its head, and the page."""
    length = _FRAME_HEAD + page
    while read := log.read(_CHUNK * length):
        count = len(read) // length
        if not count:
            return
        frames = np.frombuffer(read, np.uint8, count * length).reshape(count, length)
        summed = np.concatenate([frames[:, :8], frames[:, _FRAME_HEAD:]], axis=1)
        yield frames, summed.view(order)


def _sums(words: Words, sums: tuple[int, int]) -> list[tuple[int, int]]:
    """Return the two checksums behind each row of words, each going on from the row before.

    What SQLite adds up word by word, `a += x + b; b += y + a`, is linear in a, b and the words: a row adds the same
    multiples of its words, whatever was before it.
    """
    of_words, (aa, ab, ba, bb) = _weights(words.shape[1])
    added = [(words * weights).sum(axis=1, dtype=np.uint32) for weights in of_words]
    found: list[tuple[int, int]] = []
    a, b = sums
    for one, other in zip(*(each.tolist() for each in added), strict=True):
        a, b = (aa * a + ab * b + one) & _MASK, (ba * a + bb * b + other) & _MASK
        found.append((a, b))
    return found


@lru_cache(maxsize=4)
def _weights(count: int) -> tuple[tuple[Words, Words], tuple[int, int, int, int]]:
    """Return how often each of so many words counts in the two sums, and how often what the sums were before."""
    weights = np.zeros((2, count), np.uint32)
    aa, ab, ba, bb = 1, 0, 0, 1  # of the words behind: what a and b turn into
    for place in range(count - 2, -1, -2):
        # x adds itself to a, and so to b; y adds itself to b
        weights[0, place], weights[1, place] = (aa + ab) & _MASK, (ba + bb) & _MASK
        weights[0, place + 1], weights[1, place + 1] = ab, bb
        aa, ab, ba, bb = (aa + ab) & _MASK, (aa + 2 * ab) & _MASK, (ba + bb) & _MASK, (ba + 2 * bb) & _MASK
    return (weights[0], weights[1]), (aa, ab, ba, bb)
