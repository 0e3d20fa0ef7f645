"""What a JSONL line says about its own passage: where it stands, what it is, what is named in it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from agent.types import Category
from storage.ingest.entities import MOST
from storage.ingest.formats.asked_as import LONGEST
from storage.ingest.parsed import MOST_ASKED, ParsedPassage

_LONGEST_SECTION = 400
_LONGEST_ENTITY = 200
_LAST_PAGE = 1_000_000


@dataclass(frozen=True, kw_only=True, slots=True)
class Given:
    """The valid ones among the fields of a line that are a passage's own."""

    fields: Mapping[str, Any]
    section: str = ""
    entities: tuple[str, ...] = ()

    @classmethod
    def taken(cls, metadata: dict[str, Any]) -> "Given | None":
        """Take them out of the metadata; what is not valid stays there. None where there are none."""
        found = {}
        for key, read in _READ.items():
            if key in metadata and (value := read(metadata[key])):
                found[key] = value
                del metadata[key]
        if not found:
            return None
        section, entities = found.pop("section", ""), found.pop("entities", ())
        return cls(fields=found, section=section, entities=entities)

    def on(self, passage: ParsedPassage) -> ParsedPassage:
        """Return a passage with them; headings within the text come below the section."""
        section = " > ".join(part for part in (self.section, passage.section) if part)
        entities = tuple(dict.fromkeys((*self.entities, *passage.entities)))[: max(MOST, len(self.entities))]
        return replace(passage, section=section, entities=entities, **self.fields)


def _kind(value: object) -> object:
    return value if value in ("chunk", "finding") else None


def _page(value: object) -> object:
    return value if type(value) is int and 1 <= value <= _LAST_PAGE else None


def _category(value: object) -> object:
    return next((each for each in Category if each == value), None)


def _section(value: object) -> object:
    parts: list[object] = value if isinstance(value, list) else [value]
    told = [" ".join(part.split()) for part in parts if isinstance(part, str)]
    if len(told) < len(parts):
        return None
    section = " > ".join(words for words in told if words)
    return section if len(section) <= _LONGEST_SECTION else None


def _texts(value: object, *, most: int, longest: int) -> object:
    """Return a list of so many texts of so many characters, each once; None for anything else."""
    if not isinstance(value, list) or len(value) > most:
        return None
    if not all(isinstance(each, str) and each.strip() and len(each) <= longest for each in value):
        return None
    return tuple(dict.fromkeys(" ".join(each.split()) for each in value))


_READ: dict[str, Callable[[object], Any]] = {
    "kind": _kind,
    "page": _page,
    "category": _category,
    "section": _section,
    "entities": partial(_texts, most=5 * MOST, longest=_LONGEST_ENTITY),
    "asked": partial(_texts, most=MOST_ASKED, longest=LONGEST),
}
