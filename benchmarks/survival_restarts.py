"""How long a start takes to an answer after SIGKILL, and how long a message takes to be accepted.

For the first, `weft serve` is killed while it answers, and started again: from that start on until the answer stands in
Slack, whose calls take half a second each, so that a turn lasts. For the second, signed events are posted to `weft web`
alone, and acknowledged when they are on the disk (`synchronous=FULL`).
"""

import asyncio
import random
import sqlite3
import tempfile
import time
from contextlib import closing
from pathlib import Path

from benchmarks.report import Report, percentile
from benchmarks.serving import free_port, without_settings
from benchmarks.survival_kills import Part, answering, answers
from tests.servers.slack import SlackServer

QUESTION = "How many days of annual leave do I have?"
SLOW = 0.5
"""Seconds that a call of Slack takes."""
LEASE = 30.0
"""Seconds, as `WEFT_LEASE_SECONDS` is unless it is set."""
STARTED = 5.0
"""Seconds that a start may take beyond the lease."""
PATIENCE = 300.0
RATE = 40.0
"""Events a second."""


def _weft(role: str, folder: Path, slack: SlackServer, port: int) -> Part:
    environment = {
        **without_settings(),
        "SLACK_BOT_TOKEN": slack.bot_token,
        "SLACK_SIGNING_SECRET": slack.signing_secret,
        "SLACK_API_BASE_URL": slack.url,
        "WEFT_DATA": str(folder / "data"),
    }
    return Part((role, "--port", str(port)), environment, folder / "log")


def _doing(data: Path) -> int:
    """Return how many messages are being worked on."""
    with closing(sqlite3.connect(f"file:{data / 'inbox.db'}?mode=ro", uri=True)) as connection:
        count: int = connection.execute("SELECT count(*) FROM inbox WHERE status='doing'").fetchone()[0]
        return count


async def _once(chance: random.Random) -> float:
    """Kill a process while it answers; returns the seconds from its next start to the answer."""
    with tempfile.TemporaryDirectory(prefix="survival-") as place:
        folder, port = Path(place), free_port()
        async with SlackServer() as slack:
            part, endpoint = _weft("serve", folder, slack, port), f"http://127.0.0.1:{port}/slack/events"
            try:
                await part.start()
                await answering(port)
                slack.delay = SLOW
                await slack.mention(endpoint, QUESTION, twin=False)
                while not _doing(folder / "data"):
                    await asyncio.sleep(0.01)
                await asyncio.sleep(chance.uniform(0.0, SLOW))
                await part.kill()
                if answers(slack):
                    raise SystemExit("a turn ended before its process was killed")
                begun = time.monotonic()
                await part.start()
                async with asyncio.timeout(PATIENCE):
                    while not answers(slack):
                        await asyncio.sleep(0.05)
                return time.monotonic() - begun
            finally:
                await part.kill()


async def measure_restarts(report: Report, *, times: int, seed: int) -> None:
    """Kill so many times, four processes at once: they wait for leases."""
    gate, chance = asyncio.Semaphore(4), random.Random(seed)

    async def gated() -> float:
        async with gate:
            return await _once(chance)

    took = await asyncio.gather(*(gated() for _ in range(times)))
    report.add("starts after SIGKILL", times, "")
    report.add("from the start to the answer, p50", percentile(took, 0.5), "s")
    report.add("from the start to the answer, p95", percentile(took, 0.95), "s", f"< {LEASE + STARTED:g}")
    report.add("from the start to the answer, longest", max(took), "s")


async def measure_accepting(report: Report, *, events: int) -> None:
    """Post so many events at a steady rate, and tell how long their acknowledgements take."""
    with tempfile.TemporaryDirectory(prefix="survival-") as place:
        folder, port = Path(place), free_port()
        async with SlackServer() as slack:
            part, endpoint = _weft("web", folder, slack, port), f"http://127.0.0.1:{port}/slack/events"
            try:
                await part.start()
                await answering(port)
                tasks, begun = [], time.monotonic()
                for number in range(events):
                    await asyncio.sleep(max(0.0, begun + number / RATE - time.monotonic()))
                    tasks.append(asyncio.create_task(slack.mention(endpoint, QUESTION, twin=False)))
                sent = await asyncio.gather(*tasks)
            finally:
                await part.kill()
    took = [1000 * answer.seconds for each in sent for answer in each.answers]
    refused = sum(answer.status != 200 for each in sent for answer in each.answers)
    report.add("events posted to the web process", events, "")
    report.add("not accepted", refused, "", "0")
    report.add("accepted, p50", percentile(took, 0.5), "ms")
    report.add("accepted, p99", percentile(took, 0.99), "ms", "< 20")
