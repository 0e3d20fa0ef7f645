"""Finds the files to read: folders are walked in sorted order, what is hidden stays hidden."""

import os
import stat
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from agent.errors import RefusedFileError, UsageError
from storage.ingest.archives import listing
from storage.ingest.encodings import decode
from storage.ingest.parsed import VERSION, Refused

Format = Literal["Markdown", "RST", "text", "HTML", "PDF", "DOCX", "HWPX", "PPTX", "XLSX", "CSV", "JSONL"]

FORMATS: dict[str, Format] = {
    ".md": "Markdown",
    ".markdown": "Markdown",
    ".rst": "RST",
    ".rest": "RST",
    ".txt": "text",
    ".text": "text",
    ".html": "HTML",
    ".htm": "HTML",
    ".xhtml": "HTML",
    ".pdf": "PDF",
    ".docx": "DOCX",
    ".docm": "DOCX",
    ".doc": "DOCX",
    ".hwpx": "HWPX",
    ".hwp": "HWPX",
    ".pptx": "PPTX",
    ".pptm": "PPTX",
    ".ppt": "PPTX",
    ".xlsx": "XLSX",
    ".xlsm": "XLSX",
    ".xls": "XLSX",
    ".csv": "CSV",
    ".tsv": "CSV",
    ".jsonl": "JSONL",
    ".ndjson": "JSONL",
}
ARCHIVE = ".zip"
_OFFICE = "[Content_Types].xml"
_HEAD = 4_096


@dataclass(frozen=True, kw_only=True, slots=True)
class WorkItem:
    """A file to read."""

    path: str
    """Of the file, or of the archive that it is in."""
    document_id: str
    """Of the document in it; of its lines, for JSONL that names no ids, with the line number behind."""
    format: Format
    size: int
    stamp: str
    """Changes whenever the file does."""
    url: str = ""
    """Where the file, or its archive, was fetched from; empty for one that lies here."""
    inner: str = ""
    """The name of the entry, for a file in an archive."""

    @property
    def origin(self) -> str:
        """The file's URL, or its path as text that any database takes; an archive's entry stands below the archive."""
        place = self.url or printable(self.path)
        return f"{place}/{self.inner}" if self.inner else place


@dataclass(kw_only=True, slots=True)
class Found:
    """What lies under the given paths."""

    items: list[WorkItem] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    """Files of an unknown type."""
    refused: list[Refused] = field(default_factory=list)
    archives: dict[str, frozenset[str]] = field(default_factory=dict)
    """The archives whose contents are known, each with the origins of all that is in it: what else was is gone."""


def find(paths: Sequence[str | Path], *, follow_links: bool = False) -> Found:
    """Return the files under these paths, each once. Raises UsageError for a path that is not there.

    A link within a folder that leads out of it is passed over, unless `follow_links`.
    """
    roots = [Path(os.path.abspath(path)) for path in paths]
    for given, root in zip(paths, roots, strict=True):
        if not str(given):  # an unset variable must not mean the folder that somebody is in
            raise UsageError("A path is empty: name a file, a folder or an address.")
        if not root.exists():
            if root.is_symlink():
                raise UsageError(f"{str(given)!r} is a link that leads nowhere.")
            raise UsageError(f"There is no file or folder named {str(given)!r}.")
    found, seen = Found(), set[str]()
    for root in roots:
        if root.is_dir():
            files: Iterable[tuple[str, str]] = _walk(str(root), found, follow_links=follow_links)
        else:
            files = [(str(root), root.name)]
        for path, name in files:
            real = os.path.realpath(path)
            if real not in seen:
                seen.add(real)
                _take(path, name, found, named=not root.is_dir())
    return found


