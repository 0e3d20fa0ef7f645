"""How an answer is graded, and that a second draft acts on what the grade asks for."""

from dataclasses import replace

import pytest

from agent.packs.pack import Quality
from agent.packs.slots import ChoiceSpec, SlotSpec, Words
from agent.reasoning.rules import OfflineReasoner
from agent.reasoning.rules.answering import composition
from agent.types import Profile, QualityCheck, Remedy, Sentence, Support
from tests.contracts.reasoning import PACK, block, brief
from tests.likelihoods import BY_WORDS, NOTHING, SURE, UNSURE

REASONER = OfflineReasoner()
GOOD = QualityCheck(is_valid=True, score=1.0)
LEAVE = block(
    1,
    "Every employee receives 25 days of annual leave per calendar year. Annual leave is for rest. "
    "Sick leave is 10 paid days a year.",
    title="Leave",
)
STEPS = block(
    2,
    "## Requesting leave\n\n1. Open Workday.\n2. Choose the days off.\n"
    "3. Press Send. Your manager answers in two days.\n",
    title="Leave",
)
HANGUL = block(3, "연차휴가는 연 25일입니다. 병가는 연 10일입니다.", title="휴가", language="ko")


@pytest.fixture(autouse=True)
def by_words(weighed):
    weighed(BY_WORDS)


def quoted(of, text, lead=" "):
    start = of.passage.text.index(text)
    return Sentence(text=text, support=(Support(block=of.n, start=start, end=start + len(text)),), lead=lead)


async def graded(question, sentences, *blocks, grounding=GOOD, **more):
    return await REASONER.grade(sentences, brief(question, *blocks, **more), grounding)


async def written(given):
    return [sentence async for sentence in REASONER.compose(given)]


async def test_of_a_short_fact_the_evidence_alone_decides():
    said = [quoted(LEAVE, "Every employee receives 25 days of annual leave per calendar year.")]
    question = "How many days of annual leave does every employee receive?"
    grade = await graded(question, said, LEAVE, rarity={"mani": 0.0})  # it stands in every document
    assert grade.score == grade.evidence == 1.0 and grade.length is None and grade.personalization is None
    assert grade.check.is_valid and not grade.check.needs_retry


async def test_evidence_is_grounding_times_what_is_covered():
    said = [quoted(LEAVE, "Every employee receives 25 days of annual leave per calendar year.")]
    half = await graded("Annual leave days?", said, LEAVE, grounding=replace(GOOD, score=0.5))
    assert half.evidence == 0.5
    astray = await graded("How many days of annual leave may contractors in Lisbon sell?", said, LEAVE)
    assert astray.evidence < 0.6 < 1.0


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [
        ("Press Send.", 0.0, 0.3),
        ("Open Workday, choose the days off and press Send; your manager answers in two days.", 0.9, 1.0),
        ("Open Workday, choose the days and press Send. " * 60, 0.4, 0.7),
    ],
)
async def test_a_procedure_wants_more_words_than_a_fact_and_not_too_many(text, least, most):
    said = [Sentence(text=text, support=quoted(STEPS, "Press Send.").support)]
    grade = await graded("How do I request leave?", said, STEPS)
    assert grade.length is not None and least <= grade.length <= most


async def test_the_packs_weights_count_and_a_term_without_data_is_left_out():
    said = [Sentence(text="Press Send.", support=quoted(STEPS, "Press Send.").support)]
    lengthy = PACK.model_copy(update={"quality": Quality(length=1.0, evidence=0.0)})
    grade = await graded("How do I request leave?", said, STEPS, pack=lengthy)
    assert grade.score == grade.length
    plain = await graded("How do I request leave?", said, STEPS)
    assert plain.score == pytest.approx((0.3 * plain.length + 0.4 * plain.evidence) / 0.7, abs=1e-3)


OFFICE = SlotSpec(
    name="office", title=Words(en="Office", ko="사무실"), type="choice",
    choices=(ChoiceSpec(value="Seoul", names=("서울",)), ChoiceSpec(value="Lisbon")),
)  # fmt: skip
AGE = SlotSpec(name="age", title=Words(en="Age", ko="나이"), type="number", units={"years": 1})


async def test_an_answer_should_be_for_the_one_who_asks():
    pack = PACK.model_copy(update={"slots": (OFFICE, AGE)})
    blocks = (
        block(1, "The reception in Seoul opens at 08:30 on working days and closes late.", title="Offices"),
        block(2, "The reception in Berlin opens at 07:00 on working days and closes early.", title="Offices"),
    )
    asker = Profile(slots={"office": "Seoul", "age": 40})
    question = "Tell me about the reception"
    mine = await graded(question, [quoted(blocks[0], blocks[0].passage.text)], *blocks, pack=pack, profile=asker)
    other = await graded(question, [quoted(blocks[1], blocks[1].passage.text)], *blocks, pack=pack, profile=asker)
    assert (mine.personalization, other.personalization) == (1.0, 0.0) and mine.score > other.score
    elsewhere = Profile(slots={"office": "Lisbon"})  # no passage tells by it
    none = await graded(question, [quoted(blocks[0], blocks[0].passage.text)], *blocks, pack=pack, profile=elsewhere)
    assert none.personalization is None
    berlin = "Tell me about the reception of Lisbon"  # the question says otherwise
    assert (await graded(berlin, [quoted(blocks[1], "The reception in Berlin opens at 07:00")], *blocks, pack=pack,
                         profile=asker)).personalization is None  # fmt: skip


