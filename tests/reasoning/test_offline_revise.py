"""The answer before, written otherwise, from the passages that it cites."""

from dataclasses import replace

import pytest

from agent.citing import written
from agent.language import say
from agent.reasoning.rules import OfflineReasoner
from agent.types import FollowUp, Preferences, Profile, TurnRecord
from tests.contracts.reasoning import block, brief
from tests.likelihoods import NOTHING, SURE, UNSURE

LEAVE = block(
    1,
    "Everybody has 25 days of annual leave a year. "
    "Leave must be requested two weeks ahead so that shifts can be planned. Up to 5 days are carried over.",
    title="Leave policy",
    section="Annual leave",
)
SICK = block(2, "Sick leave needs a certificate after 3 days.\nReport it to your lead.", title="Sick leave")
ANSWER = (
    "Everybody has 25 days of annual leave a year. [1]\n"
    "- Up to 5 days are carried over. [1]\n"
    "- Sick leave needs a certificate after 3 days. [2]"
)


@pytest.fixture(autouse=True)
def sure(weighed):
    weighed(SURE)


def answered(answer: str = ANSWER, evidence=("c\td1#0", "c\td2#0"), question="How many days of annual leave do I get?"):
    return TurnRecord(
        turn_id="t",
        message_id="m",
        asked_by="U1",
        question=question,
        standalone=question,
        answer=answer,
        route="research",
        at=1.0,
        evidence=evidence,
    )


async def revised(kind: str, *blocks, turn=None, language="en", **more) -> str:
    given = brief(
        "that",
        *(blocks or (LEAVE, SICK)),
        turns=(turn or answered(),),
        followup=FollowUp(kind=kind, **more),
        language=language,
    )
    reasoner = OfflineReasoner()
    sentences = [sentence async for sentence in reasoner.compose(given)]
    assert await reasoner.holds(given) == bool(sentences)
    check = await reasoner.check_grounding(sentences, given)
    assert check.is_valid, check.reason
    return written(sentences, given.blocks)[0]


async def test_shorter_is_the_first_point():
    assert await revised("shorter") == "Everybody has 25 days of annual leave a year. [1]"


STEPS = block(
    1,
    "## How to apply\n\n1. Talk to your lead. Best three months before.\n2. Send form HR-12 at least 30 days before "
    "the leave. In an emergency 7 days are enough.\n3. Attach the certificate.",
    title="Parental leave",
    section="How to apply",
)


async def test_shorter_is_of_what_was_cited_first():
    turn = answered("Sick leave needs a certificate after 3 days. [1]", ("c\td2#0", "c\td1#0"))
    assert await revised("shorter", turn=turn) == "Sick leave needs a certificate after 3 days. [1]"


async def test_a_point_whose_bold_is_cut_ends_it():
    page = block(1, "- **Stop the pump. Then turn it.**\n- Wait for the pump. Go home.", title="Pump")
    told = await revised("shorter", page, turn=answered(page.passage.text, ("c\td1#0",), "how do I stop the pump?"))
    assert "- **Stop the pump.**" in told


async def test_a_shorter_procedure_keeps_every_step():
    whole = (
        "**How to apply**\n1. Talk to your lead. Best three months before.\n2. Send form HR-12 at least 30 days before "
        "the leave. In an emergency 7 days are enough.\n3. Attach the certificate. [1]"
    )
    expected = (
        "1. Talk to your lead.\n2. Send form HR-12 at least 30 days before the leave.\n3. Attach the certificate. [1]"
    )
    for told in (whole, whole.removeprefix("**How to apply**\n")):
        turn = answered(told, ("c\td1#0",), question="How do I apply for leave?")
        assert await revised("shorter", STEPS, turn=turn) == expected


async def test_who_wants_it_short_still_gets_every_step():
    asked = brief("How do I apply for parental leave?", STEPS, profile=Profile(preferences=Preferences(length="short")))
    (told,) = [sentence async for sentence in OfflineReasoner().compose(asked)]
    assert told.text.startswith("1. Talk to your lead.") and "\n2. Send form HR-12" in told.text
    assert told.text.endswith("\n3. Attach the certificate.")


async def test_a_point_of_a_list_that_is_cited_as_one():
    whole = (
        "**How to apply**\n1. Talk to your lead.\n2. Send form HR-12 at least 30 days before the leave.\n"
        "3. Attach the certificate. [1]"
    )
    for point, told in ((1, "Talk to your lead."), (2, "Send form HR-12"), (-1, "Attach the certificate.")):
        answer = await revised("point", STEPS, turn=answered(whole, ("c\td1#0",)), point=point)
        assert answer.startswith(told) and answer.count("\n1.") == 0
    assert await revised("point", STEPS, turn=answered(whole, ("c\td1#0",)), point=4) == ""


