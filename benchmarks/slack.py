"""Weft in a busy Slack, beside the least that an app can be: acknowledgements, answers, memory.

    python -m benchmarks.slack --seconds 60

Events come signed over HTTP to `weft serve` in a process of its own. The loopback server takes what Slack's
documentation says it takes: a post a second and channel, 50 edits a minute, 20 streams. Each thread stands in a channel
of its own. Then once more with a third of the calls that write refused (429) and a tenth of them lost.
"""

import argparse
import asyncio
import os
import random
import socket
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from aiohttp import web

from agent.types import ThreadKey, turn_id_of
from benchmarks.serving import serving
from tests.servers.slack import Call, Fault, SlackServer

TIERS = {
    "chat.postMessage": (4, 1.0),
    "chat.update": (50, 50 / 60),
    "chat.startStream": (20, 20 / 60),
    "chat.appendStream": (100, 100 / 60),
    "chat.stopStream": (20, 20 / 60),
    "conversations.replies": (50, 50 / 60),
    "users.info": (100, 100 / 60),
    "conversations.info": (50, 50 / 60),
}
"""Calls at once and a second: https://docs.slack.dev/apis/web-api/rate-limits; of posts in each channel."""
QUESTIONS = (
    "How many days of annual leave do I have?",
    "Who approves travel expenses?",
    "연차는 며칠인가요?",
    "When is the salary paid?",
    "How long is parental leave?",
)
WRITES = ("chat.postMessage", "chat.update", "chat.startStream", "chat.appendStream", "chat.stopStream")
PATIENCE = 900.0
"""Seconds that the last answers are waited for."""


class Busy(SlackServer):
    """Slack with its limits, and, where it is rough, with outages."""

    def __init__(self, *, rough: bool = False, seed: int = 7) -> None:
        super().__init__()
        self.limits = dict(TIERS)
        self._rough = rough
        self._chance = random.Random(seed)
        self.refused: Counter[str] = Counter()

    def refuse(self) -> Fault | None:
        """Return what goes wrong with a call that writes."""
        luck = self._chance.random() if self._rough else 1.0
        if luck < 1 / 3:
            return Fault("*", status=429, retry_after=1)
        if luck < 1 / 3 + 0.1:
            return Fault("*", drop=True, done=luck < 1 / 3 + 0.05)
        return None

    async def _api(self, request: web.Request) -> web.StreamResponse:
        method = request.match_info["method"]
        if method in WRITES and (fault := self.refuse()) is not None:
            self.refused[method] += 1
            if not fault.done:
                self.calls.append(Call(method, {}))
                return self._broken(request, fault)
            self._faults.append(Fault(method, drop=True, done=True))
        return await super()._api(request)


@dataclass
class Run:
    """What came of one run."""

    name: str
    acks: list[float] = field(default_factory=list)
    """Seconds."""
    statuses: Counter[int] = field(default_factory=Counter)
    turns: list[float] = field(default_factory=list)
    """Seconds from a message to its answer."""
    asked: int = 0
    lost: int = 0
    twice: int = 0
    took: float = 0.0
    memory: tuple[float, float] = (0.0, 0.0)
    """MB, after the first questions and at the end."""

    def told(self) -> str:
        """Return a row of the table."""
        acks, turns = sorted(self.acks), sorted(self.turns) or [0.0]
        return (
            f"| {self.name} | {self.asked} | {_at(acks, 0.5) * 1000:.0f} / {_at(acks, 0.99) * 1000:.0f} ms | "
            f"{1000 * _at(turns, 0.5):,.0f} / {1000 * _at(turns, 0.99):,.0f} ms | {self.lost} | {self.twice} | "
            f"{self.memory[0]:.0f} → {self.memory[1]:.0f} MB | {self.took:.0f} s |"
        )


def _at(values: list[float], share: float) -> float:
    return values[min(len(values) - 1, int(share * len(values)))]


