"""Answers that are watched: which documents they rest on, and what became of those."""

from collections.abc import Collection, Mapping, Sequence
from hashlib import sha256
from typing import Any, Protocol

from agent.language import say
from agent.text import normalise, words
from agent.types import RESERVED, Audience, Language, Passage, Response
from bot.calendar.comparison import clipped

_READ = 10_000
"""Passages of a document that are looked through."""
_NEAR = 0.4
"""How many of a quotation's words a passage must hold to be told as what stands there now."""
Versions = Mapping[tuple[str, str], str]


class Documents(Protocol):
    """The passages of a document, as far as an audience may read them (`agent.ports.Passages`)."""

    async def of_document(
        self, collection: str, document_id: str, *, start: int, stop: int, audience: Audience
    ) -> Sequence[Passage]:
        """Return the readable passages of a document whose positions are within `start:stop`, in its order."""
        ...


def cited_documents(response: Response) -> list[dict[str, Any]]:
    """Return the documents of the library that an answer cites, each with what is quoted of it."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for each in response.citations:
        if each.collection in RESERVED:
            continue
        known = found.setdefault(
            (each.collection, each.document_id),
            {"collection": each.collection, "document": each.document_id, "title": each.title, "quotes": []},
        )
        known["quotes"].append(each.quote)
    return list(found.values())


def documents_of(details: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the documents that an entry keeps; what is damaged in it counts as not there."""

    def listed(value: object) -> list[Any]:
        return value if isinstance(value, list) else []

    return [
        {
            "collection": str(each["collection"]),
            "document": str(each["document"]),
            "title": str(each.get("title", "")),
            "version": str(each.get("version", "")),
            "quotes": [quote for quote in listed(each.get("quotes")) if isinstance(quote, str)],
        }
        for each in listed(details.get("documents"))
        if isinstance(each, dict) and {"collection", "document"} <= each.keys()
    ]


def with_versions(documents: Sequence[Mapping[str, Any]], now: Versions) -> list[dict[str, Any]]:
    """Return documents with the versions that they have now; empty for one that is not there."""
    return [{**each, "version": now.get(name_of(each), "")} for each in documents]


def name_of(document: Mapping[str, Any]) -> tuple[str, str]:
    """Return collection and id of a document."""
    return str(document["collection"]), str(document["document"])


def differing(documents: Sequence[Mapping[str, Any]], now: Versions) -> list[int]:
    """Return the places of those that have another version now."""
    return [place for place, each in enumerate(documents) if now.get(name_of(each), "") != each.get("version", "")]


def mark_of(documents: Sequence[Mapping[str, Any]], places: Collection[int]) -> str:
    """Return a name for the versions of these."""
    versions = "\0".join(f"{place} {documents[place].get('version', '')}" for place in places)
    return sha256(versions.encode()).hexdigest()[:16]


async def told_changes(
    documents: Sequence[Mapping[str, Any]], library: Documents, audience: Audience, language: Language
) -> list[str]:
    """Return a line of Markdown for each of these documents: what of its quotations stands there, for this audience.

    Of what does not, the first sentence, beside what is new there and closest to it.
    """
    lines = []
    for each in documents:
        title = clipped(str(each.get("title", "")))
        collection, document = name_of(each)
        passages = await library.of_document(collection, document, start=0, stop=_READ, audience=audience)
        standing = " ".join(normalise(passage.text) for passage in passages)
        quoted = _sentences_of(each.get("quotes", ()))
        lost = [sentence for sentence in quoted if normalise(sentence) not in standing]
        if not passages:
            lines.append(say("watch_gone", language, title=title))
        elif not lost:
            lines.append(say("watch_still", language, title=title))
        else:
            new = [part for part in _sentences_of([passage.text for passage in passages]) if part not in quoted]
            lines.append(_told_lost(title, lost[0], new, language))
    return lines


def _told_lost(title: str, sentence: str, new: Sequence[str], language: Language) -> str:
    nearest = nearest_to(sentence, new)
    if not nearest:
        return say("watch_lost", language, title=title, quote=clipped(sentence))
    return say("watch_now", language, title=title, quote=clipped(sentence), now=clipped(nearest))


def nearest_to(quote: str, lines: Sequence[str]) -> str:
    """Return the one among these that shares the most words with a quotation; empty where few are shared."""
    wanted = {word for word, _, _ in words(quote)}
    shared = [len(wanted & {word for word, _, _ in words(line)}) for line in lines]
    best = max(shared, default=0)
    return lines[shared.index(best)] if best and best >= _NEAR * len(wanted) else ""


def _sentences_of(texts: Sequence[str]) -> list[str]:
    return [part for text in texts for line in text.splitlines() for part in _sentences(line)]


def _sentences(text: str) -> list[str]:
    """Return the sentences of a line, without the marks that begin it."""
    ends = [place + 1 for place, ch in enumerate(text[:-1]) if ch in ".!?。" and text[place + 1] == " "]
    parts = [text[start:end].strip(" \t#-*|>") for start, end in zip([0, *ends], [*ends, len(text)], strict=True)]
    return [part for part in parts if part]
