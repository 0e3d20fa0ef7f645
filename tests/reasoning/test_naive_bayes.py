"""Wordings, told apart by their pieces."""

import pytest

from agent.reasoning.rules.fitted.naive_bayes import MOST, NaiveBayes, pieces
from agent.reasoning.rules.judging.addressee import Seen
from benchmarks.fit_addressed import Case, learnt
from benchmarks.talk_sets import Thread


def test_pieces_stand_side_by_side_within_words_and_across_them():
    assert pieces("to be") == {
        "^t", "to", "o ", " b", "be", "e$", "^to", "to ", "o b", " be", "be$", "^to ", "to b", "o be", " be$",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("How MUCH is 12?", "how much is 7 ?"), ("isn’t it？", "isn't it?"), ("얼마예요 — 3개", "얼마예요, 40개"),
        ("\u1112\u1161\u11ab", "한"), ("", "…"),
    ],
)  # fmt: skip
def test_what_says_the_same_has_the_same_pieces(one, other):
    assert pieces(one) == pieces(other)


def test_what_is_known_of_a_wording_is_summed_up_and_bounded():
    wording = NaiveBayes({"^h": 1.0, "ho": 0.5, "zz": -3.0})
    assert wording.of("zzz") == -3.0 and wording.of("qu") == 0.0
    assert wording.of("ho") == pytest.approx(1.5 / 2**0.7)
    assert NaiveBayes({"^h": 90.0}).of("ho") == MOST and NaiveBayes({"^h": -90.0}).of("ho") == -MOST


def test_what_is_learnt_tells_the_classes_apart():
    asked, talk = ("how long is the notice period", "몇 일까지 내야 해요"), ("are you coming", "너 밥 먹었어")
    cases = [
        Case("office", Thread("en", False, ()), 0, f"{text} {n}", Seen(asks=True), wanted)
        for wanted, texts in ((True, asked), (False, talk))
        for text in texts
        for n in range(6)
    ]
    wording = learnt(cases)
    assert wording.of("how long is it") > 1 and wording.of("며칠까지 내야 해요") > 1
    assert wording.of("are you there") < -1 and wording.of("너 왔어") < -1
