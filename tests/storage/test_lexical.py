"""BM25 on postings: the library's scores, whatever was added and removed, and nothing outside the audience."""

import json
import random

import numpy as np
import pytest
from rank_bm25 import BM25Okapi

from agent.errors import StorageError
from agent.text import tokens
from agent.types import Audience, Category, Query, SearchFilter
from storage.catalogue import catalogue
from storage.documents import SqlLibrary
from storage.ingest.parsed import ParsedDocument, ParsedPassage
from storage.lexical import SqlLexicalIndex
from tests.contracts.knowledge import KnowledgeContract
from tests.databases import another

EVERYBODY = Audience(principals=frozenset({"*"}))
WORDS = (
    "leave parental annual vpn laptop travel expense 휴가 육아휴직 경비 정산 security password rotation shift".split()
)


def document(
    identity: str, *texts: str, title: str = "", language: str = "en", page: int | None = None
) -> ParsedDocument:
    passages = tuple(
        ParsedPassage(text=text, position=n, page=page, category=Category.PARAGRAPH, language=language)
        for n, text in enumerate(texts)
    )
    return ParsedDocument(
        document_id=identity, title=title, source=f"/{identity}", origin=f"/{identity}", passages=passages,
        language=language, content_hash=str(hash(texts)), metadata={},
    )  # fmt: skip


@pytest.fixture
def library(database):
    return SqlLibrary(database)


@pytest.fixture
def index(database):
    return SqlLexicalIndex(database)


async def find(index, text: str, *, k: int = 1000, filter=SearchFilter(), audience=EVERYBODY, terms=()):
    return await index.search(Query(text=text, terms=terms), k=k, filter=filter, audience=audience)


async def check_against_library(index, texts: dict[int, str], query: str) -> None:
    """Compare every score with rank_bm25 over the same tokens."""
    ids = sorted(texts)
    okapi = BM25Okapi([tokens(f"\n\n{texts[i]}") for i in ids], b=0.6)
    expected = dict(zip(ids, okapi.get_scores(tokens(query)), strict=True))
    found = dict(await find(index, query))
    matching = {i for i in ids if set(tokens(query)) & set(tokens(texts[i]))}
    assert set(found) == matching
    np.testing.assert_allclose([found[i] for i in sorted(found)], [expected[i] for i in sorted(found)], atol=1e-6)


class TestStoredKnowledge(KnowledgeContract):
    @pytest.fixture
    def make(self, new_database):
        async def make(passages, readers=None, packs=None):
            database = await new_database()
            library = SqlLibrary(database)
            for p in passages:
                parsed = ParsedPassage(
                    text=p.text, position=p.position, section=p.section, page=p.page, category=p.category,
                    language=p.language, entities=p.entities, kind=p.kind,
                )  # fmt: skip
                stored = ParsedDocument(
                    document_id=p.document_id, title=p.title, source=p.source, origin=p.source, passages=(parsed,),
                    language=p.language, content_hash=p.text, metadata={}, date=p.date,
                )  # fmt: skip
                await library.put(p.collection, [stored])
            for name, pack in (packs or {}).items():
                await library.declare(name, pack=pack)
            for name, who in (readers or {}).items():
                values = (json.dumps(sorted(who)), name)
                await database.write(
                    lambda c, values=values: c.execute("UPDATE collections SET readers=? WHERE name=?", values).close()
                )
            return SqlLexicalIndex(database), library

        return make


async def test_scores_are_those_of_rank_bm25_through_additions_and_removals(library, index):
    chance = random.Random(7)
    texts: dict[int, str] = {}
    next_id = 1
    for round in range(6):
        batch = []
        for n in range(chance.randint(1, 40)):
            text = " ".join(chance.choices(WORDS, k=chance.randint(3, 30)))
            batch.append(document(f"d{round}-{n}", text))
            texts[next_id] = text
            next_id += 1
        await library.put("documents", batch)
        await check_against_library(index, texts, "parental leave 휴가는 며칠인가요 leave")
        for identity in chance.sample(sorted(texts), k=len(texts) // 3):
            row = (await library.get([identity], audience=EVERYBODY))[0]
            assert await library.remove(row.document_id) == 1
            del texts[identity]
        await check_against_library(index, texts, "vpn password 육아휴직")


async def test_what_another_process_adds_and_removes_is_seen_at_once(database, library, index):
    await library.put("documents", [document("a", "the vpn is slow")])
    assert len(await find(index, "vpn")) == 1
    async with another(database) as other:
        await SqlLibrary(other).put("documents", [document("b", "another vpn")])
        assert len(await find(index, "vpn")) == 2
        await SqlLibrary(other).remove("a")
        assert [i for i, _ in await find(index, "vpn")] == [2]


async def test_an_updated_document_replaces_its_passages(library, index):
    await library.put("documents", [document("a", "old words"), document("b", "other words")])
    await library.put("documents", [document("a", "new text")])
    assert [
        p.document_id for p in await library.get([i for i, _ in await find(index, "words")], audience=EVERYBODY)
    ] == ["b"]
    assert len(await find(index, "text")) == 1


async def test_nothing_outside_the_audience_comes_back(database, library, index):
    await library.put("open", [document("a", "vpn for all")])
    await library.put("closed", [document("b", "vpn for few")])
    await database.write(
        lambda c: c.execute(
            """UPDATE collections SET readers='["user:console:local:kim"]' WHERE name='closed'"""
        ).close()
    )
    assert [i for i, _ in await find(index, "vpn")] == [1]
    assert await library.get([1, 2], audience=EVERYBODY) == [(await library.get([1], audience=EVERYBODY))[0]]
    assert await library.by_reference(["documents\tb#0"], audience=EVERYBODY) == []
    assert (await index.counts(["vpn"], audience=EVERYBODY)).holding == {"vpn": 1}
    kim = Audience(principals=frozenset({"*", "user:console:local:kim"}))
    assert {i for i, _ in await find(index, "vpn", audience=kim)} == {1, 2}
    operator = Audience(principals=frozenset(), operator=True)
    assert {i for i, _ in await find(index, "vpn", audience=operator)} == {1, 2}


async def test_samples_step_back_once_there_are_own_documents(library, index):
    await library.declare("handbook", sample=True)
    await library.put("handbook", [document("a", "vpn sample")])
    assert [i for i, _ in await find(index, "vpn")] == [1]
    await library.put("documents", [document("b", "vpn of ours")])
    assert [i for i, _ in await find(index, "vpn")] == [2]
    named = SearchFilter(collections=("handbook",))
    assert [i for i, _ in await find(index, "vpn", filter=named)] == [1]


async def test_a_batch_is_stored_whole_or_not_at_all(library, index, database):
    good, bad = document("a", "fresh vpn"), document("b", "broken")
    object.__setattr__(bad, "title", object())  # cannot be stored
    with pytest.raises(StorageError):
        await library.put("documents", [good, bad])
    assert await catalogue(database) == []
    await library.put("documents", [good])  # the term ids of the failed batch went with it
    assert [i for i, _ in await find(index, "fresh")] != []
