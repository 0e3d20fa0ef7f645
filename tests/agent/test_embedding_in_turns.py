"""What a turn with a model has embedded: the whole application against a loopback endpoint."""

import asyncio
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
import pytest_asyncio

from agent.context import TurnRequest
from agent.errors import TurnTimeoutError
from agent.events import FinalResponse
from agent.language import say
from agent.nodes import understand
from agent.reasoning.combined import precedence
from agent.retrieval import ranking
from agent.types import Around, Audience, Expansion, Query, ThreadKey
from bot.app import open_engine
from bot.settings import Settings
from storage.access import SqlAccess
from storage.ingest.run import ingest
from tests.clock import pass_time
from tests.reasoning_model.capable import capable
from tests.servers.openai import OpenAIServer, refusal

PACK = "{name: rules, title: {en: Rules, ko: 규정}, description: {en: The rules., ko: 규정입니다.}%s}"
QUESTION = "What is the default colour of the widget?"
EVERYBODY = Audience(principals=frozenset({"*", "user:x:W:U"}))
BOSS = Audience(principals=frozenset({"*", "user:x:W:boss"}))


class Endpoint(OpenAIServer):
    """Holds back the next chat, the next embedding, until it is let go, and tells when they arrive."""

    def __init__(self) -> None:
        super().__init__()
        self.answer(capable)
        self.held: set[str] = set()
        self.arrived = {name: asyncio.Event() for name in ("chat", "embedding")}
        self.go_on = {name: asyncio.Event() for name in ("chat", "embedding")}
        self.before_chat = lambda request: self._hold("chat")
        self.before_embedding = lambda request: self._hold("embedding")

    async def _hold(self, name: str) -> None:
        self.arrived[name].set()
        if name in self.held:
            self.held.discard(name)
            async with asyncio.timeout(60):
                await self.go_on[name].wait()

    def begin(self, *held: str) -> None:
        """Forget what was asked so far, and hold back the next of these."""
        self.requests.clear()
        self.held = set(held)
        for event in (*self.arrived.values(), *self.go_on.values()):
            event.clear()

    async def come(self, name: str) -> None:
        async with asyncio.timeout(60):
            await self.arrived[name].wait()

    @property
    def embedded(self) -> list[str]:
        """The texts that were embedded, in order."""
        asked = [request for request in self.requests if request.path.endswith("/embeddings")]
        return [text for request in asked for text in request.body["input"]]


@pytest.fixture
async def server():
    async with Endpoint() as running:
        yield running
        for event in running.go_on.values():
            event.set()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def prepared(tmp_path_factory):
    """A data folder with a document for everybody and one for the boss."""
    folder = tmp_path_factory.mktemp("ahead")
    (folder / "pack").mkdir()
    (folder / "pack" / "pack.yaml").write_text(PACK % "")
    for name, text in (
        (
            "open",
            "# Widget\n\nThe default colour of the widget is teal.\n\n# Gadget\n\nThe gadget weighs nine kilos.\n",
        ),
        ("closed", "# Widget\n\nThe default colour of the secret widget is mauve.\n"),
    ):
        (folder / name).mkdir()
        (folder / name / "guide.md").write_text(text)
    async with open_engine(Settings.load(data=folder / "data", pack=str(folder / "pack"))) as engine:
        for name in ("open", "closed"):
            await ingest([folder / name], library=engine.library, collection=name)
        await SqlAccess(engine.database).change_readers("closed", lambda _: frozenset({"user:x:W:boss"}))
    return folder / "data"


