"""Several workers on one PostgreSQL, and search over many passages: what grows with processes, and what does not.

    .venv/bin/python -m benchmarks.scale [--turns N] [--passages N] [--json FILE]

PostgreSQL is started from the development package, on this machine; the model is a pause of a second. Everything
shares the cores of one machine, the database too. The figures name the load of the machine before and after; what files
of one machine do with the same passages stands beside them (`files_...`).
"""

import argparse
import asyncio
import contextlib
import json
import multiprocessing
import os
import random
import signal
import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from agent.ports import LexicalIndex, VectorIndex
from agent.types import Audience, Author, IncomingMessage, MessageKind, Query, SearchFilter, ThreadKey
from storage.access import SqlAccess
from storage.contracts import VectorStore
from storage.database import Database
from storage.documents import SqlLibrary
from storage.inbox import SqlInbox
from storage.ingest.parsed import ParsedDocument, ParsedPassage
from storage.postgres.database import PostgresDatabase
from storage.postgres.listening import listening
from storage.postgres.vectors import PostgresVectorIndex, PostgresVectors
from storage.schema import WEFT
from storage.vector_format import Ids, Rows
from storage.vector_index import VectorIndexOnFile
from storage.vectors import VectorFile
from tests.servers.postgres import PostgresServer

MODEL_SECONDS = 1.0
PLACES = 8
LEASE = 3.0
DIMENSIONS = 384
COLLECTIONS = 50
QUERIES = 200
EVERYBODY = Audience(principals=frozenset(), operator=True)


def message(event: str, thread: str) -> IncomingMessage:
    return IncomingMessage(
        key=ThreadKey(platform="slack", workspace_id="W", channel_id="C", thread_id=thread),
        event_id=event, message_id=event, author=Author(id="U", name="U"), text="question",
        kind=MessageKind.MENTION, received_at=time.time(),
    )  # fmt: skip


def worker(url: str, log: str, seconds: float) -> None:
    """Claim, pause as long as a model would take, note, finish: until killed."""
    asyncio.run(_worker(url, log, seconds))


async def _worker(url: str, log: str, seconds: float) -> None:
    with Path(log).open("a", buffering=1) as out:  # noqa: ASYNC230
        async with listening(url) as listener:
            queue = await PostgresDatabase.open(url, folder=Path(log).parent, events=listener.event)
            inbox = SqlInbox(queue)
            free = asyncio.Semaphore(PLACES)

            async def answer(row: Any) -> None:
                begun = time.time()
                task = asyncio.create_task(renewed(row))
                await asyncio.sleep(seconds)
                task.cancel()
                if await inbox.finish(row):
                    out.write(json.dumps([row.message.event_id, begun, time.time()]) + "\n")
                free.release()

            async def renewed(row: Any) -> None:
                while True:
                    await asyncio.sleep(LEASE / 3)
                    await inbox.renew(row, lease=LEASE)

            running = set()
            while True:
                await free.acquire()
                row = await inbox.claim(log, lease=LEASE, platforms=["slack"])
                if row is None:
                    free.release()
                    await inbox.wait(1.0)
                    continue
                task = asyncio.create_task(answer(row))
                running.add(task)
                task.add_done_callback(running.discard)


class Workers:
    """Processes that write what they answered."""

    def __init__(self, url: str, folder: Path, count: int, seconds: float = MODEL_SECONDS) -> None:
        context = multiprocessing.get_context("spawn")
        self.logs = [folder / f"{time.monotonic_ns()}-{n}" for n in range(count)]
        self.processes = [context.Process(target=worker, args=(url, str(log), seconds)) for log in self.logs]
        for process in self.processes:
            process.start()

    def answered(self) -> list[tuple[str, float, float]]:
        lines = [line for log in self.logs if log.exists() for line in log.read_text().splitlines()]
        return [tuple(json.loads(line)) for line in lines]

    async def until(self, count: int) -> None:
        async with asyncio.timeout(300):
            while len({event for event, *_ in self.answered()}) < count:
                await asyncio.sleep(0.05)

    def stop(self) -> None:
        for process in self.processes:
            process.kill()
            process.join()


async def warm(inbox: SqlInbox, workers: Workers, count: int) -> None:
    """Wait until every worker has answered something."""
    n = 0
    async with asyncio.timeout(120):
        while not all(log.exists() and log.read_text() for log in workers.logs):
            for _ in range(count * PLACES):
                await inbox.add(message(f"warm{time.monotonic_ns()}", f"w{time.monotonic_ns()}"))
                n += 1
            await asyncio.sleep(MODEL_SECONDS)
        while (counts := await inbox.counts())["todo"] or counts["doing"]:
            await asyncio.sleep(0.05)


