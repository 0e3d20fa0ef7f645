"""Working stand-ins at the ports, shared by the tests."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace

from adapters.contract import Capabilities, Failure, TodoList
from agent.context import TurnRequest
from agent.errors import GoneError, RateLimitedError
from agent.events import Event, FinalResponse, PlanReady, TextDelta, TodoUpdated
from agent.reasoning.analysis_contract import Reading
from agent.reasoning.contract import Brief, Message
from agent.results import Again, Insight, Review
from agent.text import language_of, normalise
from agent.types import (
    Author,
    Clarification,
    Expansion,
    Grade,
    IncomingMessage,
    Intent,
    MessageKind,
    Pending,
    Plan,
    ProducedFile,
    QualityCheck,
    Query,
    Response,
    Sentence,
    Settled,
    Split,
    Standalone,
    Step,
    StepStatus,
    Support,
    ThreadKey,
    TurnRecord,
    Understood,
)


def incoming(
    text: str = "How many leave days?",
    *,
    message_id: str = "m1",
    thread: str = "T1",
    kind: MessageKind = MessageKind.MENTION,
    event_id: str = "",
    platform: str = "fake",
    private: bool = False,
) -> IncomingMessage:
    return IncomingMessage(
        key=ThreadKey(platform=platform, workspace_id="W", channel_id="C", thread_id=thread),
        event_id=event_id or f"{message_id}:{kind}",
        message_id=message_id,
        author=Author(id="U1", name="Kim"),
        text=text,
        kind=kind,
        received_at=time.time(),
        private=private,
    )


@dataclass
class RecordingReply:
    """Keeps what it was given; `trouble` maps a method's name to errors still to be raised."""

    shown: list[TodoList] = field(default_factory=list)
    streamed: list[str] = field(default_factory=list)
    finished: list[Response] = field(default_factory=list)
    failed: list[Failure] = field(default_factory=list)
    closed: list[Clarification] = field(default_factory=list)
    log: list[str] = field(default_factory=list)
    trouble: dict[str, list[Exception]] = field(default_factory=dict)

    def _enter(self, name: str) -> None:
        self.log.append(name)
        if self.trouble.get(name):
            raise self.trouble[name].pop(0)

    async def typing(self, todo):
        self._enter("typing")

    async def show(self, todo):
        self._enter("show")
        self.shown.append(todo)

    async def stream(self, text):
        self._enter("stream")
        self.streamed.append(text)

    async def ask(self, clarification):
        self._enter("ask")

    async def close_choices(self, clarification, first):
        if await first(f"click on {clarification.question}"):
            self._enter("close")
            self.closed.append(clarification)

    async def finish(self, response):
        self._enter("finish")
        self.finished.append(response)

    async def attach(self, file):
        self._enter("attach")

    async def fail(self, failure):
        self._enter("fail")
        self.failed.append(failure)


class RecordingAdapter:
    """A platform that is only a memory: one reply a turn."""

    name = "fake"

    def __init__(self, *, edit_interval: float = 0.01, streaming: bool = False) -> None:
        self.capabilities = Capabilities(text_limit=2000, edit_interval=edit_interval, streaming=streaming)
        self.replies: dict[str, RecordingReply] = {}
        self.erased: list[str] = []
        self.gone: set[str] = set()
        self.whispered: list[tuple[str, str]] = []
        """Who was told what alone."""

    async def whisper(self, message, text):
        self.whispered.append((message.author.id, text))

    async def connect(self):
        pass

    async def listen(self, intake):
        await asyncio.Event().wait()

    async def open_thread(self, message, deliveries):
        if message.message_id in self.gone:
            raise GoneError("channel_not_found")
        return message.key if message.key.thread_id else replace(message.key, thread_id=f"opened-{message.message_id}")

    def reply(self, message, deliveries):
        return self.replies.setdefault(message.turn_id, RecordingReply())

    async def settle(self, message):
        pass

    async def erase(self, message, deliveries):
        self.erased.append(message.turn_id)

    async def close(self):
        pass

    def of(self, message: IncomingMessage) -> RecordingReply:
        """Return what was said to a message."""
        return self.replies.setdefault(message.turn_id, RecordingReply())


def response(request: TurnRequest, answer: str = "20 days [1].") -> Response:
    return Response(
        thread_id=str(request.key), turn_id=request.turn_id, pack="test", mode="agent", language="en",
        route="research", answer=answer, response_type="answer",
    )  # fmt: skip


class ScriptedAgent:
    """Plays a turn: a plan of one step, an answer that repeats the question. `before` runs in the middle."""

    def __init__(self, before: Callable[[TurnRequest], object] | None = None) -> None:
        self.before = before
        self.asked: list[TurnRequest] = []
        self.forgotten: list[tuple[str, str]] = []
        self.now_running: set[str] = set()
        self.overlaps = 0
        self.files: tuple[ProducedFile, ...] = ()

    async def run(self, request: TurnRequest) -> AsyncIterator[Event]:
        thread = str(request.key)
        self.overlaps += thread in self.now_running
        self.now_running.add(thread)
        self.asked.append(request)
        try:
            step = Step(id="s", team="search", task="Search")
            yield PlanReady(plan=Plan(steps=(step,), parallel_groups=(("s",),)))
            yield TodoUpdated(step=replace(step, status=StepStatus.IN_PROGRESS))
            if self.before is not None:
                result = self.before(request)
                if asyncio.iscoroutine(result):
                    await result
            yield TodoUpdated(step=replace(step, status=StepStatus.COMPLETED))
            yield TextDelta(text=f"About {request.text}")
            yield FinalResponse(response=replace(response(request, f"About {request.text}"), files=self.files))
        finally:
            self.now_running.discard(thread)

    async def pending(self, thread: str) -> Pending | None:
        return None

    async def forget(
        self, thread: str, message_id: str, *, now: str | None = None, older: Sequence[TurnRecord] = ()
    ) -> None:
        self.forgotten.append((thread, message_id))

    async def turns(self, thread: str) -> Sequence[TurnRecord]:
        return ()


