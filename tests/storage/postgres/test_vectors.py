"""Vectors on PostgreSQL: the contract, exact where few are read, and found along the index where they are many."""

import itertools
import json
from collections.abc import AsyncIterator, Mapping

import numpy as np
import pytest
from numpy.typing import NDArray

from agent.errors import SettingsError
from agent.ports import VectorIndex
from agent.types import Audience, SearchFilter
from storage.contracts import VectorStore
from storage.postgres import vector_table
from storage.postgres.statements import Statements
from storage.postgres.vectors import PostgresVectorIndex, PostgresVectors
from storage.sql import Rows, SqlDatabase, Values
from tests.contracts.vector_store import VectorStoreContract
from tests.contracts.vectors import ALL, DIMENSIONS, Entry, VectorIndexContract, unit
from tests.databases import another
from tests.databases import rows as stored
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
        await store.save()


async def all_ids(filter: SearchFilter, audience: Audience) -> NDArray[np.int64] | None:
    return None


class TestPostgresVectors(VectorIndexContract):
    @pytest.fixture(autouse=True, params=["exact", "index"])
    def given(self, postgres_database, request, monkeypatch) -> None:
        self.database = postgres_database
        if request.param == "index":
            monkeypatch.setattr(vector_table, "EXACT", -1)

    async def make(self, entries: Mapping[int, Entry]) -> VectorIndex:
        self.store = PostgresVectors(self.database, embedding="e")
        await add(self.database, self.store, entries)
        return PostgresVectorIndex(self.store, all_ids)

    async def change(self, index: VectorIndex, *, add: Mapping[int, Entry], remove: tuple[int, ...] = ()) -> None:
        await globals()["add"](self.database, self.store, add)
        await self.store.remove(ids(*remove))


class TestPostgresVectorStore(VectorStoreContract):
    @pytest.fixture(autouse=True)
    async def given(self, postgres_database) -> AsyncIterator[None]:
        async with another(postgres_database) as other:
            self.databases = itertools.cycle((postgres_database, other))
            yield

    async def open(self, *, embedding: str = "e") -> VectorStore:
        return PostgresVectors(next(self.databases), embedding=embedding)


async def test_what_few_may_read_is_found_among_thousands_that_are_nearer(postgres_database, monkeypatch):
    monkeypatch.setattr(vector_table, "EXACT", 10 * DIMENSIONS)
    store = PostgresVectors(postgres_database, embedding="e")
    secret = frozenset({"user:s:w:u"})
    entries = {n: Entry(n, unit(1.0, n / 1e5), readers=secret) for n in range(1, 1500)}
    entries |= {n: Entry(n, unit(0.2, 1.0, n / 1e4)) for n in range(2000, 2020)}
    await add(postgres_database, store, entries)
    everybody = Audience(principals=frozenset({"*"}))
    found = await PostgresVectorIndex(store, all_ids).search(unit(1.0), k=10, filter=SearchFilter(), audience=everybody)
    assert len(found) == 10 and all(id >= 2000 for id, _ in found)


async def test_where_the_index_is_given_up_before_anything_was_admitted_all_are_compared(
    postgres_database, monkeypatch
):
    monkeypatch.setattr(vector_table, "EXACT", 10 * DIMENSIONS)
    store = PostgresVectors(postgres_database, embedding="e")
    secret = frozenset({"user:s:w:u"})
    entries = {n: Entry(n, unit(1.0, n / 1e5), readers=secret) for n in range(1, 1500)}
    entries |= {n: Entry(n, unit(-1.0, n / 1e4)) for n in range(2000, 2020)}
    await add(postgres_database, store, entries)
    await postgres_database.read(lambda c: c.execute("SET hnsw.max_scan_tuples = 1").close())
    everybody = Audience(principals=frozenset({"*"}))
    found = await PostgresVectorIndex(store, all_ids).search(unit(1.0), k=10, filter=SearchFilter(), audience=everybody)
    assert [id for id, _ in found] == list(range(2019, 2009, -1))


