"""Processes that are killed while people ask in a Slack that loses, delays, doubles and reorders.

Slack is the loopback server. Of its calls a twentieth is lost before it was done, a twentieth behind, and a tenth comes
late. Of the messages that people write a tenth is not delivered the first time, a tenth comes late, a tenth comes
twice, a tenth comes after the one behind it; what was not acknowledged is sent again, as Slack does. The processes are
those of the Procfile, with two workers, each killed in turn (SIGKILL) and started again at once.
"""

import asyncio
import json
import random
import signal
import sqlite3
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp
import httpx
from aiohttp import web

from agent.language import say
from agent.types import ThreadKey, turn_id_of
from benchmarks.report import Report, percentile
from benchmarks.serving import WEFT, free_port, without_settings
from tests.servers.slack import Fault, SlackServer

ROLES = ("web", "worker", "worker", "clock")
QUESTIONS = (
    "How many days of annual leave do I have?",
    "Who approves travel expenses?",
    "연차는 며칠인가요?",
    "When is the salary paid?",
    "How long is parental leave?",
)
CHANNELS = 20
EVERY_MINUTE, CLOCK_CHANNEL = "* * * * *", "C999"
AT_ONCE = 8.0
"""Messages a second that are written at most."""
UNANSWERED = 120
"""Messages that may wait before people pause."""
ATTEMPTS = 40
PATIENCE = 900.0
"""Seconds that the last answers are waited for; a busy machine takes long."""
ACK = 3.0
"""Seconds after which Slack takes an event for not delivered: https://docs.slack.dev/apis/events-api."""


class RoughSlack(SlackServer):
    """Slack whose every tenth call is lost and every tenth late."""

    def __init__(self, chance: random.Random) -> None:
        super().__init__()
        self.chance, self.broken = chance, Counter[str]()
        self.channels[CLOCK_CHANNEL] = True

    async def _api(self, request: web.Request) -> web.StreamResponse:
        luck, method = self.chance.random(), request.match_info["method"]
        with suppress(ConnectionResetError):  # whoever calls may be killed meanwhile
            await request.read()
        if luck < 0.05:
            self.broken["lost before"] += 1
            return self._broken(request, Fault(method, drop=True))
        if luck < 0.1:
            self.broken["lost behind"] += 1
            await super()._api(request)
            return self._broken(request, Fault(method, drop=True))
        if luck < 0.2:
            self.broken["late"] += 1
            await asyncio.sleep(self.chance.uniform(0.1, 2.0))
        return await super()._api(request)


@dataclass
class Part:
    """One process of Weft, which can be killed and started again."""

    command: tuple[str, ...]
    environment: dict[str, str]
    log: Path
    process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        with self.log.open("ab") as out:
            self.process = await asyncio.create_subprocess_exec(
                *WEFT, *self.command, env=self.environment, stdout=out, stderr=out
            )

    async def done(self) -> None:
        """Run it to its end."""
        await self.start()
        if self.process is not None and await self.process.wait():
            raise SystemExit(self.log.read_text(encoding="utf-8"))

    async def kill(self) -> None:
        if self.process is not None and self.process.returncode is None:
            self.process.send_signal(signal.SIGKILL)
            await self.process.wait()


@dataclass
class Load:
    """What was written, and what came of it."""

    sent: dict[str, tuple[ThreadKey, float, float]] = field(default_factory=dict)
    """By turn: its thread, when it was written, and when the first request for it was acknowledged (0.0: not yet)."""
    acks: list[float] = field(default_factory=list)
    """Seconds of requests that were acknowledged."""
    unacknowledged: int = 0
    """Requests that failed because nobody was there, or that took longer than Slack waits."""


