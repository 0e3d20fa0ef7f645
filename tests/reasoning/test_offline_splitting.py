"""When the evidence splits over things that the question does not choose between, and when it does not."""

from dataclasses import replace

import pytest

from agent.reasoning.contract import Brief
from agent.reasoning.rules import OfflineReasoner
from agent.reasoning.rules.fitted.logistic_regression import Regression
from agent.retrieval.pack import narrowed
from agent.types import Intent, Understood
from tests.contracts.reasoning import PACK, block
from tests.likelihoods import BY_WORDS, NOTHING, SURE, by_number, by_rank


@pytest.fixture(autouse=True)
def by_words(weighed):
    weighed(BY_WORDS)


async def split(text: str, *blocks, language="en", pack=PACK):
    understood = Understood(
        question=text, language=language, intent=Intent(name="question", confidence=1.0), route="research"
    )
    return await OfflineReasoner().clarify(
        understood, Brief(question=text, language=language, pack=pack, blocks=blocks)
    )


def labels(found) -> list[str]:
    return [choice.label for choice in found.choices] if found else []


EMPLOYEES = block(1, "The notice period is 30 days.", title="Employee handbook", section="Notice period")
CONTRACTORS = block(2, "The notice period is 14 days.", title="Contractor guide", section="Notice period")
WINDOWS = block(1, "Open Settings and add the VPN profile.", title="VPN setup (Windows)", section="Install")
MAC = block(2, "Import the VPN profile in System Preferences.", title="VPN setup (macOS)", section="Install")


async def test_guides_that_answer_otherwise_are_offered_with_their_documents():
    found = await split("What is the notice period?", EMPLOYEES, CONTRACTORS)
    assert labels(found) == ["Employee handbook", "Contractor guide"]
    assert [choice.documents for choice in found.choices] == [("d1",), ("d2",)] and found.question


async def test_products_by_the_same_guide_are_offered(weighed):
    weighed(by_rank(-0.1))
    assert labels(await split("How do I set up the VPN?", WINDOWS, MAC)) == ["VPN setup (Windows)", "VPN setup (macOS)"]


async def test_sections_of_one_document_are_offered():
    berlin = block(1, "Desks are booked 3 days ahead.", title="Desks", section="Desk booking > Booking in Berlin")
    seoul = block(2, "Desks are booked 7 days ahead.", title="Desks", section="Desk booking > Booking in Seoul")
    found = await split("How many days ahead are desks booked?", berlin, seoul)
    assert labels(found) == ["Booking in Berlin", "Booking in Seoul"]


GAS = block(1, "1. Open the valve.\n2. Light the burner.", title="Fire the kiln", section="Fire the kiln > Gas")
ELECTRIC = block(
    2, "1. Switch the fuse on.\n2. Press start.", title="Fire the kiln", section="Fire the kiln > Electric"
)
STORY = block(3, "To fire a kiln is an old art.", title="Fire the kiln", section="Fire the kiln > History")


@pytest.mark.parametrize(
    ("question", "blocks", "expected"),
    [
        ("How do I fire the kiln?", (GAS, ELECTRIC, STORY), ["Gas", "Electric"]),
        ("How do I fire the gas kiln?", (GAS, ELECTRIC, STORY), []),  # it names the way
        ("Who may fire the kiln?", (GAS, ELECTRIC, STORY), []),  # asks for no way
        ("How do I get glaze off the kiln?", (GAS, ELECTRIC, STORY), []),  # the headings above are of something else
    ],
)
async def test_ways_to_do_what_is_asked_are_offered_however_likely(weighed, question, blocks, expected):
    blocks = [replace(each, passage=replace(each.passage, document_id="kiln")) for each in blocks]
    weighed(by_rank(-2.0))
    found = await split(question, *blocks)
    assert labels(found) == expected and (found is None or not found.first)


async def test_what_is_told_of_one_way_leaves_out_the_others(weighed):
    weighed(by_rank(-2.0))
    same = [replace(each, passage=replace(each.passage, document_id="kiln")) for each in (GAS, ELECTRIC, STORY)]
    found = await split("How do I fire the kiln?", *same)
    left = narrowed(same, found.choices[0], found.choices)
    assert [each.passage.section.rpartition(" > ")[2] for each in left] == ["Gas", "History"]


