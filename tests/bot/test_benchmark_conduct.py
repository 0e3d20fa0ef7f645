"""The measure of conduct: its corpora, and that nobody makes Weft more talkative unnoticed."""

import pytest

from benchmarks import conduct
from benchmarks.conduct import played
from benchmarks.talk_sets import CORPORA, HALVES, threads


@pytest.mark.parametrize("corpus", CORPORA)
def test_a_corpus_is_large_and_its_halves_share_no_thread(corpus):
    halves = [list(threads(corpus, half)) for half in HALVES]
    lines = [line for half in halves for thread in half for line in thread.lines]
    assert sum(line.kind == "-" for line in lines) >= 300 and sum(line.kind == "+" for line in lines) >= 100
    for half in halves:
        assert {thread.language for thread in half} == {"en", "ko"}
    assert not {thread.name for thread in halves[0]} & {thread.name for thread in halves[1]}
    said = [
        [line.text for thread in half for line in thread.lines if line.kind != "@" and len(line.text) > 25]
        for half in halves
    ]
    assert len(set(said[0]) & set(said[1])) == 0


PLAYED = ("office", "trades", "works", "notes")
LEAST = 0.91
"""As measured of the questions of these; the aim is `conduct.LEAST_ASKED`."""


async def test_the_halves_that_were_left_out_are_not_done_worse_than_they_were():
    talk: list[bool] = []
    asked: list[bool] = []
    for corpus in PLAYED:
        counted = await played(corpus, "held_out")
        talk += [each for place in ("en", "ko") for each in counted[place, "-"]]
        asked += [each for place in ("en", "ko") for each in counted[place, "+"]]
    assert len(talk) > 950 and len(asked) > 280
    assert sum(talk) / len(talk) <= conduct.MOST_TALK and sum(asked) / len(asked) >= LEAST


def test_the_aims_are_not_given_up():
    assert (conduct.MOST_TALK, conduct.LEAST_ASKED) == (0.02, 0.95)
