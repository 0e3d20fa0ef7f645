"""Tells a damaged log beside a SQLite database, which SQLite itself passes over without a word.

Each frame of a log carries the salt of its head and a checksum that goes on from the frame before. SQLite reads up to
the last transaction before the first frame that does not hold, and takes what is behind it for never written, as behind
a power cut; the next write goes over it. It is damage where a transaction that was ended stands behind such a frame.
Formats: https://www.sqlite.org/fileformat2.html (4.1) and https://www.sqlite.org/walformat.html (2).
"""

import struct
import time
from pathlib import Path
from typing import BinaryIO

_HEAD, _FRAME_HEAD = 32, 24
_MAGIC = (0x377F0682, 0x377F0683)
_INDEX = 48
"""Bytes of the first part of the index beside a log."""
_MOST = 2_000
"""Frames of a transaction that was not ended, behind which nothing is looked for: a tenth of a second or two."""
_AGAIN = 0.05
"""Seconds until a head is looked at again that another process may just have been writing."""


def damaged(path: Path) -> str:
    """Return what is damaged in the log of a database that was just read; empty for nothing, or no log."""
    try:
        with path.with_name(path.name + "-wal").open("rb") as log:
            return _damaged(log, path.with_name(path.name + "-shm"))
    except OSError:
        return ""  # there is none


def _damaged(log: BinaryIO, index: Path) -> str:
    head = _head(log)
    if not head:
        return ""
    if not _holds(head):
        time.sleep(_AGAIN)
        head = _head(log)
        if head and not _holds(head):
            return "its log cannot be read: the head of it is damaged"
    lost = _lost(log, head, index) if head else 0
    return f"its log is: {lost} of the transactions in it cannot be read" if lost and _head(log) == head else ""


def _head(log: BinaryIO) -> bytes:
    """Return the head of a log; empty where nothing was written yet."""
    log.seek(0)
    head = log.read(_HEAD)
    return head if len(head) == _HEAD else b""


def _holds(head: bytes) -> bool:
    """Tell whether a head is one."""
    magic, *_, first, second = struct.unpack(">8I", head)
    return magic in _MAGIC and _checksum(magic, (0, 0), head[:24]) == (first, second)


def _lost(log: BinaryIO, head: bytes, index: Path) -> int:
    """Return how many transactions were ended behind the first frame that does not hold."""
    with index.open("rb") as opened:
        seen = opened.read(_INDEX)
    if len(seen) < _INDEX or seen[32:40] != head[16:24]:  # of another state of the log
        return 0
    magic, _, page, *_ = struct.unpack(">8I", head)
    length, (number,) = _FRAME_HEAD + page, struct.unpack_from("=I", seen, 16)
    sums, broken, lost = _sums_before(log, head, number, length), False, 0
    for place in range(number, number + _MOST):
        log.seek(_HEAD + place * length)
        frame = log.read(length if not broken else _FRAME_HEAD)
        if len(frame) < (length if not broken else _FRAME_HEAD):
            break
        ours = frame[8:16] == head[16:24]
        if not broken:
            sums = _checksum(magic, _checksum(magic, sums, frame[:8]), frame[_FRAME_HEAD:])
            broken = not ours or sums != struct.unpack_from(">2I", frame, 16)
        lost += broken and ours and frame[4:8] != bytes(4)
    return lost


def _sums_before(log: BinaryIO, head: bytes, number: int, length: int) -> tuple[int, int]:
    """Return the checksums that the frame of this number goes on from."""
    if not number:
        return struct.unpack_from(">2I", head, 24)
    log.seek(_HEAD + (number - 1) * length + 16)
    return struct.unpack(">2I", log.read(8))


def _checksum(magic: int, sums: tuple[int, int], content: bytes) -> tuple[int, int]:
    order, (first, second) = ">" if magic & 1 else "<", sums
    words = struct.unpack(f"{order}{len(content) // 4}I", content)
    for one, other in zip(words[::2], words[1::2], strict=True):
        first = (first + one + second) & 0xFFFFFFFF
        second = (second + other + first) & 0xFFFFFFFF
    return first, second
