"""Several workers on one PostgreSQL, and search over many passages: what grows with processes, and what does not.

    .venv/bin/python -m benchmarks.scale [--turns N] [--passages N] [--json FILE]

PostgreSQL is started from the development package, on this machine; the model is a pause of a second. Everything
shares the cores of one machine, the database too.
"""

import argparse
import asyncio
import contextlib
import json
import multiprocessing
import random
import signal
import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from agent.types import Audience, Author, IncomingMessage, MessageKind, Query, SearchFilter, ThreadKey
from storage.access import SqlAccess
from storage.database import Database
from storage.documents import SqlLibrary
from storage.inbox import SqlInbox
from storage.ingest.parsed import ParsedDocument, ParsedPassage
from storage.postgres.database import PostgresDatabase
from storage.postgres.listening import listening
from storage.postgres.vectors import PostgresVectorIndex, PostgresVectors
from storage.schema import WEFT
from tests.servers.postgres import PostgresServer

MODEL_SECONDS = 1.0
PLACES = 8
LEASE = 3.0
DIMENSIONS = 384
COLLECTIONS = 50
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


async def latencies(server: PostgresServer, folder: Path) -> dict[str, float]:
    url = server.url(await server.ready())
    inbox = SqlInbox(await PostgresDatabase.open(url, folder=folder))
    workers = Workers(url, folder, 1, seconds=0.05)
    await warm(inbox, workers, 1)
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
        "idle_pickup_ms_p50": statistics.median(idle), "idle_pickup_ms_max": max(idle),
        "second_of_thread_ms_p50": statistics.median(second), "second_of_thread_ms_max": max(second),
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
    library = SqlLibrary(database)
    for start in range(0, len(made), 1000):
        by_collection: dict[str, list[ParsedDocument]] = {}
        for n in range(start, min(start + 1000, len(made)), 10):
            passages = tuple(ParsedPassage(text=t, position=i) for i, t in enumerate(made[n : n + 10]))
            by_collection.setdefault(f"c{(n // 10) % COLLECTIONS}", []).append(
                ParsedDocument(
                    document_id=f"d{n}",
                    title="",
                    source="",
                    origin=f"/{n}",
                    language="en",
                    content_hash="",
                    metadata={},
                    passages=passages,
                )
            )
        for name, documents in by_collection.items():
            await library.put(name, documents)
    return library


async def search(server: PostgresServer, folder: Path, count: int) -> dict[str, float]:
    chance = random.Random(1)
    made = texts(count, chance)
    url = server.url(await server.ready())
    database = await PostgresDatabase.open(url, folder=folder)
    begun = time.monotonic()
    library = await filled(database, made)
    figures = {"ingest_passages_per_second": count / (time.monotonic() - begun)}
    small = await Database.open(folder / "weft.db", WEFT)
    embedded = await filled(small, made)

    generator = np.random.default_rng(1)
    centres = generator.standard_normal((200, DIMENSIONS)).astype(np.float32)
    ids = await library.ids()
    vectors = centres[generator.integers(0, 200, len(ids))] + 1.2 * generator.standard_normal(
        (len(ids), DIMENSIONS)
    ).astype(np.float32)
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    begun = time.monotonic()
    store = PostgresVectors(await PostgresDatabase.open(url, folder=folder), embedding="e")
    await store.add(ids[:2000], vectors[:2000])
    figures["vectors_stored_per_second"] = 2000 / (time.monotonic() - begun)
    await database.write(lambda c: c.execute("DROP INDEX vectors_1_vector_idx").close())  # the rest is quicker without
    for start in range(2000, len(ids), 2000):
        await store.add(ids[start : start + 2000], vectors[start : start + 2000])
    index_again = "CREATE INDEX ON vectors_1 USING hnsw (vector vector_ip_ops)"
    await database.write(lambda c: c.execute(index_again).close())
    index = PostgresVectorIndex(store, library.admitted)
    names = sorted(info.name for info in await SqlAccess(database).collections())
    for readable in (1, 5, 25):
        took, recall, equal = [], [], 0
        filter = SearchFilter(collections=tuple(names[:readable]))
        allowed = await library.admitted(filter, EVERYBODY)
        assert allowed is not None
        rows = np.searchsorted(ids, allowed)
        for n in range(60):
            query = Query(text=" ".join(chance.choice(made).split()[:8]))
            vector = vectors[generator.integers(0, len(ids))] + 0.3 * vectors[generator.integers(0, len(ids))]
            vector = (vector / np.linalg.norm(vector)).astype(np.float32)
            begun = time.monotonic()
            words, near = await asyncio.gather(
                library.index.search(query, k=10, filter=filter, audience=EVERYBODY),
                index.search(vector, k=10, filter=filter, audience=EVERYBODY),
            )
            if n >= 10:  # warm
                took.append(1000 * (time.monotonic() - begun))
            scores = vectors[rows] @ vector
            best = set(allowed[np.argsort(-scores)[:10]].tolist())
            recall.append(len(best & {id for id, _ in near}) / 10)
            here = await embedded.index.search(query, k=10, filter=filter, audience=EVERYBODY)
            equal += [score for _, score in here] == [score for _, score in words]
        figures[f"hybrid_ms_p50_{readable}"] = statistics.median(took)
        figures[f"hybrid_ms_p95_{readable}"] = sorted(took)[int(len(took) * 0.95)]
        figures[f"recall_at_10_{readable}"] = statistics.mean(recall)
        figures[f"equal_word_scores_{readable}"] = equal / 60
    await database.close()
    await small.close()
    return figures


async def measure(turns: int, passages: int) -> dict[str, float]:
    figures: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with contextlib.ExitStack() as stack:
            server = PostgresServer(fsync="on", synchronous_commit="on", maintenance_work_mem="1GB")
            stack.callback(server.remove)
            server.create()
            server.start()
            if turns:
                figures |= await throughput(server, folder, turns)
                figures |= await latencies(server, folder)
                figures |= await kills(server, folder, restart=False)
                figures |= await kills(server, folder, restart=True)
            if passages:
                figures |= await search(server, folder, passages)
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