@asynccontextmanager
async def weft(folder: Path, slack: SlackServer, *, lease: float) -> AsyncIterator[tuple[str, list[Part]]]:
    """Run the processes on one folder; gives the address of Slack's events, and the processes."""
    port = free_port()
    environment = {
        **without_settings(),
        "SLACK_BOT_TOKEN": slack.bot_token,
        "SLACK_SIGNING_SECRET": slack.signing_secret,
        "SLACK_API_BASE_URL": slack.url,
        "WEFT_LEASE_SECONDS": f"{lease:g}",
        "WEFT_DATA": str(folder / "data"),
        "WEFT_SCHEDULE_MINUTES": "1",
    }
    parts = [
        Part((role, *(("--port", str(port)) if role == "web" else ())), environment, folder / f"{role}{number}.log")
        for number, role in enumerate(ROLES)
    ]
    standing = ("schedule", "add", EVERY_MINUTE, QUESTIONS[0], "--in", f"channel:slack:{slack.team}:{CLOCK_CHANNEL}")
    await Part(standing, environment, folder / "schedule.log").done()
    try:
        await asyncio.gather(*(part.start() for part in parts))
        await answering(port)
        yield f"http://127.0.0.1:{port}/slack/events", parts
    finally:
        await asyncio.gather(*(part.kill() for part in parts))


async def answering(port: int) -> None:
    """Wait until the web server takes messages in."""
    async with httpx.AsyncClient(trust_env=False) as client:
        while True:
            with suppress(httpx.TransportError):
                if (await client.get(f"http://127.0.0.1:{port}/readyz")).status_code == 200:
                    return
            await asyncio.sleep(0.1)


async def delivered(slack: SlackServer, endpoint: str, event: dict[str, Any], load: Load, turn: str) -> None:
    """Send an event until it is acknowledged, as Slack does: three times within minutes, here within seconds."""
    envelope = {"event_id": f"Ev{event['ts']}{event['type']}"}
    for attempt in range(ATTEMPTS):
        begun = time.perf_counter()
        try:
            async with asyncio.timeout(ACK):
                answer = await slack.event(endpoint, event, envelope=envelope, retry=attempt)
        except (aiohttp.ClientError, TimeoutError, OSError):
            answer = None
        if answer is not None and answer.status == 200:
            load.acks.append(time.perf_counter() - begun)
            key, at, acknowledged = load.sent[turn]
            load.sent[turn] = (key, at, acknowledged or time.monotonic())
            return
        load.unacknowledged += 1
        await asyncio.sleep(min(0.5 * (attempt + 1), 5.0))
    raise SystemExit(f"an event was not acknowledged {ATTEMPTS} times")


async def write(
    slack: RoughSlack, endpoint: str, load: Load, place: tuple[str, str], number: int, turn_before: asyncio.Event
) -> None:
    """Write a message, and deliver it as badly as it comes; `turn_before`: set when the next one may come."""
    channel, root = place
    text = f"<@{slack.bot_user}> {QUESTIONS[number % len(QUESTIONS)]}"
    message = slack.add(channel, "U1", text, root)
    key = ThreadKey(platform="slack", workspace_id=slack.team, channel_id=channel, thread_id=root)
    turn, event = turn_id_of(key, message["ts"]), slack.event_of(channel, message)
    load.sent[turn] = (key, time.monotonic(), 0.0)
    luck, mention = slack.chance.random(), {**event, "type": "app_mention"}
    if luck < 0.1:  # the next message of the thread overtakes it
        turn_before.set()
        await asyncio.sleep(slack.chance.uniform(0.2, 1.0))
    elif luck < 0.2:  # late
        await asyncio.sleep(slack.chance.uniform(0.1, 3.0))
    elif luck < 0.3:  # not delivered at first
        await asyncio.sleep(1.0)
    copies = [mention, event, *([mention, event] if 0.3 <= luck < 0.4 else [])]
    await asyncio.gather(*(delivered(slack, endpoint, each, load, turn) for each in copies))
    turn_before.set()


