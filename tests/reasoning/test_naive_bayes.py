"""Wordings, told apart by their pieces."""

import pytest

from agent.reasoning.rules.judging.addressee import Seen
from agent.reasoning.rules.judging.wording import MOST, NaiveBayes, frame, letters, spoken
from benchmarks.fit_addressed import Case, learnt
from benchmarks.talk_sets import Thread


def test_letters_stand_side_by_side_within_words_and_across_them():
    assert letters("to be") == {
        "^t", "to", "o ", " b", "be", "e$", "^to", "to ", "o b", " be", "be$", "^to ", "to b", "o be", " be$",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("How MUCH is 12?", "how much is 7 ?"), ("isn’t it？", "isn't it?"), ("얼마예요 — 3개", "얼마예요, 40개"),
        ("\u1112\u1161\u11ab", "한"), ("", "…"),
    ],
)  # fmt: skip
def test_what_says_the_same_has_the_same_letters(one, other):
    assert letters(one) == letters(other)


def test_a_frame_keeps_what_is_common_and_of_all_else_the_ending_and_the_place():
    assert frame("Price of 2 zips, please", {"of", "please"}) == {
        "^", "~e", "of", "0", "~s", ",", "please", "$",
        "^ ~e", "~e of", "of 0", "0 ~s", "~s ,", ", please", "please $",
    }  # fmt: skip
    assert frame("연차는", {"좀"}) == {"^", "~는", "$", "^ ~는", "~는 $"}
    assert frame("둘", {"좀"}) == {"^", "~", "$", "^ ~", "~ $"}


def test_frames_of_different_trades_are_one():
    common = {"the", "for", "till"}
    assert frame("till for the tickets", common) == frame("till for the boots", common)
    assert frame("the tickets", common) != frame("for tickets", common)


def test_words_are_spoken_and_numbers_and_marks_are_not():
    assert spoken("It’s 20, 연차는?") == {"it's", "연차는"}


def test_what_is_known_of_a_wording_is_summed_up_and_bounded():
    wording = NaiveBayes({"^h": 1.0, "ho": 0.5, "zz": -3.0})
    assert wording.of(letters("zzz")) == -3.0 and wording.of(letters("qu")) == 0.0
    assert wording.of(letters("ho")) == pytest.approx(1.5 / 2**0.7)
    assert NaiveBayes({"^h": 90.0}).of({"^h"}) == MOST and NaiveBayes({"^h": -90.0}).of({"^h"}) == -MOST


def test_what_is_learnt_tells_the_classes_apart():
    asked, talk = ("how long is the notice period", "몇 일까지 내야 해요"), ("are you coming", "너 밥 먹었어")
    wording = learnt(_cases(asked, talk, asks=True))

    def by_letters(text):
        return wording.of(text, asks=True)["wording"]

    assert by_letters("how long is it") > 1 and by_letters("며칠까지 내야 해요") > 1
    assert by_letters("are you there") < -1 and by_letters("너 왔어") < -1


def test_frames_are_learnt_from_lines_that_are_put_alike_and_keep_what_many_sets_say():
    topics, remarks = ("price of boots", "time of lunch"), ("boots have gone", "lunch has gone")
    wording = learnt([*_cases(topics, remarks, asks=False), *_cases(remarks, topics, asks=True)])
    assert {"of", "gone"} <= wording.common and learnt(_cases(topics, remarks, asks=False)[:2]).common == frozenset()
    topic = "colour of toner"
    assert wording.of(topic, asks=False)["frame"] > 1 > -1 > wording.of(topic, asks=True)["frame"]


def _cases(asked, talk, *, asks):
    return [
        Case(corpus, Thread("en", False, ()), 0, f"{text} {n}", Seen(asks=asks), wanted)
        for corpus in ("office", "trades", "care")
        for wanted, texts in ((True, asked), (False, talk))
        for text in texts
        for n in range(6)
    ]
