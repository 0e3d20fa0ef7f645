"""A message that only tells something of its author is answered by what was kept of it; one that asks is answered."""

from dataclasses import replace

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from agent.context import Context, TurnRequest
from agent.events import FinalResponse
from agent.graph import build_graph
from agent.language import say
from agent.packs.pack import ChoiceSpec, Pack, SlotSpec, Words
from agent.reasoning.brief import Brief
from agent.reasoning.rules import OfflineReasoner
from agent.reasoning.rules.answering.composition import found_for
from agent.retrieval.search import KnowledgeBase
from agent.run import Agent
from agent.types import MOST_VALUES, Audience, Block, Passage, ThreadKey, WeightedTerm
from tests.fakes_knowledge import MemoryLibrary
from tests.fakes_profiles import MemoryProfiles

HOUSE = Words(en="the house", ko="사내")
OFFICE = SlotSpec(
    name="office", title=Words(en="Office", ko="근무지"), type="choice",
    choices=(ChoiceSpec(value="Berlin", names=("베를린",)), ChoiceSpec(value="Busan", names=("부산",))),
)  # fmt: skip
ILLS = SlotSpec(
    name="ills", title=Words(en="Illnesses", ko="질환"), type="list",
    choices=(ChoiceSpec(value="diabetes", names=("당뇨병", "당뇨")), ChoiceSpec(value="asthma", names=("천식",))),
)  # fmt: skip
PACK = Pack(name="test", title=HOUSE, description=HOUSE, slots=(OFFICE, ILLS))
PASSAGES = (
    Passage(id=1, document_id="leave.md", collection="handbook", title="Leave", text="In Berlin you get 30 days."),
    Passage(id=2, document_id="lift.md", collection="handbook", title="Lift", text="The lift in Berlin is repaired."),
    Passage(id=3, document_id="sugar.md", collection="handbook", title="Diabetes", text="Diabetes needs whole grain."),
    Passage(id=4, document_id="gym.md", collection="handbook", title="Gym", text="The gym in Busan opens at nine."),
)


class House:
    def __init__(self, *, memory: bool = True) -> None:
        library = MemoryLibrary(PASSAGES)
        self.knowledge = KnowledgeBase(lexical=library, passages=library)
        self.memory = MemoryProfiles() if memory else None
        self.reasoner = OfflineReasoner()
        self.agent = Agent(build_graph(InMemorySaver()), self.context, summariser=self.reasoner)

    def context(self, request):
        return Context(
            request=request, pack=PACK, reasoner=self.reasoner, knowledge=self.knowledge, profiles=self.memory
        )

    async def ask(self, text, *, private=True, thread="T"):
        request = TurnRequest(
            turn_id=text, message_id=text, asked_by="ann", text=text, private=private,
            audience=Audience(principals=frozenset({"*"})),
            key=ThreadKey(platform="x", workspace_id="W", channel_id="C", thread_id=thread),
        )  # fmt: skip
        event = [event async for event in self.agent.run(request)][-1]
        assert isinstance(event, FinalResponse)
        return event.response


@pytest.mark.parametrize(
    ("text", "language", "kept"),
    [
        ("I work in the Berlin office.", "en", "- Office: Berlin"),
        ("By the way, I'm based in Berlin", "en", "- Office: Berlin"),
        ("I have diabetes.", "en", "- Illnesses: diabetes"),
        ("저는 부산 지사에서 일해요.", "ko", "- 근무지: 부산"),
        ("저는 부산에서 근무합니다", "ko", "- 근무지: 부산"),
        ("당뇨가 있어요", "ko", "- 질환: 당뇨병"),
    ],
)
async def test_what_is_told_is_acknowledged_and_not_searched_for(text, language, kept):
    house = House()
    response = await house.ask(text)
    assert response.answer == f"{say('told_kept', language)}\n\n{kept}"
    assert response.plan is None and not response.citations and house.memory.slots["x:W:ann", "test"]
    assert (await House(memory=False).ask(text)).answer == response.answer


@pytest.mark.parametrize(
    "text",
    [
        "I work in the Berlin office. How many days do I get?",
        "How many days do I get in Berlin?",
        "The lift in Berlin is broken.",
        "I am locked out of the Berlin office account",
        "I have a problem with the Berlin lift",
        "Berlin",
        "Chart the Berlin days",
        "I work in the Hamburg office.",
        "저는 부산 지사에서 일해요. 며칠을 쉴 수 있나요?",
        "부산 지사 엘리베이터가 고장 났습니다",
    ],
)
async def test_what_asks_or_tells_of_something_else_is_searched_for(text):
    response = await House().ask(text)
    assert response.route == "research" and response.plan is not None
    assert say("told_kept", response.language) not in response.answer


async def test_in_front_of_others_nothing_is_told_but_what_the_message_says():
    house = House()
    await house.ask("I have diabetes.")
    response = await house.ask("I work in the Berlin office.", private=False, thread="open")
    assert "Berlin" in response.answer and "diabetes" not in response.answer


# --- whose it is, and what becomes of it

MINE = ("x:W:ann", "test")


