"""What a message asks, without thanks, slips of the keyboard and quotations around it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.reasoning.message.message_text import plain
from agent.reasoning.message.smalltalk import is_unreadable, small_talk
from agent.reasoning.quoted_line import quoted_last, split_quote
from tests.contracts.reasoning import turn


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("thanks! and by when?", "and by when?"),
        ("thx. what about lost receipts", "what about lost receipts"),
        ("great, who approves them?", "who approves them?"),
        ("ok and the limit?", "and the limit?"),
        ("btw how do i book a room", "how do i book a room"),
        ("never mind, what is the limit", "what is the limit"),
        ("What is the limit? Thanks in advance!", "What is the limit?"),
        ("감사합니다! 그럼 병가는요?", "그럼 병가는요?"),
        ("네 알겠습니다. 취소는요?", "취소는요?"),
        ("죄송한데 연차는 며칠이에요?", "연차는 며칠이에요?"),
        ("연차는 며칠이에요? 감사합니다~", "연차는 며칠이에요?"),
        ("병가는여?", "병가는요?"),
        ("is taht per night", "is that per night"),
        ("waht do i do if teh laptop is gone", "what do i do if the laptop is gone"),
        ("hwo do i get it", "how do i get it"),
        ("wat do u need for teh badge", "what do you need for the badge"),
        ("Im new here, whats the rule", "I am new here, what is the rule"),
        ("it doesnt start", "it does not start"),
        ("프린터 어케 고쳐", "프린터 어떻게 고쳐"),
        ("담주 월욜에 여나여", "다음 주 월요일에 여나요"),
        ("몇일까지 쓸수잇어?", "며칠까지 쓸수있어?"),
        ("이거 머예요", "이거 뭐예요"),
    ],
)
def test_what_is_around_a_question_is_taken_off(text, asked):
    assert plain(text) == asked


@pytest.mark.parametrize(
    "text",
    [
        "thanks for the receipts of last week",
        "thank you cards for clients, who orders them?",
        "good reviews matter how much?",
        "three dose form aws odes",
        "Wen is on call this week",
        "the id of the well were they ill",
        "IM or UR codes",
        "don't use it",
        "`git u im msg` fails",
        "머지는 누가 해요?",
        "이천과 칠곡을 잇는 도로는?",
        "돈을 낼 때 필요한 것",
        "급여 명세서는 어디서 봐요?",
        "국민 참여",
        "send it to teh@example.com",
        "ok",
        "thanks!",
        "감사합니다",
        "감사 일정은 언제예요?",
        "nice",
    ],
)
def test_what_belongs_to_it_stays(text):
    assert plain(text) == text


def test_small_talk_stays_small_talk():
    assert (
        small_talk(plain("ok thanks, bye!")) == "thanks" and small_talk(plain("네 알겠습니다. 감사합니다!")) == "thanks"
    )


@pytest.mark.parametrize(
    "text", ["asdf", "asdf qwer zxcv", "ASDFG", "qwertyuiop", "asdfasdf", "ㅁㄴㅇㄹ", "😀", "lkjh"]
)
def test_keys_in_a_row_are_no_words(text):
    assert is_unreadable(text)


@pytest.mark.parametrize("text", ["vpn", "HR", "ㄱㅅㄱㅅ", "were", "asdf error", "wert", "saw", "ㅇㅋ", "연차", "tree"])
def test_short_and_odd_words_are_words(text):
    assert is_unreadable(text) is (text == "wert")


@pytest.mark.parametrize(
    ("text", "quote", "rest"),
    [
        ("> one line\nand why?", "one line", "and why?"),
        ("> one\n> two\n\nand why?", "one two", "and why?"),
        ("&gt; one\nwhy", "one", "why"),
        ("> only a quotation", "", "> only a quotation"),
        ("is 3 > 2?", "", "is 3 > 2?"),
        ("why?\n> below", "", "why?\n> below"),
        (">\nwhy?", "", ">\nwhy?"),
        ("", "", ""),
    ],
)
def test_a_quotation_at_the_beginning_is_told_apart(text, quote, rest):
    assert split_quote(text) == (quote, rest)


def test_the_quoted_turn_comes_last():
    leave, vpn, again = turn("How many leave days?"), turn("How do I set up the VPN?"), turn("How many leave days?")
    assert quoted_last("> how many leave days\nwhy?", (leave, vpn, again)) == (leave, vpn, again)
    assert quoted_last("> how many leave days\nwhy?", (leave, vpn)) == (vpn, leave)
    assert quoted_last("> set up the VPN\nwhy?", (vpn, leave)) == (leave, vpn)
    for text in ("why?", "> something else\nwhy?", "> VPN\nwhy?"):
        assert quoted_last(text, (vpn, leave)) == (vpn, leave)


WORDS = st.lists(
    st.sampled_from(["thanks", "!", "ok", ",", "and", "taht", "> a", "\n", "감사합니다", "병가는여", "?", "why"])
)


@given(WORDS)
def test_a_message_with_words_never_becomes_one_without(parts):
    text = " ".join(parts)
    said = any(ch.isalnum() for ch in text)
    assert any(ch.isalnum() for ch in plain(text)) is said


@given(st.text(max_size=40), st.lists(st.sampled_from(["how many days", "why", "the VPN"]), max_size=4))
def test_a_quotation_moves_a_turn_and_loses_none(text, asked):
    turns = tuple(turn(question) for question in asked)
    assert sorted(each.question for each in quoted_last(text, turns)) == sorted(asked)
