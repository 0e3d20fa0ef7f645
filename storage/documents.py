"""Documents and passages in `weft.db`: what ingest writes, what search and people read.

Passages are only added and removed, never changed: an updated document gets new ones. Their ids
grow with every commit, and a removal leaves a row in `removed`, so that an index in any process can
tell from two numbers (`storage.generation`) what it has not seen yet.
"""

import asyncio
import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agent.types import KEPT, Audience, Category, Passage, SearchFilter
from storage.admission import readable
from storage.document_rows import collection_of, remove_document, replace_documents
from storage.ingest.parsed import ParsedDocument
from storage.lexical import SqlLexicalIndex
from storage.sql import EVERYTHING, Connection, SqlDatabase
from storage.terms import Numbers, Terms, counted

LIBRARY = "library"
"""What only one may be at: ids grow with every commit, and that is what an index follows."""
_NUMBERS = 500_000
"""Numbers of terms kept in memory, about 60 MB."""

_PASSAGE = """
SELECT p.id, d.document_id, c.name, d.title, p.text, p.section, p.page, p.position, p.category, p.language,
  d.source, p.entities, p.kind, d.date, d.id, p.asked, c.readers
FROM passages p JOIN documents d ON d.id=p.document JOIN collections c ON c.id=p.collection"""
_OF_DOCUMENT = f"""{_PASSAGE} WHERE p.document=(
SELECT id FROM documents WHERE collection=(SELECT id FROM collections WHERE name=?) AND document_id=?)"""
_SPAN = "AND p.position>=? AND p.position<? ORDER BY p.position"