async def test_an_empty_draft_is_searched_for_again_and_not_written_again():
    grade = await graded("How many days?", [], LEAVE)
    assert grade.score == 0.0 and not grade.check.is_valid and not grade.check.needs_retry


# --- what another draft can do better ----------------------------------------------------------------


async def again(question, sentences, *blocks, **more):
    """Return the grade of a draft, the draft that the rules write on its suggestions, and the grade of that."""
    given = brief(question, *blocks, **more)
    grade = await REASONER.grade(sentences, given, GOOD)
    assert grade.check.needs_retry and not grade.check.is_valid
    second = await written(replace(given, suggestions=grade.check.suggestions))
    return grade, second, await REASONER.grade(second, given, GOOD)


async def test_a_part_without_a_sentence_is_asked_for():
    question = "How many days of annual leave do I get and how many paid days of sick leave are there?"
    other = block(7, "Sick leave is 10 paid days a year.", title="Illness")
    leave = block(1, "Every employee receives 25 days of annual leave per calendar year.", title="Leave")
    grade, second, better = await again(question, [quoted(leave, leave.passage.text)], leave, other)
    assert grade.check.suggestions == (Remedy("unanswered", "how many paid days of sick leave are there?"),)
    assert "10 paid days" in " ".join(each.text for each in second) and better.check.is_valid


async def test_a_part_that_no_quote_surely_answers_is_not_asked_for(weighed):
    weighed(UNSURE)
    question = "How many days of annual leave do I get and how many paid days of sick leave are there?"
    other = block(7, "Sick leave is 10 paid days a year.", title="Illness")
    leave = block(1, "Every employee receives 25 days of annual leave per calendar year.", title="Leave")
    assert (await graded(question, [quoted(leave, leave.passage.text)], leave, other)).check.is_valid


async def test_remarks_about_a_draft_change_nothing_of_what_the_rules_quote(weighed):
    weighed(SURE)
    asked = brief("How many days of annual leave per calendar year?", LEAVE, STEPS)
    told = await written(asked)
    remarks = tuple(Remedy("unsupported", each.text, "not in its source") for each in told)
    assert told and await written(replace(asked, suggestions=remarks)) == told


async def test_short_right_answers_are_not_written_again():
    for question, text in (
        ("How many days of annual leave per calendar year?", "Every employee receives 25 days of annual leave"),
        ("Is sick leave paid?", "Sick leave is 10 paid days a year."),
    ):
        grade = await graded(question, [quoted(LEAVE, text)], LEAVE, STEPS)
        assert grade.check.is_valid and grade.score >= PACK.quality.threshold


async def test_what_the_rules_write_needs_no_second_draft(weighed):
    weighed(SURE)
    for question in (
        "How many days of annual leave do I get and how do I request leave?",
        "How do I request leave?",
        "What is the difference between annual leave and sick leave?",
        "What is annual leave for?",
    ):
        given = brief(question, LEAVE, STEPS)
        sentences = await written(given)
        grade = await REASONER.grade(sentences, given, await REASONER.check_grounding(sentences, given))
        assert sentences and grade.check.is_valid


# --- how likely it holds the answer ------------------------------------------------------------------


async def test_confidence_is_how_likely_the_evidence_holds_the_answer():
    question = "How many days of annual leave per calendar year?"
    said = [quoted(LEAVE, "Every employee receives 25 days of annual leave per calendar year.")]
    (part,) = composition.answers(brief(question, LEAVE))
    grade = await graded(question, said, LEAVE)
    assert 0 < part.found.likely < 1 and grade.confidence == round(part.found.likely, 3)
    half = await graded(question, said, LEAVE, grounding=replace(GOOD, score=0.5))
    assert half.confidence == round(0.5 * part.found.likely, 3)


async def test_what_is_told_beside_an_unlikely_answer_counts_for_its_confidence(weighed):
    weighed(replace(UNSURE, wider=0.5))
    question = "How many days of annual leave per calendar year?"
    said = [quoted(LEAVE, "Every employee receives 25 days of annual leave per calendar year.")]
    (part,) = composition.answers(brief(question, LEAVE))
    grade = await graded(question, said, LEAVE)
    assert grade.confidence == round(part.found.confidence, 3) > part.found.likely


async def test_of_several_parts_the_least_likely_that_is_told_counts():
    question = "How many days of annual leave per calendar year and how much is the stock bonus?"
    said = [quoted(LEAVE, "Every employee receives 25 days of annual leave per calendar year.")]
    both = f"{question.split(' and ')[0]}? and is sick leave paid a year?"
    first = composition.answers(brief(question, LEAVE))
    assert [part.found.near for part in first] == [True, False]
    assert (await graded(question, said, LEAVE)).confidence == round(first[0].found.likely, 3)
    second = composition.answers(brief(both, LEAVE))
    assert all(part.found.near for part in second) and len(second) == 2
    assert (await graded(both, said, LEAVE)).confidence == round(min(part.found.likely for part in second), 3)


async def test_where_nothing_is_near_there_is_no_confidence(weighed):
    weighed(NOTHING)
    said = [quoted(LEAVE, "Annual leave is for rest.")]
    assert (await graded("What is annual leave for?", said, LEAVE)).confidence == 0.0


@pytest.mark.parametrize(
    ("text", "left"), [("Sick leave is 10 paid days a year.", 0), ("Annual leave is for rest.", 1)]
)
async def test_a_part_whose_words_all_stand_in_a_sentence_of_another_part_is_not_denied(text, left):
    question = "Is annual leave for rest, and how many days is sick leave?"
    said = replace(quoted(LEAVE, text), part="Is annual leave for rest?")
    assert len((await graded(question, [said], LEAVE)).unanswered) == left
