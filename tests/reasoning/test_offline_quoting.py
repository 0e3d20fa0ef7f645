"""Quotes as Markdown: lists, tables, code and prose keep their form and their words."""

import pytest

from agent.reasoning.grounding.citation_support import check_sentence
from agent.reasoning.rules.answering import composition
from agent.reasoning.rules.answering.quote_markdown import CUT, LABEL, best_of, place_of, sentence_of
from agent.reasoning.rules.answering.quotes import quotes_of
from agent.reasoning.rules.answering.ranked_quotes import find
from agent.reasoning.rules.answering.readable import LONG
from agent.reasoning.rules.answering.weighted_question import asked
from tests.contracts.reasoning import block, brief

QUESTION = "Where does the heron stand?"


def quotes(text, question=QUESTION, **more):
    page = block(1, text, **more)
    return page, quotes_of(asked(question, "en", [page]), page, 0)


def told(text, question=QUESTION, n=0, **more):
    page, found = quotes(text, question, **more)
    sentence = sentence_of(found[n])
    assert check_sentence(sentence, [page]) == []
    return sentence.text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1. Wait.\n2. Look up.\n3. Go on.", "1. Wait.\n2. Look up.\n3. Go on."),
        ("7) Wait.\n8) Look up.", "7) Wait.\n8) Look up."),
        ("① 기다린다.\n② 본다.", "① 기다린다.\n② 본다."),
        ("가. 기다린다.\n나. 본다.", "가. 기다린다.\n나. 본다."),
        ("- 가. 기다린다.\n- 나. 본다.", "- 가. 기다린다.\n- 나. 본다."),
        ("1. 기다린다.\n2. ② 본다.", "1. 기다린다.\n2. ② 본다."),
        ("* wait\n* look up", "- wait\n- look up"),
        ("- wait\n  - quietly\n  - long\n- look up", "- wait\n  - quietly\n  - long\n- look up"),
        ("1. Wait.\n   1. Quietly.\n2. Look up.", "1. Wait.\n   1. Quietly.\n2. Look up."),
        ("Do this first:\n\n1. Wait.\n2. Look up.", "Do this first:\n\n1. Wait.\n2. Look up."),
    ],
)
def test_items_keep_their_numbers_and_their_depth(text, expected):
    assert told(text).replace("**", "") == expected


def test_the_circled_numbers_of_an_article_stay_in_its_prose():
    text = "제4조(두루미) ① 두루미는 물가에 선다. ② 거위는 마당에 선다. ③ 오리는 없다."
    assert told(text, "거위는 어디에 서?").replace("**", "") == text


def test_a_table_has_its_header_and_a_lead_in_stays_above_it():
    table = "| Bird | Place |\n|---|---|\n| Heron | mill |\n| Goose | barn |"
    shown = "| Bird | Place |\n| --- | --- |\n| **Heron** | **mill** |\n| Goose | barn |"
    assert told(table) == shown
    assert told(f"The places:\n\n{table}") == f"The places:\n\n{shown}"
    assert told("| Heron | mill |\n| Goose | barn |") == shown.replace("| Bird | Place |", "|  |  |")


@pytest.mark.parametrize(
    ("question", "bold"), [("May the heron stand 2 days?", True), ("May the heron stand 4 days?", False)]
)
def test_a_row_of_another_number_than_is_asked_about_is_not_in_bold(question, bold):
    rows = "| Heron may | Rule |\n| --- | --- |\n| stand up to 2 days | free |\n| sit longer | ask |"
    assert ("**free**" in told(rows, question)) is bold


LATE = "| Minutes late | Deducted |\n| --- | --- |\n| 1-10 | goose |\n| 11-30 | duck |\n| more than 30 | heron |"
TIERS = "| Sum | Signs |\n| --- | --- |\n| up to 10 euros | barn |\n| up to 100 euros | mill |"
SPENDING = "- 100만원 미만: 팀장\n- 100만원 이상 1,000만원 미만: 본부장\n- 1,000만원 이상: 대표이사"


