"""How well follow-ups find their passages: `python -m benchmarks.follow_ups SET... [--keep FOLDER] [--json FILE]`.

A SET is a folder with `docs/` and `questions.jsonl`, whose follow-ups have a `thread`, the same question in full
(`standalone`), the `files` that answer and the `facts` that a complete answer tells. The application answers each
thread from its start; what a follow-up's search brings first is counted in facts of the right files, beside what the
question in full brings that is asked alone. The same for questions that begin a thread, asked alone and behind another
topic: what a conversation inherits must not cost a new question its answer.
"""

import argparse
import asyncio
import json
import re
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from agent.retrieval.pack import merged
from agent.types import Audience, Hit, Passage, Response, SearchRequest, SearchResult, reference_of
from benchmarks.report import Report
from bot.app import Engine, open_engine
from bot.audience import OPERATOR
from bot.operator.asking import Asker, Console
from bot.settings import Settings
from storage.ingest.run import ingest

TOPS = (1, 3, 5)
_FORGOTTEN = ("checkpoints.db", "people.db", "inbox.db")
Shares = dict[int, list[float]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", type=Path, nargs="+")
    parser.add_argument("--keep", type=Path, help="keep what was ingested there, for the next run")
    parser.add_argument("--show", action="store_true", help="print the follow-ups that find less than in full")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    report = Report("Follow-ups on documents, offline")
    together: dict[str, Shares] = defaultdict(lambda: {top: [] for top in TOPS})
    for each in given.sets:
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder) if given.keep is None else given.keep / each.name
            for way, shares in asyncio.run(measure(each, place, show=given.show)).items():
                told(report, f"{each.name}, {way}", shares)
                for top in TOPS:
                    together[way][top] += shares[top]
    for way, shares in together.items():
        told(report, f"all, {way}", shares)
    report.show(given.json)


def told(report: Report, name: str, shares: Shares) -> None:
    for top in TOPS:
        report.add(f"{name} ({len(shares[top])}): facts@{top}", sum(shares[top]) / max(1, len(shares[top])), "")


class Recorder:
    """What the searches of a turn brought, in the order they were asked for."""

    def __init__(self, engine: Engine) -> None:
        self.results: list[Sequence[Hit]] = []
        self._search = engine.knowledge.search
        engine.knowledge.search = self.search  # type: ignore[method-assign]

    async def search(self, request: SearchRequest, audience: Audience) -> SearchResult:
        """Search, and keep what was found."""
        result = await self._search(request, audience)
        self.results.append(result.hits)
        return result


async def measure(folder: Path, data: Path, *, show: bool) -> dict[str, Shares]:
    """Return by way of asking the shares of the facts that each question finds."""
    for name in _FORGOTTEN:
        (data / name).unlink(missing_ok=True)
    threads: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for line in (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        threads[row["thread"]].append(row)
    out: dict[str, Shares] = defaultdict(lambda: {top: [] for top in TOPS})
    async with open_engine(Settings.load(data=data)) as engine:
        await ingest([folder / "docs"], library=engine.library, collection="docs")
        recorder, console = Recorder(engine), Console(engine, quiet=True)

        async def found(row: dict[str, Any], text: str, thread: str, way: str) -> list[float]:
            recorder.results.clear()
            response = await console.ask(Asker().message(text, thread))
            if not row["answerable"] or row["kind"] == "vague" or not way:
                return []
            passages = await brought(response, recorder.results, engine)
            shares = [share(row, passages[:top]) for top in TOPS]
            for top, value in zip(TOPS, shares, strict=True):
                out[way][top].append(value)
            if show and way == "in the thread":
                print(f"{shares} {text} -> {response.standalone_query}")
            return shares

        for name, rows in threads.items():
            for row in rows if len(rows) > 1 else ():
                await found(row, row["text"], name, "in the thread" if "standalone" in row else "")
                if "standalone" in row:
                    in_full = await found(row, row["standalone"], f"full-{row['id']}", "asked in full")
                    if show and in_full:
                        print(f"{in_full} {row['standalone']}\n")
        begun = [rows[0] for rows in threads.values()]
        for before, row in list(pairwise(begun))[::3]:
            await found(before, before["text"], f"new-{row['id']}", "")
            await found(row, row["text"], f"new-{row['id']}", "a new topic in a thread")
            await found(row, row["text"], f"alone-{row['id']}", "a new topic alone")
    return out


async def brought(response: Response, results: Sequence[Sequence[Hit]], engine: Engine) -> list[Passage]:
    """Return the passages of the plan's first searches; where none was made, those that the answer cites."""
    steps = sum(step.team == "search" for step in response.plan.steps) if response.plan else 0
    if results:
        return [hit.passage for hit in merged(results[: max(1, steps)])]
    cited = [reference_of(citation.collection, citation.passage_id) for citation in response.citations]
    return list(await engine.knowledge.passages(cited, OPERATOR))


def share(row: dict[str, Any], passages: Sequence[Passage]) -> float:
    """Return which part of a question's facts stands in the passages that are of a right file."""
    texts = [plain(passage.text) for passage in passages if is_of(passage, row["files"])]
    return sum(
        any(re.search(pattern, text, re.IGNORECASE) for pattern in fact for text in texts) for fact in row["facts"]
    ) / len(row["facts"])


def is_of(passage: Passage, files: Sequence[str]) -> bool:
    return any(
        place == name or place.endswith(f"/{name}") for place in (passage.source, passage.document_id) for name in files
    )


def plain(text: str) -> str:
    """Return a text without emphasis, one space between words."""
    text = text.translate(str.maketrans("‘’“”–—−\u00a0", "''\"\"--- "))
    return " ".join(re.sub(r"[*`]+", "", re.sub(r"\[([^\[\]]*)\]\([^()\s]*\)", r"\1", text)).split())


if __name__ == "__main__":
    main()
