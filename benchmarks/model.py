"""What the model path costs, and that it never loses an answer: `python -m benchmarks.model [--json FILE]`.

The real engine over the sample handbook, and over real HTTP an endpoint in a process of its own, whose model does what
it is asked: 300 ms to the first token, then 50 tokens a second. The questions are the headings of the handbook. What is
to be checked is said in the model's own words, so that it costs its call. `--turns` questions are then asked of an
endpoint that answers at once and fails in 30 of 100 requests; `--dialogues` plays the conversations of the tests with
the rules alone and with the model.
"""

import argparse
import asyncio
import json
import logging
import multiprocessing
import random
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict, dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory

import httpx
from aiohttp import web

from agent.events import Event, FinalResponse, PlanReady, TodoUpdated
from agent.text import language_of
from agent.types import Response
from agent.words import say
from benchmarks.report import Report, percentile
from bot.app import Engine, open_engine
from bot.asking import Asker, Console
from bot.audience import OPERATOR
from bot.settings import Settings
from tests.reasoning_model.capable import capable
from tests.servers.openai import Request

DIALOGUES = Path(__file__).parents[1] / "tests" / "dialogues"
CHARACTERS_PER_TOKEN = 4
HANGS = 1.0
"""Seconds for a call, where calls fail."""
SHARE = 0.3
"""Of the requests that fail, where requests fail."""
FAULTS = ("429", "500", "cut", "bad JSON", "silence")
KINDS: Mapping[str, tuple[str, str]] = {
    "You read one message": ("reading", "read"),
    "You answer a question": ("", "write"),
    "You check an answer": ("verdicts", "check"),
    "You lay out the steps": ("steps", "plan"),
    "A person asked a question": ("choosing", "ask back"),
    "An assistant for": ("meaning", "settle"),
    "You help a search": ("rewording", "other words"),
    "A person got an answer": ("holding", "follow-up"),
    "A person wrote a message": ("values", "fields"),
    "You review the draft": ("verdict", "review"),
    "You read figures": ("told", "insights"),
    "You write the sections": ("", "draft"),
    "You keep the memory": ("", "summary"),
    "You are the assistant of a team": ("", "reply"),
}
"""By how a prompt begins: the shape of its answer, and what docs/models.md calls the call."""
NOTE = {"en": "Please note that ", "ko": "참고로 "}
"""Begins a sentence that is no longer word for word in its passage, and says the same."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Manner:
    """How the endpoint behaves."""

    first: float = 0.0
    """Seconds to the first token."""
    per_second: float = 0.0
    """Tokens; 0: all at once."""
    failing: float = 0.0
    """Share of the requests that fail."""
    refuses: tuple[str, ...] = ()
    """Kinds of calls to which the model says no."""
    rewords: bool = False
    """Whether the answers are in the model's own words, which have to be checked."""


