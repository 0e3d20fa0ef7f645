"""What changed since the vector file was written: one frame for each save, at the end of a log beside it.

So a new document costs its own vectors, not the whole file. The log names the file that it goes
with; one of another file is out of date and counts as empty. Every frame has a checksum. A frame
that is not all there was cut off by a crash before its save returned: the next save drops it.
"""

import hashlib
import os
import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from storage.vector_format import Ids, Rows, damaged, sync_folder

_MAGIC = b"weftlog1"
_HEAD = struct.Struct("<8s16sI")
_FRAME = struct.Struct("<4sII16s")
_CHECK = struct.Struct("<I")
BEGIN = _HEAD.size + _CHECK.size


@dataclass(frozen=True, kw_only=True, slots=True)
class Change:
    """What one save did: these ids were removed, those were set."""

    removed: Ids
    ids: Ids
    rows: Rows


@dataclass(frozen=True, kw_only=True, slots=True)
class Log:
    """The log of one vector file."""

    path: Path
    base: str
    """`Header.id` of the file that it goes with."""
    dimensions: int

    def read(self, offset: int) -> tuple[Sequence[Change], int]:
        """Return the changes from `offset` (0: all), and the place after the last whole one. Raises CorruptError."""
        try:
            with self.path.open("rb") as file:
                head = file.read(BEGIN)
                if len(head) < BEGIN or not self._ours(head):
                    return [], 0
                file.seek(max(offset, BEGIN))
                content = file.read()
        except FileNotFoundError:
            return [], 0
        changes, used = [], 0
        while (found := self._frame(content, used)) is not None:
            change, used = found
            changes.append(change)
        return changes, max(offset, BEGIN) + used

    def append(self, change: Change, offset: int) -> int:
        """Write a change durably at this place, dropping what may stand there; returns the place after it."""
        frame = _packed(change)
        if offset < BEGIN:
            self._begin(frame)
            return BEGIN + len(frame)
        with self.path.open("r+b") as file:
            try:
                file.truncate(offset)
                file.seek(offset)
                file.write(frame)
                file.flush()
                os.fsync(file.fileno())
            except OSError:
                os.truncate(self.path, offset)
                raise
        return offset + len(frame)

    def _begin(self, frame: bytes) -> None:
        part = self.path.with_name(self.path.name + ".tmp")
        head = _HEAD.pack(_MAGIC, bytes.fromhex(self.base), self.dimensions)
        try:
            with part.open("wb") as file:
                file.write(head + _CHECK.pack(zlib.crc32(head)) + frame)
                file.flush()
                os.fsync(file.fileno())
            os.replace(part, self.path)
        finally:
            part.unlink(missing_ok=True)
        sync_folder(self.path)

    def _ours(self, head: bytes) -> bool:
        magic, base, dimensions = _HEAD.unpack_from(head)
        (check,) = _CHECK.unpack_from(head, _HEAD.size)
        if check != zlib.crc32(head[: _HEAD.size]) or magic != _MAGIC:
            raise damaged(self.path)
        return bool(base.hex() == self.base and dimensions == self.dimensions)

    def _frame(self, content: bytes, start: int) -> tuple[Change, int] | None:
        body = start + _FRAME.size + _CHECK.size
        if len(content) < body:
            return None
        head = content[start : start + _FRAME.size]
        magic, removed, added, digest = _FRAME.unpack(head)
        if content[body - _CHECK.size : body] != _CHECK.pack(zlib.crc32(head)) or magic != b"SAVE":
            raise damaged(self.path)
        end = body + 8 * removed + added * (8 + 4 * self.dimensions)
        if len(content) < end:
            return None
        payload = content[body:end]
        if hashlib.sha256(payload).digest()[:16] != digest:
            raise damaged(self.path)
        ids = np.frombuffer(payload, dtype="<i8", count=removed + added)
        rows = np.frombuffer(payload, dtype="<f4", offset=ids.nbytes).reshape(added, self.dimensions)
        return Change(removed=ids[:removed], ids=ids[removed:], rows=rows), end


def _packed(change: Change) -> bytes:
    parts = (change.removed.astype("<i8"), change.ids.astype("<i8"), change.rows.astype("<f4"))
    payload = b"".join(part.tobytes() for part in parts)
    digest = hashlib.sha256(payload).digest()[:16]
    head = _FRAME.pack(b"SAVE", len(change.removed), len(change.ids), digest)
    return head + _CHECK.pack(zlib.crc32(head)) + payload
