"""The knowledge base: every variation by words and by meaning, within filter and audience."""

import asyncio
from dataclasses import replace
from math import log

import numpy as np
import pytest

from agent.errors import ModelError
from agent.retrieval import ranking
from agent.retrieval.search import KnowledgeBase
from agent.types import Audience, Category, Passage, Query, SearchFilter, SearchRequest, WeightedTerm
from tests.fakes_knowledge import MemoryLibrary

EVERYBODY = Audience(principals=frozenset({"*"}))


def passage(n: int, text: str, **fields) -> Passage:
    return Passage(id=n, document_id=f"d{n}", collection=fields.pop("collection", "c"), title="", text=text, **fields)


PASSAGES = [passage(1, "annual leave"), passage(2, "vacation days"), passage(3, "vpn"), passage(4, "a table of leave")]


class Meaning:
    """Embeds by one rule (leave and vacation mean the same), searches by brute force, and may be down."""

    name = "test"

    def __init__(self, *, down: bool = False, allowed: tuple[int, ...] = (1, 2, 3, 4)) -> None:
        self.down, self.allowed = down, allowed

    def _row(self, text: str):
        return [float("leave" in text or "vacation" in text), float("vpn" in text), 0.1]

    async def embed(self, texts):
        if self.down:
            raise ModelError("down")
        return np.array([self._row(text) for text in texts], dtype=np.float32)

    async def ready(self) -> bool:
        return True

    async def search(self, vector, *, k, filter, audience):
        scores = [(p.id, float(np.dot(vector, self._row(p.text)))) for p in PASSAGES if p.id in self.allowed]
        return sorted(scores, key=lambda pair: -pair[1])[:k]


async def ids(knowledge: KnowledgeBase, *texts: str, filter=SearchFilter(), audience=EVERYBODY, k=10) -> list[int]:
    request = SearchRequest(queries=tuple(Query(text=text) for text in texts), k=k, filter=filter)
    return [hit.passage.id for hit in (await knowledge.search(request, audience)).hits]


def by_words(**fields) -> KnowledgeBase:
    library = MemoryLibrary(PASSAGES, **fields)
    return KnowledgeBase(lexical=library, passages=library)


async def test_every_variation_brings_its_passages():
    assert set(await ids(by_words(), "annual leave", "vacation")) == {1, 2, 4}


async def test_hits_are_bounded():
    request = SearchRequest(queries=(Query(text="annual leave"),), k=1)
    result = await by_words().search(request, EVERYBODY)
    assert [hit.passage.id for hit in result.hits] == [1] and result.total_ms > 0


async def test_how_rare_the_terms_of_a_question_are_is_told_and_counts_only_what_may_be_read():
    passages = [*PASSAGES, passage(5, "vpn vpn", collection="closed")]
    library = MemoryLibrary(passages, {"closed": frozenset({"user:a"})})
    knowledge = KnowledgeBase(lexical=library, passages=library)
    query = Query(text="leave vpn", terms=(WeightedTerm(text="unheard", weight=0.3),))
    found = await knowledge.search(SearchRequest(queries=(query,)), EVERYBODY)
    assert found.rarity == pytest.approx({"leav": log(1 + 2.5 / 2.5), "vpn": log(1 + 3.5 / 1.5), "unheard": log(10)})


async def test_a_filter_that_leaves_nothing_is_dropped_and_said():
    filter = SearchFilter(categories=(Category.CODE,))
    result = await by_words().search(SearchRequest(queries=(Query(text="leave"),), filter=filter), EVERYBODY)
    assert {hit.passage.id for hit in result.hits} == {1, 4} and result.warnings


async def test_the_collections_of_a_filter_are_never_dropped():
    filter = SearchFilter(collections=("other",), categories=(Category.CODE,))
    result = await by_words().search(SearchRequest(queries=(Query(text="leave"),), filter=filter), EVERYBODY)
    assert result.hits == () and result.warnings == ()


async def test_meaning_finds_what_words_do_not():
    library = MemoryLibrary(PASSAGES)
    meaning = Meaning()
    knowledge = KnowledgeBase(lexical=library, passages=library, vectors=meaning, embeddings=meaning)
    assert 2 in await ids(knowledge, "leave")
    assert 2 not in await ids(by_words(), "leave")


