"""Yes and no where two numbers prove it, and nothing where they do not."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.reasoning.rules.answering.number_verdict import allowed, proving
from agent.reasoning.rules.reading.answer_type import Kind, read

LAW = "제1항에 따른 증액청구는 약정한 차임이나 보증금의 20분의 1의 금액을 초과하지 못한다."
LEAVE = "Employees may carry over up to 5 days of annual leave."
NOTICE = "Notice of at least 14 days is needed."


@pytest.mark.parametrize(
    ("question", "sentence", "verdict"),
    [
        ("20킬로 강아지를 맡길 수 있나요?", "강아지는 15kg 이하만 맡길 수 있습니다.", False),
        ("12키로 강아지를 맡길 수 있나요?", "강아지는 15kg 이하만 맡길 수 있습니다.", True),
        ("전세금 5% 인상 가능해?", LAW, True),
        ("전세금 10% 인상 가능해?", LAW, False),
        ("보증금을 0.03 올릴 수 있나요?", LAW, True),
        ("Can the deposit go up by 4%?", LAW, True),
        ("Can the deposit go up by ten per cent?", LAW, False),
        ("Can the deposit go up by half a percent?", LAW, True),
        ("May I take 5 days into the next year?", LEAVE, True),
        ("May I take 6 days into the next year?", LEAVE, False),
        ("May I take more than 6 days with me?", LEAVE, False),
        ("May I take more than 3 days with me?", LEAVE, True),
        ("May I take more than 5 days with me?", LEAVE, False),
        ("보증금을 5% 넘게 올릴 수 있어?", LAW, False),
        ("Can I give more than 14 days of notice?", NOTICE, True),
        ("Can I give 10 days of notice?", NOTICE, False),
        ("Can I give 20 days of notice?", NOTICE, True),
        # what is not proved
        ("May I not take 6 days with me?", LEAVE, None),
        ("6일은 이월이 안 되나요?", "연차는 5일까지 이월할 수 있습니다.", None),
        ("May I take 6 weeks with me?", LEAVE, None),
        ("May I take 6 days after 3 years?", LEAVE, None),
        ("May I carry over days?", LEAVE, None),
        ("Can I use the room for 3 hours?", "You may not use the room for more than 2 hours.", None),
        ("Can I return it after 20 days?", "You cannot return it after 14 days.", None),
        ("Can I post it after 72 hours?", "You may not post it until 24 hours have passed.", None),
        ("월세 7% 올려도 돼?", "월세는 5%까지 올릴 수 있고, 1년 안에는 다시 올릴 수 없습니다.", False),
        ("20일 뒤에 반품돼요?", "14일 이후에는 반품할 수 없습니다.", None),
        ("임대료 7% 올려도 돼?", "임대료는 5%를 초과하여 인상할 수 없다.", None),
        ("May 20 people come?", LAW, None),
        ("May I take 6 days?", "Up to 5 days, and 7 days after ten years.", None),
        ("May I take 6 days?", "You have 25 days of leave.", None),
        ("May I cancel 30 hours before it?", "You may cancel up to 48 hours before it.", None),
        ("하루 전에 취소해도 되나요?", "2일 전까지 취소할 수 있습니다.", None),
        ("5일까지 이월되나요?", "연차는 5일 미만까지 이월할 수 있습니다.", None),
    ],
)
def test_what_numbers_prove(question, sentence, verdict):
    assert allowed(question, sentence) is verdict


@given(asked=st.integers(2, 400), limit=st.integers(2, 400))
def test_below_a_limit_is_allowed_and_above_it_is_not(asked, limit):
    assert allowed(f"Is {asked} kg fine?", f"Bags weigh at most {limit} kg.") is (asked <= limit)
    assert allowed(f"Is {asked} kg fine?", f"Bags weigh at least {limit} kg.") is (asked >= limit)
    share = Fraction(asked, 1000)
    if Fraction(limit, 1000) < 1 and share < 1:
        assert allowed(f"{asked / 10}% 인상이 되나요?", f"인상은 {limit / 10}% 이내로 한다.") is (asked <= limit)


SYNONYMS = (("인상", "증액", "올려"),)
AGAIN = "마지막으로 올린 날부터 1년 안에는 다시 올려 달라고 할 수 없습니다."
LIMIT = "전세금이나 월세의 인상은 지금 금액의 20분의 1, 곧 5%까지 가능합니다."


@pytest.mark.parametrize(
    ("question", "proof"),
    [
        ("전세금 1할 올려도 돼?", (1, False)),
        ("1할 올려도 돼?", (1, False)),
        ("십 퍼센트 인상 가능해?", (1, False)),
        ("전세금 열 프로 올려도 돼?", (1, False)),
        ("전세금 오 점 오 퍼센트 인상 가능해?", (1, False)),
        ("전세금 이십분의 일 인상 가능해?", (1, True)),
        ("다섯 퍼센트 전세금 인상 가능해요?", (1, True)),
        ("전세금 5% 올려도 돼?", (1, True)),
        ("중개보수 10% 올려도 돼?", None),  # of which the sentence does not speak
        ("LTV 80% 가능해?", None),
        ("10% 돼?", None),  # names nothing
    ],
)
def test_a_yes_or_no_is_proved_by_a_sentence_that_speaks_of_all_that_is_asked(question, proof):
    assert proving(question, [AGAIN, LIMIT], SYNONYMS) == proof


@pytest.mark.parametrize(
    ("question", "asks"),
    [
        ("전세금 1할 올려도 돼?", True),
        ("월세를 두 번 내도 되죠?", True),
        ("안 내도 되는 경우를 알려줘", False),
        ("저혈당이 오면 뭘 먹어야 하나요?", False),
        ("어떤 서류를 내야 하나요?", False),
        ("물을 먹어야 하나요?", True),
    ],
)
def test_whether_something_may_be_done_is_a_yes_or_no(question, asks):
    assert (Kind.YES_NO in read(question, "ko").kinds) is asks
