"""What a search has embedded, and when."""

import asyncio

import numpy as np
import pytest

from agent.errors import StorageError
from agent.retrieval.search import KnowledgeBase
from agent.types import Audience, Passage, Query, SearchRequest
from tests.fakes_knowledge import MemoryLibrary

EVERYBODY = Audience(principals=frozenset({"*"}))


class Meaning:
    """Embeds every text into one place, finds every passage near, and keeps what it is asked."""

    name = "one"

    def __init__(self, library: MemoryLibrary) -> None:
        self.library, self.calls = library, list[list[str]]()

    async def embed(self, texts):
        self.calls.append(list(texts))
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