@pytest.mark.parametrize(
    ("text", "question", "bold"),
    [
        (LATE, "I am 10 minutes late, what is deducted?", "goose"),
        (LATE, "I am 20 minutes late, what is deducted?", "duck"),
        (LATE, "I am 1 hour late, what is deducted?", "heron"),
        (LATE, "What is deducted?", ""),
        (TIERS, "Who signs 70 euros?", "mill"),
        (TIERS, "Who signs 7 euros?", "barn"),
        (TIERS, "Who signs 700 euros?", ""),
        (SPENDING, "300만원이면 누가 결재해?", "100만원 이상 1,000만원 미만: 본부장"),
        (SPENDING, "2천만원이면 누가 결재해?", "1,000만원 이상: 대표이사"),
    ],
)
def test_the_row_whose_range_has_the_amount_is_in_bold(text, question, bold):
    shown = told(text, question)
    assert (f"**{bold}**" in shown) if bold else ("**" not in shown)


RULES = "1. Boots are left at the door.\n2. A goose may be fed with corn.\n3. The mill closes at nine."


@pytest.mark.parametrize(
    ("question", "bold"),
    [
        ("When does the mill close?", "The mill closes at nine."),
        ("What is a goose fed with?", "A goose may be fed with corn."),
        ("How do I close the mill?", ""),  # steps are told all
        ("What about the barn?", ""),
    ],
)
def test_the_numbered_rule_that_answers_is_in_bold(question, bold):
    shown = told(RULES, question)
    assert (f"**{bold}**" in shown and shown.count("**") == 2) if bold else ("**" not in shown)


GLOSSARY = ("**Slip** – clay stirred with water.", "**Bisque** – what was fired once.", "- Cone: a piece that melts.")


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("What is a cone?", "Cone: a piece that melts."),
        ("what does bisque mean", "**Bisque**"),
        ("What is slip?", "**Slip**"),
        ("What is the price of slip?", ""),
        ("Where is the bisque?", ""),
    ],
)
def test_the_entry_that_explains_a_word_comes_before_what_speaks_of_it(question, first):
    spoken = " ".join(f"The {word} is told to be the meaning of all that we do." for word in ("cone", "bisque", "slip"))
    pages = (block(1, spoken), *(block(n, entry, title="Glossary") for n, entry in enumerate(GLOSSARY, start=2)))
    best = find(asked(question, "en", pages), pages).rated[0].quote
    assert first in best.text and (best.block.n > 1) is bool(first)


def test_a_paragraph_that_comes_first_is_told_whole_where_it_is_short():
    first = "Those under five go free, with a ticket all the same."
    other = "Between five and fifteen the fare of children is paid at the desk of the pier before the boat leaves."
    more = "Who is under twelve sails with somebody of sixteen or more, on each of the lines and on each of the boats."
    more += " Those from twelve to fifteen may sail alone on the short line with the signed form of a parent."
    short, long = (" ".join([first, other, more, *[more] * times]) for times in (0, 2))
    question = "Who may sail alone on the short line?"
    for text, whole in ((short, True), (long, False)):
        answer = "".join(each.text for each in composition.compose(brief(question, block(1, text))))
        assert (first in answer) is whole and (CUT in answer) is not whole


def test_in_a_thread_the_row_that_the_message_names_is_in_bold_and_not_the_one_before():
    table = "| Bird | Place |\n| --- | --- |\n| Grey heron | old mill |\n| Goose | barn |"
    assert "**Goose**" in told(table, "and the goose? (grey heron old mill)")
    assert "**Grey heron**" in told(table, "since when? (grey heron old mill)")


FLIGHTS = """| Bird | Flight | Eggs | Fee (EUR) | Ringed |
| --- | --- | --- | --- | --- |
| Heron | 3 weeks | 4 | 12 | mill |
| Goose | 40 days | 6 | 8 | mill |
| Duck | 9 hours | 9 | 10 | barn |"""


