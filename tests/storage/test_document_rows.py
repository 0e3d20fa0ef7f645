"""Many documents at once, on both databases: whole, in their order, each in place of the one with its id."""

import dataclasses

import pytest

from agent.types import Audience, Query, SearchFilter
from storage.documents import SqlLibrary
from tests.databases import rows
from tests.storage.test_lexical import document

ALL = Audience(principals=frozenset(), operator=True)


async def found(library: SqlLibrary, text: str) -> list[str]:
    """Return the texts that hold a word, in the order of their ids."""
    hits = await library.index.search(Query(text=text), k=5_000, filter=SearchFilter(), audience=ALL)
    return [passage.text for passage in await library.get(sorted(id for id, _ in hits), audience=ALL)]


@pytest.fixture
def library(database) -> SqlLibrary:
    return SqlLibrary(database)


async def test_more_documents_than_go_into_a_statement_are_written_in_their_order(library, database):
    made = [document(f"d{n}", *(f"vpn {n} {part}" for part in range(n % 3))) for n in range(450)]
    await library.put("guides", made)
    assert await found(library, "vpn") == [passage.text for each in made for passage in each.passages]
    assert rows(database, "SELECT document_id FROM documents ORDER BY id") == [(f"d{n}",) for n in range(450)]
    sql = "SELECT count(*) FROM passages p JOIN documents d ON d.id=p.document AND d.collection=p.collection"
    assert rows(database, sql) == [(450,)]


async def test_of_documents_of_one_id_in_a_batch_the_last_stands(library, database):
    made = [document("a", "vpn first"), document("b", "vpn other"), document("a", "vpn last", "vpn more")]
    await library.put("guides", made)
    assert await found(library, "vpn") == ["vpn other", "vpn last", "vpn more"]
    await library.put("guides", [document("a", "vpn new"), document("c", "vpn third")])
    assert await found(library, "vpn") == ["vpn other", "vpn new", "vpn third"]
    assert await found(library, "last") == []


async def test_a_file_whose_document_another_file_replaced_is_read_again_when_it_comes_back(library):
    one = dataclasses.replace(document("a", "one"), origin="/one")
    two = dataclasses.replace(document("a", "two"), origin="/two")
    await library.put("guides", [one])
    for name in ("/one", "/two", "/three"):
        await library.stamp("guides", name, "1")
    await library.put("guides", [one])
    assert set(await library.stamps("guides")) == {"/one", "/two", "/three"}
    await library.put("guides", [two])
    assert set(await library.stamps("guides")) == {"/two", "/three"}
    await library.put("guides", [one, two])  # also where both come at once
    assert set(await library.stamps("guides")) == {"/three"}
