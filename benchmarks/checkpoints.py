"""What a long thread costs: bytes written and time spent by a turn of its own, without search and model.

    python -m benchmarks.checkpoints [--turns 100] [--json FILE]

The conversation is kept by the real graph in a real file, pruned after each turn as the application
does it. Questions have 200 characters, answers 800.
"""

import argparse
import asyncio
import time
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from agent.context import Context, TurnRequest
from agent.graph import build_graph
from agent.packs.pack import Pack, Words
from agent.reasoning.contract import Message
from agent.reasoning.rules import OfflineReasoner
from agent.retrieval.search import KnowledgeBase
from agent.run import Agent
from agent.types import Audience, Intent, ThreadKey, Understood
from benchmarks.report import Report, percentile
from storage.checkpoints import SqliteCheckpoints
from storage.database import Database
from storage.documents import SqlLibrary
from storage.lexical import SqlLexicalIndex
from storage.profiles import SqlProfiles
from storage.schema import WEFT

THREADS = 5


class Talkative(OfflineReasoner):
    """Answers everything at once, at length."""

    async def understand(self, message: Message) -> Understood:
        read = await super().understand(message)
        return replace(read, route="direct", intent=Intent(name="greeting", confidence=1.0), personal="")

    async def respond(self, message: Message, understood: Understood) -> str:
        return ("The limit for this case is 140 euros a night, as Finance decided. " * 20)[:800]


async def measure(turns: int) -> Report:
    words = Words(en="benchmark", ko="측정")
    pack = Pack(name="benchmark", title=words, description=words)
    reasoner = Talkative()
    sizes: dict[int, list[int]] = {}
    times: dict[int, list[float]] = {}
    with TemporaryDirectory() as folder:
        database = await Database.open(Path(folder) / "weft.db", WEFT)
        checkpoints = await SqliteCheckpoints.open(Path(folder) / "checkpoints.db")
        profiles = await SqlProfiles.open(Path(folder) / "people.db")
        knowledge = KnowledgeBase(lexical=SqlLexicalIndex(database), passages=SqlLibrary(database))

        def context(request: TurnRequest) -> Context:
            return Context(request=request, pack=pack, reasoner=reasoner, knowledge=knowledge, profiles=profiles)

        agent = Agent(build_graph(checkpoints.saver), context, summariser=reasoner)
        for thread in range(THREADS):
            for number in range(1, turns + 1):
                request = _request(thread, number)
                begun = time.perf_counter()
                async for _ in agent.run(request):
                    pass
                spent = (time.perf_counter() - begun) * 1000
                sizes.setdefault(number, []).append(await _written(checkpoints, str(request.key)))
                begun = time.perf_counter()
                await checkpoints.prune(str(request.key))
                times.setdefault(number, []).append(spent + (time.perf_counter() - begun) * 1000)
        file = await asyncio.to_thread(_size, Path(folder))
        await profiles.close()
        await checkpoints.close()
        await database.close()
    return _report(sizes, times, turns, file)


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.glob("checkpoints.db*"))


def _request(thread: int, number: int) -> TurnRequest:
    question = f"Question {number} of this thread: " + "what is the hotel limit for a night in Berlin, please? " * 4
    return TurnRequest(
        turn_id=f"{thread}-{number}",
        key=ThreadKey(platform="bench", workspace_id="W", channel_id="C", thread_id=str(thread)),
        message_id=str(number),
        asked_by="U",
        text=question[:200],
        audience=Audience(principals=frozenset({"*"})),
        private=True,
    )


async def _written(checkpoints: SqliteCheckpoints, thread: str) -> int:
    """Return the bytes that the turn left in the file beyond the checkpoint before it."""
    sql = """SELECT coalesce(sum(length(checkpoint) + length(metadata)), 0) FROM checkpoints WHERE thread_id=:t
    AND checkpoint_id=(SELECT max(checkpoint_id) FROM checkpoints WHERE thread_id=:t)"""
    writes = "SELECT coalesce(sum(length(value)), 0) FROM writes WHERE thread_id=:t"
    values = {"t": thread}
    return await checkpoints.database.read(
        lambda c: sum(int(c.execute(statement, values).fetchone()[0]) for statement in (sql, writes))
    )


def _report(sizes: dict[int, list[int]], times: dict[int, list[float]], turns: int, file: int) -> Report:
    report = Report(f"A thread of {turns} turns ({THREADS} threads)")
    first, last = max(sizes[min(5, turns)]), max(sizes[turns])
    report.add("bytes written, turn 1", max(sizes[1]), "bytes")
    report.add("bytes written, turn 5", first, "bytes")
    report.add(f"bytes written, turn {turns}", last, "bytes", "at most 40,000")
    report.add(f"turn {turns} against turn 5", last / first, "x", "at most 1.2")
    for number in (5, turns):
        near = [ms for n in range(max(1, number - 9), number + 1) for ms in times[n]]
        report.add(f"own time p50, turns up to {number}", percentile(near, 0.5), "ms")
        report.add(f"own time p95, turns up to {number}", percentile(near, 0.95), "ms", "at most 25")
    report.add("file at the end", file, "bytes")
    return report


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=100)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    asyncio.run(measure(given.turns)).show(given.json)


if __name__ == "__main__":
    main()