async def test_a_long_list_that_is_cited_as_one_is_found_again():
    told = [
        f"Step {name}: ask the {name} desk for its stamp." for name in ("alpha", "bravo", "coral", "delta", "ember")
    ]
    steps = block(1, "\n".join(f"{n}. {line}" for n, line in enumerate(told, start=1)), title="Stamps")
    whole = "\n".join(f"{n}. {line}" for n, line in enumerate(told, start=1)) + " [1]"
    turn = answered(whole, ("c\td1#0",), "How do I get the stamps?")
    assert await revised("repeat", steps, turn=turn) == whole
    assert (await revised("point", steps, turn=turn, point=3)).startswith("Step coral")
    gone = block(1, "Nobody needs this any more since the new rules.", title="Stamps")
    assert await revised("repeat", gone, turn=turn) == ""


async def test_the_second_of_one_statement_is_no_point_of_it():
    turn = answered("Everybody has 25 days of annual leave a year. [1]", ("c\td1#0",))
    assert await revised("point", turn=turn, point=2) == await revised("point", turn=turn, point=-1) == ""


async def test_again():
    assert await revised("repeat") == ANSWER


async def test_a_list():
    assert (await revised("list")).splitlines() == [
        "- Everybody has 25 days of annual leave a year. [1]",
        "- Up to 5 days are carried over. [1]",
        "- Sick leave needs a certificate after 3 days. [2]",
    ]


async def test_a_table_beside_its_sources_or_by_its_own_labels():
    lines = (await revised("table")).splitlines()
    assert (
        lines[0] == "| What | Where |"
        and lines[2] == "| Everybody has 25 days of annual leave a year. | Leave policy |"
    )
    assert lines[-1] == "[1][2]"
    rates = block(1, "Berlin: 40 euros a day\nSeoul: 60 euros a day", title="Rates")
    turn = answered("- Berlin: 40 euros a day [1]\n- Seoul: 60 euros a day [1]", ("c\td1#0",))
    lines = (await revised("table", rates, turn=turn)).splitlines()
    assert lines[2:4] == ["| Berlin | 40 euros a day |", "| Seoul | 60 euros a day |"]


BORROWING = block(
    1,
    "A lost score costs 9 euros.\n\nTo borrow a score:\n1. Find it in the register.\n2. Write your name.\n3. Show it.",
    title="Library",
)


async def test_a_procedure_as_a_table_keeps_its_numbers_and_what_leads_to_it():
    steps = "To borrow a score:\n\n1. Find it in the register.\n2. Write your name.\n3. Show it. [1]"
    table = "|  | To borrow a score |\n| --- | --- |\n| 1 | Find it in the register. |\n| 2 | Write your name. |"
    turn = answered(steps, ("c\td1#0",))
    assert (await revised("table", BORROWING, turn=turn)).startswith(f"{table}\n| 3 | Show it. |\n")


async def test_of_one_source_a_table_does_not_say_where_in_every_row():
    told = await revised(
        "table", BORROWING, turn=answered("A lost score costs 9 euros. [1]\n- Show it. [1]", ("c\td1#0",))
    )
    assert told.startswith("| What |\n| --- |\n| A lost score costs 9 euros. |\n| Show it. |")


async def test_a_table_that_is_not_the_first_does_not_stand_for_all():
    rates = block(2, "| City | Rate |\n| --- | --- |\n| Berlin | 40 |", title="Rates")
    said = "A lost score costs 9 euros. [1]\n\n| City | Rate |\n| --- | --- |\n| Berlin | 40 |\n\n[2]"
    told = await revised("table", BORROWING, rates, turn=answered(said))
    assert "| A lost score costs 9 euros. |" in told and "| Berlin | 40 |" in told


@pytest.mark.parametrize("kind", ["table", "list", "repeat"])
async def test_a_paragraph_with_a_sentence_in_bold_is_found_again(kind):
    hours = block(
        1,
        "7 to 12 years. Sat 10. 160,000 a month. Coach: Yu\n\nWho misses a lesson makes up for it. Tell us.",
        title="Kids",
    )
    said = "**7 to 12 years.** Sat 10. 160,000 a month. Coach: Yu [1]\n\n**Who misses a lesson makes up for it.** "
    said += "Tell us. [1]"
    told = await revised(kind, hours, turn=answered(said, ("c\td1#0",)))
    assert "160,000 a month" in told and "makes up for it" in told


async def test_where_a_table_answers_its_cells_are_the_source():
    rates = block(1, "| City | Rate |\n| --- | --- |\n| Berlin | 40 |", title="Rates")
    turn = answered("| City | Rate |\n| --- | --- |\n| Berlin | 40 |\n\n[1]", ("c\td1#0",), "rate in Berlin")
    assert await revised("source", rates, turn=turn) == "- **Rates**: “City: Berlin; Rate: 40” [1]"


