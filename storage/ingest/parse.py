"""Reads one file. Whatever goes wrong in a parser leaves here as a RefusedFileError with a reason."""

import os
from collections.abc import Iterator
from pathlib import PurePath

from agent.errors import RefusedFileError
from agent.types import Category
from storage.ingest.parsed import Batch, Extracted, Limits, ParsedDocument, fingerprint
from storage.ingest.passages import build, dominant
from storage.ingest.sources import WorkItem


def parse(item: WorkItem, limits: Limits) -> Iterator[Batch]:
    """Yield what the file holds. Raises RefusedFileError; what came before it stays good."""
    try:
        if item.format == "JSONL":
            from storage.ingest.formats import jsonl

            yield from jsonl.read(item, limits.document_bytes)
        else:
            data = _bytes(item, limits.document_bytes)
            yield Batch(documents=(_document(item, _extract(item, data, limits)),), bytes_read=len(data))
    except RefusedFileError:
        raise
    except OSError as error:
        raise RefusedFileError(f"it cannot be opened: {error.strerror or type(error).__name__}") from error
    except MemoryError as error:
        raise RefusedFileError(f"reading it takes more memory than {limits.memory_bytes:,} bytes, the limit") from error
    except RecursionError as error:
        raise RefusedFileError("it is nested too deeply") from error
    except Exception as error:
        raise RefusedFileError(
            f"it cannot be read as {item.format}, it may be broken ({type(error).__name__})"
        ) from error


def _bytes(item: WorkItem, most: int) -> bytes:
    with open(item.path, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        data = file.read(most + 1) if size <= most else b""
    size = max(size, len(data))
    if size > most:
        raise RefusedFileError(f"it is too large: {size:,} bytes; the limit is {most:,}")
    if not data.strip():
        raise RefusedFileError("it is empty")
    return data


def _extract(item: WorkItem, data: bytes, limits: Limits) -> Extracted:
    # Each parser brings its library; a process that never meets a PDF need not load one.
    match item.format:
        case "Markdown":
            from storage.ingest.formats import markdown

            return markdown.extract(data)
        case "HTML":
            from storage.ingest.formats import html

            return html.extract(data)
        case "PDF":
            from storage.ingest.formats import pdf

            return pdf.extract(data)
        case "DOCX":
            from storage.ingest.formats import docx

            return docx.extract(data, 4 * limits.document_bytes)
        case _:
            from storage.ingest.formats import text

            return text.extract(data)


def _document(item: WorkItem, extracted: Extracted) -> ParsedDocument:
    passages = build(extracted)
    if not passages:
        raise RefusedFileError("it has no text")
    title = extracted.title or _first_heading(extracted) or PurePath(item.document_id).stem
    return ParsedDocument(
        document_id=item.document_id,
        title=title,
        source=item.origin,
        origin=item.origin,
        passages=passages,
        language=dominant(extracted.text),
        content_hash=fingerprint(title=title, source=item.origin, text=extracted.text, metadata=extracted.metadata),
        metadata=extracted.metadata,
    )


def _first_heading(extracted: Extracted) -> str:
    headings = [each for each in extracted.elements if each.category is Category.HEADING and each.label]
    top = min((each.level for each in headings), default=0)
    return next((each.label for each in headings if each.level == top), "")
