"""Sums of symmetric trees, and how they are fitted."""

import random

import pytest

from agent.reasoning.rules.fitted.symmetric_trees import Tree, Trees
from benchmarks.boosting import boosted


@pytest.mark.parametrize(("a", "b", "odds"), [(0.0, 0.0, 1.0), (0.6, 0.0, 2.0), (0.0, 3.0, 3.0), (0.6, 3.0, 4.0)])
def test_each_way_in_which_cuts_turn_out_has_its_leaf(a, b, odds):
    assert Tree([("a", 0.5), ("b", 2.0)], [1.0, 2.0, 3.0, 4.0]).of({"a": a, "b": b}) == odds


def test_what_is_not_above_a_cut_is_below_it():
    assert Tree([("a", 0.5)], [0.0, 1.0]).of({"a": 0.5}) == 0.0


def test_leaves_are_added_up_to_a_likelihood():
    assert Trees([]).of({}) == 0.5
    assert Trees([Tree([], [1.0]), Tree([], [-1.0])]).of({}) == 0.5
    assert Trees([Tree([], [800.0])]).of({}) == pytest.approx(1.0)
    assert Trees([Tree([], [-600.0])]).of({}) == pytest.approx(0.0)


def test_a_missing_figure_is_an_error():
    with pytest.raises(KeyError):
        Trees([Tree([("a", 0.5)], [0.0, 1.0])]).of({})


def test_what_two_figures_tell_only_together_is_learnt():
    chance = random.Random(1)
    rows = [{"a": chance.random(), "b": chance.random(), "noise": chance.random()} for _ in range(800)]
    trees = boosted(rows, [(row["a"] > 0.5) != (row["b"] > 0.5) for row in rows], trees=60, depth=2)
    for a, b in ((0.1, 0.9), (0.9, 0.1)):
        assert trees.of({"a": a, "b": b, "noise": 0.5}) > 0.7
    for a, b in ((0.1, 0.1), (0.9, 0.9)):
        assert trees.of({"a": a, "b": b, "noise": 0.5}) < 0.3


def test_what_tells_nothing_is_no_likelihood_but_the_share():
    trees = boosted([{"a": 1.0}] * 40, [True] * 30 + [False] * 10, trees=100, depth=1)
    assert trees.of({"a": 1.0}) == pytest.approx(0.75, abs=0.03)
