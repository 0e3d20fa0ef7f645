"""The word index beside others: `python -m benchmarks.index PASSAGES.jsonl[.gz] [--passages N] [--json FILE]`.

PASSAGES has a passage a line (`text`, perhaps `title`). All get the same passages, terms and queries:
three to eight words of a passage each. `pip install bm25s numba` lets these two take part.
"""

import argparse
import json
import random
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from agent.text import tokens
from benchmarks.engines import ENGINES, Task
from benchmarks.report import Comparison

TARGETS = {
    "query p50, ms": "<= 1",
    "query p95, ms": "<= 2",
    "filter and audience p50, ms": "<= 8",
    "open and first query, s": "< 0.5",
    "add a document and find it, ms": "< 50",
    "remove it, ms": "< 50",
    "ingest, passages/s": ">= 5,000",
    "peak, MB": "<= 700",
    "peak while building, MB": "<= 700",
    "largest difference to rank-bm25's scores": "<= 1e-6",
}
"""For Weft, at 357,436 passages."""
PARTS = {part.__name__: part for parts in ENGINES.values() for part in parts}
SEED = 20
NEEDS = {"bm25s numpy": ("bm25s",), "bm25s numba": ("bm25s", "numba")}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", type=Path, metavar="PASSAGES")
    parser.add_argument("--passages", type=int, metavar="N", help="use the first N passages")
    parser.add_argument("--queries", type=int, default=400)
    parser.add_argument("--only", action="append", metavar="ENGINE", choices=ENGINES, help="run this one; repeat")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--part", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.part:
        print(json.dumps(PARTS[given.part](read_task(given.corpus))))
        return
    with tempfile.TemporaryDirectory() as folder:
        compare(write_task(Path(folder), given), given.only or list(ENGINES)).show(given.json)


def compare(task: Path, engines: Sequence[str]) -> Comparison:
    """Run the engines one after the other, each part in a process of its own."""
    comparison = Comparison(f"The word index, {read_task(task).passages:,} passages", "Weft", TARGETS)
    for engine in ENGINES:
        missing = [module for module in NEEDS.get(engine, ()) if find_spec(module) is None]
        if missing and engine in engines:
            comparison.notes.append(f"{engine}: not installed: pip install {' '.join(missing)}")
        if missing or engine not in engines:
            continue
        for part in ENGINES[engine]:
            print(f"{engine} ...", file=sys.stderr)
            command = [sys.executable, "-m", "benchmarks.index", str(task), "--part", part.__name__]
            done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
            for figure, value in json.loads(done.stdout).items():
                comparison.add(engine, figure, value)
    return comparison


def write_task(folder: Path, given: argparse.Namespace) -> Path:
    """Note in a file what every process works on."""
    task = Task(corpus=given.corpus.absolute(), passages=given.passages or sys.maxsize, queries=(), folder=folder)
    passages = sum(1 for _ in task.texts())
    chosen = set(random.Random(SEED).sample(range(passages), min(given.queries * 2, passages)))
    texts = [text for number, (_, text) in enumerate(task.texts()) if number in chosen]
    file = folder / "task.json"
    values = {"corpus": str(task.corpus), "passages": passages, "queries": questions(texts)[: given.queries]}
    file.write_text(json.dumps(values | {"folder": str(folder)}))
    return file


def read_task(file: Path) -> Task:
    values = json.loads(file.read_text())
    return Task(**values | {name: Path(values[name]) for name in ("corpus", "folder")})


def questions(texts: Sequence[str]) -> list[str]:
    """Return some words of each text, of those texts that have so many that are indexed."""
    chance = random.Random(SEED)
    found = []
    for text in texts:
        words, count = re.findall(r"\w+", text), chance.randint(3, 8)
        question = " ".join(chance.sample(words, min(count, len(words))))
        if len(tokens(question)) >= 3:
            found.append(question)
    chance.shuffle(found)
    return found


if __name__ == "__main__":
    main()