@pytest.mark.parametrize(
    ("question", "bold"),
    [
        ("Which bird has the longest flight?", "Goose"),
        ("어느 새의 flight가 제일 짧아?", "Duck"),
        ("Which has the fewest eggs?", "Heron"),
        ("Which of those ringed at the mill has the most eggs?", "Goose"),
        ("Which bird is the cheapest?", "Goose"),
        ("Which bird is the oldest?", ""),
        ("Which birds have eggs?", ""),
        ("Do most of the birds have eggs?", ""),
    ],
)
def test_the_row_that_has_most_of_a_column_is_in_bold(question, bold):
    shown = told(FLIGHTS, question)
    assert (f"**{bold}**" in shown) if bold else ("**" not in shown)


def test_of_a_table_that_may_go_on_elsewhere_no_row_has_most():
    assert "**" not in told(f"{FLIGHTS}\n{'| Swan | 1 day | 5 | sea |' * 250}", "Which bird has the longest flight?")


def test_figures_of_different_kinds_are_not_compared():
    assert "**" not in told(FLIGHTS.replace("9 hours", "9 miles"), "Which bird has the longest flight?")


def test_a_number_in_the_name_of_a_column_is_no_unit_of_its_cells():
    table = "| To | Up to 20 kg | Pallet |\n| --- | --- | --- |\n| the mill | 6 | 45 |\n| the barn | 7 | 60 |"
    assert "**the barn**" in told(table, "How much is 20 kg to the barn?")


def test_of_rows_that_say_as_much_of_the_question_none_is_in_bold():
    table = "| Bird | Place |\n| --- | --- |\n| Heron | mill |\n| Heron | barn |"
    assert told(table) == table


def test_a_long_table_is_told_whole_to_who_asks_which_of_its_rows_are_meant():
    rows = "\n".join(f"| heron {n} | weighs {n}0 now | {n}5 are the least | mill |" for n in range(1, 17))
    table = f"| Heron | Weight | Least weight | Place |\n| --- | --- | --- | --- |\n{rows}"
    assert told(table, "Which herons are below the least weight?").count("mill") == 16
    assert told(table).count("mill") < 16


def test_of_sentences_that_say_as_much_of_the_question_none_is_in_bold():
    text = "The heron is called at noon. Whoever comes first calls the heron. It eats alone, at the mill."
    assert told(text, "Where does it eat?").endswith("**It eats alone, at the mill.**")
    assert told(text, "Tell me of the heron") == text


def test_code_is_fenced_below_its_text():
    text = "Call the heron. Then wait:\n\n```sh\ncall heron\n```"
    assert told(text) == "Call the heron. Then wait:\n\n```sh\ncall heron\n```"


def test_code_that_stood_in_a_list_is_fenced_as_deep_as_it_begins():
    text = "* Call the heron. Then wait:\n\n    ```sh\n    call heron\n      --twice\n    ```"
    assert told(text).endswith("```sh\ncall heron\n  --twice\n```")


def test_bars_within_brackets_and_tabs_before_a_line_make_no_table():
    usage = "heron call [-p | --patch] [-S | --slow] [-k | --[no-]keep]\n   [-u | --under] [-a | --all] [<place>]"
    assert told(usage) == " ".join(usage.split())
    assert "---" not in told("\tThe heron stands where it is\n\tcalled.")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A goose came. The heron stands here.", "A goose came. **The heron stands here.**"),
        ("The heron stands here.", "The heron stands here."),
        ("A goose came. The **heron** stands here.", "A goose came. **The heron stands here.**"),
        ("*A goose came. The heron stands here.*", "*A goose came. The heron stands here.*"),
        ("A goose came. The `heron` stands here.", "A goose came. The `heron` stands here."),
        (
            "A goose came. The heron stands [here](https://x.example/a).",
            "A goose came. The heron stands [here](https://x.example/a).",
        ),
        ("- A goose came\n- The heron stands here", "- A goose came\n- **The heron stands here**"),
        ("- The heron stands here", "- The heron stands here"),
    ],
)
def test_of_several_sentences_the_one_that_answers_is_bold(text, expected):
    assert told(text) == expected


