"""How long a turn takes, offline: `python -m benchmarks.turn CORPUS.jsonl[.gz] QUESTIONS.jsonl [--json FILE]`.

CORPUS has a passage a line (`_id`, `title`, `text`); QUESTIONS a question a line (`text`, perhaps
with a leading `|user|:`). Everything runs as it does for people: the real command line, a real
`weft serve` for Slack's events, signed requests over loopback.
"""

import argparse
import asyncio
import gzip
import json
import random
import statistics
import subprocess
import tempfile
import time
from collections import Counter
from pathlib import Path

from agent.events import Event, FinalResponse, PlanReady
from agent.types import Query, SearchRequest
from benchmarks.report import Report, percentile
from benchmarks.serving import WEFT, serving
from bot.app import Engine, open_engine
from bot.audience import OPERATOR
from bot.operator.asking import Asker, Console
from bot.settings import Settings
from tests.servers.slack import SlackServer


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("questions", type=Path)
    parser.add_argument("--turns", type=int, default=300, help="questions asked inside one process")
    parser.add_argument("--rate", type=int, default=50, help="Slack messages a second")
    parser.add_argument("--seconds", type=int, default=10, help="how long they arrive")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    report = Report("A turn, offline")
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(measure(Path(folder), given, report))
    report.show(given.json)


async def measure(folder: Path, given: argparse.Namespace, report: Report) -> None:
    corpus = folder / "corpus.jsonl"
    with gzip.open(given.corpus) if given.corpus.suffix == ".gz" else given.corpus.open("rb") as source:
        corpus.write_bytes(source.read())
    questions = [
        json.loads(line)["text"].rsplit("|user|:", 1)[-1].strip() for line in given.questions.read_text().splitlines()
    ]
    data = folder / "data"
    ingest(corpus, data, report)
    cold_start(data, questions[0], report)
    await inside(data, questions, given.turns, report)
    await slack(data, questions, given.rate, given.seconds, report)


def ingest(corpus: Path, data: Path, report: Report) -> None:
    started = time.perf_counter()
    done = subprocess.run(
        [*WEFT, "ingest", str(corpus), "--data", str(data), "--json"], stdout=subprocess.PIPE, check=True
    )
    seconds = time.perf_counter() - started
    passages = json.loads(done.stdout)["passages"]
    report.add("ingest, whole command", seconds, "s", "< 60")
    report.add("ingest", passages / seconds, "passages/s")


def cold_start(data: Path, question: str, report: Report) -> None:
    times = []
    for _ in range(5):
        started = time.perf_counter()
        subprocess.run([*WEFT, "ask", question, "--data", str(data), "--json"], stdout=subprocess.DEVNULL, check=True)
        times.append(time.perf_counter() - started)
    report.add("weft ask, cold start to exit, median of 5", statistics.median(times), "s", "< 2.5")


async def inside(data: Path, questions: list[str], turns: int, report: Report) -> None:
    started = time.perf_counter()
    async with open_engine(Settings.load(data=data)) as engine:
        await engine.knowledge.search(SearchRequest(queries=(Query(text="open"),), k=1), OPERATOR)
        report.add("open the data folder and search once", time.perf_counter() - started, "s", "< 1")
        watch = Watch()
        await ask_all(engine, random.Random(1).choices(questions, k=turns), watch)
    report.add("message to first TODO, p50", percentile(watch.first, 0.5), "ms", "< 100")
    report.add("message to first TODO, p95", percentile(watch.first, 0.95), "ms")
    report.add("message to final answer, p50", percentile(watch.final, 0.5), "ms", "< 150")
    report.add("message to final answer, p95", percentile(watch.final, 0.95), "ms")
    report.add("answered with citations", 100 * watch.cited / max(1, len(watch.final)), "%")


class Watch:
    """When things happen, in milliseconds after the message."""

    def __init__(self) -> None:
        self.first: list[float] = []
        self.final: list[float] = []
        self.cited = 0
        self._at = 0.0

    def begin(self) -> None:
        self._at = time.perf_counter()

    def __call__(self, event: Event) -> None:
        elapsed = (time.perf_counter() - self._at) * 1000
        if isinstance(event, PlanReady):
            self.first.append(elapsed)
        elif isinstance(event, FinalResponse):
            self.final.append(elapsed)
            self.cited += bool(event.response.citations)


async def ask_all(engine: Engine, questions: list[str], watch: Watch) -> None:
    console = Console(engine, quiet=True)
    for question in questions:
        watch.begin()
        await console.ask(Asker().message(question, ""), watch)


async def slack(data: Path, questions: list[str], rate: int, seconds: int, report: Report) -> None:
    async with SlackServer() as server, serving(data, server) as endpoint:
        acks: list[float] = []
        roots: list[str] = []

        async def mention(text: str) -> None:
            started = time.perf_counter()
            sent = await server.mention(endpoint, text, twin=False)
            acks.append((time.perf_counter() - started) * 1000)
            if set(sent.statuses) == {200}:
                roots.append(sent.ts)

        began = time.perf_counter()
        tasks = []
        for n in range(rate * seconds):
            await asyncio.sleep(max(0.0, began + n / rate - time.perf_counter()))
            tasks.append(asyncio.create_task(mention(random.Random(n).choice(questions))))
        await asyncio.gather(*tasks)
        arrived = time.perf_counter() - began

        def answered() -> int:
            """Count the threads that hold more than their progress message."""
            posts = Counter(message.get("thread_ts") for message in server.bot_messages("C1"))
            return sum(posts[ts] >= 2 for ts in roots)

        deadline = time.perf_counter() + 300
        while answered() < len(roots) and time.perf_counter() < deadline:
            await asyncio.sleep(0.2)
        report.add("Slack messages sent", rate * seconds, "messages")
        report.add("Slack messages acked with 200", len(roots), "messages")
        report.add("Slack ack, p50", percentile(acks, 0.5), "ms")
        report.add("Slack ack, p99", percentile(acks, 0.99), "ms", "< 500")
        report.add("Slack messages answered", answered(), "messages", f"{rate * seconds}")
        report.add("last message to last answer", time.perf_counter() - began - arrived, "s")


if __name__ == "__main__":
    main()
