"""Plans over all teams: what is searched, written and analysed, and what waits for what."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.nodes.plan import arranged
from agent.packs.load import builtin, load_pack
from agent.packs.pack import Words
from agent.packs.template import Template
from agent.reasoning.rules import OfflineReasoner
from agent.reasoning.rules.planning import steps as planning
from agent.types import Standalone, StepStatus
from tests.contracts.reasoning import PACK, message
from tests.cost import spent

REASONER = OfflineReasoner()
TEMPLATES = (
    Template(
        name="reply", title=Words(en="Reply to an authority", ko="답변서"),
        examples=("draft a reply to the tax office", "답장 초안 써줘"),
    ),
    Template(
        name="report", title=Words(en="Report", ko="보고서"),
        examples=("write a report on travel", "보고서 작성해줘"),
    ),
    Template(
        name="leave_request", title=Words(en="Leave request", ko="휴가 신청서"),
        examples=("write a request for leave", "휴가 신청서 써줘"),
    ),
    Template(
        name="summary", title=Words(en="Summary", ko="요약본"),
        examples=("write a summary as a document", "요약본 써줘"),
    ),
)  # fmt: skip
FULL = PACK.model_copy(update={"templates": TEMPLATES})
ESTATE = load_pack(builtin("real_estate"))


async def planned(text, pack=FULL):
    understood = await REASONER.understand(message(text, pack=pack))
    plan = await REASONER.plan(Standalone(text=understood.question), understood, pack)
    return arranged(plan, teams=pack.teams, most=48)


def shape(plan):
    return [(step.team, step.subject, step.purpose, step.dependencies) for step in plan.steps]


SEARCH = ("search", "", "answer", ())
EVIDENCE = ("search", "", "evidence", ())


@pytest.mark.parametrize(
    "text",
    [
        "전세금 5% 인상 가능해?",
        "how do I write a report?",
        "보고서는 어떻게 작성하나요?",
        "보고서 작성 방법 알려줘",
        "write me a poem",
        "summarise the VPN guide",
        "summarise the attached file",
        "make a table of the answer",
        "표로 정리해줘",
        "Analyse the contract with the landlord",
        "이 계약서를 분석해줘",
        "차트 그리는 방법 알려줘",
        "Write a Python function that makes a report",
        "If I lose my laptop, then what should I do?",
        "휴가를 신청하고 승인은 누가 하나요?",
        "asdf qwer zxcv",
    ],
)
async def test_what_is_a_question_is_searched_for(text):
    assert shape(await planned(text)) == [SEARCH]


@pytest.mark.parametrize(
    ("text", "template", "topic"),
    [
        ("draft a reply to the tax office about the late filing", "reply", "late filing"),
        ("Can you draft the response about the late filing?", "reply", "late filing"),
        ("Write a report on parental leave", "report", "parental leave"),
        ("육아휴직에 대한 보고서 작성해줘", "report", "육아휴직"),
        ("육아휴직 보고서를 써 주세요", "report", "육아휴직"),
        ("write a summary of the VPN guide as a document", "summary", "VPN guide"),
        ("Please write a request for leave in August", "leave_request", "leave in August"),
        ("휴가 신청서 초안을 준비해 주세요", "leave_request", "휴가"),
        ("Draft a reply to this letter: we ask you to pay the rent. It is due in May.", "reply", "we ask you to pay"),
    ],
)
async def test_a_document_rests_on_a_search_for_its_topic(text, template, topic):
    plan = await planned(text)
    assert shape(plan) in (
        [EVIDENCE, ("document", template, "answer", ("step_0",))],
        [SEARCH, ("document", template, "answer", ("step_0",))],
    )
    assert plan.steps[0].description.startswith(topic) and plan.steps[0].purpose == "evidence"


@pytest.mark.parametrize(
    ("text", "kind", "topic"),
    [
        ("chart the monthly travel costs", "trend", "monthly travel costs"),
        ("what is the trend in overtime hours?", "trend", "overtime hours"),
        ("How has the budget changed over the years?", "trend", "budget"),
        ("analyse the sales figures by department", "comparison", "sales figures"),
        ("show me the share of each cost as a pie chart", "distribution", "share of each cost"),
        ("Plot the sick days", "summary", "sick days"),
        ("매출 추이 그래프로 보여줘", "trend", "매출"),
        ("부서별 비용을 분석해줘", "comparison", "부서별 비용"),
        ("비용 비중을 차트로 그려줘", "distribution", "비용"),
        ("지난 3년 매출을 차트로 그려줘", "trend", "매출"),
    ],
)
async def test_figures_are_analysed_by_what_is_wanted_of_them(text, kind, topic):
    plan = await planned(text)
    assert shape(plan) == [("analysis", kind, "answer", ())]
    assert topic in plan.steps[0].task and topic in plan.steps[0].description


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("Compare our parental leave with the law", ["parental leave", "parental leave law"]),
        ("우리 육아휴직을 법과 비교해줘", ["육아휴직", "육아휴직 법"]),
        ("How does maternity leave differ from partner leave?", ["maternity leave", "partner leave"]),
        ("병가와 연차휴가를 비교해줘", ["병가", "연차휴가"]),
        ("연차랑 병가 비교해줘", ["연차", "병가"]),
        ("연차와 병가가 어떻게 달라?", ["연차", "병가"]),
        ("출산휴가랑 육아휴직은 뭐가 달라요?", ["출산휴가", "육아휴직"]),
        (
            "How long are both maternity leave and partner leave?",
            ["How long are maternity leave?", "How long are partner leave?"],
        ),
        ("출산휴가와 육아휴직 둘 다 며칠인가요?", ["출산휴가 며칠인가요?", "육아휴직 며칠인가요?"]),
        (
            "Which forms do I need for parental leave and for reduced hours?",
            ["Which forms do I need for parental leave?", "Which forms do I need for reduced hours?"],
        ),
    ],
)
async def test_each_of_two_things_has_a_search_of_its_own(text, parts):
    plan = await planned(text)
    assert [step.description for step in plan.steps] == parts
    assert shape(plan) == [SEARCH, SEARCH] and plan.parallel_groups == (("step_0", "step_1"),)


@pytest.mark.parametrize(
    "text",
    [
        "Compare our parental leave with the law, draft the reply, and chart the trend",
        "우리 육아휴직을 법과 비교하고, 그 내용으로 답장 써줘. 추이도 그래프로 보여줘",
    ],
)
async def test_a_message_may_want_all_of_it(text):
    plan = await planned(text)
    assert shape(plan) == [
        SEARCH,
        SEARCH,
        ("document", "reply", "answer", ("step_0", "step_1")),
        ("analysis", "trend", "answer", ()),
    ]
    assert plan.parallel_groups == (("step_0", "step_1", "step_3"), ("step_2",))
    assert all(plan.steps[0].description in step.description for step in plan.steps)


async def test_what_comes_then_waits_for_what_was_before():
    plan = await planned("What is the notice period? Then chart the trend of resignations.")
    assert shape(plan) == [SEARCH, ("analysis", "trend", "answer", ("step_0",))]
    plan = await planned("연차와 병가를 비교한 뒤 보고서를 작성해줘")
    assert shape(plan) == [SEARCH, SEARCH, ("document", "report", "answer", ("step_0", "step_1"))]
    plan = await planned("수습 기간을 알려줘. 그 다음에 휴가 신청서를 작성해줘")
    assert plan.steps[-1].dependencies == ("step_0", "step_1") and plan.steps[1].purpose == "evidence"


async def test_a_question_beside_an_order_takes_its_topic_from_it():
    plan = await planned("Draft a reply about the leave policy and tell me who approves it")
    assert plan.steps[-1].team == "search" and "leave policy" in plan.steps[-1].description


async def test_an_order_that_nobody_can_carry_out_is_a_question():
    pack = FULL.model_copy(update={"teams": ("search",)})
    assert shape(await planned("draft a reply to the tax office", pack)) == [SEARCH]
    assert shape(await planned("draft a haiku contract", FULL)) == [SEARCH]
    assert shape(await planned("chart the costs", FULL.model_copy(update={"teams": ("search",)}))) == [SEARCH]


@pytest.mark.parametrize("order", ["Write an invitation to the summer party", "여름 행사 각서를 써줘"])
async def test_of_a_document_without_a_template_is_said_that_no_file_was_made(order):
    asked, document = (await planned(order)).steps
    assert (asked.team, asked.description) == ("search", order)
    assert document.team == "document" and document.status is StepStatus.SKIPPED
    assert document.error in ("there is no template for it, so no file was made", "맞는 양식이 없어 파일을 만들지 않음")
    assert shape(await planned("draft a reply to the tax office", PACK))[0] == SEARCH


@pytest.mark.parametrize(
    "order",
    [
        "write a report about how the landlord may raise the deposit in a running lease",
        "전세금 인상 한도 보고서 써줘",
        "make a file of that",
        "give me that as a word file",
        "export that to excel",
        "파일로 만들어줘",
        "엑셀로 만들어줘",
        "워드 파일로도 만들어줘",
        "연차 규정을 파일로 정리해줘",
    ],
)
async def test_a_report_is_of_any_topic_and_a_file_of_no_kind_is_a_report(order):
    assert (await planned(order, ESTATE)).steps[-1].subject == "report"


@pytest.mark.parametrize(
    "text",
    ["create a file with 600 permissions", "로그 파일 만들어줘", "엑셀로 어떻게 만들어?", "감사 보고서 어디 있어?"],
)
async def test_a_file_that_is_no_document_is_not_ordered(text):
    assert shape(await planned(text)) == [SEARCH]


@pytest.mark.parametrize(
    ("order", "of"),
    [("한빛구 아파트 종합 분석 보고서", "한빛구 아파트"), ("an analysis report on rents in Berlin", "rents in Berlin")],
)
async def test_the_figures_of_an_analysis_report_are_analysed_first(order, of):
    plan = await planned(order, ESTATE)
    assert [step.team for step in plan.steps] == ["analysis", "search", "document"]
    assert plan.steps[0].description == plan.steps[1].description == of
    assert plan.steps[2].dependencies == ("step_0", "step_1")


async def test_a_paste_is_read_for_the_order_before_it():
    letter = "We ask you to pay the rent, and then draft nothing. What is it about? " * 120
    plan = await planned("Draft a reply to the authority. " + letter[:7900])
    assert [step.team for step in plan.steps] == ["search", "document"]
    assert len((await planned("what is, and then what is, " * 300)).steps) == 1


ORDERS = st.sampled_from(
    ["draft the reply", "write a report on leave", "chart the trend", "plot the costs by month", "What is the limit?",
     "compare leave with sick pay", "who approves it?", "답장 써줘", "추이를 그래프로 보여줘", "연차는 며칠인가요?",
     "then", "그 다음에", "육아휴직과 병가를 비교해줘", "보고서 작성해줘", "keep it short",
     "1. a 2. b", "🙂", "-", "(x)"]
)  # fmt: skip
JOINTS = st.sampled_from([" ", ", ", ". ", ", and ", "? ", " 그리고 ", " then ", ": ", "\t"])


@given(st.lists(st.tuples(ORDERS, JOINTS), min_size=1, max_size=14), st.booleans())
def test_every_plan_can_be_carried_out(pieces, korean):
    text = "".join(piece + joint for piece, joint in pieces).strip() or "x"
    plan = planning.plan(Standalone(text=text), "ko" if korean else "en", FULL)
    ids = [step.id for step in plan.steps]
    assert ids and len(set(ids)) == len(ids)
    for n, step in enumerate(plan.steps):
        assert set(step.dependencies) <= set(ids[:n])
        assert step.description.strip() and step.task.strip()
        made = step.team == "document" and not step.error
        assert not made or step.subject in {each.name for each in TEMPLATES}
    sound = arranged(plan, teams=FULL.teams, most=len(ids))
    assert not sound.validation_errors and len(sound.steps) == len(ids)
    group = {name: n for n, names in enumerate(sound.parallel_groups) for name in names}
    assert all(group[name] < group[step.id] for step in sound.steps for name in step.dependencies)


@given(st.text(max_size=400))
def test_whatever_is_written_gives_a_plan(text):
    plan = planning.plan(Standalone(text=text), "en", FULL)
    assert plan.steps and not arranged(plan, teams=FULL.teams, most=len(plan.steps)).validation_errors


@pytest.mark.parametrize(
    ("text", "about"),
    [
        (
            "Compare annual leave with sick leave, draft a reply to Kim about it",
            "draft a reply to Kim: annual leave; sick leave",
        ),
        ("연차와 병가를 비교하고 그 내용으로 김민지에게 답장 초안 써줘", "김민지에게 답장 초안 써줘: 연차; 병가"),
    ],
)
async def test_an_order_that_points_back_is_about_what_came_before_and_not_about_it(text, about):
    steps = (await planned(text)).steps
    assert steps[-1].description == about and [step.team for step in steps] == ["search", "search", "document"]


@pytest.mark.parametrize(
    "text",
    [
        "Chart the travel costs by team and tell me what stands out",
        "출장비를 그래프로 그려주고 눈에 띄는 점을 알려줘",
        "what stands out in this file? show it as a chart",
        "이 파일에서 눈에 띄는 점이 뭐야? 그래프로 보여줘",
    ],
)
async def test_what_the_figures_tell_is_for_the_analysis_to_say(text):
    assert [step.team for step in (await planned(text)).steps] == ["analysis"]


async def test_what_stands_out_elsewhere_is_a_question():
    teams = [
        step.team for step in (await planned("What is the VPN for and what stands out in the security policy?")).steps
    ]
    assert teams == ["search", "search"]


ENGLISH_WANTS = (
    ["What is the {} policy", "how do I reach the {}", "tell me about the {}", "list when the {} is cleaned",
     "compare the {} with the {}", "how often may members book the {}", "what are the {}, the {} and the {}",
     "chart the {} by month", "write a report on {}", "where is the {} kept", "I work beside the {}",
     "what is the difference between the {} and the {}", "explain both the {} and the {}"],
    [", and ", " and ", "? ", ". ", ", ", "; ", " and also ", "? Then ", ", then "],
    ["kiln", "locker", "glaze", "badge", "printer", "harbour", "lantern", "kettle", "anvil", "ferry", "orchard",
     "turbine", "violin", "saddle", "compass"],
)  # fmt: skip
KOREAN_WANTS = (
    ["{} 규정이 뭐야", "{}은 언제 비우는지 알려줘", "{}과 {}을 비교해줘", "{}은 얼마나 자주 예약할 수 있나요",
     "{} 현황을 월별 그래프로 그려줘", "{}에 대한 보고서 작성해줘", "{}은 며칠이고", "{}을 어떻게 쓰는지",
     "{}을 설명해주고", "{} 옆에서 일해요", "{}, {}, {}을 알려줘"],
    [", ", "? ", " 그리고 ", "? 그리고 ", ". ", "와 ", " "],
    ["사물함", "유약통", "등대섬", "주전자", "나침반", "과수원", "발전기", "바이올린", "자전거", "항구길", "연못",
     "풍차방", "돌다리", "은하수", "도자기"],
)  # fmt: skip


@given(st.data())
@pytest.mark.parametrize("written", [ENGLISH_WANTS, KOREAN_WANTS], ids=["en", "ko"])
def test_no_word_that_is_asked_about_is_lost_between_the_steps(written, data):
    forms, joints, things = written
    names = iter(data.draw(st.permutations(things)))
    text, used = "", []
    for form in data.draw(st.lists(st.sampled_from(forms), min_size=1, max_size=5)):
        mine = [next(names) for _ in range(form.count("{}"))]
        text, used = text + form.format(*mine) + data.draw(st.sampled_from(joints)), [*used, *mine]
    plan = planning.plan(Standalone(text=text.strip()), "en" if written is ENGLISH_WANTS else "ko", FULL)
    told = " ".join(step.description for step in plan.steps)
    assert [name for name in used if name not in told] == []


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (
            "Compare the glaze firing with the bisque firing of the K-40, and list when lockers are emptied and how "
            "often members may book the kiln",
            ["glaze firing", "bisque firing of the K-40", "list when lockers are emptied",
             "how often members may book the kiln?"],
        ),
        (
            "유약 소성과 초벌 소성을 비교하고, 사물함을 언제 비우는지와 회원이 가마를 얼마나 자주 예약하는지 알려줘",
            ["유약 소성", "초벌 소성", "사물함을 언제 비우는지?", "회원이 가마를 얼마나 자주 예약하는지 알려줘"],
        ),
        (
            "How long is probation, who approves expenses, and what is the dress code?",
            ["How long is probation?", "who approves expenses?", "what is the dress code?"],
        ),
        (
            "Tell me the notice period, the dress code and the wifi password.",
            ["Tell me the notice period.", "Tell me the dress code.", "Tell me the wifi password."],
        ),
        ("연차, 병가, 육아휴직을 알려줘", ["연차 알려줘", "병가 알려줘", "육아휴직 알려줘"]),
        (
            "I am new here. How many leave days do I get? I lost my laptop. What should I do?",
            ["I am new here. How many leave days do I get?", "I lost my laptop. What should I do?"],
        ),
    ],
)  # fmt: skip
async def test_every_part_has_a_step(text, parts):
    assert [step.description for step in (await planned(text)).steps] == parts


@pytest.mark.parametrize(
    "text",
    [
        "Do I need to lock the kiln and give notice to the owner?",
        "What is the limit for trips, which are booked by the team?",
        "What is the distance between the door and the kiln?",
        "What are the kiln, glaze and clay rules?",
        "서류를 준비하고 누구에게 내나요?",
        "저는 부산 지사에서 일해요. 연차는 며칠인가요?",
        "연차, 병가, 육아휴직 규정을 알려줘",
    ],
)  # fmt: skip
async def test_what_is_one_thing_stays_one_step(text):
    assert [step.description for step in (await planned(text)).steps] == [text]


@pytest.mark.parametrize(
    "text",
    ["가" * 8000, "100원" * 2000, "a, " * 2666, "and " * 2000, "what, " * 330, "언제 " * 660, "? " * 990,
     "list the a, " * 160, "the a and the b " * 120, "비교하고 " * 390],
)  # fmt: skip
def test_a_plan_costs_little_whatever_the_message_is(text):
    for part in (text, text[:1990], text[:1190]):
        with spent() as cost:
            planning.plan(Standalone(text=part), "en", FULL)
        assert cost.pieces < 5


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("analyse the risks of the apartments", "risks of the apartments"),
        ("한빛구 아파트 위험 분석해줘", "한빛구 아파트 위험"),
    ],
)
async def test_what_no_figures_tell_is_looked_up_beside_the_analysis(text, topic):
    plan = await planned(text)
    assert [(step.team, step.purpose) for step in plan.steps] == [("analysis", "answer"), ("search", "answer")]
    assert plan.steps[1].description == topic and plan.parallel_groups == (("step_0", "step_1"),)


@pytest.mark.parametrize("text", ["analyse the travel costs", "출장비 분석해줘", "chart the prices by month"])
async def test_figures_alone_are_analysed_alone(text):
    assert [step.team for step in (await planned(text)).steps] == ["analysis"]


PASS = Template(name="pass", title=Words(en="Boarding pass", ko="탑승 허가증"),
                examples=("make a boarding pass", "탑승 허가증 만들어줘"))  # fmt: skip
TRADE = PACK.model_copy(update={"templates": (PASS,)})


@pytest.mark.parametrize(
    "text",
    [
        "make a boarding pass",
        "please make me a boarding pass",
        "탑승 허가증 만들어줘",
        "탑승 허가증 하나 작성해줘",
        "가족 탑승 허가증을 써줘",
    ],
)
async def test_a_document_of_the_trade_is_ordered_by_the_words_of_its_template(text):
    plan = await planned(text, TRADE)
    assert [(step.team, step.subject) for step in plan.steps if step.team == "document"] == [("document", "pass")]


@pytest.mark.parametrize(
    "text",
    [
        "how do I make a boarding pass?",
        "what is a boarding pass?",
        "탑승 허가증은 어떻게 작성하나요?",
        "탑승 허가증 있어?",
        "탑승 허가증 좀 보여줘",
        "can I pass the gate without boarding?",
        "make the boarding of planes with many children and a pass faster",
    ],
)
async def test_a_question_about_a_document_of_the_trade_is_no_order(text):
    assert [step.team for step in (await planned(text, TRADE)).steps] == ["search"]


@pytest.mark.parametrize(
    "text",
    [
        "미환류소득이랑 대리납부 둘 다 나오는 사례 있어?",
        "반품과 환불이 모두 적힌 계약서 보여줘",
        "cases that involve both royalties and leases",
        "what can people with both asthma and reflux take?",
    ],
)
async def test_one_thing_that_has_both_is_one_search(text):
    assert len((await planned(text)).steps) == 1


LEASE = Template(name="lease", title=Words(en="Boat lease contract", ko="나룻배 임대차 계약서 (초안)"),
                 examples=("draft a lease contract", "임대차 계약서 써줘"))  # fmt: skip
SALE = Template(name="sale", title=Words(en="Sales contract", ko="매매 계약서 (초안)"),
                examples=("draft a sales contract", "매매 계약서 써줘"))  # fmt: skip


@pytest.mark.parametrize(
    ("text", "template"),
    [
        ("나룻배 매매계약서 초안 만들어줘", "sale"),
        ("나룻배 매매 계약서 써줘", "sale"),
        ("나룻배 임대차계약서 써줘", "lease"),
        ("draft a sales contract for the boat", "sale"),
        ("임대차 계약서에 낚시 금지 특약 넣어서 만들어줘", "lease"),
        ("매매 계약서 특약에 잔금 10% 포함해서 작성해줘", "sale"),
    ],
)
async def test_what_stands_before_the_kind_of_document_tells_it_apart(text, template):
    plan = await planned(text, FULL.model_copy(update={"templates": (LEASE, SALE)}))
    assert [step.subject for step in plan.steps if step.team == "document"] == [template]


@pytest.mark.parametrize("text", ["계약서에 특약을 넣어서 작성하면 되나요?", "계약서에 날짜를 넣어서 쓰는 방법 알려줘"])
async def test_a_question_for_what_to_put_in_is_no_order(text):
    plan = await planned(text, FULL.model_copy(update={"templates": (LEASE, SALE)}))
    assert [step.team for step in plan.steps] == ["search"]


@pytest.mark.parametrize(
    "order",
    ["draft a reply to Minji Han about the parental leave", "draft a reply to Ms. Han about the parental leave"],
)
async def test_whom_a_document_is_for_is_not_what_it_is_about(order):
    *_, step = (await planned(order)).steps
    assert (step.team, step.subject, step.error) == ("document", "reply", "")
    assert all("Han" not in each.description for each in (await planned(order)).steps if each.team == "search")


@pytest.mark.parametrize(
    ("text", "team"),
    [
        ("what stands out here?", "analysis"),
        ("Anything odd in this file?", "analysis"),
        ("여기서 눈에 띄는 점 있어?", "analysis"),
        ("이상한 값 있나요?", "analysis"),
        ("what is unusual about the notice period?", "search"),
        ("이상한 메일 받았어", "search"),
        ("병가 신청할 때 특이한 점 있어?", "search"),
    ],
)
async def test_what_stands_out_is_asked_of_figures_where_nothing_else_is_named(text, team):
    assert [step.team for step in (await planned(text)).steps] == [team]
