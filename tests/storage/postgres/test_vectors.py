"""Vectors on PostgreSQL: the contract, exact where few are read, and found along the index where they are many."""

import json
from collections.abc import Mapping

import numpy as np
import pytest
from numpy.typing import NDArray

from agent.errors import SettingsError
from agent.ports import VectorIndex
from agent.types import Audience, SearchFilter
from storage.postgres import vectors as module
from storage.postgres.vectors import PostgresVectorIndex, PostgresVectors
from storage.sql import SqlDatabase
from tests.contracts.vectors import ALL, DIMENSIONS, Entry, VectorIndexContract, unit
from tests.vector_files import ids, rows


async def add(database: SqlDatabase, store: PostgresVectors, entries: Mapping[int, Entry]) -> None:
    """Store entries as passages with vectors, those of different readers in collections of their own."""

    def work(c) -> None:
        for entry in entries.values():
            named = entry.collection if entry.readers == {"*"} else f"{entry.collection} for {min(entry.readers)}"
            readers = json.dumps(sorted(entry.readers))
            sql = "INSERT INTO collections(name, readers) VALUES(?,?) ON CONFLICT DO NOTHING"
            c.execute(sql, (named, readers))
            (collection,) = c.execute("SELECT id FROM collections WHERE name=?", (named,)).fetchone()
            c.execute(
                """INSERT INTO documents(collection, document_id, title, source, origin, language, content_hash,
                metadata, characters, updated_at) VALUES(?,'d','','','','en','','{}',0,0) ON CONFLICT DO NOTHING""",
                (collection,),
            )
            c.execute(
                """INSERT INTO passages(id, document, collection, position, section, category, language, entities,
                text, terms, counts) VALUES(?, (SELECT id FROM documents WHERE collection=?), ?, 0, '', 'paragraph',
                'en', '[]', '', ?, ?) ON CONFLICT DO NOTHING""",
                (entry.id, collection, collection, b"", b""),
            )

    await database.write(work)
    if entries:
        await store.add(ids(*entries), rows(*(entry.vector for entry in entries.values())))


async def all_ids(filter: SearchFilter, audience: Audience) -> NDArray[np.int64] | None:
    return None


class TestPostgresVectors(VectorIndexContract):
    @pytest.fixture(autouse=True, params=["exact", "index"])
    def given(self, postgres_database, request, monkeypatch) -> None:
        self.database = postgres_database
        if request.param == "index":
            monkeypatch.setattr(module, "EXACT", -1)

    async def make(self, entries: Mapping[int, Entry]) -> VectorIndex:
        self.store = PostgresVectors(self.database, embedding="e")
        await add(self.database, self.store, entries)
        return PostgresVectorIndex(self.store, all_ids)

    async def change(self, index: VectorIndex, *, add: Mapping[int, Entry], remove: tuple[int, ...] = ()) -> None:
        await globals()["add"](self.database, self.store, add)
        await self.store.remove(ids(*remove))


async def test_what_few_may_read_is_found_among_thousands_that_are_nearer(postgres_database, monkeypatch):
    monkeypatch.setattr(module, "EXACT", 10)
    store = PostgresVectors(postgres_database, embedding="e")
    secret = frozenset({"user:s:w:u"})
    entries = {n: Entry(n, unit(1.0, n / 1e5), readers=secret) for n in range(1, 1500)}
    entries |= {n: Entry(n, unit(0.2, 1.0, n / 1e4)) for n in range(2000, 2020)}
    await add(postgres_database, store, entries)
    everybody = Audience(principals=frozenset({"*"}))
    found = await PostgresVectorIndex(store, all_ids).search(unit(1.0), k=10, filter=SearchFilter(), audience=everybody)
    assert len(found) == 10 and all(id >= 2000 for id, _ in found)


async def test_a_filter_of_more_than_collections_goes_by_the_passages_that_it_admits(postgres_database):
    store = PostgresVectors(postgres_database, embedding="e")
    await add(postgres_database, store, {n: Entry(n, unit(1.0, n)) for n in range(1, 9)})

    async def some(filter: SearchFilter, audience: Audience) -> NDArray[np.int64]:
        return ids(5, 7)

    index = PostgresVectorIndex(store, some)
    found = await index.search(unit(1.0), k=3, filter=SearchFilter(language="ko"), audience=ALL)
    assert [id for id, _ in found] == [5, 7]


async def test_vectors_made_anew_take_the_place_of_the_others_in_one_step(postgres_database):
    live = PostgresVectors(postgres_database, embedding="old")
    await add(postgres_database, live, {1: Entry(1, unit(1.0)), 2: Entry(2, unit(0.0, 1.0))})
    other = PostgresVectors(postgres_database, embedding="new")
    with pytest.raises(SettingsError, match=r"made by the embedding 'old'.*weft reindex"):
        await other.count()
    fresh = other.beside()
    await fresh.add(ids(1), rows(unit(0.0, 0.0, 1.0)))
    assert await live.count() == 2
    await other.take(fresh)
    assert await other.count() == 1 and await fresh.count() == 0
    await other.clear()
    assert await other.count() == 0


async def test_a_vector_of_another_length_is_refused(postgres_database):
    store = PostgresVectors(postgres_database, embedding="e")
    await store.add(ids(1), rows(unit(1.0)))
    with pytest.raises(SettingsError, match=f"{DIMENSIONS} and 3 dimensions"):
        await store.add(ids(2), np.ones((1, 3), dtype=np.float32))
    with pytest.raises(SettingsError, match=f"{DIMENSIONS} and 3 dimensions"):
        await store.search(np.ones(3, dtype=np.float32), 1, filter=SearchFilter(), audience=ALL)
