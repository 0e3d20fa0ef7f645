"""A library in memory, and files to put into it."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from storage.ingest.parse import parse
from storage.ingest.parsed import Limits, ParsedDocument
from storage.ingest.sources import find


class MemoryLibrary:
    """Keeps what it is given; `before_put` may fail or wait in place of a database."""

    def __init__(self) -> None:
        self.documents: dict[str, dict[str, ParsedDocument]] = {}
        self.noted: dict[str, dict[str, str]] = {}
        self.puts: list[int] = []

    async def fingerprints(self, collection: str) -> Mapping[str, str]:
        return {key: each.content_hash for key, each in self.documents.get(collection, {}).items()}

    async def sources(self, collection: str) -> Mapping[str, str]:
        return {key: each.origin for key, each in self.documents.get(collection, {}).items()}

    async def stamps(self, collection: str) -> Mapping[str, str]:
        return dict(self.noted.get(collection, {}))

    async def put(self, collection: str, documents: Sequence[ParsedDocument]) -> None:
        await self.before_put()
        self.puts.append(len(documents))
        self.documents.setdefault(collection, {}).update({each.document_id: each for each in documents})

    async def drop(self, collection: str, document_ids: Sequence[str]) -> None:
        for document_id in document_ids:
            del self.documents[collection][document_id]

    async def stamp(self, collection: str, source: str, value: str) -> None:
        self.noted.setdefault(collection, {})[source] = value

    async def before_put(self) -> None: ...

    def ids(self, collection: str = "docs") -> list[str]:
        return sorted(self.documents.get(collection, {}))


def read(path: Path, limits: Limits | None = None) -> ParsedDocument:
    """Return the one document of a file."""
    (item,) = find([path]).items
    (batch,) = parse(item, limits or Limits())
    (document,) = batch.documents
    return document


def sections(document: ParsedDocument) -> list[tuple[str, str]]:
    return [(passage.section, passage.text) for passage in document.passages]


def written(path: Path, content: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


Write = Callable[[str, str | bytes], Path]
