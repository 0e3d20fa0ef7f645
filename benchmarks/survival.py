"""What is said of each damaged file of a data folder: `python -m benchmarks.survival [--places N] [FILE …]`.

A folder is made by the real commands. Then each of its files is damaged, in a copy: a byte flipped at several places,
one of them in the middle of a database's schema, cut in half, emptied, replaced by foreign bytes. On each copy run
`weft doctor`, `weft ask` and the start of `weft serve`. What may not be: a stack trace, a process that neither serves
nor ends, an end that names no file, and an answer from the sample in place of the team's. The files of vectors are
there, and tried, where `WEFT_EMBEDDING_MODEL=local` is set.
"""

import argparse
import asyncio
import os
import shutil
import socket
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx

from benchmarks.serving import WEFT

PATIENCE = 30.0
"""Seconds after which a process that says nothing is taken for one that hangs; far more than a busy machine needs."""
SOON = 5.0
QUESTION, ANSWER = "How long is parental leave?", "16 weeks"
DOCUMENTS = {
    "leave.md": "# Parental leave\n\nParental leave is 16 weeks, fully paid.\n\n## Sick leave\n\nCall before 9:00.\n",
    "vpn.md": "# VPN\n\nInstall WireGuard from the portal and choose import tunnel.\n",
}
FILES = (
    *(f"{name}.db" for name in ("weft", "inbox", "checkpoints", "people", "board", "embeddings")),
    *("lexical.idx", "vectors.faiss", "vectors.faiss.log"),
)
FOREIGN = b"%PDF-1.7\n" + bytes(range(256)) * 40
SCHEMA_WORD = b"CREATE TABLE"


@dataclass(frozen=True, kw_only=True, slots=True)
class Run:
    """How a command ended; `code` None: it had to be killed."""

    code: int | None
    said: str
    seconds: float
    served: bool = False


def environment() -> dict[str, str]:
    """Return ours without settings; `WEFT_EMBEDDING_MODEL` stays, for a folder with vectors."""
    named = ("WEFT_", "SLACK_", "DISCORD_", "OPENAI_")
    return {k: v for k, v in os.environ.items() if not k.startswith(named) or k == "WEFT_EMBEDDING_MODEL"}


async def command(data: Path, *words: str, patience: float = PATIENCE) -> Run:
    """Run a command of Weft to its end."""
    return await _watched(data, words, until="", patience=patience)


async def start(data: Path) -> Run:
    """Start `weft serve`, and stop it as soon as it serves."""
    return await _watched(data, ("serve", "--port", "0"), until="It answers in:", patience=PATIENCE)