class SqlLibrary:
    """The documents in `weft.db`: for ingest (`Library`), for the agent (`Passages`), for people (`Documents`)."""

    def __init__(self, database: SqlDatabase) -> None:
        self.index = SqlLexicalIndex(database)
        """The word index over these documents."""
        self._database = database
        self._terms = Terms(database)
        self._numbers: dict[str, int] = {}
        """Of terms that are stored."""

    # --- for ingest

    async def declare(self, collection: str, *, sample: bool = False, pack: str = "") -> None:
        """Make sure that a collection exists; everybody may read a new one. One that is a pack's stays that."""
        sql = """INSERT INTO collections(name, sample, pack) VALUES(?,?,?) ON CONFLICT(name) DO UPDATE
        SET sample=excluded.sample, pack=CASE WHEN excluded.pack='' THEN collections.pack ELSE excluded.pack END"""
        await self._database.write(lambda c: c.execute(sql, (collection, int(sample), pack)).close())

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

        def work(connection: Connection) -> None:
            identity = collection_of(connection, collection)
            sql = """INSERT INTO stamps(collection, source, stamp) VALUES(?,?,?)
            ON CONFLICT(collection, source) DO UPDATE SET stamp=excluded.stamp"""
            connection.execute(sql, (identity, source, value))

        await self._database.write(work)

    async def put(self, collection: str, documents: Sequence[ParsedDocument]) -> None:
        """Store documents, each in place of the one with its id; all of them, or none."""
        await self._terms.renew()
        found = await asyncio.to_thread(
            lambda: [[counted(d.title, p.section, p.text, p.asked) for p in d.passages] for d in documents]
        )

        def work(connection: Connection) -> Numbers:
            numbers = Numbers(connection, self._numbers)
            numbers.learn(term for counts in found for each in counts for term in each)
            replace_documents(connection, collection_of(connection, collection), documents, found, numbers)
            return numbers

        numbers = await self._database.write(work, alone=LIBRARY)
        if len(self._numbers) > _NUMBERS:
            self._numbers.clear()
        self._numbers.update(numbers)

    async def drop(self, collection: str, document_ids: Sequence[str]) -> None:
        """Remove documents whose files are gone."""

        def work(connection: Connection) -> None:
            identity = collection_of(connection, collection)
            for document_id in document_ids:
                remove_document(connection, identity, document_id)

        await self._database.write(work, alone=LIBRARY)

    # --- for people

    async def remove(self, document_id: str, *, collection: str = "") -> int:
        """Remove documents of this id; returns how many there were."""

        def work(connection: Connection) -> int:
            sql = """SELECT collection, origin FROM documents WHERE document_id=?
            AND collection IN (SELECT id FROM collections WHERE ?='' OR name=?)"""
            found = connection.execute(sql, (document_id, collection, collection)).fetchall()
            for identity, origin in found:
                remove_document(connection, identity, document_id)
                # The file is to be read again at the next ingest: the document may be wanted back.
                connection.execute("DELETE FROM stamps WHERE collection=? AND source=?", (identity, origin))
            return len(found)

        return await self._database.write(work, alone=LIBRARY)

    async def has_own(self) -> bool:
        """Tell whether there are documents besides those of packs, and what people answered in a thread."""
        sql = """SELECT 1 FROM documents d JOIN collections c ON c.id=d.collection WHERE c.sample=0 AND c.pack=''
        AND substr(c.name, 1, length(?))<>? LIMIT 1"""
        return await self._database.read(lambda c: c.execute(sql, (KEPT, KEPT)).fetchone()) is not None

    async def titles(self, *, audience: Audience, collections: Sequence[str] = (), k: int) -> tuple[int, Sequence[str]]:
        """Return how many documents this audience could be answered from, and the titles of `k`, latest first."""

        def work(connection: Connection) -> tuple[int, list[str]]:
            admitted = readable(connection, audience, SearchFilter(collections=tuple(collections)))
            number = "SELECT count(*) FROM documents WHERE collection=?"
            sql = "SELECT updated_at, title FROM documents WHERE collection=? ORDER BY updated_at DESC, title LIMIT ?"
            count = 0
            latest: list[tuple[float, str]] = []
            for identity in admitted:
                count += connection.execute(number, (identity,)).fetchone()[0]
                latest += connection.execute(sql, (identity, k)).fetchall()
            latest.sort(key=lambda row: (-row[0], row[1]))
            return count, [title for _, title in latest[:k]]

        return await self._database.read(work, audience=audience)

    async def empty(self, *, audience: Audience, collections: Sequence[str] = ()) -> bool:
        """Tell whether there is nothing that this audience could be answered from."""

        def work(connection: Connection) -> bool:
            admitted = readable(connection, audience, SearchFilter(collections=tuple(collections)))
            sql = "SELECT 1 FROM passages WHERE collection=? LIMIT 1"
            return not any(connection.execute(sql, (identity,)).fetchone() for identity in admitted)

        return await self._database.read(work, audience=audience)

    # --- for the vectors

    async def admitted(self, filter: SearchFilter, audience: Audience) -> NDArray[np.int64] | None:
        """Return the ids of the passages within filter and audience, ascending; None: every passage there is."""
        return await self.index.admitted(filter, audience)

    async def ids(self) -> NDArray[np.int64]:
        """Return the ids of all passages, in order."""
        sql = "SELECT id FROM passages ORDER BY id"

        def work(connection: Connection) -> NDArray[np.int64]:
            return np.fromiter((row[0] for row in connection.execute(sql)), dtype=np.int64)

        return await self._database.read(work, audience=EVERYTHING)

    # --- for the agent

    async def get(self, ids: Sequence[int], *, audience: Audience) -> Sequence[Passage]:
        """Return the readable ones of these passages, in the order asked for."""
        sql = f"""{_PASSAGE}
        WHERE p.id IN (SELECT CAST(value AS BIGINT) FROM json_each(?))"""
        found = {p.id: p for p in await self._passages([(sql, (json.dumps([int(i) for i in ids]),))], audience)}
        return [found[i] for i in ids if i in found]

    async def by_reference(self, references: Sequence[str], *, audience: Audience) -> Sequence[Passage]:
        """Return the readable ones of these passages by `Passage.reference`, in the order asked for."""
        wanted: dict[tuple[str, str], list[int]] = {}
        for reference in references:
            collection, _, public = reference.partition("\t")
            document, _, place = public.rpartition("#")
            if place.isdecimal():
                wanted.setdefault((collection, document), []).append(int(place))
        sql = f"""{_OF_DOCUMENT} AND p.position IN (SELECT CAST(value AS BIGINT) FROM json_each(?))"""
        asked = [(sql, (*place, json.dumps(positions))) for place, positions in wanted.items()]
        found = {p.reference: p for p in await self._passages(asked, audience)}
        return [found[reference] for reference in references if reference in found]

    async def of_document(
        self, collection: str, document_id: str, *, start: int, stop: int, audience: Audience
    ) -> Sequence[Passage]:
        """Return the readable passages of a document whose positions are within `start:stop`, in its order."""
        values = (collection, document_id, start, stop)
        return await self._passages([(f"{_OF_DOCUMENT} {_SPAN}", values)], audience)

    async def around(self, public_id: str, *, collection: str, window: int, audience: Audience) -> Sequence[Passage]:
        """Return a passage with `window` neighbours on each side, in the document's order."""
        document, _, place = public_id.rpartition("#")
        if not place.isdigit():
            return []
        values = (collection, document, int(place) - window, int(place) + window + 1)
        return await self._passages([(f"{_OF_DOCUMENT} {_SPAN}", values)], audience)

    async def _passages(self, statements: Sequence[tuple[str, Sequence[Any]]], audience: Audience) -> list[Passage]:
        def work(connection: Connection) -> list[Passage]:
            rows = [row for sql, values in statements for row in connection.execute(sql, values)]
            return [_passage(row) for row in rows if audience.may_read(frozenset(json.loads(row[-1])))]

        return await self._database.read(work, audience=audience)

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
        asked,
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
        asked=tuple(json.loads(asked)),
    )
