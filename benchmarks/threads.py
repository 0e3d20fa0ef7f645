"""What people in threads see of turns, on both platforms: `python -m benchmarks.threads [--json FILE]`.

`weft serve` runs as it is, on the sample handbook; Slack, Discord and the model are servers on loopback, with the
limits that the platforms have. Measured: how soon an edit or a deletion ends a turn that is running, how many messages
a turn makes, how many posts are refused when twenty turns answer in one channel, and whether a slow `/ask` of Discord
is answered in its own response.
"""

import argparse
import asyncio
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from adapters.drafts import GOES_ON
from agent.language import say
from benchmarks.report import Report
from benchmarks.serving import serving
from tests.servers.discord import DiscordServer
from tests.servers.openai import OpenAIServer, Request, obliging
from tests.servers.slack import SlackServer

OLD = "How many days of annual leave does a new employee get?"
NEW = "How do I set up the VPN on Windows?"
SILENCE_MS, REFUSED, SLOW = 300.0, 1.0, 100
PARALLEL = 20
SLACK_POSTS = 5, 1.0
"""Posts at once, and a second, in a channel (docs.slack.dev/apis/web-api/rate-limits)."""
SLACK_EDITS = 50, 50 / 60
DISCORD_RATE = 5, 1.0
"""Five requests in five seconds, of posts and of edits in a channel, as its answers tell them."""


@dataclass
class Place:
    """A running Weft, and the three servers around it."""

    slack: SlackServer
    discord: DiscordServer
    model: OpenAIServer
    endpoint: str

    def answered(self, thread: str) -> list[dict[str, object]]:
        """Return the finished answers in a thread of either platform."""
        found = [*self.slack.bot_messages("C1", thread), *self.discord.from_bot(thread)]
        return [m for m in found if say("sources", "en") in str(m) and GOES_ON.strip() not in str(m)]

    def working(self, thread: str) -> bool:
        """Tell whether a list of a thread says that work goes on."""
        found = [*self.slack.bot_messages("C1", thread), *self.discord.from_bot(thread)]
        return say("working", "en") in str(found)

    async def ask(self, platform: str, text: str = OLD) -> str:
        """Ask, and return the thread."""
        if platform == "slack":
            return (await self.slack.mention(self.endpoint, text)).ts
        discord = self.discord
        return await discord.post(discord.general, discord.alice, f"<@{discord.bot}> {text}")

    async def through(self, *threads: str) -> None:
        """Wait until these are answered, and their lists at their end."""
        while not all(self.answered(thread) and not self.working(thread) for thread in threads):
            await asyncio.sleep(0.02)


@asynccontextmanager
async def place(**environment: str) -> AsyncIterator[Place]:
    """Start everything."""
    async with SlackServer() as slack, DiscordServer() as discord, OpenAIServer() as model:
        model.answer(obliging)
        variables = {
            "DISCORD_TOKEN": discord.token, "DISCORD_API_BASE_URL": discord.api_url,
            "DISCORD_GATEWAY_URL": discord.gateway_url, "WEFT_CONCURRENCY": "40", **environment,
        }  # fmt: skip
        if environment.get("OPENAI_API_KEY"):
            variables["OPENAI_BASE_URL"] = model.url
        with tempfile.TemporaryDirectory() as folder:
            async with serving(Path(folder) / "data", slack, **variables) as endpoint:
                await discord.until(lambda: discord.gateway.open_sessions)
                yield Place(slack=slack, discord=discord, model=model, endpoint=endpoint)


async def silence(here: Place, platform: str, times: int) -> dict[str, list[float]]:
    """Return the milliseconds from a deletion until nothing is shown, and from an edit until the new words are read."""
    free, asked = asyncio.Event(), asyncio.Event()
    renewed: asyncio.Queue[float] = asyncio.Queue()

    async def before(request: Request) -> None:
        if NEW in request.text:
            renewed.put_nowait(time.perf_counter())
        elif OLD in request.text:
            asked.set()
            await free.wait()

    here.model.before_chat = before
    took: dict[str, list[float]] = {"deletion": [], "edit": []}
    for number in range(2 * times):
        kind = ("deletion", "edit")[number % 2]
        asked.clear()
        thread = await here.ask(platform)
        await asked.wait()
        while not here.working(thread):  # people see that it works
            await asyncio.sleep(0.01)
        while not renewed.empty():
            renewed.get_nowait()
        began = time.perf_counter()
        if kind == "deletion":
            await _delete(here, platform, thread)
            while here.slack.bot_messages("C1", thread) or here.discord.from_bot(thread):
                await asyncio.sleep(0.002)
            took[kind].append((time.perf_counter() - began) * 1000)
        else:
            await _edit(here, platform, thread)
            took[kind].append((await renewed.get() - began) * 1000)
            await here.through(thread)
    free.set()
    here.model.before_chat = None
    return took


