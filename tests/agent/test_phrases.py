"""Words side by side, and how much a ranking by words counts beside one by meaning."""

import numpy as np
import pytest

from agent.retrieval.fuse import distinct
from agent.retrieval.search import KnowledgeBase
from agent.retrieval.word_ranking import by_phrases, stems
from agent.types import Audience, Passage, Query, SearchRequest
from tests.fakes_knowledge import MemoryLibrary

EVERYBODY = Audience(principals=frozenset({"*"}))


def ranked(question: str, *texts: str) -> list[int]:
    """Rank texts that the words alone find equally good, last one first."""
    pairs = [(n, 1.0) for n in reversed(range(len(texts)))]
    return [identity for identity, _ in by_phrases(question, pairs, {n: stems(text) for n, text in enumerate(texts)})]


@pytest.mark.parametrize(
    ("question", "together", "apart"),
    [
        ("annual leave", "Your annual leave.", "Leave is annual."),
        ("the state of the art", "a state-of-the-art device", "art of any state"),
        ("육아 휴직 신청", "육아휴직을 합니다", "휴직과 육아"),
        ("육아휴직은 언제?", "육아휴직을 언제 합니까", "언제 육아휴직을"),
        ("the e-mail", "Our email", "mail, and e"),
        ("API를 호출하는 방법", "API 호출하는", "호출하는 API"),
    ],
)
def test_a_passage_that_keeps_words_together_comes_first(question, together, apart):
    assert ranked(question, together, apart) == [0, 1]


def test_one_word_and_no_words_change_nothing():
    assert ranked("leave", "leave", "annual leave") == ranked("?!", "leave", "annual leave") == [1, 0]


def test_what_was_not_read_keeps_its_score():
    pairs = [(1, 4.0), (2, 3.0), (3, 1.0)]
    assert by_phrases("annual leave", pairs, {3: stems("annual leave")}) == [(1, 1.0), (2, 0.75), (3, 0.5)]


def test_scores_of_nothing_are_no_trouble():
    assert by_phrases("annual leave", [], {}) == []
    assert [i for i, _ in by_phrases("annual leave", [(1, -0.20), (2, -0.25)], {2: stems("annual leave")})] == [2, 1]


@pytest.mark.parametrize(
    ("scores", "least", "most"),
    [([], 1, 1), ([3.0], 1, 1), ([3.0] * 9, 1, 1), ([3.0] * 50, 0, 0), ([0.0] * 50, 0, 0), ([-1.0] * 50, 0, 0),
     ([9.0, *[1.0] * 49], 0.8, 1), ([3.0, *[2.9] * 49], 0.0, 0.05)],
)  # fmt: skip
def test_words_count_as_much_as_their_best_stands_out(scores, least, most):
    assert least <= distinct(list(enumerate(scores))) <= most


class Meaning:
    """Finds the passages 1 to 20, in this order, whatever is asked."""

    name = "test"

    async def embed(self, texts):
        return np.ones((len(texts), 1), dtype=np.float32)

    async def ready(self) -> bool:
        return True

    async def search(self, vector, *, k, filter, audience):
        return [(n, 1 - n / 100) for n in range(1, 21)][:k]


async def place(number: int, question: str, *, words: str) -> int:
    """Return where a passage of these words ends up; that of each number is meant, up to 20, in this order."""
    texts = {n: f"notes on the routers of the office, part {n}" for n in range(1, 31)} | {number: words}
    passages = [Passage(id=n, document_id=f"d{n}", collection="c", title="", text=text) for n, text in texts.items()]
    library, meaning = MemoryLibrary(passages), Meaning()
    knowledge = KnowledgeBase(lexical=library, passages=library, vectors=meaning, embeddings=meaning)
    result = await knowledge.search(SearchRequest(queries=(Query(text=question),), k=30), EVERYBODY)
    return [hit.passage.id for hit in result.hits].index(number)


async def test_a_code_that_one_passage_holds_is_found_beside_what_is_meant():
    assert await place(30, "error E4021", words="Error E4021: restart it.") <= 1


async def test_words_that_all_passages_hold_leave_the_order_to_meaning():
    assert await place(20, "notes on routers", words="notes notes on routers routers, notes") > 10


def test_a_passage_with_the_code_of_a_question_comes_before_those_with_its_other_words():
    assert ranked("which kiln shows K18", "codes: K17 empty, K18 stuck", "a list of the kilns") == [0, 1]
    assert ranked("which kiln was made in 2018", "a cup of 2018", "a list of the cups") == [1, 0]  # a year is none
