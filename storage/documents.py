"""Documents and passages in `weft.db`: what ingest writes, what search and people read.

Passages are only added and removed, never changed: an updated document gets new ones. Their ids
grow with every commit, and a removal leaves a row in `removed`, so that an index in any process can
tell from two numbers (`Generation`) what it has not seen yet.
"""

import asyncio
import json
import sqlite3
import time
from collections import ChainMap, Counter
from collections.abc import Iterable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agent.text import tokens
from agent.types import Audience, Category, Passage, SearchFilter
from storage.contracts import DocumentInfo
from storage.database import Database
from storage.ingest.parsed import ParsedDocument

_PASSAGE = """
SELECT p.id, d.document_id, c.name, d.title, p.text, p.section, p.page, p.position, p.category, p.language,
  d.source, p.entities, p.kind, d.date, d.id, c.readers
FROM passages p JOIN documents d ON d.id=p.document JOIN collections c ON c.id=p.collection"""


@dataclass(frozen=True, kw_only=True, slots=True)
class Generation:
    """How far a reader has seen: the last passage added, the last removal."""

    passage: int = 0
    removal: int = 0


def generation(connection: sqlite3.Connection) -> Generation:
    """Return the newest state of the passages."""
    rows = dict(connection.execute("SELECT name, seq FROM sqlite_sequence WHERE name IN ('passages','removed')"))
    return Generation(passage=rows.get("passages", 0), removal=rows.get("removed", 0))


def readable(connection: sqlite3.Connection, audience: Audience, filter: SearchFilter) -> set[int]:
    """Return the collections that the audience may read and the filter admits.

    A pack's sample documents step back as soon as the library holds documents of the team's own.
    """
    rows = connection.execute("SELECT id, name, readers, sample FROM collections").fetchall()
    own = {
        identity
        for identity, _, _, sample in rows
        if not sample
        and connection.execute("SELECT 1 FROM documents WHERE collection=? LIMIT 1", (identity,)).fetchone()
    }
    return {
        identity
        for identity, name, readers, sample in rows
        if audience.may_read(frozenset(json.loads(readers)))
        and (name in filter.collections if filter.collections else not (sample and own))
    }


def narrows(filter: SearchFilter) -> bool:
    """Tell whether the filter says more than which collections."""
    return filter != SearchFilter(collections=filter.collections)


def matching(connection: sqlite3.Connection, filter: SearchFilter, collections: Iterable[int]) -> NDArray[np.int64]:
    """Return the ids of the passages of these collections that the filter admits, in order."""
    marks = ",".join(str(int(identity)) for identity in collections)
    conditions = [f"p.collection IN ({marks})"]
    values: list[str | int] = []
    if filter.sources:
        conditions.append(f"d.source IN ({','.join('?' * len(filter.sources))})")
        values.extend(filter.sources)
    if filter.categories:
        conditions.append(f"p.category IN ({','.join('?' * len(filter.categories))})")
        values.extend(category.value for category in filter.categories)
    if filter.page_range:
        conditions.append("p.page BETWEEN ? AND ?")
        values.extend(filter.page_range)
    if filter.entity:
        conditions.append("EXISTS(SELECT 1 FROM json_each(p.entities) WHERE value=?)")
        values.append(filter.entity)
    if filter.language:
        conditions.append("p.language=?")
        values.append(filter.language)
    if filter.kinds:
        conditions.append(f"p.kind IN ({','.join('?' * len(filter.kinds))})")
        values.extend(filter.kinds)
    if filter.date_range:
        first, last = filter.date_range
        conditions.append("d.date<>'' AND d.date>=? AND d.date<=?")
        values += [first, last or "9999-12-31"]
    if filter.documents:
        conditions.append(f"d.id IN ({','.join('?' * len(filter.documents))})")
        values.extend(filter.documents)
    sql = f"""SELECT p.id FROM passages p JOIN documents d ON d.id=p.document
    WHERE {" AND ".join(conditions)} ORDER BY p.id"""
    return np.fromiter((row[0] for row in connection.execute(sql, values)), dtype=np.int64)