@pytest.mark.parametrize(("weight", "by_meaning"), [(0.5, True), (20.0, False)])
async def test_a_weight_decides_between_words_and_meaning(monkeypatch, weight, by_meaning):
    library, meaning = MemoryLibrary(PASSAGES), Meaning(allowed=(2,))
    monkeypatch.setattr(ranking, "BY_WORDS", weight)
    knowledge = KnowledgeBase(lexical=library, passages=library, vectors=meaning, embeddings=meaning)
    assert ((await ids(knowledge, "leave"))[0] == 2) is by_meaning


def meaning_in_a_thread(**fields) -> tuple[KnowledgeBase, SearchRequest]:
    library, meaning = MemoryLibrary(PASSAGES), Meaning()
    knowledge = KnowledgeBase(lexical=library, passages=library, vectors=meaning, embeddings=meaning)
    return knowledge, SearchRequest(queries=(Query(text="and in March?"),), **fields)


async def test_a_message_that_leans_on_its_thread_is_compared_behind_the_questions_before_it():
    knowledge, request = meaning_in_a_thread(thread="how is the vpn set up?\nand in March?", leans=1.0)
    assert (await knowledge.search(request, EVERYBODY)).hits[0].passage.id == 3
    knowledge, alone = meaning_in_a_thread()
    assert (await knowledge.search(alone, EVERYBODY)).hits[0].passage.id != 3


async def test_a_message_that_turns_to_something_else_is_found_by_itself():
    knowledge, request = meaning_in_a_thread(thread="how is the vpn set up?\nvacation?", leans=0.0)
    request = replace(request, queries=(Query(text="vacation?"),))
    assert (await knowledge.search(request, EVERYBODY)).hits[0].passage.id == 2


async def test_documents_of_the_turns_before_count_as_nearer():
    knowledge, request = meaning_in_a_thread(before={"d2": 1.0})
    request = replace(request, queries=(Query(text="leave"),))
    order = [hit.passage.id for hit in (await knowledge.search(request, EVERYBODY)).hits]
    assert order.index(2) < order.index(3)
    nearest = await knowledge._ranking._by_meaning(request, 4, EVERYBODY)
    assert next(identity for identity, _ in nearest[0][1]) == 2


async def test_what_is_searched_by_words_alone_is_not_embedded_for_its_thread():
    knowledge, request = meaning_in_a_thread(thread="the vpn\nand in March?", leans=1.0)
    by_words_alone = replace(request, queries=(Query(text="and in March?", by_meaning=False),))
    assert (await knowledge.search(by_words_alone, EVERYBODY)).hits == ()


class Tokens:
    """Matches by the share of a question's words that a text has; may be down, or never answer."""

    def __init__(self, *, down: bool = False, late: bool = False) -> None:
        self.down, self.late = down, late
        self.asked: list[list[str]] = []

    async def match(self, questions, texts):
        self.asked.append([*questions])
        if self.late:
            await asyncio.Event().wait()
        if self.down:
            raise ModelError("down")
        rows = [[len({*q.split()} & {*text.split()}) / len(q.split()) for text in texts] for q in questions]
        return np.array(rows, dtype=np.float32)


def by_tokens(tokens: Tokens) -> KnowledgeBase:
    library, meaning = MemoryLibrary(PASSAGES), Meaning()
    return KnowledgeBase(
        lexical=library, passages=library, vectors=meaning, embeddings=meaning, matching=tokens,
        pieces=lambda passage: passage.text.split(" of "),
    )  # fmt: skip


async def test_each_piece_of_what_was_found_is_matched_by_itself_and_in_its_thread():
    request = SearchRequest(queries=(Query(text="leave"),), thread="a table leave")
    found = await by_tokens(tokens := Tokens()).search(request, EVERYBODY)
    matched = {hit.passage.id: hit.matched for hit in found.hits}
    assert matched[4] == ((0.0, pytest.approx(2 / 3)), (1.0, pytest.approx(1 / 3)))
    assert matched[1] == ((1.0, pytest.approx(1 / 3)),) and tokens.asked == [["leave", "a table leave"]]
    alone = await by_tokens(Tokens()).search(replace(request, thread=""), EVERYBODY)
    assert {hit.passage.id: hit.matched for hit in alone.hits}[4] == ((0.0, 0.0), (1.0, 1.0))


