"""Discord under load: `python -m benchmarks.discord [--seconds 60] [--rate 30] [--threads 300] [--kills 10]`.

`weft serve` runs as it is on the sample handbook, in a process of its own; Discord is a server on loopback with a
bucket for each channel and method, told in headers as Discord tells them. People ask so many questions a second, in
turn over so many threads, while the gateway is killed: by closed sockets, ended sessions (op 9), sessions that timed
out (4009). Counted: answers that are missing or there twice, refused calls a bucket, memory. Then the same load is
taken by a bare discord.py client that answers each message with its words. `--json FILE` keeps the figures.
"""

import argparse
import asyncio
import itertools
import os
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from statistics import median
from typing import Any

import discord

from benchmarks.report import Report
from benchmarks.serving import WEFT
from tests.servers.discord import DiscordServer
from tests.servers.discord_components import BUTTON, parts_of

QUESTIONS = (
    "How many days of annual leave does a new employee get?",
    "How do I set up the VPN on Windows?",
    "Who approves expenses?",
    "연차는 며칠인가요?",
    "What is the on-call rotation?",
)
RATE = 5, 1.0
"""Five requests in five seconds, of each method in a channel, as Discord's answers tell them."""
DRAIN = 300.0
"""Seconds until what is not answered after the last question counts as missed."""
LISTS = 1 << 15


@dataclass
class Load:
    """What was asked, and what came of it."""

    asked: dict[str, list[float]] = field(default_factory=dict)
    """By thread, when each question was written: seconds since the epoch, by the server's clock."""
    memory: list[float] = field(default_factory=list)
    """Megabytes, now and then."""


def at(message: dict[str, Any]) -> float:
    return datetime.fromisoformat(message["timestamp"]).timestamp()


def answers(server: DiscordServer, thread: str, *, echo: bool) -> list[float]:
    """Return when each answer of a thread was posted: its last message has thumbs below, an echo has nothing."""
    own = [message for message in server.from_bot(thread) if not message["flags"] & LISTS]
    return [at(message) for message in own if echo or any("custom_id" in b for b in parts_of(message, BUTTON))]


