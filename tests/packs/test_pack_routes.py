"""Intents of a pack about the answer before, and intents that ask back."""

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from agent.context import Context, TurnRequest
from agent.errors import PackError
from agent.events import FinalResponse
from agent.graph import build_graph
from agent.packs.load import load_pack
from agent.reasoning.rules import OfflineReasoner
from agent.retrieval.search import KnowledgeBase
from agent.run import Agent
from agent.types import Audience, Passage, ThreadKey
from tests.fakes_knowledge import MemoryLibrary

ASK = '    ask: {en: "Which machine is it?", ko: "어느 기계인가요?"}\n'
PACK = """
name: test
title: {en: the shop, ko: 가게}
description: {en: The shop, ko: 가게}
intents:
  - name: gist
    route: explain
    wants: simpler
    examples: [boil it down for a beginner, boil that down for beginners, for a beginner please, 초보자용으로 풀어]
  - name: bullets
    route: followup
    wants: list
    examples: [break it into bullets, break that into bullets, bullets please, 조목조목 나눠줘]
  - name: broken
    route: clarify
    ask: {en: "Which machine is it?", ko: "어느 기계인가요?"}
    choices:
      - {en: the printer, ko: 프린터}
      - {en: the kettle, ko: 주전자}
    examples: [it is broken, something is broken, my thing is broken, 고장 났어요]
  - name: singing
    route: decline
    reply: {en: We sing nothing here., ko: 노래는 하지 않습니다.}
    examples: [sing a song for me, what should I sing tonight, sing me a lullaby, which song is new, 노래 불러줘]
"""
PASSAGES = (
    Passage(
        id=1, document_id="printer.md", collection="test", title="Printer repairs",
        text="Broken printers are repaired in room 4 in the basement, on weekdays between nine and noon.",
    ),
    Passage(
        id=2, document_id="kettle.md", collection="test", title="Kettles",
        text="A kettle that no longer boils is not repaired; it goes to the bin behind the canteen.",
    ),
)  # fmt: skip


class Shop:
    def __init__(self, folder) -> None:
        (folder / "pack.yaml").write_text(PACK, "utf-8")
        self.pack, self.reasoner = load_pack(folder), OfflineReasoner()
        library = MemoryLibrary(PASSAGES)
        self.knowledge = KnowledgeBase(lexical=library, passages=library)
        self.agent = Agent(build_graph(InMemorySaver()), self.context, summariser=self.reasoner)

    def context(self, request):
        return Context(request=request, pack=self.pack, reasoner=self.reasoner, knowledge=self.knowledge)

    async def ask(self, text, thread="T"):
        request = TurnRequest(
            turn_id=text, message_id=text, asked_by="ann", text=text, private=True,
            audience=Audience(principals=frozenset({"*"})),
            key=ThreadKey(platform="x", workspace_id="W", channel_id="C", thread_id=thread),
        )  # fmt: skip
        event = [event async for event in self.agent.run(request)][-1]
        assert isinstance(event, FinalResponse)
        return event.response


@pytest.fixture
def shop(tmp_path):
    return Shop(tmp_path)


@pytest.mark.parametrize(
    ("text", "route", "intent"),
    [
        ("boil it down for a beginner", "explain", "gist"),
        ("break that into bullets", "followup", "bullets"),
        ("쉽게 설명해줘", "explain", "about_answer"),
        ("이 답변을 더 자세히", "explain", "about_answer"),
    ],
)
async def test_what_is_about_the_answer_before_is_told_from_its_evidence_and_not_searched(shop, text, route, intent):
    await shop.ask("Where are broken printers repaired?")
    response = await shop.ask(text)
    assert (response.route, response.intent.name) == (route, intent)
    assert response.plan is None and [each.document_id for each in response.citations] == ["printer.md"]
    assert "room 4" in response.answer


async def test_without_an_answer_before_it_is_looked_up(shop):
    response = await shop.ask("boil it down for a beginner")
    assert response.route == "research" and response.plan is not None


async def test_an_intent_asks_back_with_its_choices_and_goes_on_with_the_one_that_is_chosen(shop):
    response = await shop.ask("it is broken")
    assert response.response_type == "clarification" and response.plan is None
    assert response.clarification.question == "Which machine is it?"
    assert response.clarification.options == ("the printer", "the kettle")
    answer = await shop.ask("the kettle")
    assert "bin" in answer.answer and answer.citations[0].document_id == "kettle.md"


@pytest.mark.parametrize("text", ["what should I hear tonight?", "what should I hear from you"])
async def test_what_is_likely_outside_is_declined_with_the_packs_words_where_nothing_is_found(shop, text):
    response = await shop.ask(text)
    assert response.route == "research" and response.plan is not None
    assert (response.response_type, response.answer) == ("declined", "We sing nothing here.")


async def test_what_is_likely_outside_is_told_where_a_document_answers_it(shop):
    response = await shop.ask("what song do broken printers in room 4 sing tonight?")
    assert response.citations[0].document_id == "printer.md"


async def test_a_question_of_its_own_is_not_asked_back_about(shop):
    response = await shop.ask("Where are broken printers repaired?")
    assert response.route == "research" and "room 4" in response.answer


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (ASK, "", "write the question under `ask`"),
        (
            "    route: explain\n",
            "    route: research\n",
            "`wants` is of the route explain or followup, not of research",
        ),
        ("wants: list", "wants: song", "'song' is not allowed; use 'longer'"),
        ("    route: clarify\n", "    route: direct\n", "`ask` is of the route clarify, not of direct"),
    ],
)
def test_a_key_that_does_not_fit_its_route_is_an_error(tmp_path, old, new, told):
    assert old in PACK
    (tmp_path / "pack.yaml").write_text(PACK.replace(old, new), "utf-8")
    with pytest.raises(PackError, match=r"pack.yaml:\d+: intents") as error:
        load_pack(tmp_path)
    assert told in str(error.value)


async def test_also_what_was_told_with_doubt_is_not_searched_anew(shop):
    first = await shop.ask("Where is the canteen printer?")
    assert first.response_type == "passages"
    response = await shop.ask("쉽게 설명해줘")
    assert response.plan is None and response.response_type == "passages" and response.citations
