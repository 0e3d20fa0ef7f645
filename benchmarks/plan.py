"""What planning, teams and checks cost, and what running side by side saves: `python -m benchmarks.plan [--json FILE]`.

The real graph with the offline reasoner over the sample handbook, in real files. The first table has four steps of
300 ms each, side by side and one after another; the second one the headings of the handbook asked as questions, and
of each turn everything that is neither understanding, searching nor composing.
"""

import argparse
import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from agent.context import Context, TurnRequest
from agent.events import FinalResponse
from agent.graph import build_graph
from agent.packs.load import builtin, load_pack
from agent.packs.pack import Pack
from agent.reasoning.contract import Reasoner
from agent.reasoning.rules import OfflineReasoner
from agent.results import Again
from agent.retrieval.search import KnowledgeBase
from agent.run import Agent
from agent.types import (
    Audience,
    Expansion,
    Plan,
    Response,
    SearchRequest,
    SearchResult,
    Standalone,
    Step,
    ThreadKey,
    Understood,
)
from benchmarks.report import Report, percentile
from storage.checkpoints import SqliteCheckpoints
from storage.database import Database
from storage.documents import SqlLibrary
from storage.ingest.run import ingest
from storage.schema import WEFT
from storage.step_times import SqlStepTimes

OPERATOR = Audience(principals=frozenset(), operator=True)
STEPS, SECONDS, REPEATS = 4, 0.3, 7
OWN = ("plan", "collect", "pack_context", "clarify", "ground", "grade", "refine")
"""Nodes whose time is the machinery's own, besides that part of `search` which is no search."""


OFFLINE = OfflineReasoner()


class Slow(OfflineReasoner):
    """Plans four steps, each of which takes its time."""

    def __init__(self, strategy: Literal["sequential", "parallel"]) -> None:
        super().__init__()
        self._strategy = strategy

    async def plan(self, question: Standalone, understood: Understood, pack: Pack) -> Plan:
        steps = tuple(Step(id=f"s{n}", team="search", task="t", description=question.text) for n in range(STEPS))
        return Plan(steps=steps, strategy=self._strategy)

    async def expand(
        self, step: Step, question: Standalone, understood: Understood, pack: Pack, again: Again | None = None
    ) -> Expansion:
        await asyncio.sleep(SECONDS if again is None else 0)
        return await super().expand(step, question, understood, pack, again)


class Timed(KnowledgeBase):
    """Notes how long it searches."""

    spent = 0.0
    """Milliseconds, until somebody sets it back."""

    async def search(self, request: SearchRequest, audience: Audience) -> SearchResult:
        begun = time.perf_counter()
        try:
            return await super().search(request, audience)
        finally:
            self.spent += (time.perf_counter() - begun) * 1000


class Bench:
    """The sample handbook in files, asked in ever new threads."""

    def __init__(self, pack: Pack, library: SqlLibrary, checkpoints: SqliteCheckpoints, times: SqlStepTimes) -> None:
        self.knowledge = Timed(lexical=library.index, passages=library)
        self._pack, self._library, self._times = pack, library, times
        self._graph = build_graph(checkpoints.saver)
        self._asked = 0

    async def headings(self) -> list[str]:
        """Return the innermost headings of the documents."""
        found = await self._library.get([int(i) for i in await self._library.ids()], audience=OPERATOR)
        return list(dict.fromkeys(passage.section.rpartition(" > ")[2] for passage in found if passage.section))

    async def ask(self, text: str, reasoner: Reasoner) -> Response:
        """Return the answer to a question without a conversation before it."""
        self._asked += 1
        self.knowledge.spent = 0.0
        request = TurnRequest(
            turn_id=f"t{self._asked}",
            key=ThreadKey(platform="x", workspace_id="W", channel_id="C", thread_id=f"T{self._asked}"),
            message_id=f"m{self._asked}",
            asked_by="U",
            text=text,
            audience=OPERATOR,
        )

        def context(request: TurnRequest) -> Context:
            return Context(
                request=request, pack=self._pack, reasoner=reasoner, knowledge=self.knowledge, step_times=self._times
            )

        agent = Agent(self._graph, context, summariser=OFFLINE)
        async for event in agent.run(request):
            if isinstance(event, FinalResponse):
                return event.response
        raise RuntimeError("the turn ended without a response")

    def machinery(self, response: Response) -> float:
        """Return the milliseconds of the last turn that are neither understanding, searching nor composing."""
        team = response.timings.get("search", 0.0) - self.knowledge.spent
        return sum(response.timings.get(name, 0.0) for name in OWN) + max(0.0, team)


@asynccontextmanager
async def opened(folder: Path) -> AsyncIterator[Bench]:
    pack = load_pack(builtin("handbook"))
    database = await Database.open(folder / "weft.db", WEFT)
    checkpoints = await SqliteCheckpoints.open(folder / "checkpoints.db")
    library = SqlLibrary(database)
    await ingest([pack.documents], library=library, collection=pack.name)
    try:
        yield Bench(pack, library, checkpoints, SqlStepTimes(database))
    finally:
        await checkpoints.close()
        await database.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    report = Report("Plan, teams and checks, offline")
    with TemporaryDirectory() as folder:
        asyncio.run(measure(Path(folder), report))
    report.show(given.json)


async def measure(folder: Path, report: Report) -> None:
    async with opened(folder) as bench:
        headings = await bench.headings()
        side_by_side = await slow(bench, headings, "parallel")
        in_a_row = await slow(bench, headings, "sequential")
        report.add("a turn of 4 steps of 300 ms side by side", side_by_side, "ms", "< 450")
        report.add("the same one after another", in_a_row, "ms")
        report.add("one after another / side by side", in_a_row / side_by_side, "x")
        own, whole = [], []
        await bench.ask(headings[0], OFFLINE)
        for heading in headings:
            response = await bench.ask(heading, OFFLINE)
            own.append(bench.machinery(response))
            whole.append(response.total_ms)
        report.add("questions of one step", len(headings), "")
        report.add("plan, teams and checks, p50", percentile(own, 0.5), "ms", "< 60")
        report.add("plan, teams and checks, p95", percentile(own, 0.95), "ms", "< 60")
        report.add("the whole turn, p50", percentile(whole, 0.5), "ms")
        report.add("the whole turn, p95", percentile(whole, 0.95), "ms")


async def slow(bench: Bench, headings: Sequence[str], strategy: Literal["sequential", "parallel"]) -> float:
    """Return the median milliseconds of a turn with slow steps."""
    reasoner = Slow(strategy)
    await bench.ask(headings[0], reasoner)
    return percentile([(await bench.ask(heading, reasoner)).total_ms for heading in headings[:REPEATS]], 0.5)


if __name__ == "__main__":
    main()
