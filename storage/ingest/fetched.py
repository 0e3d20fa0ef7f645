"""What was fetched, as a file that the parsers know: its kind by what the server says and what is in it."""

import codecs
import os
import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from agent.errors import RefusedFileError
from storage.ingest.parsed import Refused
from storage.ingest.sources import ARCHIVE, FORMATS, Found, find, printable
from storage.ingest.urls import Page, Stamp

_ZIP, _PDF = b"PK\x03\x04", b"%PDF-"
_HEAD = 4_096
_FORM = 2_000_000
"""Bytes in which a login is looked for."""
_PAGE = re.compile(rb"<(!doctype\s+html|html|head|title|body)\b", re.IGNORECASE)
_PASSWORD = re.compile(rb"<input[^>]{0,400}\btype\s*=\s*[\"']?password\b", re.IGNORECASE)
_CONTENTS = 1_000_000
_OFFICE_FILES = {
    b"word/document.xml": ".docx",
    b"Contents/section0.xml": ".hwpx",
    b"ppt/presentation.xml": ".pptx",
    b"xl/workbook.xml": ".xlsx",
}
_OFFICE = "application/vnd.openxmlformats-officedocument."
_TYPES = {
    "text/html": ".html",
    "application/xhtml+xml": ".html",
    "text/markdown": ".md",
    "text/x-markdown": ".md",
    "text/x-rst": ".rst",
    "text/csv": ".csv",
    "application/csv": ".csv",
    "text/tab-separated-values": ".tsv",
    "application/pdf": ".pdf",
    "application/x-pdf": ".pdf",
    "application/x-ndjson": ".jsonl",
    "application/ndjson": ".jsonl",
    "application/jsonl": ".jsonl",
    "application/x-jsonlines": ".jsonl",
    f"{_OFFICE}wordprocessingml.document": ".docx",
    "application/hwp+zip": ".hwpx",
    f"{_OFFICE}presentationml.presentation": ".pptx",
    f"{_OFFICE}spreadsheetml.sheet": ".xlsx",
}
# The last three are sent for every kind of table and text as well.
_TELLS_NOTHING = frozenset(
    """application/octet-stream binary/octet-stream application/zip application/x-zip-compressed application/download
    application/x-download application/force-download application/unknown application/msword
    application/vnd.ms-excel application/vnd.ms-powerpoint""".split()
)
_BINARY = frozenset(
    (*(end for end, kind in FORMATS.items() if kind in ("PDF", "DOCX", "HWPX", "PPTX", "XLSX")), ARCHIVE)
)
_PAGES = frozenset(end for end, kind in FORMATS.items() if kind == "HTML")
_CODECS = {"iso8859-1": "cp1252", "ascii": "cp1252", "euc_kr": "cp949", "shift_jis": "cp932", "gb2312": "gb18030"}
"""Browsers read these as the code pages that contain them (encoding.spec.whatwg.org)."""
_TEXT = ("utf-8", "utf-16", "cp", "iso8859", "iso2022", "koi8", "euc", "shift", "gb", "big5", "johab", "mac", "tis")


@dataclass(frozen=True, kw_only=True, slots=True)
class Arrived:
    """What came from a URL: the file, and what there is to read in it."""

    path: Path | None = None
    found: Found = field(default_factory=Found)
    stamp: str = ""

    def remove(self) -> None:
        """Remove the file."""
        if self.path:
            self.path.unlink()


def arrived(page: Page, url: str) -> Arrived:
    """Return what was fetched under the suffix of what is in it.

    Raises RefusedFileError for what is none of the formats, and for a login in place of a document.
    """
    path = page.path
    try:
        suffix = _suffix(page, url, _start(path, _HEAD))
        if suffix == ".html" and page.url != url and _PASSWORD.search(_start(path, _FORM)):
            raise RefusedFileError(f"it leads to a login, {_place(page.url)}; download it and ingest the file")
        path = path.rename(path.with_name(path.name + suffix))
        if suffix not in _BINARY:
            _recode(path, page.charset, always=suffix == ".html")
        found = find([path])
        here = printable(str(path))
        if any(each.path == here for each in found.refused):
            raise RefusedFileError(found.refused[0].reason)
        if suffix != ARCHIVE:
            stamp = str(Stamp.of(page))
            items = [replace(item, document_id=url, url=url, stamp=stamp) for item in found.items]
            return Arrived(path=path, found=Found(items=items), stamp=stamp)
        stamp = str(Stamp.of(page, entries=len(found.items)))
        return Arrived(path=path, found=_renamed(found, here, url), stamp=stamp)
    except BaseException:
        path.unlink()
        raise


