"""An ingest that is killed again and again, at random, ends as if nothing had happened."""

import asyncio
import json
import random
import signal
import subprocess
import sys
from pathlib import Path

from agent.types import Audience, Query, SearchFilter
from storage.catalogue import catalogue
from storage.database import Database
from storage.documents import SqlLibrary
from storage.ingest.run import ingest
from storage.lexical import SqlLexicalIndex
from storage.schema import WEFT
from tests.storage.ingest.memory import written

ROOT = Path(__file__).parents[3]
EVERYBODY = Audience(principals=frozenset({"*"}))

# Says what it is about to write and what it has written, so that it can be killed around there.
CHILD = """
import asyncio, sys
from pathlib import Path
from storage.database import Database
from storage.documents import SqlLibrary
from storage.ingest.run import ingest
from storage.schema import WEFT
import storage.ingest.ledger

storage.ingest.ledger._BATCH = 50  # often, so that there is much to interrupt

class Loud(SqlLibrary):
    async def put(self, *args):
        print("put", flush=True)
        await super().put(*args)
        print("stored", flush=True)
    async def drop(self, *args):
        print("drop", flush=True)
        await super().drop(*args)
        print("dropped", flush=True)
    async def stamp(self, *args):
        print("stamp", flush=True)
        await super().stamp(*args)

async def main():
    database = await Database.open(Path(sys.argv[1]), WEFT)
    await ingest([sys.argv[2]], library=Loud(database), collection="docs")
    await database.close()

asyncio.run(main())
"""


def first_version(docs: Path) -> None:
    for number in range(3):
        lines = [{"id": f"{number}-{n}", "text": f"entry {n} of list {number} about gondolas"} for n in range(250)]
        written(docs / f"list{number}.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
    for number in range(30):
        written(docs / f"note{number}.md", f"# Note {number}\n\nThe ferry leaves at {number}.\n\n## More\n\nText.\n")


def second_version(docs: Path) -> None:
    """Change, add and take away, lines and files."""
    for number in range(3):
        lines = [
            {"id": f"{number}-{n}", "text": f"entry {n} of list {number}" + (", now by tram" if n % 3 else "")}
            for n in range(0, 350, 2)
        ]
        written(docs / f"list{number}.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
    for number in range(0, 30, 2):
        (docs / f"note{number}.md").unlink()
    written(docs / "note1.md", "# Note 1\n\nThe tram leaves at one.\n")


async def contents(path: Path) -> tuple[object, ...]:
    """Return all that people can see of a library."""
    database = await Database.open(path, WEFT)
    library, index = SqlLibrary(database), SqlLexicalIndex(database)
    listing = {each.document_id: (each.title, each.source, each.passages) for each in await catalogue(database)}
    ids = [int(each) for each in await library.ids()]
    passages = {each.public_id: each for each in await library.get(ids, audience=EVERYBODY)}
    texts = {key: (each.text, each.section, each.title, each.entities) for key, each in passages.items()}
    searches = {}
    for words in ("gondolas", "tram", "ferry leaves", "entry 8 of list 2", "note"):
        query = Query(text=words)
        hits = await index.search(query, k=10_000, filter=SearchFilter(), audience=EVERYBODY)
        by_id = {each.id: key for key, each in passages.items()}
        searches[words] = {by_id[identity]: round(score, 9) for identity, score in hits}
    state = (listing, texts, searches, await library.stamps("docs"), await library.fingerprints("docs"))
    await database.close()
    return state


async def brought(path: Path, docs: Path) -> None:
    database = await Database.open(path, WEFT)
    await ingest([docs], library=SqlLibrary(database), collection="docs")
    await database.close()


def killed(path: Path, docs: Path, lines: int) -> bool:
    """Run an ingest and kill it after so many lines; tells whether it was still running."""
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, str(path), str(docs)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    for _ in range(lines):
        if not child.stdout.readline():
            break
    child.kill()
    child.stdout.close()
    return child.wait() == -signal.SIGKILL


async def test_killed_anywhere_it_ends_as_if_it_had_not_been(tmp_path):
    docs = tmp_path / "docs"
    first_version(docs)
    whole, broken = tmp_path / "whole.db", tmp_path / "broken.db"
    chance = random.Random(7)
    kills = 0
    for version in (first_version, second_version):
        version(docs)
        await brought(whole, docs)
        for _ in range(3):
            kills += await asyncio.to_thread(killed, broken, docs, chance.randrange(1, 30))
        await brought(broken, docs)
        assert await contents(broken) == await contents(whole)
    assert kills >= 4
    # Nothing is left to do, and a library filled from nothing is the same again.
    fresh = tmp_path / "fresh.db"
    await brought(fresh, docs)
    left, right = await contents(fresh), await contents(broken)
    assert left[:3] == right[:3]
