"""Documents as rows of `weft.db`: many are written in few statements, for a server may be some way off."""

import json
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from storage.ingest.parsed import ParsedDocument
from storage.sql import Connection
from storage.terms import Numbers, postings

_AT_ONCE = 200
"""Rows in a statement: each has a dozen values, and SQLite takes 32,766 of them."""
_DOCUMENTS = """INSERT INTO documents(collection, document_id, title, source, origin, language, content_hash, metadata,
characters, updated_at, date) VALUES{rows} RETURNING document_id, id"""
_PASSAGES = """INSERT INTO passages(document, collection, position, section, page, category, language, entities, text,
terms, counts, kind, asked) VALUES{rows}"""

Counts = Sequence[Counter[str]]
"""How often each term stands in each passage of a document."""


def collection_of(connection: Connection, name: str) -> int:
    """Return the number of a collection, which gets one if it has none."""
    connection.execute("INSERT INTO collections(name) VALUES(?) ON CONFLICT(name) DO NOTHING", (name,))
    (identity,) = connection.execute("SELECT id FROM collections WHERE name=?", (name,)).fetchone()
    return int(identity)


def remove_document(connection: Connection, collection: int, document_id: str) -> None:
    """Delete a document with its passages, where there is one."""
    sql = "SELECT id FROM documents WHERE collection=? AND document_id=?"
    row = connection.execute(sql, (collection, document_id)).fetchone()
    if row is None:
        return
    connection.execute(
        "INSERT INTO removed(passage, removed_at, terms) SELECT id, ?, terms FROM passages WHERE document=?",
        (time.time(), row[0]),
    )
    connection.execute("DELETE FROM passages WHERE document=?", row)
    connection.execute("DELETE FROM documents WHERE id=?", row)


def replace_documents(
    connection: Connection,
    collection: int,
    documents: Sequence[ParsedDocument],
    counted: Sequence[Counts],
    numbers: Numbers,
) -> None:
    """Write documents in this order, each in place of the one with its id, be it among these."""
    for some in _rounds(list(zip(documents, counted, strict=True))):
        for origin, document in _there(connection, collection, [document for document, _ in some]):
            if origin != document.origin:  # that file is read again when it comes back
                connection.execute("DELETE FROM stamps WHERE collection=? AND source=?", (collection, origin))
            remove_document(connection, collection, document.document_id)
        for start in range(0, len(some), _AT_ONCE):
            _insert(connection, collection, some[start : start + _AT_ONCE], numbers)


Pairs = Sequence[tuple[ParsedDocument, Counts]]


def _rounds(pairs: Pairs) -> Iterator[Pairs]:
    """Yield them in rounds in none of which an id comes twice."""
    while pairs:
        seen: set[str] = set()
        now: list[tuple[ParsedDocument, Counts]] = []
        later: list[tuple[ParsedDocument, Counts]] = []
        for document, counts in pairs:
            (later if document.document_id in seen else now).append((document, counts))
            seen.add(document.document_id)
        yield now
        pairs = later


def _there(
    connection: Connection, collection: int, documents: Sequence[ParsedDocument]
) -> list[tuple[str, ParsedDocument]]:
    """Return those of these documents of whose id one is there, each with that one's origin."""
    sql = """SELECT document_id, origin FROM documents
    WHERE collection=? AND document_id IN (SELECT value FROM json_each(?))"""
    asked = json.dumps([document.document_id for document in documents], ensure_ascii=False)
    origins = dict(connection.execute(sql, (collection, asked)).fetchall())
    return [(origins[each.document_id], each) for each in documents if each.document_id in origins]


def _insert(connection: Connection, collection: int, pairs: Pairs, numbers: Numbers) -> None:
    now = time.time()
    rows = [_document(collection, document, now) for document, _ in pairs]
    identities = dict(_write(connection, _DOCUMENTS, rows))
    passages = [
        row
        for document, counts in pairs
        for row in _passages(identities[document.document_id], collection, document, counts, numbers)
    ]
    for start in range(0, len(passages), _AT_ONCE):
        _write(connection, _PASSAGES, passages[start : start + _AT_ONCE])


def _write(connection: Connection, statement: str, rows: Sequence[Sequence[Any]]) -> Sequence[Any]:
    """Write rows in one statement; returns what it gives back."""
    places = f"({','.join('?' * len(rows[0]))})"
    found = connection.execute(statement.format(rows=",".join([places] * len(rows))), [v for row in rows for v in row])
    return found.fetchall() if "RETURNING" in statement else ()


def _document(collection: int, document: ParsedDocument, now: float) -> Sequence[Any]:
    return (
        collection,
        document.document_id,
        document.title,
        document.source,
        document.origin,
        document.language,
        document.content_hash,
        json.dumps(dict(document.metadata), ensure_ascii=False),
        sum(len(passage.text) for passage in document.passages),
        now,
        document.date,
    )


def _passages(
    identity: int, collection: int, document: ParsedDocument, counted: Counts, numbers: Numbers
) -> Iterator[Sequence[Any]]:
    for passage, found in zip(document.passages, counted, strict=True):
        terms, counts = postings(found, numbers)
        yield (
            identity,
            collection,
            passage.position,
            passage.section,
            passage.page,
            passage.category.value,
            passage.language,
            json.dumps(list(passage.entities), ensure_ascii=False),
            passage.text,
            terms,
            counts,
            passage.kind,
            json.dumps(list(passage.asked), ensure_ascii=False),
        )