def test_a_very_long_sentence_is_not_bold():
    long = f"The heron stands here {'and there ' * (LONG // 10)}too."
    page, (quote,) = quotes(f"A goose came. {long}")
    assert long in " ".join(page.passage.text.split()) and "**" not in sentence_of(quote).text


def test_what_was_cut_out_is_not_cited():
    rows = [f"| Goose {n} | in the tall grass behind the old wooden barn | bread and corn |" for n in range(20)]
    page, (quote,) = quotes("\n".join(["| Bird | Place | Food |", "|---|---|---|", *rows, "| Heron | mill | fish |"]))
    sentence = sentence_of(quote)
    cited = [page.passage.text[place.start : place.end] for place in sentence.support]
    assert cited[0] == "| Bird | Place | Food |" and cited[-1].endswith("| Heron | mill | fish |")
    assert not any(rows[0] in text for text in cited) and check_sentence(sentence, [page]) == []


@pytest.mark.parametrize(("at", "before", "after"), [(0, False, True), (9, True, True), (18, True, False)])
def test_where_a_paragraph_was_cut_it_says_so(at, before, after):
    said = ["A goose came by in the long grass behind the barn."] * 18
    text = told(" ".join([*said[:at], "The heron stands here.", *said[at:]]))
    assert "The heron stands here." in text
    assert (text.startswith(f"{CUT} "), text.endswith(f" {CUT}")) == (before, after)


@pytest.mark.parametrize(("at", "before", "after"), [(0, False, True), (9, True, True), (18, True, False)])
def test_where_a_list_was_cut_it_says_so_apart_from_the_items(at, before, after):
    items = [f"- The animal number {n} is a goose that likes bread and corn" for n in range(18)]
    lines = told("\n".join([*items[:at], "- The heron stands here", *items[at:]])).split("\n\n")
    assert (lines[0] == CUT, lines[-1] == CUT) == (before, after)
    assert len(lines) == 1 + before + after


@pytest.mark.parametrize(("at", "above", "below"), [(0, False, True), (10, True, True), (20, True, False)])
def test_where_a_table_was_cut_it_says_so_above_or_below(at, above, below):
    rows = [f"| Goose {n} | in the tall grass behind the old wooden barn | bread and corn |" for n in range(20)]
    rows.insert(at, "| Heron | stand | fish |")
    text = told("\n".join(["| Bird | Place | Food |", "|---|---|---|", *rows]))
    assert "| Bird | Place | Food |" in text and "| **Heron** | **stand** | **fish** |" in text
    assert (text.startswith(f"{CUT}\n"), text.endswith(f"\n{CUT}")) == (above, below)


def test_what_was_not_cut_has_no_mark():
    assert CUT not in told("A goose came. The heron stands here.")


def test_a_quote_that_was_not_cut_is_cited_as_one_place():
    page, (quote,) = quotes("Bring these along:\n\n- one\n- two")
    (place,) = sentence_of(quote).support
    assert page.passage.text[place.start : place.end] == page.passage.text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A goose came. The heron does stand here.", "The heron does stand here."),
        ("| Bird | Place |\n|---|---|\n| Goose | barn |\n| Heron | mill |", "Bird: Heron; Place: mill"),
        ("| Where birds stand | Place |\n|---|---|\n| Goose | barn |\n| Heron | mill |",
         "Where birds stand: Heron; Place: mill"),
        ("1. A goose came.\n2. The heron does stand here.", "The heron does stand here."),
        ("```sh\nheron stand\n```", "```sh\nheron stand\n```"),
    ],
)  # fmt: skip
def test_the_one_sentence_that_answers(text, expected):
    page, (quote,) = quotes(text)
    best = best_of(quote)
    assert best.text == expected and check_sentence(best, [page]) == []


