"""Which of the quotes are told, and how surely: a few sources, a limited room, nothing twice."""

from dataclasses import replace

import pytest

from agent.reasoning.rules.answering.ranked_quotes import (
    LEAST,
    MAYBE,
    ROOM,
    ROOMIER,
    SOURCES,
    WIDER,
    chosen,
    figures,
    find,
    rate,
)
from agent.reasoning.rules.answering.weighted_question import asked
from agent.reasoning.rules.fitted.logistic_regression import Regression, logit
from agent.types import ATTACHED
from tests.contracts.reasoning import block
from tests.likelihoods import BY_WORDS, NOTHING, SURE, UNSURE, by_rank

QUESTION = "Where does the heron stand?"


def told(*pages, model=SURE, question=QUESTION, **more):
    return find(asked(question, "en", pages), pages, model=model, **more)


def texts(found):
    return [quote.text for quote in found.told]


def words(n, about="heron"):
    return f"The {about} " + " ".join(f"w{i}" for i in range(n - 2)) + "."


def test_the_likeliest_is_told_first():
    found = told(block(1, "A goose came.\n\nThe heron does stand here."), block(2, "The heron came."), model=BY_WORDS)
    assert texts(found)[0] == "The heron does stand here." and found.likely == found.model.answer.of(_figures(found))
    assert [each.likely for each in found.rated] == sorted((each.likely for each in found.rated), reverse=True)


def _figures(found):
    return figures(found.asked, found.rated, [each for each in found.rated if each.quote in found.told])


def test_at_most_three_sources_are_told():
    pages = [block(n, f"The heron of the town number {n} came.") for n in range(1, 7)]
    found = told(*pages)
    assert len(found.rated) == 6 and len({quote.block.n for quote in found.told}) == SOURCES == 3


def test_of_one_source_more_may_be_told():
    found = told(block(1, "\n\n".join(f"The heron of town {n} came." for n in range(5))))
    assert len(found.told) == 5


def test_an_answer_keeps_to_its_room_and_one_that_is_not_sure_may_have_more():
    pages = [block(1, "\n\n".join(f"{words(20)[:-1]} n{n}." for n in range(20)))]
    steep = Regression(-4.0, {"together": 4.0, "place": -12.0})
    sure, unsure = told(*pages, model=replace(SURE, quote=steep)), told(*pages, model=UNSURE)
    assert ROOM - 20 <= sum(quote.size for quote in sure.told) <= ROOM
    assert ROOM < sum(quote.size for quote in unsure.told) <= WIDER * ROOM
    assert sum(quote.size for quote in told(*pages, room=50, model=replace(SURE, quote=steep)).told) <= 50


@pytest.mark.parametrize(("steepness", "sizes"), [(-1.0, [56]), (-0.1, [56, 56, 56])])
def test_what_is_as_likely_as_the_best_is_told_although_there_is_no_room(steepness, sizes):
    pages = [block(n, words(56, about=f"heron number {n}")) for n in range(1, 5)]
    found = told(*pages, model=by_rank(steepness))
    assert [quote.size - 2 for quote in found.told] == sizes
    assert sum(sizes) <= ROOMIER * ROOM


@pytest.mark.parametrize(("steepness", "count"), [(-4.0, 1), (-0.5, 3)])
def test_beside_the_best_of_an_unsure_answer_stands_what_has_a_share_of_its_likelihood(steepness, count):
    pages = [block(n, f"The heron number {n} came.") for n in range(1, 4)]
    found = told(*pages, model=replace(by_rank(steepness), answer=UNSURE.answer))
    assert not found.sure and len(found.told) == count


def test_what_may_hardly_be_it_is_told_by_nothing_but_want_of_better():
    pages = [block(n, f"The heron number {n} came.") for n in range(1, 4)]
    by_rank = Regression(logit(2 * MAYBE), {"rank": -0.9})  # .04, .017, .007
    doubted = replace(UNSURE, quote=by_rank)
    assert [quote.rank for quote in told(*pages, model=doubted).told] == [0, 1]
    hardly = replace(doubted, quote=replace(by_rank, bias=logit(MAYBE / 2)))
    assert [quote.rank for quote in told(*pages, model=hardly).told] == [0]


def test_what_is_told_first_is_told_whatever_its_length():
    found = told(block(1, words(150)), block(2, "A goose came by."), room=40)
    assert texts(found) == [words(150)]


def test_where_little_room_is_left_nothing_is_added():
    found = told(block(1, words(40)), block(2, "The goose came by."), room=40 + LEAST - 1)
    assert len(found.told) == 1


