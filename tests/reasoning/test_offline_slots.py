"""What a message tells for the slots of a pack."""

import json

import pytest

from agent.packs.pack import ChoiceSpec, IntentSpec, Pack, SlotSpec, Words
from agent.reasoning.rules import OfflineReasoner
from agent.reasoning.rules.reading.slots import slots_of
from agent.types import Profile
from tests.contracts.reasoning import message, turn

WORDS = Words(en="Something", ko="무엇")


def choice(value, *names):
    return ChoiceSpec(value=value, names=names)


def slot(name, kind, **found_by):
    return SlotSpec(name=name, title=WORDS, type=kind, **found_by)


CONDITIONS = (
    choice("diabetes", "당뇨병", "당뇨"),
    choice("type 2 diabetes", "제2형 당뇨병"),
    choice("hypertension", "고혈압", "high blood pressure"),
    choice("asthma", "천식"),
)
INDUSTRIES = (
    choice("manufacturing", "제조업"),
    choice("construction", "건설업"),
    choice("wholesale", "도매업", "도매 및 소매업"),
)
SYMPTOMS = (choice("cough", "기침"), choice("fever", "열", "발열"), choice("headache", "두통"))
PRESSURE = r"(?:혈압|BP|blood pressure)\s?(?:은|는|이|is|of|:)?\s?(\d{2,3}\s?/\s?\d{2,3})"
SLOTS = (
    slot("conditions", "list", choices=CONDITIONS),
    slot("symptoms", "list", choices=SYMPTOMS),
    slot("medications", "list", choices=(choice("metformin", "메트포르민"), choice("aspirin", "아스피린")),
         patterns=(r"[a-z]+ \d+\s?mg",)),
    slot("blood_pressure", "text", patterns=(PRESSURE,)),
    slot("hba1c", "number", patterns=(r"(?:HbA1c|당화혈색소)\s?(?:은|는|이|is|of|:)?\s?(\d{1,2}(?:\.\d+)?)\s?%",)),
    slot("weight", "number", units={"kg": 1, "킬로": 1, "lb": 0.4536, "lbs": 0.4536}),
    slot("duration", "number", units={"시간": 60, "분": 1, "hours": 60, "minutes": 1}),
    slot("amount", "number", units={"억원": 1e8, "억": 1e8, "만원": 1e4, "원": 1}),
    slot("since", "date"),
    slot("industry", "choice", choices=INDUSTRIES),
    slot("code", "text", patterns=(r"업종\s?코드\s?(?:는|은)?\s?(\d{6})",)),
    slot("leave", "choice", choices=(choice("parental", "육아휴직", "parental leave"), choice("annual", "연차"))),
)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("I have diabetes and high blood pressure.", {"conditions": ["diabetes", "hypertension"]}),
        ("Type-2 Diabetes since March 2020", {"conditions": ["type 2 diabetes"], "since": "2020-03"}),
        ("저는 당뇨병이 있고 고혈압도 있어요", {"conditions": ["diabetes", "hypertension"]}),
        ("제2형당뇨병이에요", {"conditions": ["type 2 diabetes"]}),
        ("당뇨인데요 기침이랑 열이 나요", {"conditions": ["diabetes"], "symptoms": ["cough", "fever"]}),
        ("BP 140/90, HbA1c 7.2%", {"blood_pressure": "140/90", "hba1c": 7.2}),
        ("혈압 140/90이고 당화혈색소는 7%예요", {"blood_pressure": "140/90", "hba1c": 7}),
        ("메트포르민을 먹어요", {"medications": ["metformin"]}),
        ("aspirin and metformin 500 mg", {"medications": ["aspirin", "metformin 500 mg"]}),
        ("I weigh 72.5 kg", {"weight": 72.5}),
        ("체중은 80킬로입니다", {"weight": 80}),
        ("150 lbs", {"weight": 68.04}),
        ("1시간 30분 걸려요", {"duration": 90}),
        ("2 hours and 15 minutes", {"duration": 135}),
        ("보증금 3억 5,000만원", {"amount": 350_000_000}),
        ("업종코드는 451102, 종합건설업입니다", {"industry": "construction", "code": "451102"}),
        ("도매및소매업을 합니다", {"industry": "wholesale"}),
        ("육아 휴직은 언제부터 쓰나요?", {"leave": "parental"}),
        ("육아휴직은 언제부터 쓰나요?", {"leave": "parental"}),
        ("2024년 3월 5일부터", {"since": "2024-03-05"}),
        ("from 5 March 2024", {"since": "2024-03-05"}),
        ("since 2024-03-05", {"since": "2024-03-05"}),
        ("3월 5일부터", {"since": "03-05"}),
        ("2023년 귀속", {"since": "2023"}),
    ],
)
def test_what_is_told(text, told):
    assert slots_of(text, SLOTS) == told
    assert json.loads(json.dumps(told)) == told


