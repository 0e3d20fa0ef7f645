"""The values of ingest: what a format gives, what a document becomes, what could not be read."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from agent.errors import RefusedFileError
from agent.language.registry import DEFAULT
from agent.types import Category, Kind, Language

MOST_ASKED = 20
"""Ways to ask for one passage."""
NO_TEXT = "it has no text"
"""How the reason begins for a file that is whole, and holds pictures only."""
VERSION = 21
"""Raise it when documents should be read anew although their files are the same."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Limits:
    """What reading one document may cost."""

    document_bytes: int = 100_000_000
    """Of a file, or of one line of a JSONL file."""
    seconds: float = 120.0
    """Until a file is given up; for JSONL until its next lines are there."""
    markup_seconds: float = 8.0
    """Of computing, until a page of HTML is given up: the largest that people write take half of it."""
    memory_bytes: int = 3_000_000_000
    """Address space of a reader process."""
    pages: int = 5_000
    """Of a PDF, or slides of a presentation."""
    cells: int = 2_000_000
    """Of a workbook, filled or formatted."""
    readers: int = 0
    """Reader processes; 0: as many as the files are worth, one for each core, at most four."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Element:
    """A part of a text, `start:end`, with the places where it may be cut if it must."""

    category: Category
    start: int
    end: int
    level: int = 0
    """Of a heading, from 1; 0 is the title of it all. A heading without words ends the sections of its level."""
    label: str = ""
    """The words of a heading without mark-up; the header row of a table."""
    page: int | None = None
    borders: tuple[int, ...] = ()
    """Where rows, items or lines begin."""


@dataclass(frozen=True, slots=True)
class AskedAs:
    """How people ask for what stands from some place of a text on."""

    start: int
    lines: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Extracted:
    """The text of a document and what it is made of, in order and without overlaps."""

    text: str
    elements: Sequence[Element]
    title: str = ""
    metadata: Mapping[str, object] = field(default_factory=dict)
    date: str = ""
    """As the document itself says, `YYYY-MM-DD`."""
    asked: Sequence[AskedAs] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class ParsedPassage:
    """A piece of a document; `text` is a verbatim slice of the document's text."""

    text: str
    position: int
    section: str = ""
    page: int | None = None
    category: Category = Category.PARAGRAPH
    language: Language = DEFAULT
    entities: tuple[str, ...] = ()
    kind: Kind = "chunk"
    asked: tuple[str, ...] = ()
    """How people ask for it, as its author notes: it is found by that, and never quoted of it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ParsedDocument:
    """A document, ready to be stored."""

    document_id: str
    title: str
    source: str
    """A path or URL that leads a person to the document."""
    origin: str
    """The file it was read from; differs from `source` where a JSONL line names its own URL."""
    passages: tuple[ParsedPassage, ...]
    language: Language
    content_hash: str
    """Of everything that was read, so that an unchanged document is known by it."""
    metadata: Mapping[str, object] = field(default_factory=dict)
    date: str = ""
    """When it was written or last changed, as the document itself says, `YYYY-MM-DD`; empty where it does not."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Refused:
    """A file, or a line of one (`file.jsonl:12`), that could not be read."""

    path: str
    reason: str

    @property
    def is_textless(self) -> bool:
        """Tell whether it was read, and nothing in it is text: a warning, not a failure."""
        return self.reason.startswith(NO_TEXT)


@dataclass(frozen=True, kw_only=True, slots=True)
class Batch:
    """What came out of a stretch of a file."""

    documents: tuple[ParsedDocument, ...] = ()
    refused: tuple[Refused, ...] = ()
    skipped: tuple[str, ...] = ()
    bytes_read: int = 0


def fingerprint(
    *,
    title: str,
    source: str,
    text: str,
    metadata: Mapping[str, object],
    date: str = "",
    passages: Sequence[ParsedPassage] = (),
) -> str:
    """Return the content hash of a document: of its words, and of what else is known of its passages.

    Raises RefusedFileError for metadata that JSON cannot hold.
    """
    digest = hashlib.sha256(f"{VERSION}\0{title}\0{source}\0{date}\0".encode())
    digest.update(text.encode())
    for each in passages:
        about = f"\0{each.kind}\0{each.category}\0{each.page}\0{each.section}\0{each.entities}"
        digest.update(about.encode())
        digest.update("\0".join(each.asked).encode())
    if metadata:
        try:
            told = json.dumps(metadata, sort_keys=True, ensure_ascii=False, default=str, allow_nan=False)
        except ValueError as error:
            raise RefusedFileError("its metadata holds a number that is none (NaN, or without an end)") from error
        digest.update(told.encode())
    return digest.hexdigest()
