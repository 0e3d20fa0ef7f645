"""What `benchmarks.index` compares: Weft's word index and others, each over the same passages and queries.

Every function runs in a process of its own, so that its peak memory is its own.
"""

import asyncio
import gzip
import itertools
import json
import resource
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from agent.retrieval.search import KnowledgeBase
from agent.text import tokens
from agent.types import Audience, Category, Query, SearchFilter, SearchRequest
from benchmarks.report import percentile
from storage.database import Database
from storage.documents import SqlLibrary
from storage.ingest.parsed import ParsedDocument, ParsedPassage
from storage.schema import WEFT
from storage.scoring import B
from storage.terms import counted

K = 10
SLOW = 10
"""Queries for rank-bm25, which takes more than a second for each."""
SAMPLE = 60
"""Queries for what takes tens of milliseconds."""
DIMENSIONS = 384
BATCH = 200
"""Documents stored at once, as `weft ingest` does."""

OPERATOR = Audience(principals=frozenset(), operator=True)
TEAM = Audience(principals=frozenset({"*", "channel:slack:T1:C1"}))
"""Reads three of the four collections."""
READERS = ('["*"]', '["channel:slack:T1:C1"]', '["user:slack:T1:U1"]', '["*", "user:slack:T1:U1"]')


@dataclass(frozen=True, kw_only=True, slots=True)
class Task:
    """What an engine is given."""

    corpus: Path
    passages: int
    queries: Sequence[str]
    folder: Path

    def texts(self) -> Iterator[tuple[str, str]]:
        """Yield title and text of each passage."""
        with gzip.open(self.corpus, "rt") if self.corpus.suffix == ".gz" else self.corpus.open() as lines:
            for line in itertools.islice(lines, self.passages):
                passage = json.loads(line)
                yield passage.get("title", ""), passage["text"]

    def terms(self) -> Iterator[list[str]]:
        """Yield the terms of each passage."""
        for title, text in self.texts():
            yield list(counted(title, "", text).elements())


Figures = dict[str, float]


def peak() -> float:
    """Return the most memory that this process ever had, in MB."""
    try:  # of this program alone; the other figure begins with that of the process that started it
        status = Path("/proc/self/status").read_text()
        return int(status.split("VmHWM:")[1].split()[0]) / 1000
    except (OSError, IndexError):
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return most / (1e6 if sys.platform == "darwin" else 1000)


def timed(work: Callable[[str], object], queries: Sequence[str]) -> Figures:
    """Return how long the queries take, after some to warm up."""
    for query in queries[:3]:
        work(query)
    times = []
    for query in queries:
        started = time.perf_counter()
        work(query)
        times.append((time.perf_counter() - started) * 1000)
    return {"query p50, ms": percentile(times, 0.5), "query p95, ms": percentile(times, 0.95)}


# --- Weft


def weft_build(task: Task) -> Figures:
    """Store all passages as `weft ingest` does when it has read them, and make the file of the index."""

    async def work() -> Figures:
        database = await Database.open(task.folder / "weft.db", WEFT)
        library = SqlLibrary(database)
        documents = (_document(n, title, text) for n, (title, text) in enumerate(task.texts()))
        spent, number = 0.0, 0
        while batch := list(itertools.islice(documents, BATCH)):
            started = time.perf_counter()
            await library.put(f"collection {number % 4}", batch)
            spent += time.perf_counter() - started
            number += 1
        rules = [(readers, f"collection {n}") for n, readers in enumerate(READERS)]
        await database.write(lambda c: c.executemany("UPDATE collections SET readers=? WHERE name=?", rules).close())
        started = time.perf_counter()
        await library.index.settle()
        settled = time.perf_counter() - started
        await database.close()
        return {
            "ingest, passages/s": task.passages / spent,
            "build, s": spent + settled,
            "peak while building, MB": peak(),
        }

    return asyncio.run(work())