class SqliteLibrary:
    """The documents in `weft.db`: for ingest (`Library`), for the agent (`Passages`), for people (`Documents`)."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._terms: dict[str, int] = {}

    # --- for ingest

    async def declare(self, collection: str, *, sample: bool = False) -> None:
        """Make sure that a collection exists; everybody may read a new one."""
        sql = "INSERT INTO collections(name, sample) VALUES(?,?) ON CONFLICT(name) DO UPDATE SET sample=excluded.sample"
        await self._database.write(lambda c: c.execute(sql, (collection, int(sample))).close())

    async def fingerprints(self, collection: str) -> Mapping[str, str]:
        """Return document id -> content hash."""
        return await self._column(collection, "content_hash")

    async def sources(self, collection: str) -> Mapping[str, str]:
        """Return document id -> the file that it came from."""
        return await self._column(collection, "origin")

    async def stamps(self, collection: str) -> Mapping[str, str]:
        """Return source -> stamp of the file as it was last read."""
        sql = "SELECT s.source, s.stamp FROM stamps s JOIN collections c ON c.id=s.collection WHERE c.name=?"
        return dict(await self._database.read(lambda c: c.execute(sql, (collection,)).fetchall()))

    async def stamp(self, collection: str, source: str, value: str) -> None:
        """Note how a file looked when it was read."""

        def work(connection: sqlite3.Connection) -> None:
            identity = _collection(connection, collection)
            connection.execute("INSERT OR REPLACE INTO stamps VALUES(?,?,?)", (identity, source, value))

        await self._database.write(work)

    async def put(self, collection: str, documents: Sequence[ParsedDocument]) -> None:
        """Store documents, each in place of the one with its id; all of them, or none."""
        counted = await asyncio.to_thread(lambda: [_counted(document) for document in documents])
        fresh: dict[str, int] = {}

        def work(connection: sqlite3.Connection) -> None:
            identity = _collection(connection, collection)
            for document, counts in zip(documents, counted, strict=True):
                self._forget_stamp(connection, identity, document)
                _remove(connection, identity, document.document_id)
                _insert(connection, identity, document, counts, ChainMap(fresh, self._terms))

        await self._database.write(work)
        self._terms.update(fresh)  # only now: a rolled back transaction takes its term ids with it

    @staticmethod
    def _forget_stamp(connection: sqlite3.Connection, collection: int, document: ParsedDocument) -> None:
        """See to it that a file whose document is replaced by another file's is read again when it comes back."""
        connection.execute(
            """DELETE FROM stamps WHERE collection=:collection AND source=(
            SELECT origin FROM documents WHERE collection=:collection AND document_id=:id AND origin<>:origin)""",
            {"collection": collection, "id": document.document_id, "origin": document.origin},
        )

    async def drop(self, collection: str, document_ids: Sequence[str]) -> None:
        """Remove documents whose files are gone."""

        def work(connection: sqlite3.Connection) -> None:
            identity = _collection(connection, collection)
            for document_id in document_ids:
                _remove(connection, identity, document_id)

        await self._database.write(work)

    # --- for people

    async def listing(self, *, collection: str = "") -> Sequence[DocumentInfo]:
        """Return the stored documents, by collection and id."""
        sql = """
        SELECT c.name, d.document_id, d.title, d.source, count(p.id), d.characters, d.updated_at
        FROM documents d JOIN collections c ON c.id=d.collection LEFT JOIN passages p ON p.document=d.id
        WHERE ?='' OR c.name=? GROUP BY d.id ORDER BY c.name, d.document_id"""

        def work(connection: sqlite3.Connection) -> list[DocumentInfo]:
            return [
                DocumentInfo(
                    collection=name,
                    document_id=i,
                    title=title,
                    source=source,
                    passages=n,
                    characters=size,
                    updated_at=at,
                )
                for name, i, title, source, n, size, at in connection.execute(sql, (collection, collection))
            ]

        return await self._database.read(work)

    async def remove(self, document_id: str, *, collection: str = "") -> int:
        """Remove documents of this id; returns how many there were."""

        def work(connection: sqlite3.Connection) -> int:
            sql = """SELECT d.collection, d.origin FROM documents d JOIN collections c ON c.id=d.collection
            WHERE d.document_id=? AND (?='' OR c.name=?)"""
            found = connection.execute(sql, (document_id, collection, collection)).fetchall()
            for identity, origin in found:
                _remove(connection, identity, document_id)
                # The file is to be read again at the next ingest: the document may be wanted back.
                connection.execute("DELETE FROM stamps WHERE collection=? AND source=?", (identity, origin))
            return len(found)

        return await self._database.write(work)

    async def has_own(self) -> bool:
        """Tell whether there are documents besides a pack's samples."""
        sql = "SELECT 1 FROM documents d JOIN collections c ON c.id=d.collection WHERE c.sample=0 LIMIT 1"
        return await self._database.read(lambda c: c.execute(sql).fetchone()) is not None

    async def empty(self, *, audience: Audience, collections: Sequence[str] = ()) -> bool:
        """Tell whether there is nothing that this audience could be answered from."""

        def work(connection: sqlite3.Connection) -> bool:
            admitted = readable(connection, audience, SearchFilter(collections=tuple(collections)))
            sql = "SELECT 1 FROM passages WHERE collection=? LIMIT 1"
            return not any(connection.execute(sql, (identity,)).fetchone() for identity in admitted)

        return await self._database.read(work)

    # --- for the vectors

    async def admitted(self, filter: SearchFilter, audience: Audience) -> NDArray[np.int64]:
        """Return the ids of all passages that filter and audience admit."""
        return await self._database.read(lambda c: matching(c, filter, readable(c, audience, filter)))

    async def ids(self) -> NDArray[np.int64]:
        """Return the ids of all passages, in order."""
        sql = "SELECT id FROM passages ORDER BY id"
        return await self._database.read(lambda c: np.fromiter((row[0] for row in c.execute(sql)), dtype=np.int64))

    # --- for the agent

    async def get(self, ids: Sequence[int], *, audience: Audience) -> Sequence[Passage]:
        """Return the readable ones of these passages, in the order asked for."""
        sql = f"{_PASSAGE} WHERE p.id IN (SELECT value FROM json_each(?))"
        found = {p.id: p for p in await self._passages(sql, json.dumps([int(i) for i in ids]), audience)}
        return [found[i] for i in ids if i in found]

    async def by_public_id(self, ids: Sequence[str], *, audience: Audience) -> Sequence[Passage]:
        """Return the readable ones of these passages by public id, in the order asked for."""
        wanted = [identity.rpartition("#") for identity in ids]
        pairs = json.dumps([[document, int(place)] for document, _, place in wanted if place.isdigit()])
        sql = f"""{_PASSAGE} JOIN json_each(?) j
        ON d.document_id=json_extract(j.value,'$[0]') AND p.position=json_extract(j.value,'$[1]')"""
        found = {p.public_id: p for p in await self._passages(sql, pairs, audience)}
        return [found[i] for i in ids if i in found]

    async def around(self, public_id: str, *, collection: str, window: int, audience: Audience) -> Sequence[Passage]:
        """Return a passage with `window` neighbours on each side, in the document's order."""
        document, _, place = public_id.rpartition("#")
        if not place.isdigit():
            return []
        span = json.dumps([document, collection, int(place) - window, int(place) + window])
        sql = f"""{_PASSAGE} JOIN (SELECT ? AS s) q
        WHERE d.document_id=json_extract(q.s,'$[0]') AND c.name=json_extract(q.s,'$[1]')
        AND p.position BETWEEN json_extract(q.s,'$[2]') AND json_extract(q.s,'$[3]') ORDER BY p.position"""
        return await self._passages(sql, span, audience)

    async def _passages(self, sql: str, parameter: str, audience: Audience) -> list[Passage]:
        def work(connection: sqlite3.Connection) -> list[Passage]:
            rows = connection.execute(sql, (parameter,)).fetchall()
            return [_passage(row) for row in rows if audience.may_read(frozenset(json.loads(row[-1])))]

        return await self._database.read(work)

    async def _column(self, collection: str, column: str) -> Mapping[str, str]:
        sql = (
            f"SELECT d.document_id, d.{column} FROM documents d JOIN collections c ON c.id=d.collection WHERE c.name=?"
        )
        return dict(await self._database.read(lambda c: c.execute(sql, (collection,)).fetchall()))


