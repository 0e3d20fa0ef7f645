"""What ranks passages by words: how usual terms are where people ask, and what a document's passages add."""

from dataclasses import replace

import pytest

from agent.retrieval import changes
from agent.retrieval.support import supported
from agent.text import tokens
from agent.types import Passage, Query
from agent.word_frequency import factor, weighed


def passage(n: int, document: str, position: int) -> Passage:
    return Passage(id=n, document_id=document, collection="c", title="", text="x", position=position)


def test_words_that_people_ask_with_count_less_than_what_they_ask_about():
    for asking, about in (("tell", "wireguard"), ("want", "reimbursement"), ("알려", "감가"), ("어떻", "감가")):
        assert factor(*set(tokens(asking))) < 0.6 and all(factor(term) == 1.0 for term in tokens(about))
    held = dict(weighed(Query(text="tell me about wireguard")).factors)
    assert set(held) == {"tell"}


def test_the_verb_that_korean_asks_with_counts_less_than_its_noun():
    setting, doing = "설정", "해줘"
    assert factor(doing) < factor(setting) / 2


def test_passages_of_one_document_support_each_other_and_neighbours_more():
    read = {p.id: p for p in (passage(1, "a", 0), passage(2, "b", 0), passage(3, "b", 1), passage(4, "b", 7))}
    ranked = [(1, 10.0), (2, 9.9), (3, 9.8), (4, 9.85)]
    order = [identity for identity, _ in supported(ranked, read)]
    assert order[-1] == 1 and order.index(3) < order.index(4)


def test_what_was_not_read_keeps_its_score_and_nothing_is_no_trouble():
    assert supported([(1, 2.0), (2, 1.0)], {1: passage(1, "a", 0)}) == [(1, 2.0), (2, 1.0)]
    assert supported([], {}) == [] and supported([(1, -1.0)], {}) == [(1, -1.0)]


@pytest.mark.parametrize(
    ("section", "question", "for_changes"),
    [
        ("Change Log > 2.4.1", "how long is a lease", "what changed for leases in 2.4?"),
        ("History > What’s new in spring", "how long is a lease", "what's new about leases"),
        ("근로기준법 > 부칙", "연차는 며칠이야", "연차 규정이 언제 바뀌었어"),
        ("안내 > 업데이트 내역", "연차는 며칠이야", "연차 버전 이력 알려줘"),
    ],
)
def test_what_records_changes_stands_lower_unless_it_is_asked_for(section, question, for_changes):
    read = {
        n: replace(passage(n, "a", n), section=section if n == 1 else "Leases > Changes of address") for n in (1, 2)
    }
    ranked = [(1, 1.0), (2, 0.9), (3, 0.8)]
    assert changes.behind(question, ranked, read) == [(2, 0.9), (3, 0.8), (1, 0.7)]
    assert changes.behind(for_changes, ranked, read) == ranked
    assert changes.behind(question, [(1, -1.0)], read) == [(1, -1.0)]