def weft_query(task: Task) -> Figures:
    """Search in a process that did not build."""

    async def work() -> Figures:
        started = time.perf_counter()
        database = await Database.open(task.folder / "weft.db", WEFT)
        library = SqlLibrary(database)
        index = library.index
        await index.search(Query(text=task.queries[0]), k=K, filter=SearchFilter(), audience=OPERATOR)
        figures = {"open and first query, s": time.perf_counter() - started}

        async def lexical(query: str, _: int) -> None:
            await index.search(Query(text=query), k=K, filter=SearchFilter(), audience=OPERATOR)

        knowledge = KnowledgeBase(lexical=index, passages=library)

        async def whole(query: str, number: int) -> None:
            request = SearchRequest(queries=(Query(text=query),), k=K, filter=FILTERS[number % len(FILTERS)])
            await knowledge.search(request, TEAM)

        p50, p95 = await _timed(lexical, task.queries)
        figures |= {"query p50, ms": p50, "query p95, ms": p95}
        p50, p95 = await _timed(whole, task.queries)
        figures |= {"filter and audience p50, ms": p50, "filter and audience p95, ms": p95}
        figures |= await _changing(library) | {"peak, MB": peak()}
        await database.close()
        return figures

    return asyncio.run(work())


def weft_exact(task: Task) -> Figures:
    """Compare all scores with those that rank-bm25 left."""

    if not (task.folder / "scores0.npy").exists():
        return {}

    async def work() -> Figures:
        database = await Database.open(task.folder / "weft.db", WEFT)
        index, worst = SqlLibrary(database).index, 0.0
        for number, query in enumerate(task.queries[:SLOW]):
            expected = np.load(task.folder / f"scores{number}.npy")
            found = await index.search(Query(text=query), k=task.passages, filter=SearchFilter(), audience=OPERATOR)
            ours = np.zeros(task.passages)
            first = 1  # ids count from 1
            ours[[identity - first for identity, _ in found]] = [score for _, score in found]
            worst = max(worst, float(np.abs(ours - expected).max()))
        await database.close()
        return {"largest difference to rank-bm25's scores": worst}

    return asyncio.run(work())


CATEGORIES = tuple(Category)
FILTERS = (
    SearchFilter(language="en"),
    SearchFilter(categories=(Category.PARAGRAPH, Category.LIST)),
    SearchFilter(sources=tuple(f"/source/{n}" for n in range(20))),
    SearchFilter(date_range=("2010-01-01", "2019-12-31")),
    SearchFilter(entity="ENT-7"),
    SearchFilter(kinds=("chunk",), page_range=(1, 20)),
    SearchFilter(collections=("collection 0", "collection 2")),
)


def _document(number: int, title: str, text: str) -> ParsedDocument:
    passage = ParsedPassage(
        text=text,
        position=0,
        page=number % 50 + 1,
        category=CATEGORIES[number % len(CATEGORIES)],
        language="ko" if number % 5 == 0 else "en",
        entities=(f"ENT-{number % 500}",),
        kind="finding" if number % 4 == 0 else "chunk",
    )
    return ParsedDocument(
        document_id=f"d{number}",
        title=title,
        source=f"/source/{number // 50}",
        origin="/corpus",
        passages=(passage,),
        language=passage.language,
        content_hash=str(number),
        date=f"{2000 + number % 25}-{number % 12 + 1:02}-{number % 28 + 1:02}",
    )


async def _timed(work: Callable[[str, int], Any], queries: Sequence[str]) -> tuple[float, float]:
    for number, query in enumerate(queries[:3]):
        await work(query, number)
    times = []
    for number, query in enumerate(queries):
        started = time.perf_counter()
        await work(query, number)
        times.append((time.perf_counter() - started) * 1000)
    return percentile(times, 0.5), percentile(times, 0.95)


async def _changing(library: SqlLibrary) -> Figures:
    """Add and remove a document, each until the next search tells."""

    async def found() -> bool:
        word = Query(text="quxzywv")
        return bool(await library.index.search(word, k=K, filter=SearchFilter(), audience=OPERATOR))

    adding, removing = [], []
    for number in range(20):
        started = time.perf_counter()
        await library.put("collection 0", [_document(-number - 1, "", f"quxzywv and word{number} that nobody had")])
        assert await found()
        adding.append((time.perf_counter() - started) * 1000)
        started = time.perf_counter()
        await library.remove(f"d{-number - 1}")
        assert not await found()
        removing.append((time.perf_counter() - started) * 1000)
    return {"add a document and find it, ms": percentile(adding, 0.5), "remove it, ms": percentile(removing, 0.5)}


# --- others


