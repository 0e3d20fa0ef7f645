"""The Procfile as it is written, on PostgreSQL: several workers, killed in turn while people ask; one clock."""

import asyncio
import os
import re
import signal
import socket
import sys
from pathlib import Path

import pytest

from tests.databases import rows
from tests.e2e.test_serve import QUESTION, answers, discord_settings, no_lists, slack_settings
from tests.servers.discord import DiscordServer
from tests.servers.slack import SlackServer

ROOT = Path(__file__).parents[2]


@pytest.fixture
async def slack():
    async with SlackServer() as server:
        yield server


class Honcho:
    """`honcho start` in a process group of its own; `pids` by name of the process."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.log: list[str] = []
        self.pids: dict[str, int] = {}
        self._reader = asyncio.create_task(self._read())

    async def _read(self) -> None:
        assert self.process.stdout is not None
        async for raw in self.process.stdout:
            line = raw.decode()
            self.log.append(line)
            if found := re.search(r"([\w.]+) started \(pid=(\d+)\)", line):
                self.pids[found[1]] = int(found[2])

    async def says(self, words: str) -> None:
        """Wait until a line holds these words."""
        async with asyncio.timeout(240):
            while not any(words in line for line in self.log):
                assert self.process.returncode is None, "".join(self.log)
                await asyncio.sleep(0.02)

    def kill(self) -> None:
        """Kill what was started, with its shell."""
        for pid in self.pids.values():
            os.killpg(pid, signal.SIGKILL)

    async def end(self) -> None:
        if self.process.returncode is None:
            self.process.send_signal(signal.SIGTERM)
        await self.process.wait()
        await self._reader


@pytest.fixture
async def start(postgres_database, tmp_path, sampled):
    """Starts processes of the Procfile with `honcho start`."""
    running: list[Honcho] = []

    async def begin(*names: str, **settings: str) -> Honcho:
        environment = os.environ | settings | {
            "WEFT_DATABASE_URL": postgres_database.url, "WEFT_DATA": str(tmp_path / f"machine-{len(running)}"),
            "WEFT_LEASE_SECONDS": "2", "PYTHONUNBUFFERED": "1", "COVERAGE_PROCESS_START": "",
        }  # fmt: skip
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "honcho", "--no-colour", "-f", ROOT / "Procfile", "start", "-c",
            ",".join(f"{name}=1" for name in names), *names,
            cwd=ROOT, env=environment, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
        )  # fmt: skip
        honcho = Honcho(process)
        running.append(honcho)
        return honcho

    yield begin
    await asyncio.gather(*(each.end() for each in running))


def free_port() -> str:
    with socket.socket() as each:
        each.bind(("127.0.0.1", 0))
        return str(each.getsockname()[1])


def begun(slack: SlackServer) -> int:
    """Return how many answers were begun, with a stream or without."""
    return len(slack.called("chat.postMessage")) + len(slack.called("chat.startStream"))


async def test_workers_that_are_killed_in_turn_lose_and_double_nothing(start, slack, postgres_database):
    settings = slack_settings(slack) | {"PORT": free_port()}
    web = await start("web", "clock", **settings)
    await web.says("Weft is on http://127.0.0.1:")
    endpoint = re.search(r"Weft is on (http://\S+)", "".join(web.log))[1] + "/slack/events"
    first, second = await start("worker", **settings), await start("worker", **settings)
    asked = [await slack.mention(endpoint, QUESTION, twin=False)]
    await answers(slack, "C1", asked[0].ts)
    for doomed in (first, second):
        gate = asyncio.Event()  # turns begin, and cannot end
        slack.holds = {"chat.postMessage": gate, "chat.startStream": gate}
        before = begun(slack)
        asked += [await slack.mention(endpoint, QUESTION, twin=False) for _ in range(3)]
        await slack.until(lambda before=before: begun(slack) > before, timeout=240)  # a process starts meanwhile
        doomed.kill()
        gate.set()
        slack.holds = {}
        await doomed.process.wait()
        await start("worker", **settings)
    sql = "SELECT count(*) FROM inbox WHERE status<>'done'"
    await slack.until(lambda: rows(postgres_database, sql) == [(0,)], timeout=240)  # processes start meanwhile
    for each in asked:
        await answers(slack, "C1", each.ts)
        assert len(await answers(slack, "C1", each.ts)) == len(no_lists(slack.bot_messages("C1", each.ts))) == 1


async def test_two_processes_share_the_shards_of_discord_and_each_server_is_answered_once(start, postgres_database):
    async with DiscordServer() as discord:
        discord.shards = 2
        settings = discord_settings(discord)
        mine = (int(discord.guild_id) >> 22) % 2
        here = await start("discord", WEFT_DISCORD_SHARDS=f"{mine}/2", **settings)
        await start("discord", WEFT_DISCORD_SHARDS=f"{1 - mine}/2", **settings)
        await start("worker", **settings)
        await discord.until(lambda: len(discord.gateway.open_sessions) == 2, timeout=240)  # processes start meanwhile
        other = str(int(discord.guild_id) + (1 << 22))  # of the other shard
        _, hall = await discord.join(permissions=discord.permissions, id=other)

        def answered(*threads: str) -> bool:
            return all(any("[1]" in str(m) for m in no_lists(discord.from_bot(thread))) for thread in threads)

        call = f"<@{discord.bot}> {QUESTION}"
        asked = [await discord.post(place, discord.alice, call) for place in (discord.general, hall)]
        await discord.until(lambda: answered(*asked), timeout=240)
        here.kill()  # what is asked meanwhile is caught up with, by the one that comes in its place
        await here.process.wait()
        asked += [await discord.post(place, discord.alice, call) for place in (hall, discord.general)]
        await start("discord", WEFT_DISCORD_SHARDS=f"{mine}/2", **settings)
        await discord.until(lambda: answered(*asked), timeout=240)
        done = "SELECT count(*) FROM inbox WHERE status='done' AND kind='mention'"
        await discord.until(lambda: rows(postgres_database, done) == [(4,)], timeout=240)
        assert [len(no_lists(discord.from_bot(thread))) for thread in asked] == [1] * 4
        shards = [message["d"]["shard"] for message in discord.gateway.received if message["op"] == 2]
        assert shards == [[mine, 2], [1 - mine, 2], [mine, 2]] or shards == [[1 - mine, 2], [mine, 2], [mine, 2]]


@pytest.mark.usefixtures("cold")  # and `.venv/bin/weft` as it is
async def test_there_is_one_clock_and_another_takes_over(start):
    first = await start("clock")
    await first.says("has the lock 'clock' now")
    second = await start("clock")
    await second.says("It waits for the lock 'clock'")
    first.kill()
    await second.says("has the lock 'clock' now")
