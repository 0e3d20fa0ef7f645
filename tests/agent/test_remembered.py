"""What a turn asks of index and embedding model is asked once, whoever asks, and for each audience by itself."""

import asyncio
from collections import Counter, defaultdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.errors import ModelError, StorageError
from agent.retrieval.remembered import RememberedEmbeddings, RememberedIndex
from agent.retrieval.search import KnowledgeBase
from agent.types import Audience, Passage, Query, SearchFilter, SearchRequest, WeightedTerm
from tests.contracts.knowledge import KnowledgeContract
from tests.fakes_knowledge import MemoryLibrary

EVERYBODY = Audience(principals=frozenset({"*"}))
BOSS = Audience(principals=frozenset({"*", "user:boss"}))
TEXTS = ("leave", "vpn", "shift")


class TestRememberedIndex(KnowledgeContract):
    @pytest.fixture
    def make(self):
        async def make(passages, readers=None, packs=None):
            library = MemoryLibrary(passages, readers, packs)
            return RememberedIndex(library), library

        return make


class TestRememberedTwice(TestRememberedIndex):
    """What is remembered keeps the contract as well as what is asked for first."""

    async def find(self, index, text, **options):
        first = await super().find(index, text, **options)
        again = await super().find(index, text, **options)
        assert again == first
        return again


def row(text: str) -> list[float]:
    return [float(len(text)), *(float(text.count(letter)) for letter in "aeiou")]


class Gated:
    """Answers nothing until it is let: a `LexicalIndex` and an `Embeddings` that counts what it is asked."""

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

    async def search(self, query, *, k, filter, audience):
        await self._ask([(query, k, filter, audience)])
        return found(query, k, filter, audience)

    async def embed(self, texts):
        assert texts and len(set(texts)) == len(texts)
        await self._ask(texts)
        return np.array([row(text) for text in texts], dtype=np.float32)


def found(*key) -> list[tuple[int, float]]:
    """Return what nothing else is found for."""
    return [(number, float(len(str(part)))) for number, part in enumerate(key)]


queries = st.builds(
    Query,
    text=st.sampled_from(TEXTS),
    terms=st.sampled_from([(), (WeightedTerm(text="leave", weight=0.3),)]),
    weight=st.sampled_from([1.0, 0.3]),
    by_meaning=st.booleans(),
)
searches = st.tuples(
    queries,
    st.sampled_from([1, 50]),
    st.sampled_from([SearchFilter(), SearchFilter(collections=("a",))]),
    st.sampled_from([EVERYBODY, BOSS, Audience(principals=frozenset({"*"}), operator=True)]),
)


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
@given(data=st.data())
async def test_any_order_of_searches_finds_what_each_would_find_alone_and_asks_once(data):
    pool = data.draw(st.lists(searches, min_size=1, max_size=4, unique=True))
    inner = Gated()
    index = RememberedIndex(inner)

    async def ask(key):
        query, k, filter, audience = key
        return await index.search(query, k=k, filter=filter, audience=audience)

    for key, came in await play(inner, ask, data.draw(moves(st.sampled_from(pool)))):
        if isinstance(came, StorageError):
            assert inner.failed[key]
        else:
            assert came == found(*key)
    check_once(inner)


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


class Counting(MemoryLibrary):
    """Keeps what is searched for."""

    def __init__(self, *given) -> None:
        super().__init__(*given)
        self.searched: list[tuple[str, int, SearchFilter, Audience]] = []

    async def search(self, query, *, k, filter, audience):
        self.searched.append((query.text, k, filter, audience))
        return await super().search(query, k=k, filter=filter, audience=audience)


@pytest.fixture
def library():
    texts = ("annual leave of staff", "leave form", "vpn token", "leave nobody reads")
    passages = [
        Passage(id=n, document_id=f"d{n}", collection="closed" if n == 4 else "open", title="", text=text, document=n)
        for n, text in enumerate(texts, start=1)
    ]
    return Counting(passages, {"closed": frozenset({"user:boss"})})


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


@pytest.mark.parametrize("must_have", [(), ("annual",), ("nowhere",)])
async def test_a_search_that_was_prepared_asks_for_nothing_more(knowledge, library, meaning, must_have):
    asked = SearchRequest(queries=ASKED.queries, k=10, must_have=must_have)
    plain = await knowledge.search(asked, EVERYBODY)
    library.searched.clear()
    meaning.calls.clear()
    twin = knowledge.for_turn()
    await twin.prepare(asked, EVERYBODY)
    searched, calls = list(library.searched), list(meaning.calls)
    assert len(searched) == len(asked.queries) and calls == [["annual leave", "leave"]]
    result = await twin.search(asked, EVERYBODY)
    assert (library.searched, meaning.calls) == (searched, calls)
    assert [(hit.passage.id, hit.score) for hit in result.hits] == [(hit.passage.id, hit.score) for hit in plain.hits]


async def test_what_the_model_adds_is_all_that_is_still_searched_for(knowledge, library, meaning):
    twin = knowledge.for_turn()
    await twin.prepare(ASKED, EVERYBODY)
    library.searched.clear()
    added = Query(text="holiday form", weight=0.3, by_meaning=False)
    await twin.search(SearchRequest(queries=(*ASKED.queries, added), k=10), EVERYBODY)
    assert [text for text, *_ in library.searched] == ["holiday form"] and len(meaning.calls) == 1


async def test_what_was_found_for_one_audience_is_not_found_for_another(knowledge, library):
    twin = knowledge.for_turn()
    seen = defaultdict(set)
    for _ in range(2):
        for audience in (BOSS, EVERYBODY):
            result = await twin.search(ASKED, audience)
            seen[audience] |= {hit.passage.id for hit in result.hits}
    assert (4 in seen[BOSS], 4 in seen[EVERYBODY]) == (True, False)
    assert Counter(audience for *_, audience in library.searched) == {BOSS: 2, EVERYBODY: 2}


async def test_turns_share_nothing(knowledge, library):
    for _ in range(2):
        await knowledge.for_turn().search(ASKED, EVERYBODY)
    assert len(library.searched) == 4


async def test_words_are_prepared_though_the_embedding_is_down(knowledge, library, meaning):
    meaning.down = True
    twin = knowledge.for_turn()
    with pytest.raises(ModelError):
        await twin.prepare(ASKED, EVERYBODY)
    assert len(library.searched) == 2
    await twin.search(ASKED, EVERYBODY)
    assert len(library.searched) == 2


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