def rank_bm25(task: Task) -> Figures:
    """The library whose scores ours are."""
    from rank_bm25 import BM25Okapi

    started = time.perf_counter()
    index = BM25Okapi(task.terms(), b=B)
    built = time.perf_counter() - started
    for number, query in enumerate(task.queries[:SLOW]):
        np.save(task.folder / f"scores{number}.npy", index.get_scores(tokens(query)))

    def search(query: str) -> object:
        scores = index.get_scores(tokens(query))
        best = np.argpartition(scores, -K)[-K:]
        return best[np.argsort(-scores[best])]

    return {"build, s": built, **timed(search, task.queries[:SLOW]), "peak, MB": peak()}


def bm25s_numpy(task: Task) -> Figures:
    """Scores of every term reckoned beforehand; nothing can be added or removed."""
    return _bm25s(task, "numpy")


def bm25s_numba(task: Task) -> Figures:
    """The same, compiled when it is first used."""
    return _bm25s(task, "numba")


def _bm25s(task: Task, backend: str) -> Figures:
    bm25s: Any = import_module("bm25s")  # no dependency of Weft's
    place = str(task.folder / f"bm25s-{backend}")
    started = time.perf_counter()
    index = bm25s.BM25(method="atire", backend=backend)
    index.index(list(task.terms()), show_progress=False)
    built = time.perf_counter() - started
    index.save(place, show_progress=False)
    most = peak()
    del index
    started = time.perf_counter()
    index = bm25s.BM25.load(place, show_progress=False)  # mapped it was slower

    def search(query: str) -> object:
        return index.retrieve([tokens(query)], k=K, show_progress=False)

    search(task.queries[0])
    opened = time.perf_counter() - started
    figures = {"build, s": built, "open and first query, s": opened, **timed(search, task.queries)}
    return figures | {"peak while building, MB": most, "peak, MB": peak()}


def fts5(task: Task) -> Figures:
    """SQLite's own full text search, over our terms."""
    place = task.folder / "fts5.db"
    connection = sqlite3.connect(place)
    started = time.perf_counter()
    connection.execute("CREATE VIRTUAL TABLE passages USING fts5(terms, content='')")
    rows = ((number, " ".join(terms)) for number, terms in enumerate(task.terms(), start=1))
    connection.executemany("INSERT INTO passages(rowid, terms) VALUES(?,?)", rows)
    connection.commit()
    built = time.perf_counter() - started
    connection.close()
    started = time.perf_counter()
    connection = sqlite3.connect(place)

    def search(query: str) -> object:
        wanted = " OR ".join(f'"{term}"' for term in tokens(query))
        sql = "SELECT rowid, bm25(passages) FROM passages WHERE passages MATCH ? ORDER BY bm25(passages) LIMIT ?"
        return connection.execute(sql, (wanted, K)).fetchall()

    search(task.queries[0])
    opened = time.perf_counter() - started
    figures = {"build, s": built, "open and first query, s": opened, **timed(search, task.queries[:SAMPLE])}
    return figures | {"peak, MB": peak()}


def faiss_flat(task: Task) -> Figures:
    """As many random vectors, each compared with the query's: what searching by meaning costs at least."""
    import faiss

    faiss.omp_set_num_threads(1)
    chance = np.random.default_rng(1)
    started = time.perf_counter()
    index: Any = faiss.IndexFlatIP(DIMENSIONS)
    for start in range(0, task.passages, 10_000):
        rows = chance.standard_normal((min(10_000, task.passages - start), DIMENSIONS), dtype=np.float32)
        faiss.normalize_L2(rows)
        index.add(rows)
    built = time.perf_counter() - started
    faiss.write_index(index, str(task.folder / "flat.faiss"))
    started = time.perf_counter()
    index = faiss.read_index(str(task.folder / "flat.faiss"))
    vectors = iter(chance.standard_normal((SAMPLE + 4, 1, DIMENSIONS), dtype=np.float32))
    index.search(next(vectors), K)
    opened = time.perf_counter() - started
    figures = {"build, s": built, "open and first query, s": opened}
    return figures | timed(lambda _: index.search(next(vectors), K), task.queries[:SAMPLE]) | {"peak, MB": peak()}


ENGINES: dict[str, tuple[Callable[[Task], Figures], ...]] = {
    "rank-bm25": (rank_bm25,),
    "Weft": (weft_build, weft_query, weft_exact),
    "bm25s numpy": (bm25s_numpy,),
    "bm25s numba": (bm25s_numba,),
    "SQLite FTS5": (fts5,),
    "FAISS Flat, 384 d": (faiss_flat,),
}
"""In this order: the exact scores that Weft's are compared with come first."""