def _renamed(found: Found, here: str, url: str) -> Found:
    """Return the files of an archive under the archive's URL."""
    return Found(
        items=[replace(item, document_id=f"{url}/{item.inner}", url=url) for item in found.items],
        skipped=[name.replace(here, url, 1) for name in found.skipped],
        refused=[Refused(path=each.path.replace(here, url, 1), reason=each.reason) for each in found.refused],
        archives={url: frozenset(name.replace(here, url, 1) for each in found.archives.values() for name in each)},
    )


def _suffix(page: Page, url: str, head: bytes) -> str:
    by_name = _suffix_of(page.url) or _suffix_of(url)
    start = head.removeprefix(codecs.BOM_UTF8).lstrip()
    if start.startswith(_PDF):
        return ".pdf"
    if start.startswith(_ZIP):
        return _office(page.path)
    kind = page.content_type.lower()
    if kind in ("", *_TELLS_NOTHING) and start.startswith(b"<") and _PAGE.search(start):
        kind = "text/html"
    suffix = _TYPES.get(kind, "")
    if suffix == ".html" and by_name in _BINARY:
        raise RefusedFileError(f"a web page came in place of a {by_name[1:].upper()} file: a login, or about the file")
    if suffix:
        return suffix
    if kind == "text/plain":
        return by_name if by_name and by_name not in _BINARY | _PAGES else ".txt"
    if kind.startswith("text/x-"):
        return ".txt"
    if kind in ("", *_TELLS_NOTHING) and by_name:
        return by_name
    raise RefusedFileError(f"this type of file is not known ({kind or 'the server names none'})")


def _start(path: Path, size: int) -> bytes:
    with path.open("rb") as file:
        return file.read(size)


def _office(path: Path) -> str:
    """Return which kind of zip file this is, by the names in its table of contents."""
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - _CONTENTS))
        contents = file.read()
    return next((suffix for name, suffix in _OFFICE_FILES.items() if name in contents), ARCHIVE)


def _suffix_of(url: str) -> str:
    suffix = os.path.splitext(urlsplit(url).path)[1].lower()
    return suffix if suffix in FORMATS or suffix == ARCHIVE else ""


def _place(url: str) -> str:
    """Return a URL without what may be secret in it."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def _recode(path: Path, charset: str, *, always: bool) -> None:
    """Write a text anew as the reader expects it, where the server told its encoding and told the truth."""
    codec = _codec(charset)
    if not codec or (codec == "utf-8" and not always):
        return
    fresh = path.with_name("recoded-" + path.name)
    try:
        with path.open("rb") as old, fresh.open("wb") as new:
            start = old.read(4)
            if start.startswith((codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
                return  # the mark of the file itself says more
            old.seek(0)
            new.write(codecs.BOM_UTF8)
            decoder = codecs.getincrementaldecoder(codec)()
            while data := old.read(1 << 20):
                new.write(decoder.decode(data).encode())
            new.write(decoder.decode(b"", final=True).encode())
        os.replace(fresh, path)
    except (UnicodeError, LookupError, TypeError, ValueError):
        return  # servers are wrong about it often enough: the bytes tell
    finally:
        fresh.unlink(missing_ok=True)


def _codec(charset: str) -> str:
    """Return the decoder of a charset's name; empty for none, and for Python's codecs that are no text's encoding."""
    try:
        name = codecs.lookup(charset).name if charset else ""
    except (LookupError, ValueError):
        return ""
    name = _CODECS.get(name, name)
    return name if name.startswith(_TEXT) else ""
