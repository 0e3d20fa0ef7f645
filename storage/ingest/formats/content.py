"""Tells by its first bytes what a file is; its name may say something else."""

import codecs
import re

from agent.errors import RefusedFileError
from storage.ingest.formats import office
from storage.ingest.sources import Format

_OLE = b"\xd0\xcf\x11\xe0"
_PAGE = re.compile(
    rb"(?:\s|<\?xml[^>]{0,200}\?>|<!--.{0,2000}?-->)*<(?:!doctype\s+html|html[\s>])", re.IGNORECASE | re.DOTALL
)
_BINARY: frozenset[Format] = frozenset(("PDF", "DOCX", "HWPX", "PPTX", "XLSX"))
_LEGACY = {".doc": ".docx", ".xls": ".xlsx", ".ppt": ".pptx", ".hwp": ".hwpx"}

# Streams of an old binary file, by which its program is known.
_STREAMS = (
    ("EncryptedPackage", "it is encrypted; save it without a password and try again"),
    ("WordDocument", "it is an old Word file (.doc); save it as .docx"),
    ("Workbook", "it is an old Excel file (.xls); save it as .xlsx"),
    ("PowerPoint Document", "it is an old PowerPoint file (.ppt); save it as .pptx"),
    ("HwpSummaryInformation", "it is an old Hangul file (.hwp); save it as .hwpx"),
    ("__properties_version1.0", "it is an Outlook message (.msg); save it as text or HTML"),
)
_OTHERS = (
    (b"HWP Document File", "it is an old Hangul file (.hwp); save it as .hwpx"),
    (b"{\\rtf", "it is rich text (RTF); save it as .docx"),
    (b"MIME-Version:", "it is a web archive or a mail; save it as .docx or .html"),
    (b"\x1f\x8b", "it is packed (gzip); unpack it first"),
    (b"7z\xbc\xaf\x27\x1c", "it is packed (7z); unpack it, or pack it as .zip"),
    (b"Rar!\x1a\x07", "it is packed (RAR); unpack it, or pack it as .zip"),
    (b"\x89PNG", "it is a picture (PNG); run a text recognition on it"),
    (b"\xff\xd8\xff", "it is a picture (JPEG); run a text recognition on it"),
    (b"GIF8", "it is a picture (GIF)"),
    (b"\x7fELF", "it is a program"),
    (b"SQLite format 3\0", "it is a database (SQLite); export its tables as .csv"),
)


def format_of(data: bytes, named: Format, suffix: str) -> Format:
    """Return the format of a file's content. Raises RefusedFileError for what is none of those that are read."""
    start = data[:1024].removeprefix(codecs.BOM_UTF8).lstrip()
    if start.startswith(b"%PDF-") or (named == "PDF" and b"%PDF-" in data[:1024]):
        return "PDF"
    if data.startswith(_OLE):
        raise RefusedFileError(_old(data))
    if data.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return office.format_of(data)
    for mark, reason in _OTHERS:
        if start.startswith(mark):
            raise RefusedFileError(reason)
    is_page = _PAGE.match(data[:8192].removeprefix(codecs.BOM_UTF8)) is not None
    if suffix in _LEGACY:
        # What other programs export under these names is mostly a page or a text.
        return "HTML" if is_page else "CSV" if suffix == ".xls" else "text"
    if named in _BINARY:
        what = ", but a web page (HTML): a login, perhaps" if is_page else ", or its beginning is missing"
        raise RefusedFileError(f"it is no {named} file{what}")
    return "HTML" if is_page and named in ("text", "Markdown", "RST", "CSV") else named


def check_lines(head: bytes) -> None:
    """Refuse by its beginning what is no JSONL; the lines themselves are read one by one."""
    start = head.lstrip()
    if start.startswith(b"%PDF-"):
        raise RefusedFileError("it is a PDF file; name it .pdf")
    if head.startswith(b"PK\x03\x04"):
        raise RefusedFileError("it is a zip archive, or a document of an office program; name it as what it is")
    if head.startswith(_OLE):
        raise RefusedFileError(_old(head))
    for mark, reason in _OTHERS:
        if start.startswith(mark):
            raise RefusedFileError(reason)
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise RefusedFileError("it is UTF-16; save it as UTF-8")
    if b"\0" in head:
        raise RefusedFileError("it is not a text file (binary data)")


def _old(data: bytes) -> str:
    """Return what is said of a compound file, the container of Office before 2007 and of encrypted files since."""
    for name, reason in _STREAMS:
        if name.encode("utf-16-le") in data:
            return reason
    return "it is a file of an old program; save it as .docx, .hwpx, .xlsx, .pptx or PDF"
