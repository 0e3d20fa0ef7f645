"""The pack of the real-estate assistant: what is in it, and its worked examples through `weft ask`."""

import re

import pytest

from agent.packs.load import builtin, load_pack
from agent.reasoning.rules.reading.slots import slots_of
from bot.app import open_engine
from bot.operator.asking import Asker, Console
from bot.settings import Settings
from tests.reasoning_model.capable import capable
from tests.servers.openai import OpenAIServer


@pytest.fixture(scope="module")
def pack():
    return load_pack(builtin("real_estate"))


def test_its_documents_are_dated_and_lie_in_the_collections_of_its_scopes(pack, documents):
    holdings = pack.holdings()
    assert set(holdings) == {"legal", "loan", "property"}
    assert {name for scope in pack.scopes for name in scope.collections} == {*holdings, "documents"}
    size = sum(path.stat().st_size for path in pack.documents.rglob("*") if path.is_file())
    assert len(documents) >= 12 and size >= 40_000
    tables = {"한빛구-시장-시세-거래", "hanbit-gu-market-prices-transactions"}  # which tell no date
    assert {document.title for document in documents.values() if not document.date} == tables


@pytest.mark.parametrize(
    ("share", "verdict"), [("전세금 5% 인상 가능해?", "네"), ("전세금 10% 인상 가능해?", "아니요")]
)
def test_an_increase_is_held_against_the_limit_of_the_law(ask, share, verdict):
    told = ask(share)
    assert told["intent"]["name"] == "legal_consult" and told["intent"]["confidence"] > 0.8
    assert {"전세금", "인상"} <= set(told["intent"]["keywords"])
    assert [step["task"] for step in told["plan"]["steps"]] == ["법률 정보 검색"]
    assert told["answer"].startswith(f"{verdict}.") and told["response_type"] == "answer"
    assert "주택임대차보호법 제7조" in told["citations"][0]["section"]


@pytest.mark.parametrize(
    ("question", "verdict", "law"),
    [
        ("전세 보증금을 4.9퍼센트 올려도 되나요?", "네", "주택임대차보호법"),
        ("월세를 십 퍼센트 올려도 되나요?", "아니요", "주택임대차보호법"),
        ("집주인이 보증금을 8% 올려도 되나요?", "아니요", "주택임대차보호법"),
        ("가게 월세 3% 올려도 되나요?", "네", "가게"),
        ("상가 임대료 7% 인상 가능해?", "아니요", "가게"),
    ],
)
def test_a_verdict_rests_on_the_law_for_what_is_let_in_whatever_words(ask, question, verdict, law):
    told = ask(question)
    assert told["answer"].startswith(f"{verdict}.") and law in told["citations"][0]["section"]


@pytest.mark.parametrize("question", ["LTV가 뭐예요?", "전세가율이 뭐예요?", "대항력이 뭐야?"])
def test_what_a_term_means_is_told_however_it_is_asked(ask, question):
    assert ask(question)["response_type"] == "answer"


def test_an_increase_in_english(ask):
    told = ask("Can my landlord raise the rent by 8%?")
    assert told["answer"].startswith("No.") and told["plan"]["steps"][0]["task"] == "Search the law"


def test_what_a_guide_says_of_the_one_side_is_told_to_the_other(ask):
    me = ("--as", "a tenant", "--thread", "sides")
    assert ask("나는 세입자야", *me)["slots"]["role"] == ["tenant"]
    told = ask("보증금을 못 돌려받으면 어떻게 해야 하나요?", *me)
    assert told["warnings"] == [] and "집주인이 안 줄 때" in told["citations"][0]["section"]


@pytest.mark.parametrize(
    ("told", "deposit"),
    [
        ("내 월급은 300만원이야", None),
        ("월세 50만원 내고 있어요", None),
        ("보증금 1억에 월세 50만원이에요", 100_000_000),
        ("전세금으로 3억 5000만원 냈어요", 350_000_000),
        ("my deposit is 300 million won", 300_000_000),
        ("아니 2억", 200_000_000),
        ("no, 200 million won", 200_000_000),
    ],
)
def test_an_amount_is_the_deposit_where_it_is_called_so_or_stands_alone(pack, told, deposit):
    assert slots_of(told, pack.slots).get("deposit") == deposit


