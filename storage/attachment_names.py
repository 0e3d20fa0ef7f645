"""Names of files that strangers gave: what people see of them, and what the disk gets."""

import re
import unicodedata
from pathlib import PurePath

from storage.ingest.sources import ARCHIVE, FORMATS

LONGEST_NAME = 100
_HIDDEN = frozenset(("Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"))
_SUFFIX = re.compile(r"\.[A-Za-z0-9]{1,10}")
_TEXT = re.compile(r"text/.*|application/(?:json|xml|yaml|x-yaml|toml|sql|javascript|x-sh|(?:[\w.-]+\+)?(?:json|xml))")
_BY_TYPE = {
    "text/markdown": ".md",
    "text/x-rst": ".rst",
    "text/html": ".html",
    "application/xhtml+xml": ".html",
    "text/csv": ".csv",
    "text/tab-separated-values": ".tsv",
    "application/pdf": ".pdf",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": ".docx",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": ".pptx",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": ".xlsx",
    "application/vnd.ms-excel": ".xls",
    "application/msword": ".doc",
    "application/hwp+zip": ".hwpx",
    "application/x-hwp": ".hwp",
    "application/x-ndjson": ".jsonl",
    "application/jsonl": ".jsonl",
    "application/zip": ".zip",
    "application/x-zip-compressed": ".zip",
}


def display_name(name: str) -> str:
    """Return a file's name without folders, without what is not to be seen or turns the text around, and not long."""
    last = re.split(r"[/\\]", name)[-1]
    seen = "".join(c for c in unicodedata.normalize("NFC", last) if unicodedata.category(c) not in _HIDDEN)
    short = " ".join(seen.split()).strip(". ") or "file"
    if len(short) <= LONGEST_NAME:
        return short
    suffix = PurePath(short).suffix if len(PurePath(short).suffix) <= 11 else ""
    return short[: LONGEST_NAME - len(suffix) - 1].rstrip() + "…" + suffix


def suffix_of(name: str, media_type: str) -> str:
    """Return the suffix by which ingest knows the file: its own, or what its media type says; `` for an unknown one."""
    own = PurePath(name).suffix.lower()
    if own in FORMATS or own == ARCHIVE:
        return own
    type = media_type.partition(";")[0].strip().lower()
    if type in _BY_TYPE:
        return _BY_TYPE[type]
    if _TEXT.fullmatch(type):
        return ".txt"
    return own if _SUFFIX.fullmatch(own) else ""
