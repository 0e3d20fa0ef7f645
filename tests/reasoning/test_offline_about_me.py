"""Messages about the asker are known from questions about the documents."""

import pytest

from agent.packs.pack import ChoiceSpec, Pack, SlotSpec, Words
from agent.reasoning.rules.reading.self_description import about_me
from agent.types import Preferences
from tests.cost import spent

HOUSE = Words(en="the house", ko="사내")
ILLS = SlotSpec(
    name="ills", title=Words(en="Illnesses", ko="질환"), type="list",
    choices=(ChoiceSpec(value="diabetes", names=("당뇨",)),),
)  # fmt: skip
PACK = Pack(name="test", title=HOUSE, description=HOUSE, slots=(ILLS,))


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("forget me", "forget"),
        ("please forget everything you know about me", "forget"),
        ("delete my data", "forget"),
        ("나에 대해 다 잊어줘", "forget"),
        ("내 정보 지워줘", "forget"),
        ("제 기록을 모두 삭제해 주세요", "forget"),
        ("forget that", "unlearn"),
        ("please forget what I just told you", "unlearn"),
        ("forget my illnesses", "unlearn"),
        ("forget that I have diabetes", "unlearn"),
        ("그건 잊어줘", "unlearn"),
        ("방금 말한 내용은 잊어 주세요", "unlearn"),
        ("제 질환은 잊어줘", "unlearn"),
        ("당뇨는 지워 줘", "unlearn"),
        ("my mother has diabetes", "other"),
        ("제 어머니는 당뇨가 있어요", "other"),
        ("what do you know about me?", "about"),
        ("What do you remember about me", "about"),
        ("show me my profile", "about"),
        ("나에 대해 뭘 알고 있어?", "about"),
        ("나에 대해 뭘 알아?", "about"),
        ("저에 대해 기억하세요?", "about"),
        ("저에 대해 무엇을 기억하고 있나요?", "about"),
        ("내 프로필 보여줘", "about"),
        ("what did I ask about the VPN last week?", "recollect"),
        ("did I already ask about parental leave?", "recollect"),
        ("지난번에 물어본 연차 내용이 뭐였지?", "recollect"),
        ("내가 전에 질문한 거 보여줘", "recollect"),
    ],
)
def test_what_is_wanted(text, kind):
    found = about_me(text, PACK)
    assert found is not None and found.kind == kind


@pytest.mark.parametrize(
    ("text", "wish"),
    [
        ("please always answer in Korean", Preferences(language="ko")),
        ("from now on keep your answers short", Preferences(length="short")),
        ("keep it short from now on and use bullet points", Preferences(length="short", format="list")),
        ("I prefer tables for answers", Preferences(format="table")),
        ("can you always answer in english", Preferences(language="en")),
        ("앞으로 영어로 답해줘", Preferences(language="en")),
        ("항상 짧게 표로 답변해 주세요", Preferences(length="short", format="table")),
        ("앞으로 자세히 설명해줘", Preferences(length="long")),
    ],
)
def test_how_somebody_wants_to_be_answered(text, wish):
    found = about_me(text, PACK)
    assert found is not None and (found.kind, found.preferences) == ("prefer", wish)


@pytest.mark.parametrize(
    "text",
    [
        "what does the crane list by default",
        "does the gate always list all zones",
        "which table is used by default",
        "how do I delete my account?",
        "what do you know about parental leave?",
        "how do I remove my laptop from the inventory?",
        "answer in Korean",
        "is the office always open?",
        "Do I always have to answer the phone in English?",
        "연차를 잊어버리면 어떻게 되나요?",
        "내 정보 변경은 어디서 하나요?",
        "항상 재택이 가능한가요?",
        "내 연차는 며칠이야?",
        "what is the data retention policy for my data",
        "forget-me-not flowers",
        "delete my calendar entry",
        "does my mother have diabetes?",
        "my mother has a question about the diabetes leave and the car park",
        "",
    ],
)
def test_other_messages(text):
    assert about_me(text, PACK) is None


def test_hostile_text_is_read_quickly():
    with spent() as cost:
        for text in ("forget " * 5000, "나 " * 5000, "always " * 13, "내 정보 " * 3 + "x" * 150, "a" * 100_000):
            about_me(text, PACK)
    assert cost.pieces < 100