def test_an_amount_is_written_alike_when_it_is_kept_and_when_it_is_forgotten(ask):
    me = ("--as", "somebody with a deposit", "--thread", "amounts")
    assert "보증금: 300,000,000원" in ask("내 보증금은 3억이야", *me)["answer"]
    assert "보증금: 300,000,000원" in ask("보증금은 잊어줘", *me)["answer"]


def test_its_own_questions_reach_the_bar_of_their_file(weft, pack):
    marked = weft("eval", str(pack.folder / "eval.yaml"), "--pack", pack.name)
    assert marked["totals"]["questions"] == 30 and marked["below"] == []


def test_what_is_no_matter_of_homes_is_declined(ask):
    assert ask("내일 날씨 어때?")["response_type"] == "declined"


@pytest.mark.parametrize("text", ["오늘 점심 뭐 먹지", "제주도 여행 코스 짜줘", "what should we have for lunch?"])
def test_what_is_likely_none_is_searched_first_and_declined_where_nothing_is_found(ask, text):
    told = ask(text)
    assert (told["route"], told["response_type"], told["nearest"]) == ("research", "declined", [])
    assert "한빛래온" not in told["answer"] and ("범위를 벗어난" in told["answer"] or "outside" in told["answer"])


def test_what_is_of_homes_and_stands_nowhere_was_not_found(ask):
    assert ask("분양권 전매 제한 기간 알려줘")["response_type"] == "not_found"


def test_a_price_is_the_price_and_not_the_number_of_deals(ask):
    assert "9억 8,000만 원" in ask("한빛래온 시세 알려줘")["answer"]


def test_a_column_is_meant_by_any_word_of_the_trade_for_it(ask):
    told = ask("서울 아파트 시세 추이를 차트로 보여줘")
    assert told["response_type"] == "analysis" and "매매가는 2026-01 70,500만원" in told["answer"]


def test_floors_and_areas_of_dated_deals_are_not_added_up(ask):
    told = ask("한빛래온과 강변타운의 위험 분석해줘")
    computed = told["answer"].partition("눈에 띄는 점")[2]
    assert "매매가 평균 | 81,866.7만원" in computed and "면적 합계" not in computed and "층 " not in computed


def test_documented_risks_are_told_beside_the_figures(ask):
    told = ask("한빛구 아파트 위험 분석해줘")
    assert "침수된 적이 있습니다" in told["answer"] and "| 매매가 평균 | 72,355.6만원 |" in told["answer"]
    assert [step["team"] for step in told["plan"]["steps"]] == ["analysis", "search"]


@pytest.mark.parametrize("order", ["한빛구 시장을 종합 분석해줘", "한빛구 시장 분석해줘"])
def test_a_market_is_analysed_by_its_transactions_not_by_what_its_complexes_are(ask, order):
    told = ask(order)["answer"]
    assert "매매가는 2026-01 70,500만원에서 2026-06 74,033.3만원으로" in told and "세대 평균" not in told


@pytest.mark.parametrize("message", ["뭐야", "그거?", "그거 알려줘", "얼마예요?", "what is it?", "tell me about it"])
def test_a_message_that_names_nothing_is_asked_what_it_is_about(ask, message):
    told = ask(message)
    assert (told["route"], told["intent"]["name"], told["citations"]) == ("decline", "unclear", [])
    assert told["answer"].startswith(("무엇에 관한 질문인지", "I cannot tell what this is about"))


@pytest.mark.parametrize(
    "message", ["전세금인상은얼마까지되나요", "LTV?", "집", "what does --user do", "what is `user`?"]
)
def test_a_message_of_one_word_that_names_something_is_searched_for(ask, message):
    assert ask(message)["route"] == "research"


def test_prices_are_charted_by_complex(ask):
    told = ask("단지별 매매가 추이를 차트로 그려줘")
    assert told["response_type"] == "analysis" and "98,000만원" in told["answer"]
    assert [file["media_type"] for file in told["files"]] == ["image/png"]


def test_a_lease_whose_increase_is_above_the_limit_is_a_high_risk(ask):
    asked = ask("임대차 계약서 초안을 써줘", "--thread", "lease")
    assert asked["response_type"] == "clarification" and "보증금" in asked["answer"] + str(asked["clarification"])
    details = "임대인: 김한빛\n임차인: 이서연\n소재지: 한빛구 한빛1동 101\n보증금: 3억원\n시작일: 2027년 3월 1일"
    told = ask(f"{details}\n종료일: 2029년 2월 28일\n인상률: 8% 인상", "--thread", "lease")
    assert told["response_type"] == "document" and "위험 높음" in told["answer"]
    assert {file["name"].rpartition(".")[2] for file in told["files"]} == {"docx", "md"}


