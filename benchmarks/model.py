"""What the model path costs, and that it never loses an answer: `python -m benchmarks.model [--json FILE]`.

The real engine over the sample handbook, and over real HTTP an endpoint in a process of its own, whose model does what
it is asked: 300 ms to the first token, then 50 tokens a second. The questions are the headings of the handbook. What is
to be checked is said in the model's own words, so that it costs its call. `--turns` questions are then asked of an
endpoint that answers at once and fails in 30 of 100 requests; `--dialogues` plays the conversations of the tests with
the rules alone and with the model.
"""

import argparse
import asyncio
import logging
import random
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from agent.events import Event, FinalResponse, PlanReady, TodoUpdated
from agent.language import say
from agent.types import Response
from benchmarks.model_endpoint import Manner, Remote, endpoint
from benchmarks.model_thread import in_a_thread
from benchmarks.report import Report, percentile
from bot.app import Engine, open_engine
from bot.audience import OPERATOR
from bot.operator.asking import Asker, Console
from bot.settings import Settings

DIALOGUES = Path(__file__).parents[1] / "tests" / "dialogues"
HANGS = 1.0
"""Seconds for a call, where calls fail."""
SHARE = 0.3
"""Of the requests that fail, where requests fail."""


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
    parser.add_argument("--threads", type=int, default=15, help="asked in Slack, one after another")
    parser.add_argument("--pause", type=float, default=5.0, help="seconds between two of these")
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
        await in_a_thread(folder / "thread", remote, asked[: given.threads], pace, report, pause=given.pause)
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
    for refuses in ((), ("read",), ("write",), ("read", "write")):
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
