"""The answer before, written otherwise, from the passages that it cites."""

from agent.citing import written
from agent.packs.pack import Limits
from agent.reasoning.offline import OfflineReasoner
from agent.types import FollowUp, Preferences, Profile, TurnRecord
from tests.contracts.reasoning import PACK, block, brief

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


async def test_a_shorter_procedure_keeps_every_step():
    whole = (
        "**How to apply**\n1. Talk to your lead. Best three months before.\n2. Send form HR-12 at least 30 days before "
        "the leave. In an emergency 7 days are enough.\n3. Attach the certificate. [1]"
    )
    expected = (
        "1. Talk to your lead.\n2. Send form HR-12 at least 30 days before the leave.\n3. Attach the certificate. [1]"
    )
    assert await revised("shorter", STEPS, turn=answered(whole, ("c\td1#0",))) == expected
    bare = whole.removeprefix("**How to apply**\n")
    assert await revised("shorter", STEPS, turn=answered(bare, ("c\td1#0",))) == expected
    marked = "1. Talk to your lead. Best three months before. [1]\n2. Attach the certificate. [1]"
    told = await revised("shorter", STEPS, turn=answered(marked, ("c\td1#0",)))
    assert told == "1. Talk to your lead. [1]\n2. Attach the certificate. [1]"


async def test_who_wants_it_short_gets_every_step_in_a_sentence():
    asked = brief("How do I apply for parental leave?", STEPS, profile=Profile(preferences=Preferences(length="short")))
    sentences = [sentence async for sentence in OfflineReasoner().compose(asked)]
    told = "\n".join(sentence.text for sentence in sentences)
    assert "1. Talk to your lead.\n2. Send form HR-12" in told and "3. Attach" in told
    assert "Best three" not in told and "emergency" not in told
    assert (await OfflineReasoner().check_grounding(sentences, asked)).is_valid


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


async def test_longer_says_more_than_the_pack_allows_otherwise():
    short = PACK.model_copy(update={"limits": Limits(answer_sentences=1)})
    given = brief(
        "more",
        LEAVE,
        turns=(answered(),),
        followup=FollowUp(kind="longer"),
        pack=short,
    )
    assert len([s async for s in OfflineReasoner().compose(given)]) >= 1


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


async def preferred(
    preferences: Preferences, question="How many days of annual leave are there, and are days carried over?"
):
    given = brief(question, LEAVE, SICK, profile=Profile(preferences=preferences))
    sentences = [sentence async for sentence in OfflineReasoner().compose(given)]
    return sentences, written(sentences, given.blocks)[0]


async def test_answers_are_as_long_and_in_the_form_that_somebody_wants():
    usual, _ = await preferred(Preferences())
    short, _ = await preferred(Preferences(length="short"))
    assert len(usual) >= 2 and len(short) <= len(usual)
    several, _ = await preferred(Preferences(), "What is said of annual leave?")
    one, _ = await preferred(Preferences(length="short"), "What is said of annual leave?")
    assert len(several) >= 2 and len(one) == 1
    _, listed = await preferred(Preferences(format="list"))
    assert all(line.startswith("- ") for line in listed.splitlines())
    _, table = await preferred(Preferences(format="table"))
    assert table.startswith("| What | Where |")