def test_a_lease_within_the_limit_is_none(ask):
    ask("임대차 계약서 초안을 써줘", "--thread", "fair")
    details = "임대인: 김한빛\n임차인: 이서연\n소재지: 한빛구 한빛1동 101\n보증금: 3억원\n시작일: 2027년 3월 1일"
    told = ask(f"{details}\n종료일: 2029년 2월 28일\n인상률: 5% 인상", "--thread", "fair")
    assert told["response_type"] == "document" and "20분의 1)를 넘지 않음" not in told["answer"]


def test_its_statutes_are_told_word_for_word(ask):
    told = ask("주택임대차보호법 제7조의2 월차임 전환 시 산정률은 어떻게 제한되나요?")
    assert re.search("낮은 비율을 곱한 월차임의 범위를 초과할 수 없다", told["answer"])


@pytest.mark.parametrize(
    "reply",
    [
        "소재지 서울시 마포구 월드컵로 12 101동 202호",
        "주소는 서울시 마포구 월드컵로 12 101동 202호예요",
        "주소: 서울시 마포구 월드컵로 12 101동 202호",
        "서울시 마포구 월드컵로 12 101동 202호",
    ],
)
def test_an_address_is_read_however_it_is_named(ask, reply):
    thread = ("--thread", f"address {reply[:4]}")
    order = "임대차 계약서 초안을 써줘. 임대인은 김철수, 임차인은 이영희, 보증금은 3억원, "
    asked = ask(f"{order}2027년 1월 1일부터 2028년 12월 31일까지", *thread)
    assert asked["response_type"] == "clarification" and "소재지" in asked["answer"]
    told = ask(reply, *thread)
    assert (
        told["response_type"] == "document" and "| 소재지 | 서울시 마포구 월드컵로 12 101동 202호 |" in told["answer"]
    )
    assert "임대인은" not in told["answer"].partition("\n")[0]


def test_one_reply_tells_all_by_name_without_a_sign_between(ask):
    ask("임대차 계약서 초안을 써줘", "--thread", "all")
    told = ask(
        "집주인 김철수, 세입자 이영희, 주소 서울시 마포구 월드컵로 12, 보증금 3억원, "
        "2027년 1월 1일부터 2028년 12월 31일까지",
        "--thread",
        "all",
    )
    for row in (
        "| 임대인 | 김철수 |",
        "| 임차인 | 이영희 |",
        "| 소재지 | 서울시 마포구 월드컵로 12 |",
        "| 보증금 | 3억원 |",
    ):
        assert row in told["answer"]


def test_an_order_tells_all_by_name_too(ask):
    told = ask(
        "임대차계약서 써줘. 임대인 김철수, 임차인 이영희, 소재지 서울시 한빛구 한빛로 2, 보증금 3억원, "
        "2027년 3월 1일부터 2029년 2월 28일까지",
    )
    assert told["response_type"] == "document" and "| 소재지 | 서울시 한빛구 한빛로 2 |" in told["answer"]


def test_a_draft_is_titled_once_and_is_in_the_language_of_its_order(ask):
    told = ask(
        "임대인 김철수, 임차인 이영희, 소재지 서울 마포구 1-2, 보증금 3억원, "
        "2027-03-01부터 2029-02-28까지 임대차 계약서 써줘"
    )
    title = "주택 임대차 계약서 (초안)"
    assert told["answer"].startswith(f"**{title}**\n") and told["answer"].count(f"**{title}**") == 1
    text = told["structured_data"]["documents"][0]["markdown"]
    assert text.startswith(f"# {title}\n") and "보증금 지키기" in text and "Housing leases" not in text


def test_what_an_order_names_is_told_whatever_else_it_says_there_is_none_of(ask):
    told = ask(
        "임대차계약서 써줘. 임대인 김철수, 임차인 이영희, 소재지 서울시 한빛구 한빛로 2, 보증금 3억원, 7% 인상, "
        "월세 없음, 시작일 2027-01-01, 종료일 2028년 12월 31일"
    )
    assert told["response_type"] == "document" and "위험 높음" in told["answer"]
    assert "| 종전 계약 대비 인상률 | 7% |" in told["answer"]
    assert "| 기간 | 2027년 1월 1일부터 2028년 12월 31일까지 |" in told["answer"]


