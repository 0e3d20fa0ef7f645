"""What a message tells of its author, apart from others and from what it only asks: nothing else is remembered."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.packs.pack import ChoiceSpec, SlotSpec, Words
from agent.reasoning.rules.reading.own_facts import Facts, facts_of, joined


def slot(name, type, **found_by):
    return SlotSpec(name=name, title=Words(en=name, ko=name), type=type, **found_by)


def choice(value, *names):
    return ChoiceSpec(value=value, names=names)


ILLS = slot(
    "ills", "list",
    choices=(choice("diabetes", "당뇨병", "당뇨", "diabetic"), choice("type 2", "2형"), choice("asthma", "천식")),
)  # fmt: skip
PILLS = slot("pills", "list", choices=(choice("warfarin", "와파린"), choice("ibuprofen", "이부프로펜")))
OFFICE = slot("office", "choice", choices=(choice("Berlin", "베를린"), choice("Busan", "부산")))
DEPOSIT = slot("deposit", "number", units={"억": 100_000_000, "만원": 10_000, "million won": 1_000_000})
PRESSURE = slot("pressure", "text", patterns=(r"(?:혈압|blood pressure)(?:은|는|이| is| of)? ?(\d{2,3}/\d{2,3})",))
SLOTS = (ILLS, PILLS, OFFICE, DEPOSIT, PRESSURE)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("I have diabetes.", {"ills": ["diabetes"]}),
        ("I'm diabetic and I take warfarin, can I have ibuprofen?", {"ills": ["diabetes"], "pills": ["warfarin"]}),
        ("My sugar is 7.2, weight 80, blood pressure 150/95", {"pressure": "150/95"}),
        ("Is my blood pressure of 150/95 too high?", {"pressure": "150/95"}),
        ("I work in the Berlin office. How many days do I get?", {"office": "Berlin"}),
        ("My mother has asthma and I have diabetes", {"ills": ["diabetes"]}),
        ("저는 당뇨가 있어요. 혈압은 150/95예요.", {"ills": ["diabetes"], "pressure": "150/95"}),
        ("당뇨가 있는데 뭘 먹으면 안 되나요?", {"ills": ["diabetes"]}),
        ("아버지가 천식이에요. 저는 당뇨가 있고 와파린을 먹어요", {"ills": ["diabetes"], "pills": ["warfarin"]}),
        ("저는 당뇨 환자예요", {"ills": ["diabetes"]}),
        ("부산에서 일해요", {"office": "Busan"}),
        ("보증금 2억 5000만원에 살고 있는데 5% 인상이 가능해요?", {"deposit": 250_000_000}),
        ("저는 당뇨가 있어요. 식단 보고서를 써줘", {"ills": ["diabetes"]}),
    ],
)  # fmt: skip
def test_what_is_told_of_oneself_is_the_authors(text, told):
    assert facts_of(text, SLOTS).told == told


@pytest.mark.parametrize(
    "text",
    [
        "what should a diabetic eat?",
        "What should people with diabetes eat?",
        "Can I take ibuprofen with warfarin?",
        "If I have diabetes, what should I eat?",
        "What if my blood pressure is 150/95?",
        "I have a question about diabetes",
        "I'm worried it might be diabetes",
        "My mother has diabetes",
        "my mother's blood pressure is 150/95",
        "She has diabetes and takes warfarin.",
        "Does my mother with diabetes need ibuprofen?",
        "How many days do I get in Berlin?",
        "Do I have diabetes?",
        "제 어머니는 당뇨가 있어요",
        "어머니가 당뇨인데 뭘 드시면 안 되나요?",
        "그럼 당뇨병 환자는?",
        "당뇨에 좋은 음식은?",
        "당뇨가 있으면 뭘 조심해야 해요?",
        "당뇨 있는 사람은 뭘 먹어요?",
        "당뇨는 무서운 병이에요",
        "혹시 당뇨일까요?",
        "당뇨예요?",
        "이부프로펜 먹고 술 마셔도 돼요?",
        "친구가 보증금 3억에 살고 있어요",
        "보증금 3억에서 5% 올리면 얼마예요?",
        "계약서 초안을 써줘. 보증금은 3억이야",
        "Draft a lease contract. The deposit is 300 million won",
        "diabetes, asthma",
        "당뇨",
    ],
)
def test_what_is_of_others_or_only_asked_is_nobodys(text):
    facts = facts_of(text, SLOTS)
    assert not (facts.told or facts.gone or facts.cut)


@pytest.mark.parametrize(
    ("before", "text", "told", "gone"),
    [
        ("I have diabetes", "no, it's type 2", ["type 2"], ("diabetes",)),
        ("저는 당뇨가 있어요", "아니, 2형이에요", ["type 2"], ("diabetes",)),
        ("저는 당뇨가 있어요", "아니요, 천식이에요", ["asthma"], ("diabetes",)),
        ("I have diabetes", "I don't have diabetes", None, ("diabetes",)),
        ("", "당뇨는 없어요", None, ("diabetes",)),
        ("이부프로펜 먹어도 돼요?", "아니 당뇨가 아니라 천식이에요", ["asthma"], ("diabetes",)),
        ("", "어머니는 당뇨가 아니고 저는 천식이에요", ["asthma"], None),
        ("My mother has diabetes", "no, it's asthma", None, None),
        ("제 어머니는 당뇨가 있어요", "아니, 천식이에요", None, None),
        ("제 어머니는 당뇨가 있어요", "와파린도 먹고 있어요", None, None),
        ("제 어머니는 당뇨가 있어요", "저는 천식이 있어요", ["asthma"], None),
        ("I have diabetes", "no, what about asthma?", None, None),
        ("I have diabetes", "I have asthma, too", ["asthma"], None),
    ],
)
def test_a_message_puts_right_what_its_author_told_and_goes_on_about_whom_they_spoke_of(before, text, told, gone):
    facts = facts_of(text, SLOTS, before)
    assert (facts.told.get("ills"), facts.gone.get("ills")) == (told, gone) and "pills" not in facts.told


def test_lists_grow_other_slots_change_and_what_is_not_so_leaves():
    known = joined({"ills": ["diabetes"], "office": "Berlin"}, Facts({"ills": ["asthma"], "office": "Busan"}))
    assert known == {"ills": ["diabetes", "asthma"], "office": "Busan"}
    assert joined(known, Facts({}, {"ills": ("asthma",), "office": ("Berlin",)})) == {
        "ills": ["diabetes"], "office": "Busan"
    }  # fmt: skip
    assert joined(known, Facts({}, {"ills": ("asthma", "diabetes"), "office": ("Busan",)})) == {}


def test_with_what_is_not_so_its_kinds_leave_and_not_the_other_way_round():
    known = {"ills": ["type 2 diabetes", "asthma"]}
    assert joined(known, Facts({}, {"ills": ("diabetes",)})) == {"ills": ["asthma"]}
    assert joined({"ills": ["diabetes"]}, Facts({}, {"ills": ("type 2 diabetes",)})) == {"ills": ["diabetes"]}
    assert joined(known, Facts({"ills": ["type 1 diabetes"]}, {"ills": ("diabetes",)})) == {
        "ills": ["asthma", "type 1 diabetes"]
    }


def test_more_than_is_read_of_one_message_is_said():
    many = slot("many", "list", choices=tuple(choice(f"illness-{n}") for n in range(500)))
    facts = facts_of("I have " + ", ".join(f"illness-{n}" for n in range(60)), (many,))
    assert facts.cut == ("many",) and 0 < len(facts.told["many"]) <= 20
    assert facts_of("I have illness-1", (many,)).cut == ()


@given(st.text(max_size=80), st.text(max_size=40))
def test_any_text_tells_what_it_names_and_nothing_else(text, before):
    facts = facts_of(f"{text} 당뇨 {text}", SLOTS, before)
    assert set(facts.told) <= {spec.name for spec in SLOTS}


TRADE = slot("trade", "list", people=True, choices=(choice("landlord", "집주인"), choice("tenant", "세입자")))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("I am a landlord, what may I ask?", ["landlord"]),
        ("I'm a tenant and my landlord keeps the deposit", ["tenant"]),
        ("my landlord keeps the deposit", None),
        ("We have a tenant who does not pay", None),
        ("저는 세입자인데 집주인이 보증금을 안 줘요", ["tenant"]),
        ("집주인입니다", ["landlord"]),
        ("집주인이 보증금을 안 줘요", None),
        ("우리 집주인이 있는데요", None),
    ],
)
def test_whom_somebody_has_is_not_what_they_are(text, told):
    assert facts_of(text, [TRADE]).told.get("trade") == told