class Endpoint:
    """Speaks chat completions, at the pace of a model. PUT /manner changes it; GET /calls counts and forgets."""

    def __init__(self) -> None:
        self.manner = Manner()
        self.calls: Counter[str] = Counter()
        self._chance = random.Random(7)

    def app(self) -> web.Application:
        app = web.Application()
        app.router.add_post("/v1/chat/completions", self._chat)
        app.router.add_put("/manner", self._behave)
        app.router.add_get("/calls", self._count)
        return app

    async def _behave(self, http: web.Request) -> web.Response:
        self.manner = Manner(**await http.json())
        return web.Response()

    async def _count(self, _: web.Request) -> web.Response:
        counted, self.calls = dict(self.calls), Counter()
        return web.json_response(counted)

    async def _chat(self, http: web.Request) -> web.StreamResponse:
        body = await http.json()
        system = str(body["messages"][0]["content"])
        shape, kind = next((named for start, named in KINDS.items() if system.startswith(start)), ("", "other"))
        self.calls[kind] += 1
        manner = self.manner
        fault = self._chance.choice(FAULTS) if self._chance.random() < manner.failing else ""
        if fault:
            self.calls[f"failed: {fault}"] += 1
        if fault in ("429", "500"):
            headers = {"Retry-After": str(self._chance.randint(0, 1))} if fault == "429" else {}
            return web.json_response({"error": {"message": fault}}, status=int(fault), headers=headers)
        named = {"response_format": {"type": "json_schema", "json_schema": {"name": shape}}} if shape else {}
        messages = unheaded(body["messages"]) if kind == "write" else body["messages"]
        answer = capable(Request(path=http.path, body={**body, "tools": (), **named, "messages": messages}, headers={}))
        text = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
        if kind == "write" and manner.rewords:
            text = in_own_words(text)
        await asyncio.sleep(manner.first if fault != "silence" else 3600)
        if kind in manner.refuses:
            text, fault = "", "refusal"
        if body.get("stream"):
            return await self._streamed(http, text, fault)
        if manner.per_second:
            await asyncio.sleep(len(text) / CHARACTERS_PER_TOKEN / manner.per_second)
        if fault == "cut":
            broken(http)
        content = text[: len(text) // 2] if fault == "bad JSON" else text
        refusal = "I would rather not." if fault == "refusal" else None
        message = {"role": "assistant", "content": content, "refusal": refusal}
        return web.json_response(enveloped("chat.completion", {"message": message, "finish_reason": "stop"}))

    async def _streamed(self, http: web.Request, text: str, fault: str) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(http)
        pieces = re.findall(rf"(?s).{{1,{CHARACTERS_PER_TOKEN}}}", text)
        loop = asyncio.get_running_loop()
        begun, pace = loop.time(), self.manner.per_second
        with suppress(ConnectionResetError):  # the client has heard enough
            for n, piece in enumerate(pieces[: len(pieces) // 2] if fault in ("cut", "bad JSON") else pieces):
                if pace:
                    await asyncio.sleep(max(0.0, begun + n / pace - loop.time()))
                await response.write(event({"content": piece}))
            if fault == "cut":
                broken(http)
            elif fault == "bad JSON":
                await response.write(b'data: {"choices": [{"delta": {"con\n\n')
            else:
                said = {"refusal": "I would rather not."} if fault == "refusal" else {}
                await response.write(event(said, "stop") + b"data: [DONE]\n\n")
        return response


def unheaded(messages: Sequence[Mapping[str, str]]) -> list[Mapping[str, str]]:
    """Return what was said without the headings in it: a model does not copy them into an answer."""
    return [{**said, "content": re.sub(r"(?m)^#+ .*\n+", "", said["content"])} for said in messages]


def in_own_words(text: str) -> str:
    """Return an answer of quotes as a model words it: the same facts, no longer word for word."""
    if text == "NO_ANSWER":
        return text
    return " ".join(f"{NOTE[language_of(part)]}{part}" for part in re.split(r"(?<=\]) ", text))


def event(delta: Mapping[str, str], finish: str | None = None) -> bytes:
    chunk = enveloped("chat.completion.chunk", {"delta": delta, "finish_reason": finish})
    return f"data: {json.dumps(chunk, ensure_ascii=False)}\n\n".encode()


def enveloped(kind: str, choice: Mapping[str, object]) -> Mapping[str, object]:
    return {"id": "c", "object": kind, "created": 0, "model": "m", "choices": [{"index": 0, **choice}]}


def broken(http: web.Request) -> None:
    """Lose the connection."""
    if http.transport is not None:
        http.transport.abort()


def serve(pipe: Connection) -> None:
    """Run the endpoint in this process, and tell its port."""

    async def serving() -> None:
        runner = web.AppRunner(Endpoint().app(), access_log=None)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        pipe.send(runner.addresses[0][1])
        await asyncio.Event().wait()

    with suppress(KeyboardInterrupt):
        asyncio.run(serving())


class Remote:
    """The endpoint in its own process, as we see it."""

    def __init__(self, root: str) -> None:
        self.url = f"{root}/v1"
        self._client = httpx.AsyncClient(base_url=root, timeout=30.0)

    async def behave(self, manner: Manner) -> None:
        """Change its manner, and forget the calls so far."""
        (await self._client.put("/manner", json=asdict(manner))).raise_for_status()
        await self.counted()

    async def counted(self) -> Counter[str]:
        """Return the requests since the last time by kind, and which of them failed."""
        return Counter((await self._client.get("/calls")).json())

    async def aclose(self) -> None:
        await self._client.aclose()


@asynccontextmanager
async def endpoint() -> AsyncIterator[Remote]:
    """Give an endpoint that runs beside us."""
    ours, theirs = multiprocessing.get_context("spawn").Pipe()
    process = multiprocessing.get_context("spawn").Process(target=serve, args=(theirs,), daemon=True)
    process.start()
    remote = Remote(f"http://127.0.0.1:{await asyncio.to_thread(ours.recv)}")
    try:
        yield remote
    finally:
        await remote.aclose()
        process.terminate()
        await asyncio.to_thread(process.join, 10)


@dataclass(kw_only=True)
class Turn:
    """One question, when its events came (milliseconds after the message), and its answer."""

    question: str
    begun: float = field(default_factory=time.perf_counter)
    at: dict[str, float] = field(default_factory=dict)
    finals: int = 0
    response: Response | None = None

    def __call__(self, event: Event) -> None:
        elapsed = (time.perf_counter() - self.begun) * 1000
        if isinstance(event, (PlanReady, TodoUpdated)):
            self.at.setdefault("sign", elapsed)
        if isinstance(event, FinalResponse):
            self.finals += 1
            self.response = event.response
        self.at.setdefault(event.name, elapsed)

    @property
    def told(self) -> bool:
        """Whether the asker was told that the model failed."""
        warnings = self.response.warnings if self.response else ()
        return bool({say("model_fallback", language) for language in ("en", "ko")} & set(warnings))


async def ask(engine: Engine, question: str) -> Turn:
    """Ask in a new thread."""
    console, asked = Console(engine, quiet=True), Asker().message(question, "")
    turn = Turn(question=question)
    await console.ask(asked, turn)
    return turn


async def ask_all(engine: Engine, questions: Sequence[str], *, at_once: int) -> list[Turn]:
    """Ask so many at once."""
    places = asyncio.Semaphore(at_once)

    async def one(question: str) -> Turn:
        async with places:
            return await ask(engine, question)

    return list(await asyncio.gather(*map(one, questions)))


class Lag:
    """How late the event loop is for who sleeps 10 ms; in milliseconds."""

    SLEEP = 0.01

    def __init__(self) -> None:
        self.late: list[float] = []

    async def __aenter__(self) -> "Lag":
        self._task = asyncio.create_task(self._watch())
        return self

    async def __aexit__(self, *_: object) -> None:
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)

    async def _watch(self) -> None:
        while True:
            begun = time.perf_counter()
            await asyncio.sleep(self.SLEEP)
            self.late.append((time.perf_counter() - begun - self.SLEEP) * 1000)


async def headings(engine: Engine) -> list[str]:
    """Return the innermost headings of the documents."""
    found = await engine.library.get([int(i) for i in await engine.library.ids()], audience=OPERATOR)
    return list(dict.fromkeys(passage.section.rpartition(" > ")[2] for passage in found if passage.section))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--first", type=float, default=0.3, help="seconds until the model's first token")
    parser.add_argument("--per-second", type=float, default=50.0, help="tokens of the model")
    parser.add_argument("--questions", type=int, default=60, help="asked one after another")
    parser.add_argument("--at-once", type=int, default=100, help="turns under way while the loop is watched")
    parser.add_argument("--turns", type=int, default=1000, help="asked of an endpoint that fails")
    parser.add_argument("--dialogues", action="store_true", help="play the conversations of the tests as well")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    logging.basicConfig(level=logging.ERROR)  # that calls fail is part of it
    report = Report("The model path")
    with TemporaryDirectory() as folder:
        asyncio.run(measure(Path(folder), given, report))
    report.show(given.json)


async def measure(folder: Path, given: argparse.Namespace, report: Report) -> None:
    pace = Manner(first=given.first, per_second=given.per_second, rewords=True)
    async with endpoint() as remote:
        settings = Settings.load(data=folder / "data", openai_base_url=remote.url)
        async with open_engine(settings) as engine:
            asked = (await headings(engine))[: given.questions]
            await remote.behave(Manner())
            await ask(engine, asked[0])
            await paced(engine, remote, asked, pace, report)
        for places in (settings.model_concurrency, given.at_once):
            async with open_engine(settings.model_copy(update={"model_concurrency": places})) as engine:
                await remote.behave(pace)
                await crowded(engine, asked, given.at_once, places, report)
        await failing(settings, remote, asked, given.turns, report)
        if given.dialogues:
            await remote.behave(Manner())
            await conversations(folder, remote, report)


async def paced(engine: Engine, remote: Remote, questions: Sequence[str], pace: Manner, report: Report) -> None:
    """Measure questions one after another."""
    await remote.behave(pace)
    turns, calls, simple = [], Counter[str](), []
    for question in questions:
        turn = await ask(engine, question)
        counted = await remote.counted()
        turns.append(turn)
        calls += counted
        if turn.response and is_simple(turn.response):
            simple.append(float(counted.total()))
    report.add("questions", len(turns), "")
    report.add("simple questions: one search, one draft, nothing asked back", len(simple), "")
    report.add("calls of a simple question, mean", sum(simple) / max(1, len(simple)), "calls", "<= 3")
    report.add("calls of a simple question, most", max(simple, default=0), "calls", "<= 3")
    for kind, count in calls.most_common():
        report.add(f"calls to {kind}, of each question", count / len(turns), "calls")
    for name, what, target in (
        ("sign", "message to first sign of life", "p95 < 150"),
        ("plan_ready", "message to plan", ""),
        ("text_delta", "message to first words", "p95 < 2,000"),
        ("final_response", "whole turn", ""),
    ):
        times = [turn.at[name] for turn in turns if name in turn.at]
        if times:
            report.add(f"{what}, p50", percentile(times, 0.5), "ms")
            report.add(f"{what}, p95", percentile(times, 0.95), "ms", target)


def is_simple(response: Response) -> bool:
    """Tell whether one thing was asked, found and told at once: docs/models.md says what others may cost."""
    one = response.plan is not None and len(response.plan.steps) == 1
    return one and not (response.retry_count or response.iteration_count or response.clarification)


async def crowded(engine: Engine, questions: Sequence[str], at_once: int, places: int, report: Report) -> None:
    """Measure how late the event loop is under many turns; `places`: calls that the endpoint gets at once."""
    await ask(engine, questions[0])
    asked = random.Random(3).choices(questions, k=at_once)
    begun = time.perf_counter()
    async with Lag() as lag:
        turns = await ask_all(engine, asked, at_once=at_once)
    head = f"{at_once} turns, {places} calls at once:"
    report.add(f"{head} answers", sum(bool(turn.response and turn.response.answer) for turn in turns), "", f"{at_once}")
    report.add(f"{head} told of a model that failed", sum(turn.told for turn in turns), "")
    report.add(f"{head} lag of the loop, p95", percentile(lag.late, 0.95), "ms", "< 50")
    report.add(f"{head} lag of the loop, most", max(lag.late), "ms")
    report.add(f"{head} first sign, p95", percentile([turn.at.get("sign", 0.0) for turn in turns], 0.95), "ms")
    report.add(f"{head} all of it", time.perf_counter() - begun, "s")


async def failing(settings: Settings, remote: Remote, questions: Sequence[str], count: int, report: Report) -> None:
    """Measure what becomes of answers while calls fail, against those of model and rules."""
    sound = await told_without_faults(settings, remote, questions)
    hasty = settings.model_copy(update={"model_timeout": HANGS, "model_stream_timeout": HANGS})
    await remote.behave(Manner(first=0.005, failing=SHARE))
    async with open_engine(hasty) as engine:
        passages = await engine.library.get([int(i) for i in await engine.library.ids()], audience=OPERATOR)
        texts = {passage.public_id: passage.text for passage in passages}
        begun = time.perf_counter()
        turns = await ask_all(engine, random.Random(5).choices(questions, k=count), at_once=50)
        seconds = time.perf_counter() - begun
    calls = await remote.counted()
    failed = {name: n for name, n in calls.items() if name.startswith("failed")}
    report.add("with faults: turns", count, "")
    report.add("with faults: seconds in all", seconds, "s")
    report.add("with faults: requests made", calls.total() - sum(failed.values()), "requests")
    for name, n in sorted(failed.items()):
        report.add(f"with faults: {name}", n, "requests")
    report.add("with faults: final answers", sum(turn.finals == 1 for turn in turns), "turns", f"{count}")
    report.add("with faults: answers with citations", cited(turns), "turns")
    report.add("with faults: told of it", sum(turn.told for turn in turns), "turns")
    report.add("with faults: empty or failed", sum(not done(turn.response) for turn in turns), "turns", "0")
    misquoted = sum(not quotes_stand(turn.response, texts) for turn in turns)
    report.add("with faults: citations that do not stand in their passage", misquoted, "turns", "0")
    strange = [turn for turn in turns if turn.response and turn.response.answer not in sound[turn.question]]
    report.add("with faults: answers of neither model nor rules", len(strange), "turns", "0")
    for name in ("sign", "final_response"):
        times = [turn.at[name] for turn in turns if name in turn.at]
        report.add(f"with faults: message to {name}, p95", percentile(times, 0.95), "ms")
    for turn in strange[:3]:
        print("Of neither:", turn.question, "|", turn.response and turn.response.answer, file=sys.stderr)


async def told_without_faults(
    settings: Settings, remote: Remote, questions: Collection[str]
) -> Mapping[str, Collection[str]]:
    """Return the answers of each question when the model serves all calls, none, or refuses one kind of them."""
    sound: dict[str, set[str]] = {question: set() for question in questions}
    for refuses in ((), ("read",), ("write",), ("read", "write"), ("ask back",)):
        await remote.behave(Manner(refuses=refuses))
        async with open_engine(settings) as engine:
            for question in questions:
                turn = await ask(engine, question)
                sound[question].add(turn.response.answer if turn.response else "")
    return sound


def cited(turns: Sequence[Turn]) -> int:
    return sum(bool(turn.response and turn.response.citations) for turn in turns)


def done(response: Response | None) -> bool:
    return response is not None and response.status == "completed" and bool(response.answer.strip())


def quotes_stand(response: Response | None, texts: Mapping[str, str]) -> bool:
    """Tell whether every citation is of a passage that holds its quote, and every mark has its citation."""
    if response is None:
        return False
    marks = {int(n) for n in re.findall(r"\[(\d+)\]", response.answer)}
    stand = all(each.quote in texts.get(each.passage_id, "") for each in response.citations)
    return stand and marks <= {each.n for each in response.citations}


async def conversations(folder: Path, remote: Remote, report: Report) -> None:
    """Play every dialogue with the rules alone and with the model."""
    alone: list[Response] = []
    joined: list[Response] = []
    for name in ("handbook", "guides"):
        for url, played in (("", alone), (remote.url, joined)):
            data = folder / f"{name}-{'model' if url else 'rules'}"
            if name == "guides":
                command = [sys.executable, "-m", "bot.cli", "ingest", str(DIALOGUES / name), "--data", str(data)]
                await asyncio.to_thread(subprocess.run, command, stdout=subprocess.DEVNULL, check=True)
            async with open_engine(Settings.load(data=data, openai_base_url=url)) as engine:
                played.extend(await play(engine, name))
    calls = await remote.counted()
    report.add("dialogues: turns", len(alone), "")
    report.add("dialogues: calls of the model", calls.total(), "calls")
    for who, played in (("rules alone", alone), ("with the model", joined)):
        answered = [response for response in played if done(response)]
        report.add(f"dialogues, {who}: answered or asked back", len(answered), "turns", f"{len(alone)}")
        report.add(f"dialogues, {who}: asked back", sum(r.clarification is not None for r in played), "turns")
        report.add(f"dialogues, {who}: with citations", sum(bool(r.citations) for r in played), "turns")
    pairs = list(zip(alone, joined, strict=True))
    report.add("dialogues: the same route", sum(a.route == b.route for a, b in pairs), "turns")
    report.add(
        "dialogues: cited by the rules alone only", sum(bool(a.citations) > bool(b.citations) for a, b in pairs), ""
    )
    report.add("dialogues: cited with the model only", sum(bool(b.citations) > bool(a.citations) for a, b in pairs), "")
    for (a, b), count in Counter((a.route, b.route) for a, b in pairs if a.route != b.route).most_common():
        report.add(f"dialogues: {a} by the rules, {b} with the model", count, "turns")


async def play(engine: Engine, name: str) -> list[Response]:
    """Return what came of each message of a file's dialogues, each dialogue with an asker of its own."""
    responses = []
    console = Console(engine, quiet=True)
    for part in (DIALOGUES / f"{name}.txt").read_text(encoding="utf-8").strip().split("\n\n"):
        title, *messages = part.splitlines()
        label = title.removeprefix("# ").split()[0]
        for text in messages:
            asked = Asker(user=label).message(text.replace("\\n", "\n"), label)
            responses.append(await console.ask(asked))
    return responses


if __name__ == "__main__":
    main()
