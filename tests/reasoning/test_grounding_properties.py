"""What holds for any text: a quote is supported, and a number with another digit is not."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from agent.reasoning.grounding.citation_support import check_sentence
from agent.reasoning.grounding.matching import likeness
from agent.text import sentences
from agent.types import Sentence, Support
from agent.values.amounts import amounts
from tests.contracts.reasoning import block
from tests.reasoning.test_grounding import ENGLISH, KOREAN

MORE_ENGLISH = (
    "The pool is 25 m long and holds 1,250 visitors. Entry costs $7.50, or 12 euros for two. Nobody may dive. "
    "Since 1987 it has been open from 9:30 to 21:00, except on Mondays. No more than 3-5 % of the water is replaced "
    "each week. Form HR-12 is due by 31 March 2026; the 4th lane is 1/3 of a lane wider. Not all lanes are marked."
)
MORE_KOREAN = (
    "수영장은 길이 25m이고 1,250명까지 들어갈 수 있다. 입장료는 7,500원이며 단체는 3만 2천원이다. 다이빙은 금지된다. "
    "1987년부터 오전 9시 30분에 열고 월요일은 쉰다. 물의 3~5%를 매주 교체하지 않으면 안 된다. "
    "신청서 HR-12는 2026년 3월 31일까지 제출한다. 4번 레인은 다른 레인보다 20분의 1만큼 넓지 않다."
)
SOURCES = (ENGLISH, KOREAN, MORE_ENGLISH, MORE_KOREAN)
QUOTES = [(source[start:end], source) for source in SOURCES for start, end in sentences(source)]


def problems(text, source):
    whole = Support(block=1, start=0, end=len(source))
    return check_sentence(Sentence(text=text, support=(whole,)), [block(1, source)])


@pytest.mark.parametrize(("quote", "source"), QUOTES)
def test_a_quote_is_supported(quote, source):
    assert problems(quote, source) == []
    assert likeness(quote, source) > 0.9


@given(st.sampled_from(QUOTES), st.data())
def test_a_quote_is_supported_however_it_is_marked_up(quote, data):
    text, source = quote
    words = text.split()
    at = data.draw(st.integers(0, len(words) - 1))
    words[at] = f"**{words[at]}**"
    assert problems(" ".join(words) + data.draw(st.sampled_from(["", " [1]", "[2]"])), source) == []


@given(st.sampled_from([each for each in QUOTES if any(ch.isdigit() for ch in each[0])]), st.data())
def test_another_digit_is_found_out(quote, data):
    text, source = quote
    at = data.draw(st.sampled_from([i for i, ch in enumerate(text) if ch.isdigit()]))
    digit = data.draw(st.sampled_from([each for each in "0123456789" if each != text[at]]))
    changed = text[:at] + digit + text[at + 1 :]
    known = {(amount.value, amount.unit) for amount in amounts(source)}
    loose = {amount.value for amount in amounts(source) if not amount.unit}
    new = [amount for amount in amounts(changed) if amount.start <= at < amount.end]
    assume(new and not any((each.value, each.unit) in known or each.value in loose for each in new))
    # A number without a unit may stand for any of the source's.
    assume(not any(not each.unit and each.value in {value for value, _ in known} for each in new))
    assert problems(changed, source), changed


@given(
    st.integers(1, 99_999),
    st.integers(1, 99_999),
    st.sampled_from(["days", "euros", "%", "hours", "GB", "people", "km"]),
)
def test_any_number_in_any_unit(told, given, unit):
    source = f"The limit for guests is {given:,} {unit}. Everything else is decided by the host."
    assert problems(f"For guests the limit is {given} {unit}.", source) == []
    if told != given:
        assert problems(f"For guests the limit is {told:,} {unit}.", source)


@given(st.integers(1, 99_999), st.integers(1, 99_999), st.sampled_from(["일", "만원", "%", "시간", "명", "유로"]))
def test_any_number_in_korean(told, given, unit):
    source = f"손님의 한도는 {given}{unit}이다. 나머지는 주인이 정한다."
    assert problems(f"손님의 한도는 {given:,}{unit}입니다.", source) == []
    if told != given:
        assert problems(f"손님의 한도는 {told:,}{unit}입니다.", source)


@given(st.text(max_size=120), st.text(max_size=200))
def test_any_text_can_be_checked(text, source):
    problems(text, source)
    assert 0 <= likeness(text, source) <= 1