def indexes(database: SqlDatabase) -> list[str]:
    """Return the HNSW indexes that there are."""
    sql = "SELECT tablename || ' ' || indexdef FROM pg_indexes WHERE indexdef LIKE '%hnsw%' ORDER BY 1"
    return [str(definition).split(maxsplit=1)[0] for (definition,) in stored(database, sql)]


def plan(database: SqlDatabase, monkeypatch) -> list[str]:
    """Return the plans of the statements that order by distance, as they are run."""
    plans: list[str] = []
    run = Statements.execute

    def explained(self: Statements, statement: str, values: Values = ()) -> Rows:
        if "ORDER BY" in statement and "<#>" in statement:
            plans.append("".join(line for (line,) in run(self, f"EXPLAIN {statement}", values)))
        return run(self, statement, values)

    monkeypatch.setattr(Statements, "execute", explained)
    return plans


@pytest.mark.parametrize(("dimensions", "indexed"), [(500, True), (2500, True), (4500, False)])
async def test_long_vectors_are_found_along_an_index_as_far_as_there_can_be_one(
    postgres_database, monkeypatch, dimensions, indexed
):
    monkeypatch.setattr(vector_table, "EXACT", 30 * dimensions)
    store = PostgresVectors(postgres_database, embedding="e")
    made = np.random.default_rng(1).standard_normal((400, dimensions)).astype(np.float32)
    made /= np.linalg.norm(made, axis=1, keepdims=True)
    await store.add(np.arange(400, dtype=np.int64), made)
    assert indexes(postgres_database) == []
    await store.save()
    assert indexes(postgres_database) == ["vectors_1"] * indexed
    await postgres_database.write(lambda c: c.execute("INSERT INTO collections(id, name) VALUES(0, 'c')").close())
    plans = plan(postgres_database, monkeypatch)
    found = await PostgresVectorIndex(store, all_ids).search(made[7], k=3, filter=SearchFilter(), audience=ALL)
    nearest = np.argsort(-(made @ made[7]))[:3]
    assert [id for id, _ in found] == nearest.tolist()
    assert [score for _, score in found] == pytest.approx((made @ made[7])[nearest], abs=1e-5)
    assert [("vectors_1_vector_idx" in each) for each in plans] == [indexed]


async def test_the_index_of_vectors_made_anew_is_made_when_they_are_whole(postgres_database, monkeypatch):
    monkeypatch.setattr(vector_table, "EXACT", 10 * DIMENSIONS)
    store = PostgresVectors(postgres_database, embedding="e")
    await store.add(ids(*range(10)), rows(*[unit(1.0)] * 10))
    await store.save()
    assert indexes(postgres_database) == []  # all are compared
    fresh = store.beside()
    await fresh.add(ids(*range(20)), rows(*[unit(1.0)] * 20))
    await fresh.save()
    assert indexes(postgres_database) == []
    await fresh.save(whole=True)
    await store.take(fresh)
    assert indexes(postgres_database) == ["vectors_2"]
    await store.add(ids(20), rows(unit(1.0)))
    await store.save()
    assert indexes(postgres_database) == ["vectors_2"] and await store.count() == 21


async def test_vectors_are_stored_to_the_last_bit_and_the_last_of_two_of_an_id_stands(postgres_database):
    store = PostgresVectors(postgres_database, embedding="e")
    exact = np.random.default_rng(1).standard_normal((2, DIMENSIONS)).astype(np.float32)
    await store.add(ids(1, 2, 1), rows(unit(1.0), exact[0], exact[1]))
    await store.add(ids(2), exact[:1])
    found = stored(
        postgres_database, "SELECT passage, collection, CAST(vector AS text) FROM vectors_1 ORDER BY passage"
    )
    assert [(id, collection) for id, collection, _ in found] == [(1, 0), (2, 0)]
    assert np.array_equal(np.array([json.loads(text) for *_, text in found], dtype=np.float32), exact[::-1])


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
