"""Reads one file. Whatever goes wrong in a parser leaves here as a RefusedFileError with a reason."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import PurePath

from agent.errors import RefusedFileError
from agent.text import visible
from storage.ingest.articles import with_articles
from storage.ingest.files import content
from storage.ingest.formats.content import format_of
from storage.ingest.parsed import NO_TEXT, Batch, Extracted, Limits, ParsedDocument, fingerprint
from storage.ingest.passages import build, language_of_document
from storage.ingest.sources import FORMATS, Format, WorkItem
from storage.ingest.titles import date_of, subject_of, title_of

_NAMED_BY_FILE: frozenset[Format] = frozenset(("XLSX", "CSV"))
"""Formats whose first heading is the name of a sheet and not of the document."""


def parse(
    item: WorkItem, limits: Limits, may_compute: Callable[[float], None] = lambda seconds: None
) -> Iterator[Batch]:
    """Yield what the file holds. Raises RefusedFileError; what came before it stays good.

    `may_compute` is told before what must not take longer than so many seconds of the processor.
    """
    try:
        if item.format == "JSONL":
            from storage.ingest.formats import jsonl

            yield from jsonl.read(item, limits.document_bytes)
        else:
            data = content(item, limits.document_bytes)
            format = format_of(data, item.format, PurePath(item.inner or item.path).suffix.lower())
            if format == "HTML":  # the work grows with the square of what is nested
                may_compute(limits.markup_seconds)
            extracted = _extract(format, data, limits)
            yield Batch(documents=(_document(item, format, extracted),), bytes_read=len(data))
    except RefusedFileError:
        raise
    except OSError as error:
        # One without the system's words is a library's, about what stands in the file.
        reason = f"it cannot be opened: {error.strerror}" if error.strerror else _broken(item, error)
        raise RefusedFileError(reason) from error
    except MemoryError as error:
        raise RefusedFileError(too_much(limits)) from error
    except RecursionError as error:
        raise RefusedFileError("it is nested too deeply") from error
    except Exception as error:
        raise RefusedFileError(_broken(item, error)) from error


def _broken(item: WorkItem, error: Exception) -> str:
    return f"it cannot be read as {item.format}, it may be broken ({type(error).__name__})"


def too_much(limits: Limits) -> str:
    """Return the reason for what does not fit into memory."""
    return f"reading it takes more memory than {limits.memory_bytes:,} bytes, the limit"


def _extract(format: Format, data: bytes, limits: Limits) -> Extracted:
    # Each parser brings its library; a process that never meets a PDF need not load one.
    match format:
        case "Markdown":
            from storage.ingest.formats import markdown

            return markdown.extract(data)
        case "RST":
            from storage.ingest.formats import rst

            return rst.extract(data)
        case "HTML":
            from storage.ingest.formats import html

            return html.extract(data)
        case "PDF":
            from storage.ingest.formats import pdf

            return pdf.extract(data, limits)
        case "DOCX":
            from storage.ingest.formats import docx

            return docx.extract(data, limits)
        case "HWPX":
            from storage.ingest.formats import hwpx

            return hwpx.extract(data, limits)
        case "PPTX":
            from storage.ingest.formats import pptx

            return pptx.extract(data, limits)
        case "XLSX":
            from storage.ingest.formats import xlsx

            return xlsx.extract(data, limits)
        case "CSV":
            from storage.ingest.formats import separated

            return separated.extract(data)
        case "text":
            from storage.ingest.formats import text

            return text.extract(data)
        case "JSONL":
            raise RefusedFileError("it is JSONL; name it .jsonl")


def _document(item: WorkItem, format: Format, extracted: Extracted) -> ParsedDocument:
    extracted = replace(extracted, elements=with_articles(extracted.text, extracted.elements))
    passages = build(extracted)
    if not passages:
        raise RefusedFileError(NO_TEXT)
    heading = "" if format in _NAMED_BY_FILE else subject_of(extracted.text) or title_of(extracted)
    date = extracted.date or date_of(extracted)
    own = "" if PurePath(extracted.title).suffix.lower() in FORMATS else extracted.title  # a file's name is no title
    title, source = visible(own or heading or _named(item, format)), visible(item.origin)
    return ParsedDocument(
        document_id=item.document_id,
        title=title,
        source=source,
        origin=item.origin,
        passages=passages,
        language=language_of_document(extracted.text),
        content_hash=fingerprint(
            title=title,
            source=source,
            text=extracted.text,
            metadata=extracted.metadata,
            date=date,
            passages=passages,
        ),
        metadata=extracted.metadata,
        date=date,
    )


def _named(item: WorkItem, format: Format) -> str:
    """Return a title made of names: with the folder, as there are many files of one name (README, index)."""
    path = PurePath(item.document_id)
    # The first part is the folder, or the file itself, that was to be read.
    folders = () if format in _NAMED_BY_FILE or item.url else path.parts[1:-1]
    return f"{folders[-1]}/{path.stem}" if folders else path.stem