@pytest.mark.parametrize(
    "text",
    [
        "How many days of leave do I get?",
        "열심히 일해요",
        "당뇨가족력",
        "diabetology",
        "3개월이 지났어요",
        "제조업체 목록",
        "2024-02-31에 시작했어요",
        "version 3.5kgs2",
        "",
    ],
)
def test_what_only_looks_like_it_is_not(text):
    assert slots_of(text, SLOTS) == {}


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("I don't have diabetes", {}),
        ("I do not have diabetes or asthma", {}),
        ("no fever, cough or headache", {}),
        ("I was never diagnosed with asthma", {}),
        ("without diabetes", {}),
        ("no family history of diabetes", {}),
        ("diabetes: no, hypertension: yes", {"conditions": ["hypertension"]}),
        ("I don't have diabetes but I have asthma", {"conditions": ["asthma"]}),
        ("No fever, but I have a cough", {"symptoms": ["cough"]}),
        ("not only diabetes but asthma too", {"conditions": ["diabetes", "asthma"]}),
        ("my cough doesn't go away", {"symptoms": ["cough"]}),
        ("no improvement of my cough", {"symptoms": ["cough"]}),
        ("I have no idea whether diabetes counts", {"conditions": ["diabetes"]}),
        ("aspirin doesn't help my headache", {"symptoms": ["headache"], "medications": ["aspirin"]}),
        ("I am not 60 kg but 62 kg", {"weight": 62}),
        ("몸무게 62kg, 고혈압 없음", {"weight": 62}),
        ("몸무게 62kg 아니고요", {}),
        ("당뇨는 없어요", {}),
        ("당뇨나 천식은 없습니다", {}),
        ("당뇨나 아토피는 없습니다", {}),
        ("당뇨 진단을 받은 적이 없어요", {}),
        ("당뇨 가족력이 있어요", {}),
        ("당뇨가 아니에요", {}),
        ("열은 안 나고 기침만 해요", {"symptoms": ["cough"]}),
        ("당뇨는 없고 고혈압은 있어요", {"conditions": ["hypertension"]}),
        ("고혈압은 있는데 당뇨는 없어요", {"conditions": ["hypertension"]}),
        ("제조업이 아니라 건설업입니다", {"industry": "construction"}),
        ("제조업 말고 건설업이에요", {"industry": "construction"}),
        ("기침이 멈추지 않아요", {"symptoms": ["cough"]}),
        ("기침을 멈출 수가 없어요", {"symptoms": ["cough"]}),
        ("당뇨 약이 없어요", {"conditions": ["diabetes"]}),
    ],
)
def test_what_is_denied_is_left_out(text, left):
    assert slots_of(text, SLOTS) == left


@pytest.mark.parametrize(
    "text", ["당뇨 " * 5000, "I don't have " * 2000, "not 1 kg " * 3000, "9" * 100_000, "당뇨, " * 4000]
)
def test_a_long_message_is_read_from_its_beginning(text):
    assert len(json.dumps(slots_of(text, SLOTS))) < 2000


PACK = Pack(
    name="leave",
    title=WORDS,
    description=WORDS,
    intents=(
        IntentSpec(name="thanks", route="direct", examples=("thanks", "thank you", "고마워요")),
        IntentSpec(
            name="apply",
            examples=("how do I apply for leave?", "where do I apply for leave?", "휴가는 어떻게 신청하나요?"),
        ),
        IntentSpec(name="rooms", examples=("book a meeting room", "which rooms are free?", "회의실 예약해줘")),
    ),
    slots=(
        SlotSpec(
            name="leave",
            title=WORDS,
            type="choice",
            choices=(choice("parental", "육아휴직", "parental leave"), choice("annual", "연차", "annual leave")),
            required_for=("apply",),
            ask=Words(en="Which leave is it?", ko="어떤 휴가인가요?"),
        ),
    ),
)  # fmt: skip


async def test_a_question_that_lacks_a_slot_is_asked_back_about():
    understood = await OfflineReasoner().understand(message("how do I apply for leave?", pack=PACK))
    assert (understood.route, understood.missing_slot, understood.slots) == ("clarify", "leave", {})
    assert understood.intent.name == "apply"
    other = await OfflineReasoner().understand(message("which rooms are free?", pack=PACK))
    assert (other.route, other.intent.name) == ("research", "rooms")


@pytest.mark.parametrize("text", ["how do I apply for parental leave?", "육아 휴직은 어떻게 신청하나요?"])
async def test_one_that_tells_it_is_looked_up(text):
    understood = await OfflineReasoner().understand(message(text, pack=PACK))
    assert (understood.route, understood.missing_slot, understood.slots) == ("research", "", {"leave": "parental"})


async def test_what_the_conversation_or_the_profile_tells_is_not_asked_for():
    text, reasoner = "how do I apply for leave?", OfflineReasoner()
    told = message(text, turn("Is parental leave paid?"), pack=PACK)
    assert (await reasoner.understand(told)).missing_slot == ""
    known = message(text, pack=PACK)
    profile = Profile(slots={"leave": "annual"})
    assert (await reasoner.understand(type(known)(text=text, pack=PACK, profile=profile))).missing_slot == ""


@pytest.mark.parametrize("flag", ["clarification_enabled", "query_routing_enabled"])
async def test_a_pack_may_switch_asking_back_off(flag):
    pack = PACK.model_copy(update={"flags": PACK.flags.model_copy(update={flag: False})})
    understood = await OfflineReasoner().understand(message("how do I apply for leave?", pack=pack))
    assert (understood.route, understood.missing_slot) == ("research", "")


def test_a_date_that_a_pattern_marks_is_read_in_what_stands_before_it():
    specs = [
        slot("first", "date", patterns=["([0-9년월일 ]+)부터"]),
        slot("last", "date", patterns=["([0-9년월일 ]+)까지"]),
    ]
    assert slots_of("8월 3일부터 5일까지 쉴게요", specs) == {"first": "08-03", "last": "08-05"}
    assert slots_of("5일까지 쉴게요", specs) == {}