async def throughput(server: PostgresServer, folder: Path, turns: int) -> dict[str, float]:
    figures = {}
    for count in (1, 2, 4):
        url = server.url(await server.ready())
        inbox = SqlInbox(await PostgresDatabase.open(url, folder=folder))
        workers = Workers(url, folder, count)
        await warm(inbox, workers, count)
        total = turns * count
        before = len(workers.answered())
        begun = time.time()
        for n in range(total):
            await inbox.add(message(f"e{n}", f"T{n}"))
        await workers.until(before + total)
        figures[f"turns_per_second_{count}"] = total / (time.time() - begun)
        workers.stop()
        await inbox.close()
    return figures


async def latencies(server: PostgresServer, folder: Path, count: int) -> dict[str, float]:
    """Measure how soon so many workers begin with a message, and with the second one of a thread."""
    url = server.url(await server.ready())
    inbox = SqlInbox(await PostgresDatabase.open(url, folder=folder))
    workers = Workers(url, folder, count, seconds=0.05)
    await warm(inbox, workers, count)
    sent = {}
    for n in range(60):
        await asyncio.sleep(0.1 + random.random() / 10)
        sent[f"i{n}"] = time.time()
        await inbox.add(message(f"i{n}", f"I{n}"))
    for n in range(30):
        for part in ("a", "b"):
            await inbox.add(message(f"s{n}{part}", f"S{n}"))
    async with asyncio.timeout(60):
        while (counts := await inbox.counts())["todo"] or counts["doing"]:
            await asyncio.sleep(0.05)
    found = {event: (begun, ended) for event, begun, ended in workers.answered()}
    workers.stop()
    await inbox.close()
    idle = [1000 * (found[event][0] - at) for event, at in sent.items()]
    second = [1000 * (found[f"s{n}b"][0] - found[f"s{n}a"][1]) for n in range(30)]
    return {
        f"idle_pickup_ms_p50_{count}": statistics.median(idle), f"idle_pickup_ms_max_{count}": max(idle),
        f"second_of_thread_ms_p50_{count}": statistics.median(second), f"second_of_thread_ms_max_{count}": max(second),
    }  # fmt: skip


async def kills(server: PostgresServer, folder: Path, *, restart: bool) -> dict[str, float]:
    """Kill a worker, or PostgreSQL, in the middle of a load; count what was lost and doubled."""
    url = server.url(await server.ready())
    inbox = SqlInbox(await PostgresDatabase.open(url, folder=folder))
    workers = Workers(url, folder, 2, seconds=0.5)
    await warm(inbox, workers, 2)
    old = {event for event, *_ in workers.answered()}
    begun = time.time()
    for n in range(80):
        await inbox.add(message(f"k{n}", f"K{n % 40}"))
        if n == 40:
            if restart:
                server.stop(signal.SIGQUIT)
                await asyncio.to_thread(server.start)
            else:
                workers.processes[0].kill()
    await workers.until(len(old) + 80)
    events = [event for event, *_ in workers.answered() if event not in old]
    counts = await inbox.counts()
    workers.stop()
    await inbox.close()
    name = "restart" if restart else "kill"
    return {
        f"{name}_lost": 80.0 - len(set(events)), f"{name}_doubled": float(len(events) - len(set(events))),
        f"{name}_seconds": time.time() - begun, f"{name}_left": float(counts["todo"] + counts["doing"]),
    }  # fmt: skip


def texts(count: int, chance: random.Random) -> list[str]:
    """Return made-up passages of words as rare as words are."""
    vocabulary = [f"word{n}" for n in range(30_000)]
    weights = [1.0 / (n + 10) for n in range(len(vocabulary))]
    drawn = chance.choices(vocabulary, weights, k=count * 60)
    return [" ".join(drawn[n * 60 : n * 60 + 60]) for n in range(count)]


async def filled(database: Any, made: Sequence[str]) -> SqlLibrary:
    """Store them, a thousand at a time as an ingest does, in documents of ten."""
    library = SqlLibrary(database)
    for start in range(0, len(made), 1000):
        documents = [
            ParsedDocument(
                document_id=f"d{n}",
                title="",
                source="",
                origin=f"/{n}",
                language="en",
                content_hash="",
                metadata={},
                passages=tuple(ParsedPassage(text=t, position=i) for i, t in enumerate(made[n : n + 10])),
            )
            for n in range(start, min(start + 1000, len(made)), 10)
        ]
        await library.put(f"c{start // 1000 % COLLECTIONS}", documents)
    return library


def clustered(count: int, generator: np.random.Generator) -> Rows:
    """Return made-up vectors of length 1, in 200 clusters."""
    centres = generator.standard_normal((200, DIMENSIONS)).astype(np.float32)
    noise = 1.2 * generator.standard_normal((count, DIMENSIONS)).astype(np.float32)
    vectors = centres[generator.integers(0, 200, count)] + noise
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors


async def stored(store: VectorStore, ids: Ids, vectors: Rows) -> dict[str, float]:
    """Store vectors, and some more beside the index; returns how many in a second."""
    begun = time.monotonic()
    for start in range(0, len(ids), 2000):
        await store.add(ids[start : start + 2000], vectors[start : start + 2000])
    copied = time.monotonic() - begun
    await store.save(whole=True)
    figures = {
        "vectors_copied_per_second": len(ids) / copied,
        "vectors_stored_per_second": len(ids) / (time.monotonic() - begun),
    }
    await store.remove(ids[-1000:])
    begun = time.monotonic()
    await store.add(ids[-1000:], vectors[-1000:])
    await store.save()
    return figures | {"vectors_added_per_second": 1000 / (time.monotonic() - begun)}


async def timed(words: LexicalIndex, near: VectorIndex, query: Query, vector: Rows, filter: SearchFilter) -> Any:
    """Search both at once; returns the milliseconds, and what either found."""
    begun = time.monotonic()
    found = await asyncio.gather(
        words.search(query, k=10, filter=filter, audience=EVERYBODY),
        near.search(vector, k=10, filter=filter, audience=EVERYBODY),
    )
    return 1000 * (time.monotonic() - begun), *found


async def search(server: PostgresServer, folder: Path, count: int) -> dict[str, float]:
    """Search the same passages on PostgreSQL and in files, in turn, and compare what is found with all compared."""
    chance, generator = random.Random(1), np.random.default_rng(1)
    made = texts(count, chance)
    url = server.url(await server.ready())
    database, small = await PostgresDatabase.open(url, folder=folder), await Database.open(folder / "weft.db", WEFT)
    figures, libraries = {}, []
    for kind, each in (("", database), ("files_", small)):
        begun = time.monotonic()
        libraries.append(await filled(each, made))
        figures[f"{kind}ingest_passages_per_second"] = count / (time.monotonic() - begun)
    library, embedded = libraries
    ids = await library.ids()
    vectors = clustered(len(ids), generator)
    store = PostgresVectors(await PostgresDatabase.open(url, folder=folder), embedding="e")
    file = VectorFile(folder / "vectors.faiss", embedding="e")
    figures |= await stored(store, ids, vectors)
    figures |= {f"files_{name}": value for name, value in (await stored(file, ids, vectors)).items()}
    near, near_in_file = PostgresVectorIndex(store, library.admitted), VectorIndexOnFile(file, embedded.admitted)
    names = sorted(info.name for info in await SqlAccess(database).collections())
    for readable in (1, 5, 25):
        took, took_files, recall, equal = [], [], [], 0
        filter = SearchFilter(collections=tuple(names[:readable]))
        for n in range(QUERIES + 10):
            query = Query(text=" ".join(chance.choice(made).split()[:8]))
            vector = vectors[generator.integers(0, len(ids))] + 0.3 * vectors[generator.integers(0, len(ids))]
            vector /= np.linalg.norm(vector)
            there, words, close = await timed(library.index, near, query, vector, filter)
            here, words_here, close_here = await timed(embedded.index, near_in_file, query, vector, filter)
            if n < 10:  # warm
                continue
            took.append(there)
            took_files.append(here)
            recall.append(len({id for id, _ in close_here} & {id for id, _ in close}) / len(close_here))
            equal += words == words_here
        for name, values in (("hybrid_ms", took), ("files_hybrid_ms", took_files)):
            figures[f"{name}_p50_{readable}"] = statistics.median(values)
            figures[f"{name}_p95_{readable}"] = sorted(values)[int(len(values) * 0.95)]
        figures[f"recall_at_10_{readable}"] = statistics.mean(recall)
        figures[f"equal_words_{readable}"] = equal / QUERIES
    await file.close()
    await database.close()
    await small.close()
    return figures


async def measure(turns: int, passages: int) -> dict[str, float]:
    figures: dict[str, float] = {"load_before": os.getloadavg()[0]}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with contextlib.ExitStack() as stack:
            server = PostgresServer(fsync="on", synchronous_commit="on", shared_buffers="1GB")
            stack.callback(server.remove)
            server.create()
            server.start()
            if turns:
                figures |= await throughput(server, folder, turns)
                for count in (1, 4):
                    figures |= await latencies(server, folder, count)
                figures |= await kills(server, folder, restart=False)
                figures |= await kills(server, folder, restart=True)
            if passages:
                figures |= await search(server, folder, passages)
    figures["load_after"] = os.getloadavg()[0]
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=80, help="turns for each worker; 0 leaves this part out")
    parser.add_argument("--passages", type=int, default=100_000, help="0 leaves this part out")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    figures = asyncio.run(measure(options.turns, options.passages))
    for name, value in figures.items():
        print(f"{name:32} {value:10.2f}")
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