def _passage(row: tuple[Any, ...]) -> Passage:
    (
        identity,
        document,
        collection,
        title,
        text,
        section,
        page,
        position,
        category,
        language,
        source,
        entities,
        kind,
        date,
        number,
        _,
    ) = row
    return Passage(
        id=identity,
        document_id=document,
        collection=collection,
        title=title,
        text=text,
        section=section,
        page=page,
        position=position,
        category=Category(category),
        language=language,
        source=source,
        entities=tuple(json.loads(entities)),
        kind=kind,
        date=date,
        document=number,
    )


def _collection(connection: sqlite3.Connection, name: str) -> int:
    connection.execute("INSERT INTO collections(name) VALUES(?) ON CONFLICT(name) DO NOTHING", (name,))
    (identity,) = connection.execute("SELECT id FROM collections WHERE name=?", (name,)).fetchone()
    return int(identity)


def _remove(connection: sqlite3.Connection, collection: int, document_id: str) -> None:
    sql = "SELECT id FROM documents WHERE collection=? AND document_id=?"
    row = connection.execute(sql, (collection, document_id)).fetchone()
    if row is None:
        return
    connection.execute(
        "INSERT INTO removed(passage, removed_at) SELECT id, ? FROM passages WHERE document=?", (time.time(), row[0])
    )
    connection.execute("DELETE FROM passages WHERE document=?", row)
    connection.execute("DELETE FROM documents WHERE id=?", row)