async def test_what_matches_best_moves_up_among_what_was_found():
    class Prefers(Tokens):
        async def match(self, questions, texts):
            return np.array([[float(text == "vacation days") for text in texts]] * len(questions), dtype=np.float32)

    request = SearchRequest(queries=(Query(text="leave"),))
    before = (await by_tokens(Tokens(down=True)).search(request, EVERYBODY)).hits
    after = (await by_tokens(Prefers()).search(request, EVERYBODY)).hits
    assert [hit.passage.id for hit in before][:3] == [1, 4, 2]
    assert [hit.passage.id for hit in after][:3] == [1, 2, 4]
    assert [hit.score for hit in after] == [hit.score for hit in before]


async def test_what_is_searched_by_words_alone_is_not_matched():
    request = SearchRequest(queries=(Query(text="leave", by_meaning=False),))
    found = await by_tokens(tokens := Tokens()).search(request, EVERYBODY)
    assert found.hits and not any(hit.matched for hit in found.hits) and tokens.asked == []


@pytest.mark.parametrize("failing", [{"down": True}, {"late": True}])
async def test_what_cannot_be_matched_is_found_all_the_same(failing, caplog, monkeypatch):
    monkeypatch.setattr("agent.retrieval.matching.PATIENCE", 0.05)
    found = await by_tokens(Tokens(**failing)).search(SearchRequest(queries=(Query(text="leave"),)), EVERYBODY)
    assert {1, 4} <= {hit.passage.id for hit in found.hits} and not any(hit.matched for hit in found.hits)
    assert "not compared" in caplog.text and "leave" not in caplog.text


async def test_while_a_late_one_is_at_it_nothing_else_is_matched(monkeypatch):
    monkeypatch.setattr("agent.retrieval.matching.PATIENCE", 0.05)
    knowledge = by_tokens(tokens := Tokens(late=True))
    request = SearchRequest(queries=(Query(text="leave"),))
    await knowledge.search(request, EVERYBODY)
    assert (await knowledge.search(request, EVERYBODY)).hits and len(tokens.asked) == 1
    assert knowledge._matching is not None and knowledge._matching._late is not None
    knowledge._matching._late.cancel()


async def test_an_embedding_that_comes_too_late_is_not_waited_for(caplog, monkeypatch):
    monkeypatch.setattr(ranking, "PATIENCE", 0.05)
    library, meaning = MemoryLibrary(PASSAGES), Meaning()

    async def late(texts):
        await asyncio.Event().wait()

    meaning.embed = late
    knowledge = KnowledgeBase(lexical=library, passages=library, vectors=meaning, embeddings=meaning)
    async with asyncio.timeout(120):
        assert await ids(knowledge, "annual leave") == [1, 4]
    assert "came too late" in caplog.text


async def test_an_embedding_endpoint_that_is_down_leaves_the_words(caplog):
    library = MemoryLibrary(PASSAGES)
    meaning = Meaning(down=True)
    knowledge = KnowledgeBase(lexical=library, passages=library, vectors=meaning, embeddings=meaning)
    assert await ids(knowledge, "annual leave") == [1, 4] and "by words only" in caplog.text
    assert "annual leave" not in caplog.text


async def test_what_a_port_lets_slip_is_still_not_shown():
    """Passages are fetched for the audience, too: a stale index cannot show what was closed since."""
    closed = MemoryLibrary(PASSAGES, {"c": frozenset({"user:boss"})})
    knowledge = KnowledgeBase(lexical=MemoryLibrary(PASSAGES), passages=closed)
    assert await ids(knowledge, "annual leave") == []


@pytest.mark.parametrize("text", ["", "   ", "!!!"])
async def test_a_query_without_words_finds_nothing(text):
    assert await ids(by_words(), text) == []
