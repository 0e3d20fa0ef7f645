"""The pack tax_audit: its documents, the worked example with its numbers, and how cases are looked up."""

import json
import re
from contextlib import asynccontextmanager
from dataclasses import asdict

import pytest

from agent.language import say
from agent.packs.load import builtin, load_pack
from bot.app import open_engine
from bot.operator.asking import Asker, Console
from bot.operator.evaluation import load_questions, run_questions, shortfalls
from bot.settings import Settings
from tests.reasoning_model.capable import capable
from tests.servers.openai import OpenAIServer

WORKED = "합병법인 조사시 미환류소득, 대리납부 관련 적출 사례"
LAWS = (
    "법인세법|부가가치세법|상속세 및 증여세법|소득세법|국세기본법|조세특례제한법|국제조세조정에 관한 법률|조세범 처벌법"
)


@pytest.fixture(scope="module")
def pack():
    return load_pack(builtin("tax_audit"))


@asynccontextmanager
async def asking(folder, pack="tax_audit"):
    """Give a function that asks in a thread and returns the response."""
    async with open_engine(Settings.load(pack=str(pack), data=folder)) as engine:
        console = Console(engine, quiet=True)

        async def ask(question, thread=""):
            return await console.ask(Asker().message(question, thread))

        yield ask


def cited(response) -> set[str]:
    return {citation.document_id for citation in response.citations}


# --- the documents


def test_it_has_cases_marked_as_examples_and_guides_that_name_real_laws(pack, documents):
    cases = {key: each for key, each in documents.items() if key.startswith("ta-")}
    guides = [each for key, each in documents.items() if "/guide/" in key]
    assert len(cases) >= 20 and len(guides) >= 8
    assert sum(file.stat().st_size for file in pack.documents.rglob("*") if file.is_file()) > 40_000
    for case in cases.values():
        assert case.title.startswith(("[예시] ", "[Example] "))
        assert {passage.kind for passage in case.passages} == {"finding", "chunk"}
        sections = {passage.section for passage in case.passages if passage.kind == "chunk"}
        assert sections in ({"착안", "기법"}, {"Points to examine", "Techniques"})
        assert case.metadata["code"] in case.passages[-1].entities
        assert re.fullmatch(r"20\d\d-\d\d-\d\d", case.date)
    laws = [p.text for each in guides for p in each.passages if each.language == "ko" and "사례집" not in each.title]
    assert all(re.search(LAWS + "|시행령|같은 법", text) for text in laws if "조(" in text or "제" in text)


def test_intents_slots_and_disclaimer(pack):
    routes = {intent.name: intent.route for intent in pack.intents}
    assert routes["greeting"] == routes["help"] == "direct"
    assert routes["out_of_scope"] == "decline"
    assert pack.cases_for("case_lookup") is not None and pack.cases_for("explain") is None
    assert {slot.name for slot in pack.slots if slot.filter} == {"code", "industry_sub", "domain_tags"}
    assert pack.disclaimer is not None and "세무 상담이 아닙니다" in pack.disclaimer.ko


# --- the worked example


async def test_the_worked_example_with_its_numbers(tmp_path):
    async with asking(tmp_path) as ask:
        response = await ask(WORKED)
    assert response.intent is not None and response.intent.name == "case_lookup"
    (expansion,) = response.expansion
    assert expansion.must_have == ("합병법인", "미환류소득", "대리납부")
    (case,) = response.structured_data["cases"]
    assert (case["document_id"], case["findings"], case["sections"]) == ("ta-01", 30, {"착안": 3, "기법": 3})
    assert cited(response) == {"ta-01"}
    assert response.response_type == "answer"
    answer, _, rest = response.answer.partition("\n\n_검색 방법: ")
    assert 850 < len(answer) < 1_020  # about 934
    assert rest.startswith(response.search_strategy)
    assert "사례 1건에 적출 30건이 있고, 착안 3, 기법 3개를 찾았습니다" in response.search_strategy
    assert set(response.keyword_freq) == set(expansion.must_have)
    assert answer.index("**[예시] ") < answer.index("**착안**") < answer.index("**기법**")
    assert response.answer.rstrip().endswith("확인이 필요합니다._")
    assert json.loads(json.dumps(asdict(response), default=str))["structured_data"]["cases"] == [case]


