"""Terms that another tokenizer or an older Weft stored: made anew before anybody searches by them."""

import asyncio
import json
import logging

import numpy as np
import pytest

from agent.text import TOKENS_VERSION
from agent.types import Audience, Query, SearchFilter
from storage import snapshot
from storage.database import Database
from storage.documents import SqlLibrary
from storage.generation import generation
from storage.ingest.parsed import ParsedDocument, ParsedPassage
from storage.lexical import SqlLexicalIndex
from storage.schema import WEFT
from tests.databases import another

OPERATOR = Audience(principals=frozenset(), operator=True)
MANY = 1_200
"""Passages; more than are made anew in one transaction."""


def document(identity: str, *texts: str, title: str = "", section: str = "") -> ParsedDocument:
    return ParsedDocument(
        document_id=identity, title=title, source=identity, origin=identity, language="en", content_hash="",
        metadata={}, passages=tuple(ParsedPassage(text=t, position=n, section=section) for n, t in enumerate(texts)),
    )  # fmt: skip


@pytest.fixture
async def outdated(database) -> dict[int, tuple[bytes, bytes]]:
    """The database as a tokenizer of another version left it; returns the terms as they should be."""
    library = SqlLibrary(database)
    texts = [f"the vpn number {n} is slow" for n in range(MANY)]
    await library.put("documents", [document("a", *texts, title="Laptops", section="휴가는")])
    await library.index.rebuild()
    right = await stored_terms(database)

    def age(connection) -> None:
        sql = "UPDATE passages SET terms=(SELECT terms FROM passages WHERE id=1), counts=?"
        connection.execute(sql, (b"\1\0\1\0",))
        connection.execute("UPDATE facts SET value=? WHERE name='tokens'", (str(TOKENS_VERSION - 1),))

    await database.write(age)
    return right


async def stored_terms(database) -> dict[int, list[tuple[int, int]]]:
    def pairs(terms: bytes, counts: bytes) -> list[tuple[int, int]]:
        return sorted(
            zip(np.frombuffer(terms, np.int32).tolist(), np.frombuffer(counts, np.uint16).tolist(), strict=True)
        )

    rows = await database.read(
        lambda c: c.execute("SELECT id, terms, counts FROM passages").fetchall(), audience=OPERATOR
    )
    return {identity: pairs(terms, counts) for identity, terms, counts in rows}


async def find(index, text: str) -> list[int]:
    found = await index.search(Query(text=text), k=9999, filter=SearchFilter(), audience=OPERATOR)
    return sorted(i for i, _ in found)


async def test_a_search_makes_them_anew_first_and_says_so(database, outdated, caplog):
    index = SqlLexicalIndex(database)
    assert (await index.check()).tokens == TOKENS_VERSION
    assert await find(index, "number 700") == [*range(1, MANY + 1)]
    best = await index.search(Query(text="700 휴가"), k=1, filter=SearchFilter(), audience=OPERATOR)
    assert [identity for identity, _ in best] == [701]
    assert await stored_terms(database) == outdated
    (record,) = [r for r in caplog.records if r.name == "storage.terms"]
    assert record.levelno == logging.WARNING and f"{MANY} passages" in record.message
    caplog.clear()
    await find(SqlLexicalIndex(database), "number")
    assert not [r for r in caplog.records if r.name == "storage.terms"]


async def test_a_file_of_another_tokenizer_is_passed_over(database, outdated):
    index = SqlLexicalIndex(database)
    assert len(await find(index, "laptop")) == MANY
    assert (await index.check()).stale
    await index.rebuild()
    assert not (await index.check()).stale


async def test_a_file_that_another_version_made_since_is_passed_over(database):
    library = SqlLibrary(database)
    await library.put("documents", [document("a", "the vpn is slow")])
    assert await find(library.index, "vpn") == [1]
    seen = await database.read(generation)
    header = snapshot.new_header(generation=seen, tokens=TOKENS_VERSION + 1)
    path = database.path.with_name("lexical.idx")
    snapshot.put_in_place(snapshot.write(path, header, [], []), path)
    await database.write(lambda c: c.execute("INSERT INTO snapshots VALUES(?,0)", (header.snapshot,)).close())
    assert await find(SqlLexicalIndex(database), "vpn") == [1]