async def test_a_section_is_left_out_by_where_it_stands_and_not_by_its_clipped_name(weighed):
    weighed(by_rank(-2.0))
    long = "Electric, with a controller older than the workshop, as long as its door still closes well enough"
    blocks = [
        replace(each, passage=replace(each.passage, document_id="kiln", section=f"Fire the kiln > {section}"))
        for each, section in ((GAS, "Gas"), (ELECTRIC, long), (STORY, f"{long} > History"), (STORY, "History"))
    ]
    found = await split("How do I fire the kiln?", *blocks)
    assert labels(found)[1].endswith("…")
    left = narrowed(blocks, found.choices[0], found.choices)
    assert [each.passage.innermost for each in left] == ["Gas", "History"]


async def test_korean_versions_are_offered_newest_first(weighed):
    weighed(SURE)
    old = block(1, "연차는 15일입니다.", title="휴가 규정 2023", section="연차")
    new = block(2, "연차는 16일입니다.", title="휴가 규정 2024", section="연차")
    found = await split("연차는 며칠인가요?", old, new, language="ko")
    assert labels(found) == ["휴가 규정 2024", "휴가 규정 2023"]
    assert "어느" in found.question


async def test_versions_with_dates_are_offered_by_these(weighed):
    weighed(SURE)
    old = block(1, "연차는 15일입니다.", title="휴가 규정 (2022년 5월 1일 시행)", section="연차", date="2022-05-01")
    new = block(2, "연차는 16일입니다.", title="3단지 휴가 규정", section="연차", date="2026-03-01")
    found = await split("연차는 며칠인가요?", old, new, language="ko")
    assert labels(found) == ["3단지 휴가 규정", "휴가 규정 (2022년 5월 1일 시행)"]


async def test_letters_tell_products_apart(weighed):
    weighed(SURE)
    a = block(1, "환불 기간은 구매 후 7일입니다.", title="제품 A 안내", section="환불")
    b = block(2, "환불 기간은 구매 후 14일입니다.", title="제품 B 안내", section="환불")
    assert labels(await split("환불 기간은 얼마나 되나요?", a, b, language="ko")) == ["제품 A 안내", "제품 B 안내"]
    assert await split("제품 B 환불 기간은 얼마나 되나요?", a, b, language="ko") is None


@pytest.mark.parametrize(
    ("text", "blocks"),
    [
        ("What is the notice period for contractors?", (EMPLOYEES, CONTRACTORS)),
        ("How do I set up the VPN on macOS?", (WINDOWS, MAC)),
        ("What are the notice periods of employees and of contractors?", (EMPLOYEES, CONTRACTORS)),
        ("What is the notice period in each guide?", (EMPLOYEES, CONTRACTORS)),
        ("How do the notice periods differ?", (EMPLOYEES, CONTRACTORS)),
        ("What is the notice period?", (EMPLOYEES,)),
        ("Who wrote the song of the whale?", (EMPLOYEES, CONTRACTORS)),
    ],
)
async def test_nobody_is_asked_back_who_chose_or_wants_all_or_gets_no_answer(text, blocks):
    assert await split(text, *blocks) is None


async def test_two_documents_that_say_the_same_are_no_choice():
    again = block(2, "The notice period is 30 days for everybody.", title="Contractor guide", section="Notice period")
    assert await split("What is the notice period?", EMPLOYEES, again) is None


async def test_a_passage_that_answers_less_well_is_no_choice():
    other = block(2, "A period of rest follows 5 days of work.", title="Contractor guide", section="Notice")
    assert await split("What is the notice period?", EMPLOYEES, other) is None


async def test_at_most_four_are_offered_and_long_titles_fit_a_button():
    blocks = [
        block(n, f"The notice period is {n * 10} days.", title=f"{name} guide {'of the house ' * 8}", section="Notice")
        for n, name in enumerate(("Office", "Factory", "Shop", "Depot", "Harbour", "Airport"), start=1)
    ]
    found = await split("What is the notice period?", *blocks)
    assert len(found.choices) == 4 and all(len(choice.label) <= 70 for choice in found.choices)