def _insert(
    connection: sqlite3.Connection,
    collection: int,
    document: ParsedDocument,
    counted: Sequence[Counter[str]],
    identities: MutableMapping[str, int],
) -> None:
    cursor = connection.execute(
        """INSERT INTO documents(collection, document_id, title, source, origin, language, content_hash, metadata,
        characters, updated_at, date) VALUES(?,?,?,?,?,?,?,?,?,?,?)""",
        (
            collection,
            document.document_id,
            document.title,
            document.source,
            document.origin,
            document.language,
            document.content_hash,
            json.dumps(dict(document.metadata), ensure_ascii=False),
            sum(len(passage.text) for passage in document.passages),
            time.time(),
            document.date,
        ),
    )
    for passage, found in zip(document.passages, counted, strict=True):
        terms, counts = _postings(connection, found, identities)
        connection.execute(
            """INSERT INTO passages(document, collection, position, section, page, category, language, entities, text,
            terms, counts, kind) VALUES(?,?,?,?,?,?,?,?,?,?,?,?)""",
            (
                cursor.lastrowid,
                collection,
                passage.position,
                passage.section,
                passage.page,
                passage.category.value,
                passage.language,
                json.dumps(list(passage.entities), ensure_ascii=False),
                passage.text,
                terms.tobytes(),
                counts.tobytes(),
                passage.kind,
            ),
        )


def _counted(document: ParsedDocument) -> list[Counter[str]]:
    """Return how often each term stands in each passage.

    Title and section are part of what a passage says: "20 days" under "Parental leave" is about leave.
    """
    head = document.title
    return [Counter(tokens(f"{head}\n{passage.section}\n{passage.text}")) for passage in document.passages]


def _postings(
    connection: sqlite3.Connection, found: Counter[str], identities: MutableMapping[str, int]
) -> tuple[NDArray[np.int32], NDArray[np.uint16]]:
    """Return the ids of the terms, ascending, and their counts."""
    for term in found:
        if term not in identities:
            identities[term] = _term(connection, term)
    pairs = sorted((identities[term], min(count, 65_535)) for term, count in found.items())
    terms = np.array([identity for identity, _ in pairs], dtype=np.int32)
    return terms, np.array([count for _, count in pairs], dtype=np.uint16)


def _term(connection: sqlite3.Connection, term: str) -> int:
    row = connection.execute("SELECT id FROM terms WHERE term=?", (term,)).fetchone()
    if row is not None:
        return int(row[0])
    return int(connection.execute("INSERT INTO terms(term) VALUES(?)", (term,)).lastrowid or 0)