async def test_a_put_makes_them_anew_first(database, outdated):
    library = SqlLibrary(database)
    await library.put("documents", [document("b", "another vpn")])
    terms = await stored_terms(database)
    assert {i: terms[i] for i in outdated} == outdated
    assert len(await find(library.index, "vpn")) == MANY + 1


async def test_two_processes_do_it_side_by_side(database, outdated):
    async with another(database) as other:
        indexes = [SqlLexicalIndex(database), SqlLexicalIndex(other)]
        found = await asyncio.gather(*(find(index, "vpn") for index in indexes))
        assert [len(each) for each in found] == [MANY, MANY]
        assert await stored_terms(database) == outdated


@pytest.mark.parametrize("mark", [f"{TOKENS_VERSION}:500", f"{TOKENS_VERSION - 1}:500"], ids=["ours", "another's"])
async def test_what_was_cut_off_is_finished(database, outdated, mark):
    def cut_off(connection) -> None:
        if mark.startswith(f"{TOKENS_VERSION}:"):  # the first half is done
            connection.executemany("UPDATE passages SET terms=?, counts=? WHERE id=?", done)
        connection.execute("INSERT INTO facts VALUES('tokens_renewed', ?)", (mark,))

    done = [
        (np.array([t for t, _ in pairs], np.int32).tobytes(), np.array([c for _, c in pairs], np.uint16).tobytes(), i)
        for i, pairs in outdated.items()
        if i <= 500
    ]
    await database.write(cut_off)
    assert len(await find(SqlLexicalIndex(database), "vpn")) == MANY
    assert await stored_terms(database) == outdated
    facts = await database.read(lambda c: c.execute("SELECT name, value FROM facts").fetchall())
    assert facts == [("tokens", str(TOKENS_VERSION))]


async def test_a_library_of_the_first_release_is_taken_over(tmp_path):
    old = await Database.open(tmp_path / "weft.db", WEFT[:1])

    def fill(c) -> None:
        c.execute("INSERT INTO collections(name) VALUES('documents')")
        c.execute("INSERT INTO documents VALUES(1, 1, 'd', 'VPN guide', '/d', '/d', 'en', 'h', '{}', 9, 0)")
        sql = """INSERT INTO passages(document, collection, position, section, category, language, entities, text,
        terms, counts) VALUES(1, 1, ?, '', 'paragraph', 'en', ?, ?, x'', x'')"""
        c.execute(sql, (0, json.dumps(["제7조", "SEC-7"], ensure_ascii=False), "annual leave"))
        c.execute(sql, (1, '["SEC-7"]', "sick leave"))
        c.execute(sql, (2, "[]", "gone"))
        c.execute("INSERT INTO removed(passage, removed_at) VALUES(3, 0)")
        c.execute("DELETE FROM passages WHERE id=3")
        c.execute(sql, (2, "[]", "no entity"))

    await old.write(fill)
    await old.close()
    database = await Database.open(tmp_path / "weft.db", WEFT)
    try:
        library = SqlLibrary(database)
        for entity, expected in (("제7조", [1]), ("SEC-7", [1, 2]), ("gone", [])):
            admitted = await library.admitted(SearchFilter(entity=entity), OPERATOR)
            assert admitted is not None and admitted.tolist() == expected
        await library.remove("d")
        assert await database.read(lambda c: c.execute("SELECT count(*) FROM entities").fetchone()) == (0,)
        admitted = await library.admitted(SearchFilter(entity="SEC-7"), OPERATOR)
        assert admitted is not None and admitted.tolist() == []
    finally:
        await database.close()


@pytest.mark.parametrize("address", ["https://forge.example/team/rota(2)", "http://forge.example/team/rota.html#forge"])
async def test_the_address_of_another_site_is_not_what_a_passage_says(database, address):
    library = SqlLibrary(database)
    await library.put("documents", [document("a", f"Ask [the porter]({address}) (f(x), see [notes] (forge1).")])
    assert not await find(library.index, "rota forge team html")
    assert await find(library.index, "porter") == await find(library.index, "forge1") != []


async def test_a_path_within_the_documents_says_what_it_leads_to(database):
    library = SqlLibrary(database)
    await library.put("documents", [document("a", "Ask [the porter](../team/rota.md).")])
    assert await find(library.index, "rota")
