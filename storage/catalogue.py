"""What is stored, document by document, for the people who keep it."""

import json
import sqlite3
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from storage.database import Database


@dataclass(frozen=True, kw_only=True, slots=True)
class StoredDocument:
    """A document with all that is known of it; `updated_at` in seconds since the epoch."""

    collection: str
    document_id: str
    title: str
    date: str
    language: str
    source: str
    passages: int
    findings: int
    characters: int
    updated_at: float
    metadata: Mapping[str, Any]


async def catalogue(database: Database, *, collection: str = "") -> Sequence[StoredDocument]:
    """Return the stored documents, by collection and id."""
    sql = """
    SELECT c.name, d.document_id, d.title, d.date, d.language, d.source, count(p.id), total(p.kind='finding'),
      d.characters, d.updated_at, d.metadata
    FROM documents d JOIN collections c ON c.id=d.collection LEFT JOIN passages p ON p.document=d.id
    WHERE ?='' OR c.name=? GROUP BY d.id ORDER BY c.name, d.document_id"""

    def work(connection: sqlite3.Connection) -> list[StoredDocument]:
        return [
            StoredDocument(
                collection=name,
                document_id=identity,
                title=title,
                date=date,
                language=language,
                source=source,
                passages=passages,
                findings=int(findings),
                characters=characters,
                updated_at=updated_at,
                metadata=json.loads(metadata),
            )
            for (
                name,
                identity,
                title,
                date,
                language,
                source,
                passages,
                findings,
                characters,
                updated_at,
                metadata,
            ) in connection.execute(sql, (collection, collection))
        ]

    return await database.read(work)


async def versions(database: Database, wanted: Collection[tuple[str, str]]) -> Mapping[tuple[str, str], str]:
    """Return what changes when a document does, by collection and id; nothing for one that is not there."""
    sql = """SELECT c.name, d.document_id, d.content_hash FROM json_each(?) w
    JOIN collections c ON c.name=json_extract(w.value,'$[0]')
    JOIN documents d ON d.collection=c.id AND d.document_id=json_extract(w.value,'$[1]')"""
    rows = await database.read(lambda c: c.execute(sql, (json.dumps(sorted(wanted)),)).fetchall())
    return {(collection, document): version for collection, document, version in rows}
