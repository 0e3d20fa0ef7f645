"""Which passages the pieces of a model's answer rest on."""

import pytest

from agent.reasoning.grounding.citation_support import findings
from agent.reasoning.model.tasks.answer_pieces import Pieces
from agent.reasoning.model.tasks.citations import Citing
from agent.types import Sentence
from tests.reasoning_model.making import brief

KILN = "To book the kiln, open the calendar. Choose a free day. Pay the deposit of 20 euros at the desk."
DESK = "The desk is open from nine to five. Lockers in the cellar cost 3 euros a month."
POTS = "Pots that nobody collects are given away after six weeks."


def cited(question: str, answer: str, *texts: str) -> list[Sentence]:
    of = brief(question, *texts)
    pieces, citing = Pieces(), Citing(of)
    out = [
        sentence
        for piece in [*pieces.feed(answer), *pieces.close()]
        for sentence in citing.take(piece)
    ]  # fmt: skip
    return [*out, *citing.close()]


def places(sentences: list[Sentence], *texts: str) -> list[list[str]]:
    return [[texts[each.block - 1][each.start : each.end] for each in sentence.support] for sentence in sentences]


def test_a_sentence_without_a_mark_rests_on_the_place_that_says_just_it():
    told = cited("How do I book the kiln?", "Choose a free day. Pay the deposit of 20 euros at the desk.", DESK, KILN)
    assert places(told, DESK, KILN) == [["Choose a free day."], ["Pay the deposit of 20 euros at the desk."]]
    told = cited("When is the desk open?", "The desk is open from nine to five.", KILN, DESK)
    assert places(told, KILN, DESK) == [["The desk is open from nine to five."]]


@pytest.mark.parametrize(
    "answer",
    [
        "Lockers in the cellar are free.",  # the passage has a price
        "Lockers in the cellar cost 4 euros a month.",
        "The desk is not open from nine to five.",
        "The desk is open on Sundays, too.",
    ],
)
def test_a_sentence_without_a_mark_that_no_place_says_rests_on_nothing(answer: str):
    (told,) = cited("What about the desk and the lockers?", answer, DESK, KILN)
    assert told.support == ()


def test_a_sentence_without_a_mark_rests_on_no_passage_that_does_not_speak_of_the_question():
    (told,) = cited("Who fires?", "Pots that nobody collects are given away after six weeks.", POTS)
    assert told.support == ()


def test_an_opening_word_is_a_part_of_what_follows():
    (told,) = cited("Is there a deposit?", "Yes. You pay the deposit of 20 euros at the desk. [1]", KILN)
    assert told.text == "Yes. You pay the deposit of 20 euros at the desk." and told.support
    assert findings(told, brief("Is there a deposit?", KILN).blocks).all == ()


def test_an_introduction_cites_what_it_introduces():
    told = cited(
        "How do I book the kiln?", "Do this, in order:\n1. Open the calendar. [1]\n2. Choose a free day. [1]", KILN
    )
    assert [len(each.support) for each in told] == [1, 1, 1]
    assert [each.lead for each in told] == ["", "\n1. ", "\n2. "]


def test_items_rest_on_the_mark_of_their_introduction():
    told = cited("How do I book the kiln?", "To book the kiln: [2]\n- Choose a day.\n- Pay at the desk.", DESK, KILN)
    assert [[place.block for place in each.support] for each in told] == [[2], [2], [2]]


def test_an_item_that_the_marked_passage_does_not_have_rests_on_nothing():
    told = cited("How do I book the kiln?", "To book the kiln: [2]\n- Call a wizard.", DESK, KILN)
    assert [bool(each.support) for each in told] == [True, False]


def test_a_sentence_that_sums_up_cites_the_place_of_the_next():
    told = cited(
        "May I leave my bowl?", "That is possible for a while. [1] After six weeks pots are given away. [1]", POTS
    )
    assert places(told, POTS) == [[POTS], [POTS]]
    told = cited(
        "May I leave my bowl?", "That is possible for a while. [1] The desk is open from nine. [2]", POTS, DESK
    )
    assert places(told, POTS, DESK) == [[POTS], ["The desk is open from nine to five."]]  # the passage as a whole


def test_a_wrong_mark_counts_for_nothing_where_another_passage_says_it():
    (told,) = cited("When is the desk open?", "The desk is open from nine to five. [1]", KILN, DESK)
    assert [place.block for place in told.support] == [2]


def test_what_is_held_back_comes_at_the_end():
    told = cited("Is the desk open?", "Do this:", DESK)
    assert [each.text for each in told] == ["Do this:"] and not told[0].support
