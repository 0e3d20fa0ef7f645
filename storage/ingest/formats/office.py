"""What Word, PowerPoint, Excel and Hangul files have in common: a zip archive of XML parts."""

import io
import zipfile
import zlib
from typing import Any

from agent.errors import RefusedFileError
from agent.language import lexicon
from storage.ingest.dates import day
from storage.ingest.parsed import Limits
from storage.ingest.sources import Format

_MOST_PARTS = 50_000
_PARTS: dict[str, Format] = {"word/": "DOCX", "ppt/": "PPTX", "xl/": "XLSX"}
_TYPES = "[Content_Types].xml"
_KNOWN = {
    b"application/vnd.oasis.opendocument": "it is an OpenDocument file; save it as .docx, .xlsx or .pptx",
    b"application/epub+zip": "it is an e-book (EPUB); save it as .html or PDF",
}
_HANGUL = b"application/hwp+zip"
_CORE = "docProps/core.xml", "package/services/metadata/core-properties/"
"""How the name of the part begins; the second is that of the Open XML SDK."""
_LARGEST_CORE = 1_000_000
_TERMS = "{http://purl.org/dc/terms/}"
_TEMPLATES = frozenset(
    {
        "2013-12-23T23:15:00",  # docx/templates/default.docx
        "2013-01-27T09:14:16",  # pptx/templates/default.pptx
        "2013-01-27T09:15:58",
    }
)
"""Moments that libraries put into every file they make."""


def format_of(data: bytes) -> Format:
    """Return which of the four it is. Raises RefusedFileError for any other archive."""
    with _archive(data) as archive:
        names = archive.namelist()
        if _TYPES in names:
            if "xl/workbook.bin" in names:
                raise RefusedFileError("it is a binary workbook (.xlsb); save it as .xlsx")
            for folder, kind in _PARTS.items():
                if any(name.startswith(folder) for name in names):
                    return kind
        if "mimetype" in names and archive.getinfo("mimetype").file_size < 200:
            told = archive.read("mimetype")
            if told.startswith(_HANGUL):
                return "HWPX"
            for mark, reason in _KNOWN.items():
                if told.startswith(mark):
                    raise RefusedFileError(reason)
    raise RefusedFileError("it is some other archive; name it .zip if it is a zip of documents")


def check(data: bytes, limits: Limits) -> None:
    """Refuse an archive that would grow out of all bounds, or is encrypted."""
    with _archive(data) as archive:
        parts = archive.infolist()
    if len(parts) > _MOST_PARTS:
        raise RefusedFileError(f"it has {len(parts):,} parts; the limit is {_MOST_PARTS:,}")
    if any(part.flag_bits & 1 for part in parts):
        raise RefusedFileError("it is encrypted; save it without a password and try again")
    size, most = sum(part.file_size for part in parts), 4 * limits.document_bytes
    if size > most:
        raise RefusedFileError(f"it unpacks to {size:,} bytes; the limit is {most:,}")


def xml(data: bytes) -> Any:
    """Return the root of an XML part; what it names as entities is never looked up."""
    from lxml import etree  # not for every process that imports this

    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    return etree.fromstring(data, parser)


def day_of(data: bytes) -> str:
    """Return when a document was last changed, or made, by its core properties; empty where it does not say.

    Read from the file itself: the libraries put today in where a file has none.
    """
    with _archive(data) as archive:
        name = next((each for each in archive.namelist() if each.startswith(_CORE)), "")
        if not name or archive.getinfo(name).file_size > _LARGEST_CORE:
            return ""
        try:
            root = xml(archive.read(name))
        except (ValueError, SyntaxError, zipfile.BadZipFile, zlib.error):
            return ""  # a file whose properties are broken is read all the same
    told = [str(root.findtext(f"{_TERMS}{name}") or "").strip() for name in ("modified", "created")]
    return next((found for moment in told if moment[:19] not in _TEMPLATES and (found := day(moment))), "")


_NEW_DOCUMENT = lexicon.words("documents.new_document")


def title_of(properties: Any) -> str:
    """Return the title in the core properties."""
    title = _asked(properties, "title")
    words = " ".join(title.split()) if isinstance(title, str) else ""
    return "" if words in _NEW_DOCUMENT else words


def _asked(properties: Any, name: str) -> object:
    try:
        value: object = getattr(properties, name)
    except (ValueError, TypeError, AttributeError):
        return None  # a date that is none
    return value


def _archive(data: bytes) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(io.BytesIO(data))
    except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
        raise RefusedFileError("it is broken, or its end is missing; open it and save it anew") from error
