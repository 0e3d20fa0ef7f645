"""The word index on disk: a header of fixed length, then its arrays, mapped into memory where they are searched.

The header's checksum covers all of the file and is verified when it is opened: a flipped bit among
the numbers would otherwise only show as wrong answers. A file is written beside the live one and
put in its place in one step; whoever still reads the old one goes on with it.
"""

import hashlib
import json
import mmap
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, BinaryIO, Self

import numpy as np
from numpy.typing import NDArray

from agent.errors import CorruptError, StorageError
from storage.generation import Generation
from storage.merging import Kept, stretches
from storage.segment import CATEGORIES, KINDS, LANGUAGES, Columns, Segment

REPAIR = "weft reindex"
HEADER = 4096
"""Bytes."""
_FORMAT = "weft words 1"
_ALIGNED = 64
_CHUNK = 1 << 22
_NAMES = [list(CATEGORIES), list(KINDS), list(LANGUAGES)]
_POSTINGS = ("terms", "offsets", "rows", "counts")


@dataclass(frozen=True, kw_only=True, slots=True)
class Header:
    """What a file says of itself."""

    snapshot: str
    """An id of its own; the database remembers those that were made of it."""
    passage: int
    removal: int
    """The generation that it covers."""
    tokens: int
    """The version of the tokenizer."""
    passages: int
    made_at: float
    """Seconds since the epoch."""
    names: list[list[str]]
    """What the codes of categories, kinds and languages stand for."""
    blocks: dict[str, list[Any]]
    """By name of an array: where it begins, its type, its length."""
    sha256: str = ""

    @property
    def generation(self) -> Generation:
        """Return what the file covers."""
        return Generation(passage=self.passage, removal=self.removal)

    @property
    def usable(self) -> bool:
        """Tell whether its codes mean what ours do."""
        return self.names == _NAMES

    def line(self) -> bytes:
        """Return the header as it stands in the file."""
        values = {"format": _FORMAT} | {field.name: getattr(self, field.name) for field in fields(self)}
        line = json.dumps(values).encode().ljust(HEADER - 1) + b"\n"
        if len(line) != HEADER:
            raise ValueError("the header does not fit")
        return line

    @classmethod
    def parse(cls, line: bytes) -> Self:
        """Return the header that this is. Raises ValueError, TypeError or KeyError for anything else."""
        values = json.loads(line)
        if values.pop("format") != _FORMAT:
            raise ValueError("another format")
        header = cls(**values)
        if header.line() != line:
            raise ValueError("not as it was written")
        return header


def peek(path: Path) -> Header | None:
    """Return the header of a file, whose contents are not verified; None where there is none.

    Raises CorruptError, and StorageError for a file that cannot be read.
    """
    try:
        with path.open("rb") as file:
            return _header(file, path)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _unreadable(path, error) from error


def load(path: Path) -> tuple[Header, Segment] | None:
    """Return a file, verified, as a segment on mapped memory; None where there is none.

    Raises CorruptError, and StorageError for a file that cannot be read.
    """
    try:
        with path.open("rb") as file:
            header = _header(file, path)
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _unreadable(path, error) from error
    digest = hashlib.sha256(_covered(header))
    digest.update(memoryview(mapped)[HEADER:])
    if digest.hexdigest() != header.sha256:
        raise damaged(path)
    try:
        return header, _segment(header, mapped)
    except (KeyError, ValueError, TypeError):
        raise damaged(path) from None


def write(path: Path, header: Header, segments: Sequence[Segment], kept: Sequence[Kept]) -> Path:
    """Write the kept rows of these segments into a file beside `path`, and return it. Raises OSError.

    `header` says what it is; its blocks and checksum are filled in here. `put_in_place` puts the file in place.
    """
    part = path.with_name(path.name + ".tmp")
    try:
        with part.open("w+b") as file:
            header = _fill(file, header, segments, kept)
            file.seek(HEADER)
            digest = hashlib.sha256(_covered(header))
            while chunk := file.read(_CHUNK):
                digest.update(chunk)
            file.seek(0)
            file.write(replace(header, sha256=digest.hexdigest()).line())
            file.flush()
            os.fsync(file.fileno())
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    return part


def put_in_place(part: Path, path: Path) -> None:
    """Replace the file in one step that a crash cannot halve. Raises OSError."""
    os.replace(part, path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def new_header(*, generation: Generation, tokens: int) -> Header:
    """Return the header of a file that is to be written."""
    return Header(
        snapshot=os.urandom(16).hex(),
        passage=generation.passage,
        removal=generation.removal,
        tokens=tokens,
        passages=0,
        made_at=time.time(),
        names=_NAMES,
        blocks={},
    )


def damaged(path: Path) -> CorruptError:
    """Return the error for a file that does not hold what it should."""
    return CorruptError(f"{path} is damaged or of another version: run `{REPAIR}` to make it anew from the documents.")


def _unreadable(path: Path, error: OSError) -> StorageError:
    return StorageError(f"{path} cannot be read: {error.strerror or error}.")


def _header(file: BinaryIO, path: Path) -> Header:
    try:
        return Header.parse(file.read(HEADER))
    except (ValueError, TypeError, KeyError, AttributeError):
        raise damaged(path) from None


def _covered(header: Header) -> bytes:
    """Return what the checksum covers besides the arrays."""
    return replace(header, sha256="").line()


def _segment(header: Header, mapped: mmap.mmap) -> Segment:
    def array(name: str) -> NDArray[Any]:
        start, kind, length = header.blocks[name]
        return np.frombuffer(mapped, dtype=np.dtype(kind), count=length, offset=start)

    columns = Columns(**{field.name: array(field.name) for field in fields(Columns)})
    return Segment(columns=columns, **{name: array(name) for name in _POSTINGS})


def _fill(file: BinaryIO, header: Header, segments: Sequence[Segment], kept: Sequence[Kept]) -> Header:
    """Write the arrays behind the room for the header, and return the header that names them."""
    blocks: dict[str, list[Any]] = {}
    end = HEADER

    def put(name: str, array: NDArray[Any]) -> None:
        nonlocal end
        blocks[name] = [end, array.dtype.str, len(array)]
        file.seek(end)
        file.write(array.tobytes())
        end = _aligned(end + array.nbytes)

    columns = Columns.joined([segment.columns for segment in segments], kept)
    for field in fields(Columns):
        put(field.name, getattr(columns, field.name))
    # How many postings are kept is known at the end, so there is room for all.
    most = sum(len(segment.rows) for segment in segments)
    rows_at = end
    counts_at = _aligned(rows_at + 4 * most)
    terms, frequencies, written = [], [], 0
    for stretch in stretches(segments, kept):
        file.seek(rows_at + 4 * written)
        file.write(stretch.rows.tobytes())
        file.seek(counts_at + 2 * written)
        file.write(stretch.counts.tobytes())
        terms.append(stretch.terms)
        frequencies.append(stretch.frequencies)
        written += len(stretch.rows)
    blocks["rows"] = [rows_at, np.dtype(np.int32).str, written]
    blocks["counts"] = [counts_at, np.dtype(np.uint16).str, written]
    end = _aligned(counts_at + 2 * most)
    put("terms", np.concatenate([np.empty(0, dtype=np.int32), *terms]))
    put("offsets", np.append(0, np.cumsum(np.concatenate([np.empty(0, dtype=np.int64), *frequencies]))))
    file.truncate(end)
    return replace(header, blocks=blocks, passages=len(columns.ids))


def _aligned(place: int) -> int:
    return -(-place // _ALIGNED) * _ALIGNED
