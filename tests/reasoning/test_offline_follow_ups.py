from dataclasses import replace

import pytest

from agent.reasoning.rules import OfflineReasoner
from agent.reasoning.rules.thread import answer_points, context_dependence, restated_question, standalone_question
from agent.reasoning.rules.thread.history import Past, content
from tests.contracts.reasoning import message, turn
from tests.cost import spent


async def resolved(question, *earlier):
    return await OfflineReasoner().resolve(message(question, *(turn(text) for text in earlier)))


MAC = "How do I set up the VPN on macOS?"
DAYS = "How many leave days do I get?"


@pytest.mark.parametrize(
    ("earlier", "question", "meant"),
    [
        (MAC, "What if it does not connect?", "VPN"),
        (MAC, "why?", "VPN"),
        (DAYS, "what about contractors?", "leave"),
        (DAYS, "Can I carry them over?", "leave"),
        ("What is the hotel limit in London?", "and in Berlin?", "hotel"),
        ("What is WireGuard?", "How do I install it?", "WireGuard"),
        ("Who was Ada Lovelace?", "What were her main works?", "Ada Lovelace"),
        ("How do I get a parking permit?", "how long does it take", "parking permit"),
        ("compare kubernetes to nomad", "which is better", "kubernetes"),
        ("연차는 며칠인가요?", "그건 어떻게 신청하나요?", "연차"),
        ("연차는 며칠인가요?", "어떻게 신청하나요?", "연차"),
        ("macOS에서 VPN은 어떻게 설정하나요?", "그걸 꼭 써야 하나요?", "VPN"),
    ],
)
async def test_a_follow_up_says_what_it_leaves_out(earlier, question, meant):
    result = await resolved(question, earlier)
    assert result.changed and meant in result.text


async def test_what_is_left_out_stands_in_brackets_behind_the_message():
    assert (await resolved("How do I install it?", "What is WireGuard?")).text == "How do I install it? (WireGuard)"


@pytest.mark.parametrize(
    "question",
    [
        "How many leave days do I get?",
        "Is it allowed to bring my dog to the office?",
        "Does the VPN work on Windows?",
        "What documents does a new supplier have to send?",
        "only employees with a badge may park here, right?",
        "법인카드는 어떻게 신청하나요?",
        "신입은 연차가 며칠인가요?",
    ],
)
async def test_a_question_of_its_own_stays_as_it_is(question):
    result = await resolved(question, MAC)
    assert result.text == question and not result.changed


async def test_a_question_of_its_own_inherits_less_than_one_that_leans():
    own = await resolved("Which documents do I need to open an account for a new supplier?", MAC)
    leaning_ = await resolved("why does it fail?", MAC)
    assert max(term.weight for term in own.terms) < max(term.weight for term in leaning_.terms)


async def test_a_follow_up_inherits_terms_that_fade_with_every_turn():
    result = await resolved("How long does it take?", "Who issues the badge?", "How do I get a parking permit?")
    weights = {term.text: term.weight for term in result.terms}
    assert 0 < weights["badge"] < weights["parking"] < 1


async def test_what_was_said_again_weighs_more_than_what_was_said_once():
    earlier = ("Who issues the badge?", "Is the badge valid in the lobby?", "Where is the canteen?")
    weights = {term.text: term.weight for term in (await resolved("How long does it take?", *earlier)).terms}
    assert weights["badge"] > weights["lobby"]


async def test_the_words_that_opened_the_conversation_do_not_fade_away():
    earlier = ("Who issues the badge?", *(f"Where is room {name}?" for name in ("Alba", "Brisa", "Cima", "Duna")))
    weights = {term.text: term.weight for term in (await resolved("How long does it take?", *earlier)).terms}
    assert weights["badge"] > weights["alba"]


@pytest.mark.parametrize(
    ("earlier", "question", "old"),
    [
        (MAC, "and on Windows?", "macos"),
        (MAC, "and how do I do that on Windows?", "macos"),
        ("What is the hotel limit in London?", "and in Berlin?", "london"),
        ("Can I sell GPL software?", "what about MIT?", "gpl"),
    ],
)
async def test_what_was_replaced_is_neither_said_nor_searched_for(earlier, question, old):
    result = await resolved(question, earlier)
    assert old not in result.text.lower() and old not in {term.text for term in result.terms}


