"""What is said of each damaged file of a data folder, and what works then.

A folder is made by the real commands: documents with vectors, conversations, a rating, a calendar, a channel's mode,
people, an installation. Then each of its files is damaged, in a copy: a byte flipped at several places, one of them in
the middle of a database's schema, cut in half, emptied, replaced by foreign bytes; so are the logs
beside the databases, as a killed process leaves them. On each copy run `weft doctor`, `weft ask` and the start of `weft
serve`, and where it is refused, the command that is advised, and `weft ask` again. What may not be: a stack trace, a
process that neither serves nor ends, an end that names no file, an answer from the sample in place of the team's, an
advice that does not help, and more than five seconds.
"""

import asyncio
import re
import shutil
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, closing, suppress
from dataclasses import dataclass
from pathlib import Path

import httpx

from benchmarks.report import Report
from benchmarks.serving import WEFT, free_port, without_settings
from storage.installations import FILE as INSTALLATIONS
from storage.installations import SqlInstallations
from tests.local_models import write_folder

PATIENCE = 60.0
"""Seconds after which a process that says nothing is taken for one that hangs; far more than a busy machine needs."""
SOON = 5.0
QUESTION, ANSWER = "How long is parental leave?", "16 weeks"
DOCUMENTS = {
    "leave.md": "# Parental leave\n\nParental leave is 16 weeks, fully paid.\n\n## Sick leave\n\nCall before 9:00.\n",
    "vpn.md": "# VPN\n\nInstall WireGuard from the portal and choose import tunnel.\n",
}
DATABASES = tuple(f"{name}.db" for name in ("weft", "inbox", "checkpoints", "people", "board", "embeddings"))
LOGS = tuple(f"{name}-wal" for name in DATABASES)
FILES = (*DATABASES, INSTALLATIONS, "lexical.idx", "vectors.faiss", "vectors.faiss.log", *LOGS)
MANY = {"SLACK_CLIENT_ID": "1.2", "SLACK_CLIENT_SECRET": "x" * 32, "SLACK_SIGNING_SECRET": "x" * 32}
"""With these Weft is for many workspaces, and opens what it keeps of them."""
FOREIGN = b"%PDF-1.7\n" + bytes(range(256)) * 40
SCHEMA_WORD = b"CREATE TABLE"
_ADVISED = re.compile(r"`((?:mv|rm) [^`]+|weft reindex|weft ingest)`")


@dataclass(frozen=True, kw_only=True, slots=True)
class Run:
    """How a command ended; `code` None: it had to be killed."""

    code: int | None
    said: str
    seconds: float
    served: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Masters:
    """The folders that copies are made of."""

    closed: Path
    killed: Path
    """As a process left it that was killed: what was written last stands in the logs."""
    documents: Path
    environment: Mapping[str, str]


async def command(environment: Mapping[str, str], data: Path, *words: str, patience: float = PATIENCE) -> Run:
    """Run a command of Weft to its end."""
    return await _watched(environment, data, words, until="", patience=patience)


async def start(environment: Mapping[str, str], data: Path) -> Run:
    """Start `weft serve`, and stop it as soon as it serves."""
    return await _watched(environment, data, ("serve", "--port", "0"), until="It answers in:", patience=PATIENCE)


