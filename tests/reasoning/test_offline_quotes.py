"""What is quoted together: runs of units, what leads to them, and what is cut out of a run that is too long."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.reasoning.rules.answering.passage_units import Shape
from agent.reasoning.rules.answering.quotes import AT_A_GLANCE, STEPS, WORDS, pieces_of, quotes_of, words_in
from agent.reasoning.rules.answering.weighted_question import asked
from agent.types import Category
from tests.contracts.reasoning import block

FILLER = "The garden has a bench, a pond and a path of grey stones that leads around it."


def quotes(text, question="Where is the heron?", **more):
    page = block(1, text, **more)
    return quotes_of(asked(question, "en", [page]), page, 0)


def texts(text, question="Where is the heron?", **more):
    return [quote.text for quote in quotes(text, question, **more)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two.\n\nThree.", ["One.\nTwo.", "Three."]),
        ("# House\n\nOne.\n\n## Garden\n\nTwo.", ["One.", "Two."]),
        ("- one\n- two\n\nThree.", ["- one\n- two", "Three."]),
        ("Bring these along:\n\n- one\n- two", ["Bring these along:\n- one\n- two"]),
        ("It is cold. Bring these along:\n\n- one\n- two", ["It is cold.\nBring these along:\n- one\n- two"]),
        ("다음과 같습니다.\n\n- 하나\n- 둘", ["다음과 같습니다.\n- 하나\n- 둘"]),
        ("It is cold. It is late.\n\n- one\n- two", ["It is cold.\nIt is late.", "- one\n- two"]),
        ("Run this. Then wait.\n\n```sh\nrun\n```", ["Run this.\nThen wait.\n```sh\nrun\n```"]),
        ("```sh\nrun\n```\n\n```sh\nwait\n```", ["```sh\nrun\n```", "```sh\nwait\n```"]),
        ("You leave by\n\n```\nexit\n```\n\nat the prompt.", ["You leave by\n```\nexit\n```\nat the prompt."]),
        ("Leave so:\n\n```\nexit\n```\n\nweft ends.", ["Leave so:\n```\nexit\n```", "weft ends."]),
        ("You leave by\n\n```\nexit\n```\n\nIt ends.", ["You leave by\n```\nexit\n```", "It ends."]),
        (
            "1. Tag:\n\n   ```\n   tag\n   ```\n\n2. Wait.\n\n   Long.\n\n3. Go.",
            ["1. Tag:\n```\n   tag\n   ```\n2. Wait.\nLong.\n3. Go."],
        ),
        ("1. One.\n\n```\nrun\n```\n\n2. Two.\n\nAfter.", ["1. One.\n```\nrun\n```\n2. Two.", "After."]),
        ("1. One.\n\nText.\n\n1. Else.", ["1. One.", "Text.\n1. Else."]),
        ("1. One.\n\n## Garden\n\n2. Two.", ["1. One.", "2. Two."]),
        ("- one\n\n  More of it.\n\nAfter.", ["- one\nMore of it.", "After."]),
        ("The rates:\n\n| a | b |\n|---|---|\n| 1 | 2 |", ["The rates:\n| a | b |\n| 1 | 2 |"]),
    ],
)
def test_what_belongs_together_is_one_quote(text, expected):
    assert texts(text) == expected


def test_a_quote_knows_its_shape_its_heading_and_its_block():
    listed, told = quotes("## Garden\n\nBring:\n\n- one\n- two\n\n## House\n\nOne. Two.")
    assert (listed.shape, listed.heading) == (Shape.ITEM, "## Garden")
    assert (told.shape, told.heading) == (Shape.SENTENCE, "## House")
    assert told.whole and told.rank == 0 and told.block.n == 1
    (code,) = quotes("pip install weft", category=Category.CODE)
    assert code.shape is Shape.CODE
    (within,) = quotes("You leave by\n\n```\nexit\n```\n\nat the prompt.")
    assert within.is_procedure


def test_the_sentence_that_speaks_most_of_the_question_is_known():
    (quote,) = quotes("The pond is deep. The heron stands at the pond. The bench is green.")
    assert quote.sentence == "The heron stands at the pond."


@pytest.mark.parametrize("lead", ["The heron eats this:", "왜가리(heron)가 먹는 것:"])
def test_code_too_long_for_a_quote_stays_with_the_sentence_that_leads_to_it(lead):
    code = "```\n" + "fish frog newt\n" * 25 + "```"
    assert texts(f"{lead}\n\n{code}") == [f"{lead}\n{code}"]
    (quote,) = quotes(f"{lead}\n\n" + code.replace("fish", "fish " * 9))
    assert quote.text == lead and quote.leads_on


def test_a_long_paragraph_is_cut_around_what_speaks_of_the_question():
    (quote,) = quotes(" ".join([FILLER] * 9 + ["The heron lives by the mill."] + [FILLER] * 9))
    assert not quote.whole and quote.sentence == "The heron lives by the mill."
    assert len(quote.units) > 1 and quote.size <= WORDS
    order = [unit.start for unit in quote.units]
    assert order == sorted(order) and len(quote.text) == order[-1] - order[0] + len(FILLER)  # neighbours, no gap


def test_of_a_long_list_the_lead_in_stays_with_what_was_asked_for():
    items = [f"- The animal number {n} is a goose that likes bread and water and corn" for n in range(20)]
    items[14] = "- The heron stands by the mill"
    (quote,) = quotes("\n".join(["These animals live here:", "", *items]))
    assert not quote.whole and quote.size <= WORDS
    assert (
        quote.text.startswith("These animals live here:\n") and items[14] in quote.text and items[2] not in quote.text
    )


@pytest.mark.parametrize("lead", ["", "The animals that live here are these:\n\n"])
def test_of_a_long_table_the_header_stays_with_the_row(lead):
    rows = [f"| Goose {n} | in the tall grass behind the old wooden barn | bread and corn |" for n in range(20)]
    rows[14] = "| Heron | by the mill | fish |"
    (quote,) = quotes("\n".join([f"{lead}| Animal | Place | Food |", "|---|---|---|", *rows]))
    assert not quote.whole and "| Animal | Place | Food |" in quote.text and rows[14] in quote.text
    assert rows[2] not in quote.text and quote.size <= WORDS


def test_steps_are_never_cut_for_who_asks_how_something_is_done():
    steps = [f"{n}. Turn the dial to the position {n} and wait for the small green lamp." for n in range(1, 15)]
    (quote,) = quotes("\n".join(steps), "How do I turn the dial?")
    assert quote.whole and WORDS < quote.size <= STEPS and len(quote.units) == 14


@pytest.mark.parametrize(
    ("question", "is_whole"),
    [
        ("How are the herons looked after?", True),
        ("Which rules are there for herons?", True),
        ("Who pays for a lost oar?", False),
        ("Is an oar covered by insurance?", False),
    ],
)
def test_a_long_list_of_clauses_is_cut_to_the_one_that_is_asked_about(question, is_whole):
    clauses = [
        f"{n}. In the year {n} the herons are left alone by everybody who walks around the pond." for n in range(1, 25)
    ]
    clauses[11] = "12. A lost oar is paid for by whoever had it last, and no insurance covers one."
    (quote,) = quotes("\n".join(clauses), question)
    assert quote.whole is is_whole and clauses[11] in quote.text
    assert is_whole or (quote.size <= WORDS and clauses[2] not in quote.text)


def test_steps_with_code_are_cut_nowhere_and_end_where_another_list_begins():
    steps = "\n\n".join(f"{n}. Do it {n} times:\n\n   ```sh\n   do {n}\n   ```" for n in range(1, 13))
    (quote, other) = quotes(f"{steps}\n\n1. Where the heron is.", "How is it done?")
    assert quote.whole and quote.is_procedure and len(quote.units) == 24
    assert other.text == "1. Where the heron is."


def test_a_sentence_alone_is_quoted_however_long_it_is():
    (quote,) = quotes(f"The heron {'and the goose ' * 60}came.")
    assert quote.whole is (quote.size <= WORDS) or len(quote.units) == 1
    assert quote.text.endswith("came.")


@given(st.text(alphabet="ab .\n#-*|`1)다:?", max_size=120))
def test_quotes_are_slices_in_order_and_leave_nothing_short_out(text):
    page = block(1, text)
    found = quotes_of(asked("a b?", "en", [page]), page, 0)
    units = [unit for quote in found for unit in quote.units]
    assert [unit.start for unit in units] == sorted({unit.start for unit in units})
    for quote in found:
        assert all(page.passage.text[unit.start : unit.end] in quote.text for unit in quote.units)
        assert quote.whole or words_in(quote.text) <= STEPS
        assert 0 <= quote.best < len(quote.units)


def test_the_line_below_a_title_is_no_text():
    assert texts("Vans\n====\n\n* one\n* two", section="Vans") == ["* one\n* two"]


@pytest.mark.parametrize("question", ["Where is the heron?", "How many rooms has the house?"])
def test_each_quote_is_cut_from_the_piece_of_its_number_whatever_is_asked(question):
    page = block(
        1, f"# House\n\nIt has 3 rooms.\n\n## Garden\n\n{FILLER * 9}\n\n- heron\n- pond", section="Guide > Places"
    )
    pieces = pieces_of(page.passage)
    cut = quotes_of(asked(question, "en", [page]), page, 0)
    assert [quote.piece for quote in cut] == list(range(len(pieces))) == [0, 1]
    for quote in cut:
        assert pieces[quote.piece].startswith("Places\n") and quote.heading in pieces[quote.piece]
        assert quote.text.split("\n")[0][:40] in pieces[quote.piece]


def test_a_list_right_below_its_text_belongs_to_it():
    page = block(1, "Kiln room\nEight people fit in.\n- Book two days before\n- Bring gloves\n\nOther text. More text.")
    first, *_ = quotes_of(asked("book the kiln room", "en", [page]), page, 0)
    assert first.text.startswith("Kiln room") and first.text.endswith("Bring gloves")


def test_of_a_long_table_all_rows_of_a_kind_are_quoted_wherever_they_stand():
    rows = [
        f"| course number {n} in the long hall | {'Monday' if n % 9 == 0 else 'Friday'} | teacher {n} |"
        for n in range(40)
    ]
    page = block(1, "\n".join(["| Course | Day | Teacher |", "|---|---|---|", *rows]))
    (quote,) = quotes_of(asked("which courses are on Monday", "en", [page]), page, 0)
    assert [row for row in rows if "Monday" in row] == [row for row in quote.text.splitlines() if "Monday" in row]


def test_who_asks_which_there_are_is_told_every_row_of_a_kind_of_a_long_table():
    rows = [
        f"| bird {n} | {'amber' if n % 3 == 0 else 'green'} | stands where it stood for {n} long winters |"
        for n in range(40)
    ]
    text = "\n".join(["| Bird | List | Place |", "| --- | --- | --- |", *rows])
    amber = [row for row in rows if "amber" in row]
    assert words_in("\n".join(amber)) > AT_A_GLANCE
    told = texts(text, "Which birds are amber?")[0]
    assert [line for line in told.splitlines() if "amber" in line] == amber
    assert len([line for line in texts(text, "How is an amber bird?")[0].splitlines() if "amber" in line]) < len(amber)


def test_fields_of_a_way_are_no_head_of_a_letter():
    letter = block(1, "From: Ann\nTo: all\nRe: Glaze\n\nThe glaze is in the shed.")
    way = block(2, "From: North pier\nTo: South pier\nLeaves at: 10:00\n\nBring a coat.")
    question = asked("when does it leave for the south pier", "en", [letter, way])
    heads = [quotes_of(question, page, 0)[0] for page in (letter, way)]
    assert [head.is_address for head in heads] == [True, False]
