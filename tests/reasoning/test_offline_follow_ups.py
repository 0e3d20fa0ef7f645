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
