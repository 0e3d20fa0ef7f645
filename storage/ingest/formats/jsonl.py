"""JSONL: a document a line, read line by line so that a file of any size can be."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from agent.errors import RefusedFileError
from storage.ingest.encodings import decode
from storage.ingest.formats.markdown import plain
from storage.ingest.formats.text import elements_of
from storage.ingest.parsed import Batch, Extracted, ParsedDocument, ParsedPassage, Refused, fingerprint
from storage.ingest.passages import build, whole
from storage.ingest.sources import WorkItem, printable

LONGEST_PASSAGE = 4_000
"""Characters up to which a line's text is the passage that somebody made it to be."""
_LINES = 200
"""Lines of one batch."""
_TITLE = 80
_UNSTORABLE = re.compile(r"[\x00\ud800-\udfff]")


def read(item: WorkItem, most: int) -> Iterator[Batch]:
    """Yield the documents of a file; `most` bytes may be in a line. A broken line is refused by its number."""
    seen: dict[str, int] = {}
    documents: list[ParsedDocument] = []
    refused: list[Refused] = []
    skipped: list[str] = []
    used = number = 0
    with Path(item.path).open("rb") as file:
        while raw := file.readline(most + 1):
            number += 1
            used += len(raw)
            if number == 1 and raw[:2] in (b"\xff\xfe", b"\xfe\xff"):
                raise RefusedFileError("it is UTF-16; save it as UTF-8")
            where = f"{printable(item.path)}:{number}"
            try:
                if len(raw) > most:
                    used += _rest(file, most)
                    raise RefusedFileError(f"the line is longer than {most:,} bytes, which is the limit")
                document = _document(raw, item, number, seen)
            except RefusedFileError as error:
                refused.append(Refused(path=where, reason=str(error)))
            else:
                if document:
                    documents.append(document)
                elif raw.strip():
                    skipped.append(where)
            if number % _LINES == 0:
                yield Batch(documents=tuple(documents), refused=tuple(refused), skipped=tuple(skipped), bytes_read=used)
                documents, refused, skipped, used = [], [], [], 0
    if number == 0:
        raise RefusedFileError("it is empty")
    yield Batch(documents=tuple(documents), refused=tuple(refused), skipped=tuple(skipped), bytes_read=used)


def _rest(file: Any, most: int) -> int:
    """Read over what is left of a line; returns how much it was."""
    passed = 0
    while raw := file.readline(most):
        passed += len(raw)
        if raw.endswith(b"\n"):
            break
    return passed


def _document(raw: bytes, item: WorkItem, number: int, seen: dict[str, int]) -> ParsedDocument | None:
    """Return the document of a line; None where there is nothing in it to find."""
    if not raw.strip():
        return None
    line = _object(raw)
    document_id = _id(line) or f"{item.document_id}:{number}"
    text = line.get("text")
    if not isinstance(text, str):
        raise RefusedFileError("the line has no `text`" if text is None else "`text` is not a string")
    before = seen.setdefault(document_id, number)
    if before != number:
        raise RefusedFileError(f"line {before} has the same id {document_id!r}")
    passages = _passages(text)
    if not passages:
        return None
    title = line.get("title")
    title = " ".join(title.split()) if isinstance(title, str) else ""
    link = next((key for key in ("url", "source") if isinstance(line.get(key), str) and line[key].strip()), "")
    source = line[link] if link else item.origin
    metadata = {key: value for key, value in line.items() if key not in ("id", "_id", "title", "text", link)}
    return ParsedDocument(
        document_id=document_id,
        title=title or _first_words(passages[0].text),
        source=source,
        origin=item.origin,
        passages=passages,
        language=passages[0].language,
        content_hash=fingerprint(title=title, source=source, text=text, metadata=metadata),
        metadata=metadata,
    )


def _object(raw: bytes) -> dict[str, Any]:
    try:
        line = json.loads(decode(raw))
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
    end = len(text.rstrip())
    start = len(text) - len(text.lstrip())
    if start >= end:
        return ()
    if end - start <= LONGEST_PASSAGE:
        return (whole(text, start, end),)
    return build(Extracted(text=text, elements=elements_of(text)))


def _first_words(text: str) -> str:
    """Return how a text without a title begins."""
    line = plain(text.lstrip("#>-*| \t").split("\n", 1)[0])
    if len(line) <= _TITLE:
        return line
    return line[:_TITLE].rsplit(" ", 1)[0] + "…"
