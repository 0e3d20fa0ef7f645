"""What a message of a thread goes on with: passages of the documents that the turns before rest on."""

import pytest

from agent.reasoning.rules.answering import likelihood, ranked_quotes
from agent.reasoning.rules.answering.weighted_question import asked
from agent.reasoning.rules.thread.history import Past
from agent.reasoning.rules.thread.standalone_question import standalone
from agent.retrieval.pack import DOCUMENTS, PASSAGES, pack, resumed
from agent.retrieval.search import KnowledgeBase
from agent.types import Audience, Block, Hit, Passage, Query, SearchFilter, SearchRequest, SearchResult, WeightedTerm
from tests.fakes_knowledge import MemoryLibrary
from tests.likelihoods import UNSURE

EVERYBODY = Audience(principals=frozenset({"*"}))


def passage(n: int, document: str, text: str = "") -> Passage:
    return Passage(id=n, document_id=document, collection="c", title=document, text=text or f"Statement number {n}.")


def found(hits: str, excluded: str = "") -> SearchResult:
    """Return a result of documents, a letter each, the best first."""
    placed = [Hit(passage=passage(n, document), score=1 / n) for n, document in enumerate(hits + excluded, 1)]
    return SearchResult(hits=tuple(placed[: len(hits)]), excluded=tuple(placed[len(hits) :]))


def test_passages_of_the_documents_before_are_numbered_in_their_order():
    result = resumed(found("abac"), {"a": 1.0})
    assert [hit.resumed for hit in result.hits] == [1, 0, 2, 0]


def test_the_best_of_them_come_last_where_others_were_ranked_above_them():
    result = resumed(found("xyz", "waaaaw"), {"a": 0.3})
    assert [hit.passage.document_id for hit in result.hits] == ["x", "y", "z", *"a" * PASSAGES]
    kept = {hit.passage.id for hit in result.hits}
    assert kept.isdisjoint(hit.passage.id for hit in result.excluded)
    assert len(result.hits) + len(result.excluded) == 9


def test_what_says_the_same_as_a_better_passage_is_none_of_them():
    result = found("x", "aa")
    result = resumed(SearchResult(hits=result.hits, excluded=result.excluded, folded={2: 1}), {"a": 1.0})
    assert [hit.passage.id for hit in result.hits] == [1, 3]


def test_only_the_documents_that_count_most_are_gone_on_with():
    documents = "abcdefgh"
    result = resumed(found(documents), {document: n / 10 for n, document in enumerate(documents)})
    assert sum(hit.resumed > 0 for hit in result.hits) == DOCUMENTS
    assert [hit.resumed > 0 for hit in result.hits] == [False] * 4 + [True] * 4


def test_without_turns_before_nothing_changes():
    result = found("ab", "a")
    assert resumed(result, {}) is result


def test_an_answer_may_rest_on_the_best_of_them_besides_the_best_of_all():
    result = resumed(found("xxxx", "aaaaa"), {"a": 1.0})
    packed = pack(result.hits, passages=2, characters=10_000)
    assert [block.passage.document_id for block in packed.blocks] == ["x", "x", *"a" * PASSAGES]
    assert [block.resumed for block in packed.blocks] == [0, 0, 1, 2, 3]


def test_in_a_thread_the_quote_of_what_it_rests_on_is_likelier_and_alone_it_is_not():
    says = "Members may use the room in the evening."
    question = asked("May members use the room in the evening?", "en", [])

    def first(*places: int) -> str:
        blocks = [
            Block(n=n, passage=passage(n, document, f"{says} This is {document}."), score=1.0, resumed=place)
            for n, (document, place) in enumerate(zip(("kiln", "loom"), places, strict=True), 1)
        ]
        return ranked_quotes.find(question, blocks, model=UNSURE).told[0].block.passage.document_id

    assert first(0, 0) == "kiln"
    assert first(0, 1) == "loom"


async def test_the_search_tells_which_of_its_hits_go_on_with_the_turns_before():
    texts = ["The kiln is fired on Monday.", "The kiln costs money.", "The loom is free on Monday."]
    library = MemoryLibrary(
        [passage(n, name, text) for n, (name, text) in enumerate(zip("kkl", texts, strict=True), 1)]
    )
    knowledge = KnowledgeBase(lexical=library, passages=library)
    request = SearchRequest(queries=(Query(text="fired on Monday"),), before={"l": 1.0})
    result = await knowledge.search(request, EVERYBODY)
    assert {hit.passage.document_id: hit.resumed for hit in result.hits if hit.resumed} == {"l": 1}