async def test_a_pack_may_switch_it_off():
    flags = PACK.flags.model_copy(update={"clarification_enabled": False})
    assert (
        await split("What is the notice period?", EMPLOYEES, CONTRACTORS, pack=PACK.model_copy(update={"flags": flags}))
        is None
    )


async def test_what_is_to_be_written_or_charted_is_not_asked_back_about():
    assert await split("Chart the trend of the notice period", EMPLOYEES, CONTRACTORS) is None
    found = await split("What is the notice period? Chart the trend of resignations.", EMPLOYEES, CONTRACTORS)
    assert labels(found) == ["Employee handbook", "Contractor guide"]


async def test_two_questions_of_one_message_and_comparisons_are_not_asked_back_about():
    assert await split("Compare the notice period with the probation", EMPLOYEES, CONTRACTORS) is None
    assert await split("How long are both the notice period and probation?", EMPLOYEES, CONTRACTORS) is None


# --- asked first, or answered and offered besides -----------------------------------------------------


VAGUE = block(2, "The notice period is short.", title="Contractor guide", section="Notice period")
QUESTION = "How many days is the notice period?"


@pytest.mark.parametrize(
    ("weight", "first"),
    [(0.0, True), (0.1, True), (0.5, False), (5.0, None)],
)
async def test_only_where_things_are_about_equally_likely_somebody_is_asked_first(weighed, weight, first):
    weighed(by_number(weight))
    found = await split(QUESTION, EMPLOYEES, VAGUE)
    assert (found.first if found else None) is first
    assert labels(found) == (["Employee handbook", "Contractor guide"] if found else [])


async def test_nobody_is_asked_first_for_what_may_be_no_answer(weighed):
    weighed(replace(by_rank(0.0), answer=Regression(0.0, {}), sure=0.6))
    found = await split("What is the notice period?", EMPLOYEES, CONTRACTORS)
    assert labels(found) == ["Employee handbook", "Contractor guide"] and not found.first


async def test_the_likeliest_is_the_first_of_the_choices_wherever_it_was_found(weighed):
    weighed(by_number(0.5))
    found = await split(QUESTION, replace(VAGUE, n=1), replace(EMPLOYEES, n=2))
    assert labels(found) == ["Employee handbook", "Contractor guide"] and not found.first


async def test_nothing_is_assumed_of_which_alone_nothing_would_be_told(weighed):
    by_both = replace(by_number(0.5), answer=Regression(2.0, {"second": 1.0}))  # near with the other, and not without
    weighed(by_both)
    assert await split(QUESTION, EMPLOYEES, VAGUE) is None
    weighed(replace(by_both, near=0.1))
    assert labels(await split(QUESTION, EMPLOYEES, VAGUE)) == ["Employee handbook", "Contractor guide"]


async def test_which_of_two_alike_was_found_first_is_no_reason_to_assume_it(weighed):
    weighed(by_rank(-1.0))
    found = await split(QUESTION, EMPLOYEES, CONTRACTORS)
    assert found.first and labels(found) == ["Employee handbook", "Contractor guide"]


async def test_where_nothing_is_near_there_is_nothing_to_choose(weighed):
    weighed(NOTHING)
    assert await split(QUESTION, EMPLOYEES, CONTRACTORS) is None


async def test_who_names_a_thing_is_neither_asked_nor_offered_another(weighed):
    weighed(by_number(0.5))
    assert await split(QUESTION, EMPLOYEES, VAGUE) is not None
    assert await split("How many days is the notice period for contractors?", EMPLOYEES, VAGUE) is None


async def test_between_versions_of_one_document_nobody_is_asked_first(weighed):
    weighed(by_rank(0.0))
    old, new = (
        replace(each, passage=replace(each.passage, title=f"Leave rules (version {n})", date=f"{2020 + n}-01-01"))
        for n, each in enumerate((EMPLOYEES, CONTRACTORS), start=1)
    )
    found = await split("What is the notice period?", old, new)
    assert labels(found) == ["Leave rules (version 2)", "Leave rules (version 1)"] and not found.first
