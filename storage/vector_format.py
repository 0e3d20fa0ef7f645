"""How the vector file looks on disk: the index as FAISS writes it, then a trailer of fixed length.

The index stands first so that FAISS can map it into memory instead of reading it. The trailer names
the embedding and holds a checksum over everything, verified before FAISS sees a byte: a flipped bit
among the numbers would load without an error, and a forged file may do worse. Both are one file
because two cannot be replaced in one step. Changes since the file was written are in its log
(`vector_log`), which names the file by `Header.id`.
"""

import hashlib
import json
import os
import struct
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from agent.errors import CorruptError

Ids = NDArray[np.int64]
Rows = NDArray[np.float32]

REPAIR = "weft reindex"
NAME_CHARACTERS = 200
"""Of an embedding's name: it must fit into the trailer, also where every character takes six bytes."""
_FORMAT = "weft vectors 2"
TRAILER = 2048
"""Bytes."""
_CHUNK = 1 << 20
# Where FAISS keeps the number of vectors: in the map of ids, and in the flat index inside of it.
_COUNTS = (8, 45)
_HEAD = 74
"""Bytes before the vectors' own length."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Header:
    """What a file says of itself; `id` is another one for every file that was ever written."""

    id: str
    embedding: str
    dimensions: int
    vectors: int
    sha256: str = ""

    def covered(self) -> bytes:
        """Return what the checksum covers besides the index."""
        return json.dumps([_FORMAT, self.id, self.embedding, self.dimensions, self.vectors]).encode()

    def line(self) -> bytes:
        """Return the header as it stands in the file."""
        fields = {"format": _FORMAT, "id": self.id, "embedding": self.embedding, "dimensions": self.dimensions}
        fields |= {"vectors": self.vectors, "sha256": self.sha256}
        return json.dumps(fields).encode().ljust(TRAILER - 1) + b"\n"


def read_header(file: BinaryIO, path: Path, *, trusted: str = "") -> Header:
    """Return the header of an open file whose checksum holds. Raises CorruptError.

    A file of the id `trusted`, which the caller wrote itself, is not read for its checksum.
    """
    size = os.fstat(file.fileno()).st_size - TRAILER
    try:
        file.seek(size)
        fields = json.loads(file.read(TRAILER))
        known = fields.pop("format") == _FORMAT
        header = Header(**fields)
        bytes.fromhex(header.id)
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        raise damaged(path) from None
    if not known:
        raise damaged(path)
    if trusted and header.id == trusted:
        return header
    digest = hashlib.sha256(header.covered())
    file.seek(0)
    left = size
    while left and (chunk := file.read(min(_CHUNK, left))):
        digest.update(chunk)
        left -= len(chunk)
    if digest.hexdigest() != header.sha256:
        raise damaged(path)
    return header


def map_index(path: Path, header: Header) -> Any:
    """Return the FAISS index of a file whose header was read, its ids ascending. Raises CorruptError.

    The vectors stay on disk, mapped into memory; the file may be replaced meanwhile, but not changed.
    """
    faiss = library()
    try:
        index = faiss.read_index(str(path), faiss.IO_FLAG_MMAP_IFC)
    except RuntimeError:
        raise damaged(path) from None
    if not isinstance(index, faiss.IndexIDMap2) or (index.d, index.ntotal) != (header.dimensions, header.vectors):
        raise damaged(path)
    ids = faiss.vector_to_array(index.id_map)
    flat = faiss.downcast_index(index.index)
    if not isinstance(flat, faiss.IndexFlatIP) or len(ids) != flat.ntotal or (np.diff(ids) <= 0).any():
        raise damaged(path)
    return index


def write(path: Path, parts: Iterable[tuple[Ids, Rows]], header: Header) -> None:
    """Replace the file in one step that a crash cannot halve. Raises OSError.

    The vectors come in parts, ascending by id, so that they need not be in memory all at once.
    """
    digest = hashlib.sha256(header.covered())
    part = path.with_name(path.name + ".tmp")
    try:
        with part.open("wb") as file:
            written: list[Ids] = []
            for chunk in _pieces(parts, header, written):
                file.write(chunk)
                digest.update(chunk)
            if sum(len(ids) for ids in written) != header.vectors:
                raise ValueError(f"{sum(len(ids) for ids in written)} vectors came where {header.vectors} were said")
            file.write(replace(header, sha256=digest.hexdigest()).line())
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)
    sync_folder(path)


def _pieces(parts: Iterable[tuple[Ids, Rows]], header: Header, written: list[Ids]) -> Iterable[bytes]:
    """Yield an IndexIDMap2 over an IndexFlatIP as FAISS writes it, which would want all of it in memory."""
    faiss = library()
    empty = faiss.IndexIDMap2(faiss.IndexFlatIP(header.dimensions))
    head = bytearray(faiss.serialize_index(empty).tobytes()[:_HEAD])
    for place in _COUNTS:
        struct.pack_into("<q", head, place, header.vectors)
    yield bytes(head)
    yield struct.pack("<Q", header.vectors * header.dimensions)
    for ids, rows in parts:
        written.append(ids)
        yield np.ascontiguousarray(rows, dtype="<f4").tobytes()
    yield struct.pack("<Q", header.vectors)
    yield from (np.ascontiguousarray(ids, dtype="<i8").tobytes() for ids in written)


def sync_folder(path: Path) -> None:
    """Make a rename beside `path` last."""
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def library() -> Any:
    """Return FAISS, imported when it is first needed (its own type hints leave out what is used here)."""
    import faiss

    faiss.omp_set_num_threads(1)  # for the calling thread; with more a single query was measured to be slower
    return faiss


def damaged(path: Path) -> CorruptError:
    """Return the error for a file that does not hold what it should."""
    return CorruptError(f"{path} is damaged: run `{REPAIR}` to make it anew from the documents.")
