"""Fusion and packing: pure functions with known results."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.packs.load import builtin, load_pack
from agent.reasoning.brief import Brief
from agent.retrieval.fuse import fuse
from agent.retrieval.pack import excluded, focused, merged, of_days, pack, titles
from agent.retrieval.ranking import favoured
from agent.types import Hit, Passage, SearchResult


def hit(n: int, score: float, *, text: str = "", title: str = "", section: str = "") -> Hit:
    passage = Passage(id=n, document_id=f"d{n}", collection="c", title=title, section=section, text=text or f"text {n}")
    return Hit(passage=passage, score=score)


def test_the_worked_example_of_reciprocal_rank_fusion():
    a, b, c, d = 1, 2, 3, 4
    bm25, faiss = [a, 90, b, 91, c], [b, a, d]  # A1 B3 C5; A2 B1 D3
    fused = [(i, round(score, 4)) for i, score in fuse([(1.0, bm25), (1.0, faiss)]) if i < 90]
    assert fused == [(a, 0.0325), (b, 0.0323), (d, 0.0159), (c, 0.0154)]


@given(st.lists(st.integers(0, 50), unique=True))
def test_a_single_ranking_keeps_its_order(ids):
    assert [i for i, _ in fuse([(0.7, ids)])] == ids


def test_a_ranking_of_no_weight_changes_nothing():
    assert [i for i, _ in fuse([(1.0, [1, 2, 3]), (0.0, [3, 2, 1])])] == [1, 2, 3]


def test_a_document_that_counts_more_passes_what_is_hardly_better():
    ranked = [(1, 1.0), (2, 0.9), (3, 0.2)]
    assert [i for i, _ in favoured(ranked, {2: 0.2})] == [2, 1, 3]
    assert [i for i, _ in favoured(ranked, {3: 0.2})] == [1, 2, 3]
    assert favoured([(1, -1.0), (2, -1.1)], {2: 0.2})[0][0] == 2


def test_no_step_crowds_out_another_and_every_passage_counts_once():
    found = merged([[hit(1, 0.2), hit(2, 0.1), hit(3, 0.1)], [], [hit(4, 9.0), hit(1, 8.0), hit(5, 7.0)]])
    assert [h.passage.id for h in found] == [1, 4, 2, 3, 5]


def test_the_context_keeps_to_its_budget_and_drops_what_it_holds_already():
    hits = [hit(1, 4, text="a" * 60), hit(2, 3, text="a" * 60), hit(3, 2, text="b" * 60), hit(4, 1, text="c" * 30)]
    packed = pack(hits, passages=8, characters=100)
    assert [(b.n, b.passage.id) for b in packed.blocks] == [(1, 1), (2, 4)]
    assert [(each.passage.id, each.reason) for each in packed.left] == [(2, "duplicate"), (3, "no_room")]
    packed = pack(hits, passages=1, characters=9999)
    assert [b.passage.id for b in packed.blocks] == [1] and packed.left[-1].reason == "rank"


def test_a_model_is_given_further_passages_behind_those_that_are_quoted_from():
    hits = [hit(1, 4, text="a" * 60), hit(2, 3, text="a" * 60), hit(3, 2, text="b" * 60), hit(4, 1, text="c" * 30)]
    packed = pack(hits, passages=8, characters=100, further=2)
    assert [(b.n, b.passage.id, b.further) for b in packed.blocks] == [(1, 1, False), (2, 4, False), (3, 3, True)]
    assert [(each.passage.id, each.reason) for each in packed.left] == [(2, "duplicate")]
    brief = Brief(question="", language="en", pack=load_pack(builtin("handbook")), blocks=packed.blocks)
    assert [block.n for block in brief.quotable] == [1, 2]


def test_what_the_asker_chose_comes_first_and_otherwise_the_order_stays():
    hits = [hit(1, 4), hit(2, 3), hit(3, 2), hit(4, 1)]
    assert [h.passage.id for h in focused(hits, ("d3", "d2"))] == [2, 3, 1, 4]


@pytest.mark.parametrize(
    ("question", "kept"),
    [
        ("what was decided on Sept 9", [1, 3, 4, 5]),
        ("9월 2일 회의에서 뭘 정했어?", [2, 4]),
        ("what was decided on 9 September 2026", [1, 3, 4]),
        ("from 9/2 to 9/9", [1, 2, 3, 4, 5]),
        ("9월 3일 회의", [1, 2, 3, 4, 5]),
        ("what was decided", [1, 2, 3, 4, 5]),
    ],
)
def test_what_stands_below_another_day_than_is_asked_about_is_left_out(question, kept):
    headings = ["9/9 회의", "9/2 회의", "Notes > 2026-09-09", "Rules", "2025년 9월 9일"]
    hits = [hit(n, 9 - n, section=section) for n, section in enumerate(headings, 1)]
    assert [each.passage.id for each in of_days(hits, question)] == kept


def test_what_the_search_left_out_is_told_once_with_its_reason():
    search = SearchResult(hits=(hit(1, 4),), excluded=(hit(2, 3), hit(3, 2), hit(1, 1)), folded={2: 1})
    packed = pack([hit(1, 4), hit(3, 2, text="x" * 99)], passages=8, characters=50)
    told = [(each.passage.id, each.reason) for each in excluded([search], packed)]
    assert told == [(3, "no_room"), (2, "duplicate")]


def test_the_first_passage_always_fits():
    assert len(pack([hit(1, 1, text="a" * 500)], passages=8, characters=100).blocks) == 1


@pytest.mark.parametrize(("limit", "expected"), [(1, ("A",)), (3, ("A", "d2"))])
def test_titles_are_named_once(limit, expected):
    assert titles([hit(1, 3, title="A"), hit(2, 2), hit(3, 1, title="A")], limit=limit) == expected