@pytest.fixture
async def opened(tmp_path, monkeypatch, server, prepared):
    """Open an engine on these documents and their vectors; `limits` go into the pack."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pack").mkdir()
    shutil.copytree(prepared, tmp_path / "data")
    engines = []

    async def opened(limits: str = ""):
        (tmp_path / "pack" / "pack.yaml").write_text(PACK % limits)
        settings = Settings.load(
            data=tmp_path / "data", pack=str(tmp_path / "pack"), OPENAI_BASE_URL=server.url, OPENAI_API_KEY="k",
            embedding_model="first",
        )  # fmt: skip
        context = open_engine(settings)
        engine = await context.__aenter__()
        engines.append(context)
        await engine.meanings.follow()
        return engine

    yield opened
    for context in engines:
        await context.__aexit__(None, None, None)


@pytest.fixture
async def engine(opened):
    return await opened()


def request(text: str = QUESTION, number: int = 1, audience: Audience = EVERYBODY, thread: str = "T") -> TurnRequest:
    key = ThreadKey(platform="x", workspace_id="W", channel_id="C", thread_id=thread)
    return TurnRequest(
        turn_id=f"{thread}{number}", key=key, message_id=f"m{number}", asked_by="U", text=text, audience=audience
    )


async def turn(engine, *given, **options) -> list:
    return [event async for event in engine.agent.run(request(*given, **options))]


async def ask(engine, *given, **options):
    (*_, last) = await turn(engine, *given, **options)
    assert isinstance(last, FinalResponse)
    return last.response


def running() -> list[str]:
    """Return what of the agent is still running."""
    tasks = [task.get_coro() for task in asyncio.all_tasks()]
    files = {task.cr_code.co_filename: task.__qualname__ for task in tasks if hasattr(task, "cr_code")}
    return [name for file, name in files.items() if Path(file).is_relative_to(Path(understand.__file__).parents[1])]


def with_other_words(request):
    """Answer as a capable model does, with words that the message does not have."""
    answer = capable(request)
    return {**answer, "words": "allowance scheme"} if isinstance(answer, dict) and "words" in answer else answer


async def test_each_text_is_embedded_once_in_a_turn_and_the_models_other_words_not_at_all(engine, server):
    server.begin()
    server.answer(with_other_words)
    response = await ask(engine)
    assert server.embedded.count(QUESTION) == 1 and len(server.embedded) == len(set(server.embedded))
    by_model = [query for expansion in response.expansion for query in expansion.queries if not query.by_meaning]
    assert by_model and not {query.text for query in by_model} & set(server.embedded)
    assert len([each for each in server.requests if each.path.endswith("/embeddings")]) == 1


@pytest.mark.parametrize("text", ["hello", "thanks!", "What do you know about me?", "Where does it say that?"])
async def test_what_the_rules_answer_themselves_looks_for_nothing(engine, server, text):
    await ask(engine)
    server.begin()
    searched = []
    engine.library.index.search = lambda *_, **given: searched.append(given)
    await ask(engine, text, 2)
    assert server.embedded == [] and searched == [] and running() == []


@pytest.mark.parametrize("text", ["The gadget is on my desk.", "did you bring your gadget?", "who wants pizza?"])
async def test_side_talk_asks_neither_the_model_nor_the_endpoint_of_embeddings(engine, server, text):
    server.begin()
    said = replace(request(text), around=Around())
    assert [event async for event in engine.agent.run(said)][-1].response.answer == ""
    assert server.requests == []


async def test_an_embedding_endpoint_that_is_down_is_told_once(engine, server, caplog):
    server.begin()
    server.refuse_text = lambda text: refusal(401, "no")
    assert "teal" in (await ask(engine)).answer
    assert [record.action for record in caplog.records] == ["vector_search_failed"]


def test_a_wording_of_the_model_goes_by_words_unless_it_weighs_as_much_as_the_question():
    rules = Expansion(step_id="s", queries=(Query(text="one"), Query(text="two", weight=0.3)))
    more = (Query(text="TWO"), Query(text="three"), Query(text="four", weight=0.3))
    joined = precedence.expanded(rules, more, by_meaning=False).queries
    assert [(query.text, query.by_meaning) for query in joined] == [
        ("one", True), ("two", True), ("three", True), ("four", False),
    ]  # fmt: skip
    assert all(query.by_meaning for query in precedence.expanded(rules, more, by_meaning=True).queries)


async def test_an_embedding_that_hangs_is_waited_for_as_long_as_a_search_would(engine, server, monkeypatch):
    monkeypatch.setattr(ranking, "PATIENCE", 0.05)
    server.begin("embedding")
    assert "teal" in (await ask(engine)).answer
    assert server.embedded and running() == []


@pytest.mark.parametrize("held", ["chat", "embedding"])
async def test_a_turn_that_is_cancelled_leaves_nothing_running(engine, server, held):
    server.begin(held)
    asking = asyncio.create_task(ask(engine))
    await server.come(held)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert running() == []


async def test_a_turn_that_runs_out_of_time_leaves_nothing_running(opened, server):
    engine = await opened(", limits: {deadline_seconds: 20}")
    server.begin("chat")
    asking = asyncio.create_task(ask(engine))
    await server.come("chat")
    pass_time(21)
    with pytest.raises(TurnTimeoutError):
        await asking
    assert running() == []


async def test_where_the_model_fails_each_text_is_embedded_once(engine, server):
    server.begin()
    server.answer(refusal(401, "no"))
    response = await ask(engine)
    assert "teal" in response.answer and response.warnings == (say("model_fallback", "en"),)
    assert server.embedded.count(QUESTION) == 1 and len(server.embedded) == len(set(server.embedded))


async def test_each_of_two_who_ask_at_once_finds_what_they_may_read(engine, server):
    server.begin()
    asked = "What is the default colour of the secret widget?"
    anybody, boss = await asyncio.gather(
        ask(engine, asked, audience=EVERYBODY, thread="T1"), ask(engine, asked, audience=BOSS, thread="T2")
    )
    assert "mauve" in boss.answer and "mauve" not in repr(anybody)
