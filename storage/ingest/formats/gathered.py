"""Lines of JSONL that name the same `document`: the passages of one document, such as a case with its sections."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from agent.errors import RefusedFileError
from storage.ingest.parsed import ParsedDocument, fingerprint

_LONGEST_NAME = 400


def named_in(line: Mapping[str, Any]) -> str:
    """Return the document that a line belongs to; empty where it is one by itself. Raises RefusedFileError."""
    name = line.get("document")
    if name is None:
        return ""
    if not isinstance(name, str) or not name.strip() or len(name) > _LONGEST_NAME:
        raise RefusedFileError(f"`document` is not a name of 1 to {_LONGEST_NAME} characters")
    return name.strip()


@dataclass(slots=True)
class Gathered:
    """The document whose lines are being read. What its first line tells of it holds for all of them."""

    name: str
    entities: object = None
    """As the first line gives them: they name what every passage is about."""
    _parts: list[ParsedDocument] = field(default_factory=list)
    _ids: set[str] = field(default_factory=set)

    def completed(self, line: dict[str, Any]) -> dict[str, Any]:
        """Return a line with what it takes from the first one. Raises RefusedFileError for an id that is there."""
        identity = str(line.get("id") or line.get("_id") or "")
        if identity in self._ids:
            raise RefusedFileError(f"document {self.name!r} has a line of the id {identity!r} already")
        self._ids |= {identity} - {""}
        if not self._parts:
            self.entities = line.get("entities")
        return line if "entities" in line or self.entities is None else {**line, "entities": self.entities}

    def add(self, part: ParsedDocument) -> None:
        """Take in what one line holds."""
        self._parts.append(part)

    def document(self) -> ParsedDocument | None:
        """Return the document of all lines so far; None where none of them holds anything."""
        if not self._parts:
            return None
        first = self._parts[0]
        passages = tuple(passage for part in self._parts for passage in part.passages)
        passages = tuple(replace(passage, position=n) for n, passage in enumerate(passages))
        metadata = {key: value for part in reversed(self._parts) for key, value in part.metadata.items()}
        return replace(
            first,
            passages=passages,
            metadata=metadata,
            content_hash=fingerprint(
                title=first.title,
                source=first.source,
                text="\n\n".join(passage.text for passage in passages),
                metadata=metadata,
                date=first.date,
                passages=passages,
            ),
        )
