"""Whole turns whose answer is written slowly: inbox, worker and turns as they are, Slack and the model on loopback."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace

import pytest

from adapters.drafts import GOES_ON
from adapters.slack.adapter import SlackAdapter
from agent.errors import TurnTimeoutError
from agent.events import DraftWithdrawn, FinalResponse, PlanReady, TextDelta, TodoUpdated
from agent.language import say
from agent.types import Author, Clarification, IncomingMessage, MessageKind, Plan, Response, Step, StepStatus, ThreadKey
from bot.app import open_engine
from bot.settings import Settings
from bot.turns import progress, worker
from bot.turns.conversation import Conversation
from bot.turns.hearing import Hearing
from bot.turns.turn import Rules, Turns
from bot.turns.worker import Worker
from storage.access import SqlAccess
from storage.database import Database
from storage.deliveries import SqlDeliveries
from storage.inbox import SqlInbox
from storage.ingest.run import ingest
from storage.schema import INBOX, WEFT
from storage.turns import SqlTurns
from tests.fakes import NoCheckpoints
from tests.fakes_channels import MemoryChannelModes
from tests.fakes_profiles import MemoryProfiles
from tests.servers.openai import Answer, Bytes, OpenAIServer, Request, obliging
from tests.servers.slack import SlackServer

SIGN = GOES_ON.strip()
STEP = Step(id="s", team="search", task="Search")
PLANNED = (
    PlanReady(plan=Plan(steps=(STEP,), parallel_groups=(("s",),))),
    TodoUpdated(step=Step(id="s", team="search", task="Search", status=StepStatus.COMPLETED)),
)


class Writer:
    """An agent that plays a script: events, sentences, and waits for what a test sets. It answers what it wrote."""

    def __init__(self, *script) -> None:
        self.script = script

    async def run(self, request):
        said = ""
        for part in self.script:
            if isinstance(part, asyncio.Event):
                await part.wait()
            elif isinstance(part, Exception):
                raise part
            elif isinstance(part, str):
                said += part
                yield TextDelta(text=part)
            else:
                if isinstance(part, DraftWithdrawn):
                    said = ""
                yield part
        yield FinalResponse(response=response(said))


def response(answer: str, **more) -> Response:
    return Response(
        **{
            "thread_id": "t", "turn_id": "t1", "pack": "test", "mode": "agent", "language": "en",
            "route": "research", "answer": answer, "response_type": "answer", **more,
        }
    )  # fmt: skip


class Bench:
    """The real inbox, worker and turns around a scripted agent, answering in Slack."""

    def __init__(self, slack: SlackServer, make_adapter, inbox, database) -> None:
        self.slack, self._make_adapter, self.inbox, self.database = slack, make_adapter, inbox, database
        self.conversation = Conversation(inbox, MemoryChannelModes())
        self.deliveries = SqlDeliveries(database)

    @contextlib.asynccontextmanager
    async def working(self, *script, **options) -> AsyncIterator[SlackAdapter]:
        adapter = self._make_adapter()
        await adapter.connect()
        turns = Turns(
            agent=Writer(*script), adapters={"slack": adapter}, deliveries=self.deliveries,
            turns=SqlTurns(self.database), checkpoints=NoCheckpoints(), memberships=SqlAccess(self.database),
            profiles=MemoryProfiles(), rules=Rules(pack="test", question_limit=500),
            hearing=Hearing(MemoryChannelModes(), self.inbox, SqlTurns(self.database)),
        )  # fmt: skip
        task = asyncio.create_task(Worker(self.inbox, turns, platforms=["slack"], **options).run())
        try:
            yield adapter
        finally:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    async def ask(self, text: str = "a question") -> IncomingMessage:
        message = incoming(self.slack.add("C1", "U1", text)["ts"], text)
        assert await self.conversation.accept(message)
        return message

    async def settled(self) -> None:
        async with asyncio.timeout(60):
            while (counts := await self.inbox.counts())["todo"] or counts["doing"]:
                await asyncio.sleep(0.01)

    def shown(self) -> list[str]:
        """What a reader sees below the list."""
        return [body(m) for m in self.slack.bot_messages("C1") if slot(m) != "progress"]


def incoming(ts: str, text: str) -> IncomingMessage:
    return IncomingMessage(
        key=ThreadKey(platform="slack", workspace_id="T1", channel_id="C1", thread_id=ts),
        event_id=f"slack:T1:C1:{ts}:{text}",
        message_id=ts,
        author=Author(id="U1"),
        text=text,
        kind=MessageKind.MENTION,
        received_at=float(ts),
    )


def slot(message: dict) -> str:
    return message["metadata"]["event_payload"]["slot"]


def body(message: dict) -> str:
    blocks = [block["text"] for block in message.get("blocks") or () if block["type"] == "markdown"]
    return "\n".join(blocks) or message["text"]


@pytest.fixture
async def bench(slack, make_adapter, tmp_path, monkeypatch):
    monkeypatch.setattr(worker, "RETRY_SECONDS", 0.01)
    monkeypatch.setattr(worker, "STOP_POLL", 0.01)
    monkeypatch.setattr(progress, "FIRST_WORDS", 0.0)
    monkeypatch.setattr(SlackAdapter, "capabilities", replace(SlackAdapter.capabilities, edit_interval=0.001))
    queue = await Database.open(tmp_path / "inbox.db", INBOX, durable=True)
    database = await Database.open(tmp_path / "weft.db", WEFT)
    yield Bench(slack, make_adapter, SqlInbox(queue), database)
    await queue.close()
    await database.close()


async def test_the_first_sentence_stands_below_the_list_before_the_last_is_written(bench, slack) -> None:
    go_on = asyncio.Event()
    async with bench.working(*PLANNED, "One. [1]", go_on, " Two. [1]"):
        await bench.ask()
        await slack.until(lambda: bench.shown() == [f"One. [1]\n\n{SIGN}"])
        go_on.set()
        await bench.settled()
    assert [slot(m) for m in slack.bot_messages("C1")] == ["progress", "answer:0"]
    assert bench.shown() == ["One. [1] Two. [1]"]
    assert len(slack.called("chat.postMessage")) == 2


async def test_an_answer_that_is_there_at_once_costs_nothing_more(bench, slack, monkeypatch) -> None:
    monkeypatch.setattr(progress, "FIRST_WORDS", 3600.0)
    async with bench.working(*PLANNED, "One. [1]", " Two. [1]"):
        await bench.ask()
        await bench.settled()
    assert bench.shown() == ["One. [1] Two. [1]"]
    assert len(slack.called("chat.postMessage")) == 2 and not slack.called("conversations.replies")
    assert all(call.args["metadata"]["event_payload"]["slot"] == "progress" for call in slack.called("chat.update"))


async def test_a_stop_takes_the_place_of_the_draft(bench, slack) -> None:
    async with bench.working(*PLANNED, "One. [1]", asyncio.Event()):
        message = await bench.ask()
        await slack.until(bench.shown)
        stop = slack.add("C1", "U1", "stop", message.message_id)
        assert await bench.conversation.accept(
            IncomingMessage(
                key=message.key, event_id="stop", message_id=stop["ts"], author=Author(id="U1"), text="stop",
                kind=MessageKind.THREAD_REPLY, received_at=float(stop["ts"]),
            )
        )  # fmt: skip
        await bench.settled()
    assert bench.shown() == [say("turn_stopped", "en")]


async def test_a_stop_while_the_draft_is_being_posted(bench, slack, monkeypatch) -> None:
    monkeypatch.setattr(progress, "PATIENCE", 0.05)
    go_on, gate = asyncio.Event(), asyncio.Event()
    async with bench.working(*PLANNED, go_on, "One. [1]", asyncio.Event()):
        message = await bench.ask()
        await slack.until(lambda: slack.bot_messages("C1"))
        slack.fail("chat.postMessage", hold=gate)
        go_on.set()
        await slack.until(lambda: len(slack.called("chat.postMessage")) == 2)
        assert await bench.inbox.stop(message.key)
        await asyncio.sleep(0.1)  # the turn is cut off, and the word about it waits for the draft
        gate.set()
        await bench.settled()
    assert bench.shown() == [say("turn_stopped", "en")]
    assert len(slack.called("chat.postMessage")) == 2


@pytest.mark.parametrize(
    ("error", "word"),
    [(TurnTimeoutError(), "turn_timeout"), (RuntimeError("broken"), "turn_failed")],
)
async def test_a_turn_that_comes_to_nothing_says_so_in_the_place_of_the_draft(bench, slack, error, word) -> None:
    gates = [asyncio.Event() for _ in range(2)]
    async with bench.working(*PLANNED, "One. [1]", gates[0], error):
        message = await bench.ask()
        await slack.until(bench.shown)
        gates[0].set()
        await bench.settled()
    assert bench.shown() == [say(word, "en", turn_id=message.turn_id)]
    assert len(slack.called("chat.postMessage")) == 2


async def test_a_question_back_takes_the_place_of_the_draft(bench, slack) -> None:
    asks = Clarification(question="Which office?", options=("Seoul", "Berlin"))
    go_on = asyncio.Event()
    final = response("Which office?", response_type="clarification", clarification=asks)
    async with bench.working(*PLANNED, "One. [1]", go_on, FinalResponse(response=final)):
        await bench.ask()
        await slack.until(bench.shown)
        go_on.set()
        await bench.settled()
    assert bench.shown() == ["Which office?\n\n1. Seoul\n2. Berlin"]


async def test_where_nothing_is_answered_nothing_is_left(bench, slack) -> None:
    go_on = asyncio.Event()
    async with bench.working("One. [1]", go_on, FinalResponse(response=response(""))):
        await bench.ask()
        await slack.until(bench.shown)
        go_on.set()
        await bench.settled()
    assert slack.bot_messages("C1") == []


async def test_a_withdrawn_draft_is_written_once_more_in_its_place(bench, slack) -> None:
    first, second = asyncio.Event(), asyncio.Event()
    withdrawn = DraftWithdrawn(reason="r")
    async with bench.working("Wrong. [1]", first, withdrawn, second, "Right. [1]"):
        await bench.ask("연차는 며칠인가요?")
        await slack.until(lambda: bench.shown() == [f"Wrong. [1]\n\n{SIGN}"])
        first.set()
        await slack.until(lambda: bench.shown() == [f"_답변을 다시 작성하고 있습니다_\n\n{SIGN}"])
        second.set()
        await bench.settled()
    assert bench.shown() == ["Right. [1]"]
    assert len(slack.called("chat.postMessage")) == 1


async def test_a_turn_cut_off_in_the_middle_is_answered_in_the_same_message(bench, slack) -> None:
    async with bench.working(*PLANNED, "One. [1]", asyncio.Event()):
        await bench.ask()
        await slack.until(bench.shown)
    assert bench.shown() == [f"One. [1]\n\n{SIGN}"]
    go_on = asyncio.Event()
    async with bench.working(*PLANNED, "Other words. [1]", go_on, " And more. [1]"):
        await slack.until(lambda: bench.shown() == [f"Other words. [1]\n\n{SIGN}"])
        go_on.set()
        await bench.settled()
    assert bench.shown() == ["Other words. [1] And more. [1]"]
    assert len(slack.called("chat.postMessage")) == 2


async def test_a_draft_that_slack_refuses_takes_nothing_from_the_turn(bench, slack) -> None:
    ready, go_on = asyncio.Event(), asyncio.Event()
    async with bench.working(PLANNED[0], ready, "One. [1]", go_on, PLANNED[1], " Two. [1]"):
        await bench.ask()
        await slack.until(lambda: slack.bot_messages("C1"))
        slack.fail("chat.postMessage", status=200, error="msg_too_long")
        ready.set()
        await slack.until(lambda: len(slack.called("chat.postMessage")) == 2)
        go_on.set()
        await bench.settled()
    assert bench.shown() == ["One. [1] Two. [1]"]
    assert "✅" in body(slack.bot_messages("C1")[0])


# --- the engine, with a model that writes slowly


def chunk(text: str, finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": {"content": text} if text else {}, "finish_reason": finish}
    said = {"id": "c1", "object": "chat.completion.chunk", "created": 0, "model": "m", "choices": [choice]}
    return f"data: {json.dumps(said)}\n\n".encode()


class Slowly:
    """The bytes of an answer whose second half comes when a test says so."""

    def __init__(self, first: str, rest: str, go_on: asyncio.Event) -> None:
        self.first, self.rest, self.go_on = first, rest, go_on

    def __iter__(self) -> Iterator[bytes]:
        yield chunk(self.first)
        while not self.go_on.is_set():
            yield b": still here\n\n"
        yield chunk(self.rest)
        yield chunk("", "stop")
        yield b"data: [DONE]\n\n"


async def test_the_model_s_first_sentence_is_in_the_thread_before_its_last_is_written(
    slack, make_adapter, tmp_path, sampled, monkeypatch
) -> None:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "documents"
    folder.mkdir()
    (folder / "library.md").write_text("# Library\n\nThe library closes at six. The library opens at nine.\n")
    go_on = asyncio.Event()
    first, rest = "The library closes at six. [1] The", " library opens at nine. [1]"

    def writes(request: Request) -> Answer:
        return Bytes(Slowly(first, rest, go_on)) if request.streaming else obliging(request)

    async with OpenAIServer() as model:
        model.answer(writes)
        settings = Settings.load(data=sampled, openai_base_url=model.url, openai_api_key="sk-test")
        async with open_engine(settings) as engine:
            await engine.library.declare("documents")
            await ingest([folder], library=engine.library, collection="documents")
            adapter = make_adapter()
            await adapter.connect()
            task = asyncio.create_task(engine.worker([adapter]).run())
            text = "When does the library close and open?"
            message = incoming(slack.add("C1", "U1", text)["ts"], text)
            await engine.conversation.accept(message)

            def answers() -> list[str]:
                return [body(m) for m in slack.bot_messages("C1") if slot(m) == "answer:0"]

            await slack.until(lambda: answers() == [f"The library closes at six. [1]\n\n{SIGN}"])
            assert not go_on.is_set()  # the model is still writing
            go_on.set()
            await slack.until(lambda: answers() and SIGN not in answers()[0])
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task
    [answer] = answers()
    assert "closes at six. [1]" in answer and "opens at nine. [1]" in answer
    assert [slot(m) for m in slack.bot_messages("C1")] == ["progress", "answer:0"]
