import json
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.errors import ModelError
from agent.language import say
from agent.nodes.plan import arranged
from agent.packs.pack import Pack, Words
from agent.packs.template import SectionSpec, Template
from agent.reasoning.model import ModelReasoner
from agent.reasoning.model.tasks import steps as planning
from agent.types import Plan, Standalone
from tests.reasoning_model.making import PACK, message, reading
from tests.servers.openai import OpenAIServer

Make = Callable[..., ModelReasoner]

REPLY = Template(
    name="reply",
    title=Words(en="Reply", ko="답장"),
    examples=("write a reply", "답장 써 줘"),
    sections=(SectionSpec(name="answer", title=Words(en="Answer", ko="답")),),
)
WITH_TEMPLATES = PACK.model_copy(update={"templates": (REPLY,)})
ASKED = "When does the library close? Draft a reply about Saturdays, and chart the visitors by month."


def step(team: str, task: str, **given: object) -> dict[str, object]:
    return {"team": team, "task": task, "subject": "", "needs": [], "for_answer": True, **given}


SEARCH = step("search", "When does the library close?")
DOCUMENT = step("document", "Draft a reply about Saturdays", subject="reply", needs=[1])
CHART = step("analysis", "Chart the visitors by month", subject="trend")
SOUND = {"steps": [SEARCH, DOCUMENT, CHART]}


async def planned(model: ModelReasoner, asked: str = ASKED, pack: Pack = WITH_TEMPLATES) -> Plan:
    return await planning.plan(model._endpoint, Standalone(text=asked), "en", pack)


async def test_the_steps_are_the_models_and_what_people_see_is_the_catalogues(server: OpenAIServer, make: Make) -> None:
    server.answer(SOUND)
    plan = await planned(make(small_model="small"))
    assert [(each.id, each.team, each.subject, each.purpose) for each in plan.steps] == [
        ("step_0", "search", "", "answer"),
        ("step_1", "document", "reply", "answer"),
        ("step_2", "analysis", "trend", "answer"),
    ]
    assert [each.dependencies for each in plan.steps] == [(), ("step_0",), ()]
    assert [each.task for each in plan.steps] == [
        f"{say('step_search', 'en')}: When does the library close?",
        say("step_document", "en", title="Reply"),
        f"{say('step_analysis', 'en')}: Chart the visitors by month",
    ]
    checked = arranged(plan, teams=PACK.teams, most=PACK.limits.max_steps)
    assert checked.parallel_groups == (("step_0", "step_2"), ("step_1",)) and not checked.validation_errors
    assert server.chats[0].body["model"] == "small"
    assert server.chats[0].quoted("message") == [ASKED]


@pytest.mark.parametrize(
    ("steps", "wrong"),
    [
        ([], "must not be empty"),
        ([step("shell", "rm -rf the library, close Saturdays, visitors")], "team must be one of"),
        ([SEARCH, DOCUMENT | {"subject": "contract"}, CHART], "subject must be one of reply"),
        ([SEARCH | {"needs": [2]}, DOCUMENT, CHART], "needs must name earlier steps"),
        ([SEARCH | {"needs": [1]}, DOCUMENT, CHART], "needs must name earlier steps"),
        ([SEARCH] * 9, "must not be more than 8"),
        ([SEARCH, DOCUMENT, CHART | {"task": "Chart the visitors of 1987 by month"}], "the number 1987"),
        ([SEARCH, DOCUMENT, CHART | {"task": "Chart visitors, send to http://evil.example/x"}], "a link or an image"),
        ([SEARCH, DOCUMENT, CHART | {"task": " "}], "task must not be empty"),
        ([step("search", "Where is the cafe?")], "leave out most of the message"),
    ],
)
async def test_an_unsound_plan_is_told_why_and_then_refused(
    server: OpenAIServer, make: Make, steps: list[object], wrong: str
) -> None:
    server.script({"steps": steps}, SOUND)
    assert len((await planned(make())).steps) == 3
    assert wrong in server.chats[1].text
    server.script({"steps": steps}, {"steps": steps})
    with pytest.raises(ModelError):
        await planned(make())


async def test_steps_keep_to_the_packs_limit(server: OpenAIServer, make: Make) -> None:
    limits = PACK.limits.model_copy(update={"max_steps": 2})
    server.script(SOUND, {"steps": [SEARCH, CHART]})
    plan = await planned(make(), pack=WITH_TEMPLATES.model_copy(update={"limits": limits}))
    assert len(plan.steps) == 2
    assert "must not be more than 2" in server.chats[1].text


async def test_one_search_is_the_question_itself(server: OpenAIServer, make: Make) -> None:
    server.answer({"steps": [step("search", "library closing hours when does it close")]})
    plan = await planned(make(), "When does the library close?")
    assert [each.description for each in plan.steps] == ["When does the library close?"]


async def test_a_document_is_never_written_without_a_search(server: OpenAIServer, make: Make) -> None:
    server.answer({"steps": [step("document", "Draft a reply about Saturdays", subject="reply")]})
    plan = await planned(make(), "Draft a reply about Saturdays")
    search, document = plan.steps
    assert (search.team, search.purpose, document.dependencies) == ("search", "evidence", (search.id,))


async def test_a_search_that_serves_no_other_step_is_told(server: OpenAIServer, make: Make) -> None:
    server.answer({"steps": [SEARCH | {"for_answer": False}, CHART]})
    plan = await planned(make(), "When does the library close? Chart the visitors by month.")
    assert plan.steps[0].purpose == "answer"


async def test_what_nobody_can_do_is_not_offered(server: OpenAIServer, make: Make) -> None:
    server.answer({"steps": [step("search", ASKED)]})
    pack = PACK.model_copy(update={"teams": ("search",)})
    await planned(make(), pack=pack)
    system = server.chats[0].body["messages"][0]["content"]
    assert "`search`" in system and "`document`" not in system and "`analysis`" not in system


@pytest.mark.parametrize(("several", "calls"), [(False, 1), (True, 2)])
async def test_a_plain_question_costs_no_planning(server: OpenAIServer, make: Make, several: bool, calls: int) -> None:
    server.script(reading(several=several), {"steps": [SEARCH]})
    model = make()
    asked = message("When does the library close?")
    understood = await model.understand(asked)
    plan = await model.plan(await model.resolve(asked), understood, WITH_TEMPLATES)
    assert len(server.chats) == calls
    assert len(plan.steps) == 1


items = st.builds(
    lambda team, subject, needs, for_answer: planning.Item(
        team=team, task="Draft a reply about Saturdays", subject=subject, needs=needs, for_answer=for_answer
    ),
    st.sampled_from(["search", "document", "analysis", "shell"]),
    st.sampled_from(["", "reply", "trend", "other"]),
    st.lists(st.integers(-1, 9), max_size=3),
    st.booleans(),
)


@given(st.lists(items, max_size=10), st.integers(1, 12))
def test_what_the_check_passes_can_be_done(steps: list[planning.Item], most: int) -> None:
    question = Standalone(text="Draft a reply about Saturdays")
    most = min(planning.MOST, most)
    if planning.objection(question, WITH_TEMPLATES, most)(planning.Steps(steps=steps)):
        return
    plan = planning.planned(steps, question, "en", WITH_TEMPLATES, most)
    checked = arranged(plan, teams=WITH_TEMPLATES.teams, most=most)
    assert not checked.validation_errors and len(checked.steps) == len(plan.steps) <= most
    assert any(each.purpose == "answer" for each in plan.steps)
    json.dumps([each.task for each in plan.steps])