@asynccontextmanager
async def running(*command: str, **environment: str) -> AsyncIterator[asyncio.subprocess.Process]:
    process = await asyncio.create_subprocess_exec(
        *command, env={**os.environ, **environment}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


def megabytes(process: asyncio.subprocess.Process) -> float:
    """Return what a process holds in memory, and its children."""
    total = 0
    for pid in (process.pid, *_children(process.pid)):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            total += int(line.split()[1]) if line.startswith("VmRSS") else 0
    return total / 1024


def _children(pid: int) -> list[int]:
    return [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


async def under_load(
    server: DiscordServer,
    process: asyncio.subprocess.Process,
    *,
    seconds: float,
    rate: float,
    threads: int,
    kills: int,
    echo: bool,
) -> Load:
    """Ask, kill the gateway, and wait until all is answered."""
    load = Load()
    await server.until(lambda: server.gateway.open_sessions)
    await asyncio.sleep(5.0)  # what is known of the server is marked
    places = [await server.thread(server.general, f"thread {number}") for number in range(threads)]
    server.rates |= {rf"{method} /channels/\d+/messages": RATE for method in ("POST", "PATCH", "GET")}
    killing = asyncio.create_task(_kill(server, seconds, kills))
    loop, questions = asyncio.get_running_loop(), itertools.cycle(QUESTIONS)
    began = loop.time()
    for number in range(round(seconds * rate)):
        await asyncio.sleep(max(0.0, began + number / rate - loop.time()))
        thread = places[number % threads]
        id = await server.post(thread, server.alice, f"<@{server.bot}> {next(questions)}")
        asked = next(message for message in reversed(server.messages(thread)) if message["id"] == id)
        load.asked.setdefault(thread, []).append(at(asked))
        if number % max(1, round(rate * seconds / 20)) == 0:
            load.memory.append(megabytes(process))
    await killing
    try:
        async with asyncio.timeout(DRAIN):
            while any(len(answers(server, t, echo=echo)) < len(asked) for t, asked in load.asked.items()):
                await asyncio.sleep(0.5)
    except TimeoutError:
        pass  # what is missing is the figure
    await asyncio.sleep(3.0)  # whatever comes twice comes now
    load.memory.append(megabytes(process))
    return load


async def _kill(server: DiscordServer, seconds: float, kills: int) -> None:
    ways = itertools.cycle((server.gateway.drop, server.gateway.invalidate, server.gateway.time_out))
    for _ in range(kills):
        await asyncio.sleep(seconds / (kills + 1))
        await next(ways)()


def told(report: Report, server: DiscordServer, load: Load, name: str, *, echo: bool) -> float:
    """Note the figures of a run; returns the median milliseconds of a turn."""
    missing = twice = 0
    took: list[float] = []
    for thread, asked in load.asked.items():
        came = answers(server, thread, echo=echo)
        missing += max(0, len(asked) - len(came))
        twice += max(0, len(came) - len(asked))
        took += [1000 * (b - a) for a, b in zip(asked, came, strict=False)]
    total = sum(map(len, load.asked.values()))
    refused = [bucket.refused for bucket in server.buckets.values()]
    report.add(f"{name}: questions", total, "")
    report.add(f"{name}: not answered", missing, "", "" if echo else "0")
    report.add(f"{name}: answered twice", twice, "", "" if echo else "0")
    report.add(f"{name}: 429 in one bucket, at most", max(refused, default=0), "", "" if echo else "<= 1")
    report.add(f"{name}: 429 in all", sum(refused), "")
    report.add(f"{name}: turn p50", median(took), "ms")
    report.add(f"{name}: turn p99", sorted(took)[int(0.99 * (len(took) - 1))], "ms")
    half = len(load.memory) // 2
    report.add(f"{name}: memory at half time", load.memory[half], "MB")
    report.add(f"{name}: memory at the end", load.memory[-1], "MB", "" if echo else "flat")
    return median(took)


async def measured(report: Report, given: argparse.Namespace) -> None:
    shape = {"seconds": given.seconds, "rate": given.rate, "threads": given.threads}
    async with DiscordServer() as server:
        variables = {"DISCORD_TOKEN": server.token, "DISCORD_API_BASE_URL": server.api_url}
        variables |= {"DISCORD_GATEWAY_URL": server.gateway_url, "WEFT_CONCURRENCY": "16"}
        with tempfile.TemporaryDirectory() as folder:
            command = (*WEFT, "serve", "--port", "0", "--data", f"{folder}/data")
            async with running(*command, **variables) as process:
                load = await under_load(server, process, **shape, kills=given.kills, echo=False)
        ours = told(report, server, load, "weft", echo=False)
    async with DiscordServer() as server:
        command = (
            sys.executable,
            "-m",
            "benchmarks.discord",
            "--echo",
            server.api_url,
            server.gateway_url,
            server.token,
        )
        async with running(*command) as process:
            load = await under_load(server, process, **shape, kills=0, echo=True)
        bare = told(report, server, load, "bare discord.py", echo=True)
    report.add("turn p50, times the bare client's", ours / bare, "", "<= 3")


def echo(api: str, gateway: str, token: str) -> None:
    """Answer every mention with its words, with discord.py and nothing else."""
    from discord.gateway import DiscordWebSocket
    from discord.http import Route
    from yarl import URL

    Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY = api, URL(gateway)
    client = discord.Client(intents=discord.Intents.all())

    @client.event
    async def on_message(message: discord.Message) -> None:
        if not message.author.bot:
            await message.channel.send(message.clean_content)

    client.run(token, log_handler=None)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--rate", type=float, default=30.0, help="questions a second")
    parser.add_argument("--threads", type=int, default=300)
    parser.add_argument("--kills", type=int, default=10, help="how often the gateway is killed meanwhile")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--echo", nargs=3, help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.echo:
        echo(*given.echo)
        return
    report = Report(f"Discord: {given.rate:g} questions a second for {given.seconds:g} s over {given.threads} threads")
    asyncio.run(measured(report, given))
    report.show(given.json)


if __name__ == "__main__":
    main()
