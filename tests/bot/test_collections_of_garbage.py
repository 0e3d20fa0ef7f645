"""What a process has loaded is not walked through again and again by the garbage collector."""

import asyncio
import gc
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from bot.processes.serve import run
from bot.settings import Settings

ROOT = Path(__file__).parents[2]


async def test_what_is_loaded_at_the_start_is_kept_out_of_collections(sampled):
    before = gc.get_freeze_count()
    serving = asyncio.create_task(run(Settings.load(data=sampled), ["worker"]))
    try:
        async with asyncio.timeout(60):
            while gc.get_freeze_count() <= before and not serving.done():
                await asyncio.sleep(0.01)
        assert gc.get_freeze_count() > before
    finally:
        serving.cancel()
        with suppress(asyncio.CancelledError):
            await serving


COUNTED = """
import atexit, gc
from bot.cli import main
before = gc.get_stats()[0]["collections"]
atexit.register(lambda: print("app" in dir(__import__("bot")), gc.get_stats()[0]["collections"] - before))
main()
"""


def test_what_a_command_loads_is_not_looked_through_while_it_loads(tmp_path):
    command = [sys.executable, "-c", COUNTED, "documents", "list", "--data", str(tmp_path / "data")]
    told = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT).stdout
    loaded, collections = told.splitlines()[-1].split()
    assert loaded == "True" and int(collections) < 30  # by the usual threshold it were 300
