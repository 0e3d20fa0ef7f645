"""Small looks at what was found: other words for a search, and whether earlier passages hold a follow-up."""

from collections.abc import Callable

from agent.reasoning.model import ModelReasoner
from agent.results import Again
from agent.types import Expansion, Hit, Intent, Query, Standalone, Step, Understood
from tests.reasoning_model.making import HOURS, PACK, block
from tests.servers.openai import OpenAIServer

Make = Callable[..., ModelReasoner]
STEP = Step(id="s1", team="search", task="Search", description="When does the library close?")
UNDERSTOOD = Understood(question="x", language="en", intent=Intent(name="", confidence=0.5), route="research")
TRIED = Expansion(step_id="s1", queries=(Query(text="When does the library close?"), Query(text="closing time")))
AGAIN = Again(iteration=1, tried=TRIED, hits=(Hit(passage=block(1, HOURS).passage, score=1.0),))


async def test_a_second_search_has_words_that_were_not_tried(server: OpenAIServer, make: Make) -> None:
    server.answer(
        {"variations": ["Closing Time", "opening hours", "opening hours", " ", "house rules", "timetable", "x"]}
    )
    question = Standalone(text="When does the library close?")
    expansion = await make(small_model="small").expand(STEP, question, UNDERSTOOD, PACK, AGAIN)
    assert [query.text for query in expansion.queries] == [
        "When does the library close?", "opening hours", "house rules", "timetable",
    ]  # fmt: skip
    (request,) = server.chats
    assert "closing time" in request.quoted("tried")[0]
    assert "closes at six" in request.quoted("found")[0]
    assert request.body["model"] == "small"