async def test_a_table_of_which_rows_were_left_out_is_the_table():
    table = "| City | Rate |\n| --- | --- |\n| Berlin | 40 |"
    turn = answered(f"…\n\n{table}\n\n…\n\n[1]", ("c\td1#0",), "rate in Berlin")
    assert (await revised("table", block(1, table, title="Rates"), turn=turn)).startswith("| City | Rate |")


async def test_a_point_with_what_stands_beside_it():
    answer = await revised("point", point=2)
    assert answer.startswith("Sick leave needs a certificate after 3 days. [") and "annual" not in answer
    assert (await revised("point", point=-1)).startswith("Sick leave")
    assert await revised("point", point=9) == ""


async def test_sources_are_quoted_with_their_place():
    lines = (await revised("source")).splitlines()
    assert lines[0] == "- **Leave policy › Annual leave**: “Everybody has 25 days of annual leave a year.” [1]"
    assert lines[1].startswith("- **Sick leave**: “Sick leave needs a certificate after 3 days.")


async def test_why_is_answered_by_words_of_cause_alone():
    assert await revised("why") == "Leave must be requested two weeks ahead so that shifts can be planned. [1]"
    assert await revised("why", SICK, turn=answered("Sick leave needs a certificate. [1]", ("c\td2#0",))) == ""


async def test_longer_says_more():
    day = "Each of them is written down in the calendar of the team on the same day by the one who takes it."
    page = block(1, "\n\n".join(f"Everybody has {n} days of annual leave a year. {day}" for n in range(20, 30)))
    turn = answered("Everybody has 20 days of annual leave a year. [1]", ("c\td1#0",))
    usual = await preferred(Preferences(), answered().question, page)
    assert (
        len(await revised("longer", page, turn=turn)) > len(usual[1]) > len(await revised("shorter", page, turn=turn))
    )


async def test_another_language_only_where_the_documents_have_it():
    given = brief("x", LEAVE, turns=(answered(),), followup=FollowUp(kind="translate", language="ko"))
    assert not await OfflineReasoner().holds(given)
    given = brief("x", LEAVE, turns=(answered(),), followup=FollowUp(kind="translate", language="en"))
    assert await OfflineReasoner().holds(given)


async def test_what_is_gone_from_the_passages_is_left_out():
    changed = block(1, "Annual leave is being revised.", title="Leave policy")
    assert "25 days" not in await revised("repeat", changed, SICK)


async def test_an_answer_without_evidence_cannot_be_revised():
    assert await revised("shorter", turn=answered("Hello!", ())) == ""


def page_of(text, **more):
    """Return a passage, and the whole answer to a question over it as a turn of before."""
    return block(1, text, title="Office", **more)


async def before(page, question) -> TurnRecord:
    given = brief(question, page)
    said = [sentence async for sentence in OfflineReasoner().compose(given)]
    return answered(written(said, given.blocks)[0], (page.passage.reference,), question)


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("The office opens at nine. It closes at six.", "When does the office open?"),
        ("Bring these:\n\n1. a badge\n2. a pen\n3. a cup", "What do I bring to the office?"),
        ("The hours:\n\n| Day | Open |\n|---|---|\n| Monday | 9 |\n| Friday | 10 |", "When is the office open?"),
        ("Open the office so:\n\n```sh\noffice open\n\noffice wait\n```", "How do I open the office?"),
    ],
)
async def test_an_answer_of_before_is_found_again_as_it_was(text, question):
    page = page_of(text)
    turn = await before(page, question)
    told = await revised("repeat", page, turn=turn)
    plain = [each.replace("[1]", "").split() for each in (turn.answer.removeprefix("**Office**"), told)]
    assert plain[0] == plain[1] and "[1]" in told


async def test_what_an_answer_says_besides_its_quotes_is_not_taken_for_one():
    page = page_of("The documents say that the office opens at nine.")
    turn = answered("The documents say:\n\n**Office**\n\nThe office opens at nine. [1]", (page.passage.reference,))
    assert await revised("repeat", page, turn=turn) == "The office opens at nine. [1]"


async def test_the_name_of_a_dated_version_is_no_quote():
    page = page_of("Office (2025)\n\nThe office opens at nine.")
    turn = answered("**Office** (2025)\n\nThe office opens at nine. [1]", (page.passage.reference,))
    assert await revised("repeat", page, turn=turn) == "The office opens at nine. [1]"