def printable(path: str) -> str:
    """Return a path as valid Unicode, with escapes for the bytes of a file name that are none."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def _walk(root: str, found: Found, *, follow_links: bool) -> Iterator[tuple[str, str]]:
    """Yield path and name (`folder/relative/path`) of every visible file; a loop of links is walked once."""
    within = os.path.join(os.path.realpath(root), "")

    def leads_out(path: str) -> bool:
        inside = os.path.join(os.path.realpath(path), "").startswith(within)
        out = not follow_links and not inside and os.path.exists(path)  # a link to nowhere is refused by name
        if out:
            found.skipped.append(f"{printable(path)} (a link out of the folder; --follow-links reads it)")
        return out

    def unreadable(error: OSError) -> None:
        found.refused.append(
            Refused(path=printable(str(error.filename)), reason=f"the folder cannot be opened: {error.strerror}")
        )

    prefix, seen = os.path.basename(root), set[str]()
    for folder, subfolders, files in os.walk(root, followlinks=True, onerror=unreadable):
        seen.add(os.path.realpath(folder))
        subfolders[:] = sorted(
            name
            for name in subfolders
            if not name.startswith(".")
            and os.path.realpath(os.path.join(folder, name)) not in seen
            and not leads_out(os.path.join(folder, name))
        )
        for name in sorted(files):
            path = os.path.join(folder, name)
            if not name.startswith(".") and not leads_out(path):
                yield path, os.path.join(prefix, os.path.relpath(path, root))


def _take(path: str, name: str, found: Found, *, named: bool) -> None:
    """Note a file as work, as skipped, or as refused where somebody named it and it cannot be read."""
    if named and not os.path.isfile(path):
        found.refused.append(Refused(path=printable(path), reason="it is no file but a pipe or a device"))
        return
    suffix = os.path.splitext(path)[1].lower()
    if suffix not in FORMATS and suffix != ARCHIVE:
        if named:
            found.refused.append(Refused(path=printable(path), reason=_unknown(path)))
        else:
            found.skipped.append(printable(path))
        return
    try:
        status = os.stat(path)
    except OSError as error:
        found.refused.append(Refused(path=printable(path), reason=f"the file cannot be opened: {error.strerror}"))
        return
    if not stat.S_ISREG(status.st_mode):
        found.skipped.append(printable(path))
        return
    document_id = unicodedata.normalize("NFC", printable(name)).replace(os.sep, "/")
    item = WorkItem(
        path=path,
        document_id=document_id,
        format=FORMATS.get(suffix, "DOCX"),
        size=status.st_size,
        stamp=f"{VERSION}:{status.st_size}:{status.st_mtime_ns}:{status.st_ctime_ns}",
    )
    if suffix == ARCHIVE:
        _take_apart(item, found)
    else:
        found.items.append(item)


def _take_apart(item: WorkItem, found: Found) -> None:
    """Note what is in an archive, each entry as a file of its own."""
    path, origin = item.path, item.origin
    try:
        inside = listing(path, lambda name: os.path.splitext(name)[1].lower() in FORMATS)
    except RefusedFileError as error:
        found.refused.append(Refused(path=origin, reason=str(error)))
        return
    except OSError as error:
        found.refused.append(Refused(path=origin, reason=f"the file cannot be opened: {error.strerror}"))
        return
    if _OFFICE in inside.skipped:
        found.items.append(item)  # a document whose name was changed
        return
    found.skipped += [f"{origin}/{name}" for name in inside.skipped]
    found.refused += [Refused(path=f"{origin}/{name}", reason=reason) for name, reason in inside.refused]
    for entry in inside.entries:
        found.items.append(
            WorkItem(
                path=path,
                inner=entry.name,
                document_id=f"{item.document_id}/{entry.name}",
                format=FORMATS[os.path.splitext(entry.name)[1].lower()],
                size=entry.size,
                stamp=f"{VERSION}:{entry.stamp}",
            )
        )
    names = (*(entry.name for entry in inside.entries), *inside.skipped, *(name for name, _ in inside.refused))
    found.archives[origin] = frozenset(f"{origin}/{name}" for name in names)


def _unknown(path: str) -> str:
    """Return why a file is not read whose name does not tell what it is."""
    known = " ".join((*FORMATS, ARCHIVE))
    try:
        with open(path, "rb") as file:
            decode(file.read(_HEAD).rpartition(b"\n")[0])
    except (OSError, RefusedFileError):
        looks = ""
    else:
        looks = "; it looks like text: name it .txt"
    return f"this type of file is not known{looks}; known are {known}"