async def _watched(
    environment: Mapping[str, str], data: Path, words: tuple[str, ...], *, until: str, patience: float
) -> Run:
    begun = time.monotonic()
    process = await asyncio.create_subprocess_exec(
        *WEFT, *words, "--data", str(data),
        env=environment, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip
    assert process.stdout is not None
    said, served, seconds, code = "", False, 0.0, None
    try:
        async with asyncio.timeout(patience):
            async for line in process.stdout:
                said += line.decode(errors="replace")
                if until and until in said and not served:
                    served, seconds = True, time.monotonic() - begun
                    process.kill()
            code = await process.wait()
    except TimeoutError:
        process.kill()
        await process.wait()
    return Run(code=code, said=said, seconds=seconds or time.monotonic() - begun, served=served)


async def made(place: Path) -> Masters:
    """Fill a folder the way people do, and leave it once in order and once killed."""
    model = await asyncio.to_thread(write_folder, place / "model")
    environment = {**without_settings(), "WEFT_EMBEDDING_MODEL": str(model)}
    data, documents = place / "data", place / "documents"
    documents.mkdir()

    async def well(*words: str) -> None:
        run = await command(environment, data, *words, patience=600.0)
        if run.code != 0:
            raise SystemExit(f"weft {words[0]} failed on a sound folder:\n{run.said}")

    for name, text in DOCUMENTS.items():
        (documents / name).write_text(text, encoding="utf-8")
    await well("ingest", str(documents))
    await well("reindex")
    (documents / "travel.md").write_text("# Travel\n\nBook trains, not planes.\n", encoding="utf-8")
    await well("ingest", str(documents))
    await well("channels", "set", "channel:slack:T1:C1", "mentions")
    await well("schedule", "add", "every Monday at 9", QUESTION, "--in", "playground")
    await well("gaps", "--digest-to", "channel:slack:T1:C1")
    await well("ask", QUESTION, "--thread", "t")
    await well("ask", "I am a contractor. How do I set up the VPN?", "--thread", "u", "--as", "kim")
    installations = await SqlInstallations.open(data / INSTALLATIONS)
    await installations.put("", "T1", "{}")
    await installations.close()
    await _on_the_playground(environment, data)
    killed = place / "killed"
    shutil.copytree(data, killed)
    for log in data.glob("*-wal"):  # whoever opens a file and closes it again, alone, folds its log into it
        with closing(sqlite3.connect(data / log.name.removesuffix("-wal"))) as database:
            database.execute("SELECT count(*) FROM sqlite_master").fetchone()
    return Masters(closed=data, killed=killed, documents=documents, environment=environment)


@asynccontextmanager
async def _serving(environment: Mapping[str, str], data: Path) -> AsyncIterator[httpx.AsyncClient]:
    """Run `weft serve` on a folder; gives a client of its page. At the end it is killed, if it has not ended."""
    port = free_port()
    process = await asyncio.create_subprocess_exec(
        *WEFT, "serve", "--port", str(port), "--data", str(data),
        env=environment, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL,
    )  # fmt: skip
    try:
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", trust_env=False, timeout=60) as client:
            while process.returncode is None:
                with suppress(httpx.TransportError):
                    await client.get("/health")
                    break
                await asyncio.sleep(0.1)
            yield client
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def _on_the_playground(environment: Mapping[str, str], data: Path) -> None:
    """Ask and rate on the page of a process that is then killed."""
    async with _serving(environment, data) as client:
        sent = await client.post("/api/messages", json={"text": QUESTION, "client_id": "survival-1"})
        thread = sent.raise_for_status().json()["thread"]
        posts: list[dict[str, str]] = []
        while not (answers := [post for post in posts if post["role"] == "answer"]):
            await asyncio.sleep(0.1)
            posts = (await client.get(f"/api/threads/{thread}")).json()["posts"]
        rating = f"/api/threads/{thread}/posts/{answers[0]['id']}/rating"
        while (await client.put(rating, json={"helpful": False})).status_code == 404:  # a draft is no answer yet
            await asyncio.sleep(0.1)


def damages(file: str, content: bytes, places: int) -> Iterator[tuple[str, bytes | None]]:
    """Give the ways in which a file is damaged, each with its name; None: the file is gone."""
    at = {len(content) * n // places + 7 for n in range(places)} if content else set()
    schema = -1 if file in LOGS else content.find(SCHEMA_WORD)
    if schema >= 0:
        at |= {schema + 2, schema + len(SCHEMA_WORD) + 3}  # of its words, and of a name
    for place in sorted(each for each in at if each < len(content)):
        name = f"flip@{place}" + ("(schema)" if 0 <= schema <= place < schema + 40 else "")
        yield name, content[:place] + bytes([content[place] ^ 0x80]) + content[place + 1 :]
    yield "cut", content[: len(content) // 2]
    yield "empty", b""
    yield "foreign", FOREIGN
    if file in LOGS:
        yield "gone", None


def verdict(kind: str, file: str, run: Run) -> str:
    """Say in a word what came of a command."""
    if "Traceback" in run.said:
        return "TRACE"
    if run.code is None:
        return "HANGS"
    database = file.removesuffix("-wal")
    said = run.said
    if kind == "doctor":  # it names every file; what it says of this one counts
        said = "\n".join(line for line in said.splitlines() if not line.startswith("ok"))
    named = database in said or (file.startswith("lexical") and "word index" in said)
    if run.served:
        return "warned" if named else "works"
    if run.code:
        return "refused" if named else "UNNAMED"
    if kind == "ask" and ANSWER not in run.said:
        return "WRONG"
    return "warned" if named else "works"


async def tried(masters: Masters, file: str, content: bytes | None) -> dict[str, tuple[str, Run]]:
    """Run the commands on a copy with this file damaged, each on a copy of its own."""
    out: dict[str, tuple[str, Run]] = {}
    environment = {**masters.environment, **(MANY if file == INSTALLATIONS else {})}
    for kind in ("doctor", "ask", "serve"):
        with tempfile.TemporaryDirectory(prefix="survival-") as place:
            data = Path(place) / "data"
            shutil.copytree(masters.killed if file in LOGS else masters.closed, data)
            for side in data.glob("*-shm"):
                side.unlink()
            if content is None:
                (data / file).unlink()
            else:
                (data / file).write_bytes(content)
            if kind == "serve":
                run = await start(environment, data)
            else:
                words = ("doctor",) if kind == "doctor" else ("ask", QUESTION, "--thread", "t")
                run = await command(environment, data, *words)
            out[kind] = (verdict(kind, file, run), run)
            if kind != "doctor" and out[kind][0] == "refused":
                out[f"{kind} after"] = await _advised(environment, data, masters.documents, run)
    return out


async def _advised(environment: Mapping[str, str], data: Path, documents: Path, refused: Run) -> tuple[str, Run]:
    """Do what was advised, then ask again."""
    moved = False
    for advice in dict.fromkeys(_ADVISED.findall(refused.said)):
        if advice.startswith("weft"):
            words = advice.split()[1:]
            await command(environment, data, *words, *([str(documents)] if words == ["ingest"] else []))
        else:
            moving = await asyncio.create_subprocess_shell(advice)
            await moving.wait()
        moved = True
    again = await command(environment, data, "ask", QUESTION, "--thread", "t") if moved else refused
    return ("repaired" if moved and not again.code and ANSWER in again.said else "NO HELP"), again


async def measure(report: Report, files: Sequence[str], places: int, *, aloud: bool) -> None:
    """Print a line for each damage, and count what came of them."""
    found: Counter[str] = Counter()
    late: list[float] = []
    with tempfile.TemporaryDirectory(prefix="survival-") as place:
        masters = await made(Path(place))
        gate = asyncio.Semaphore(2)

        async def one(file: str, name: str, content: bytes | None) -> None:
            async with gate:
                results = await tried(masters, file, content)
            line = "  ".join(
                f"{kind} {word} {run.seconds:.1f}s{'!' if run.seconds > SOON else ''}"
                for kind, (word, run) in results.items()
            )
            sys.stdout.write(f"{file:18} {name:18} {line}\n")
            for kind, (word, run) in results.items():
                found[word] += 1
                late.append(run.seconds)
                lines = run.said.strip().splitlines()
                if word.isupper() or (aloud and word != "works"):
                    about = [each for each in lines if file.removesuffix("-wal") in each] or lines[-2:]
                    sys.stdout.write(f"    {kind}: {' | '.join(about)[:400]}\n")
            sys.stdout.flush()

        cases = []
        for file in files:
            path = (masters.killed if file in LOGS else masters.closed) / file
            if path.exists():
                cases += [(file, name, content) for name, content in damages(file, path.read_bytes(), places)]
            else:
                sys.stdout.write(f"{file}: not made\n")
        await asyncio.gather(*(one(*case) for case in cases))
    report.add("damages", len(cases), "")
    for word, count in sorted(found.items()):
        report.add(f"commands: {word}", count, "", "0" if word.isupper() else "")
    report.add("commands that took longer than 5 s", sum(each > SOON for each in late), "", "0")
