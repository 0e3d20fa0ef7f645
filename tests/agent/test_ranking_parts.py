"""What ranks passages by words: how usual terms are where people ask, and what a document's passages add."""

from dataclasses import replace

import pytest

from agent.reasoning.rules.answering.weighted_question import asked
from agent.retrieval.word_ranking import supported, without_records
from agent.text import tokens
from agent.types import Passage, Query
from agent.word_frequency import ENDING, factor, factors_of, weighed


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


@pytest.mark.parametrize(
    ("text", "asked_for", "ends"),
    [
        ("예약금 환불되나요?", {"예약", "약금", "환불"}, {"불되", "되나", "나요"}),
        ("MIT는요?", {"mit"}, {"는요"}),
        ("가마 취소하면", {"가마", "취소"}, {"소하", "하면"}),
        ("가져가야되나요", {"가져", "져가", "가야"}, {"야되", "되나", "나요"}),
        ("뭐 맞아요?", {"뭐", "맞아"}, {"아요"}),
        ("되나요?", set(), {"되나", "나요"}),
        ("해고해도 되는 한도", {"해고", "한도"}, {"고해", "되는"}),
        ("돌봄휴가는 쓸 수 있나", {"돌봄", "봄휴", "휴가", "쓸", "수"}, {"있나"}),
        ("되는거예요? 환불 건가요", {"환불"}, {"되는", "는거", "건가", "가요"}),
        ("접수는 며칠이야?", {"접수", "며칠"}, {"칠이", "이야"}),
        ("가마는 얼마야, 누구야", {"가마", "얼마", "누구"}, {"마야", "구야"}),
        ("뭐임, 얼마임, 환불 됨? 신청했음", {"얼마", "환불", "신청"}, {"뭐임", "마임", "됨", "청했", "했음"}),
        ("사물함 모임 처음", {"사물", "물함", "모임", "처음"}, set()),
        ("전문분야", {"전문", "문분", "분야"}, set()),
        ("거실 근거지", {"거실", "근거", "거지"}, set()),
        ("직원할인 책임", {"직원", "원할", "할인", "책임"}, set()),
        ("하나요? 하나카드", {"하나", "나카", "카드"}, {"나요"}),
    ],
)
def test_what_ends_a_korean_question_counts_next_to_nothing(text, asked_for, ends):
    counted = factors_of(text)
    assert {term for term, each in counted.items() if each == ENDING} == ends
    assert set(counted) == asked_for | ends
    assert dict(weighed(Query(text=text)).factors).items() >= dict.fromkeys(ends, ENDING).items()
    assert not asked_for or not asked(text, "ko", ()).weights.keys() & ends


@pytest.mark.parametrize("text", ["we're late, I'll pay", "We’re late: who'd pay"])
def test_a_contraction_is_not_the_word_that_it_looks_like_without_its_mark(text):
    assert {term for term, each in factors_of(text).items() if each > ENDING} == {"late", "pay"}
    assert {term for term, each in factors_of("the ill were late").items() if each > ENDING} == {"ill", "late"}


@pytest.mark.parametrize("text", ["9월 9일에 주간회의", "9/9 주간회의", "Sept 9: 주간회의", "2026-09-09 주간회의"])
def test_of_a_day_counts_that_it_is_the_day_and_not_how_it_is_written(text):
    counted = factors_of(text)
    assert {term for term, each in counted.items() if each > ENDING} - {"2026"} == {"09/09", "주간", "간회"}
    assert asked(text, "ko", ()).weights.keys() <= set(tokens(text))


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
    assert without_records(question, ranked, read) == [(2, 0.9), (3, 0.8), (1, 0.7)]
    assert without_records(for_changes, ranked, read) == ranked
    assert without_records(question, [(1, -1.0)], read) == [(1, -1.0)]


def test_what_was_replaced_stands_lower_unless_it_is_asked_how_it_was():
    read = {n: replace(passage(n, "a", n), title=title) for n, title in ((1, "Rules (superseded)"), (2, "Rules"))}
    ranked = [(1, 1.0), (2, 0.9)]
    assert without_records("what is the fee", ranked, read) == [(2, 0.9), (1, 0.7)]
    assert without_records("what was the fee under the old rules", ranked, read) == ranked
