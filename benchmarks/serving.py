"""`weft serve` in a process of its own, with Slack on the loopback server."""

import asyncio
import os
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx

from tests.servers.slack import SlackServer

WEFT = [sys.executable, "-m", "bot.cli"]
"""The command line."""


def without_settings(*kept: str) -> dict[str, str]:
    """Return our environment without what sets Weft up, but for the variables that are named."""
    named = ("WEFT_", "SLACK_", "DISCORD_", "OPENAI_", "TAVILY_")
    return {name: value for name, value in os.environ.items() if name in kept or not name.startswith(named)}


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
        return port


@asynccontextmanager
async def serving(
    data: Path, server: SlackServer, pids: list[int] | None = None, /, **environment: str
) -> AsyncIterator[str]:
    """Run it beside us; gives the address that Slack sends its events to. `pids` is told its number."""
    port = free_port()
    variables = {
        **os.environ,
        "SLACK_BOT_TOKEN": server.bot_token,
        "SLACK_SIGNING_SECRET": server.signing_secret,
        "SLACK_API_BASE_URL": server.url,
        **environment,
    }
    command = [*WEFT, "serve", "--port", str(port), "--data", str(data)]
    process = await asyncio.create_subprocess_exec(*command, env=variables, stderr=subprocess.DEVNULL)
    if pids is not None:
        pids.append(process.pid)
    try:
        await _until_healthy(port, process)
        yield f"http://127.0.0.1:{port}/slack/events"
    finally:
        if process.returncode is None:
            process.terminate()
        async with asyncio.timeout(60):
            await process.wait()


async def _until_healthy(port: int, process: asyncio.subprocess.Process) -> None:
    """Wait as long as it runs: how long a start takes depends on what else the machine does."""
    async with httpx.AsyncClient() as client:
        while process.returncode is None:
            try:
                if (await client.get(f"http://127.0.0.1:{port}/health")).status_code == 200:
                    return
            except httpx.TransportError:
                pass
            await asyncio.sleep(0.1)
    raise SystemExit("weft serve did not start")
