"""How well passages are found: `python -m benchmarks.retrieval DATA [--only NAME] [--json FILE]`.

DATA has `mtrag/`, `korquad/`, `clapnq/`, `q2/` and `speed/`. Everything runs as it does for people:
documents in a real library in a temporary folder, searched by `KnowledgeBase.search` without a model.
The last part fuses with published ranks, served as if an index of meanings had found them: BGE-base
and ELSER on MTRAG (task, passage, rank), at the default weights and at others.
"""

import argparse
import asyncio
import json
import math
import random
import statistics
import tempfile
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from agent.retrieval import ranking
from agent.retrieval.search import KnowledgeBase
from agent.types import Audience, SearchFilter, SearchRequest, reference_of
from benchmarks import retrieval_sets as sets
from benchmarks.report import Comparison, percentile
from storage.database import Database
from storage.documents import SqlLibrary
from storage.lexical import SqlLexicalIndex
from storage.schema import WEFT

EVERYBODY = Audience(principals=frozenset({"*"}))
COLLECTION = "passages"
K = 10
WEIGHTS = {"Weft": ranking.BY_WORDS, "words at 0.5": 0.5, "words at 1": 1.0}

# Published: MTRAG on its full corpora (arXiv 2501.03468). Measured: other engines on these very passages.
KNOWN: Mapping[str, Mapping[str, float]] = {
    "MTRAG clapnq last turn R@5": {"rank-bm25": 0.212, "bm25s": 0.230, "published BM25": 0.20},
    "MTRAG clapnq last turn nDCG@5": {"rank-bm25": 0.194, "bm25s": 0.205, "published BM25": 0.18},
    "MTRAG clapnq rewrite R@5": {"rank-bm25": 0.250, "bm25s": 0.271, "published BM25": 0.25},
    "MTRAG clapnq rewrite nDCG@5": {"rank-bm25": 0.226, "bm25s": 0.245, "published BM25": 0.22},
    "MTRAG clapnq questions R@5": {"bm25s": 0.304},
    "MTRAG clapnq questions nDCG@5": {"bm25s": 0.262},
    "MTRAG cloud last turn R@5": {"rank-bm25": 0.222, "bm25s": 0.232, "published BM25": 0.20},
    "MTRAG cloud last turn nDCG@5": {"rank-bm25": 0.197, "bm25s": 0.204, "published BM25": 0.18},
    "MTRAG cloud rewrite R@5": {"rank-bm25": 0.251, "bm25s": 0.239, "published BM25": 0.25},
    "MTRAG cloud rewrite nDCG@5": {"rank-bm25": 0.225, "bm25s": 0.212, "published BM25": 0.22},
    "MTRAG cloud questions R@5": {"bm25s": 0.244},
    "MTRAG cloud questions nDCG@5": {"bm25s": 0.222},
    "KorQuAD questions R@1": {"rank-bm25": 0.767, "kiwi morphemes": 0.910},
    "KorQuAD questions R@5": {"rank-bm25": 0.891, "kiwi morphemes": 0.984},
    "KorQuAD questions MRR@10": {"rank-bm25": 0.820, "kiwi morphemes": 0.944},
}
TARGETS = {
    "MTRAG clapnq last turn R@5": ">= .225 -> .25",
    "MTRAG cloud last turn R@5": ">= .25 -> .27",
    "KorQuAD questions R@1": ">= .908 -> .925",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--only", default="", help="collections whose name holds this, such as MTRAG or KorQuAD")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    found = Comparison("Retrieval, no model", "Weft", dict(TARGETS))
    found.notes.append("rank-bm25: lower-case words; bm25s: stemmed; questions: earlier turns' words at a low weight.")
    fused = Comparison("Fused with published ranks, nDCG@5", "Weft", {})
    fused.notes.append("halves: in which share of 200 random halves of the questions Weft is at least the better side.")
    asyncio.run(measure(given.data, given.only.lower(), found, fused))
    for report in (found, fused):
        if report.figures:
            report.show(None)
    if given.json is not None:
        content = {report.title: report.figures for report in (found, fused)}
        given.json.write_text(json.dumps(content, indent=1), encoding="utf-8")


async def measure(data: Path, only: str, report: Comparison, together: Comparison) -> None:
    readers: list[tuple[str, Callable[[], sets.Collection]]] = [
        ("MTRAG clapnq", lambda: sets.mtrag(data, "clapnq")),
        ("MTRAG cloud", lambda: sets.mtrag(data, "cloud")),
        ("KorQuAD", lambda: sets.korquad(data)),
        ("ClapNQ", lambda: sets.clapnq(data)),
        ("Q2", lambda: sets.q2(data)),
        ("Technical docs", lambda: sets.technical(data)),
    ]
    for name, read in readers:
        if only not in name.lower():
            continue
        collection = await asyncio.to_thread(read)
        async with library(collection) as (lexical, passages):
            knowledge = KnowledgeBase(lexical=lexical, passages=passages)
            for kind, asked in collection.asked.items():
                await score(f"{name} {kind}", knowledge, asked, report)
            if name.startswith("MTRAG"):
                await fuse(data, name.removeprefix("MTRAG "), collection, lexical, passages, together)


@asynccontextmanager
async def library(collection: sets.Collection) -> AsyncIterator[tuple[SqlLexicalIndex, SqlLibrary]]:
    """Store the documents of a collection as ingest stores them."""
    with tempfile.TemporaryDirectory() as folder:
        database = await Database.open(Path(folder) / "weft.db", WEFT)
        try:
            stored = SqlLibrary(database)
            await stored.declare(COLLECTION)
            for start in range(0, len(collection.documents), 500):
                await stored.put(COLLECTION, collection.documents[start : start + 500])
            yield SqlLexicalIndex(database), stored
        finally:
            await database.close()


async def score(name: str, knowledge: KnowledgeBase, asked: Sequence[sets.Asked], report: Comparison) -> None:
    """Ask all questions and note how many of their passages came back, and how long a search took."""
    found, times = await answers(knowledge, asked)
    figures = {
        "R@1": statistics.mean(recall(ids, each.relevant, 1) for ids, each in zip(found, asked, strict=True)),
        "R@5": statistics.mean(recall(ids, each.relevant, 5) for ids, each in zip(found, asked, strict=True)),
        "nDCG@5": statistics.mean(ndcg(ids, each.relevant, 5) for ids, each in zip(found, asked, strict=True)),
        "MRR@10": statistics.mean(first(ids, each.relevant, 10) for ids, each in zip(found, asked, strict=True)),
    }
    shown = ("R@5", "nDCG@5") if name.startswith("MTRAG") else ("R@1", "R@5", "MRR@10")
    for figure in shown:
        key = f"{name} {figure}"
        report.add("Weft", key, figures[figure])
        for column, value in KNOWN.get(key, {}).items():
            report.add(column, key, value)
    report.add("p50 ms", f"{name} {shown[0]}", percentile(times, 0.5))


async def answers(knowledge: KnowledgeBase, asked: Sequence[sets.Asked]) -> tuple[list[list[str]], list[float]]:
    found, times = [], []
    for each in asked:
        result = await knowledge.search(SearchRequest(queries=(each.query,), k=K), EVERYBODY)
        found.append([hit.passage.public_id for hit in result.hits])
        times.append(result.total_ms)
    return found, times


class Published:
    """Serves published ranks as an index of meanings does; `task` is what is asked."""

    name = "published"

    def __init__(self, ranks: Mapping[str, Sequence[tuple[str, float]]], numbers: Mapping[str, int]) -> None:
        self._ranks, self._numbers = ranks, numbers
        self.task = ""

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.ones((len(texts), 1), dtype=np.float32)

    async def ready(self) -> bool:
        return True

    async def search(
        self, vector: NDArray[np.float32], *, k: int, filter: SearchFilter, audience: Audience
    ) -> Sequence[tuple[int, float]]:
        found = self._ranks.get(self.task, ())
        return [(self._numbers[passage], value) for passage, value in found if passage in self._numbers][:k]


async def fuse(
    data: Path,
    name: str,
    collection: sets.Collection,
    lexical: SqlLexicalIndex,
    passages: SqlLibrary,
    report: Comparison,
) -> None:
    """Note what the published ranks find alone, and together with ours at several weights."""
    references = [reference_of(COLLECTION, f"{each.document_id}#0") for each in collection.documents]
    stored = await passages.by_reference(references, audience=EVERYBODY)
    numbers = {passage.public_id: passage.id for passage in stored}
    for system in ("bge", "elser"):
        for kind in ("last turn", "rewrite"):
            key = f"{system.upper()}, {name} {kind}"
            asked = collection.asked[kind]
            ranks = sets.published(data, name, system, kind)
            alone = [ndcg([passage for passage, _ in ranks.get(each.id, ())], each.relevant, 5) for each in asked]
            found, _ = await answers(KnowledgeBase(lexical=lexical, passages=passages), asked)
            words = [ndcg(ids, each.relevant, 5) for ids, each in zip(found, asked, strict=True)]
            better = max(alone, words, key=statistics.mean)
            report.targets = {**report.targets, key: f">= {statistics.mean(better):.3f}"}
            for label, weight in WEIGHTS.items():
                index = Published(ranks, numbers)
                knowledge = KnowledgeBase(lexical=lexical, passages=passages, vectors=index, embeddings=index)
                together = []
                ranking.BY_WORDS = weight
                for each in asked:
                    index.task = each.id
                    result = await knowledge.search(SearchRequest(queries=(each.query,), k=K), EVERYBODY)
                    together.append(ndcg([hit.passage.public_id for hit in result.hits], each.relevant, 5))
                ranking.BY_WORDS = WEIGHTS["Weft"]
                report.add(label, key, statistics.mean(together))
                if label == "Weft":
                    report.add("words alone", key, statistics.mean(words))
                    report.add("meaning alone", key, statistics.mean(alone))
                    report.add("halves", key, halves(together, better))


def halves(ours: Sequence[float], theirs: Sequence[float], times: int = 200) -> float:
    """Return in which share of random halves of the questions ours is at least as good."""
    choose = random.Random(3)
    won = 0
    for _ in range(times):
        half = choose.sample(range(len(ours)), len(ours) // 2)
        won += sum(ours[i] for i in half) >= sum(theirs[i] for i in half)
    return won / times


def recall(found: Sequence[str], relevant: frozenset[str], k: int) -> float:
    return len(relevant.intersection(found[:k])) / len(relevant)


def ndcg(found: Sequence[str], relevant: frozenset[str], k: int) -> float:
    gain = sum(1 / math.log2(place + 2) for place, each in enumerate(found[:k]) if each in relevant)
    return gain / sum(1 / math.log2(place + 2) for place in range(min(k, len(relevant))))


def first(found: Sequence[str], relevant: frozenset[str], k: int) -> float:
    return next((1 / (place + 1) for place, each in enumerate(found[:k]) if each in relevant), 0.0)


if __name__ == "__main__":
    main()
