"""Whole turns: the graph, the real offline reasoner, and a model and an embedding behind sockets."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path

import numpy as np
import openai
import pytest
from langgraph.checkpoint.memory import InMemorySaver
from numpy.typing import NDArray

from adapters.services.embeddings import OpenAIEmbeddings
from agent.context import Context, TurnRequest
from agent.graph import build_graph
from agent.language import say
from agent.reasoning.combined.reasoner import FallbackReasoner
from agent.reasoning.model import ModelReasoner
from agent.reasoning.rules.reasoner import OfflineReasoner
from agent.retrieval.search import KnowledgeBase
from agent.run import Agent
from agent.types import Audience, Passage, Response, SearchFilter, ThreadKey
from storage.vector_index import VectorIndexOnFile
from storage.vectors import VectorFile
from tests.fakes_knowledge import MemoryLibrary
from tests.reasoning_model.capable import capable
from tests.reasoning_model.making import PACK, reading
from tests.servers.openai import Answer, OpenAIServer, Request, obliging, refusal

PASSAGES = [
    Passage(id=1, document_id="hours.md", collection="handbook", title="Hours", text="The library closes at six."),
    Passage(id=2, document_id="leave.md", collection="handbook", title="휴가", text="연차 휴가는 1년에 15일입니다."),
    Passage(
        id=3, document_id="board.md", collection="board", title="Secret", text="The library closes for good in May."
    ),
]
READERS = {"board": frozenset({"user:x:W:boss"})}
EVERYBODY = Audience(principals=frozenset({"*"}))
Ask = Callable[[str], object]


@pytest.fixture
async def knowledge(client: openai.AsyncOpenAI, tmp_path: Path) -> AsyncIterator[KnowledgeBase]:
    library = MemoryLibrary(PASSAGES, READERS)
    embeddings = OpenAIEmbeddings(client, model="embedder")
    file = VectorFile(tmp_path / "vectors.faiss", embedding=embeddings.name)
    vectors = await embeddings.embed([passage.text for passage in PASSAGES])
    await file.add(np.array([passage.id for passage in PASSAGES]), vectors)

    async def allowed(filter: SearchFilter, audience: Audience) -> NDArray[np.int64]:
        return np.array([p.id for p in PASSAGES if audience.may_read(READERS.get(p.collection, frozenset({"*"})))])

    yield KnowledgeBase(
        lexical=library, passages=library, vectors=VectorIndexOnFile(file, allowed), embeddings=embeddings
    )
    await file.close()


@pytest.fixture
def ask(knowledge: KnowledgeBase, make: Callable[..., ModelReasoner]) -> Callable[..., object]:
    model, offline = make(), OfflineReasoner()

    def context(request: TurnRequest) -> Context:
        reasoner = FallbackReasoner(model, offline)
        return Context(
            request=request, pack=PACK, reasoner=reasoner, knowledge=knowledge, notices=lambda: reasoner.warnings
        )

    agent = Agent(build_graph(InMemorySaver()), context, summariser=OfflineReasoner())

    async def ask(text: str, number: int = 1) -> Response:
        key = ThreadKey(platform="x", workspace_id="W", channel_id="C", thread_id="T")
        request = TurnRequest(
            turn_id=f"t{number}", key=key, message_id=f"m{number}", asked_by="U", text=text, audience=EVERYBODY
        )
        events = [event async for event in agent.run(request)]
        return events[-1].response  # type: ignore[union-attr]

    return ask


async def test_a_question_is_answered_by_the_model_from_what_may_be_read(
    server: OpenAIServer, ask: Callable[..., Ask]
) -> None:
    server.answer(obliging)
    response = await ask("When does the library close?")
    assert response.answer == "The library closes at six. [1]"
    assert response.citations[0].document_id == "hours.md"
    assert response.warnings == ()
    assert [request.shape for request in server.chats] == ["reading", ""]  # read, write; a quote needs no judge
    assert "for good in May" not in "\n".join(request.text for request in server.chats)


def takes_for(intent: str, says: str, **more: object) -> Callable[[Request], Answer]:
    """Return a model that takes every message for the same, and says the same to all else."""
    return lambda request: reading(intent=intent, **more) if "reading" in request.shape else says


@pytest.mark.parametrize("intent", ["greeting", "poem", "smalltalk"])
@pytest.mark.parametrize("question", ["When does the library close?", "Hi! Tell me when the library closes"])
async def test_a_question_is_searched_for_whatever_the_model_takes_it_for(
    server: OpenAIServer, ask: Callable[..., Ask], intent: str, question: str
) -> None:
    server.answer(takes_for(intent, "The library closes at six. [1]"))
    response = await ask(question)
    assert response.answer == "The library closes at six. [1]"


async def test_a_follow_up_that_the_model_takes_for_a_greeting_is_read_by_the_rules(
    server: OpenAIServer, ask: Callable[..., Ask]
) -> None:
    server.answer(takes_for("", "The library closes at six. [1]"))
    await ask("When does the library close?")
    server.answer(takes_for("smalltalk", "The library closes at six. [1]", standalone="Hello!"))
    response = await ask("and is that on every day?", 2)
    assert response.route in ("research", "contextualize")
    assert "Hello" not in response.standalone_query


async def test_nothing_that_the_model_writes_is_said_without_documents(
    server: OpenAIServer, ask: Callable[..., Ask]
) -> None:
    server.answer(takes_for("smalltalk", "The CFO is Kim."))
    response = await ask("nice weather today")
    assert response.route == "direct"
    assert "CFO" not in response.answer
    assert len(server.chats) == 1


async def test_a_follow_up_is_searched_as_the_model_resolves_it(server: OpenAIServer, ask: Callable[..., Ask]) -> None:
    server.answer(obliging)
    await ask("연차 휴가는 며칠인가요?")
    server.script(reading(standalone="When does the library close?"))
    response = await ask("And the library?", 2)
    assert response.route == "contextualize"
    assert response.standalone_query == "When does the library close?"
    assert response.citations[0].document_id == "hours.md"


async def test_a_dead_model_costs_a_notice_not_the_answer(server: OpenAIServer, ask: Callable[..., Ask]) -> None:
    server.answer(refusal(401, "Incorrect API key provided: sk-very-secret"))
    response = await ask("When does the library close?")
    assert response.status == "completed"
    assert "closes at six" in response.answer
    assert response.warnings == (say("model_fallback", "en"),)
    assert "sk-very" not in repr(response)


async def test_a_model_that_finds_no_answer_is_believed(server: OpenAIServer, ask: Callable[..., Ask]) -> None:
    server.script(reading(standalone="Where is the cafeteria?"), "NO_ANSWER")
    response = await ask("Where is the cafeteria?")
    assert response.response_type in ("passages", "not_found")  # at most what comes closest, and told as that
    assert response.answer.startswith((say("closest", "en"), say("no_answer", "en")))


async def test_a_message_that_asks_two_things_is_planned_and_answered_in_steps(
    server: OpenAIServer, ask: Callable[..., Ask]
) -> None:
    server.answer(capable)
    response = await ask("When does the library close? 연차 휴가는 1년에 며칠인가요?")
    assert [step.description for step in response.plan.steps] == [
        "When does the library close?", "연차 휴가는 1년에 며칠인가요?",
    ]  # fmt: skip
    assert {step.status for step in response.plan.steps} == {"completed"}
    assert {citation.document_id for citation in response.citations} == {"hours.md", "leave.md"}
    assert [request.shape for request in server.chats][:2] == ["reading", "steps"]
    assert response.warnings == ()


def marking(*marks: dict[str, object]) -> Callable[[Request], Answer]:
    """Answer with free words, and judge them with these marks in turn."""
    left = list(marks)
    verdicts = [{"n": 1, "supported": True, "problem": ""}]

    def answer(request: Request) -> Answer:
        if request.shape == "verdicts":
            return {"verdicts": verdicts, "missing": [], **left.pop(0)}
        return "The library closes its doors at six. [1]" if request.streaming else capable(request)

    return answer


async def test_what_an_answer_misses_is_written_once_more(server: OpenAIServer, ask: Callable[..., Ask]) -> None:
    missed = {"answered": "partly", "missing": ["at what time"]}
    server.answer(marking(missed, missed))
    response = await ask("When does the library close?")
    assert [request.shape for request in server.chats] == ["reading", "", "verdicts", "", "verdicts"]
    assert "Answer this part of the question as well: at what time" in server.chats[3].quoted("remarks")[0]
    assert response.retry_count == 1
    assert response.grade is not None and not response.grade.is_valid
    assert response.citations


async def test_what_does_not_answer_at_all_is_searched_for_again(server: OpenAIServer, ask: Callable[..., Ask]) -> None:
    server.answer(marking({"answered": "no"}, {"answered": "yes"}))
    response = await ask("When does the library close?")
    assert [request.shape for request in server.chats][:4] == ["reading", "", "verdicts", "rewording"]
    assert "The library closes at six." in server.chats[3].quoted("found")[0]
    assert response.iteration_count == 1
