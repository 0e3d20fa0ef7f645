"""What an ingest says of itself: on the way, and in the end."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from storage.ingest.parsed import Refused

TOLD_FROM = 0.01
"""Share of what there is to read from which on it is told how long the rest takes: one small file tells nothing."""


@dataclass(frozen=True, kw_only=True, slots=True)
class IngestProgress:
    """How far ingest is."""

    files_done: int
    """Files and URLs."""
    files_total: int
    bytes_done: int
    bytes_total: int
    """Of the files that have to be read; a URL counts from when it is here."""
    documents: int
    passages: int
    seconds: float
    stored: int = 0
    """Documents added or updated that are in the library, whatever happens now."""
    refused: int = 0
    current: str = ""
    """The file or URL at work."""
    unfetched: int = 0
    """URLs of which nobody knows yet how much there is to read."""

    @property
    def rate(self) -> float:
        """Passages a second."""
        return self.passages / self.seconds if self.seconds > 0 else 0.0

    @property
    def seconds_left(self) -> float | None:
        """An estimate by the size of what is left; None where that is not known, or too little was read yet."""
        if self.unfetched or self.bytes_done < TOLD_FROM * self.bytes_total or not self.bytes_done:
            return None
        return self.seconds * (self.bytes_total - self.bytes_done) / self.bytes_done


@dataclass(frozen=True, kw_only=True, slots=True)
class IngestReport:
    """What came of it; the counts are documents."""

    added: int = 0
    updated: int = 0
    unchanged: int = 0
    removed: int = 0
    """Documents whose files are no longer in a folder that was read, or that are no longer in their file."""
    refused: tuple[Refused, ...] = ()
    skipped: tuple[str, ...] = ()
    """Files of an unknown type, and lines without a text."""
    emptied: Mapping[str, int] = field(default_factory=dict)
    """Folders in which no file is found any more, with how many documents of them are kept."""
    passages: int = 0
    """Of the documents added and updated."""
    seconds: float = 0.0

    def as_json(self) -> dict[str, Any]:
        """Return the report as `weft ingest --json` prints it."""
        return {
            "added": self.added,
            "updated": self.updated,
            "unchanged": self.unchanged,
            "removed": self.removed,
            "refused": [{"path": each.path, "reason": each.reason} for each in self.refused],
            "skipped": list(self.skipped),
            "emptied": dict(self.emptied),
            "passages": self.passages,
            "seconds": round(self.seconds, 3),
        }