async def _watched(data: Path, words: tuple[str, ...], *, until: str, patience: float) -> Run:
    begun = time.monotonic()
    process = await asyncio.create_subprocess_exec(
        *WEFT, *words, "--data", str(data),
        env=environment(), stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
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


async def make(data: Path) -> None:
    """Fill a folder the way people do: documents, their vectors, a conversation, a post on the playground."""
    with tempfile.TemporaryDirectory() as place:
        for name, text in DOCUMENTS.items():
            (Path(place) / name).write_text(text, encoding="utf-8")
        await _well(data, "ingest", place)
        await _well(data, "reindex")
        (Path(place) / "travel.md").write_text("# Travel\n\nBook trains, not planes.\n", encoding="utf-8")
        await _well(data, "ingest", place)
    await _well(data, "ask", QUESTION, "--thread", "t")
    await _well(data, "ask", "I am a contractor. How do I set up the VPN?", "--thread", "u", "--as", "U1")
    await _on_the_playground(data)


async def _well(data: Path, *words: str) -> None:
    run = await command(data, *words, patience=600.0)  # a model on this machine takes its time
    if run.code != 0:
        raise SystemExit(f"weft {words[0]} failed on a sound folder:\n{run.said}")


async def _on_the_playground(data: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    process = await asyncio.create_subprocess_exec(
        *WEFT, "serve", "--port", str(port), "--data", str(data),
        env=environment(), stderr=asyncio.subprocess.DEVNULL,
    )  # fmt: skip
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", trust_env=False) as client:
        while process.returncode is None:
            try:
                await client.post("/api/messages", json={"text": QUESTION, "client_id": "c1"})
                break
            except httpx.TransportError:
                await asyncio.sleep(0.1)
        while not {"weft_inbox_todo 0", "weft_inbox_doing 0"} <= set((await client.get("/metrics")).text.splitlines()):
            await asyncio.sleep(0.1)
    process.terminate()
    await process.wait()


def damages(content: bytes, places: int) -> Iterator[tuple[str, bytes]]:
    """Give the ways in which a file is damaged, each with its name."""
    at = {len(content) * n // places + 7 for n in range(places)} if content else set()
    schema = content.find(SCHEMA_WORD)
    if schema >= 0:
        at |= {schema + 2, schema + len(SCHEMA_WORD) + 3}  # of its words, and of a name
    for place in sorted(each for each in at if each < len(content)):
        name = f"flip@{place}" + ("(schema)" if 0 <= schema <= place < schema + 40 else "")
        yield name, content[:place] + bytes([content[place] ^ 0x80]) + content[place + 1 :]
    yield "cut", content[: len(content) // 2]
    yield "empty", b""
    yield "foreign", FOREIGN


def verdict(kind: str, file: str, run: Run) -> str:
    """Say in a word what came of a command."""
    if "Traceback" in run.said:
        return "TRACE"
    if run.code is None:
        return "HANGS"
    named = file in run.said or (file.startswith("lexical") and "word index" in run.said)
    if run.served:
        return "warned" if named else "works"
    if run.code:
        return "refused" if named else "UNNAMED"
    if kind == "ask" and ANSWER not in run.said:
        return "WRONG"
    return "warned" if named else "works"


async def tried(master: Path, file: str, name: str, content: bytes) -> dict[str, tuple[str, Run]]:
    """Run the three commands on a copy with this file damaged, each on a copy of its own."""
    out = {}
    for kind in ("doctor", "ask", "serve"):
        with tempfile.TemporaryDirectory(prefix="survival-") as place:
            data = Path(place) / "data"
            shutil.copytree(master, data)
            (data / file).write_bytes(content)
            for side in ("-wal", "-shm"):
                (data / (file + side)).unlink(missing_ok=True)
            if kind == "serve":
                run = await start(data)
            else:
                run = await command(data, *(("doctor",) if kind == "doctor" else ("ask", QUESTION, "--thread", "t")))
            out[kind] = (verdict(kind, file, run), run)
    return out


async def main(files: list[str], places: int, *, aloud: bool) -> int:
    """Print a line for each damage; returns 1 where something came of it that may not be."""
    found: Counter[str] = Counter()
    with tempfile.TemporaryDirectory(prefix="survival-") as place:
        master = Path(place) / "data"
        await make(master)
        gate = asyncio.Semaphore(2)

        async def one(file: str, name: str, content: bytes) -> None:
            async with gate:
                results = await tried(master, file, name, content)
            line = "  ".join(
                f"{kind} {word} {run.seconds:.1f}s{'!' if run.seconds > SOON else ''}"
                for kind, (word, run) in results.items()
            )
            sys.stdout.write(f"{file:18} {name:18} {line}\n")
            for kind, (word, run) in results.items():
                found[word] += 1
                lines = run.said.strip().splitlines()
                if word.isupper() or (aloud and word != "works"):
                    about = [each for each in lines if file in each] or lines[-2:]
                    sys.stdout.write(f"    {kind}: {' | '.join(about)[:400]}\n")
            sys.stdout.flush()

        cases = [
            (file, name, content)
            for file in files
            if (master / file).exists()
            for name, content in damages((master / file).read_bytes(), places)
        ]
        await asyncio.gather(*(one(*case) for case in cases))
        for file in files:
            if not (master / file).exists():
                sys.stdout.write(f"{file}: not made\n")
    sys.stdout.write(", ".join(f"{count} {word}" for word, count in sorted(found.items())) + "\n")
    return 1 if any(word.isupper() for word in found) else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("files", nargs="*", metavar="FILE", help="files of the data folder; without it all of them")
    parser.add_argument("--places", type=int, default=10, help="how many bytes are flipped, one at a time")
    parser.add_argument("--aloud", action="store_true", help="print what was said, not only what should not have been")
    given = parser.parse_args()
    raise SystemExit(asyncio.run(main(given.files or list(FILES), given.places, aloud=given.aloud)))