def told_before(*references: str, filter: SearchFilter = SearchFilter()) -> SearchRequest:
    return SearchRequest(queries=(Query(text="fired on Monday"),), told=references, filter=filter)


@pytest.fixture
def told_in_a_library() -> tuple[KnowledgeBase, list[Passage]]:
    texts = ["The kiln is fired on Monday.", "The rent is 40 a month.", "The loom is free."]
    passages = [passage(n, name, text) for n, (name, text) in enumerate(zip("krl", texts, strict=True), 1)]
    closed = Passage(id=4, document_id="x", collection="closed", title="x", text="The director's pay.")
    library = MemoryLibrary([*passages, closed], {"closed": frozenset({"user:a"})})
    return KnowledgeBase(lexical=library, passages=library), [*passages, closed]


async def test_what_the_last_answer_rests_on_comes_last_where_the_search_did_not_find_it(told_in_a_library):
    knowledge, (kiln, rent, _, _) = told_in_a_library
    result = await knowledge.search(told_before(rent.reference, kiln.reference), EVERYBODY)
    assert [(hit.passage.id, hit.told) for hit in result.hits] == [(kiln.id, 2), (rent.id, 1)]


async def test_a_question_of_which_nothing_holds_a_word_is_not_about_it(told_in_a_library):
    knowledge, (_, rent, *_) = told_in_a_library
    terms = (WeightedTerm(text="kiln", weight=0.2),)
    request = SearchRequest(queries=(Query(text="a volcano?", terms=terms),), told=(rent.reference,))
    assert rent.id not in [hit.passage.id for hit in (await knowledge.search(request, EVERYBODY)).hits]


async def test_what_its_readers_may_not_read_any_more_is_not_brought_back(told_in_a_library):
    knowledge, (kiln, *_, closed) = told_in_a_library
    request = told_before(closed.reference)
    assert [hit.passage.id for hit in (await knowledge.search(request, EVERYBODY)).hits] == [kiln.id]
    of_a = Audience(principals=frozenset({"*", "user:a"}))
    assert [hit.passage.id for hit in (await knowledge.search(request, of_a)).hits] == [kiln.id, closed.id]


@pytest.mark.parametrize(
    ("filter", "brought"),
    [
        (SearchFilter(collections=("c",)), True),
        (SearchFilter(collections=("c", "closed")), True),
        (SearchFilter(names=("kiln",)), False),
        (SearchFilter(collections=("closed",)), False),
    ],
)
async def test_a_filter_holds_for_it_too(told_in_a_library, filter, brought):
    knowledge, (_, rent, *_) = told_in_a_library
    hits = (await knowledge.search(told_before(rent.reference, filter=filter), EVERYBODY)).hits
    assert (rent.id in [hit.passage.id for hit in hits]) is brought


async def test_it_is_among_what_an_answer_may_rest_on_however_low_it_stands():
    hits = [*found("xxxx").hits, Hit(passage=passage(9, "told"), score=0.0, told=1)]
    packed = pack(hits, passages=2, characters=10_000)
    assert [(block.passage.document_id, block.told) for block in packed.blocks] == [("x", 0), ("x", 0), ("told", 1)]


def test_a_follow_up_looks_at_what_the_last_answer_that_cites_something_rests_on():
    cited, silent = Past("a", "a", evidence=("c/1", "c/2", "c/3", "c/4")), Past("b", "b")
    assert standalone("and how long does it take?", [cited, silent]).told == ("c/1", "c/2", "c/3")


@pytest.mark.parametrize("message", ["no, the lantern", "sorry, I meant the lantern"])
def test_who_puts_right_what_was_asked_is_not_told_the_same_again(message):
    before = Past(
        "how long is the warranty of the kettle?", "how long is the warranty of the kettle?", evidence=("c/1",)
    )
    assert standalone(message, [before]).told == ()


def test_the_fitted_likelihood_of_a_thread_counts_what_was_told_last():
    model = likelihood.fitted("words")
    figures = {"alone": -2.0, "resumed": 0.5, **dict.fromkeys(ranked_quotes.IN_THREAD, 0.0)}
    last, second, not_told = (model.thread.of({**figures, "told": told}) for told in (1.0, 0.5, 0.0))
    assert last > second > not_told