def test_what_is_told_already_is_not_told_again():
    text = "The heron does stand here."
    found = told(block(1, text), block(2, f"# Birds\n\n{text}"), block(3, "The  heron does\nstand here."))
    assert texts(found) == [text]


def test_a_word_or_two_are_no_answer():
    assert texts(told(block(1, "Heron here."))) == []
    assert texts(told(block(1, "연차는 15일입니다.", language="ko"))) == ["연차는 15일입니다."]  # in Korean they are
    assert texts(told(block(1, "15일", language="ko"))) == []
    assert told(block(1, "Heron here.")).likely == 0.0


@pytest.mark.parametrize(
    ("model", "sure", "near"), [(SURE, True, True), (UNSURE, False, True), (NOTHING, False, False)]
)
def test_how_surely_it_is_told(model, sure, near):
    found = told(block(1, "The heron does stand here."), model=model)
    assert (found.sure, found.near) == (sure, near)
    assert found.sure is (found.likely >= model.sure) and found.near is (found.likely >= model.near)


def test_the_limits_count_from_where_they_are():
    found = told(block(1, "The heron does stand here."), model=UNSURE)
    assert replace(found, model=replace(UNSURE, sure=found.likely)).sure
    assert not replace(found, model=replace(UNSURE, near=found.likely + 0.01)).near
    assert not replace(found, told=()).near  # nothing to tell


def test_no_blocks_hold_nothing():
    found = find(asked(QUESTION, "en", []), [], model=SURE)
    assert found.told == () and not found.near and not found.sure


def test_quotes_in_doubt_keep_the_order_of_the_search():
    pages = [block(1, "A goose came by."), block(2, "A duck came by.")]
    rated = rate(asked(QUESTION, "en", pages), pages, SURE)
    assert [each.quote.rank for each in chosen(rated, ROOM)] == [0, 1]


def beside(n, text, section, document="birds"):
    page = block(n, text, title="Birds", section=f"Birds > {section}")
    return replace(page, passage=replace(page.passage, document_id=document))


EQUALLY = by_rank(0.0)


@pytest.mark.parametrize("model", [EQUALLY, replace(EQUALLY, answer=Regression(0.0, {}), sure=0.6)])
def test_of_sections_side_by_side_the_one_that_is_named_is_told(model):
    heron = beside(1, "The heron does stand at the weir.", "Heron")
    goose = beside(2, "The goose does stand at the barn.", "Goose")
    other = beside(3, "The duck does stand on the lawn.", "Goose", document="ducks")
    assert texts(told(heron, goose, other, model=model)) == [heron.passage.text, other.passage.text]
    unnamed = told(heron, goose, model=model, question="Where does it stand?")
    assert texts(unnamed) == [heron.passage.text, goose.passage.text]


@pytest.mark.parametrize(
    ("question", "rank"),
    [
        ("Who is the night porter?", 1),
        ("Jo Lind's phone", 1),
        ("night porter email", 1),
        ("Who is the porter?", 0),  # no cell is named whole
        ("When is the night porter there?", 0),  # no cell has what is asked for
    ],
)
def test_a_row_that_holds_what_is_asked_of_a_cell_is_told_first_whatever_its_column_is_called(question, rank):
    page = block(1, "The night porter and Jo Lind have a phone and email on the porter's desk.")
    table = block(
        2, "| Name | Role | Line | Mail |\n|---|---|---|---|\n| Jo Lind | Night Porter | 07700 900 | jo@x.example |"
    )
    assert told(page, table, model=by_rank(-1.0), question=question).told[0].rank == rank


def test_what_speaks_of_the_question_in_a_file_that_came_with_it_is_told_first():
    page, sent = block(1, "The heron does stand here."), block(2, "A heron: 3.\n\nA goose: 4.")
    sent = replace(sent, passage=replace(sent.passage, collection=ATTACHED))
    found = told(page, sent, model=by_rank(-1.0), question="And the heron?")
    assert texts(found)[0] == "A heron: 3."
    assert texts(told(page, sent, model=by_rank(-1.0), question="Where is the duck?"))[0] == page.passage.text


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("What is the perch of the heron?", "table"),
        ("Where does the heron stand?", "text"),  # no column is named
        ("What is the perch of the duck?", "text"),  # no row is
    ],
)
def test_a_row_of_which_cell_and_column_are_named_is_told_first(question, first):
    page = block(1, "The heron and the duck have each a perch they stand on.")
    table = block(2, "| Bird | Perch |\n| --- | --- |\n| Heron | weir |\n| Goose | barn |")
    quote = told(page, table, model=by_rank(-1.0), question=question).told[0]
    assert quote.rank == ["text", "table"].index(first)