@asynccontextmanager
async def echo(server: SlackServer, pids: list[int]) -> AsyncIterator[str]:
    """Run the echo in a process of its own; gives its address."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    tokens = {"SLACK_BOT_TOKEN": server.bot_token, "SLACK_SIGNING_SECRET": server.signing_secret}
    variables = {**os.environ, **tokens, "SLACK_API_BASE_URL": server.url}
    command = [sys.executable, "-c", "from benchmarks.slack_echo import run; run()", str(port)]
    process = await asyncio.create_subprocess_exec(*command, env=variables)
    pids.append(process.pid)
    try:
        async with httpx.AsyncClient() as client:
            while process.returncode is None:
                try:
                    await client.get(f"http://127.0.0.1:{port}/health")
                    break
                except httpx.TransportError:
                    await asyncio.sleep(0.1)
        yield f"http://127.0.0.1:{port}/slack/events"
    finally:
        process.terminate()
        await process.wait()


async def drive(run: Run, server: Busy, endpoint: str, pid: int, args: argparse.Namespace) -> Run:
    """Ask at a steady rate, and wait for what comes."""
    channels = [f"C{n}" for n in range(1, args.threads + 1)]
    server.channels |= dict.fromkeys(channels, True)
    roots = {channel: server.add(channel, "U2", "A thread.")["ts"] for channel in channels}
    asked: dict[str, float] = {}
    """When each question was written, by its time stamp and by its turn."""
    begun = time.monotonic()

    async def ask(number: int) -> None:
        channel = channels[number % len(channels)]
        question = QUESTIONS[number % len(QUESTIONS)]
        sent = await server.mention(endpoint, question, channel=channel, thread_ts=roots[channel], twin=False)
        key = ThreadKey(platform="slack", workspace_id=server.team, channel_id=channel, thread_id=roots[channel])
        asked.update(dict.fromkeys((sent.ts, turn_id_of(key, sent.ts)), float(sent.ts)))
        run.asked += 1
        run.acks += [answer.seconds for answer in sent.answers]
        run.statuses.update(sent.statuses)

    tasks = []
    for number in range(int(args.rate * args.seconds)):
        await asyncio.sleep(max(0.0, begun + number / args.rate - time.monotonic()))
        tasks.append(asyncio.create_task(ask(number)))
        if number == min(200, int(args.rate * args.seconds) // 3):
            run.memory = (_memory(pid), 0.0)
    await asyncio.gather(*tasks)
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and len(_answered(server, channels)) < run.asked:
        await asyncio.sleep(0.5)
    await asyncio.sleep(3.0)  # whatever would come twice
    run.took = time.monotonic() - begun
    found = _answered(server, channels)
    run.twice = sum(len(times) - 1 for times in found.values())
    run.lost = run.asked - len(found)
    run.turns = [max(times) - asked[key] for key, times in found.items()]
    run.memory = (run.memory[0], _memory(pid))
    return run


def _answered(server: SlackServer, channels: list[str]) -> dict[str, list[float]]:
    """Return when each question was answered, by what tells it: the echo names its time stamp, Weft its turn."""
    found: dict[str, list[float]] = {}
    for channel in channels:
        for message in server.bot_messages(channel):
            key = _key(channel, message)
            if key:
                found.setdefault(key, []).append(float((message.get("edited") or message)["ts"]))
    return found


def _key(channel: str, message: dict[str, Any]) -> str:
    payload = (message.get("metadata") or {}).get("event_payload") or {}
    if payload.get("slot") == "answer:0":
        return str(payload["turn_id"])
    return message["text"].removeprefix("echo ") if message["text"].startswith("echo ") else ""


def _memory(pid: int) -> float:
    """Return the resident memory of a process in MB."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024


async def measure(args: argparse.Namespace) -> AsyncIterator[Run]:
    """Run the echo, Weft, and Weft in a rough Slack."""
    async with Busy() as server:
        pids: list[int] = []
        async with echo(server, pids) as endpoint:
            yield await drive(Run("bare bolt echo"), server, endpoint, pids[0], args)
    for name, rough in (("Weft", False), ("Weft, a third 429, a tenth lost", True)):
        with tempfile.TemporaryDirectory() as folder:
            async with Busy(rough=rough) as server:
                pids = []
                async with serving(Path(folder), server, pids) as endpoint:
                    yield await drive(Run(name), server, endpoint, pids[0], args)
                if rough:
                    print(f"refused or lost: {dict(server.refused)}", file=sys.stderr)


async def tell(args: argparse.Namespace) -> None:
    """Print each row when it is there."""
    async for run in measure(args):
        print(run.told(), flush=True)
        assert set(run.statuses) == {200}, run.statuses


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--rate", type=float, default=50.0, help="messages a second")
    parser.add_argument("--threads", type=int, default=500)
    args = parser.parse_args()
    print("| what | messages | ack p50 / p99 | turn p50 / p99 | lost | twice | memory | until the last answer |")
    print("|---|---|---|---|---|---|---|---|")
    asyncio.run(tell(args))


if __name__ == "__main__":
    main()
