"""How good offline answers are: `python -m benchmarks.answers [DATA] [--show] [--json FILE]`.

Questions over the sample handbook (`tests/reasoning/handbook_questions.jsonl`) are asked as people ask them, through
the whole graph, and their answers counted as right (all that is wanted stands in the answer; of what has no answer
none was given), wrong, abstained or asked back. With DATA, which has `clapnq/`: how well the evidence's strength tells
ClapNQ's questions with an answer from those without (area under the ROC curve).
"""

import argparse
import asyncio
import json
import re
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from agent.reasoning.rules.answering.likelihood import fitted
from agent.reasoning.rules.answering.ranked_quotes import find
from agent.reasoning.rules.answering.weighted_question import asked
from agent.types import Block, Passage, Response
from benchmarks.report import Report
from bot.app import open_engine
from bot.operator.asking import Asker, Console
from bot.settings import Settings

QUESTIONS = Path(__file__).parent.parent / "tests" / "reasoning" / "handbook_questions.jsonl"
_MARK = re.compile(r" ?\[\d{1,3}\]")
_VERDICTS = ("right", "wrong", "abstained", "asked back")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, nargs="?")
    parser.add_argument("--show", action="store_true", help="print every answer that is not right")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    report = Report("Answers, offline")
    asyncio.run(handbook(report, show=given.show))
    if given.data is not None:
        answerability(given.data, report)
    report.show(given.json)


async def handbook(report: Report, *, show: bool) -> None:
    counts: Counter[tuple[str, str]] = Counter()
    seconds: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        async with open_engine(Settings.load(data=Path(folder))) as engine:
            console = Console(engine, quiet=True)
            for line in QUESTIONS.read_text(encoding="utf-8").splitlines():
                asked = json.loads(line)
                started = time.process_time()
                response = await console.ask(Asker().message(asked["text"], ""))
                seconds.append(time.process_time() - started)
                found = verdict(asked, response)
                counts[("without an answer" if not asked["want"] else "with an answer", found)] += 1
                if show and found != "right":
                    print(f"{asked['id']} {found}: {asked['text']}\n    {response.answer[:400]!r}")
    for kind in ("with an answer", "without an answer"):
        for found in _VERDICTS:
            report.add(f"questions {kind}: {found}", counts[kind, found], "")
    report.add("processor time of a turn, mean", 1000 * sum(seconds) / len(seconds), "ms")


def verdict(asked: dict[str, Any], response: Response) -> str:
    """Return what an answer is."""
    if response.response_type == "clarification":
        return "asked back"
    if not response.citations:
        return "abstained" if asked["want"] else "right"
    answer = _MARK.sub("", response.answer)
    held = all(re.search(wanted, answer, re.IGNORECASE) for wanted in asked["want"])
    return "right" if asked["want"] and held else "wrong"


def answerability(data: Path, report: Report) -> None:
    scores: dict[str, list[float]] = {}
    for part in ("answerable", "unanswerable"):
        file = data / "clapnq" / f"clapnq_dev_{part}_first150.jsonl"
        entries = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        scores[part] = [strength(entry) for entry in entries]
    pairs = [(a > b) + 0.5 * (a == b) for a in scores["answerable"] for b in scores["unanswerable"]]
    report.add("ClapNQ, answerable or not: AUC", sum(pairs) / len(pairs), "")
    right = sum(score >= fitted("words").near for score in scores["answerable"])
    refused = sum(score < fitted("words").near for score in scores["unanswerable"])
    report.add("ClapNQ, answered of the answerable", right / len(scores["answerable"]), "")
    report.add("ClapNQ, abstained of the unanswerable", refused / len(scores["unanswerable"]), "")


def strength(entry: dict[str, Any]) -> float:
    """Return how sure the rules are that a passage answers its question, 0..1."""
    passage = entry["passages"][0]
    block = Block(
        n=1,
        passage=Passage(id=1, document_id="d", collection="c", title=passage["title"], text=passage["text"]),
        score=1.0,
    )
    return find(asked(entry["input"], "en", [block]), [block]).likely


if __name__ == "__main__":
    main()