async def test_what_is_told_of_others_or_only_asked_is_not_remembered():
    house = House()
    for text in ("제 어머니는 당뇨가 있어요", "그럼 당뇨병 환자는?", "what should people with diabetes eat?"):
        response = await house.ask(text)
        assert not house.memory.slots[MINE], text
        assert say("told_kept", response.language) not in response.answer


async def test_who_tells_of_others_is_told_that_it_is_not_kept():
    assert (await House().ask("my mother has diabetes")).answer == say("told_of_others", "en")
    assert (await House().ask("제 어머니는 당뇨가 있어요")).answer == say("told_of_others", "ko")


async def test_a_list_grows_is_put_right_and_forgotten_again():
    house = House()
    await house.ask("저는 당뇨가 있어요")
    await house.ask("천식도 있어요")
    assert house.memory.slots[MINE] == {"ills": ["diabetes", "asthma"]}
    response = await house.ask("그건 잊어줘")
    assert response.answer.startswith(say("unlearnt", "ko")) and "천식" in response.answer
    assert house.memory.slots[MINE] == {"ills": ["diabetes"]}
    await house.ask("I work in the Berlin office.")
    response = await house.ask("I don't have diabetes")
    assert response.answer == f"{say('unlearnt', 'en')}\n\n- Illnesses: diabetes"
    assert house.memory.slots[MINE] == {"office": "Berlin"}
    await house.ask("forget my office")
    assert house.memory.slots[MINE] == {}
    assert (await house.ask("forget that")).answer == say("nothing_known", "en")


async def test_forget_that_takes_the_question_before_where_no_fact_was_told():
    house = House()
    await house.ask("How long is the parental leave?")
    await house.ask("what do you know about me?")
    assert "parental leave" in (await house.ask("forget that")).answer
    assert (await house.ask("what do you know about me?")).answer == say("nothing_known", "en")


async def test_a_correction_takes_the_place_of_what_was_told_before():
    house = House()
    await house.ask("I have diabetes.")
    response = await house.ask("no, it's asthma")
    assert house.memory.slots[MINE] == {"ills": ["asthma"]} and "Illnesses: asthma" in response.answer


async def test_what_this_thread_told_is_not_read_again_once_it_was_forgotten():
    house = House()
    await house.ask("I have diabetes.")
    await house.ask("forget that")
    response = await house.ask("When does the gym open?")
    assert not [term for each in response.expansion for query in each.queries for term in query.terms]


async def test_only_what_is_known_is_said_to_be_forgotten():
    house = House()
    await house.ask("I have diabetes.")
    assert (await house.ask("forget that I have asthma")).answer == say("nothing_of_that", "en")
    assert house.memory.slots[MINE] == {"ills": ["diabetes"]}


async def test_a_list_that_is_full_says_so():
    house = House()
    await house.memory.fill(*MINE, {"ills": [f"ill-{n}" for n in range(MOST_VALUES)]})
    response = await house.ask("I have diabetes.")
    assert say("profile_full", "en", title="Illnesses", most=MOST_VALUES) in response.warnings
    assert len(house.memory.slots[MINE]["ills"]) == MOST_VALUES


async def test_a_passage_for_others_than_the_asker_is_refused_and_said_to_be():
    house = House()
    question = "When does the gym open?"
    assert (await house.ask(question, thread="A")).citations
    await house.memory.fill(*MINE, {"office": "Berlin"})
    response = await house.ask(question, thread="B")
    assert not response.citations and "nine" not in response.answer
    assert say("not_for_asker", "en", titles="Gym") in response.warnings
    assert {"profile"} == {each["reason"] for each in response.excluded_blocks if each["title"] == "Gym"}
    told = await house.ask("When does the gym in Busan open?", thread="C")
    assert told.citations[0].document_id == "gym.md"


async def test_for_an_answer_about_somebody_else_the_profile_says_nothing():
    house = House()
    await house.memory.fill(*MINE, {"office": "Berlin"})
    response = await house.ask("My mother is here today. When does the gym open for my mother?", thread="D")
    assert response.citations[0].document_id == "gym.md"


async def test_what_an_asker_told_is_searched_for():
    house = House()
    await house.ask("I have diabetes.", thread="told")
    told = await house.ask("When does the gym open?")
    first, *others = told.expansion[0].queries
    assert any(term.text == "diabetes" for query in others for term in query.terms)
    assert not any(term.text == "diabetes" for term in first.terms)  # it crowds nothing out
    assert told.citations[0].document_id == "gym.md"


@pytest.mark.parametrize("words", [("diabetes",), ("Berlin", "베를린")])
def test_what_an_asker_told_is_no_part_of_what_is_asked(words):
    asked = "When does the gym open?"
    brief = Brief(
        question=asked, language="en", pack=PACK, blocks=[Block(n=p.id, passage=p, score=1.0) for p in PASSAGES]
    )
    plain = found_for(asked, brief)
    told = found_for(asked, replace(brief, of_asker=[WeightedTerm(text=word, weight=0.25) for word in words]))
    assert told.likely == plain.likely and told.told[0] == plain.told[0]
