"""How the vector file looks on disk: a header line of fixed length, then the index as FAISS writes it.

The header names the embedding and holds a checksum over everything, verified before FAISS sees a
byte: a flipped bit among the numbers would load without an error, and a forged file may do worse.
Both are one file because two cannot be replaced in one step.
"""

import hashlib
import json
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

from agent.errors import CorruptError

REPAIR = "weft reindex"
NAME_CHARACTERS = 200
"""Of an embedding's name: it must fit into the header, also where every character takes six bytes."""
_FORMAT = "weft vectors 1"
HEADER = 2048
"""Bytes."""
_CHUNK = 1 << 20


@dataclass(frozen=True, kw_only=True, slots=True)
class Header:
    """What a file says of itself."""

    embedding: str
    dimensions: int
    vectors: int
    sha256: str = ""

    def covered(self) -> bytes:
        """Return what the checksum covers besides the index."""
        return json.dumps([_FORMAT, self.embedding, self.dimensions, self.vectors]).encode()

    def line(self) -> bytes:
        """Return the header as it stands in the file."""
        fields = {"format": _FORMAT, "embedding": self.embedding, "dimensions": self.dimensions}
        fields |= {"vectors": self.vectors, "sha256": self.sha256}
        return json.dumps(fields).encode().ljust(HEADER - 1) + b"\n"


def read_header(file: BinaryIO, path: Path) -> Header:
    """Return the header of an open file whose checksum holds. Raises CorruptError."""
    try:
        fields = json.loads(file.read(HEADER))
        known = fields.pop("format") == _FORMAT
        header = Header(**fields)
    except (ValueError, TypeError, KeyError, AttributeError):
        raise damaged(path) from None
    digest = hashlib.sha256(header.covered())
    while chunk := file.read(_CHUNK):
        digest.update(chunk)
    if not known or digest.hexdigest() != header.sha256:
        raise damaged(path)
    return header


def read_index(file: BinaryIO, header: Header, path: Path) -> Any:
    """Return the FAISS index of a file whose header was read. Raises CorruptError."""
    faiss = library()
    file.seek(HEADER)
    try:
        index = faiss.read_index(faiss.PyCallbackIOReader(file.read))
    except RuntimeError:
        raise damaged(path) from None
    if not isinstance(index, faiss.IndexIDMap2) or (index.d, index.ntotal) != (header.dimensions, header.vectors):
        raise damaged(path)
    return index


def new_index(dimensions: int) -> Any:
    """Return an empty FAISS index: exact, by inner product, with ids of our own that can be removed."""
    faiss = library()
    return faiss.IndexIDMap2(faiss.IndexFlatIP(dimensions))


def write(path: Path, index: Any, *, embedding: str) -> None:
    """Replace the file in one step that a crash cannot halve. Raises OSError."""
    faiss = library()
    header = Header(embedding=embedding, dimensions=int(index.d), vectors=int(index.ntotal))
    digest = hashlib.sha256(header.covered())
    part = path.with_name(path.name + ".tmp")
    failure: list[OSError] = []
    try:
        with part.open("wb") as file:

            def put(chunk: bytes) -> None:
                try:
                    file.write(chunk)
                except OSError as error:  # FAISS would tell no more than that its writer failed
                    failure.append(error)
                    raise
                digest.update(chunk)

            file.write(header.line())
            faiss.write_index(index, faiss.PyCallbackIOWriter(put))
            file.seek(0)
            file.write(replace(header, sha256=digest.hexdigest()).line())
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    except RuntimeError:
        if failure:
            raise failure[0] from None
        raise
    finally:
        part.unlink(missing_ok=True)
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
