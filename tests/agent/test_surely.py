"""How surely a turn answers, through the real graph: an answer, what comes closest, or nothing."""

import pytest

from agent.events import ClarificationAsked, TextDelta
from agent.language import say
from agent.reasoning.rules.answering.likelihood import Likelihood
from agent.types import Passage
from tests.agent.test_routes_taken import REMOTE, WHICH, Talk
from tests.fakes_knowledge import MemoryLibrary
from tests.likelihoods import NOTHING, PROBABLE, SURE, UNSURE, by_number, by_rank


@pytest.fixture
def talk():
    return Talk(self_refine_enabled=False)


def streamed(talk) -> str:
    return "".join(event.text for event in talk.events if isinstance(event, TextDelta))


async def test_what_is_sure_is_an_answer(talk, weighed):
    weighed(SURE)
    response = await talk.say(REMOTE)
    assert (response.response_type, response.status) == ("answer", "completed")
    assert response.answer.startswith("**Remote work**") and response.citations and response.nearest == ()


async def test_what_is_not_sure_is_told_as_what_comes_closest(talk, weighed):
    weighed(UNSURE)
    response = await talk.say(REMOTE)
    assert (response.response_type, response.status) == ("passages", "completed")
    assert response.answer.startswith(f"{say('closest', 'en')}\n\n**Remote work**") and response.citations
    assert response.answer.count(say("closest", "en")) == 1


async def test_the_words_of_doubt_are_the_first_that_is_shown(talk, weighed):
    weighed(UNSURE)
    response = await talk.say(REMOTE)
    assert streamed(talk) == response.answer and streamed(talk).startswith(say("closest", "en"))


@pytest.mark.parametrize("refined", [False, True])
async def test_where_nothing_is_near_nothing_is_told(weighed, refined):
    weighed(NOTHING)
    talk = Talk(self_refine_enabled=refined)
    response = await talk.say(REMOTE)
    assert (response.response_type, response.citations, response.confidence) == ("not_found", (), 0.0)
    assert response.answer.startswith(say("no_answer", "en")) and "Remote work" in response.nearest
    assert "3 days" not in response.answer and streamed(talk) == ""


@pytest.mark.parametrize("model", [SURE, UNSURE])
async def test_the_confidence_of_a_response_is_that_of_its_grade(talk, weighed, model: Likelihood):
    weighed(model)
    grades = []
    grade = talk.reasoner.grade

    async def graded(*given):
        grades.append(await grade(*given))
        return grades[-1]

    talk.reasoner.grade = graded
    response = await talk.say(REMOTE)
    assert response.confidence == grades[-1].confidence == response.structured_data["metadata"]["confidence"]
    assert (response.confidence >= model.sure) is (response.response_type == "answer")


@pytest.mark.parametrize(("model", "doubt"), [(UNSURE, "closest"), (PROBABLE, "probable")])
async def test_another_form_of_what_is_not_sure_is_not_sure_and_says_it_alike(talk, weighed, model, doubt):
    weighed(model)
    for order in (REMOTE, "shorter please", "as a table please", "as a list please"):
        response = await talk.say(order)
        assert response.response_type == "passages" and response.answer.startswith(say(doubt, "en")), order
        assert (response.confidence >= 0.5) is (doubt == "probable")
    weighed(SURE)
    talk = Talk()
    await talk.say(REMOTE)
    assert (await talk.say("shorter please")).response_type == "answer"


async def test_what_else_may_be_meant_is_offered_below_an_answer(talk, weighed):
    weighed(by_number(0.5))
    response = await talk.say(WHICH)
    assert response.response_type == "answer" and "2 months" in response.answer
    assert response.clarification.options == ("Table guide",)
    assert response.clarification.question == say("also_meant", "en", choice="Sofa guide")
    assert "Table guide.md" not in {each.document_id for each in response.citations}  # it is told when it is chosen
    assert "__" not in response.answer
    assert any(isinstance(event, ClarificationAsked) for event in talk.events)
    weighed(by_rank(-0.1))
    chosen = await talk.say("1")
    assert chosen.citations[0].document_id == "Table guide.md" and "Table guide" in chosen.standalone_query