async def people(
    slack: RoughSlack, endpoint: str, load: Load, count: int, threads: int, answered: asyncio.Semaphore
) -> None:
    """Write so many messages, thread after thread, no faster than they are answered."""
    channels = [f"C{1000 + n}" for n in range(CHANNELS)]
    slack.channels |= dict.fromkeys(channels, True)
    places = []
    for number in range(threads):
        channel = channels[number % len(channels)]
        places.append((channel, slack.add(channel, "U2", "A thread.")["ts"]))
    gates = {place: asyncio.Event() for place in places}
    for gate in gates.values():
        gate.set()
    async with asyncio.TaskGroup() as group:
        for number in range(count):
            place = places[number % len(places)]
            await answered.acquire()
            await gates[place].wait()
            gates[place] = asyncio.Event()
            group.create_task(write(slack, endpoint, load, place, number, gates[place]))
            await asyncio.sleep(slack.chance.expovariate(AT_ONCE))


def answers(slack: SlackServer) -> dict[str, list[dict[str, Any]]]:
    """Return the messages that are answers, by turn."""
    found: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for channel in slack.channels:
        for message in slack.bot_messages(channel):
            payload = (message.get("metadata") or {}).get("event_payload") or {}
            if payload.get("slot") == "answer:0":
                found[payload["turn_id"]].append(message)
    return found


def open_streams(slack: SlackServer) -> int:
    """Return how many streams were begun and never ended."""
    return sum(not stream.over for stream in slack.streams.values())


def accepted(data: Path) -> tuple[list[tuple[str, str]], dict[str, int]]:
    """Return the turns in the inbox with their thread, in the order in which they were accepted; and its counts."""
    with closing(sqlite3.connect(f"file:{data / 'inbox.db'}?mode=ro", uri=True)) as connection:
        sql = "SELECT turn, thread FROM inbox WHERE platform='slack' ORDER BY id"
        counts = dict(connection.execute("SELECT status, count(*) FROM inbox GROUP BY status").fetchall())
        return connection.execute(sql).fetchall(), counts


def out_of_order(load: Load, order: list[tuple[str, str]], found: dict[str, list[dict[str, Any]]]) -> int:
    """Count the answers that came before one to a message that was accepted earlier in their thread.

    Accepted earlier: as the inbox says, or as who writes sees it, acknowledged before the other one was written.
    """
    posted = {turn: min(float(message["ts"]) for message in messages) for turn, messages in found.items()}
    wrong, last = 0, defaultdict[str, float](float)
    for turn, thread in order:
        if turn in posted and turn in load.sent:
            wrong += posted[turn] < last[thread]
            last[thread] = max(last[thread], posted[turn])
    by_thread = defaultdict(list)
    for turn, (key, at, acknowledged) in load.sent.items():
        if turn in posted:
            by_thread[str(key)].append((at, acknowledged, posted[turn]))
    for said in by_thread.values():
        wrong += sum(0 < a[1] < b[0] and b[2] < a[2] for a in said for b in said)
    return wrong


async def killed(
    slack: RoughSlack, parts: list[Part], load: Load, moments: list[float], count: int, say_so: Callable[[str], None]
) -> Counter[str]:
    """Kill each process in turn, when so much of the load was written, and start it again."""
    kills = Counter[str]()
    for number, moment in enumerate(moments):
        part = parts[number % len(parts)]
        while len(load.sent) < moment * count:
            await asyncio.sleep(0.1)
        await asyncio.sleep(slack.chance.uniform(0.0, 3.0))
        await part.kill()
        kills[part.command[0]] += 1
        await part.start()
        say_so(f"{len(load.sent)} written, {part.command[0]} killed ({number + 1})")
    return kills


