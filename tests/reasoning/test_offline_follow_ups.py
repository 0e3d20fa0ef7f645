from dataclasses import replace

import pytest

from agent.reasoning.offline import OfflineReasoner
from tests.contracts.reasoning import message, turn


async def resolved(question, *earlier):
    return await OfflineReasoner().resolve(message(question, *(turn(text) for text in earlier)))


MAC = "How do I set up the VPN on macOS?"
DAYS = "How many leave days do I get?"


@pytest.mark.parametrize(
    ("earlier", "question", "standalone"),
    [
        (MAC, "and how do I do that on Windows?", "How do I set up the VPN on Windows?"),
        (MAC, "and on Windows?", "How do I set up the VPN on Windows?"),
        (MAC, "What about Linux?", "How do I set up the VPN on Linux?"),
        (MAC, "What if it does not connect?", "What if the VPN does not connect?"),
        (MAC, "why?", "why? (set up the VPN on macOS)"),
        (DAYS, "what about contractors?", "How many leave days do contractors get?"),
        (DAYS, "Can I carry them over?", "Can I carry leave days over?"),
        ("How many days of sick leave do I get?", "and parental leave?", "How many days of parental leave do I get?"),
        ("What is the hotel limit in London?", "and in Berlin?", "What is the hotel limit in Berlin?"),
        ("What is the hotel limit in London?", "what about New York?", "What is the hotel limit in New York?"),
        ("What is WireGuard?", "How do I install it?", "How do I install WireGuard?"),
        ("Who was Ada Lovelace?", "What were her main works?", "What were Ada Lovelace's main works?"),
        ("연차는 며칠인가요?", "병가는요?", "병가는 며칠인가요?"),
        ("연차는 며칠인가요?", "그건 어떻게 신청하나요?", "연차는 어떻게 신청하나요?"),
        ("연차는 며칠인가요?", "어떻게 신청하나요?", "연차는 어떻게 신청하나요?"),
        ("연차는 며칠인가요?", "그럼 육아휴직은?", "육아휴직은 며칠인가요?"),
        ("macOS에서 VPN은 어떻게 설정하나요?", "윈도우에서는요?", "윈도우에서 VPN은 어떻게 설정하나요?"),
        ("macOS에서 VPN은 어떻게 설정하나요?", "그걸 꼭 써야 하나요?", "VPN을 꼭 써야 하나요?"),
        ("육아휴직은 얼마나 쓸 수 있나요?", "더 자세히 알려줘", "육아휴직을 더 자세히 알려줘"),
    ],
)
async def test_a_follow_up_becomes_a_question_of_its_own(earlier, question, standalone):
    result = await resolved(question, earlier)
    assert result.text == standalone and result.changed


@pytest.mark.parametrize(
    "question",
    [
        "How many leave days do I get?",
        "Is it allowed to bring my dog to the office?",
        "If I lose my laptop, how do I report it?",
        "Does the VPN work on Windows?",
        "법인카드는 어떻게 신청하나요?",
    ],
)
async def test_a_question_of_its_own_stays_as_it_is(question):
    result = await resolved(question, MAC)
    assert result.text == question and not result.changed
    assert all(term.weight < 0.2 for term in result.terms)


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


async def test_what_was_replaced_is_not_searched_for():
    terms = {term.text for term in (await resolved("and on Windows?", MAC)).terms}
    assert "macos" not in terms


async def test_the_topic_of_a_chain_of_follow_ups_is_kept():
    turns = (turn("What is parental leave?"), turn("How long is it?", "How long is parental leave?"))
    result = await OfflineReasoner().resolve(message("Is it paid?", *turns))
    assert result.text == "Is parental leave paid?"


REMOTE = "How often can I work from home?"
WHO = "who approves an expense of 500,000 KRW?"


