"""What a turn asks of the embedding model is asked once, whoever asks."""

import asyncio
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.errors import ModelError, StorageError
from agent.retrieval.remembered import RememberedEmbeddings
from agent.retrieval.search import KnowledgeBase
from agent.types import Audience, Passage, Query, SearchRequest
from tests.fakes_knowledge import MemoryLibrary

EVERYBODY = Audience(principals=frozenset({"*"}))
TEXTS = ("leave", "vpn", "shift")


def row(text: str) -> list[float]:
    return [float(len(text)), *(float(text.count(letter)) for letter in "aeiou")]


class Gated:
    """Answers nothing until it is let: an `Embeddings` that counts what it is asked."""

    name = "gated"

    def __init__(self) -> None:
        self.under_way: list[tuple[object, asyncio.Future[None]]] = []
        self.answered: Counter[object] = Counter()
        self.begun: Counter[object] = Counter()
        self.failed: Counter[object] = Counter()
        self.given_up: Counter[object] = Counter()
        self.now: Counter[object] = Counter()
        self.most_at_once = 0

    async def _ask(self, keys) -> None:
        self.begun.update(keys)
        self.now.update(keys)
        self.most_at_once = max(self.most_at_once, *self.now.values())
        let = asyncio.get_running_loop().create_future()
        self.under_way.append((tuple(keys), let))
        try:
            await let
            self.answered.update(keys)
        except StorageError:
            self.failed.update(keys)
            raise
        except asyncio.CancelledError:
            self.now.subtract(keys)  # what is given up may take its time to end
            self.given_up.update(keys)
            await asyncio.sleep(0)
            self.now.update(keys)
            raise
        finally:
            self.now.subtract(keys)

    def let(self, number: int, *, fail: bool) -> None:
        waiting = [each for each in self.under_way if not each[1].done()]
        if waiting:
            _, let = waiting[number % len(waiting)]
            if fail:
                let.set_exception(StorageError("gone"))
            else:
                let.set_result(None)

    async def embed(self, texts):
        assert texts and len(set(texts)) == len(texts)
        await self._ask(texts)
        return np.array([row(text) for text in texts], dtype=np.float32)


def moves(asked):
    """Ask, let one that is under way answer or fail, or cancel one who waits, in any order, some time after another."""
    later = st.integers(0, 4)
    return st.lists(
        st.one_of(
            st.tuples(st.just("ask"), asked, later),
            st.tuples(st.sampled_from(["let", "fail", "cancel"]), st.integers(0, 20), later),
        ),
        max_size=40,
    )


async def play(inner: Gated, ask, steps) -> list[tuple[object, object]]:
    """Return for each who was not cancelled what was asked and what came of it; nobody else is cancelled."""
    callers: list[tuple[object, asyncio.Task]] = []
    cancelled: set[asyncio.Task] = set()
    for name, value, later in steps:
        if name == "ask":
            callers.append((value, asyncio.create_task(ask(value))))
        elif name == "cancel" and callers:
            _, task = callers[value % len(callers)]
            task.cancel()
            cancelled.add(task)
        elif name in ("let", "fail"):
            inner.let(value, fail=name == "fail")
        for _ in range(later):
            await asyncio.sleep(0)
    while any(not task.done() for _, task in callers):
        inner.let(0, fail=False)
        await asyncio.sleep(0)
    ended = await asyncio.gather(*(task for _, task in callers), return_exceptions=True)
    assert asyncio.all_tasks() == {asyncio.current_task()}
    came = [(asked, task, end) for (asked, task), end in zip(callers, ended, strict=True)]
    assert all(task in cancelled for _, task, end in came if isinstance(end, asyncio.CancelledError))
    return [(asked, end) for asked, _, end in came if not isinstance(end, asyncio.CancelledError)]


def check_once(inner: Gated) -> None:
    assert all(count == 1 for count in inner.answered.values()) and inner.most_at_once <= 1
    assert inner.begun == inner.answered + inner.failed + inner.given_up


@settings(max_examples=150, deadline=None)
@given(steps=moves(st.lists(st.sampled_from(TEXTS), min_size=1, max_size=4).map(tuple)))
async def test_any_order_of_embeddings_gives_each_text_its_row_and_asks_once(steps):
    inner = Gated()
    embeddings = RememberedEmbeddings(inner)
    for texts, came in await play(inner, embeddings.embed, steps):
        if isinstance(came, StorageError):
            assert any(inner.failed[text] for text in texts)
        else:
            assert came.dtype == np.float32 and came.tolist() == [row(text) for text in texts]
    check_once(inner)