@pytest.mark.parametrize("order", ["소재지 확인하는 법이 들어간 임대차 계약서 써줘", "주소를 뺀 임대차 계약서 써줘"])
def test_an_order_that_speaks_of_a_detail_tells_none(ask, order):
    told = ask(order)
    assert told["response_type"] == "clarification" and "- 소재지" in told["answer"]


def test_a_question_that_begins_like_a_detail_is_a_question(ask):
    ask("임대차 계약서 초안을 써줘", "--thread", "question")
    assert ask("보증금 보호 방법 알려줘", "--thread", "question")["response_type"] in (
        "answer",
        "passages",
        "clarification",
    )


def lying(request):
    """Write the contrary of what the passages prove, and else what a good model does."""
    writes = str(request.body["messages"][0]["content"]).startswith("You answer a question")
    return "네, 10% 인상이 가능합니다. [1]" if writes else capable(request)


def beside(request):
    """Write of something else that the passages say, and else what a good model does."""
    writes = str(request.body["messages"][0]["content"]).startswith("You answer a question")
    passages = [said[0] for n in range(1, 20) if (said := request.quoted(f"passage {n}"))]
    other = next((n for n, text in enumerate(passages, start=1) if "1년 안에는 다시" in text and "5%" not in text), 0)
    return (
        f"마지막으로 올린 날부터 1년 안에는 다시 올려 달라고 할 수 없습니다. [{other}]" if writes else capable(request)
    )


