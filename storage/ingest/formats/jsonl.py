"""JSONL: a document a line, read line by line so that a file of any size can be.

Lines one after the other that name the same `document` are its passages.
"""

import codecs
import json
import re
from collections.abc import Iterator
from typing import Any

from agent.errors import RefusedFileError
from agent.text import visible
from storage.ingest.dates import told
from storage.ingest.encodings import decode
from storage.ingest.files import opened
from storage.ingest.formats.content import check_lines
from storage.ingest.formats.gathered import Gathered, named_in
from storage.ingest.formats.given import Given
from storage.ingest.formats.markdown import plain
from storage.ingest.formats.text import elements_of
from storage.ingest.parsed import Batch, Extracted, ParsedDocument, ParsedPassage, Refused, fingerprint
from storage.ingest.passages import build, whole
from storage.ingest.sources import WorkItem

LONGEST_PASSAGE = 4_000
"""Characters up to which a line's text is the passage that somebody made it to be."""
_LINES = 200
"""Lines of one batch."""
_TITLE = 80
_HEAD = 4_096
_OPENING = 400
"""Characters among which a title is looked for."""
_UNSTORABLE = re.compile(r"[\x00\ud800-\udfff]")


def read(item: WorkItem, most: int) -> Iterator[Batch]:
    """Yield the documents of a file; `most` bytes may be in a line. A broken line is refused by its number."""
    seen: dict[str, int] = {}
    documents: list[ParsedDocument] = []
    refused: list[Refused] = []
    skipped: list[str] = []
    used = number = 0
    origin = item.origin
    open_document: Gathered | None = None

    def batch() -> Batch:
        return Batch(documents=tuple(documents), refused=tuple(refused), skipped=tuple(skipped), bytes_read=used)

    with opened(item) as file:
        check_lines(file.read(_HEAD))
    with opened(item) as file:
        while raw := file.readline(most + 1):
            number += 1
            used += len(raw)
            if number == 1 and raw.strip() in (b"[", b"{"):
                raise RefusedFileError("it is JSON over several lines; JSONL has one object in each line")
            try:
                if len(raw) > most:
                    used += _rest(file, most)
                    raise RefusedFileError(f"the line is longer than {most:,} bytes, which is the limit")
                line = _object(raw) if raw.strip() else None
                name = named_in(line) if line else ""
                if open_document is not None and line and name != open_document.name:
                    documents.extend(_closed(open_document))
                    open_document = None
                if line and name:
                    if open_document is None:
                        _check_new(name, number, seen)
                        open_document = Gathered(name)
                    line = open_document.completed(line)
                document = _document(line, item, origin, number, seen) if line is not None else None
            except RefusedFileError as error:
                refused.append(Refused(path=f"{origin}:{number}", reason=str(error)))
            else:
                if document and open_document is not None:
                    open_document.add(document)
                elif document:
                    documents.append(document)
                elif raw.strip():
                    skipped.append(f"{origin}:{number}")
            if number % _LINES == 0:
                yield batch()
                documents, refused, skipped, used = [], [], [], 0
    if number == 0:
        raise RefusedFileError("it is empty")
    if open_document is not None:
        documents.extend(_closed(open_document))
    yield batch()


def _closed(gathered: Gathered) -> list[ParsedDocument]:
    document = gathered.document()
    return [document] if document else []


def _check_new(document_id: str, number: int, seen: dict[str, int]) -> None:
    """Note a document that begins here. Raises RefusedFileError where it was there before."""
    before = seen.setdefault(document_id, number)
    if before != number:
        raise RefusedFileError(
            f"document {document_id!r} began at line {before} and has ended; its lines stand one after the other"
        )


def _rest(file: Any, most: int) -> int:
    """Read over what is left of a line; returns how much it was."""
    passed = 0
    while raw := file.readline(most):
        passed += len(raw)
        if raw.endswith(b"\n"):
            break
    return passed


def _document(
    line: dict[str, Any], item: WorkItem, origin: str, number: int, seen: dict[str, int]
) -> ParsedDocument | None:
    """Return the document of a line, or its part of the one it names; None where there is nothing in it to find."""
    named, own = named_in(line), _id(line)
    document_id = named or own or f"{item.document_id}:{number}"
    text = line.get("text")
    if not isinstance(text, str):
        raise RefusedFileError("the line has no `text`" if text is None else "`text` is not a string")
    before = number if named else seen.setdefault(document_id, number)
    if before != number:
        raise RefusedFileError(f"line {before} has the same id {document_id!r}")
    title = line.get("title")
    title = " ".join(title.split()) if isinstance(title, str) else ""
    link = next((key for key in ("url", "source") if isinstance(line.get(key), str) and line[key].strip()), "")
    title, source = visible(title), visible(line[link] if link else origin)
    metadata = {
        key: value for key, value in line.items() if key not in ("id", "_id", "document", "title", "text", link)
    }
    passages = _passages(text)
    if not passages:
        return None
    date = ""
    if metadata:
        date = told(metadata)
        if given := Given.taken(metadata):
            passages = tuple(map(given.on, passages))
    return ParsedDocument(
        document_id=document_id,
        title=title or visible(_first_words(passages[0].text)),
        source=source,
        origin=origin,
        passages=passages,
        language=passages[0].language,
        content_hash=fingerprint(
            title=title, source=source, text=text, metadata=metadata, date=date, passages=passages
        ),
        metadata=metadata,
        date=date,
    )


def _object(raw: bytes) -> dict[str, Any]:
    try:
        line = json.loads(_text(raw))
    except json.JSONDecodeError as error:
        raise RefusedFileError(f"the line is not JSON: {error.msg} at column {error.colno}") from error
    except ValueError as error:
        raise RefusedFileError("the line holds a number that is too long") from error
    except RecursionError as error:
        raise RefusedFileError("the line is nested too deeply") from error
    if not isinstance(line, dict):
        raise RefusedFileError("the line is not a JSON object")
    if b"\\u" in raw and any(_UNSTORABLE.search(text) for text in _strings(line)):
        raise RefusedFileError("the line holds a character that is none (a NUL or half of a pair)")
    return line


def _text(raw: bytes) -> str:
    if raw.startswith(codecs.BOM_UTF8):
        return decode(raw)
    try:
        return raw.decode()  # JSON itself allows no control characters
    except UnicodeDecodeError:
        return decode(raw)


def _strings(value: object) -> Iterator[str]:
    """Yield every string in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, each in value.items():
            yield key
            yield from _strings(each)
    elif isinstance(value, list):
        for each in value:
            yield from _strings(each)


def _id(line: dict[str, Any]) -> str:
    for key in ("id", "_id"):
        value = line.get(key)
        if isinstance(value, bool) or not isinstance(value, str | int | None):
            raise RefusedFileError(f"`{key}` is neither a string nor a whole number")
        if value is not None and value != "":
            return str(value)
    return ""


def _passages(text: str) -> tuple[ParsedPassage, ...]:
    stripped = text.strip()
    if not stripped:
        return ()
    if len(stripped) <= LONGEST_PASSAGE:
        return (whole(stripped),)
    return build(Extracted(text=text, elements=elements_of(text)))


def _first_words(text: str) -> str:
    """Return how a text without a title begins."""
    line, *_ = text[:_OPENING].lstrip("#>-*| \t").split("\n", 1)
    words = plain(line)
    if len(words) <= _TITLE:
        return words or text[:_TITLE]
    return words[:_TITLE].rsplit(" ", 1)[0] + "…"
