"""Answers on real documents: `python -m benchmarks.realdocs DATA [--sets NAME ...] [--show SET ...] [--json FILE]`.

DATA has `realdocs/`, whose own `score.py` gives the verdicts. Every set is ingested, and asked through the whole graph:
once as its threads go, and every follow-up once more in full. Beside it what the first passages of the search tell as
they are. A sure answer is one that is told without a word of doubt. With --answers what was answered is written there.

With --crossed some thirty questions of each of five sets are asked in the other language than its documents'
(`benchmarks/questions/crossed/`). With --beside each set lies in one library with a set in the other language.

With --model an endpoint of that manner is asked (`benchmarks/model_endpoint.py`), which gives the answers of the sets
in their own words: what is sent back or left out of them is wrongly refused. Some never mark what they cite, or
read every message as a greeting: no table should be below that without a model.
"""

import argparse
import asyncio
import importlib.util
import json
import statistics
import tempfile
import time
import uuid
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from agent.types import Audience, Response
from benchmarks import answer_sets
from benchmarks.answer_sets import REALDOCS
from benchmarks.likelihood import auc, calibration_error
from benchmarks.model_endpoint import MANNERS, Remote, endpoint
from benchmarks.report import Comparison, percentile
from bot.app import Engine, open_engine
from bot.operator.asking import Asker, Console
from bot.operator.ingesting import ingest_paths
from bot.operator.search_options import wanted_of
from bot.settings import Settings

CROSSED = Path(__file__).with_name("questions") / "crossed"
TARGETS = {
    "told whole, or hedged": ">= 230 of 406 -> 285",
    "sure and whole": ">= 140",
    "sure: whole or in part": ">= .80",
    "sure of the unanswerable": "<= 7 of 72",
    "confidence AUC": ">= .80",
    "calibration error": "<= .10",
    "words, median": "<= 120",
    "follow-ups in their threads, of those in full": ">= .75",
    "turn, p95 ms": "<= 150",
}


@dataclass
class Tally:
    """What came of the questions of one set, or of all."""

    verdicts: list[tuple[dict[str, Any], str, Response]] = field(default_factory=list)
    in_full: list[tuple[dict[str, Any], str]] = field(default_factory=list)
    first: int = 0
    """Questions that the first passage of the search tells whole."""
    two: int = 0
    """The same of the first two passages."""
    seconds: list[float] = field(default_factory=list)
    calls: list[float] = field(default_factory=list)
    """Of the model, each turn."""

    def add(self, other: "Tally") -> None:
        """Take in what came of another set."""
        self.verdicts += other.verdicts
        self.in_full += other.in_full
        self.first += other.first
        self.two += other.two
        self.seconds += other.seconds
        self.calls += other.calls


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--sets", nargs="+")
    parser.add_argument("--folders", nargs="+", type=Path, metavar="FOLDER", help="ask these sets instead")
    parser.add_argument("--crossed", action="store_true", help="ask in the other language than the documents'")
    parser.add_argument("--beside", action="store_true", help="with a set in the other language in one library")
    parser.add_argument("--show", nargs="*", default=[], help="print what is asked and answered in these sets")
    parser.add_argument("--meaning", action="store_true", help="search by meaning too, by the model of the extra local")
    parser.add_argument("--vectors", type=Path, help="a file that keeps vectors from run to run")
    parser.add_argument("--model", choices=list(MANNERS), default="")
    parser.add_argument("--answers", type=Path)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    score = _score_of(given.data)
    with_model = f"with a model that {given.model}" if given.model else "without a model"
    table = Comparison(f"Answers on real documents, {with_model}", "all", TARGETS)
    whole = Tally()
    names = given.sets or (sorted(each.stem for each in CROSSED.iterdir()) if given.crossed else REALDOCS)
    for folder in given.folders or [given.data / "realdocs" / REALDOCS[name] / name for name in names]:
        name = folder.name
        questions = _questions(folder, crossed=given.crossed)
        embedding = "local" if given.meaning else ""
        beside = [given.data / "realdocs" / _other(name)] if given.beside else []
        tally = asyncio.run(
            asked([folder, *beside], questions, score, embedding=embedding, model=given.model, vectors=given.vectors)
        )
        _note(table, name, tally, score)
        whole.add(tally)
        if name in given.show:
            _print(tally)
        if given.answers is not None:
            given.answers.mkdir(parents=True, exist_ok=True)
            lines = [
                json.dumps({**asdict(r), "id": q["id"]}, default=str, ensure_ascii=False) for q, _, r in tally.verdicts
            ]
            (given.answers / f"{name}.jsonl").write_text("\n".join(lines), encoding="utf-8")
    _note(table, "all", whole, score)
    table.show(given.json)