async def _delete(here: Place, platform: str, thread: str) -> None:
    if platform == "slack":
        await here.slack.delete(here.endpoint, "C1", thread)
    else:
        await here.discord.delete(here.discord.general, thread)


async def _edit(here: Place, platform: str, thread: str) -> None:
    if platform == "slack":
        await here.slack.edit(here.endpoint, "C1", thread, f"<@{here.slack.bot_user}> {NEW}")
    else:
        await here.discord.edit(here.discord.general, thread, f"<@{here.discord.bot}> {NEW}")


async def messages(here: Place, seconds: float) -> dict[str, tuple[float, float, float]]:
    """Return of a turn, by platform: its seconds, the messages that it left, and the calls that showed something."""

    async def before(request: Request) -> None:
        await asyncio.sleep(seconds)

    here.model.before_chat = before if seconds else None
    found = {}
    for platform in ("slack", "discord"):
        calls, requests, began = len(here.slack.calls), len(here.discord.requests), time.perf_counter()
        thread = await here.ask(platform, NEW)
        await here.through(thread)
        shown = [c.method for c in here.slack.calls[calls:] if c.method.startswith(("chat.", "assistant."))]
        shown += [r.method for r in here.discord.requests[requests:] if r.method != "GET" and "/threads" not in r.path]
        left = [*here.slack.bot_messages("C1", thread), *here.discord.from_bot(thread)]
        found[platform] = time.perf_counter() - began, float(len(left)), float(len(shown))
    return found


async def refusals(here: Place, platform: str) -> tuple[int, int]:
    """Return how many posts and edits were taken and refused while twenty turns answered in one channel."""
    here.slack.limits |= {"chat.postMessage": SLACK_POSTS, "chat.update": SLACK_EDITS}
    here.discord.rates |= {
        r"POST /channels/\d+/messages$": DISCORD_RATE, r"PATCH /channels/\d+/messages/\d+$": DISCORD_RATE,
    }  # fmt: skip
    buckets = here.slack.buckets if platform == "slack" else here.discord.buckets
    buckets.clear()
    threads = await asyncio.gather(*(here.ask(platform, NEW) for _ in range(PARALLEL)))
    await here.through(*threads)
    taken = sum(bucket.accepted for bucket in buckets.values()), sum(bucket.refused for bucket in buckets.values())
    here.slack.limits.clear()
    here.discord.rates.clear()
    return taken


async def slow_commands(here: Place) -> int:
    """Return how many of a hundred slow commands were answered in their own response."""
    discord = here.discord
    discord.callback_seconds, discord.late_webhook = 0.5, 2
    commands = [await discord.slash(discord.general, discord.alice, OLD) for _ in range(SLOW)]

    def own() -> list[str]:
        ids = [command["message_id"] for command in commands if command["state"] == "done"]
        return [id for id in ids if here.answered(id)]

    try:
        async with asyncio.timeout(300):
            while len(own()) < SLOW:
                await asyncio.sleep(0.05)
    except TimeoutError:
        pass  # what is missing is the figure
    return len(own())


def p95(values: list[float]) -> float:
    return sorted(values)[max(0, round(0.95 * len(values)) - 1)]


async def measured(report: Report, times: int) -> None:
    key = {"OPENAI_API_KEY": "sk-bench", "WEFT_MODEL": "test-model", "WEFT_MODEL_TIMEOUT": "120"}
    async with place(**key) as here:
        for platform in ("slack", "discord"):
            for kind, took in (await silence(here, platform, times)).items():
                report.add(f"{platform}: {kind} to silence, p95 of {len(took)}", p95(took), "ms", f"< {SILENCE_MS:g}")
        for name, seconds in (("normal", 1.0), ("long", 10.0)):
            for platform, (lasted, left, calls) in (await messages(here, seconds)).items():
                turn = f"a {name} turn ({lasted:.0f} s, {calls:.0f} calls)"
                report.add(f"{platform}: messages of {turn}", left, "", "<= 2")
    async with place() as here:
        for platform, (_, left, calls) in (await messages(here, 0.0)).items():
            report.add(f"{platform}: messages of a fast turn ({calls:.0f} calls)", left, "", "1")
        for platform in ("slack", "discord"):
            taken, refused = await refusals(here, platform)
            name = f"{platform}: refused per taken, {PARALLEL} turns in a channel ({refused} of {taken})"
            report.add(name, refused / max(1, taken), "", f"<= {REFUSED:g}")
        report.add(
            f"discord: slow /ask answered in its own response, of {SLOW}", await slow_commands(here), "", f"{SLOW}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--times", type=int, default=20, help="edits and deletions of each platform")
    given = parser.parse_args()
    report = Report("What people in threads see of turns")
    asyncio.run(measured(report, given.times))
    report.show(given.json)


if __name__ == "__main__":
    main()