async def test_what_only_names_another_thing_asks_what_was_asked_of_the_first():
    earlier = [turn("Can I sell GPL software?")]
    for question in ("what about MIT?", "and Apache?", "how about BSD?"):
        result = await OfflineReasoner().resolve(message(question, *earlier))
        assert result.text == f"{question} (sell software)"
        earlier.append(turn(question, result.text))
    result = await resolved("LGPL은?", "GPL에서 소스코드 공개 의무가 뭐야?", "그럼 MIT는요?")
    assert result.text == "LGPL은? (소스코드 공개 의무)"


async def test_of_several_names_it_is_not_told_which_another_one_stands_for():
    result = await resolved("what about Discord?", "Does Slack support SSO?")
    assert {"slack", "sso"} <= {term.text for term in result.terms}


async def test_the_topic_of_a_chain_of_follow_ups_is_kept():
    turns = (turn("What is parental leave?"), turn("How long is it?", "How long is parental leave?"))
    result = await OfflineReasoner().resolve(message("Is it paid?", *turns))
    assert result.text == "Is it paid? (parental leave)"


# --- documents -----------------------------------------------------------------------------------


def found(question, *documents, cited=()):
    return replace(turn(question), evidence=tuple(cited), documents=documents)


async def test_documents_of_the_turns_before_count_more_and_the_best_of_the_last_turn_most():
    turns = (found(DAYS, "leave.md"), found(MAC, "vpn.md", "network.md"))
    before = (await OfflineReasoner().resolve(message("what if it fails?", *turns))).before
    assert before["vpn.md"] > before["network.md"] > 0 and before["vpn.md"] > before["leave.md"] > 0


async def test_documents_count_also_after_a_turn_that_told_nothing():
    silent = replace(found(MAC, "vpn.md"), answer="I found nothing in the documents.", titles=())
    assert (await OfflineReasoner().resolve(message("and on Windows?", silent))).before["vpn.md"] > 0


ROTA = ["How do I get a parking permit?", "how long does it take", "Which oven bakes the rye bread?"]


async def about_the_oven(last):
    """Return what is read behind a rye bread that came after a permit; the last turn rests on this document."""
    told = [found(ROTA[0], "parking"), found(ROTA[1], "parking"), found(ROTA[2], last)]
    return await OfflineReasoner().resolve(message("how hot does it get", *told))


async def test_a_question_of_its_own_with_another_document_begins_another_topic():
    new, same = await about_the_oven("ovens"), await about_the_oven("parking")
    permit = [{term.text: term.weight for term in each.terms}["permit"] for each in (new, same)]
    assert permit[0] < permit[1] / 2
    assert new.before["parking"] < same.before["parking"] / 2
    assert "oven" in new.text and "permit" not in new.text


async def test_who_names_the_earlier_topic_again_is_back_at_it():
    told = [found(ROTA[0], "parking"), found(ROTA[1], "parking"), found(ROTA[2], "ovens")]
    back, on = [
        (await OfflineReasoner().resolve(message(text, *told))).before for text in ("is the permit free", "how")
    ]
    assert back["parking"] > 2 * on["parking"]


async def test_documents_count_less_for_a_question_of_its_own():
    own = await OfflineReasoner().resolve(message("Which documents does a new supplier have to send?", found(MAC, "v")))
    follow_up = await OfflineReasoner().resolve(message("what if it fails?", found(MAC, "v")))
    assert 0 < own.before["v"] < follow_up.before["v"]


# --- how much it leans ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("leans", "alone"),
    [
        ("how long does it take?", "How do I book a desk in the Oslo office for a visitor?"),
        ("and for contractors?", "Who pays for the courses of contractors?"),
        ("그건 얼마예요?", "주차권은 어디에서 신청하고 얼마를 내야 하나요?"),
    ],
)
def test_a_message_that_points_back_leans_more(leans, alone):
    past = [Past(MAC, MAC)]
    assert context_dependence.leans(leans, past) > context_dependence.LEANS > context_dependence.leans(alone, past)


@pytest.mark.parametrize(
    ("message", "elsewhere"),
    [
        ("btw how much is the soup", True), ("ok different question: where is the lift", True),
        ("by the way, who approves it?", False), ("something else?", False), ("another one", False),
        ("그나저나 승강기는 어디야?", True), ("다른 질문인데요, 승강기는 어디예요?", True), ("다른 방법은?", False),
    ],
)  # fmt: skip
def test_who_says_so_turns_to_something_else(message, elsewhere):
    past = [Past(MAC, MAC)]
    found = standalone_question.standalone(message, past)
    assert (not found.terms and not found.before and not found.changed) is elsewhere


