"""Zip archives: what is in one, and each entry as if it were a file of its own. Nothing is unpacked to disk.

An archive can lie about everything. What is believed here costs little if it is a lie: no more than
the stated size is ever read of an entry, and by a process that may be lost.
"""

import io
import os
import re
import stat
import unicodedata
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from typing import IO

from agent.errors import RefusedFileError
from agent.language.ko.letters import SYLLABLES

MOST_ENTRIES = 10_000
MOST_BYTES = 2_000_000_000
"""That the entries of an archive unpack to, all together."""
STEEPEST = 200
"""Times its size that an entry may unpack to; a table of numbers comes to 20, deflate's utmost is 1,032."""
_FLAT = 1_000_000
"""Bytes up to which an entry may unpack as steeply as it likes."""
_CONTENTS = 8_000_000
"""Bytes of an archive's table of contents."""
_METHODS = {
    zipfile.ZIP_STORED,
    zipfile.ZIP_DEFLATED,
    zipfile.ZIP_BZIP2,
    zipfile.ZIP_LZMA,
}
_BUFFER = 1 << 16
_HANGUL = re.compile(f"[{SYLLABLES}]")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_DRIVE = re.compile(r"[A-Za-z]:")
_ENCRYPTED, _UTF8 = 0x1, 0x800


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    """A file in an archive."""

    name: str
    """With its folders, between slashes."""
    size: int
    """Unpacked."""
    stamp: str
    """Changes whenever the file does, and not with the archive."""


@dataclass(kw_only=True, slots=True)
class Listing:
    """What is in an archive."""

    entries: list[Entry] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    """Names of files that nobody wants."""
    refused: list[tuple[str, str]] = field(default_factory=list)
    """Names, as they can be shown, each with the reason."""


class _Archive(zipfile.ZipFile):
    """An archive whose table of contents is bounded: it may claim to be as large as it likes."""

    def __init__(self, path: str) -> None:
        self._own = _Bounded(path)
        try:
            super().__init__(self._own)
        except BaseException as error:
            self._own.close()
            if isinstance(error, zipfile.BadZipFile | ValueError | NotImplementedError | OverflowError):
                raise RefusedFileError("it is no zip archive, or its end is missing") from error
            raise
        self._own.most = None

    def close(self) -> None:
        """Close the file too."""
        super().close()
        self._own.close()


class _Bounded(io.FileIO):
    """A file of which only so much is read at once."""

    most: int | None = _CONTENTS

    def read(self, size: int | None = -1, /) -> bytes:
        if self.most is not None:
            left = os.fstat(self.fileno()).st_size - self.tell()
            wanted = left if size is None or size < 0 else min(size, left)
            if wanted > self.most:
                raise RefusedFileError(f"its table of contents takes {wanted:,} bytes; the limit is {self.most:,}")
        return super().read(-1 if size is None else size)


def listing(path: str, wanted: Callable[[str], bool]) -> Listing:
    """Return what is in an archive. Raises RefusedFileError where that cannot be told."""
    found, names, total = Listing(), set[str](), 0
    with _Archive(path) as archive:
        members = archive.infolist()
        if len(members) > MOST_ENTRIES:
            raise RefusedFileError(f"it has {len(members):,} entries; the limit is {MOST_ENTRIES:,}: split it up")
        for member in members:
            name = name_of(member)
            if member.is_dir() or _is_hidden(name):
                continue
            reason = _fault(member, name) or ("another entry has the same name" if name in names else "")
            names.add(name)
            if reason:
                found.refused.append((_CONTROL.sub("\ufffd", name), reason))
            elif not wanted(name):
                found.skipped.append(name)
            elif total + member.file_size > MOST_BYTES:
                found.refused.append(
                    (name, f"with it the archive unpacks to more than {MOST_BYTES:,} bytes, the limit")
                )
            else:
                total += member.file_size
                stamp = f"{member.file_size}:{member.CRC:08x}:{'-'.join(map(str, member.date_time))}"
                found.entries.append(Entry(name=name, size=member.file_size, stamp=stamp))
    if not names:
        raise RefusedFileError("there are no files in it")
    return found


@contextmanager
def entry(path: str, name: str, stamp: tuple[int, ...]) -> Iterator[IO[bytes]]:
    """Open the entry of this name; `stamp` tells one state of the archive from another."""
    archive, members = _kept(path, stamp)
    if name not in members:
        raise RefusedFileError("it is no longer in its archive")
    try:
        with archive.open(members[name]) as file:
            yield io.BufferedReader(file, _BUFFER)  # type: ignore[type-var]
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
        raise RefusedFileError("its archive is damaged there; pack it anew") from error


def name_of(member: zipfile.ZipInfo) -> str:
    """Return an entry's name as whoever packed it saw it."""
    name = member.filename
    if not member.flag_bits & _UTF8 and not name.isascii():
        # Older programs write names in the code page of their country, and do not say in which.
        raw = name.encode("cp437", "replace")
        for encoding in ("utf-8", "cp949"):
            try:
                told = raw.decode(encoding)
            except UnicodeDecodeError:
                continue
            if encoding == "utf-8" or _HANGUL.search(told):
                name = told
                break
    return unicodedata.normalize("NFC", name.replace("\\", "/"))


@lru_cache(maxsize=1)
def _kept(path: str, _stamp: tuple[int, ...]) -> tuple[_Archive, dict[str, zipfile.ZipInfo]]:
    """Return an archive that stays open until the next one is: its contents are read once, not once an entry."""
    archive = _Archive(path)
    members: dict[str, zipfile.ZipInfo] = {}
    for member in archive.infolist():
        if not _fault(member, name_of(member)):
            members.setdefault(name_of(member), member)
    return archive, members


def _fault(member: zipfile.ZipInfo, name: str) -> str:
    """Return why an entry is not read; empty where nothing is wrong with it."""
    parts = name.split("/")
    if name.startswith("/") or _DRIVE.match(name) or ".." in parts:
        return "its name leads out of the archive"
    if not name or _CONTROL.search(name):
        return "its name is none of a file"
    kind = stat.S_IFMT(member.external_attr >> 16)
    if kind not in (0, stat.S_IFREG):
        return "it is a link or a device, not a file"
    if member.flag_bits & _ENCRYPTED:
        return "it is encrypted; pack it without a password"
    if member.compress_type not in _METHODS:
        return f"it is packed in a way that is not known (method {member.compress_type}); pack it as ordinary zip"
    if member.file_size > _FLAT and member.file_size > STEEPEST * max(member.compress_size, 1):
        return f"it unpacks to {member.file_size:,} bytes, more than {STEEPEST} times what it is packed: a zip bomb?"
    if name.lower().endswith(".zip"):
        return "it is an archive within an archive; unpack it first"
    return ""


def _is_hidden(name: str) -> bool:
    return any((part.startswith(".") and part != "..") or part == "__MACOSX" for part in name.split("/"))