class NoCheckpoints:
    """Prunes nothing, and keeps what it was asked to."""

    def __init__(self) -> None:
        self.pruned: list[str] = []

    async def readable(self, thread: str, *, version: int) -> bool:
        return True

    async def prune(self, thread: str) -> None:
        self.pruned.append(thread)


def rate_limited(seconds: float = 0.0) -> RateLimitedError:
    return RateLimitedError("429", retry_after=seconds)


class ScriptedReasoner:
    """A reasoner whose every answer can be set; by default it quotes the first sentence of the first block."""

    def __init__(self, *, route: str = "research", steps: Sequence[Step] = (), strategy: str = "sequential") -> None:
        self.route = route
        self.steps = tuple(steps) or (Step(id="step_0", team="search", task="Search"),)
        self.strategy = strategy
        self.checks: list[QualityCheck] = []
        self.drafts: list[list[Sentence]] = []
        self.briefs: list[Brief] = []
        self.messages: list[Message] = []
        self.expand_errors: dict[str, Exception] = {}
        self.while_expanding: Callable[[Step], object] | None = None
        self.chat_reply: str | Exception = "the model's words"
        self.settled = Settled(kind="new")
        self.split: Split | None = None
        self.held = True
        self.while_planning: Callable[[], Awaitable[object]] | None = None
        self.again: list[Again | None] = []
        self.grades: list[Grade] = []
        self.fields: dict[str, str] = {}

    async def understand(self, message: Message) -> Understood:
        self.messages.append(message)
        question = normalise(message.text)
        return Understood(
            question=question,
            language=language_of(question),
            intent=Intent(name="question", confidence=0.9),
            route=self.route,
        )

    async def resolve(self, message: Message) -> Standalone:
        last: TurnRecord = message.turns[-1]
        return Standalone(text=f"{normalise(message.text)} ({last.question})", changed=True)

    async def settle(self, message: Message, pending: Pending) -> Settled:
        return self.settled

    async def clarify(self, understood, brief) -> Split | None:
        return self.split

    async def holds(self, brief: Brief) -> bool:
        return self.held and bool(brief.blocks)

    async def recollect(self, message, understood, memories) -> str:
        return " | ".join(memory.question for memory in memories) or "nothing"

    async def summarise(self, summary, turns) -> str:
        return " | ".join([*([summary.text] if summary else []), *(turn.question for turn in turns)])

    async def plan(self, question, understood, pack) -> Plan:
        if self.while_planning is not None:
            await self.while_planning()
        return Plan(steps=self.steps, strategy=self.strategy)

    async def expand(self, step, question, understood, pack, again=None) -> Expansion:
        self.again.append(again)
        if step.id in self.expand_errors:
            raise self.expand_errors[step.id]
        if self.while_expanding is not None:
            waiting = self.while_expanding(step)
            if asyncio.iscoroutine(waiting):
                await waiting
        return Expansion(step_id=step.id, queries=(Query(text=step.description or question.text),))

    async def compose(self, brief: Brief) -> AsyncIterator[Sentence]:
        self.briefs.append(brief)
        if self.drafts:
            for sentence in self.drafts.pop(0):
                yield sentence
            return
        block = brief.blocks[0]
        end = block.passage.text.index(".") + 1
        yield Sentence(text=block.passage.text[:end], support=(Support(block=block.n, start=0, end=end),))

    async def respond(self, message, understood) -> str:
        return f"response to {understood.route}"

    async def chat(self, message) -> str:
        if isinstance(self.chat_reply, Exception):
            raise self.chat_reply
        return self.chat_reply

    async def check_grounding(self, sentences, brief) -> QualityCheck:
        return self.checks.pop(0) if self.checks else QualityCheck(is_valid=True, score=1.0)

    async def grade(self, sentences, brief, grounding) -> Grade:
        if self.grades:
            return self.grades.pop(0)
        return Grade(check=QualityCheck(is_valid=True, score=1.0), score=1.0, evidence=1.0)

    async def extract_slots(self, text, specs) -> dict[str, str]:
        return {spec.name: self.fields[spec.name] for spec in specs if spec.name in self.fields}

    async def draft_document(self, brief) -> dict[str, list[Sentence]]:
        return {section.name: [s async for s in self.compose(brief.brief)] for section in brief.template.sections}

    async def review(self, brief, drafted) -> Review:
        return Review(risk_level="low")

    async def analyse(self, brief) -> Reading:
        return Reading(insights=tuple(Insight(text=each.written, metrics=(each.name,)) for each in brief.metrics))