async def test_what_a_message_quotes_is_what_it_is_about():
    told = await OfflineReasoner().resolve(message("> You can work remotely 3 days a week.\nis that true for temps?"))
    assert "remotely" in {term.text for term in told.terms} and "remotely" in told.text


LONG = ["가" * 8000, "100원" * 2000, "a, " * 4000, "그거 " * 2600, "it that " * 1000, "?" * 8000, "은 " * 4000]


@pytest.mark.parametrize("text", LONG, ids=range(len(LONG)))
async def test_a_long_message_costs_little(text):
    await resolved("warm", "up")
    past = [turn(text[:4000]), turn(text), turn(MAC)]
    with spent() as cost:
        result = await OfflineReasoner().resolve(message(text, *past))
        await OfflineReasoner().resolve(message("what about it?", *past))
    assert cost.pieces < 50  # a tenth of that
    assert not result.changed


# --- another form, another choice ----------------------------------------------------------------


@pytest.mark.parametrize("form", ["shorter", "as a table please", "say that again", "짧게 요약해줘", "목록으로"])
async def test_another_form_of_no_answer_asks_the_question_again(form):
    assert (await resolved(form, MAC)).text == MAC


PRICE = "What does the sauna cost for guests?"


@pytest.mark.parametrize(
    ("earlier", "question", "standalone"),
    [
        (PRICE, "No, for members not guests", "What does the sauna cost for members?"),
        (PRICE, "not guests, I meant members", "What does the sauna cost for members?"),
        (PRICE, "sorry, I mean on Sundays", "What does the sauna cost for guests on Sundays?"),
        (PRICE, "no the small one", "What does the sauna cost for guests the small one?"),
        ("손님 사우나 요금 얼마야?", "아니 손님 말고 회원이요", "회원 사우나 요금 얼마야?"),
        ("사우나 요금 얼마야?", "손님이 아니라 회원은요?", "회원 사우나 요금 얼마야?"),
        ("사우나 요금 얼마야?", "아니요, 주말 말이에요", "주말 사우나 요금 얼마야?"),
        ("What does a ticket to Oslo cost?", "no, Bergen!", "What does a ticket to Bergen cost?"),
        ("What does a ticket to Oslo cost?", "Bergen I mean", "What does a ticket to Bergen cost?"),
        (
            "What does a ticket to Oslo cost?",
            "oh, I was asking about Bergen",
            "What does a ticket to Bergen cost?",
        ),
        ("When is the pool open on Monday?", "no I meant on Tuesday", "When is the pool open on Tuesday?"),
        ("When is the pool open on Monday?", "no, in Bergen", "When is the pool open on Monday in Bergen?"),
        ("월요일에 수영장 언제 열어요?", "앗 화요일 말한 거예요", "화요일 수영장 언제 열어요?"),
        ("수영장 입장료 얼마예요?", "아니 회원권이요", "회원권 수영장 입장료 얼마예요?"),
    ],
)
async def test_who_puts_right_what_was_meant_asks_the_same_of_it(earlier, question, standalone):
    assert (await resolved(question, earlier)).text == standalone


@pytest.mark.parametrize("question", ["no, what does the pool cost?", "I mean it", "for members", "아니 그게 아니라"])
async def test_a_message_that_puts_nothing_in_its_place_is_read_by_itself(question):
    assert (await resolved(question, PRICE)).text.startswith(question.rstrip("?"))


@pytest.mark.parametrize(
    ("question", "standalone"),
    [
        ("no, the kettle", "How long is the warranty? (Kettle guide)"),
        ("and the other one?", "How long is the warranty? (Kettle guide)"),
        ("what about the kettle", "How long is the warranty? (Kettle guide)"),
        ("how do I clean the kettle", "how do I clean the kettle"),
    ],
)
async def test_another_choice_than_before_asks_the_same_of_it(question, standalone):
    asked = replace(
        turn("How long is the warranty?"), route="clarify", answer="Which one?\n\n1. Kettle guide\n2. Lantern guide"
    )
    chosen = turn("How long is the warranty? (Lantern guide)")
    made = await OfflineReasoner().resolve(message(question, asked, chosen))
    assert made.text.startswith(standalone)


LUNCH = Past("점심 뭐 있어?", "점심 뭐 있어?", "- 김밥\n- 라면\n- 우동")