def of_kiln(n: int, section: str, text: str) -> Passage:
    return Passage(
        id=n, document_id="kiln.md", collection="test", position=n, title="The kiln", section=f"The kiln > {section}",
        text=text,
    )  # fmt: skip


WAYS = (
    of_kiln(1, "How to fire the kiln > Gas", "1. Open the tap of the burner.\n2. Light the burner."),
    of_kiln(2, "How to fire the kiln > Electric", "1. Switch the fuse on.\n2. Press start."),
    of_kiln(3, "How to fire the kiln > Wood", "1. Stack the logs.\n2. Light the kindling."),
    of_kiln(4, "Opening hours", "The workshop is open from 9 to 17."),
    of_kiln(5, "가마 예열 방법 > 가스", "1. 밸브를 엽니다.\n2. 버너에 불을 붙입니다."),
    of_kiln(6, "가마 예열 방법 > 전기", "1. 차단기를 올립니다.\n2. 시작 단추를 누릅니다."),
)


@pytest.mark.parametrize(
    ("question", "first", "reply", "told", "left"),
    [
        ("How do I fire the kiln?", "Press start", "Gas", ["Light the burner"], ["Press", "logs"]),
        ("How do I fire the kiln?", "Press start", "1", ["Stack the logs"], ["burner", "Press"]),
        ("How do I fire the kiln?", "Press start", "both", ["burner", "Stack the logs"], ["Press"]),
        ("가마는 어떻게 예열해?", "버너에 불", "전기", ["시작 단추"], ["버너"]),
        ("가마 예열 방법 알려줘", "버너에 불", "1번", ["시작 단추"], ["버너"]),
    ],
)
async def test_sections_of_one_document_are_chosen_between_too(weighed, question, first, reply, told, left):
    weighed(by_rank(-0.1))
    talk = Talk(library=MemoryLibrary(WAYS), self_refine_enabled=False)
    response = await talk.say(question)
    assert first in response.answer and response.clarification is not None
    assert not any(each in response.answer for each in told)
    chosen = await talk.say(reply)
    assert all(each in chosen.answer for each in told)
    assert not any(each in chosen.answer for each in left)  # what was told already among it


@pytest.mark.parametrize(
    ("question", "next_one", "told"),
    [
        ("How do I fire the kiln?", "what about the opening hours?", "from 9 to 17"),
        ("How do I fire the kiln?", "when is the workshop open?", "from 9 to 17"),
        ("가마는 어떻게 예열해?", "영업 시간은 어떻게 돼?", "7시부터"),
    ],
)
async def test_another_question_below_an_offer_is_no_answer_to_it(question, next_one, told):
    hours = of_kiln(7, "영업 시간", "영업 시간은 아침 7시부터입니다.")
    talk = Talk(library=MemoryLibrary((*WAYS, hours)), self_refine_enabled=False)
    assert (await talk.say(question)).clarification is not None
    response = await talk.say(next_one)
    assert response.answer.partition("[1]")[0].count(told) == 1 and question not in response.standalone_query


async def test_beside_no_answer_nothing_is_offered(talk, weighed):
    weighed(by_number(0.5))

    async def nothing(brief):
        for sentence in ():
            yield sentence

    talk.reasoner.compose = nothing
    response = await talk.say(WHICH)
    assert (response.response_type, response.clarification) == ("not_found", None)
    assert response.answer.startswith(say("no_answer", "en")) and response.nearest


async def test_where_nothing_is_likelier_somebody_is_asked_first(talk, weighed):
    weighed(by_rank(-0.1))
    response = await talk.say("How long is the warranty?")
    assert response.response_type == "clarification" and response.citations == () and streamed(talk) == ""
    assert response.clarification.options == ("Kettle guide", "Lantern guide")
    assert response.clarification.assumption == say("assumption", "en", choice="Kettle guide")


async def test_where_asking_back_is_off_the_likeliest_is_answered_and_nothing_offered(weighed):
    weighed(by_rank(-0.1))
    talk = Talk(clarification_enabled=False)
    response = await talk.say("How long is the warranty?")
    assert response.response_type == "answer" and response.clarification is None