@pytest.mark.parametrize(
    ("title", "section", "expected"),
    [
        ("Leave", "Leave > Annual leave", "Leave › Annual leave"),
        ("Leave", "## Annual leave", "Leave › Annual leave"),
        ("Leave", "Leave", "Leave"),
        ("Leave", "", "Leave"),
        ("", "", "d1"),
        ("A" * 100, "", "A" * (LABEL - 1) + "…"),
    ],
)
def test_the_name_of_a_place(title, section, expected):
    assert place_of(block(1, "x", title=title, section=section).passage) == expected


def test_where_the_name_of_a_place_is_long_its_section_keeps_the_greater_part():
    passage = block(
        1,
        "x",
        title="Rowing — all that a club which has boats must know of oars and of the water",
        section=f"Boats > rowed(boat, oars, {'x ' * 60})",
    )
    place = place_of(passage.passage)
    assert place.startswith("Rowing — ") and " › rowed(boat, oars," in place and len(place) <= LABEL


@pytest.mark.parametrize(
    ("text", "is_head"),
    [
        ("Heron Ltd   Doc OP-014   Rev 6   Owner: Luka", True),
        ("사외비 / v3.1 / 2025년 상반기 / 총무팀", True),
        ("개정 2025. 1. 10.   시행 2025. 2. 1.   담당 총무팀   ※ 예전 규정은 폐지함", True),
        ("The heron stands in the pond, and/or beside it.", False),
        ("Boats  by the 25th  ->  by the 20th\nOars  by the 27th  ->  by the 23rd\n" * 2, False),
        ("| Bird | Place | Since |\n| --- | --- | --- |\n| Heron | Pond | 2020 |", False),
    ],
)
def test_the_head_of_a_document_is_known_by_its_fields(text, is_head):
    _, found = quotes(text)
    assert [quote.is_letterhead for quote in found] == [is_head] * len(found)
    _, later = quotes(text, position=3)
    assert not any(quote.is_letterhead for quote in later)


def test_the_head_of_a_document_is_told_to_who_asks_for_it_alone():
    head = block(1, "Heron Ltd   Doc OP-014   Rev 6   Owner: Luka Brandt", title="Pond care")
    text = block(2, "The pond is cleaned on Mondays.", title="Pond care", section="Pond care > Cleaning", position=1)

    def said(question):
        return " ".join(quote.text for quote in find(asked(question, "en", [head, text]), [head, text]).told)

    assert "OP-014" not in said("When is the pond cleaned?")
    assert "OP-014" in said("Who is the owner of doc OP-014?")


def test_the_sentence_in_bold_has_the_value_that_is_asked_for_and_more_than_the_heading():
    text = "The kiln is fired by the heron. The kiln is fired from 9 to 5."
    assert "**The kiln is fired from 9 to 5.**" in told(text, "When is the kiln fired?", section="Pots > Kiln")
    assert "**The kiln is fired by the heron.**" in told(text, "Is the kiln fired by a heron?", section="Pots > Kiln")
    text = "Kilns are kilns, and every kiln is one. Glazes are free."
    assert "**Glazes are free.**" in told(text, "Are glazes for the kiln free?", section="Pots > Kiln")


def test_a_small_table_is_whole():
    rows = "\n".join(
        f"| {letter} | a long street with more than seven words | {n} |" for n, letter in enumerate("ABCDEFG", start=4)
    )
    _, found = quotes(f"| Route | Where it goes | Hour |\n| --- | --- | --- |\n{rows}", "When does route F leave?")
    assert found[0].whole and found[0].size > 60


def test_what_only_repeats_the_title_of_its_document_is_not_told():
    page = block(1, "Minutes of the harbour meeting", title="Minutes of the harbour meeting")
    other = block(2, "Minutes of the harbour meeting", title="Harbour")
    assert find(asked("Which harbour meeting?", "en", [page]), [page]).told == ()
    assert find(asked("Which harbour meeting?", "en", [other]), [other]).told
