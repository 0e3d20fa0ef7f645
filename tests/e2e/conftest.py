"""A whole Weft in a process of its own, with the platforms on loopback."""

import asyncio
import os
import re
import signal
import sys
from pathlib import Path

import httpx
import pytest

ROOT = Path(__file__).parents[2]


class Process:
    """`weft COMMAND`, started, watched and killed."""

    def __init__(self, data: Path, environment: dict[str, str]) -> None:
        self.data = data
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("WEFT_", "SLACK_", "DISCORD_", "OPENAI_"))}
        self._environment = {**clean, **environment}
        self._process: asyncio.subprocess.Process | None = None
        self.log = ""
        self.url = ""
        self._reading: asyncio.Task[None] | None = None

    async def start(self, *command: str) -> "Process":
        self._process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "bot.cli", "-v", *command, "--data", str(self.data),
            cwd=ROOT, env=self._environment, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        self._reading = asyncio.create_task(self._read())
        if command[0] in ("serve", "web"):
            async with asyncio.timeout(240):
                while not (found := re.search(r"Weft is on (http://\S+)", self.log)):
                    assert self._process.returncode is None, self.log
                    await asyncio.sleep(0.02)
                self.url = found.group(1)
                async with httpx.AsyncClient(timeout=60, trust_env=False) as client:
                    while True:
                        try:
                            if (await client.get(f"{self.url}/health")).status_code == 200:
                                break
                        except httpx.TransportError:
                            await asyncio.sleep(0.02)
        return self

    async def end(self, how: signal.Signals = signal.SIGTERM) -> int:
        """Send a signal and return the exit code."""
        assert self._process is not None
        if self._process.returncode is None:
            self._process.send_signal(how)
        return await self.ended()

    async def ended(self) -> int:
        """Wait until it ends by itself and return the exit code."""
        assert self._process is not None and self._reading is not None
        async with asyncio.timeout(240):
            code = await self._process.wait()
        await self._reading
        return code

    def tell_its_end(self) -> None:
        """Tell the log of a process that failed by itself: where a test waited for it, that is why."""
        if self._process is not None and (self._process.returncode or 0) > 0:
            sys.stderr.write(self.log)

    async def _read(self) -> None:
        assert self._process is not None and self._process.stderr is not None
        async for line in self._process.stderr:
            self.log += line.decode()


@pytest.fixture
async def weft(sampled):
    """Start Weft processes on one data folder, as a first start leaves it; whatever still runs at the end is killed."""
    started: list[Process] = []

    async def start(*command: str, **environment: str) -> Process:
        process = Process(sampled, {"WEFT_LEASE_SECONDS": "2", **environment})
        started.append(process)
        return await process.start(*command)

    yield start
    for process in started:
        process.tell_its_end()
        await process.end(signal.SIGKILL)
