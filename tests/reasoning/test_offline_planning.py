import pytest

from agent.nodes.plan import arranged
from agent.reasoning.rules import OfflineReasoner
from agent.types import Standalone
from tests.contracts.reasoning import PACK, message, turn

REASONER = OfflineReasoner()


async def planned(text):
    understood = await REASONER.understand(message(text))
    plan = await REASONER.plan(Standalone(text=understood.question), understood, PACK)
    return arranged(plan, teams=PACK.teams, most=12)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (
            "What is the hotel limit in London and also who approves expenses?",
            ["What is the hotel limit in London?", "who approves expenses?"],
        ),
        (
            "How many leave days do I get and how do I request them?",
            ["How many leave days do I get?", "how do I request them? (leave)"],
        ),
        ("1. How many leave days? 2. What is the dress code?", ["How many leave days?", "What is the dress code?"]),
        ("What is the difference between the Lite plan and the Standard plan?", ["Lite plan", "Standard plan"]),
        ("연차와 병가의 차이는 무엇인가요?", ["연차", "병가"]),
        ("연차는 며칠이고 병가는 며칠인가요?", ["연차는 며칠이고?", "병가는 며칠인가요?"]),
    ],
)
async def test_several_questions_are_searched_side_by_side(text, parts):
    plan = await planned(text)
    assert [step.description for step in plan.steps] == parts
    assert plan.strategy == "parallel" and plan.parallel_groups == (tuple(step.id for step in plan.steps),)
    assert len({step.task for step in plan.steps}) == len(parts)


@pytest.mark.parametrize(
    "text",
    [
        "Who do I tell if I am ill and need a doctor?",
        "How do I log in and change my password?",
        "I lost my laptop. What should I do?",
        "재택근무와 관련된 규정을 알려주세요",
    ],
)
async def test_one_question_is_one_step(text):
    plan = await planned(text)
    assert [(step.id, step.team, step.description) for step in plan.steps] == [("step_0", "search", text)]


async def test_the_task_is_named_in_the_askers_language():
    assert (await planned("연차는 며칠인가요?")).steps[0].task == "문서 검색"
    assert (await planned("How many days?")).steps[0].task == "Search the documents"


async def expanded(text, *turns):
    asked = message(text, *turns)
    understood = await REASONER.understand(asked)
    question = await REASONER.resolve(asked)
    plan = await REASONER.plan(question, understood, PACK)
    return await REASONER.expand(plan.steps[0], question, understood, PACK)


async def test_synonyms_join_at_a_low_weight():
    expansion = await expanded("How much vacation do I have?")
    assert expansion.queries[0].text == "How much vacation do I have?" and expansion.queries[0].weight == 1.0
    assert "leave" in expansion.related_terms
    assert all(term.weight < 0.5 for query in expansion.queries for term in query.terms)
    assert all(query.weight < 0.5 for query in expansion.queries[1:])
    assert "휴가" in (await expanded("연차는 며칠인가요?")).related_terms


@pytest.mark.parametrize(
    ("text", "must"),
    [
        ("합병법인 조사시 미환류소득, 대리납부 관련 적출 사례", ("합병법인", "미환류소득", "대리납부")),
        ("부가세 환급, 간이과세자 관련 판례 찾아줘", ("부가세", "환급", "간이과세자")),
        ("출장비 영수증 분실 사례 있나요?", ("출장비", "영수증", "분실")),
        ("Are there incidents involving Redis and failover?", ("redis", "failover")),
        ('Where does it say "force majeure"?', ("force majeure",)),
        ("휴가 신청 기록은 어디서 보나요?", ()),
        ("재택근무와 관련된 규정을 알려주세요", ()),
        ("Which documents do I need for a visa?", ()),
        ("What is the policy on reimbursing taxis?", ()),
    ],
)
async def test_who_looks_documents_up_says_which_words_they_must_hold(text, must):
    expansion = await expanded(text)
    assert expansion.must_have == must and not set(must) & set(expansion.should_have)


async def test_the_words_of_a_question_should_be_there():
    assert {"policy", "reimbursing"} <= set((await expanded("What is the policy on reimbursing taxis?")).should_have)


async def test_a_follow_up_is_searched_by_its_own_words_first():
    expansion = await expanded("and how do I do that on Windows?", turn("How do I set up the VPN on macOS?"))
    first = expansion.queries[0]
    assert first.text == "and how do I do that on Windows?"
    assert 0.2 < next(term.weight for term in first.terms if term.text == "vpn") < 1
    assert len(expansion.queries) == 2