@pytest.mark.parametrize(
    ("earlier", "question", "standalone"),
    [
        # what somebody does not mean
        ("출장비 한도가 얼마예요?", "아니 그거 말고 숙박비 한도요", "숙박비 한도가 얼마예요?"),
        ("숙박비 한도가 얼마예요?", "그거 아니고 일비요", "일비 한도가 얼마예요?"),
        ("재택근무는 며칠까지 되나요?", "아니요 해외 근무요", "해외 근무는 며칠까지 되나요?"),
        ("연차는 며칠인가요?", "병가 말이에요", "병가는 며칠인가요?"),
        ("연차는 며칠인가요?", "아니요 연차요", "연차는 며칠인가요?"),
        ("what is the hotel limit in tokyo", "no, I mean the per diem", "what is the per diem in tokyo"),
        ("what is the hotel limit in tokyo", "sorry, i meant singapore", "what is the hotel limit in singapore"),
        ("How long is parental leave?", "*sick leave", "How long is sick leave?"),
        # what names its topic itself
        ("법인카드 한도는요?", "아까 그 육아휴직 급여는 얼마예요?", "육아휴직 급여는 얼마예요?"),
        ("법인카드 한도는요?", "위에서 말한 육아휴직 급여는 얼마예요?", "육아휴직 급여는 얼마예요?"),
        ("What is the dress code?", "is the leave that you mentioned earlier paid", "is the leave paid"),
        # a case
        ("급여일은 언제예요?", "그럼 수습 중에 퇴사하려면요?", "수습 중에 퇴사하려면 어떻게 해야 하나요?"),
        ("연차는 며칠인가요?", "만약 다 못 쓰면요?", "연차는 다 못 쓰면 어떻게 되나요?"),
        ("연차는 며칠인가요?", "취소하려면?", "연차는 취소하려면 어떻게 해야 하나요?"),
        # what it is said of
        ("연차는 며칠인가요?", "그럼 연장은?", "연차 연장은?"),
        ("연차는 며칠인가요?", "그거랑 병가는 같아요?", "연차와 병가는 같아요?"),
        ("연차는 며칠인가요?", "그 중에 유급은?", "연차 중에 유급은?"),
        ("사내 어린이집 있나요?", "그럼 반려견 동반은요?", "반려견 동반 있나요?"),
        (REMOTE, "and who approves it?", "and who approves work from home?"),
        (REMOTE, "even on fridays?", "even on fridays? (work from home)"),
        (REMOTE, "and for how long", "and for how long (work from home)"),
        (WHO, "what do I need to attach to it?", "what do I need to attach to the expense?"),
        ("what is the hotel limit per night?", "limit?", "hotel limit?"),
        ("How long is parental leave?", "paid?", "is parental leave paid?"),
        ("How long is parental leave?", "the other one", "the other one (parental leave)"),
        (
            "What are the types of orange trees?",
            "what type is the sweetest",
            "what type of orange trees is the sweetest",
        ),
        ("how do bees live", "why are so many dying?", "why are so many dying? (bees)"),
        (
            "How do I apply for a parking permit?",
            "what documents are needed?",
            "what documents are needed? (apply for a parking permit)",
        ),
        ("Why do bees make honey?", "Why doesn't it spoil?", "Why doesn't honey spoil?"),
    ],
)
async def test_people_leave_out_and_take_back(earlier, question, standalone):
    assert (await resolved(question, earlier)).text == standalone


@pytest.mark.parametrize(
    ("earlier", "question"),
    [
        ("연차는 며칠인가요?", "그럼 회의실은 어떻게 예약해요?"),
        ("연차는 며칠인가요?", "치과보험은 교정도 되나요?"),
        (MAC, "What documents does a new supplier have to send?"),
        (MAC, "Which printers are in the lobby?"),
        (MAC, "What type of contract do interns get?"),
        (MAC, "Is the office at home insured?"),
        (MAC, "How many people are in the design team?"),
        (MAC, "only employees with a badge may park here, right?"),
    ],
)
async def test_what_looks_like_it_and_stands_alone_is_left(earlier, question):
    assert not (await resolved(question, earlier)).changed


@pytest.mark.parametrize("form", ["shorter", "as a table please", "say that again", "짧게 요약해줘", "목록으로"])
async def test_another_form_of_no_answer_asks_the_question_again(form):
    assert (await resolved(form, MAC)).text == MAC


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
    assert made.changed is (standalone != question)
