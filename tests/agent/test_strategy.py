"""The search strategy in words: no zeros, and the same after a second search."""

import re

import pytest

from agent import strategy
from agent.cases import Case, Lookup
from agent.nodes.refine import joined
from agent.results import Outcome
from agent.retrieval.pack import Left
from agent.types import Block, Expansion, Hit, Passage, SearchResult


def passage(number: int, text="대리납부를 누락", **more) -> Passage:
    return Passage(
        id=number, document_id=f"d{number % 3}", collection="c", title="사례", text=text, document=number % 3, **more
    )


def blocks(*numbers: int) -> list[Block]:
    return [Block(n=n, passage=passage(number), score=1.0) for n, number in enumerate(numbers, start=1)]


FIRST = Outcome(
    step_id="1",
    expansion=Expansion(step_id="1", must_have=("대리납부", "합병법인")),
    hits=(Hit(passage=passage(1), score=1.0),),
    search=SearchResult(
        hits=(), must_have=("대리납부",), nowhere=("합병법인",), target_documents=1,
        keyword_freq={"대리납부": 4}, keyword_block_counts={"대리납부": 2},
    ),
)  # fmt: skip
SECOND = Outcome(
    step_id="1",
    expansion=Expansion(step_id="1"),
    hits=(Hit(passage=passage(2), score=1.0),),
    search=SearchResult(hits=()),
)


def told(outcome: Outcome, left=(), language="ko", shown=(1, 2), lookup=None) -> str:
    assert outcome.search is not None and outcome.expansion is not None
    return strategy.told([outcome.search], blocks(*shown), left, outcome.expansion.must_have, language, lookup)


def test_a_second_search_changes_nothing_about_the_words_that_had_to_be_there():
    after = joined(FIRST, SECOND)
    assert {hit.passage.id for hit in after.hits} == {1, 2}
    assert told(after) == told(FIRST)
    assert "대리납부 (4)" in told(after) and "함께 나오는 문서가 없습니다: 합병법인" in told(after)
    assert joined(FIRST, Outcome(step_id="1")) is FIRST


@pytest.mark.parametrize("language", ["en", "ko"])
@pytest.mark.parametrize("shown", [(), (1,), (1, 2, 3)])
@pytest.mark.parametrize("left", [0, 1, 5])
@pytest.mark.parametrize("reason", ["rank", "duplicate"])
def test_no_figure_of_it_is_zero(language, shown, left, reason):
    search = SearchResult(hits=(), must_have=("대리납부", "가산세"), keyword_freq={"대리납부": 2, "가산세": 0})
    outcome = Outcome(step_id="1", expansion=Expansion(step_id="1", must_have=("대리납부", "가산세")), search=search)
    words = told(outcome, [Left(passage=passage(9), reason=reason)] * left, language, shown)
    assert not re.search(r"(?<![\d,])0(?![\d,])", words), words
    assert ("5" in words) == (left == 5 and bool(shown))


def test_cases_are_told_with_their_findings_and_sections():
    case = Case(
        title="사례", findings=(passage(1), passage(2)), sections=(("착안", (passage(3),)), ("기법", (passage(4),)))
    )
    words = told(FIRST, lookup=Lookup(cases=(case, case), likely=1.0))
    assert words.startswith("사례 2건에 적출 4건이 있고, 착안 2, 기법 2개를 찾았습니다.")
    assert strategy.cases_shown(Lookup(cases=(case,), likely=1.0)) == [
        {"document_id": "d1", "title": "사례", "findings": 2, "sections": {"착안": 1, "기법": 1}}
    ]