@pytest.mark.parametrize(
    ("question", "meant"),
    [("두 번째는?", "라면은?"), ("3번 알려줘", "우동 알려줘"), ("마지막 거요", "우동요"), ("둘째날은?", ""),
     ("마지막 날은?", ""), ("마지막으로 병가는?", ""), ("3번 이상 늦으면?", ""),
     ("2번 틀리면 잠겨요?", ""), ("1번 창고는 어디예요?", ""),
     ("2번은 왜 안 돼요?", "라면은 왜 안 돼요?"), ("그럼 1번 좀 더", "그럼 김밥 좀 더")],
)  # fmt: skip
def test_a_word_of_order_means_a_point_where_it_is_no_part_of_another_name(question, meant):
    assert answer_points.written_out(question, [LUNCH]) == meant


def test_a_number_means_no_point_of_an_answer_that_is_no_list():
    assert answer_points.written_out("and the last one?", [Past("is it free?", "is it free?", "Yes.")]) == ""


def test_a_contraction_of_small_words_is_nothing_that_a_thread_is_about():
    words = content("I'm ill, what's the rule, we've asked, don't worry about Anna's desk")
    assert [word.text for word in words if "'" in word.text] == ["Anna's"]


async def test_a_name_in_capitals_points_at_nothing():
    small, capitals = [await resolved(f"who is head of {name}?", DAYS) for name in ("it", "IT")]
    assert small.leans > context_dependence.LEANS > capitals.leans
    assert small.changed and not capitals.changed


async def test_a_name_in_capitals_is_inherited_as_it_is_written():
    (term,) = (each for each in (await resolved("and on Sundays?", "When is IT there?")).terms if each.text == "IT")
    assert term.weight > 0


ROW = (
    "**Directory › Mill**\n\n| Job | Name | Room |\n| --- | --- | --- |\n| **Herons** | **Ann Grey Heron** | **N208** |"
)


@pytest.mark.parametrize(
    ("earlier", "answer", "question", "meant"),
    [
        ("Who feeds the herons?", ROW, "what's her number", "what's Ann Grey Heron's number"),
        ("Who feeds the herons?", ROW, "and where does she sit?", "and where does Ann Grey Heron sit?"),
        ("Who feeds the herons?", ROW, "can I call her directly?", "can I call Ann Grey Heron directly?"),
        ("Who feeds the herons?", ROW, "what's the number", ""),
        ("Who feeds the herons?", ROW, "is Ben Goose her deputy?", ""),
        ("Where is Ada Goose?", ROW, "what's her number", ""),
        ("Where are the herons?", "**Old Mill** keeps them. [1]", "and if she's away", ""),
        ("Who feeds the herons?", "**Rules › Old Mill**\n\nNobody does. [1]", "what's her number", ""),
    ],
)
def test_a_person_is_the_one_whom_the_answer_before_names(earlier, answer, question, meant):
    assert restated_question.of_person(question, Past(earlier, earlier, answer)) == meant


ROWS = "| Grade | A month |\n| --- | --- |\n| Interns | 50 |\n| Team leads | 150 |\n| 본부장 | 300 |\n| 사원 | 50 |"
GRADES = f"**Cards**\n\n{ROWS}"


@pytest.mark.parametrize(
    ("earlier", "question", "meant"),
    [
        (
            "What is the limit of a card for leads?",
            "no not that, I meant interns",
            "What is the limit of a card for interns?",
        ),
        ("본부장 카드 한도 얼마야?", "아니 그거 말고 사원이요", "사원 카드 한도 얼마야?"),
        ("카드 한도는? (본부장)", "아니 사원 말이야", "카드 한도는? (사원)"),
    ],
)
def test_what_stands_in_another_row_of_the_answer_is_put_in_the_place_of_its_own(earlier, question, meant):
    assert restated_question.restated(question, Past("x", earlier, GRADES)) == meant


@pytest.mark.parametrize(
    ("earlier", "question", "meant"),
    [
        ("What is the limit of a card?", "I'm an intern", "What is the limit of a card I'm an intern?"),
        ("카드 한도 얼마야?", "본부장인데", "본부장인데 카드 한도 얼마야?"),
        ("What is the limit of a card?", "I'm a gardener", ""),
        ("What is the limit of a card?", "how do interns apply", ""),
        ("What is the limit of a card for interns?", "I'm a team lead", ""),
        ("카드 한도 얼마야?", "I'm an intern", ""),
    ],
)
def test_who_only_names_a_row_of_the_answer_asks_the_question_before_about_it(earlier, question, meant):
    assert restated_question.restated(question, Past(earlier, earlier, GRADES)) == meant