class Meaning:
    """Embeds every text into one place, finds every passage near, and keeps what it is asked."""

    name = "one"

    def __init__(self, library: MemoryLibrary) -> None:
        self.library, self.calls, self.down = library, list[list[str]](), False

    async def embed(self, texts):
        self.calls.append(list(texts))
        if self.down:
            raise ModelError("down")
        return np.ones((len(texts), 1), dtype=np.float32)

    async def ready(self):
        return True

    async def search(self, vector, *, k, filter, audience):
        return [(passage.id, 1.0) for passage in self.library.within(filter, audience)][:k]


@pytest.fixture
def library():
    texts = ("annual leave of staff", "leave form", "vpn token", "leave nobody reads")
    passages = [
        Passage(id=n, document_id=f"d{n}", collection="closed" if n == 4 else "open", title="", text=text, document=n)
        for n, text in enumerate(texts, start=1)
    ]
    return MemoryLibrary(passages, {"closed": frozenset({"user:boss"})})


@pytest.fixture
def meaning(library):
    return Meaning(library)


@pytest.fixture
def knowledge(library, meaning):
    return KnowledgeBase(lexical=library, passages=library, vectors=meaning, embeddings=meaning)


ASKED = SearchRequest(queries=(Query(text="annual leave"), Query(text="leave", weight=0.3)), k=10)


async def test_only_the_embeddings_that_are_new_are_asked_for_in_one_call(meaning):
    embeddings = RememberedEmbeddings(meaning)
    assert embeddings.name == meaning.name
    await asyncio.gather(embeddings.embed(["a", "b"]), embeddings.embed(["b", "c", "b", "d"]))
    await embeddings.embed(["d", "a"])
    assert meaning.calls == [["a", "b"], ["c", "d"]]
    assert len(await embeddings.embed([])) == 0


async def test_a_failed_call_is_made_again(meaning):
    embeddings = RememberedEmbeddings(meaning)
    meaning.down = True
    for _ in range(2):
        with pytest.raises(ModelError):
            await embeddings.embed(["a"])
    meaning.down = False
    assert len(await embeddings.embed(["a"])) == 1
    assert meaning.calls == [["a"]] * 3


async def test_a_search_that_was_prepared_embeds_nothing_more(knowledge, meaning):
    plain = await knowledge.search(ASKED, EVERYBODY)
    meaning.calls.clear()
    twin = knowledge.for_turn()
    await twin.prepare(ASKED)
    assert (await twin.search(ASKED, EVERYBODY)).hits == plain.hits
    added = Query(text="holiday form", weight=0.3)
    await twin.search(replace(ASKED, queries=(*ASKED.queries, added)), EVERYBODY)
    assert meaning.calls == [["annual leave", "leave"], ["holiday form"]]


async def test_turns_share_nothing(knowledge, meaning):
    for _ in range(2):
        await knowledge.for_turn().search(ASKED, EVERYBODY)
    assert len(meaning.calls) == 2


async def test_where_nothing_is_embedded_nothing_is_remembered(library):
    assert not KnowledgeBase(lexical=library, passages=library).for_turn().remembers


async def test_a_query_that_goes_by_words_alone_is_not_embedded(knowledge, meaning):
    by_words = Query(text="vpn", by_meaning=False)
    result = await knowledge.search(SearchRequest(queries=(by_words,)), EVERYBODY)
    assert [hit.passage.id for hit in result.hits] == [3] and meaning.calls == []
    await knowledge.search(SearchRequest(queries=(by_words, Query(text="leave"))), EVERYBODY)
    assert meaning.calls == [["leave"]]


async def test_a_search_whose_index_fails_leaves_nothing_running(knowledge, library, meaning):
    async def forever(texts):
        await asyncio.Event().wait()

    async def broken(*given, **options):
        raise StorageError("gone")

    meaning.embed, library.search = forever, broken
    with pytest.raises(StorageError):
        await knowledge.search(ASKED, EVERYBODY)
    assert asyncio.all_tasks() == {asyncio.current_task()}