async def test_with_a_model_cases_are_found_and_quoted_all_the_same(tmp_path, monkeypatch):
    async with asking(tmp_path / "rules") as ask:
        alone = await ask(WORKED)
    async with OpenAIServer() as model:
        monkeypatch.setenv("OPENAI_BASE_URL", model.url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
        model.answer(capable)
        async with asking(tmp_path / "model") as ask:
            response = await ask(WORKED)
            assert not any(chat.streaming for chat in model.chats)
    assert response.answer == alone.answer
    assert response.warnings == ()


async def test_an_intent_of_low_confidence_is_searched_all_the_same(tmp_path):
    async with asking(tmp_path) as ask:
        await ask(WORKED, "thread")
        response = await ask("그럼 건설업은?", "thread")
    assert response.intent is not None
    assert (response.intent.name, response.intent.confidence) == ("case_lookup", pytest.approx(0.25, abs=0.1))
    assert cited(response) == {"ta-02"}


# --- looking up


async def test_broad_look_ups_give_a_list_and_vague_ones_ask_back(tmp_path):
    async with asking(tmp_path) as ask:
        broad = await ask("법인세 적출 사례 목록")
        vague = await ask("적출 사례 알려줘", "thread")
        settled = await ask("부가가치세", "thread")
        english = await ask("show me some cases")
        every = [await ask(text) for text in ("전체 사례 목록", "모든 적출 사례", "list all cases")]
    assert all("11" in each.answer.partition("\n")[0] and len(cited(each)) == 12 for each in every)
    assert "찾은 사례는 모두 12건입니다." in broad.answer
    assert broad.answer.count("\n- **[예시] ") == 12 == len(cited(broad))
    assert "**착안**" not in broad.answer
    for response in (vague, english):
        assert response.response_type == "clarification"
        assert response.citations == () and "검색 방법" not in response.answer
        assert response.clarification is not None and len(response.clarification.options) == 4
    assert "찾은 사례는" in settled.answer and "ta-09" in cited(settled) and "ta-03" not in cited(settled)


async def test_a_question_back_waits_while_its_asker_asks_what_is_known_of_them(tmp_path):
    async with asking(tmp_path) as ask:
        await ask("적출 사례 알려줘", "thread")
        known = await ask("저에 대해 뭘 알고 있어?", "thread")
        settled = await ask("부가가치세", "thread")
    assert known.intent.name == "about_me" and "찾은 사례는" in settled.answer


async def test_what_was_told_to_a_vague_look_up_is_what_the_cases_must_hold(tmp_path):
    async with asking(tmp_path) as ask:
        await ask("적출 사례 알려줘", "korean")
        korean = await ask("가지급금 인정이자", "korean")
        await ask("show me some cases", "english")
        english = await ask("VAT", "english")
    assert "찾은 사례는" not in korean.answer and "**착안**" in korean.answer
    assert "가지급금" in korean.search_strategy
    assert "ta-09" in cited(english) and "ta-03" not in cited(english)


async def test_more_detail_of_cases_is_no_less_and_a_point_of_a_section_is_that_ones(tmp_path):
    async with asking(tmp_path) as ask:
        first = await ask(WORKED, "thread")
        longer = await ask("이 답변을 더 자세히", "thread")
        await ask(WORKED, "other")
        point = await ask("두 번째 착안은 무슨 뜻이야?", "other")
    assert len(longer.citations) == len(first.citations)
    assert "국외로 보낸 용역 대가는" in point.answer and "적출함" not in point.answer


async def test_code_and_industry_filter_and_a_filter_without_a_case_is_told(tmp_path):
    async with asking(tmp_path) as ask:
        by_code = await ask("C26 적출 사례")
        by_industry = await ask("병원 적출 사례 보여줘")
        by_both = await ask("J58 소프트웨어 사용료 적출 사례")
        unknown = await ask("C99 업종 적출 사례")
        narrowed = await ask("Which cases involve VAT?")
    assert cited(by_code) == {"ta-01"}
    assert cited(by_industry) == {"ta-12"}
    assert by_industry.slots == {"industry_sub": "의료업"}
    assert cited(by_both) == {"ta-21"}
    assert (unknown.response_type, unknown.citations) == ("not_found", ())
    assert say("filter_dropped", "ko") in unknown.warnings
    assert {"ta-01", "ta-08", "ta-09", "ta-10", "ta-11", "ta-13", "ta-14", "ta-23"} <= cited(narrowed)


async def test_what_is_named_and_stands_nowhere_is_not_made_up(tmp_path):
    async with asking(tmp_path) as ask:
        nowhere = await ask("일감몰아주기 적출 사례")
        partly = await ask("합병법인 미환류소득 명의신탁 관련 사례")
    assert nowhere.response_type == "not_found" and nowhere.nearest
    assert "일감몰아주기" in nowhere.search_strategy
    assert partly.response_type == "passages" and partly.answer.startswith(say("closest", "ko"))
    assert "명의신탁" in partly.search_strategy
    for response in (nowhere, partly):
        assert not re.search(r"(?<!\d)0(?:개|건|회|\))", response.search_strategy)


async def test_what_is_looked_up_is_not_remembered_of_the_asker(tmp_path):
    async with asking(tmp_path) as ask:
        await ask("병원 적출 사례 보여줘", "one")
        response = await ask("가지급금 인정이자 적출 사례 보여줘", "two")
        told = await ask("나에 대해 뭘 알고 있어?", "two")
    assert response.citations[0].document_id == "ta-03" and "ta-12" not in cited(response)
    assert "의료업" not in told.answer


# --- bad input


async def test_cases_as_markdown_and_without_sections(tmp_path, pack):
    folder = tmp_path / "pack"
    (folder / "documents").mkdir(parents=True)
    (folder / "pack.yaml").write_text((pack.folder / "pack.yaml").read_text("utf-8").replace("tax_audit", "mine"))
    (folder / "documents" / "one.md").write_text(
        "# 사례 하나\n\n## 적출 내용\n\n가공 용역비 3억원을 적출함.\n\n## 착안\n\n용역 결과물이 있는지 본다.\n\n"
        "## 기법\n\n결과물의 작성자를 확인한다.\n"
    )
    bare = [{"document": "b", "title": "사례 둘", "kind": "finding", "text": f"리스료 {n}건을 적출함"} for n in "12"]
    (folder / "documents" / "two.jsonl").write_text("\n".join(json.dumps(each) for each in bare))
    async with asking(tmp_path / "data", folder) as ask:
        markdown = await ask("용역비 관련 적출 사례")
        sectionless = await ask("리스료 관련 적출 사례")
    assert "- 가공 용역비 3억원을 적출함. [1]\n\n**착안**\n\n- 용역 결과물이 있는지 본다. [2]" in markdown.answer
    assert "**착안**" not in sectionless.answer and "리스료 2건을 적출함" in sectionless.answer
    assert "사례 1건에 적출 2건이 있습니다." in sectionless.search_strategy


# --- the questions


async def test_its_own_questions_reach_what_is_asked_of_them(tmp_path, pack):
    questions = load_questions(pack.folder / "eval.yaml")
    assert len(questions.questions) == 30
    assert sum(not each.answered for each in questions.questions) == 5
    rows = await run_questions(Settings.load(pack="tax_audit", data=tmp_path), questions)
    assert shortfalls(rows, questions.bar) == []


def test_two_look_ups_in_one_message_are_told_one_after_the_other(ask):
    told = ask("상품권 적출 사례 찾아줘. 그리고 현금 매출 누락 사례도 알려줘")
    headings = ("**상품권 적출 사례 찾아줘.**", "**현금 매출 누락 사례도 알려줘**")
    before, _, rest = told["answer"].partition(headings[0])
    first, _, second = rest.partition(headings[1])
    assert told["response_type"] == "answer" and not before
    assert "상품권" in first and "**착안**" in first and "현금" in second


def test_of_two_look_ups_the_one_that_finds_nothing_is_said_to(ask):
    told = ask("리베이트 적출 사례 찾아주고 상품권 관련 적출 사례도 찾아줘")
    assert "문서에서 답을 찾지 못한 부분: 리베이트" in told["answer"] and "상품권 5천만원" in told["answer"]


def test_a_section_is_that_of_the_cases_that_were_told(ask):
    ask("가지급금 인정이자 적출 사례 보여줘", "--thread", "sections")
    told = ask("기법이 뭐예요?", "--thread", "sections")
    assert (told["route"], told["response_type"]) == ("explain", "answer")
    assert [(each["document_id"], each["section"]) for each in told["citations"]] == (
        [("ta-03", "기법")] * 2 + [("ta-01", "기법")] * 3
    )
    assert told["answer"].count("**기법**") == 2
    second = ask("두 번째 사례의 착안만 다시", "--thread", "sections")
    assert {(each["document_id"], each["section"]) for each in second["citations"]} == {("ta-01", "착안")}


def test_a_section_of_no_case_is_asked_back_about(ask):
    ask("리베이트 적출 사례 찾아줘", "--thread", "no case")
    assert ask("착안은?", "--thread", "no case")["response_type"] == "clarification"


def test_a_case_that_has_both_is_one_question(ask):
    told = ask("미환류소득이랑 대리납부 둘 다 나오는 합병법인 사례 있어?")
    assert len(told["plan"]["steps"]) == 1 and told["response_type"] == "answer"
    assert set(told["keyword_freq"]) == {"합병법인", "미환류소득", "대리납부"} and told["warnings"] == []


def test_a_part_of_a_case_is_told_by_its_name_with_a_syllable(ask):
    ask("가공세금계산서 적출 사례 찾아줘", "--thread", "part of a case")
    told = ask("착안점만 알려줘", "--thread", "part of a case")
    assert told["route"] == "explain" and "**착안**" in told["answer"] and "**기법**" not in told["answer"]
    ask("매출 누락 적출 사례 찾아줘", "--thread", "second")
    told = ask("두 번째 사례의 착안점은?", "--thread", "second")
    assert told["response_type"] == "answer" and "숙박업" in told["answer"]


@pytest.mark.parametrize(
    ("question", "case", "word"),
    [
        ("cases about bad debts", "ta-01", "대손금"),
        ("find audit cases on title trust", "ta-17", "명의신탁"),
        ("페이퍼컴퍼니 사례 찾아줘", "ta-21", "도관회사"),
    ],
)
def test_cases_are_found_by_what_the_pack_calls_the_same_thing(ask, question, case, word):
    told = ask(question, "--thread", question)
    assert told["response_type"] == "answer" and {each["document_id"] for each in told["citations"]} == {case}
    assert told["expansion"][0]["must_have"] == [word] and word in told["answer"] and told["warnings"] == []


def test_a_thing_without_another_name_that_stands_somewhere_is_not_found(ask):
    assert ask("cases about comets", "--thread", "comets")["response_type"] == "not_found"


@pytest.mark.parametrize(
    ("question", "fact"),
    [("when is the gift tax due?", "3 months"), ("how long does a tax audit take?", "20 days"),
     ("what is a provisional payment?", "related party")],
)  # fmt: skip
def test_who_asks_in_english_is_told_what_the_korean_guides_tell(ask, question, fact):
    told = ask(question, "--as", "somebody from abroad")
    assert told["response_type"] == "answer" and fact in told["answer"].split("[1]")[0]
    korean = ask("과소자본세제가 뭐예요?", "--as", "somebody from abroad")
    assert korean["citations"][0]["document_id"] == "guide/international.md"


@pytest.mark.parametrize(
    ("question", "order"),
    [
        ("가지급금 인정이자 적출 사례 보여줘", "엑셀 파일로 만들어줘"),
        ("cases about bad debts", "make a file of that"),
        ("cases about bad debts", "export that to excel"),
    ],
)
def test_a_file_behind_a_look_up_holds_the_cases_as_they_were_told(ask, question, order):
    thread = ("--thread", f"{question} {order}")
    told = ask(question, *thread)
    made = ask(order, *thread)
    (report,) = made["structured_data"]["documents"]
    assert not report["blanks"] and made["files"] and report["title"].endswith(question.removesuffix(" 보여줘"))
    plain = " ".join(report["markdown"].replace("\\", "").split())
    assert all(" ".join(citation["quote"].split()) in plain for citation in told["citations"])
    assert "**착안**" in report["markdown"] and "**기법**" in report["markdown"]


def test_a_file_of_cases_of_one_industry_holds_no_others(ask):
    thread = ("--thread", "industry")
    told = {citation["document_id"] for citation in ask("제조업 적출 사례", *thread)["citations"]}
    (report,) = ask("파일로 만들어줘", *thread)["structured_data"]["documents"]
    assert told and report["markdown"].count("제조업") >= len(told) and "음식점업" not in report["markdown"]


@pytest.mark.parametrize(
    ("order", "topic", "asked"),
    [("파일로 만들어줘", "가지급금 인정이자", "무엇을 담을까요"), ("write a report", "bad debts", "be about?")],
)
def test_a_report_of_nothing_is_asked_back_about(ask, order, topic, asked):
    thread = ("--thread", order)
    first = ask(order, *thread)
    assert first["route"] == "clarify" and asked in first["answer"] and not first["files"]
    assert ask(order, *thread)["route"] == "clarify"
    made = ask(topic, *thread)
    assert made["files"] and made["structured_data"]["documents"][0]["title"].endswith(topic)