async def test_a_table_stays_a_table_and_code_stays_code():
    page = page_of("| Day | Open |\n|---|---|\n| Monday | 9 |\n| Friday | 10 |")
    turn = await before(page, "When is the office open?")
    for kind in ("table", "list"):
        told = await revised(kind, page, turn=turn)
        assert "| Day | Open |\n| --- | --- |\n| Monday | 9 |\n| Friday | 10 |" in told
    code = page_of("Open the office so:\n\n```sh\noffice open\n\noffice wait\n```")
    told = await revised("list", code, turn=await before(code, "How do I open the office?"))
    assert "```sh\noffice open\n\noffice wait\n```" in told


async def test_shorter_is_the_row_that_answers_and_not_the_header():
    page = page_of("| Day on which it opens | Hour |\n|---|---|\n| Monday | 9 |\n| Friday | 10 |")
    turn = await before(page, "At which hour does it open on Friday?")
    assert await revised("shorter", page, turn=turn) == "Day on which it opens: Friday; Hour: 10 [1]"


async def test_shorter_is_the_whole_table_where_no_row_answers_more_than_another():
    table = "| Event | Days |\n| --- | --- |\n| wedding | 5 |\n| funeral | 3 |"
    page = block(1, f"{table}\n\nProof is due within a week.", title="Special leave")
    turn = answered(f"{table} [1]", ("c\td1#0",), question="events and days of special leave")
    assert await revised("shorter", page, turn=turn) == f"{table}\n\n[1]"


@pytest.mark.parametrize("kind", ["repeat", "shorter", "list", "table", "longer", "simpler"])
@pytest.mark.parametrize("language", ["en", "ko"])
async def test_another_form_of_an_answer_is_no_surer_than_it_was(weighed, kind, language):
    weighed(UNSURE)
    page = page_of("The office opens at nine. It closes at six.")
    turn = await before(page, "When does the office open?")
    assert turn.answer.startswith(say("closest", "en"))
    given = brief("that", page, turns=(turn,), followup=FollowUp(kind=kind), language=language)
    told = [sentence async for sentence in OfflineReasoner().compose(given)]
    assert told[0].lead.startswith(f"{say('closest', language)}\n\n") and all(each.hedged for each in told)
    weighed(SURE)
    given = brief("that", page, turns=(await before(page, turn.question),), followup=FollowUp(kind=kind))
    assert not any(each.hedged for each in [sentence async for sentence in OfflineReasoner().compose(given)])


async def test_more_of_an_answer_is_told_from_its_passages_of_several_it_is_searched_again(weighed):
    weighed(UNSURE)
    page = page_of("The office opens at nine. It closes at six.")
    alone = await before(page, "When does the office open?")
    several = await before(page, "When does the office open, and who has the key?")
    weighed(NOTHING)  # by themselves the passages are near nothing
    assert "The office opens at nine." in (await revised("longer", page, turn=alone)).replace("**", "")
    assert not await revised("longer", page, turn=several) and await revised("simpler", page, turn=several)


async def preferred(
    preferences: Preferences, question="How many days of annual leave are there, and are days carried over?", *blocks
):
    given = brief(question, *(blocks or (LEAVE, SICK)), profile=Profile(preferences=preferences))
    sentences = [sentence async for sentence in OfflineReasoner().compose(given)]
    return sentences, written(sentences, given.blocks)[0]


async def test_answers_are_in_the_form_that_somebody_wants(weighed):
    _, listed = await preferred(Preferences(format="list"), "What is said of annual leave?", LEAVE)
    name, *points = listed.splitlines()
    assert name == "**Leave policy › Annual leave**" and [point for point in points if point] == [
        "- Everybody has 25 days of annual leave a year.",
        "- Leave must be requested two weeks ahead so that shifts can be planned.",
        "- Up to 5 days are carried over. [1]",
    ]
    _, table = await preferred(Preferences(format="table"), "What is said of annual leave?")
    assert table.startswith("| What | Where |")
    weighed(UNSURE)
    for form in ("list", "table"):
        sentences, told = await preferred(Preferences(format=form), "What is said of annual leave?")
        assert told.startswith(f"{say('closest', 'en')}\n\n") and all(sentence.hedged for sentence in sentences)


async def test_a_thread_is_told_again_as_the_answer_to_each_of_its_questions():
    first = answered(LEAVE.passage.text, ("c\td1#0",))
    again = replace(first, route="followup", question="shorter")
    second = answered(f"{say('closest', 'en')}\n\n{SICK.passage.text} [1]", ("c\td2#0",), "And for sick leave?")
    given = brief("recap", LEAVE, SICK, turns=(first, again, second), followup=FollowUp(kind="recap"), language="en")
    sentences = [sentence async for sentence in OfflineReasoner().compose(given)]
    assert [each.hedged for each in sentences] == [False, True]
    assert written(sentences, given.blocks)[0] == (
        f"**{first.question}**\n\nEverybody has 25 days of annual leave a year. [1]\n\n"
        "**And for sick leave?**\n\nSick leave needs a certificate after 3 days. [2]"
    )