@pytest.mark.parametrize(
    ("writer", "question", "begins"),
    [
        (capable, "전세금 5% 인상 가능해?", "네. "),
        (capable, "전세금 십 퍼센트 인상 가능해?", "아니요. "),
        (lying, "전세금 10% 인상 가능해?", "아니요. "),
        (beside, "전세금 8% 인상 가능해?", "아니요. "),
    ],
)
async def test_a_verdict_that_numbers_prove_stands_whatever_a_model_writes(
    tmp_path, monkeypatch, writer, question, begins
):
    async with OpenAIServer() as model:
        monkeypatch.setenv("OPENAI_BASE_URL", model.url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
        model.answer(writer)
        async with open_engine(Settings.load(pack="real_estate", data=tmp_path)) as engine:
            response = await Console(engine, quiet=True).ask(Asker().message(question, ""))
    assert response.answer.startswith(begins) and "5%" in response.answer
    assert response.intent.name == "legal_consult" and response.plan.steps[0].task == "법률 정보 검색"


@pytest.mark.parametrize(
    ("order", "reply", "rows"),
    [
        (
            "월세 계약서 만들어줘",
            "임대인 김철수, 임차인 이영희, 주소 서울시 한빛로 12, 3층, 보증금 3억 5천만원, 월세 없음, "
            "계약기간 2027년 3월 1일부터 2029년 2월 28일까지",
            ("| 임차인 | 이영희 |", "| 소재지 | 서울시 한빛로 12, 3층 |", "| 보증금 | 3억 5천만원 |", "2027년 3월"),
        ),
        (
            "draft a lease contract for my flat",
            "landlord Ann Roe, tenant Bo Lee, address 3B, 12 Main St., deposit 20 million won, "
            "term from 1 May 2027 to 30 April 2029",
            ("| Tenant | Bo Lee |", "| Address | 3B, 12 Main St. |", "| Deposit | 20 million won |", "from 1 May 2027"),
        ),
    ],
)  # fmt: skip
def test_each_value_of_a_reply_ends_where_the_next_begins_and_the_title_tells_no_order(ask, order, reply, rows):
    ask(order, "--thread", reply)
    told = ask(reply, "--thread", reply)
    assert told["response_type"] == "document" and not [row for row in rows if row not in told["answer"]]
    title = told["files"][0]["text"]
    assert title in ("주택 임대차 계약서 (초안): 월세", "Lease contract (draft): flat")


@pytest.mark.parametrize("order", ["한빛래온의 위험을 분석해줘", "한빛래온 거래를 종합 분석해줘"])
def test_what_is_named_is_analysed_alone_and_what_only_describes_it_is_no_figure(ask, order):
    told = ask(order)
    figures = told["answer"].split("눈에 띄는 점")[1]
    assert "92,000만원에서 2026-06 98,000만원으로" in figures and "면적" not in figures and "강변타운" not in figures
    assert "면적" not in told["files"][0]["text"]


@pytest.mark.parametrize("order", ["단지별 매매가 추이를 차트로 그려줘", "임대차 계약서 초안을 써줘\n그냥 써줘"])
def test_what_was_written_or_computed_before_is_not_said_to_have_changed(ask, order):
    for time in ("first", "second"):
        for line in order.splitlines():
            told = ask(line, "--thread", f"{time} {order}", "--as", "somebody who asks twice")
    assert told["files"] and told["warnings"] == []


def test_a_report_behind_an_analysis_tells_its_figures_with_their_source(ask):
    told = ask("단지별 매매가 추이를 분석하고 보고서를 작성해줘")
    report = told["structured_data"]["documents"][0]
    overview, sources = report["markdown"].split("## 개요")[1].split("## 출처")
    assert "98,000만원으로 늘었습니다" in overview and "[1]" in overview and "한빛구-시장-시세-거래" in sources
    assert report["blanks"] == [] and report["review"]["risk_level"] == "low"


@pytest.mark.parametrize(
    "term", ["2027.3.1~2029.2.28", "2027년 3월 1일부터 2년", "2027년 3월 1일부터 2029년 2월 28일까지"]
)
def test_a_term_fills_both_of_its_days_however_it_is_told(ask, term):
    told = ask(f"전세 계약서 써줘. 임대인 김철수, 임차인 이영희, 보증금 3억원, 소재지 래온동 101동, {term}")
    assert "2027년 3월 1일부터 2029년 2월 28일까지" in told["answer"] and told["response_type"] == "document"


@pytest.mark.parametrize(
    ("question", "guide"),
    [
        ("acquisition tax when buying a home", "loan/mortgages.md"),
        ("what should I look at when I view a home?", "property/viewing-a-home.md"),
        ("how long can a shop lease be renewed?", "legal/shop-lease-guide.md"),
        ("until when can I take out the deposit guarantee?", "loan/jeonse-loans-and-guarantees.md"),
    ],
)
def test_who_asks_in_english_reads_english(ask, question, guide):
    told = ask(question, "--as", "somebody from abroad")
    assert told["response_type"] in ("answer", "passages") and told["citations"][0]["document_id"] == guide


def test_a_comprehensive_analysis_is_one_order_of_figures_risks_and_what_to_check(ask):
    told = ask("한빛구 아파트 종합 분석 보고서")
    (report,) = told["structured_data"]["documents"]
    market, rest = report["markdown"].split("## 시장")[1].split("## 위험")
    assert report["template"] == "comprehensive_report" and "+5%" in market and "98,000만원" in market
    assert "침수" in rest and any(each["media_type"] == "image/png" for each in told["files"])
    assert ask("전세금 인상 한도 보고서 써줘")["structured_data"]["documents"][0]["template"] == "report"


def test_a_file_of_a_chart_has_its_figures(ask):
    thread = ("--thread", "a file of a chart")
    ask("한빛래온 매매가 추이 그래프 그려줘", *thread)
    (report,) = ask("파일로 만들어줘", *thread)["structured_data"]["documents"]
    assert "92,000만원에서 2026-06 98,000만원으로" in report["markdown"]
    assert report["title"] == "보고서: 한빛래온 매매가"


@pytest.mark.parametrize("order", ["write a market report on Hanbit-gu", "draft a market analysis report"])
def test_an_english_market_report_tells_the_figures_of_the_english_documents(ask, order):
    told = ask(order)
    assert told["plan"]["steps"][0]["team"] == "analysis"
    (report,) = told["structured_data"]["documents"]
    assert report["template"] == "comprehensive_report" and not report["blanks"]
    market = report["markdown"].partition("## Market\n")[2].partition("\n## ")[0]
    assert "+5%" in market and "980" in market and not re.search("[가-힣]", market)


def test_a_market_report_in_korean_is_of_figures_without_the_word_analysis(ask):
    (report,) = ask("한빛구 시장 보고서 써줘")["structured_data"]["documents"]
    assert report["template"] == "comprehensive_report" and "+5%" in report["markdown"] and not report["blanks"]
    assert ask("보증금 보호에 대한 보고서 써줘")["structured_data"]["documents"][0]["template"] == "report"