async def measure(
    report: Report, say_so: Callable[[str], None], *,
    messages: int, threads: int, kills: int, lease: float, seed: int, keep: Path | None = None,
) -> None:  # fmt: skip
    """Run the load, and count what was lost, doubled and out of order; `keep`: where logs and files are left."""
    chance = random.Random(seed)
    moments = sorted(chance.uniform(0.02, 0.98) for _ in range(kills))
    with tempfile.TemporaryDirectory(prefix="survival-") as place:
        folder, load = keep or Path(place), Load()
        folder.mkdir(parents=True, exist_ok=True)
        async with RoughSlack(chance) as slack, weft(folder, slack, lease=lease) as (endpoint, parts):
            begun, places = time.monotonic(), asyncio.Semaphore(UNANSWERED)
            killing = asyncio.create_task(killed(slack, parts, load, moments, messages, say_so))
            freeing = asyncio.create_task(_free(slack, places))
            await people(slack, endpoint, load, messages, threads, places)
            counted = await killing
            say_so(f"all {messages} are written; waiting for their answers")
            deadline = time.monotonic() + PATIENCE
            while time.monotonic() < deadline:
                counts = accepted(folder / "data")[1]
                if not counts.get("todo", 0) + counts.get("doing", 0):
                    break
                await asyncio.sleep(0.5)
            await asyncio.sleep(3.0)  # whatever would come twice
            freeing.cancel()
            took = time.monotonic() - begun
            found = answers(slack)
            order, counts = accepted(folder / "data")
            _told(report, slack, load, found, order, counts, counted)
            _told_of_clock(report, slack, folder / "data", found)
            report.add("until the last answer", took, "s")
            traces = sum(b"Traceback" in part.log.read_bytes() for part in parts)
            report.add("processes with a stack trace in their log", traces, "", "0")
            if keep:
                shown = {channel: slack.messages(channel) for channel in slack.channels}
                told = {turn: [str(key), at, acknowledged] for turn, (key, at, acknowledged) in load.sent.items()}
                (keep / "slack.json").write_text(json.dumps({"sent": told, "shown": shown}, ensure_ascii=False))


async def _free(slack: SlackServer, places: asyncio.Semaphore) -> None:
    """Let people write on as answers come."""
    known = 0
    while True:
        count = len(answers(slack))
        for _ in range(count - known):
            places.release()
        known = max(known, count)
        await asyncio.sleep(0.5)


def _told(
    report: Report,
    slack: RoughSlack,
    load: Load,
    found: dict[str, list[dict[str, Any]]],
    order: list[tuple[str, str]],
    counts: dict[str, int],
    kills: Counter[str],
) -> None:
    """Add the figures of the load."""
    failures = tuple(say("turn_failed", language, turn_id="").partition("\n")[0][:20] for language in ("en", "ko"))
    shown = {turn: json.dumps(messages, ensure_ascii=False) for turn, messages in found.items()}
    report.add("messages", len(load.sent), "")
    report.add("processes killed", sum(kills.values()), ", ".join(f"{n} {role}" for role, n in sorted(kills.items())))
    report.add("requests that were not acknowledged, and sent again", load.unacknowledged, "")
    report.add("calls of Slack broken", sum(slack.broken.values()), "")
    report.add("lost", len(load.sent.keys() - found.keys()), "", "0")
    report.add("doubled", sum(len(messages) - 1 for turn, messages in found.items() if turn in load.sent), "", "0")
    report.add("told that it failed", sum(any(f in text for f in failures) for text in shown.values()), "", "0")
    report.add("out of order", out_of_order(load, order, found), "", "0")
    report.add("given up in the inbox", counts.get("dead", 0), "", "0")
    report.add("streams left open", open_streams(slack), "", "0")
    acks = [1000 * each for each in load.acks]
    report.add("acknowledged under this load, p50", percentile(acks, 0.5), "ms")
    report.add("acknowledged under this load, p99", percentile(acks, 0.99), "ms")


def _told_of_clock(report: Report, slack: SlackServer, data: Path, found: dict[str, list[dict[str, Any]]]) -> None:
    """Add the figures of the question that the clock asks every minute: each time one message, and one answer."""
    with closing(sqlite3.connect(f"file:{data / 'inbox.db'}?mode=ro", uri=True)) as connection:
        sql = "SELECT turn FROM inbox WHERE kind='scheduled'"
        turns = [turn for (turn,) in connection.execute(sql).fetchall()]
    asked = [message for message in slack.bot_messages(CLOCK_CHANNEL) if "thread_ts" not in message]
    report.add("times that the clock asked", len(turns), "")
    report.add("questions of the clock too many", len(asked) - len(turns), "", "0")
    report.add("answers to the clock too many", sum(len(found[turn]) - 1 for turn in turns), "", "0")