def _other(name: str) -> Path:
    """Return the set in the other language that stands at the same place among those of its own."""
    mine = [each for each, language in REALDOCS.items() if language == REALDOCS[name]]
    others = [each for each, language in REALDOCS.items() if language != REALDOCS[name]]
    other = others[mine.index(name)]
    return Path(REALDOCS[other]) / other


def _score_of(data: Path) -> Any:
    """Return the module of the verdicts, which belongs to the sets."""
    spec = importlib.util.spec_from_file_location("realdocs_score", data / "realdocs" / "score.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _questions(folder: Path, *, crossed: bool) -> list[dict[str, Any]]:
    """Return the questions of a set, or those of them that are asked in the other language."""
    questions = [json.loads(line) for line in (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()]
    if not crossed:
        return questions
    rows = map(json.loads, (CROSSED / f"{folder.name}.jsonl").read_text(encoding="utf-8").splitlines())
    texts = {row["id"]: row["question"] for row in rows}
    asked = [question for question in questions if question["id"] in texts]
    return [question | {"text": texts[question["id"]], "thread": question["id"]} for question in asked]


async def asked(
    folders: Sequence[Path],
    questions: list[dict[str, Any]],
    score: Any,
    *,
    embedding: str = "",
    model: str = "",
    vectors: Path | None = None,
) -> Tally:
    """Return what comes of questions to the sets of one library; `model`: the manner of the endpoint that is asked."""
    if not model:
        return await _asked(folders, questions, score, embedding, None, vectors)
    async with endpoint() as remote:
        answers = {question["text"]: question.get("answer", "") for question in questions}
        await remote.behave(replace(MANNERS[model], answers=answers))
        return await _asked(folders, questions, score, embedding, remote, vectors)


async def _asked(
    folders: Sequence[Path],
    questions: list[dict[str, Any]],
    score: Any,
    embedding: str,
    remote: Remote | None,
    vectors: Path | None,
) -> Tally:
    tally = Tally()
    with tempfile.TemporaryDirectory() as work, answer_sets.kept_vectors(Path(work), vectors):
        settings = Settings.load(
            data=Path(work), embedding_model=embedding, openai_base_url=remote.url if remote else None
        )
        await ingest_paths(settings, [folder / "docs" for folder in folders], "documents", as_json=True)
        async with open_engine(settings) as engine:
            console = Console(engine, quiet=True)
            run = uuid.uuid4().hex
            for question in questions:
                started = time.perf_counter()
                response = await console.ask(Asker().message(question["text"], f"{question['thread']}-{run}"))
                tally.seconds.append(time.perf_counter() - started)
                if remote is not None:
                    tally.calls.append(float((await remote.counted()).total()))
                tally.verdicts.append((question, _verdict(question, response, score), response))
                if question["kind"] == "follow-up" and remote is None:
                    alone = await console.ask(Asker().message(question["standalone"], ""))
                    tally.in_full.append((question, _verdict(question, alone, score)))
                if question["answerable"] and remote is None:
                    tally.first += await _quoted(question, engine, score, 1)
                    tally.two += await _quoted(question, engine, score, 2)
    return tally


def _verdict(question: dict[str, Any], response: Response, score: Any) -> str:
    """Return what an answer is; a sure answer to what the documents do not answer is `answered`."""
    answer = {**asdict(response), "citations": [asdict(citation) for citation in response.citations]}
    verdict = str(score.verdict_of(question, answer)[0])
    if response.response_type != "passages":
        return verdict
    if not question["answerable"]:
        return "near"
    bare = {**answer, "response_type": "answer", "answer": response.answer.partition("\n\n")[2]}
    told = str(score.verdict_of(question, bare)[0])
    return {"whole": "hedged", "part": "hedged part"}.get(told, told)


async def _quoted(question: dict[str, Any], engine: Engine, score: Any, k: int) -> bool:
    request = wanted_of({"query": question.get("standalone") or question["text"]}, "").request
    hits = (await engine.knowledge.search(request, Audience(principals=frozenset(), operator=True))).hits[:k]
    cited = [{"document_id": hit.passage.document_id, "source": hit.passage.source} for hit in hits]
    text = "\n\n".join(hit.passage.text for hit in hits)
    return (
        str(score.verdict_of(question, {"answer": text, "response_type": "answer", "citations": cited})[0]) == "whole"
    )


def _note(table: Comparison, name: str, tally: Tally, score: Any) -> None:
    answerable = [each for each in tally.verdicts if each[0]["answerable"]]
    none = [each for each in tally.verdicts if not each[0]["answerable"]]
    kinds = [verdict for _, verdict, _ in answerable]
    told = [each for each in tally.verdicts if each[2].citations and each[1] not in ("asked", "abstained", "declined")]
    sure = [each for each in told if each[2].response_type != "passages"]
    right = np.array([each[1] in ("whole", "hedged") for each in told])
    chances = np.array([each[2].confidence for each in told])
    follow = [each for each in tally.verdicts if each[0]["kind"] == "follow-up" and each[0]["answerable"]]
    held = sum(verdict in ("whole", "hedged") for _, verdict, _ in follow)
    full = sum(verdict in ("whole", "hedged") for question, verdict in tally.in_full if question["answerable"])
    words = [len(score.WORD.findall(score.text_of({"answer": each[2].answer}))) for each in told]
    vague = sum(each[1] == "asked" and each[0]["kind"] == "vague" for each in answerable)
    for figure, value in {
        "questions that have an answer": len(answerable),
        "told whole, or hedged": kinds.count("whole") + kinds.count("hedged"),
        "sure and whole": sum(each[1] == "whole" for each in sure),
        "sure": len(sure),
        "sure: whole or in part": sum(each[1] in ("whole", "part") for each in sure) / max(1, len(sure)),
        "in part": kinds.count("part") + kinds.count("hedged part"),
        "wrong or missing": kinds.count("wrong"),
        "asked back": kinds.count("asked"),
        "asked back, rightly": vague,
        "abstained": kinds.count("abstained"),
        "questions that have none": len(none),
        "sure of the unanswerable": sum(each[1] == "answered" for each in none),
        "hedged of the unanswerable": sum(each[1] == "near" for each in none),
        "confidence AUC": auc(chances[right], chances[~right]),
        "calibration error": calibration_error(chances, right) if len(told) else 0.0,
        "words, median": statistics.median(words) if words else 0.0,
        "follow-ups in their threads": held,
        "follow-ups in full": full,
        "follow-ups in their threads, of those in full": held / max(1, full),
        "first passage as it is: whole": tally.first,
        "first two passages: whole": tally.two,
        "turn, p50 ms": 1000 * percentile(tally.seconds, 0.5),
        "turn, p95 ms": 1000 * percentile(tally.seconds, 0.95),
        "drafts sent back": sum(each[2].retry_count for each in tally.verdicts),
        "calls of the model, p50": percentile(tally.calls, 0.5) if tally.calls else 0.0,
        "calls of the model, p95": percentile(tally.calls, 0.95) if tally.calls else 0.0,
        "calls of the model, most": max(tally.calls, default=0.0),
        "told without a source": sum(_is_bare(each[2]) for each in tally.verdicts),
    }.items():
        table.add(name, figure, value)


def _is_bare(response: Response) -> bool:
    """Tell whether somebody is told a thing of the documents without a source."""
    return response.response_type in ("answer", "passages") and response.route == "research" and not response.citations


def _print(tally: Tally) -> None:
    for question, verdict, response in tally.verdicts:
        print(f"\n## {question['id']} {question['kind']} {verdict} {response.confidence}: {question['text']}")
        print(f"   [{response.standalone_query}]\n   expected: {question.get('answer', '')}\n{response.answer}")


if __name__ == "__main__":
    main()
