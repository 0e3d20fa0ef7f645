"""The index on SQLite and the one in memory give the same, whatever came and went and whoever asks for what."""

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.text import tokens
from agent.types import Audience, Category, Query, SearchFilter, WeightedTerm
from storage.database import Database
from storage.documents import SqlLibrary
from storage.ingest.parsed import ParsedDocument, ParsedPassage
from storage.lexical import SqlLexicalIndex
from storage.schema import WEFT
from tests.fakes_knowledge import MemoryLibrary

OPERATOR = Audience(principals=frozenset(), operator=True)
READERS = {"open": frozenset({"*"}), "closed": frozenset({"user:a"}), "shared": frozenset({"user:a", "user:b"})}
WORDS = "leave parental vpn laptop travel 휴가 육아휴직 security the shift".split()
DATES = ("", "2023-12-31", "2024-06-01", "2025-01-15")
ENTITIES = ("제7조", "SEC-7", "O'Neill")

passages = st.builds(
    ParsedPassage,
    text=st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join),
    position=st.just(0),
    section=st.sampled_from(("", "leave")),
    page=st.sampled_from((None, 1, 2, 7)),
    category=st.sampled_from((Category.PARAGRAPH, Category.TABLE, Category.CODE)),
    language=st.sampled_from(("en", "ko")),
    entities=st.sets(st.sampled_from(ENTITIES), max_size=2).map(lambda names: tuple(sorted(names))),
    kind=st.sampled_from(("chunk", "finding")),
)
additions = st.tuples(
    st.sampled_from(tuple(READERS)), st.integers(0, 5), st.lists(passages, max_size=3), st.sampled_from(DATES)
)
removals = st.integers(0, 5)
steps = st.lists(st.one_of(additions, removals, st.sampled_from(("search", "reindex", "reopen"))), max_size=14)

# Two limits at once at most: more would leave nothing to compare.
limits = st.one_of(
    st.tuples(st.just("collections"), st.sampled_from((("open",), ("closed", "shared"), ("nowhere",)))),
    st.tuples(st.just("sources"), st.sampled_from((("/0",), ("/1", "/nowhere")))),
    st.tuples(st.just("categories"), st.sampled_from(((Category.TABLE,), (Category.TABLE, Category.PARAGRAPH)))),
    st.tuples(st.just("page_range"), st.sampled_from(((1, 2), (2, 9)))),
    st.tuples(st.just("entity"), st.sampled_from(ENTITIES)),
    st.tuples(st.just("language"), st.sampled_from(("ko", "en"))),
    st.tuples(st.just("kinds"), st.sampled_from((("chunk",), ("chunk", "finding")))),
    st.tuples(
        st.just("date_range"),
        st.sampled_from((("2024-01-01", "2024-12-31"), ("", "2024-06-01"), ("2024-06-01", ""), ("", ""))),
    ),
    st.tuples(st.just("documents"), st.sets(st.integers(0, 6), min_size=1, max_size=3).map(tuple)),
)
filters = st.lists(limits, max_size=2).map(lambda chosen: SearchFilter(**dict(chosen)))
audiences = st.sets(st.sampled_from(("*", "user:a", "user:b"))).map(lambda names: Audience(principals=frozenset(names)))
queries = st.builds(
    Query,
    text=st.lists(st.sampled_from((*WORDS, "unknown")), max_size=4).map(" ".join),
    terms=st.lists(
        st.builds(WeightedTerm, text=st.sampled_from(WORDS), weight=st.sampled_from((0.25, 2.0))), max_size=2
    ).map(tuple),
)
asked = st.lists(st.tuples(queries, filters, st.one_of(st.just(OPERATOR), audiences)), min_size=1, max_size=4)


async def take(step, library: SqlLibrary, index: SqlLexicalIndex) -> SqlLexicalIndex:
    """Do a step; returns the index that goes on."""
    match step:
        case (collection, number, parts, date):
            parts = tuple(
                ParsedPassage(**{name: getattr(part, name) for name in part.__slots__} | {"position": place})
                for place, part in enumerate(parts)
            )
            document = ParsedDocument(
                document_id=f"d{number}", title="", source=f"/{number % 3}", origin=f"/{number}", passages=parts,
                language="en", content_hash="", metadata={}, date=date,
            )  # fmt: skip
            await library.put(collection, [document])
        case int(number):
            await library.remove(f"d{number}")
        case "search":
            await index.search(Query(text="vpn"), k=3, filter=SearchFilter(), audience=OPERATOR)
        case "reindex":
            await index.rebuild()
        case "reopen":
            return SqlLexicalIndex(library._database)
    return index


@settings(max_examples=50, deadline=None)
@given(steps=steps, asked=asked)
async def test_it_gives_what_the_one_in_memory_gives(steps, asked):
    with tempfile.TemporaryDirectory() as folder:
        database = await Database.open(Path(folder) / "weft.db", WEFT)
        try:
            library, index = SqlLibrary(database), SqlLexicalIndex(database)
            rules = [(name, json.dumps(sorted(readers))) for name, readers in READERS.items()]
            sql = "INSERT INTO collections(name, readers) VALUES(?,?)"
            await database.write(lambda c: c.executemany(sql, rules).close())
            for step in steps:
                index = await take(step, library, index)
            stored = await library.get((await library.ids()).tolist(), audience=OPERATOR)
            fake = MemoryLibrary(stored, READERS)
            for query, filter, audience in asked:
                await compare(index, fake, query, filter, audience)
        finally:
            await database.close()


async def compare(index: SqlLexicalIndex, fake: MemoryLibrary, query, filter, audience) -> None:
    for k in (1, 4, 100):
        ours = await index.search(query, k=k, filter=filter, audience=audience)
        theirs = await fake.search(query, k=k, filter=filter, audience=audience)
        assert [identity for identity, _ in ours] == [identity for identity, _ in theirs]
        assert [score for _, score in ours] == pytest.approx([score for _, score in theirs], abs=1e-6)
    words = ["vpn", "parental leave", query.text]
    ours = await index.documents_holding(words, filter=filter, audience=audience)
    theirs = await fake.documents_holding(words, filter=filter, audience=audience)
    assert [each.tolist() for each in ours] == [each.tolist() for each in theirs]
    terms = [term for word in words for term in tokens(word)]
    assert await index.counts(terms, audience=audience) == await fake.counts(terms, audience=audience)
    admitted = await index.admitted(filter, audience)
    within = {p.id for p in fake.within(filter, audience)}
    assert within == ({p.id for p in fake.passages} if admitted is None else set(admitted.tolist()))
    assert admitted is None or admitted.tolist() == sorted(within)
