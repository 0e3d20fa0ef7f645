"""A filter that leaves nothing gives way part by part, and says which."""

from dataclasses import replace

import pytest

from agent.language import keys, say
from agent.retrieval.search import KnowledgeBase, relaxations
from agent.types import Audience, Category, Passage, Query, SearchFilter, SearchRequest
from tests.fakes_knowledge import MemoryLibrary

EVERYBODY = Audience(principals=frozenset({"*"}))
FULL = SearchFilter(
    collections=("c",),
    sources=("/a",),
    categories=(Category.PARAGRAPH,),
    page_range=(1, 2),
    entity="Orchard",
    language="en",
    kinds=("chunk",),
    date_range=("2024-01-01", ""),
    documents=(1,),
)
PASSAGE = Passage(
    id=1, document_id="d", collection="c", title="", text="leave", source="/a", page=2, entities=("Orchard",),
    date="2024-06-01", document=1,
)  # fmt: skip


async def searched(filter: SearchFilter):
    library = MemoryLibrary([PASSAGE])
    knowledge = KnowledgeBase(lexical=library, passages=library)
    return await knowledge.search(SearchRequest(queries=(Query(text="leave"),), filter=filter), EVERYBODY)


async def test_a_filter_that_fits_is_kept():
    result = await searched(FULL)
    assert len(result.hits) == 1 and result.warnings == ()


@pytest.mark.parametrize(
    ("changes", "warnings"),
    [
        ({"entity": "Other"}, ("filter_dropped_entity",)),
        ({"page_range": (7, 9)}, ("filter_dropped_page_range",)),
        ({"date_range": ("2025-01-01", "")}, ("filter_dropped_date_range",)),
        ({"categories": (Category.CODE,)}, ("filter_dropped_categories",)),
        ({"kinds": ("finding",)}, ("filter_dropped_kinds",)),
        ({"language": "ko"}, ("filter_dropped_language",)),
        ({"sources": ("/b",)}, ("filter_dropped_sources",)),
        ({"documents": (9,)}, ("filter_dropped_documents",)),
        ({"entity": "Other", "page_range": (7, 9)}, ("filter_dropped_entity", "filter_dropped_page_range")),
    ],
)
async def test_only_what_does_not_fit_gives_way(changes, warnings):
    result = await searched(replace(FULL, **changes))
    assert len(result.hits) == 1 and result.warnings == warnings and set(warnings) <= set(keys())
    assert all(say(key, language) for key in warnings for language in ("en", "ko"))


async def test_a_filter_of_one_part_is_dropped_as_a_whole():
    assert (await searched(SearchFilter(entity="Other"))).warnings == ("filter_dropped",)


async def test_collections_never_give_way():
    result = await searched(SearchFilter(collections=("other",), entity="Orchard"))
    assert result.hits == () and result.warnings == ()
    assert all(filter.collections == ("c",) for filter, _ in relaxations(FULL))


def test_every_part_but_the_collections_may_give_way():
    *_, (last, said) = relaxations(FULL)
    assert last == SearchFilter(collections=("c",)) and said == ("filter_dropped",)
